-- Moving columns while their tables serve
\set SHOW_CONTEXT never
\pset format wrapped
\pset columns 200
SET client_min_messages = error;
CREATE ROLE regress_uuidx_owner;
GRANT CREATE ON SCHEMA public TO regress_uuidx_owner;
SET ROLE regress_uuidx_owner;
\set ECHO none
\i sql/include/errors.sql
\i sql/include/faults.sql
\i sql/include/orders.sql
\set ECHO all
SET client_min_messages = warning;
CREATE VIEW shadows AS
SELECT attrelid::regclass AS relation, attname, uuidx_migrate_steps.shadow_conversion(attrelid, left(attname, -7)::name) AS shadow_conversion
FROM pg_attribute WHERE attname LIKE '%\_shadow' AND attnum > 0 AND attrelid::regclass::text IN ('orders', '"Select"', 'payments', 'payments_2020', 'refunds', 'users', 'posts')
ORDER BY attrelid::regclass::text COLLATE "C", attname;
CREATE TABLE before AS SELECT o.*, s."Order" FROM orders AS o JOIN "Select" AS s ON s."Order" = o.id;

CREATE STATISTICS orders_statistics (ndistinct, mcv) ON id, customer_id, (abs(uuid_version(replaces))) FROM orders;
ALTER STATISTICS orders_statistics SET STATISTICS 50;
COMMENT ON STATISTICS orders_statistics IS 'of orders';
CREATE INDEX "by %" ON orders USING btree (replaces DESC, (hashtext(replaces::text || id::text)), id uuid_time_ops NULLS FIRST) INCLUDE (customer_id)
    WITH (fillfactor = 70) WHERE customer_id IS NOT NULL AND id <> uuid_max();
COMMENT ON INDEX "by %" IS 'an index';
ALTER TABLE orders ADD CONSTRAINT other CHECK (id <> replaces), ADD CONSTRAINT not_validated CHECK (uuid_version(id) > 0) NOT VALID;
COMMENT ON CONSTRAINT other ON orders IS 'another';
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
CREATE TRIGGER audit BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE TRIGGER of_inserts BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION nothing();
SELECT pg_get_indexdef('"by %"'::regclass) AS definition;
SELECT array_agg(attname ORDER BY attnum) AS index_columns FROM pg_attribute WHERE attrelid = '"by %"'::regclass \gset
SELECT phase, count(*) FROM uuidx_migrate.script('orders', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) GROUP BY phase ORDER BY min(step);
SELECT * FROM pg_temp.faults($$script('orders', 'id', 'online', 'v1_to_v6', trust_owners => true)$$);
CREATE INDEX of_customers ON payments (uuid_version(customer));
SELECT * FROM pg_temp.faults($$script('customers', 'id', 'online', 'v1_to_v6', trust_owners => true)$$)
WHERE fault LIKE 'does not look%';
DROP INDEX of_customers;
-- A backfill says which triggers it fires.
SELECT substring(sql, 'uuidx_migrate[^,]*'), substring(sql, E'-- It fires [^\n]*')
FROM uuidx_migrate.script('orders', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) WHERE phase = 'fill' ORDER BY step;
SELECT * FROM pg_temp.faults($$script('payments_2020', 'id', 'online', 'v1_to_v6', 'keep', trust_owners => true)$$);
SELECT * FROM pg_temp.faults($$script('orders', 'id', 'offline', 'v1_to_v6', also => '{payments.customer}', trust_owners => true)$$);
SELECT substring(sql, 'CALL uuidx_migrate_steps.backfill.*') AS call FROM uuidx_migrate.script('orders', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) WHERE phase = 'fill';

-- It is done, and has nothing left to do but to drop the old columns.
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('orders', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT count(*) AS rows, count(*) FILTER (WHERE b.id IS NOT NULL) AS right
FROM orders AS o JOIN "Select" AS s ON s."Order" = o.id
LEFT JOIN before AS b ON o.id = uuid_v1_to_v6(b.id) AND o.customer_id = b.customer_id AND o.replaces IS NOT DISTINCT FROM uuid_v1_to_v6(b.replaces);
SELECT * FROM shadows;
SELECT pg_get_indexdef('"by %"'::regclass) AS definition, obj_description('"by %"'::regclass) AS comment;
SELECT conname, pg_get_constraintdef(oid) AS definition, convalidated, obj_description(oid) AS comment FROM pg_constraint
WHERE conrelid = 'orders'::regclass AND contype <> 'n' ORDER BY conname COLLATE "C";
SELECT array_agg(attname ORDER BY attnum) = :'index_columns' AS columns_keep_their_names FROM pg_attribute WHERE attrelid = '"by %"'::regclass;
SELECT count(*) AS steps FROM uuidx_migrate.script('orders', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true);

-- The old columns are kept for every row that is written. A client may still write version 1, which is converted.
INSERT INTO orders (id, customer_id) VALUES (uuid_v1_to_v6(v1(5000)), v1(1)), (v1(5001), v1(1));
UPDATE orders SET replaces = v1(5000) WHERE id_shadow = v1(5001);
SELECT id = uuid_v1_to_v6(id_shadow) AS v6, id_shadow IN (v1(5000), v1(5001)) AS kept, replaces = uuid_v1_to_v6(v1(5000)) AS replaces
FROM orders WHERE id_shadow IN (v1(5000), v1(5001)) ORDER BY id_shadow;
DELETE FROM orders WHERE id = uuid_v1_to_v6(v1(5001));
-- An INSERT without names of columns does not put a value into the old one.
INSERT INTO orders VALUES (uuid_v1_to_v6(v1(5003)), v1(1));
\echo :LAST_ERROR_SQLSTATE

-- Until it is finished, it is in the way of the offline mode.
SELECT obstacles, hints FROM uuidx_migrate.plan('orders', 'id', conversion => 'v1_to_v6', trust_owners => true);
SELECT sql FROM uuidx_migrate.script('orders', 'id', 'offline', conversion => 'v1_to_v6', trust_owners => true);
\echo :LAST_ERROR_SQLSTATE

-- It is undone.
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('orders', 'id', 'online', 'v6_to_v1', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT count(*) AS rows, count(*) FILTER (WHERE o.replaces IS NOT DISTINCT FROM b.replaces) AS right
FROM orders AS o JOIN before AS b USING (id, customer_id);
SELECT * FROM shadows;
SELECT pg_get_indexdef('"by %"'::regclass) AS definition, obj_description('"by %"'::regclass) AS comment;
-- PostgreSQL itself keeps a shadow from being anything else.
ALTER TABLE orders DISABLE TRIGGER zzz_id_shadow;
SELECT * FROM pg_temp.errors(
    $$INSERT INTO orders (id, customer_id) VALUES (v1(5002), v1(1))$$,
    $$UPDATE orders SET id_shadow = uuid_max() WHERE id = v1(1001)$$);
ALTER TABLE orders ENABLE ALWAYS TRIGGER zzz_id_shadow;

-- It is finished: one script drops all that is left.
SELECT sql FROM uuidx_migrate.script('orders', 'id', 'finish', conversion => 'v1_to_v6', trust_owners => true);
\echo :LAST_ERROR_SQLSTATE
SELECT phase, locks FROM uuidx_migrate.script('orders', 'id', 'finish', 'v6_to_v1', trust_owners => true) ORDER BY step;
SELECT * FROM pg_temp.faults($$script('orders', 'id', 'finish', 'v6_to_v1', trust_owners => true)$$);
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('orders', 'id', 'finish', 'v6_to_v1', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT * FROM shadows;
\d orders
DROP TABLE customers, orders, "Select", payments, refunds, before CASCADE;
DROP FUNCTION v1, nothing;

-- What reads the columns is made anew, and all of it is as before when it is undone. A script that ends before the cutover
-- can be given up.
\set ECHO none
\i sql/include/users.sql
\set ECHO all
SELECT phase, count(*) FROM uuidx_migrate.script('users', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) GROUP BY phase ORDER BY min(step);
-- A materialized view that reads another view is refreshed as PostgreSQL does it.
SELECT * FROM pg_temp.faults($$script('users', 'id', 'online', 'v1_to_v6', trust_owners => true)$$);
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('users', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) WHERE phase NOT IN ('cutover', 'after') ORDER BY step \gexec
\o
\set ECHO all
SELECT object FROM changes();
SELECT * FROM shadows;
SELECT phase, locks FROM uuidx_migrate.script('users', 'id', 'finish', 'v6_to_v1', trust_owners => true) ORDER BY step;
SELECT * FROM pg_temp.faults($$script('users', 'id', 'finish', 'v6_to_v1', trust_owners => true)$$);
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('users', 'id', 'finish', 'v6_to_v1', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('users', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT * FROM changes();
SELECT version, same, count(*) FROM contents GROUP BY version, same;
INSERT INTO users (name) VALUES ('new') RETURNING uuid_version(id), uuid_version(id_shadow);
-- If anything still read an old column, the cutover would have failed.
SELECT uuidx_migrate_steps.check_unread('{users}', '{id}');
CREATE VIEW reader AS SELECT id_shadow FROM users;
SELECT uuidx_migrate_steps.check_unread('{users}', '{id}');
\echo :LAST_ERROR_SQLSTATE
DROP VIEW reader;
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('users', 'id', 'online', 'v6_to_v1', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT * FROM changes();
SELECT version, same, count(*) FROM contents GROUP BY version, same;
INSERT INTO users (name) VALUES ('newer') RETURNING uuid_version(id), uuid_version(id_shadow);
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('users', 'id', 'finish', 'v6_to_v1', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT * FROM changes();
SELECT * FROM shadows;

-- The cutover is refused before the shadow columns are known to be filled, and all that is on them is built.
CREATE TEMP TABLE script AS SELECT * FROM uuidx_migrate.script('users', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true);
SELECT sql AS cutover FROM script WHERE phase = 'cutover' \gset
\set ECHO none
\o /dev/null
SELECT sql FROM script WHERE phase = 'shadow' ORDER BY step \gexec
\o
\set ECHO all
\set VERBOSITY terse
\set ECHO none
\echo not filled
:cutover;
\o /dev/null
SELECT sql FROM script WHERE phase IN ('fill', 'validate') ORDER BY step \gexec
\o
\echo nothing built
:cutover;
\o /dev/null
SELECT sql FROM script WHERE phase = 'index' AND sql !~ 'validate_constraint|REFRESH' ORDER BY step \gexec
\o
\echo not validated
:cutover;
\o /dev/null
SELECT sql FROM script WHERE phase = 'index' AND sql !~ 'REFRESH' ORDER BY step \gexec
\o
\echo a materialized view not filled
:cutover;
\o /dev/null
SELECT sql FROM script WHERE sql ~ 'REFRESH' AND phase = 'index' \gexec
\o
RESET ROLE;
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'by_text_shadow'::regclass;
SET ROLE regress_uuidx_owner;
\echo an index that is not valid
:cutover;
RESET ROLE;
UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'by_text_shadow'::regclass;
SET ROLE regress_uuidx_owner;
-- What has changed since a script was written is neither lost nor left behind: the script refuses.
\echo a new index
CREATE INDEX newer ON users (name, id);
:cutover;
DROP INDEX newer;
\echo a new view
CREATE VIEW newer AS SELECT id FROM users;
:cutover;
DROP VIEW newer;
\echo another definition of an index
DROP INDEX by_text;
CREATE INDEX by_text ON users (name, (id::text));
:cutover;
DROP INDEX by_text;
CREATE INDEX by_text ON users ((id::text), name) WHERE id IS NOT NULL;
\echo another constraint
ALTER TABLE users DROP CONSTRAINT version, ADD CONSTRAINT version CHECK (uuid_variant(id) = 'rfc9562' AND id <> uuid_max());
:cutover;
ALTER TABLE users DROP CONSTRAINT version, ADD CONSTRAINT version CHECK (uuid_variant(id) = 'rfc9562');
COMMENT ON CONSTRAINT version ON users IS 'a constraint';
\echo a privilege
GRANT UPDATE (id) ON users TO PUBLIC;
:cutover;
REVOKE UPDATE (id) ON users FROM PUBLIC;
\echo another comment in a materialized view
COMMENT ON COLUMN counts.id IS 'another';
:cutover;
COMMENT ON COLUMN counts.id IS 'a column';
\echo a function
CREATE OR REPLACE FUNCTION author(n int) RETURNS uuid LANGUAGE sql STABLE BEGIN ATOMIC SELECT u.id FROM users AS u JOIN posts AS p ON p.author = u.id WHERE p.n = author.n LIMIT 1; END;
:cutover;
CREATE OR REPLACE FUNCTION author(n int) RETURNS uuid LANGUAGE sql STABLE BEGIN ATOMIC SELECT u.id FROM users AS u JOIN posts AS p ON p.author = u.id WHERE p.n = author.n; END;
\echo nothing
:cutover;
\set ECHO all
\set VERBOSITY default
SELECT * FROM changes();
SELECT * FROM shadows;
DROP TABLE script, users, posts CASCADE;

-- What has changed after its shadow was built is not lost either: the shadow must go, and the next script builds it anew.
CREATE FUNCTION outdated(relation regclass) RETURNS SETOF text LANGUAGE sql AS $$
SELECT o || ': ' || h FROM uuidx_migrate.plan(relation, 'id', conversion => 'v1_to_v6', trust_owners => true) AS p, unnest(p.obstacles, p.hints) AS u (o, h) ORDER BY 1
$$;
CREATE TABLE changed (id uuid PRIMARY KEY, parent uuid CONSTRAINT of REFERENCES changed, n int, CONSTRAINT is_it CHECK (id <> v1(7)), CONSTRAINT gone CHECK (id <> v1(8)));
CREATE INDEX changed_n ON changed (n, id);
CREATE INDEX changed_where ON changed (n) WHERE id > v1(1);
CREATE INDEX changed_gone ON changed (parent);
CREATE STATISTICS changed_stat ON n, id FROM changed;
CREATE MATERIALIZED VIEW changed_view AS SELECT id FROM changed;
CREATE MATERIALIZED VIEW changed_gone_view AS SELECT id FROM changed;
INSERT INTO changed VALUES (v1(1), NULL, 1), (v1(2), v1(1), 2);
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('changed', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) WHERE phase NOT IN ('cutover', 'after') ORDER BY step \gexec
\o
\set ECHO all
SELECT * FROM outdated('changed');
DROP INDEX changed_n, changed_where, changed_gone;
CREATE INDEX changed_n ON changed (n, id DESC);
CREATE INDEX changed_where ON changed (n) WHERE id > v1(2);
ALTER TABLE changed DROP CONSTRAINT gone, DROP CONSTRAINT is_it, DROP CONSTRAINT of,
    ADD CONSTRAINT is_it CHECK (id <> v1(9)), ADD CONSTRAINT of FOREIGN KEY (parent) REFERENCES changed ON DELETE CASCADE;
DROP STATISTICS changed_stat;
CREATE STATISTICS changed_stat (ndistinct) ON n, id FROM changed;
DROP MATERIALIZED VIEW changed_view, changed_gone_view;
CREATE MATERIALIZED VIEW changed_view AS SELECT id, n FROM changed;
SELECT * FROM outdated('changed');
DROP INDEX changed_n_shadow, changed_where_shadow, changed_gone_shadow;
ALTER TABLE changed DROP CONSTRAINT of_shadow, DROP CONSTRAINT is_it_shadow, DROP CONSTRAINT gone_shadow;
DROP STATISTICS changed_stat_shadow;
DROP MATERIALIZED VIEW changed_gone_view_shadow;
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('changed', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
\d changed
SELECT n, uuid_version(id) FROM changed_view ORDER BY n;
DROP TABLE changed CASCADE;
DROP FUNCTION outdated;

-- Two migrations of one index: the second waits for the first.
CREATE TABLE a (id uuid PRIMARY KEY);
CREATE TABLE b (id uuid PRIMARY KEY);
CREATE TABLE ab (a uuid REFERENCES a, b uuid REFERENCES b, PRIMARY KEY (a, b));
CREATE TABLE script_a AS SELECT * FROM uuidx_migrate.script('a', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true);
CREATE TABLE script_b AS SELECT * FROM uuidx_migrate.script('b', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true);
\set ECHO none
\o /dev/null
SELECT sql FROM script_a WHERE phase NOT IN ('cutover', 'after') ORDER BY step \gexec
SELECT sql FROM script_b ORDER BY step \gexec
\o
\set ECHO all
SELECT uuidx_migrate_steps.shadow_conversion('ab', 'a') AS a, uuidx_migrate_steps.shadow_conversion('ab', 'b') AS b;
\d ab
DROP TABLE ab, script_a, script_b;

-- So it is with two migrations of one constraint.
CREATE TABLE ab (a uuid REFERENCES a, b uuid REFERENCES b, CONSTRAINT differ CHECK (a <> b));
CREATE TABLE script_a AS SELECT * FROM uuidx_migrate.script('a', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true);
CREATE TABLE script_b AS SELECT * FROM uuidx_migrate.script('b', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true);
\set ECHO none
\o /dev/null
SELECT sql FROM script_a WHERE phase NOT IN ('cutover', 'after') ORDER BY step \gexec
SELECT sql FROM script_b ORDER BY step \gexec
SELECT sql FROM script_a ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('b', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
\d ab
DROP TABLE a, b, ab, script_a, script_b;

-- Values of the new version that were there before are there again when it is undone, if they were not changed.
CREATE TABLE mixed (id uuid PRIMARY KEY, n int);
INSERT INTO mixed VALUES (v1(1), 1), (uuid_v1_to_v6(v1(2)), 2), ('919108f7-52d1-4320-9bac-f847db4148a8', 3);
CREATE TABLE mixed_before AS SELECT * FROM mixed;
\set ECHO none
\set VERBOSITY sqlstate
\o /dev/null
SELECT sql FROM uuidx_migrate.script('mixed', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o
\set VERBOSITY default
SELECT attname FROM pg_attribute WHERE attrelid = 'mixed'::regclass AND attnum > 0;
\o /dev/null
SELECT sql FROM uuidx_migrate.script('mixed', 'id', 'online', conversion => 'v1_to_v6', other_values => 'keep', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT uuid_version(id) FROM mixed ORDER BY n;
UPDATE mixed SET n = n + 10;
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('mixed', 'id', 'online', 'v6_to_v1', 'keep', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT count(*) AS same FROM mixed JOIN mixed_before USING (id);
DROP TABLE mixed, mixed_before;

-- A column twice in an index, a trigger with a name of two lines
CREATE TABLE twice (id uuid PRIMARY KEY, n int);
CREATE INDEX ON twice (id, id uuid_time_ops) INCLUDE (id);
CREATE TRIGGER "a
CREATE TABLE injected ();
--" BEFORE UPDATE ON twice FOR EACH ROW EXECUTE FUNCTION nothing();
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('twice', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
\d twice
SELECT to_regclass('injected');
DROP TABLE twice;

-- A partitioned table is migrated, and the migration is undone.
CREATE TABLE parted (id uuid, n int, PRIMARY KEY (id, n)) PARTITION BY LIST (n);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
INSERT INTO parted VALUES (v1(1), 1);
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('parted', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o
SELECT uuid_version(id) FROM parted;
\o /dev/null
SELECT sql FROM uuidx_migrate.script('parted', 'id', 'online', 'v6_to_v1', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('parted', 'id', 'finish', 'v6_to_v1', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT uuid_version(id) FROM parted;
DROP TABLE parted;

-- From PostgreSQL 18 on, NOT NULL is a constraint, and constraints may be NOT ENFORCED.
CREATE TABLE named (id uuid, n int);
SELECT current_setting('server_version_num')::int >= 180000 AS is_18 \gset
\if :is_18
ALTER TABLE named ADD CONSTRAINT always NOT NULL id NO INHERIT, ADD CONSTRAINT never CHECK (id IS NULL) NOT ENFORCED;
COMMENT ON CONSTRAINT always ON named IS 'a comment';
\endif
CREATE VIEW constraints AS SELECT conname, pg_get_constraintdef(oid), obj_description(oid) FROM pg_constraint
WHERE conrelid = 'named'::regclass AND conname NOT LIKE '%\_shadow';
CREATE TABLE constraints_before AS SELECT * FROM constraints;
INSERT INTO named VALUES (v1(1), 1);
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('named', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT * FROM constraints EXCEPT SELECT * FROM constraints_before;
SELECT * FROM constraints_before EXCEPT SELECT * FROM constraints;
DROP TABLE named, constraints_before CASCADE;

-- Names that are as long as can be, or look like the end of a text or of a statement; a temporary table
CREATE TEMP TABLE "$do$ is a name with $if$, ; '' and "" that is as long as a name can be" ("$if$ %I, another such name with '' and """" as long as can be; too" uuid PRIMARY KEY,
    parent uuid REFERENCES "$do$ is a name with $if$, ; '' and "" that is as long as a name can be");
\set ECHO none
SELECT oid::regclass AS long_table FROM pg_class WHERE relname LIKE '$do$%' AND relkind = 'r' \gset
SELECT attname AS long_column FROM pg_attribute WHERE attrelid = :'long_table'::regclass AND attnum = 1 \gset
\set ECHO all
INSERT INTO :long_table VALUES (v1(1), v1(1));
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script(:'long_table', :'long_column', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT uuid_version(:"long_column"), uuid_version(parent) FROM :long_table;

-- A column that has the name of one in a statement of ours, and an index that sorts in another way than its expression
CREATE TABLE keyed (key uuid PRIMARY KEY, n int);
CREATE UNIQUE INDEX by_bytes ON keyed ((key::text) COLLATE "POSIX");
INSERT INTO keyed SELECT v1(n), n FROM generate_series(1, 3) AS n;
-- A materialized view that reads the columns in another way, too, is refreshed after the cutover.
CREATE VIEW keys AS SELECT key FROM keyed;
CREATE FUNCTION n_of(uuid) RETURNS int LANGUAGE plpgsql STABLE AS 'BEGIN RETURN (SELECT n FROM public.keyed WHERE key = $1); END';
CREATE MATERIALIZED VIEW by_call AS SELECT n_of(key) AS n FROM keyed;
CREATE MATERIALIZED VIEW by_view AS SELECT k.n FROM keyed AS k JOIN keys USING (key);
CREATE MATERIALIZED VIEW by_column AS SELECT key, uuid_version(key) AS version FROM keyed;
SELECT r FROM uuidx_migrate.plan('keyed', 'key', conversion => 'v1_to_v6', trust_owners => true), unnest(remarks) AS r WHERE r LIKE 'materialized%';
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('keyed', 'key', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT bool_and(key = uuid_v1_to_v6(v1(n))) FROM keyed;
SELECT pg_get_indexdef('by_bytes'::regclass);
SELECT count(n) FROM by_call;
SELECT count(n) FROM by_view;
SELECT count(*), min(version) FROM by_column;
-- A session may have set row_security to off, as pg_dump does.
SET row_security = off;
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('keyed', 'key', 'online', 'v6_to_v1', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('keyed', 'key', 'finish', 'v6_to_v1', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('keyed', 'key', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
RESET row_security;
SELECT bool_and(key = uuid_v1_to_v6(v1(n))) FROM keyed;
-- An undo gives back a default that is a call with a cast.
CREATE FUNCTION of_text() RETURNS text LANGUAGE sql RETURN gen_random_uuid()::text;
CREATE TABLE by_text (id uuid PRIMARY KEY DEFAULT of_text()::uuid);
INSERT INTO by_text SELECT v1(n) FROM generate_series(1, 3) AS n;
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('by_text', 'id', 'online', 'v1_to_v6', new_default => 'public.uuid_generate_v6()', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT default_afterwards, obstacles FROM uuidx_migrate.plan('by_text', 'id', 'online', 'v6_to_v1', trust_owners => true);
\set ECHO none
\o /dev/null
SELECT sql FROM uuidx_migrate.script('by_text', 'id', 'online', 'v6_to_v1', trust_owners => true) ORDER BY step \gexec
\o
\set ECHO all
SELECT (uuidx_migrate_steps.default_of(attrelid, attnum)).expression FROM pg_attribute WHERE attrelid = 'by_text'::regclass AND attname = 'id';

SET client_min_messages = error;
RESET ROLE;
DROP OWNED BY regress_uuidx_owner CASCADE;
DROP ROLE regress_uuidx_owner;
