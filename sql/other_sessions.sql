-- Scripts that run in another session, with other settings, than the one that wrote them; and tables in several schemas
\set ECHO none \i sql/include/errors.sql \set ECHO all
SET client_min_messages = warning;
CREATE SCHEMA keys;
CREATE SCHEMA others;

-- The definitions that a script makes again have constants.
CREATE TABLE events (id uuid PRIMARY KEY, made timestamptz, data bytea);
CREATE VIEW later AS SELECT id FROM events WHERE made >= '2024-01-01 00:00:00+00'::timestamptz AND data <> '\xff';
INSERT INTO events VALUES ('7d444840-9dc0-11d1-b245-5ffdce74fad2', '2024-01-01 00:00:00+00', '\x00');
SET timezone = 'UTC';
SELECT sql AS script FROM uuidx_migrate.script('events', 'id', conversion => 'v1_to_v6', trust_owners => true) \gset
SET timezone = 'Asia/Tokyo';
SET bytea_output = 'escape';
:script;
SELECT uuid_version(id) FROM later;
RESET timezone;
RESET bytea_output;

-- Two tables of one name: `also` without a schema is in that of the table that is named.
CREATE TABLE keys.items (id uuid PRIMARY KEY, created timestamptz DEFAULT '2026-01-01 00:00:00+00');
CREATE TABLE keys.notes (item uuid);
CREATE TABLE others.uses (item uuid REFERENCES keys.items);
CREATE TABLE others.notes (item uuid);
INSERT INTO keys.items VALUES ('00000000-0000-4000-8000-000000000001');
INSERT INTO others.notes SELECT id FROM keys.items;
INSERT INTO others.uses SELECT id FROM keys.items;
\set call '''others.uses'', ''item'', conversion => ''to_v7'', also => ''{notes.item}'', created => ''created'', trust_owners => true'
SELECT relation, column_name, obstacles FROM uuidx_migrate.plan(:call);
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, mode => 'online') ORDER BY step \gexec
\o \set ECHO all
SELECT count(*) FROM others.notes JOIN others.uses USING (item) JOIN keys.items ON id = item WHERE uuid_is_v7(item);

-- A temporary table is not another one of its name.
CREATE TEMPORARY TABLE notes (item uuid);
SELECT relation = 'pg_temp.notes'::regclass AS is_temporary, o AS obstacle
FROM uuidx_migrate.plan('keys.items', 'id', conversion => 'from_v7', also => '{pg_temp.notes.item}', trust_owners => true), unnest(obstacles) AS o WHERE relation::text ~ 'notes';
DROP TABLE notes;

-- Triggers, and functions that a materialized view calls, find their names as in the session.
SET search_path = others, public;
CREATE TABLE log (subject text);
CREATE FUNCTION write_log() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN INSERT INTO log VALUES (NEW.item); RETURN NULL; END$$;
CREATE FUNCTION logged() RETURNS bigint LANGUAGE plpgsql STABLE AS $$BEGIN RETURN (SELECT count(*) FROM log); END$$;
-- From PostgreSQL 17 on, the server itself refreshes a materialized view without the search_path of the session.
\set ECHO none
SELECT 'ALTER FUNCTION logged() SET search_path = others' WHERE current_setting('server_version_num')::int >= 170000 \gexec
\set ECHO all
CREATE TABLE items (id uuid PRIMARY KEY, created timestamptz DEFAULT '2026-01-01 00:00:00+00');
CREATE TABLE texts (item text);
CREATE MATERIALIZED VIEW counts AS SELECT id, logged() FROM items;
\set call '''items'', ''id'', conversion => ''to_v7'', also => ''{texts.item}'', created => ''created'', trust_owners => true'
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, mode => 'online') WHERE phase ~ '^(check|shadow|fill|validate|key)$' ORDER BY step \gexec
\o \set ECHO all
-- A text comes before its key.
INSERT INTO texts VALUES ('00000000-0000-4000-8000-000000000001');
INSERT INTO items VALUES ('00000000-0000-4000-8000-000000000001');
CREATE TRIGGER write_log AFTER UPDATE ON texts FOR EACH ROW EXECUTE FUNCTION write_log();
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, mode => 'online') ORDER BY step \gexec
\o \set ECHO all
SELECT i.id = t.item::uuid AS is_key, i.id = c.id AS is_counted, c.logged FROM items AS i, texts AS t, counts AS c;
SELECT count(*) FROM log;
-- What is not looked up keeps its table from being finished, also if psql goes on after an error.
INSERT INTO texts (item) VALUES ('00000000-0000-4000-8000-000000000002');
INSERT INTO items (id) VALUES ('00000000-0000-4000-8000-000000000002');
\set ECHO none \set VERBOSITY terse \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, mode => 'finish') WHERE sql NOT LIKE '%look_up_again%' ORDER BY step \gexec
\o \set VERBOSITY default \set ECHO all
SELECT item, item_shadow FROM texts ORDER BY 1;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:call, mode => 'finish') ORDER BY step \gexec
\o \set ECHO all
SELECT count(*) FROM texts JOIN items ON id::text = item;

DROP SCHEMA keys, others CASCADE;
DROP TABLE public.events CASCADE;
