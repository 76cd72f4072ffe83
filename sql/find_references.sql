-- Columns that hold keys of a table although no foreign key ties them to it
\set SHOW_CONTEXT never
\set ECHO none \i sql/include/errors.sql \set ECHO all
SET client_min_messages = warning;
CREATE FUNCTION key(n int) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$ SELECT md5('key ' || n)::uuid $$;
CREATE FUNCTION other(n int) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$ SELECT md5('other ' || n)::uuid $$;
CREATE SCHEMA app;
CREATE TABLE app.users (id uuid PRIMARY KEY, parent uuid REFERENCES app.users, invited_by uuid);
INSERT INTO app.users SELECT key(n), key(n), key(1) FROM generate_series(1, 200) AS n;
INSERT INTO app.users VALUES (other(1000));

-- Tied by a foreign key, or without a key of the table
CREATE TABLE app.orders (id uuid PRIMARY KEY, user_id uuid REFERENCES app.users, token uuid, note text, paid jsonb, labels uuid[]);
INSERT INTO app.orders SELECT other(n), key(n), other(n), 'note for ' || key(n), jsonb_build_object('text', 'for ' || key(n)), ARRAY[other(n)]
FROM generate_series(1, 100) AS n;

-- Each type
CREATE DOMAIN app.reference AS uuid;
CREATE TABLE app.flow_state (
    user_id uuid, unused uuid, by_domain app.reference, many uuid[], "as ""text""" text, short varchar(36), padded char(40), document jsonb
);
INSERT INTO app.flow_state
SELECT CASE WHEN n % 2 = 0 THEN key(n) WHEN n < 20 THEN other(n) END, NULL, key(n), ARRAY[other(n), key(n), NULL],
       CASE n % 4 WHEN 0 THEN key(n)::text WHEN 1 THEN upper(key(n)::text) WHEN 2 THEN ' ' || key(n) ELSE replace(key(n)::text, '-', '') END,
       key(n), key(n),
       CASE n % 5 WHEN 0 THEN jsonb_build_object('user', jsonb_build_object('ids', jsonb_build_array(1, true, NULL, upper(key(n)::text))))
                  WHEN 1 THEN jsonb_build_object(key(n)::text, 1)
                  WHEN 2 THEN to_jsonb(key(n)::text)
                  WHEN 3 THEN to_jsonb(format('he said "%s', key(n)))
                  ELSE to_jsonb(format(E'\\"%s"', key(n))) END
FROM generate_series(1, 100) AS n;
CREATE TABLE "Odd; ""Table""" ("the id" uuid);
INSERT INTO "Odd; ""Table""" VALUES (key(1)), (key(2)), (other(3));

-- Partitions count with their table, descendants for themselves.
CREATE TABLE app.events (user_id uuid, n int) PARTITION BY LIST (n);
CREATE TABLE app.events_1 PARTITION OF app.events FOR VALUES IN (1);
CREATE TABLE app.events_2 PARTITION OF app.events FOR VALUES IN (2);
INSERT INTO app.events SELECT key(n), n % 2 + 1 FROM generate_series(1, 60) AS n;
CREATE TABLE app.parents (user_id uuid);
CREATE TABLE app.children () INHERITS (app.parents);
INSERT INTO app.parents VALUES (other(1)), (key(1));
INSERT INTO app.children VALUES (key(2)), (key(3)), (key(4));

-- Of this table, about one row in nine is sampled.
CREATE TABLE app.large (user_id uuid, filler text);
INSERT INTO app.large SELECT CASE WHEN n % 10 = 0 THEN key(n % 200 + 1) END, repeat('x', 100) FROM generate_series(1, 60000) AS n;

-- Neither views nor foreign tables nor virtual generated columns are read.
SELECT current_setting('server_version_num')::int >= 180000 AS has_virtual_columns \gset
\if :has_virtual_columns
ALTER TABLE app.flow_state ADD COLUMN computed uuid GENERATED ALWAYS AS (user_id) VIRTUAL;
\endif
CREATE FUNCTION app.heard() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'called by %', current_user; RETURN true; END $$;
CREATE VIEW app.seen AS SELECT id FROM app.users WHERE app.heard();
CREATE MATERIALIZED VIEW app.copied AS SELECT id FROM app.users;
CREATE FOREIGN DATA WRAPPER nowhere;
CREATE SERVER nowhere FOREIGN DATA WRAPPER nowhere;
CREATE FOREIGN TABLE app.far (user_id uuid) SERVER nowhere;
CREATE TABLE app.half_far (user_id uuid, n int) PARTITION BY LIST (n);
CREATE TABLE app.half_near PARTITION OF app.half_far FOR VALUES IN (1);
CREATE FOREIGN TABLE app.half_there PARTITION OF app.half_far FOR VALUES IN (2) SERVER nowhere;
INSERT INTO app.half_far VALUES (key(1), 1);
CREATE TEMP TABLE mine (user_id uuid);
INSERT INTO mine VALUES (key(1));

SELECT referencing, referencing_column, type, CASE WHEN referencing <> 'app.large'::regclass THEN sampled END AS sampled,
       CASE WHEN referencing <> 'app.large'::regclass THEN keys ELSE sampled - keys END AS keys,
       sampled < 1000 AND sampled > 300 AS some_hundred
FROM uuidx_migrate.find_references('app.users', 'id');
SELECT count(*) FROM uuidx_migrate.find_references('app.orders', 'id');
SELECT referencing, referencing_column FROM uuidx_migrate.find_references('app.flow_state', 'user_id') WHERE referencing = 'app.users'::regclass;
-- Of a partition's key, it is the partitioned table's.
SELECT referencing, referencing_column, keys FROM uuidx_migrate.find_references('app.events_1', 'user_id') WHERE referencing = 'app.parents'::regclass;

-- No lock outlasts it.
BEGIN;
SELECT count(*) > 0 AS found FROM uuidx_migrate.find_references('app.users', 'id');
SELECT relation::regclass FROM pg_locks
WHERE pid = pg_backend_pid() AND relation IN (SELECT oid FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'app'::regnamespace);
COMMIT;

-- Only what the caller may read, and nothing through a row security policy
CREATE ROLE regress_uuidx_reader;
GRANT USAGE ON SCHEMA app TO regress_uuidx_reader;
GRANT SELECT (id) ON app.users TO regress_uuidx_reader;
GRANT SELECT (user_id) ON app.flow_state TO regress_uuidx_reader;
GRANT SELECT ON app.events, app.parents TO regress_uuidx_reader;
ALTER TABLE app.parents ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON app.parents USING (app.heard());
SET ROLE regress_uuidx_reader;
SELECT referencing, referencing_column FROM uuidx_migrate.find_references('app.users', 'id');
SELECT * FROM pg_temp.errors(
    $$SELECT * FROM uuidx_migrate.find_references('app.parents', 'user_id')$$,
    $$SELECT * FROM uuidx_migrate.find_references('app.orders', 'user_id')$$);
RESET ROLE;

-- Of a table of another role, its rows are read, and no function in its indexes, constraints, statistics and domains runs.
CREATE ROLE regress_uuidx_mallory;
CREATE FUNCTION app.attack(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF pg_catalog.current_setting('regress_uuidx.is_set', true) = 'yes' THEN RAISE EXCEPTION 'attack as %', current_user; END IF;
    RETURN 1;
END $$;
CREATE DOMAIN app.attacked AS uuid CHECK (app.attack(1) = 1);
CREATE TABLE app.planted (user_id uuid, by_domain app.attacked, CHECK (app.attack(2) = 1)) PARTITION BY HASH (user_id);
CREATE TABLE app.planted_1 (by_domain app.attacked, gone int, user_id uuid, CONSTRAINT planted_check CHECK (app.attack(2) = 1));
ALTER TABLE app.planted_1 DROP COLUMN gone;
ALTER TABLE app.planted ATTACH PARTITION app.planted_1 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE app.planted_2 PARTITION OF app.planted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE INDEX ON app.planted (user_id) WHERE app.attack(3) = 1;
CREATE STATISTICS app.planted_statistics ON (app.attack(4)), user_id FROM app.planted;
INSERT INTO app.planted SELECT id, id FROM app.users;
GRANT SELECT ON app.planted TO regress_uuidx_reader;
GRANT ALL ON SCHEMA app TO regress_uuidx_mallory;
ALTER TABLE app.planted OWNER TO regress_uuidx_mallory;
\c
\set ECHO none \i sql/include/errors.sql \set ECHO all
SET regress_uuidx.is_set = 'yes';
SELECT * FROM pg_temp.errors($$SELECT FROM app.planted WHERE user_id = '00000000-0000-4000-8000-000000000000'$$);
SELECT referencing_column, sampled, keys FROM uuidx_migrate.find_references('app.users', 'id') WHERE referencing = 'app.planted'::regclass;
SELECT count(*) > 1 AS finds_others FROM uuidx_migrate.find_references('app.planted', 'user_id');
SET ROLE regress_uuidx_reader;
SELECT referencing_column, sampled, keys FROM uuidx_migrate.find_references('app.users', 'id') WHERE referencing = 'app.planted'::regclass;
RESET ROLE;
DROP TABLE app.planted;

-- What is read, by a role that may not
SET ROLE regress_uuidx_reader;
SELECT * FROM pg_temp.errors(
    $$SELECT uuidx_migrate_steps.sampled_values('app.orders', 'user_id')$$,
    $$SELECT uuidx_migrate_steps.sampled_values('app.parents', 'user_id')$$,
    $$SELECT uuidx_migrate_steps.values_found('app.orders', 'user_id', '{}'::uuid[])$$);
RESET ROLE;
SELECT * FROM pg_temp.errors(
    $$SELECT uuidx_migrate_steps.sampled_values('app.users', 'nothing')$$,
    $$SELECT uuidx_migrate_steps.sampled_values('app.seen', 'id')$$,
    $$SELECT uuidx_migrate_steps.values_found('app.users', 'id', '{1}'::int[])$$,
    $$SELECT uuidx_migrate_steps.values_found('app.users', 'id', '{NULL}'::uuid[])$$,
    $$SELECT uuidx_migrate_steps.sampled_values(1, 'id')$$);

-- Keys that are text are found as they are written, whatever they look like.
CREATE TABLE app.of_texts (id varchar(40) PRIMARY KEY, n int);
INSERT INTO app.of_texts VALUES ('key-1', 1), ('00000000-0000-4000-8000-00000000000A', 2), ('00000000-0000-4000-8000-00000000000b', 3);
CREATE TABLE app.by_text (code text, document jsonb, id uuid, ids text[], other text, padded char(40));
INSERT INTO app.by_text VALUES ('key-1', '{"of": ["key-1"]}', '00000000-0000-4000-8000-00000000000b', '{x,key-1}', 'key', 'key-1'),
    ('00000000-0000-4000-8000-00000000000a', '"key"', '00000000-0000-4000-8000-00000000000a', '{x}', repeat('key-1', 100), 'key');
SELECT * FROM uuidx_migrate.find_references('app.of_texts', 'id');
DROP TABLE app.by_text;
CREATE TABLE app.of_padded (id char(9) PRIMARY KEY);
CREATE TABLE app.by_padded (short char(5), long char(40), text text);
INSERT INTO app.of_padded VALUES ('key-1');
INSERT INTO app.by_padded VALUES ('key-1', 'key-1', 'key-1'), ('key-2', 'key-2', 'key-2');
SELECT * FROM uuidx_migrate.find_references('app.of_padded', 'id');

-- Any number looks like a key: the names of columns tell, and then their values.
CREATE TABLE app.companies (id int PRIMARY KEY, owner_id bigint);
CREATE TABLE app.boxes (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY);
INSERT INTO app.companies SELECT n, n FROM generate_series(1, 50) AS n;
INSERT INTO app.boxes SELECT FROM generate_series(1, 60);
CREATE TABLE app.by_number (company_id int, "parentCompanyId" bigint, company smallint, companies_id int, owner_id int, accompany_box_id int, box_id int REFERENCES app.boxes,
    size int, employees_id int, big_company_id bigint, none_company_id int, company_ids int[], company_name text, id int GENERATED ALWAYS AS IDENTITY);
INSERT INTO app.by_number SELECT n, n, n, n, n, n, n, n, n, n + 5e9, n + 1000, ARRAY[n], n FROM generate_series(1, 40) AS n;
INSERT INTO app.by_number (company_id) VALUES (51), (NULL);
SELECT * FROM uuidx_migrate.find_references('app.companies', 'id');
SELECT * FROM uuidx_migrate.find_references('app.boxes', 'id');
SELECT * FROM uuidx_migrate.find_references('app.companies', 'owner_id');
DROP TABLE app.by_number;

SELECT * FROM pg_temp.errors(
    $$SELECT * FROM uuidx_migrate.find_references('app.users', 'no_column')$$,
    $$SELECT * FROM uuidx_migrate.find_references('app.users', 'ctid')$$,
    $$SELECT * FROM uuidx_migrate.find_references('app.seen', 'id')$$);
SELECT count(*) FROM uuidx_migrate.find_references(NULL, 'id');

SET client_min_messages = warning;
DROP SCHEMA app CASCADE;
DROP TABLE "Odd; ""Table""";
DROP FOREIGN DATA WRAPPER nowhere CASCADE;
DROP FUNCTION key(int), other(int);
DROP ROLE regress_uuidx_reader, regress_uuidx_mallory;
