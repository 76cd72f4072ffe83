-- Moving version 1 columns to version 6 offline, and back
\set ECHO none \i sql/include/owner.sql \i sql/include/orders.sql \set ECHO all
\set statements 'substring(sql, $$[$]do[$](.*)[$]do[$]$$)'
SELECT * FROM pg_temp.faults($$script('orders', 'id', 'offline', 'v1_to_v6', trust_owners => true)$$);
SELECT phase, locks FROM examined;
SELECT * FROM pg_temp.faults($$script('refunds', 'payment', 'offline', 'v1_to_v6', 'keep', trust_owners => true)$$);

-- It is done as one transaction, and undone.
CREATE TABLE before AS
SELECT o.id, o.customer_id, o.replaces, s."Order", c.name FROM orders AS o
JOIN customers AS c ON c.id = o.customer_id JOIN "Select" AS s ON s."Order" = o.id LEFT JOIN orders AS r ON r.id = o.replaces;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('orders', 'id', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT count(*) AS rows, count(*) FILTER (WHERE b.id IS NULL) AS wrong
FROM orders AS o JOIN customers AS c ON c.id = o.customer_id JOIN "Select" AS s ON s."Order" = o.id
LEFT JOIN before AS b ON o.id = uuid_v1_to_v6(b.id) AND o.customer_id = b.customer_id AND c.name = b.name
                     AND o.replaces IS NOT DISTINCT FROM uuid_v1_to_v6(b.replaces);
SELECT count(*) FILTER (WHERE uuid_version(id) = 6) AS v6, count(replaces) AS references FROM orders;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('orders', 'id', conversion => 'v6_to_v1', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT count(*) AS same FROM orders JOIN before USING (id, customer_id)
WHERE orders.replaces IS NOT DISTINCT FROM before.replaces;

-- Values of another version: an error that stops the script, or they are kept.
INSERT INTO orders VALUES ('919108f7-52d1-4320-9bac-f847db4148a8', v1(1));
\set ECHO none
SELECT sql FROM uuidx_migrate.script('orders', 'id', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\set ECHO all
BEGIN;
\set ECHO none \o /dev/null
SELECT :statements FROM uuidx_migrate.script('orders', 'id', conversion => 'v1_to_v6', other_values => 'keep', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT version, count FROM uuidx_migrate.version_histogram('orders', 'id', trust_owners => true);
ROLLBACK;
SELECT version, count FROM uuidx_migrate.version_histogram('orders', 'id', trust_owners => true);
-- A script does not begin in a transaction.
BEGIN;
SELECT sql AS script FROM uuidx_migrate.script('orders', 'id', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gset
:script;
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
-- It refuses if something has changed since it was written.
SELECT substring(sql, '[$]before[$](.*)[$]before[$]') AS check_script FROM uuidx_migrate.script('orders', 'id', conversion => 'v1_to_v6', other_values => 'keep', trust_owners => true) \gset
:check_script;
CREATE VIEW later AS SELECT id FROM orders;
:check_script;
\echo :LAST_ERROR_SQLSTATE
DROP VIEW later;
:check_script;

-- Columns that no foreign key connects with it
CREATE TABLE log (order_id uuid, n int);
INSERT INTO log SELECT id, 1 FROM orders;
INSERT INTO log VALUES (v1(1), 2), (NULL, 3);
DELETE FROM orders WHERE id = '919108f7-52d1-4320-9bac-f847db4148a8';
SELECT substring(sql, '[^\n]*check_keys[^\n]*') AS check_keys FROM uuidx_migrate.script('orders', 'id', conversion => 'v1_to_v6', also => '{log.order_id}', trust_owners => true) \gset
:check_keys;
\echo :LAST_ERROR_SQLSTATE
DELETE FROM log WHERE n = 2 OR uuid_version(order_id) = 4;
:check_keys;
BEGIN;
\set ECHO none \o /dev/null
SELECT :statements FROM uuidx_migrate.script('orders', 'id', conversion => 'v1_to_v6', also => '{log.order_id}', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT count(*) AS rows, count(o.id) AS orders, count(*) FILTER (WHERE uuid_version(order_id) = 6) AS v6 FROM log AS l LEFT JOIN orders AS o ON o.id = l.order_id;
ROLLBACK;

-- Bad arguments
CREATE AGGREGATE aggregated(*) (SFUNC = uuid_v6_to_v1, STYPE = uuid, INITCOND = '00000000-0000-0000-0000-000000000000');
SELECT c.arguments, e.*
FROM (VALUES ($$'id', 'magic', 'v1_to_v6'$$), ($$'id', conversion => 'up'$$),
             ($$'id', conversion => 'v1_to_v6', other_values => 'ignore'$$),
             ($$'id', conversion => 'v1_to_v6', published_tables => 'ignore'$$),
             ($$'no_column', conversion => 'v1_to_v6'$$), ($$'ctid', conversion => 'v1_to_v6'$$),
             ($$NULL, conversion => 'v1_to_v6'$$), ($$'id', conversion => 'v1_to_v6', new_default => 'now()'$$),
             ($$'id', conversion => 'v1_to_v6', new_default => 'aggregated()'$$),
             ($$'id', conversion => 'v1_to_v6', new_default => 'uuid_generate_v7(interval)'$$),
             ($$'id', conversion => 'v1_to_v6', fire_triggers => false$$),
             ($$'id', 'finish', 'v1_to_v6'$$)) AS c (arguments),
     LATERAL pg_temp.errors(format('SELECT * FROM uuidx_migrate.script(''orders'', %s, trust_owners => true)', c.arguments)) AS e;

-- Arguments of what reads a column, or fills it
SELECT * FROM pg_temp.errors(
    $$SELECT * FROM uuidx_migrate.creation_times('orders', 'no_column', NULL, true)$$,
    $$SELECT * FROM uuidx_migrate.creation_times('orders', 'id', NULL, NULL)$$,
    $$SELECT uuidx_migrate_steps.lock_table('orders', 'ACCESS SHARE', NULL)$$,
    $$SELECT * FROM uuidx_migrate.plan('orders', 'id', conversion => 'v1_to_v6', also => '{log.order_id,NULL}')$$,
    $$SELECT * FROM uuidx_migrate.same_uuids('orders', 'no_column', true)$$,
    $$SELECT * FROM uuidx_migrate.same_uuids('orders', 'id', true)$$);
CALL uuidx_migrate_steps.backfill('orders', '{id}', trust_owners => NULL);

-- The role that runs a script has to be the owner of the tables, and not one that another role became.
\set VERBOSITY sqlstate
SELECT * FROM pg_temp.errors(
    $$SELECT * FROM uuidx_migrate.script('orders', 'id', conversion => 'v1_to_v6')$$,
    $$SELECT * FROM uuidx_migrate.version_histogram('orders', 'id')$$);
CALL uuidx_migrate_steps.backfill('orders', '{id}');
\set VERBOSITY default
SELECT * FROM pg_temp.obstacles($$plan('orders', 'id', conversion => 'v1_to_v6')$$);
SELECT substring(sql, '[^\n]*check_owner[^\n]*') AS check_owner FROM uuidx_migrate.script('orders', 'id', conversion => 'v1_to_v6', trust_owners => true) \gset
SELECT replace(:'check_owner', 'true)', 'false)') AS check_owner \gset
:check_owner;
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
:check_owner;

-- Who does not own all of the tables gets an error before anything changes.
BEGIN;
CREATE TABLE ours (id uuid REFERENCES orders);
SET ROLE regress_uuidx_owner;
SELECT * FROM (SELECT replace(session_user, '"', '') AS name) AS u, LATERAL (SELECT string_agg(replace(hint, u.name, 'SUPERUSER'), '') AS hint
    FROM uuidx_migrate.plan('orders', 'id', conversion => 'v1_to_v6', trust_owners => true), unnest(hints) AS hint) AS h \gset
\echo :hint
\set VERBOSITY sqlstate
SELECT * FROM uuidx_migrate.script('orders', 'id', conversion => 'v1_to_v6', trust_owners => true);
\set VERBOSITY default
ROLLBACK;
SET ROLE regress_uuidx_owner;

-- A name with quotes
CREATE TABLE "my ""quoted"" table" ("my id" uuid PRIMARY KEY);
INSERT INTO "my ""quoted"" table" VALUES (v1(1));
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('"my ""quoted"" table"', 'my id', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT uuid_version("my id") FROM "my ""quoted"" table";
DROP TABLE customers, orders, "Select", payments, refunds, before, log, "my ""quoted"" table";
DROP FUNCTION v1, v4, v6, nothing;

-- What reads the columns is made anew.
\set ECHO none \i sql/include/users.sql \set ECHO all
DROP TABLE before;
ALTER TABLE users ADD COLUMN short text COLLATE "C" GENERATED ALWAYS AS (left(id::text, 8)) STORED NOT NULL CONSTRAINT of_short CHECK (short <> name);
COMMENT ON COLUMN users.short IS 'a generated column';
COMMENT ON CONSTRAINT of_short ON users IS 'of a generated column';
ALTER TABLE users ALTER COLUMN short SET STATISTICS 60, ALTER COLUMN short SET STORAGE EXTERNAL, ALTER COLUMN short SET COMPRESSION pglz;
CREATE INDEX by_short ON users (short, name) WHERE short <> name;
COMMENT ON INDEX by_short IS 'of a generated column, too';
CREATE STATISTICS of_short ON short, name FROM users;
ALTER TABLE users ADD COLUMN shorter text GENERATED ALWAYS AS (left(id::text, 4)) STORED CONSTRAINT of_both CHECK (short <> shorter);
CREATE INDEX by_both ON users ((short || shorter));
-- So is what stands over a generated column and the key, with what belongs to its index.
ALTER TABLE users ADD CONSTRAINT key_and_short UNIQUE (id, short) WITH (fillfactor = 60), ADD CONSTRAINT late UNIQUE (short, name) WITH (fillfactor = 70) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE users ADD CONSTRAINT partial EXCLUDE (short WITH =) WHERE (short = '');
COMMENT ON INDEX late IS 'of a constraint';
ALTER TABLE users REPLICA IDENTITY USING INDEX key_and_short, CLUSTER ON late;
CREATE INDEX by_short_and_key ON users (lower(short || id::text));
ALTER INDEX by_short_and_key ALTER COLUMN 1 SET STATISTICS 200;
CREATE STATISTICS of_short_and_key ON short, id FROM users;
ALTER STATISTICS of_short_and_key SET STATISTICS 50;
ALTER TABLE users ADD kind text DEFAULT 'user', ADD UNIQUE (id, kind);
ALTER TABLE posts ADD kind text GENERATED ALWAYS AS (CASE WHEN author IS NOT NULL THEN 'user' END) STORED, ADD CONSTRAINT of_kind FOREIGN KEY (author, kind) REFERENCES users (id, kind);
CREATE VIEW shorts AS SELECT a.short, b.title FROM users AS a JOIN posts AS b ON left(b.author::text, 8) = a.short;
CREATE MATERIALIZED VIEW stored_shorts AS SELECT short FROM users;
CREATE TABLE before AS SELECT * FROM state;
\pset format unaligned
\pset tuples_only on
SELECT unnest(recreated) FROM uuidx_migrate.plan('users', 'id', conversion => 'v1_to_v6', trust_owners => true);
\pset tuples_only off
\pset format wrapped
SELECT * FROM pg_temp.faults($$script('users', 'id', 'offline', 'v1_to_v6', trust_owners => true)$$);
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('users', 'id', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM changes();
SELECT version, same, count(*) FROM contents GROUP BY version, same;
SELECT count(s.short) = count(*) AS are_filled_again FROM users AS u LEFT JOIN stored_shorts AS s USING (short);
-- To undo it, the former default has to be named.
SELECT * FROM uuidx_migrate.script('users', 'id', conversion => 'v6_to_v1', trust_owners => true);
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('users', 'id', conversion => 'v6_to_v1', new_default => 'uuid_generate_v1()', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM changes();
SELECT version, same, count(*) FROM contents GROUP BY version, same;

-- The indexes of partitions keep their names, also such as PostgreSQL would give to one another, and what partitions have keeps its comments.
CREATE TABLE visits (id uuid, page uuid, day int, CONSTRAINT "the key" PRIMARY KEY (id, day)) PARTITION BY LIST (day);
CREATE INDEX ON visits (id);
CREATE INDEX ON visits (id) WHERE day > 0;
CREATE TABLE visits_1 (LIKE visits, CONSTRAINT its_own PRIMARY KEY (id, day));
CREATE INDEX ON visits_1 (id) WHERE day > 0;
CREATE INDEX ON visits_1 (id);
ALTER TABLE visits ATTACH PARTITION visits_1 FOR VALUES IN (1);
CREATE TABLE visits_2 PARTITION OF visits FOR VALUES IN (2) PARTITION BY LIST (day);
CREATE TABLE visits_2_2 PARTITION OF visits_2 FOR VALUES IN (2);
ALTER INDEX visits_2_pkey RENAME TO "The second's";
CREATE TABLE visits_now PARTITION OF visits FOR VALUES IN (3);
ALTER TABLE visits_now RENAME TO visits_3;
CREATE TABLE visits_now PARTITION OF visits FOR VALUES IN (4);
CREATE TABLE visits_then PARTITION OF visits FOR VALUES IN (6);
ALTER TABLE visits_then RENAME TO visits_6;
CREATE TABLE visits_then PARTITION OF visits FOR VALUES IN (5);
ALTER INDEX visits_now_id_idx RENAME TO another;
ALTER INDEX visits_2_id_idx1 RENAME TO visits_now_id_idx;
ALTER INDEX visits_2_2_id_idx1 RENAME TO visits_2_id_idx1;
ALTER INDEX another RENAME TO visits_2_2_id_idx1;
ALTER INDEX visits_2_2_id_idx RENAME TO other;
ALTER TABLE visits ADD CONSTRAINT known CHECK (id IS NOT NULL);
CREATE TRIGGER of_id BEFORE UPDATE OF id ON visits FOR EACH ROW EXECUTE FUNCTION nothing();
COMMENT ON CONSTRAINT known ON visits_1 IS 'of the partition';
COMMENT ON CONSTRAINT its_own ON visits_1 IS 'of the partition';
COMMENT ON TRIGGER of_id ON visits_1 IS 'of the partition';
CREATE INDEX ON visits_1 ((id::text));
CREATE INDEX ON visits ((id::text));
ALTER INDEX visits_1_id_idx2 ALTER 1 SET STATISTICS 90;
ALTER TABLE visits ADD link text GENERATED ALWAYS AS ('/' || id::text) STORED;
COMMENT ON COLUMN visits_1.link IS 'of the partition';
ALTER TABLE visits_1 ALTER link SET STATISTICS 70;
INSERT INTO visits SELECT uuid_v6_to_v1(uuid_generate_v6()), NULL, 1 + n % 2 FROM generate_series(1, 10) AS n;
COMMENT ON INDEX visits_id_idx IS 'of the table';
COMMENT ON INDEX visits_1_id_idx1 IS 'of the partition';
CREATE VIEW names AS
SELECT inhrelid::regclass AS index, inhparent::regclass AS parent, pg_get_indexdef(inhrelid) AS definition, obj_description(inhrelid, 'pg_class') AS comment
FROM pg_inherits JOIN pg_index ON indexrelid = inhrelid WHERE uuidx_migrate_steps.root(indrelid) = 'visits'::regclass;
CREATE TABLE first_names AS SELECT index::text, parent::text, definition, comment FROM names;
SELECT index, parent, comment FROM first_names ORDER BY parent COLLATE "C", index COLLATE "C";
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('visits', 'id', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT index::text, parent::text, definition, comment FROM names EXCEPT TABLE first_names;
SELECT attrelid::regclass AS of, attstattarget, col_description(attrelid, attnum) AS comment FROM pg_attribute
WHERE attrelid IN ('visits_1'::regclass, 'visits_1_id_idx2'::regclass) AND attstattarget > 0;
SELECT pg_describe_object(classoid, objoid, 0), description FROM pg_description
WHERE classoid IN ('pg_constraint'::regclass, 'pg_trigger'::regclass) AND description = 'of the partition' ORDER BY 1;
SELECT uuid_version(id) AS version, count(*) FROM visits GROUP BY 1;

-- Definitions mean the same, whatever style a session writes values in, and indexes keep their targets for statistics.
CREATE VIEW recent AS SELECT id FROM users
WHERE now() > timestamptz '2020-01-01 00:00 Asia/Kolkata' + interval '-1 day +02:00' AND random() < 0.1234567890123456::float8;
CREATE TABLE recent_before AS SELECT pg_get_viewdef('recent') AS definition;
ALTER INDEX by_text ALTER COLUMN 1 SET STATISTICS 50;
SET datestyle = 'SQL, DMY';
SET timezone = 'Asia/Kolkata';
SET intervalstyle = 'sql_standard';
SET extra_float_digits = -5;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('users', 'id', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SET datestyle = 'ISO';
SET timezone = 'UTC';
RESET intervalstyle;
RESET extra_float_digits;
SELECT definition = pg_get_viewdef('recent') AS is_the_same FROM recent_before;
SELECT attname, attstattarget FROM pg_attribute WHERE attrelid = 'by_text'::regclass AND attnum = 1;
SET client_min_messages = error;
RESET ROLE;
-- What a superuser makes again belongs to whom it belonged before.
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('users', 'id', conversion => 'v6_to_v1', new_default => 'uuid_generate_v1()', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT stxname AS of_others FROM pg_statistic_ext WHERE stxowner <> 'regress_uuidx_owner'::regrole
UNION ALL SELECT matviewname FROM pg_matviews WHERE matviewowner <> 'regress_uuidx_owner';
SELECT DISTINCT uuid_version(id) FROM users;
DROP OWNED BY regress_uuidx_owner CASCADE;
DROP ROLE regress_uuidx_owner;
