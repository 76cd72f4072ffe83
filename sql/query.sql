-- Querying UUIDs by creation time
SET timezone = 'UTC';
SET datestyle = 'ISO';

-- The first UUID of a moment or later, and the first after it: version 7 counts milliseconds, version 6 what is here
-- read in microseconds.
SELECT moment, uuid_v7_from(moment) AS v7_from, uuid_v7_after(moment) AS v7_after
FROM unnest(ARRAY['2022-02-22 19:22:22', '2022-02-22 19:22:22.000001', '2022-02-22 19:22:22.000999', '2022-02-22 19:22:22.001',
                  '1970-01-01', '10889-08-02 05:31:50.655']::timestamptz[]) AS moment;
SELECT moment, uuid_v6_from(moment) AS v6_from, uuid_v6_after(moment) AS v6_after
FROM unnest(ARRAY['2022-02-22 19:22:22', '2022-02-22 19:22:22.000001',
                  '1582-10-15', '5236-03-31 21:21:00.684697']::timestamptz[]) AS moment;

-- A moment that the version cannot hold is no error: the first UUID of all, or the Max UUID.
SELECT moment, uuid_v7_from(moment) AS v7_from, uuid_v7_after(moment) AS v7_after
FROM unnest(ARRAY['-infinity', '4713-01-01 BC', '1969-12-31 23:59:59.999999', '10889-08-02 05:31:50.655001',
                  '10889-08-02 05:31:50.656', '294276-12-31', 'infinity']::timestamptz[]) AS moment;
SELECT moment, uuid_v6_from(moment) AS v6_from, uuid_v6_after(moment) AS v6_after
FROM unnest(ARRAY['-infinity', '4713-01-01 BC', '1582-10-14 23:59:59.999999', '5236-03-31 21:21:00.684698',
                  '294276-12-31', 'infinity']::timestamptz[]) AS moment;

-- A literal is a moment, and so are a date and a timestamp. What they mean depends on TimeZone.
SELECT uuid_v7_from('2026-01-01') = uuid_v7_from(timestamptz '2026-01-01') AS v7_from,
       uuid_v6_after('2026-01-01') = uuid_v6_after(timestamptz '2026-01-01') AS v6_after,
       uuid_v7_from(date '2026-01-01') = uuid_v7_from('2026-01-01') AS date,
       uuid_v7_from(timestamp '2026-01-01') = uuid_v7_from('2026-01-01') AS timestamp,
       uuid_v7_lower('[2026-01-01,)') = uuid_v7_from('2026-01-01') AS range;
SELECT uuid_v7_from('no moment');
BEGIN;
SET LOCAL timezone = 'America/New_York';
SELECT uuid_v7_from('2026-01-01') = uuid_v7_from('2026-01-01 05:00:00+00') AS in_new_york;
ROLLBACK;

-- The smallest and the largest UUID of a range: each kind of bound
SELECT period, uuid_time(uuid_v7_lower(period)) AS first, uuid_time(uuid_v7_upper(period)) AS last
FROM unnest(ARRAY[
    '[2026-01-01 00:00:00.001, 2026-01-01 00:00:00.005]',
    '[2026-01-01 00:00:00.001, 2026-01-01 00:00:00.005)',
    '(2026-01-01 00:00:00.001, 2026-01-01 00:00:00.005]',
    '(2026-01-01 00:00:00.001, 2026-01-01 00:00:00.005)',
    '[2026-01-01 00:00:00.001001, 2026-01-01 00:00:00.004999]',
    '(2026-01-01 00:00:00.000999, 2026-01-01 00:00:00.005001)',
    '[2026-01-01 00:00:00.001, 2026-01-01 00:00:00.001]',
    '[2026-01-01,)', '(,2026-01-01)', '(,)', '[-infinity,infinity]', '(-infinity,infinity)',
    '[1969-01-01, 1970-01-01]', '[10889-08-02 05:31:50.655, 20000-01-01]',
    '[4713-01-01 BC, 294276-12-31]']::tstzrange[]) AS period;
SELECT period, uuid_time(uuid_v6_lower(period)) AS first, uuid_time(uuid_v6_upper(period)) AS last,
       uuid_v6_upper(period)
FROM unnest(ARRAY[
    '[2026-01-01 00:00:00.000001, 2026-01-01 00:00:00.000005]',
    '[2026-01-01 00:00:00.000001, 2026-01-01 00:00:00.000005)',
    '(2026-01-01 00:00:00.000001, 2026-01-01 00:00:00.000005]',
    '(2026-01-01 00:00:00.000001, 2026-01-01 00:00:00.000005)',
    '(,)', '[-infinity,infinity]', '[1500-01-01, 1582-10-15]', '[5236-03-31 21:21:00.684697,)'
    ]::tstzrange[]) AS period;

-- Where there is none: bounds that match nothing, and no error
SELECT period, uuid_v7_lower(period), uuid_v7_upper(period)
FROM unnest(ARRAY['empty', '[2026-01-01 00:00:00.001001, 2026-01-01 00:00:00.001999]',
                  '(,1970-01-01)', '[10889-08-02 05:31:50.656,)', '(,-infinity]', '[infinity,)',
                  '[infinity,infinity]', '(2026-01-01, 2026-01-01 00:00:00.000001)']::tstzrange[]) AS period;
SELECT period, uuid_v6_lower(period), uuid_v6_upper(period)
FROM unnest(ARRAY['empty', '(,1582-10-15)', '[5236-03-31 21:21:00.684698,)']::tstzrange[]) AS period;

-- What uuid_v7_in and uuid_v6_in mean, on 100,000 pairs: all versions and variants, times around the
-- bounds and around the ends of what the versions hold.
CREATE TEMP TABLE pairs AS
WITH numbers AS (
    SELECT n, ('x' || md5(n::text))::bit(60)::bigint AS random FROM generate_series(1, 100000) AS n),
moments AS (
    SELECT n, random, random / 1000 AS more,
           (ARRAY['2026-01-01 00:00:00', '2026-01-01 00:00:00.0005', '1970-01-01', '10889-08-02 05:31:50.655',
                  '1582-10-15', '5236-03-31 21:21:00.684697']::timestamptz[])[random % 6 + 1] AS moment,
           ARRAY['0', '0', '1 us', '-1 us', '999 us', '-999 us', '1 ms', '-1 ms', '1001 us', '-1001 us',
                 '1 day', '-1 day', '5000 years', '-2000 years']::interval[] AS near
    FROM numbers),
ranges AS (
    SELECT *, moment + near[more % 14 + 1] AS a, moment + near[more / 14 % 14 + 1] AS b,
           (ARRAY['[]', '[)', '(]', '()'])[more / 196 % 4 + 1] AS bounds
    FROM moments),
made AS (
    SELECT n, random, more,
           CASE more / 784 % 16
               WHEN 0 THEN tstzrange(a, NULL, bounds)
               WHEN 1 THEN tstzrange(NULL, b, bounds)
               WHEN 2 THEN tstzrange('-infinity', b, bounds)
               WHEN 3 THEN tstzrange(a, 'infinity', bounds)
               WHEN 4 THEN 'empty'
               ELSE tstzrange(least(a, b), greatest(a, b), bounds)
           END AS period,
           CASE n % 4
               WHEN 0 THEN uuid_generate_v7_at(least(greatest(moment, '1970-01-01'), '10889-08-02'))
               WHEN 1 THEN uuid_generate_v6_at(least(greatest(moment, '1582-10-15'), '5236-03-31 21:21:00.684697'))
               WHEN 2 THEN (ARRAY[uuid_v7_from(greatest(moment, '1970-01-01')),
                                  uuid_v7_upper(tstzrange('-infinity', greatest(moment, '1970-01-01'), '[]')),
                                  uuid_v6_from(least(moment, '5236-03-31')),
                                  uuid_v6_upper(tstzrange('-infinity', least(moment, '5236-03-31'), '[]'))])[random % 4 + 1]
               ELSE md5(random::text)::uuid
           END AS id
    FROM ranges)
-- Of one in three the version, of one in five the variant is another.
SELECT n, period,
       overlay(overlay(id::text PLACING CASE WHEN n % 3 = 0 THEN to_hex(more % 16) ELSE substr(id::text, 15, 1) END FROM 15)
               PLACING CASE WHEN n % 5 = 0 THEN to_hex(more / 16 % 16) ELSE substr(id::text, 20, 1) END FROM 20)::uuid AS id
FROM made;
SELECT count(*) FILTER (WHERE uuid_v7_in(id, period) IS DISTINCT FROM
                              coalesce(uuid_version(id) = 7 AND uuid_time(id) <@ period, false)) AS v7_differ,
       count(*) FILTER (WHERE uuid_v6_in(id, period) IS DISTINCT FROM
                              coalesce(uuid_version(id) = 6 AND uuid_time(id) <@ period, false)) AS v6_differ,
       count(*) FILTER (WHERE uuid_v7_in(id, period)) > 5000 AS v7_in,
       count(*) FILTER (WHERE uuid_version(id) = 7 AND NOT uuid_v7_in(id, period)) > 5000 AS v7_not_in,
       count(*) FILTER (WHERE uuid_v6_in(id, period)) > 5000 AS v6_in,
       count(*) FILTER (WHERE uuid_version(id) = 6 AND NOT uuid_v6_in(id, period)) > 5000 AS v6_not_in,
       count(*) FILTER (WHERE NOT uuid_v7_in(id, period) AND id >= uuid_v7_lower(period)
                                                         AND id <= uuid_v7_upper(period)) > 1000 AS between_but_not_v7,
       count(DISTINCT uuid_version(id)) AS versions, count(DISTINCT uuid_variant(id)) AS variants
FROM pairs;

-- What the bounds of a moment mean, on the same: uuid_time(id) compared with it
SELECT count(*) FILTER (WHERE v = 7 AND (id >= uuid_v7_from(m), id >= uuid_v7_after(m)) IS DISTINCT FROM (t >= m, t > m)) AS v7_differ,
       count(*) FILTER (WHERE v = 6 AND (id >= uuid_v6_from(m), id >= uuid_v6_after(m)) IS DISTINCT FROM (t >= m, t > m)) AS v6_differ,
       count(*) FILTER (WHERE v IN (6, 7) AND t = m) > 1000 AS some_equal
FROM pairs, LATERAL coalesce(lower(period), upper(period)) AS m, LATERAL uuid_time(id) AS t, LATERAL uuid_version(id) AS v
WHERE m IS NOT NULL;

-- NULL is never in
SELECT uuid_v7_in(NULL, '(,)') IS TRUE AS v7_uuid, uuid_v7_in(uuid_max(), NULL) IS TRUE AS v7_range,
       uuid_v6_in(NULL, '(,)') IS TRUE AS v6_uuid, uuid_v6_in(uuid_max(), NULL) IS TRUE AS v6_range;

-- Plans. A hundred thousand rows in a hundred days:
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
CREATE FUNCTION estimate(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN plan->0->'Plan'->>'Plan Rows';
END
$$;
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

-- The server's own uuid_extract_timestamp() reads versions 1 and 7.
SELECT uuid_version(id), uuid_v1_or_v7_recheck(id) FROM unnest(ARRAY[
    'c232ab00-9414-11ec-b3c8-9f6bdeced846', '1ec9414c-232a-6b00-b3c8-9f6bdeced846', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
    '919108f7-52d1-4320-9bac-f847db4148a8', '2489e9ad-2ee2-8e00-8ec9-32d5f69181c0']::uuid[]) AS id;
