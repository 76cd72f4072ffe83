-- What the settings change, and where the generators are
\set SHOW_CONTEXT never
-- Each method orders, and a change of method does not disturb the order.
CREATE TABLE made (n int GENERATED ALWAYS AS IDENTITY, method text, id uuid);
SET uuidx.v7_method = counter;
INSERT INTO made (method, id) SELECT 'counter', uuid_generate_v7() FROM generate_series(1, 1000);
SET uuidx.v7_method = monotonic_random;
INSERT INTO made (method, id) SELECT 'monotonic_random', uuid_generate_v7() FROM generate_series(1, 1000);
SET uuidx.v7_method = precision;
INSERT INTO made (method, id) SELECT 'precision', uuid_generate_v7() FROM generate_series(1, 1000);
INSERT INTO made (method, id) SELECT 'batch', uuid_generate_v7_batch(1000);
INSERT INTO made (method, id) SELECT 'batch in FROM', id FROM uuid_generate_v7_batch(1000) AS id;
INSERT INTO made (method, id) SELECT 'precision', uuid_generate_v7() FROM generate_series(1, 1000);
SELECT method, count(*), count(*) FILTER (WHERE uuid_version(id) = 7) AS of_version_7,
       count(*) FILTER (WHERE abs(extract(epoch FROM uuid_time(id) - clock_timestamp())) < 60) AS of_now
FROM made GROUP BY method ORDER BY min(n);
SELECT count(*) AS not_increasing
FROM (SELECT id <= lag(id) OVER (ORDER BY n) AS wrong FROM made) AS o
WHERE wrong;
DROP TABLE made;
SET uuidx.v7_method = nonsense;
SHOW uuidx.v7_method;

-- The planner knows how many rows a batch has.
EXPLAIN SELECT * FROM uuid_generate_v7_batch(12345);
EXPLAIN SELECT * FROM uuid_generate_v7_batch(NULL);

-- Where rand_a is no fraction, a shift is one of whole milliseconds, rounded down: of two UUIDs made one
-- after the other, nearly always in the same millisecond, the second is one behind
SELECT set_config('uuidx.v7_method', method, false) AS method,
       (SELECT count(*) FROM (SELECT uuid_generate_v7() AS id, uuid_generate_v7('-1 us') AS shifted
                              FROM generate_series(1, 1000) OFFSET 0) AS s
        WHERE uuid_time(shifted) = uuid_time(id) - interval '1 ms') > 900 AS as_asked
FROM (VALUES ('counter'), ('monotonic_random')) AS v (method);
SET uuidx.v7_method = precision;

-- The node of version 6
CREATE TABLE made (n int GENERATED ALWAYS AS IDENTITY, id uuid DEFAULT uuid_generate_v6());
INSERT INTO made SELECT FROM generate_series(1, 1000);
SET uuidx.node = 'RANDOM';
INSERT INTO made SELECT FROM generate_series(1, 1000);
SELECT count(*) AS not_increasing
FROM (SELECT id <= lag(id) OVER (ORDER BY n) AS wrong FROM made) AS o
WHERE wrong;
DROP TABLE made;
SET uuidx.node = 'eth0';
SET uuidx.node = '02:00:5e:10:00';
SET uuidx.node = '';
SHOW uuidx.node;
RESET uuidx.node;

-- A fixed node belongs to one server, and so not into a catalog.
ALTER ROLE CURRENT_USER SET uuidx.node = '02:00:5e:10:00:00';
\echo :LAST_ERROR_SQLSTATE
SELECT format('ALTER DATABASE %I SET uuidx.node = mac', current_database()) \gexec
CREATE FUNCTION of_this_node() RETURNS uuid LANGUAGE sql SET uuidx.node = '02:00:5e:10:00:00' AS 'SELECT uuid_generate_v6()';
-- So does the server's number.
SET uuidx.v7_node_id = 1;
\echo :LAST_ERROR_SQLSTATE
ALTER ROLE CURRENT_USER SET uuidx.v7_node_id = 1;
\echo :LAST_ERROR_SQLSTATE
SHOW uuidx.v7_node_id;

-- What the generators hold, in a session of its own.
\c -
SELECT * FROM uuid_generator_state();
SELECT count(uuid_generate_v7()) FROM generate_series(1, 100);
SELECT uuid_generate_v6() IS NOT NULL;
SELECT method, abs(extract(epoch FROM last_timestamp - clock_timestamp())) < 60 AS of_now, ahead_of_clock, generated
FROM uuid_generator_state();
-- no method is ahead of a clock that advances, whatever its counter holds
SET uuidx.v7_method = counter;
SELECT max(ahead_of_clock), bool_and(last_timestamp <= clock_timestamp()) AS not_later
FROM generate_series(1, 1000) AS n, LATERAL (SELECT uuid_generate_v7() AS id, n OFFSET 0) AS made,
     LATERAL (SELECT s.* FROM uuid_generator_state(CASE WHEN id IS NULL THEN 0 ELSE 7 END) AS s) AS state;
SELECT method, generated FROM uuid_generator_state();
SELECT method, abs(extract(epoch FROM last_timestamp - clock_timestamp())) < 60 AS of_now, ahead_of_clock, generated
FROM uuid_generator_state(6);
SELECT * FROM uuid_generator_state(4);
\echo :LAST_ERROR_SQLSTATE

-- Only roles to which a superuser has granted it change where the server's generators are.
CREATE ROLE regress_uuidx_clerk;
SET ROLE regress_uuidx_clerk;
SELECT uuid_generator_advance(uuid_generate_v7());
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generator_advance(now());
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generator_reset();
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
DROP ROLE regress_uuidx_clerk;
-- Of what nothing is generated, and what is too far ahead, is an error; of nothing, nothing.
SELECT uuid_generator_advance(uuid '00000000-0000-4000-8000-000000000000');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generator_advance(uuid_max(), true);
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generator_advance(uuid '7fffffff-ffff-7fff-bfff-ffffffffffff');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generator_advance(timestamptz '2200-01-01 00:00:00+00');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generator_advance(timestamptz 'infinity', true);
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generator_advance(timestamptz '5236-03-31 21:21:00.684697+00', true);
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generator_advance(NULL::uuid) IS NULL AS of_nothing;
