-- What scripts/demo shows. The variable uuidgen names a file of version 1 UUIDs by util-linux.

\set ECHO none
\pset footer off
SET timezone = 'UTC';
SET client_min_messages = warning;

\echo '1. A table whose keys are made by uuidx, in the order of time'
\echo '--------------------------------------------------------------'
\set ECHO queries
CREATE TABLE orders (
    id   uuid PRIMARY KEY DEFAULT uuid_generate_v7(),
    item text NOT NULL
);

INSERT INTO orders (item) VALUES ('tea'), ('bread');
\set ECHO none
SELECT pg_sleep(1) \g /dev/null
\set ECHO queries
INSERT INTO orders (item) VALUES ('cheese');

\set ECHO none
\echo
\echo '2. When was each row made? The key tells'
\echo '-----------------------------------------'
\set ECHO queries
SELECT id, item, uuid_time(id) AS created FROM orders ORDER BY id;

SELECT inside.* FROM orders, uuid_inspect(id) AS inside WHERE item = 'cheese' \gx

\set ECHO none
\echo
\echo '3. Version 1 keys of other implementations: their order is not that of time'
\echo '-----------------------------------------------------------------------------'
CREATE EXTENSION "uuid-ossp";
CREATE TABLE events (
    id      uuid PRIMARY KEY,
    made_by text NOT NULL
);
CREATE TEMPORARY TABLE uuidgen (id uuid);
\set copy '\\copy uuidgen FROM ' :'uuidgen'
:copy
INSERT INTO events SELECT id, 'uuidgen --time (util-linux)' FROM uuidgen;
INSERT INTO events
SELECT uuid_generate_v1(), 'uuid_generate_v1() (uuid-ossp)'
FROM generate_series(1, 3), pg_sleep(0.3);
-- and one from a time when the low 32 bits of the timestamp, which come first, were greater
INSERT INTO events VALUES ('f81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'the example of RFC 4122');
\set ECHO queries
SELECT id, made_by, uuid_time(id) AS created FROM events ORDER BY id;

\set ECHO none
\echo
\echo '4. Altered to version 6: the same UUIDs, in the order of time'
\echo '--------------------------------------------------------------'
\set ECHO queries
ALTER TABLE events ALTER COLUMN id TYPE uuid USING uuid_v1_to_v6(id);

SELECT id, made_by, uuid_time(id) AS created FROM events ORDER BY id;
