-- Which texts stand for a UUID
\set ECHO none \i sql/include/spelled.sql \set ECHO all
-- What a text stands for: whatever the type uuid reads, or a ULID
SELECT t, uuidx_migrate_steps.text_to_uuid(t) AS uuid, uuidx_migrate.is_uuid(t), uuidx_migrate_steps.text_to_uuid(t) = t::uuid AS same
FROM (VALUES ('919108f7-52d1-4320-9bac-f847db4148a8'), ('919108F7-52D1-4320-9BAC-F847DB4148A8'), ('919108f752d143209bacf847db4148a8'),
             ('{919108f7-52d143209bacf847-db4148a8}'), ('9191-08f7-52d1-4320-9bac-f847-db41-48a8')) AS v (t);
SELECT uuidx_migrate_steps.text_to_uuid(t) = uuid_decode(t, 'ulid') AS same, uuidx_migrate_steps.uuid_to_text(uuidx_migrate_steps.text_to_uuid(t))
FROM (VALUES ('01ARZ3NDEKTSV4RRFFQ69G5FAV'), ('01arz3ndektsv4rrffq69g5fav'), ('7ZZZZZZZZZZZZZZZZZZZZZZZZZ')) AS v (t);
CREATE FUNCTION is_read(text) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN PERFORM $1::uuid; RETURN true; EXCEPTION WHEN invalid_text_representation THEN RETURN false; END$$;
SELECT t, uuidx_migrate.is_uuid(t), is_read(t)
FROM (VALUES (''), ('{}'), ('{'), ('n/a'), (' 919108f7-52d1-4320-9bac-f847db4148a8'), ('919108f7-52d1-4320-9bac-f847db4148a8 '), ('{919108f7-52d1-4320-9bac-f847db4148a8'),
             ('919108f7-52d1-4320-9bac-f847db4148a8}'), ('{{919108f7-52d1-4320-9bac-f847db4148a8}}'), ('91-9108f752d143209bacf847db4148a8'), ('919108f752d143209bacf847db41-48a'),
             ('919108f7--52d143209bacf847db4148a8'), ('-919108f752d143209bacf847db4148a8'), ('919108f752d143209bacf847db4148a8-'), ('919108f752d143209bacf847db4148ag'),
             ('919108f752d143209bacf847db4148a8a8'), ('8ZZZZZZZZZZZZZZZZZZZZZZZZZ'), ('01ARZ3NDEKTSV4RRFFQ69G5FAU')) AS v (t);
SELECT * FROM pg_temp.errors($$SELECT uuidx_migrate_steps.text_to_uuid('n/a')$$);
-- Any text of these characters is one if the type uuid reads it.
SELECT setseed(0.5);
SELECT count(*) AS texts, count(*) FILTER (WHERE uuidx_migrate.is_uuid(t) <> is_read(t)) AS wrong, count(*) FILTER (WHERE is_read(t)) > 100 AS many_are_read
FROM (SELECT CASE WHEN random() < 0.2 THEN overlay(t PLACING substr('-{}g', 1 + floor(random() * 4)::int, 1) FROM 1 + floor(random() * length(t))::int FOR round(random())::int) ELSE t END AS t
      FROM (SELECT concat(CASE WHEN braces THEN '{' END, regexp_replace(md5(n::text), '(.{4})', CASE WHEN n % 3 = 0 THEN E'\\1-' ELSE E'\\1' END, CASE WHEN n % 2 = 0 THEN 'g' ELSE '' END),
                          CASE WHEN braces THEN '}' END) AS t
            FROM (SELECT n, random() < 0.3 AS braces FROM generate_series(1, 3000) AS n) AS n) AS t) AS t;
DROP FUNCTION is_read;


-- What stands for no UUID, and what stands for one twice
CREATE TABLE keys (tenant text, id text PRIMARY KEY, UNIQUE (tenant, id));
INSERT INTO keys VALUES ('a', spelled(1)), ('b', 'n/a'), ('b', ''), ('c', spelled(2)), ('c', upper(key(2)::text)), ('c', spelled(3)), ('c', key(3)::text);
SELECT * FROM uuidx_migrate.uuid_texts('keys', 'id', trust_owners => true);
SELECT * FROM uuidx_migrate.same_uuids('keys', 'id', trust_owners => true);
SELECT * FROM pg_temp.obstacles($$plan('keys', 'id', conversion => 'text_to_uuid', trust_owners => true)$$);
SELECT * FROM pg_temp.errors($$SELECT uuidx_migrate_steps.check_texts('keys', 'id', true)$$);
DELETE FROM keys WHERE tenant = 'b';
SELECT * FROM pg_temp.errors($$SELECT uuidx_migrate_steps.check_texts('keys', 'id', true)$$);
-- From PostgreSQL 15 on, a unique index can have nulls that are not distinct.
CREATE TABLE of_tenants (tenant text, id text);
INSERT INTO of_tenants VALUES (NULL, spelled(2)), (NULL, key(2)::text);
CREATE UNIQUE INDEX of_tenants_index ON of_tenants (tenant, id);
SELECT groups FROM uuidx_migrate.same_uuids('of_tenants', 'id', trust_owners => true);
SELECT current_setting('server_version_num')::int >= 150000 AS has_nulls_not_distinct \gset
\if :has_nulls_not_distinct
DROP INDEX of_tenants_index;
CREATE UNIQUE INDEX ON of_tenants (tenant, id) NULLS NOT DISTINCT;
\endif
SELECT groups = :'has_nulls_not_distinct'::boolean::int AS found FROM uuidx_migrate.same_uuids('of_tenants', 'id', trust_owners => true);
DROP TABLE of_tenants;
DELETE FROM keys WHERE id IN (upper(key(2)::text), key(3)::text);
SELECT uuidx_migrate_steps.check_texts('keys', 'id', true);
DROP TABLE keys;
CREATE TABLE keys (tenant text, n int, UNIQUE (tenant, n));
INSERT INTO keys VALUES (spelled(3), 1), (key(3)::text, 2), (NULL, 1), (spelled(3), NULL), (key(3)::text, NULL);
SELECT uuidx_migrate_steps.check_texts('keys', 'tenant', true);
INSERT INTO keys VALUES (key(3)::text, 1);
SELECT * FROM pg_temp.errors($$SELECT uuidx_migrate_steps.check_texts('keys', 'tenant', true)$$);
DROP TABLE keys;


-- The trigger, where it does not belong, and arguments that a script does not take
CREATE TABLE filled (a text, b uuid, c text);
SELECT t.timing, t.arguments, e.*
FROM (VALUES ('AFTER', $$'a', 'b', 'text_to_uuid', '36'$$), ('BEFORE', $$'a', 'c', 'text_to_uuid', '36'$$),
             ('BEFORE', $$'b', 'b', 'text_to_uuid', '36'$$), ('BEFORE', $$'a', 'nothing', 'text_to_uuid', '36'$$),
             ('BEFORE', $$'a', 'b'$$)) AS t (timing, arguments),
     LATERAL pg_temp.errors(format('CREATE OR REPLACE TRIGGER filled %s INSERT ON filled FOR EACH ROW EXECUTE FUNCTION '
                                   'uuidx_migrate_steps.fill_text(%s); INSERT INTO filled VALUES (NULL)',
                                   t.timing, t.arguments)) AS e;
ALTER TABLE filled ADD n int;
SELECT c.arguments, e.*
FROM (VALUES ($$'a', conversion => 'text_to_uuid', other_values => 'keep'$$), ($$'a', conversion => 'v1_to_v6'$$),
             ($$'b', conversion => 'text_to_uuid'$$), ($$'n', conversion => 'text_to_uuid'$$),
             ($$'a', conversion => 'text_to_uuid', also => '{filled.n}'$$)) AS c (arguments),
     LATERAL pg_temp.errors(format($$SELECT uuidx_migrate.script('filled', %s, trust_owners => true)$$, c.arguments)) AS e;
CREATE DOMAIN id AS text;
ALTER TABLE filled ALTER a TYPE id;
SELECT * FROM pg_temp.errors(
    $$SELECT uuidx_migrate.script('filled', 'a', conversion => 'text_to_uuid', trust_owners => true)$$,
    $$SELECT uuidx_migrate.uuid_texts('filled', 'b', trust_owners => true)$$);
DROP TABLE filled;
DROP DOMAIN id;

RESET ROLE;
DROP OWNED BY regress_uuidx_owner;
DROP ROLE regress_uuidx_owner;
