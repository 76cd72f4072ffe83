-- uuidx_pg_uuidv7: pg_uuidv7's own tests first
\set SHOW_CONTEXT never
CREATE EXTENSION uuidx_pg_uuidv7;
SET timezone = 'UTC';
SET datestyle = 'ISO';
SELECT uuid_v7_to_timestamptz('018570bb-4a7d-7c7e-8df4-6d47afd8c8fc');
SELECT uuid_v7_to_timestamp('018570bb-4a7d-7c7e-8df4-6d47afd8c8fc');
SELECT uuid_timestamptz_to_v7('2023-01-02 04:26:40.637+00', true);
SELECT uuid_timestamp_to_v7('2023-01-02 04:26:40.637', true);
SELECT uuid_timestamptz_to_v7('1970-01-01 00:00:00+00', zero => true), uuid_timestamptz_to_v7('10889-08-02 05:31:50.655999+00', zero => true);

-- A moment without time zone is in UTC, whatever TimeZone says.
SET timezone = 'Asia/Kathmandu';
SELECT uuid_v7_to_timestamptz('018570bb-4a7d-7c7e-8df4-6d47afd8c8fc'), uuid_v7_to_timestamp('018570bb-4a7d-7c7e-8df4-6d47afd8c8fc'),
       uuid_timestamp_to_v7('2023-01-02 04:26:40.637', true);
RESET timezone;
SET timezone = 'UTC';

-- The rest is random, or zero.
SELECT count(DISTINCT uuid_timestamptz_to_v7('2023-01-02 04:26:40.637+00')) AS different,
       count(DISTINCT uuid_timestamp_to_v7('2023-01-02 04:26:40.637', false)) AS different_too,
       count(DISTINCT uuid_timestamptz_to_v7('2023-01-02 04:26:40.637+00', true)) AS same,
       bool_and(uuid_v7_to_timestamptz(uuid_timestamptz_to_v7(t)) = date_trunc('milliseconds', t)) AS of_its_time
FROM generate_series(timestamptz '2023-01-02', '2023-01-03', '1 h 3 min 1.234567 s') AS t;

-- Any UUID, and NULL
SELECT uuid_v7_to_timestamptz('ffffffff-ffff-ffff-ffff-ffffffffffff'), uuid_v7_to_timestamptz('00000000-0000-0000-0000-000000000000');
SELECT uuid_timestamptz_to_v7(NULL), uuid_timestamptz_to_v7(NULL, true), uuid_timestamptz_to_v7('2023-01-02', NULL), uuid_v7_to_timestamp(NULL);
SELECT uuid_timestamptz_to_v7('1969-12-31 23:59:59.999+00');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_timestamptz_to_v7('1969-12-31 23:59:59.999+00', true);
SELECT uuid_timestamp_to_v7('infinity');

-- They are declared as in pg_uuidv7 1.6.
SELECT p.oid::regprocedure AS function, pg_get_function_arguments(p.oid) AS arguments, prorettype::regtype AS returns,
       provolatile AS volatility, proisstrict AS strict, proparallel AS parallel
FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid JOIN pg_proc AS p ON p.oid = d.objid
WHERE d.deptype = 'e' AND d.classid = 'pg_proc'::regclass AND e.extname = 'uuidx_pg_uuidv7'
ORDER BY p.oid::regprocedure::text COLLATE "C";

-- So an index serves them, of a moment that is known when the query begins too.
CREATE TABLE events (id uuid PRIMARY KEY, at timestamptz);
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS off) SELECT * FROM events WHERE id >= uuid_timestamptz_to_v7('2023-01-02 00:00:00+00', true) AND id < uuid_timestamp_to_v7('2023-01-03', zero => true);
EXPLAIN (COSTS off) SELECT * FROM events WHERE id >= uuid_timestamptz_to_v7(now() - interval '1 minute');
\set VERBOSITY sqlstate
CREATE INDEX ON events (uuid_timestamptz_to_v7(at, true));
\set VERBOSITY default
DROP TABLE events;
DROP EXTENSION uuidx_pg_uuidv7;
