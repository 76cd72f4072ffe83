-- What an undo, a finish and a script that runs again take for the migration's own: nothing that has no more than a name of it
\set ECHO none \i sql/include/migration.sql \set ECHO all
CREATE SCHEMA owned;
SET search_path = owned, public;
\set script 'SELECT sql FROM uuidx_migrate.script(:call) ORDER BY step \\gexec'
CREATE VIEW columns AS SELECT attrelid::regclass AS relation, string_agg(attname, ', ' ORDER BY attname) AS columns
FROM pg_attribute JOIN pg_class ON oid = attrelid
WHERE relnamespace = 'owned'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped GROUP BY 1 ORDER BY attrelid::regclass::text;

-- Numbers, offline: the shadow column of a reference is somebody's. What is in the way of the script's own has a hint.
CREATE TABLE keys (id bigint PRIMARY KEY, n int, id_shadow text);
CREATE TABLE uses (key bigint REFERENCES keys, key_shadow text, short int REFERENCES keys, short_shadow bigint);
INSERT INTO keys SELECT n, n FROM generate_series(1, 3) AS n;
INSERT INTO uses SELECT id, 'mine', id, -id FROM keys;
CREATE TABLE before AS SELECT n, u.* FROM uses AS u JOIN keys ON id = key;
CREATE TABLE keys_id_bigint_to_v7 ();
SELECT * FROM pg_temp.obstacles($$plan('keys', 'id', 'offline', 'bigint_to_v7', rows_without_time => 'epoch')$$);
ALTER TABLE keys RENAME id_shadow TO mine;
ALTER TABLE keys_id_bigint_to_v7 RENAME TO mine;
\set call '''keys'', ''id'', ''offline'', ''bigint_to_v7'', rows_without_time => ''epoch'''
\set ECHO none \o /dev/null
:script
\o \set ECHO all
CREATE TABLE keys_id_former (mine int);
SELECT * FROM pg_temp.obstacles($$plan('keys', 'id', 'offline', 'v7_to_bigint')$$);
ALTER TABLE keys_id_former RENAME TO mine_too;
-- The key's table gets another name: the index still finds the numbers.
ALTER TABLE keys RENAME TO named;
CREATE TABLE script AS SELECT * FROM uuidx_migrate.script('named', 'id', 'finish', 'bigint_to_v7');
\set call '''named'', ''id'', ''offline'', ''v7_to_bigint'''
\set ECHO none \o /dev/null
:script
\o \set ECHO all
SELECT u.* FROM uses AS u EXCEPT SELECT key, key_shadow, short, short_shadow FROM before;
ALTER TABLE named ADD id_shadow text;
-- A script that is run again finds nothing of its own.
\set ECHO none \o /dev/null
SELECT sql FROM script ORDER BY step \gexec
\o \set ECHO all
ALTER TABLE named DROP id_shadow;
\set call '''named'', ''id'', ''offline'', ''bigint_to_v7'', rows_without_time => ''epoch'''
\set ECHO none \o /dev/null
:script
\o \set ECHO all
-- The name of the constraint
CREATE UNIQUE INDEX named_number_key ON named (n);
\set call '''named'', ''id'', ''finish'', ''bigint_to_v7'', keep_number => ''number'''
\set ECHO none
SELECT * FROM pg_temp.errors('SELECT sql FROM uuidx_migrate.script(' || :'call' || ')');
ALTER INDEX named_number_key RENAME TO mine_as_well;
\o /dev/null
:script
\o \set ECHO all
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'named'::regclass AND contype IN ('c', 'u');
SELECT count(*) AS uses, count(*) FILTER (WHERE number = n AND u.key_shadow = 'mine' AND u.short_shadow = -n) AS right_
FROM uses AS u JOIN named ON id = key AND id = short;
TABLE columns;
DROP TABLE before, mine, mine_too, script, uses, named;

-- The table of the former keys: it belongs to a key, whatever both are called, and a copy of it to none.
CREATE TABLE keys (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int);
CREATE TABLE uses (key uuid REFERENCES keys);
INSERT INTO keys (n) SELECT generate_series(1, 3);
INSERT INTO uses SELECT id FROM keys;
CREATE TABLE before AS TABLE keys;
-- Default privileges give nothing on it.
ALTER DEFAULT PRIVILEGES IN SCHEMA owned GRANT ALL ON TABLES TO PUBLIC;
\set call '''keys'', ''id'', ''offline'', ''to_v7'', rows_without_time => ''epoch'''
\set ECHO none \o /dev/null
:script
\o \set ECHO all
ALTER DEFAULT PRIVILEGES IN SCHEMA owned REVOKE ALL ON TABLES FROM PUBLIC;
SELECT has_table_privilege('public', 'keys_id_former', 'SELECT');
ALTER TABLE keys RENAME TO named;
CREATE TABLE keys (id uuid PRIMARY KEY, n int);
CREATE TABLE copy (LIKE keys_id_former INCLUDING ALL);
SELECT * FROM pg_temp.obstacles($$plan('keys', 'id', 'offline', 'from_v7')$$);
SELECT * FROM pg_temp.errors($$SELECT sql FROM uuidx_migrate.script('keys', 'id', 'finish', 'to_v7')$$);
SELECT * FROM pg_temp.obstacles($$plan('named', 'id', 'offline', 'to_v7', rows_without_time => 'epoch', trust_owners => true)$$);
ALTER TABLE named RENAME id TO key;
SELECT * FROM pg_temp.obstacles($$plan('named', 'key', 'offline', 'from_v7')$$);
ALTER TABLE named RENAME key TO id;
CREATE TABLE script AS SELECT * FROM uuidx_migrate.script('named', 'id', 'finish', 'to_v7');
-- A record of a column counts, whether or not it is validated.
ALTER TABLE keys_id_former VALIDATE CONSTRAINT "1 key";
ALTER TABLE uses DROP CONSTRAINT uses_key_fkey;
SELECT * FROM pg_temp.obstacles($$plan('named', 'id', 'offline', 'from_v7')$$);
\set call '''named'', ''id'', ''offline'', ''from_v7'', also => ''{uses.key}'''
\set ECHO none \o /dev/null
:script
\o \set ECHO all
SELECT count(*) AS same FROM named JOIN before USING (id, n) JOIN uses ON key = id;
CREATE TABLE keys_id_former (mine int);
\set ECHO none \o /dev/null
SELECT sql FROM script ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM pg_temp.errors($$SELECT sql FROM uuidx_migrate.script('named', 'id', 'finish', 'to_v7')$$);
TABLE columns;
DROP TABLE before, copy, script, keys_id_former, uses, named, keys;

-- Online: the table of the former keys is somebody's, and so is what reads them. The key's table has another name.
CREATE TABLE keys (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), created timestamptz DEFAULT '2020-01-01');
CREATE TABLE uses (key uuid REFERENCES keys);
INSERT INTO keys SELECT FROM generate_series(1, 3);
INSERT INTO uses SELECT id FROM keys;
CREATE FUNCTION pass() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER "00key_shadow" BEFORE INSERT ON uses FOR EACH ROW EXECUTE FUNCTION pass();
SELECT * FROM pg_temp.obstacles($$plan('keys', 'id', 'online', 'to_v7', created => 'created')$$);
ALTER TRIGGER "00key_shadow" ON uses RENAME TO mine;
CREATE MATERIALIZED VIEW seen AS SELECT id FROM keys;
\set call '''keys'', ''id'', ''online'', ''to_v7'', created => ''created'''
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call) WHERE phase NOT IN ('cutover', 'after') ORDER BY step \gexec
\o \set ECHO all
ALTER TABLE keys RENAME TO named;
CREATE MATERIALIZED VIEW map AS SELECT id, id_shadow FROM named;
SELECT * FROM pg_temp.obstacles($$plan('named', 'id', 'online', 'to_v7', created => 'created')$$);
-- It is given up. Its twins go, and the map only by hand.
\set call '''named'', ''id'', ''finish'', ''from_v7'''
\set ECHO none \o /dev/null
:script
\o
SELECT relname FROM pg_class WHERE relnamespace = 'owned'::regnamespace AND relkind = 'm' ORDER BY relname;
DROP MATERIALIZED VIEW map;
\o /dev/null
:script
\set call '''named'', ''id'', ''online'', ''to_v7'', created => ''created'''
:script
\o \set ECHO all
ALTER TABLE named RENAME TO named_again;
CREATE TABLE named_again_id_former AS SELECT id_shadow, id FROM named_again;
CREATE FUNCTION named_again_id_created(named_again) RETURNS timestamptz LANGUAGE sql RETURN now();
CREATE MATERIALIZED VIEW seen_shadow AS SELECT id_shadow FROM named_again;
CREATE UNIQUE INDEX ON named_again (id_shadow);
CREATE TABLE archive (key uuid REFERENCES named_again (id_shadow));
\set call '''named_again'', ''id'', ''finish'', ''to_v7'''
\set ECHO none \o /dev/null
:script
\o \set ECHO all
TABLE columns;
DROP TABLE archive;
DROP MATERIALIZED VIEW seen_shadow;
ALTER TRIGGER "0_id_shadow" ON named_again RENAME TO renamed;
CREATE TRIGGER "0_id_shadow" BEFORE INSERT ON named_again FOR EACH ROW EXECUTE FUNCTION pass();
\set ECHO none \o /dev/null
:script
\o \set ECHO all
TABLE columns;
SELECT tgname FROM pg_trigger WHERE tgrelid = 'named_again'::regclass AND NOT tgisinternal;
SELECT oid::regprocedure AS function FROM pg_proc WHERE pronamespace = 'owned'::regnamespace ORDER BY proname;
DROP TABLE uses, named_again, named_again_id_former CASCADE;

-- psql goes on after an error. What a check has refused is not dropped, and no trigger is left without the keys that it looks up.
CREATE TABLE keys (id bigint PRIMARY KEY);
CREATE TABLE notes (key bigint);
INSERT INTO keys VALUES (1), (2);
INSERT INTO notes SELECT id FROM keys;
\set call '''keys'', ''id'', :mode, ''bigint_to_v7'', also => ''{notes.key}'', rows_without_time => ''epoch'''
\set mode '''online'''
\set ECHO none \o /dev/null
:script
\o \set ECHO all
DELETE FROM keys WHERE id_shadow = 2;
\set mode '''finish'''
\set ECHO none \set VERBOSITY terse
:script
\set ECHO all
SELECT key_shadow, k.id = key AS same FROM notes LEFT JOIN keys AS k ON k.id_shadow = key_shadow ORDER BY 1;
DELETE FROM notes WHERE key_shadow = 2;
\set ECHO none \o /dev/null
:script
\o \set ECHO all
TABLE columns;
DROP TABLE keys, notes;

-- The same offline
CREATE TABLE keys (id bigint PRIMARY KEY);
CREATE TABLE notes (key bigint);
INSERT INTO keys VALUES (1), (2);
INSERT INTO notes SELECT id FROM keys;
\set mode '''offline'''
\set ECHO none \o /dev/null
:script
\o \set ECHO all
DELETE FROM keys WHERE id_shadow = 2;
\set mode '''finish'''
\set ECHO none
:script
\set ECHO all
TABLE columns;

DROP TABLE keys, notes;

-- A foreign key of a column and of one with the name of its shadow
CREATE TABLE keys (id uuid PRIMARY KEY, id_shadow int, UNIQUE (id, id_shadow));
CREATE TABLE uses (key uuid, key_shadow int, FOREIGN KEY (key, key_shadow) REFERENCES keys (id, id_shadow));
INSERT INTO keys VALUES ('7db5997e-ea4f-11f1-bf21-02fc00000001', 1);
INSERT INTO uses TABLE keys;
\set call '''keys'', ''id'', ''offline'', ''v1_to_v6'''
\set ECHO none \o /dev/null
:script
\o \set ECHO all
SELECT uuid_version(key), key_shadow, conname FROM uses JOIN keys ON (id, id_shadow) = (key, key_shadow), pg_constraint WHERE conrelid = 'uses'::regclass;
DROP TABLE keys, uses;

-- Two keys whose objects would have the same names
CREATE TABLE a (b_c uuid PRIMARY KEY);
CREATE TABLE a_b (c uuid PRIMARY KEY);
CREATE TABLE d (e uuid PRIMARY KEY);
INSERT INTO a VALUES (gen_random_uuid());
INSERT INTO a_b VALUES (gen_random_uuid());
INSERT INTO d VALUES (gen_random_uuid());
SELECT m AS mode, e.*
FROM unnest('{offline,online}'::text[]) AS m,
     LATERAL pg_temp.errors(format($$SELECT sql FROM uuidx_migrate.keys_script('{owned}', %L, 'to_v7', rows_without_time => 'epoch')$$, m)) AS e;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.keys_script('{owned}', 'offline', 'to_v7', rows_without_time => 'epoch', leave_out => true) ORDER BY step \gexec
\o \set ECHO all
SELECT uuid_is_v7(e) AS is_v7, uuid_is_v7(b_c) AS is_v7, uuid_is_v7(c) AS is_v7 FROM a, a_b, d;

SET client_min_messages = error;
DROP SCHEMA owned CASCADE;
