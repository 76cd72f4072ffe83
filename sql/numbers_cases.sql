-- Numbers become version 7: all numbers of a type, several keys of a view, obstacles and mistakes
\set ECHO none \i sql/include/migration.sql \set ECHO all
CREATE SCHEMA numbers;
SET search_path = numbers, public;

-- Offline, the number of a serial key keeps its default and its sequence, and an undo gives them back.
CREATE TABLE counted (id serial PRIMARY KEY, n int);
INSERT INTO counted (n) VALUES (1), (2);
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('counted', 'id', 'offline', 'bigint_to_v7', rows_without_time => 'epoch') ORDER BY step \gexec
\o \set ECHO all
INSERT INTO counted (n) VALUES (3);
SELECT id_shadow, n, uuid_version(id), pg_get_serial_sequence('counted', 'id'), pg_get_serial_sequence('counted', 'id_shadow') FROM counted ORDER BY n;
-- What came to depend on the number is in the way of the undo.
CREATE UNIQUE INDEX by_number ON counted (id_shadow);
ALTER TABLE counted ADD CONSTRAINT positive CHECK (id_shadow > 0);
CREATE TABLE of_number (number int REFERENCES counted (id_shadow));
CREATE VIEW numbered AS SELECT id_shadow AS number, n FROM counted;
SELECT * FROM pg_temp.obstacles($$plan('counted', 'id', 'offline', 'v7_to_bigint')$$);
DROP VIEW numbered;
DROP TABLE of_number;
ALTER TABLE counted DROP CONSTRAINT positive;
DROP INDEX by_number;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('counted', 'id', 'offline', 'v7_to_bigint') ORDER BY step \gexec
\o \set ECHO all
INSERT INTO counted (n) VALUES (4);
SELECT id, n, pg_get_serial_sequence('counted', 'id') FROM counted ORDER BY n;

-- A table of all positive smallint keys, serial, which is given up once; then the number goes.
CREATE TABLE small (id smallserial PRIMARY KEY);
CREATE TABLE uses (n int, small smallint NOT NULL UNIQUE REFERENCES small DEFERRABLE INITIALLY DEFERRED);
INSERT INTO small SELECT FROM generate_series(1, 32767);
INSERT INTO uses SELECT id, id FROM small;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('small', 'id', 'online', 'bigint_to_v7', rows_without_time => 'epoch') WHERE phase NOT IN ('cutover', 'after') ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('small', 'id', 'finish', 'v7_to_bigint') ORDER BY step \gexec
\o \set ECHO all
\d small
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('small', 'id', 'online', 'bigint_to_v7', rows_without_time => 'epoch') ORDER BY step \gexec
\o \set ECHO all
SELECT count(*) AS uses, count(*) FILTER (WHERE u.n = s.id_shadow AND u.small_shadow = s.id_shadow) AS right_ FROM uses AS u JOIN small AS s ON s.id = u.small;
-- All numbers are taken. Without the default, new rows have none, nor have those that reference them.
INSERT INTO small DEFAULT VALUES;
\echo :LAST_ERROR_SQLSTATE
ALTER TABLE small ALTER id_shadow DROP DEFAULT, ALTER id_shadow DROP NOT NULL;
BEGIN;
INSERT INTO uses (n, small) VALUES (0, '018c2e65-4b7d-7000-8000-000000000000'), (1, '018c2e65-4b7d-7000-8000-000000000001');
INSERT INTO small (id) VALUES ('018c2e65-4b7d-7000-8000-000000000000'), ('018c2e65-4b7d-7000-8000-000000000001');
COMMIT;
SELECT * FROM uses WHERE small_shadow IS NULL;
SELECT sql AS check_ FROM uuidx_migrate.script('small', 'id', 'online', 'v7_to_bigint') WHERE sql LIKE '%check_numbers%uses%' \gset
:check_;
\echo :LAST_ERROR_SQLSTATE
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('small', 'id', 'finish', 'bigint_to_v7') ORDER BY step \gexec
\o \set ECHO all
\d small
\d uses
SELECT count(*) FROM uses AS u JOIN small AS s ON s.id = u.small;
DROP TABLE small, uses;

-- Several keys, whose view is made again in the cutover of each, and a table that is newer than the view
CREATE TABLE first (id int PRIMARY KEY, n int);
CREATE TABLE second (id int PRIMARY KEY, n int);
CREATE TABLE pairs (first int REFERENCES first, second int REFERENCES second, n int);
CREATE VIEW shown AS SELECT first, second, n FROM pairs;
CREATE TABLE later (second int REFERENCES second, n int);
INSERT INTO first SELECT n, n FROM generate_series(1, 3) AS n;
INSERT INTO second TABLE first;
INSERT INTO pairs SELECT n, n, n FROM first;
INSERT INTO later TABLE second;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.keys_script('{numbers}', 'online', 'bigint_to_v7', rows_without_time => 'epoch')
ORDER BY step \gexec
\o \set ECHO all
SELECT count(*) FILTER (WHERE (f.n, s.n, l.n) = (v.n, v.n, v.n)) AS right_, count(*)
FROM shown AS v JOIN first AS f ON f.id = v.first JOIN second AS s ON s.id = v.second
JOIN later AS l ON l.second = s.id;
DROP TABLE first, second, pairs, later CASCADE;

-- What stands in the way, and mistakes
CREATE TABLE keys (id int PRIMARY KEY, n int DEFAULT 1, CHECK (id > 0), created timestamptz);
CREATE TABLE uses (k int DEFAULT 1 + 1 REFERENCES keys);
CREATE VIEW shown AS SELECT id + 1 AS next FROM keys;
CREATE INDEX keys_remainder ON keys ((id % 10));
CREATE POLICY p ON keys USING (id > 10);
SELECT * FROM pg_temp.obstacles($$plan('keys', 'id', conversion => 'bigint_to_v7', created => 'created')$$);
SELECT * FROM pg_temp.errors(
    $$SELECT * FROM uuidx_migrate.script('keys', 'n', conversion => 'to_v7')$$,
    $$SELECT * FROM uuidx_migrate.script('keys', 'id', conversion => 'bigint_to_v7', namespace => '')$$,
    $$SELECT * FROM uuidx_migrate.script('keys', 'id', conversion => 'bigint_to_v7', other_values => 'keep')$$);
SELECT * FROM uuidx_migrate.find_references('keys', 'id');
\echo :LAST_ERROR_SQLSTATE
DROP TABLE keys, uses CASCADE;
CREATE TABLE keys (id uuid PRIMARY KEY);
SELECT * FROM pg_temp.errors(
    $$SELECT * FROM uuidx_migrate.script('keys', 'id', conversion => 'to_v7', namespace => 'shop:')$$,
    $$SELECT * FROM uuidx_migrate.script('keys', 'id', 'finish', 'to_v7', keep_number => 'number')$$,
    $$SELECT * FROM uuidx_migrate.script('keys', 'id', conversion => 'v7_to_bigint')$$);

SET client_min_messages = error;
DROP SCHEMA numbers CASCADE;
