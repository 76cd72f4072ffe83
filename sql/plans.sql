-- Plans of queries by creation time, and their estimates
\set SHOW_CONTEXT never
\pset format wrapped
\pset columns 200
SET timezone = 'UTC';
SET datestyle = 'ISO';

-- A hundred thousand rows in a hundred days:
CREATE TABLE events (id uuid PRIMARY KEY);
INSERT INTO events
SELECT uuid_generate_v7_at(timestamptz '2026-01-01' + n * interval '86.4 s') FROM generate_series(0, 99999) AS n;
VACUUM ANALYZE events;
SET max_parallel_workers_per_gather = 0;

EXPLAIN (COSTS OFF)
SELECT id FROM events WHERE uuid_v7_in(id, '[2026-02-01, 2026-02-02)');
SELECT count(*) FROM events WHERE uuid_v7_in(id, '[2026-02-01, 2026-02-02)');

-- in order, without a sort
EXPLAIN (COSTS OFF)
SELECT id FROM events WHERE uuid_v7_in(id, '[2026-02-01, 2026-02-02)') ORDER BY id LIMIT 20;
EXPLAIN (COSTS OFF)
SELECT id FROM events WHERE uuid_v7_in(id, '[2026-02-01, 2026-02-02)') ORDER BY id DESC LIMIT 20;

-- page by page: what comes after a key
EXPLAIN (COSTS OFF)
SELECT id FROM events WHERE id > '019c167f-cc00-7000-8000-000000000000' ORDER BY id LIMIT 20;

-- rows per hour; by the estimates, a sort costs as much
SET enable_sort = off;
EXPLAIN (COSTS OFF)
SELECT date_bin('1 hour', uuid_time(id), '2026-01-01 00:00:00+00') AS hour, count(*) FROM events
WHERE uuid_v7_in(id, '[2026-02-01, 2026-02-02)') GROUP BY hour;
RESET enable_sort;
SELECT count(*) AS hours, min(rows), max(rows)
FROM (SELECT count(*) AS rows FROM events WHERE uuid_v7_in(id, '[2026-02-01, 2026-02-02)')
      GROUP BY date_bin('1 hour', uuid_time(id), '2026-01-01 00:00:00+00')) AS q;

-- the same in version 6
CREATE TABLE v6_events (id uuid PRIMARY KEY);
INSERT INTO v6_events
SELECT uuid_generate_v6_at(timestamptz '2026-01-01' + n * interval '1 hour') FROM generate_series(0, 9999) AS n;
VACUUM ANALYZE v6_events;
EXPLAIN (COSTS OFF)
SELECT id FROM v6_events WHERE uuid_v6_in(id, '[2026-02-01, 2026-02-02)') ORDER BY id LIMIT 20;
SELECT count(*) FROM v6_events WHERE uuid_v6_in(id, '[2026-02-01, 2026-02-02)');

-- of a time that is not known before the query runs
EXPLAIN (COSTS OFF)
SELECT id FROM events WHERE uuid_v7_in(id, tstzrange(now() - interval '7 days', now()));
SET plan_cache_mode = force_generic_plan;
PREPARE of_period(tstzrange) AS SELECT id FROM events WHERE uuid_v7_in(id, $1);
EXPLAIN (COSTS OFF) EXECUTE of_period('[2026-02-01, 2026-02-02)');
PREPARE between_moments(timestamptz, timestamptz) AS
SELECT count(*) FROM events WHERE uuid_v7_in(id, tstzrange($1, $2));
EXPLAIN (COSTS OFF) EXECUTE between_moments('2026-02-01', '2026-02-02');
EXECUTE between_moments('2026-02-01', '2026-02-02');
RESET plan_cache_mode;

-- of the periods that another table has
CREATE TABLE incidents (n int, period tstzrange);
INSERT INTO incidents VALUES (1, '[2026-01-10, 2026-01-10 01:00)'), (2, '[2026-03-01, 2026-03-01 00:10)');
ANALYZE incidents;
EXPLAIN (COSTS OFF)
SELECT n, count(id) FROM incidents JOIN events ON uuid_v7_in(id, period) GROUP BY n;
SELECT n, count(id) FROM incidents JOIN events ON uuid_v7_in(id, period) GROUP BY n ORDER BY n;

-- A range that is a query is not inlined, and no index serves it; the rows are the same.
SELECT count(*) FROM events WHERE uuid_v7_in(id, (SELECT period FROM incidents WHERE n = 1));

-- Estimates are those of the histogram, whatever is beside the bounds: within a factor of 2.
\set ECHO none \i sql/include/estimate.sql \set ECHO all
CREATE FUNCTION estimate_is_near(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    rows float8;
BEGIN
    EXECUTE format('SELECT count(*) FROM (%s) AS q', query) INTO rows;
    RETURN estimate(query) BETWEEN rows / 2 AND rows * 2;
END
$$;
SELECT period, estimate_is_near(format('SELECT id FROM events WHERE uuid_v7_in(id, %L)', period))
FROM unnest(ARRAY['[2026-01-20, 2026-01-23)', '[2026-02-01, 2026-03-01)', '(,2026-01-11)', '[2026-04-01,)',
                  '(,)']::tstzrange[]) AS period;
ALTER TABLE events ALTER id SET STATISTICS 1000;
ANALYZE events;
SELECT estimate_is_near('SELECT id FROM events WHERE uuid_v7_in(id, ''[2026-01-20, 2026-01-21)'')') AS a_day,
       estimate_is_near('SELECT id FROM events WHERE uuid_v7_in(id, tstzrange(''2026-01-20'', now() - now() + timestamptz ''2026-02-01''))')
           AS stable;

SELECT estimate_is_near('SELECT id FROM v6_events WHERE uuid_v6_in(id, ''[2026-02-01, 2026-04-01)'')') AS v6_two_months;

-- with row security, too
CREATE ROLE regress_uuidx_user;
CREATE POLICY even ON v6_events USING (uuid_variant(id) <> 'ncs');
ALTER TABLE v6_events ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON v6_events TO regress_uuidx_user;
SET ROLE regress_uuidx_user;
EXPLAIN (COSTS OFF)
SELECT id FROM v6_events WHERE uuid_v6_in(id, '[2026-02-01, 2026-02-02)') ORDER BY id LIMIT 20;
RESET ROLE;

-- in a column that has random UUIDs too, of a range with two ends
CREATE TABLE mixed (id uuid PRIMARY KEY);
INSERT INTO mixed SELECT id FROM events WHERE uuid_v7_in(id, '[2026-01-01, 2026-03-01)')
    UNION ALL SELECT gen_random_uuid() FROM generate_series(1, 60000);
ANALYZE mixed;
SELECT estimate_is_near('SELECT id FROM mixed WHERE uuid_v7_in(id, ''[2026-01-20, 2026-02-20)'')') AS a_month;

-- Partitions: pruned when the query is planned, or when it begins
CREATE TABLE readings (id uuid PRIMARY KEY, value int) PARTITION BY RANGE (id);
CREATE TABLE readings_2026_01 PARTITION OF readings
    FOR VALUES FROM (uuid_v7_from('2026-01-01')) TO (uuid_v7_from('2026-02-01'));
CREATE TABLE readings_2026_02 PARTITION OF readings
    FOR VALUES FROM (uuid_v7_from('2026-02-01')) TO (uuid_v7_from('2026-03-01'));
CREATE TABLE readings_2026_03 PARTITION OF readings
    FOR VALUES FROM (uuid_v7_from('2026-03-01')) TO (uuid_v7_from('2026-04-01'));
INSERT INTO readings SELECT id, 1 FROM events WHERE id < uuid_v7_from('2026-04-01');
ANALYZE readings;
SELECT tableoid::regclass, min(uuid_time(id)), max(uuid_time(id)), count(*) FROM readings GROUP BY 1 ORDER BY 1;
EXPLAIN (COSTS OFF)
SELECT count(*) FROM readings WHERE uuid_v7_in(id, '[2026-02-10, 2026-02-11)');
EXPLAIN (COSTS OFF)
SELECT * FROM readings WHERE uuid_v7_in(id, '[2026-02-10,)') ORDER BY id LIMIT 20;
EXPLAIN (COSTS OFF)
SELECT * FROM readings WHERE uuid_v7_in(id, tstzrange(now() - now() + timestamptz '2026-02-10', NULL));
SET plan_cache_mode = force_generic_plan;
PREPARE readings_of(tstzrange) AS SELECT * FROM readings WHERE uuid_v7_in(id, $1);
EXPLAIN (COSTS OFF) EXECUTE readings_of('[2026-02-10, 2026-02-11)');
RESET plan_cache_mode;

-- pg_partman 5 calls its time encoder with a literal, and its decoder with text.
CREATE FUNCTION uuid_time_of_text(text) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN uuid_time($1::uuid);
SELECT format('SELECT %s(%L)', 'uuid_v7_from', timestamptz '2026-04-01') \gexec
SELECT format('SELECT %s(%L)', 'uuid_time_of_text', uuid_v7_from('2026-04-01')) \gexec
SELECT format('SELECT max(%s(%I::text)) FROM readings', 'uuid_time_of_text', 'id') \gexec

DROP TABLE events, v6_events, incidents, mixed, readings;
DROP FUNCTION estimate, estimate_is_near, uuid_time_of_text;
DROP ROLE regress_uuidx_user;

-- The server's own uuid_extract_timestamp() reads versions 1 and 7 before PostgreSQL 20.
SELECT uuid_version(id), uuid_v1_or_v7_recheck(id) FROM unnest(ARRAY[
    'c232ab00-9414-11ec-b3c8-9f6bdeced846', '1ec9414c-232a-6b00-b3c8-9f6bdeced846', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
    '919108f7-52d1-4320-9bac-f847db4148a8', '2489e9ad-2ee2-8e00-8ec9-32d5f69181c0']::uuid[]) AS id;
