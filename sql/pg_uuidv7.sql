-- pg_uuidv7's conversions: its own tests first
\set SHOW_CONTEXT never
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

-- An index serves it, and it can be indexed, where its result does not change.
CREATE TABLE events (id uuid PRIMARY KEY, at timestamptz);
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS off) SELECT * FROM events WHERE id >= uuid_timestamptz_to_v7('2023-01-02 00:00:00+00', true) AND id < uuid_timestamp_to_v7('2023-01-03', zero => true);
CREATE INDEX ON events (uuid_timestamptz_to_v7(at, true));
CREATE INDEX ON events (uuid_timestamptz_to_v7(at));
CREATE INDEX ON events (uuid_v7_to_timestamptz(id));
DROP TABLE events;
