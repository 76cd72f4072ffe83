-- What scripts/demo shows. The variable uuidgen names a file of version 1 UUIDs by util-linux.

\set ECHO none
\pset footer off
SET timezone = 'UTC';
SET client_min_messages = warning;

\echo '1. A table whose keys hold the time: a row a minute for a week, and three new ones'
\echo '----------------------------------------------------------------------------------'
\set ECHO queries
CREATE TABLE orders (
    id   uuid PRIMARY KEY DEFAULT uuid_generate_v7() CHECK (uuid_is_v7(id)),
    item text NOT NULL
);

INSERT INTO orders
SELECT uuid_generate_v7_at(now() - n * interval '1 minute'), 'tea'
FROM generate_series(1, 10080) AS n;

INSERT INTO orders (item) VALUES ('bread'), ('cheese'), ('jam');

\set ECHO none
ANALYZE orders;
\echo
\echo '2. The latest rows: the primary key is in the order of time'
\echo '-----------------------------------------------------------'
\set ECHO queries
SELECT id, item, uuid_time(id) AS created
FROM orders ORDER BY uuid_time(id) DESC LIMIT 4;

\set ECHO none
\echo
\echo '3. The rows of a period: a condition on the time uses the primary-key index'
\echo '---------------------------------------------------------------------------'
\set ECHO queries
SELECT count(*) FROM orders WHERE uuid_time(id) > now() - interval '1 hour';

EXPLAIN (COSTS OFF)
SELECT count(*) FROM orders WHERE uuid_time(id) > now() - interval '1 hour';

\set ECHO none
\echo
\echo '4. A key shows when its row was created. Show others a masked one'
\echo '-----------------------------------------------------------------'
\set key '''\\x000102030405060708090a0b0c0d0e0f'''
\set ECHO queries
SELECT item, uuid_encode(uuid_mask(id, :key, 'orders'), 'base58') AS code
FROM orders ORDER BY id DESC LIMIT 3;

\set ECHO none
\echo
\echo '5. Version 1 keys of other implementations: their order is not that of time'
\echo '---------------------------------------------------------------------------'
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
-- The low 32 bits of the timestamp, which come first, are greater in the older example, whatever they are now.
INSERT INTO events VALUES
    ('f81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'the example of RFC 4122'),
    ('c232ab00-9414-11ec-b3c8-9f6bdeced846', 'the example of RFC 9562');
\set ECHO queries
SELECT id, made_by, uuid_time(id) AS created FROM events ORDER BY id;

\set ECHO none
\echo
\echo '6. Altered to version 6: the same UUIDs, in the order of time'
\echo '-------------------------------------------------------------'
\set ECHO queries
ALTER TABLE events ALTER COLUMN id TYPE uuid USING uuid_v1_to_v6(id);

SELECT id, made_by, uuid_time(id) AS created FROM events ORDER BY id;
