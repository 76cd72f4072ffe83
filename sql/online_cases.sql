-- Moving columns online: two migrations at once, values of both versions, partitions, odd names, materialized views
\set ECHO none \i sql/include/online.sql \i sql/include/functions.sql \set ECHO all

-- Two migrations of one index: the second waits for the first.
CREATE TABLE a (id uuid PRIMARY KEY);
CREATE TABLE b (id uuid PRIMARY KEY);
CREATE TABLE ab (a uuid REFERENCES a, b uuid REFERENCES b, PRIMARY KEY (a, b));
CREATE TABLE script_a AS SELECT * FROM uuidx_migrate.script('a', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true);
CREATE TABLE script_b AS SELECT * FROM uuidx_migrate.script('b', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true);
\set ECHO none \o /dev/null
SELECT sql FROM script_a WHERE phase NOT IN ('cutover', 'after') ORDER BY step \gexec
SELECT sql FROM script_b ORDER BY step \gexec
\o \set ECHO all
SELECT uuidx_migrate_steps.shadow_conversion('ab', 'a') AS a, uuidx_migrate_steps.shadow_conversion('ab', 'b') AS b;
\d ab
DROP TABLE ab, script_a, script_b;

-- So it is with two migrations of one constraint.
CREATE TABLE ab (a uuid REFERENCES a, b uuid REFERENCES b, CONSTRAINT differ CHECK (a <> b));
CREATE TABLE script_a AS SELECT * FROM uuidx_migrate.script('a', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true);
CREATE TABLE script_b AS SELECT * FROM uuidx_migrate.script('b', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true);
\set ECHO none \o /dev/null
SELECT sql FROM script_a WHERE phase NOT IN ('cutover', 'after') ORDER BY step \gexec
SELECT sql FROM script_b ORDER BY step \gexec
SELECT sql FROM script_a ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('b', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
\d ab
-- A script that is run again says that its cutover has taken place.
\set ECHO none \o /dev/null
SELECT sql FROM script_b WHERE step = 1 \gexec
\o \set ECHO all
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
\o \set ECHO all
SELECT uuid_version(id) FROM mixed ORDER BY n;
UPDATE mixed SET n = n + 10;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('mixed', 'id', 'online', 'v6_to_v1', 'keep', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT count(*) AS same FROM mixed JOIN mixed_before USING (id);
DROP TABLE mixed, mixed_before;

-- A column twice in an index, a trigger with a name of two lines
CREATE TABLE twice (id uuid PRIMARY KEY, n int);
CREATE INDEX ON twice (id, id uuid_time_ops) INCLUDE (id);
CREATE TRIGGER "a
CREATE TABLE injected ();
--" BEFORE UPDATE ON twice FOR EACH ROW EXECUTE FUNCTION nothing();
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('twice', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
\d twice
SELECT to_regclass('injected');
DROP TABLE twice;

-- A partitioned table is migrated, and the migration is undone.
CREATE TABLE keys (id uuid PRIMARY KEY);
CREATE TABLE parted (id uuid, n int, parent uuid CONSTRAINT of_parent REFERENCES keys, PRIMARY KEY (id, n) WITH (fillfactor = 60)) PARTITION BY LIST (n);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
ALTER TABLE parted ADD CONSTRAINT known CHECK (id IS NOT NULL);
CREATE TRIGGER of_id BEFORE UPDATE OF id ON parted FOR EACH ROW EXECUTE FUNCTION nothing();
COMMENT ON CONSTRAINT of_parent ON parted_1 IS 'of the partition';
COMMENT ON CONSTRAINT known ON parted_1 IS 'of the partition';
COMMENT ON TRIGGER of_id ON parted_1 IS 'of the partition';
INSERT INTO parted VALUES (v1(1), 1);
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('parted', 'id', 'online', conversion => 'v1_to_v6', also => '{keys.id}', trust_owners => true) ORDER BY step \gexec
\o
SELECT uuid_version(id) FROM parted;
SELECT reloptions FROM pg_class WHERE oid = 'parted_pkey'::regclass;
SELECT pg_describe_object(classoid, objoid, 0), description FROM pg_description
WHERE classoid IN ('pg_constraint'::regclass, 'pg_trigger'::regclass) AND description = 'of the partition' ORDER BY 1;
\o /dev/null
SELECT sql FROM uuidx_migrate.script('parted', 'id', 'online', 'v6_to_v1', also => '{keys.id}', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('parted', 'id', 'finish', 'v6_to_v1', also => '{keys.id}', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT uuid_version(id) FROM parted;
DROP TABLE parted, keys;

-- Partitions share the steps whose statements take a moment. So do those that are there when the script is written anew.
CREATE TABLE shared (id uuid PRIMARY KEY);
CREATE TABLE sharing (n int, id uuid REFERENCES shared) PARTITION BY LIST (n);
CREATE INDEX of_id ON sharing (id);
CREATE TABLE sharing_1 (id uuid, n int);
ALTER TABLE sharing ATTACH PARTITION sharing_1 FOR VALUES IN (1);
DO $$ BEGIN FOR n IN 2..45 LOOP EXECUTE format('CREATE TABLE sharing_%s PARTITION OF sharing FOR VALUES IN (%1$s)', n); END LOOP; END $$;
INSERT INTO shared SELECT v1(n) FROM generate_series(1, 46) AS n;
INSERT INTO sharing SELECT n, v1(n) FROM generate_series(1, 45) AS n;
CREATE TABLE script AS SELECT * FROM uuidx_migrate.script('shared', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true);
SELECT min(step) AS step, regexp_replace(locks, 'sharing_[0-9]+', 'sharing_N', 'g') AS locks, count(*) FROM script
WHERE phase = 'index' GROUP BY 2 ORDER BY 1;
SELECT sql FROM script WHERE locks LIKE 'SHARE ROW EXCLUSIVE%' ORDER BY step LIMIT 1 OFFSET 2;
\set ECHO none \o /dev/null
SELECT sql FROM script WHERE step <= (SELECT min(step) FROM script WHERE locks LIKE 'SHARE ROW EXCLUSIVE%') ORDER BY step \gexec
CREATE TABLE sharing_0 PARTITION OF sharing DEFAULT;
INSERT INTO sharing VALUES (46, v1(46));
SELECT sql FROM uuidx_migrate.script('shared', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT uuid_version(id), count(*) FROM sharing GROUP BY 1;
SELECT count(*), bool_and(convalidated) FROM pg_constraint WHERE conrelid::regclass::text LIKE 'sharing%' AND conname = 'sharing_id_fkey' AND contype = 'f';
DROP TABLE sharing, shared, script;

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
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('named', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM constraints EXCEPT SELECT * FROM constraints_before;
SELECT * FROM constraints_before EXCEPT SELECT * FROM constraints;
DROP TABLE named, constraints_before CASCADE;

-- Names that are as long as can be, or look like the end of a text or of a statement
CREATE TABLE "$do$ is a name with $if$, ; '' and "" that is as long as a name can be" ("$if$ %I, another such name with '' and """" as long as can be; too" uuid PRIMARY KEY,
    parent uuid REFERENCES "$do$ is a name with $if$, ; '' and "" that is as long as a name can be");
\set ECHO none
SELECT oid::regclass AS long_table FROM pg_class WHERE relname LIKE '$do$%' AND relkind = 'r' \gset
SELECT attname AS long_column FROM pg_attribute WHERE attrelid = :'long_table'::regclass AND attnum = 1 \gset
\set ECHO all
INSERT INTO :long_table VALUES (v1(1), v1(1));
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:'long_table', :'long_column', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
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
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('keyed', 'key', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT bool_and(key = uuid_v1_to_v6(v1(n))) FROM keyed;
SELECT pg_get_indexdef('by_bytes'::regclass);
SELECT count(n) FROM by_call;
SELECT count(n) FROM by_view;
SELECT count(*), min(version) FROM by_column;
-- A session may have set row_security to off, as pg_dump does.
SET row_security = off;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('keyed', 'key', 'online', 'v6_to_v1', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('keyed', 'key', 'finish', 'v6_to_v1', trust_owners => true) ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('keyed', 'key', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
RESET row_security;
SELECT bool_and(key = uuid_v1_to_v6(v1(n))) FROM keyed;
-- An undo gives back a default that is a call with a cast.
CREATE FUNCTION of_text() RETURNS text LANGUAGE sql RETURN gen_random_uuid()::text;
CREATE TABLE by_text (id uuid PRIMARY KEY DEFAULT of_text()::uuid);
INSERT INTO by_text SELECT v1(n) FROM generate_series(1, 3) AS n;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('by_text', 'id', 'online', 'v1_to_v6', new_default => 'public.uuid_generate_v6()', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT default_afterwards, obstacles FROM uuidx_migrate.plan('by_text', 'id', 'online', 'v6_to_v1', trust_owners => true);
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('by_text', 'id', 'online', 'v6_to_v1', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT (uuidx_migrate_steps.default_of(attrelid, attnum)).expression FROM pg_attribute WHERE attrelid = 'by_text'::regclass AND attname = 'id';

SET client_min_messages = error;
RESET ROLE;
DROP OWNED BY regress_uuidx_owner CASCADE;
DROP ROLE regress_uuidx_owner;
