-- Querying UUIDs by creation time
\set SHOW_CONTEXT never
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

-- What uuid_v7_in and uuid_v6_in mean, on 30,000 pairs: all versions and variants, times around the
-- bounds and around the ends of what the versions hold.
CREATE TEMP TABLE pairs AS
WITH numbers AS (
    SELECT n, ('x' || md5(n::text))::bit(60)::bigint AS random FROM generate_series(1, 30000) AS n),
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
       count(*) FILTER (WHERE uuid_v7_in(id, period)) > 1500 AS v7_in,
       count(*) FILTER (WHERE uuid_version(id) = 7 AND NOT uuid_v7_in(id, period)) > 1500 AS v7_not_in,
       count(*) FILTER (WHERE uuid_v6_in(id, period)) > 1500 AS v6_in,
       count(*) FILTER (WHERE uuid_version(id) = 6 AND NOT uuid_v6_in(id, period)) > 1500 AS v6_not_in,
       count(*) FILTER (WHERE NOT uuid_v7_in(id, period) AND id >= uuid_v7_lower(period)
                                                         AND id <= uuid_v7_upper(period)) > 300 AS between_but_not_v7,
       count(DISTINCT uuid_version(id)) AS versions, count(DISTINCT uuid_variant(id)) AS variants
FROM pairs;

-- What the bounds of a moment mean, on the same: uuid_time(id) compared with it
SELECT count(*) FILTER (WHERE v = 7 AND (id >= uuid_v7_from(m), id >= uuid_v7_after(m)) IS DISTINCT FROM (t >= m, t > m)) AS v7_differ,
       count(*) FILTER (WHERE v = 6 AND (id >= uuid_v6_from(m), id >= uuid_v6_after(m)) IS DISTINCT FROM (t >= m, t > m)) AS v6_differ,
       count(*) FILTER (WHERE v IN (6, 7) AND t = m) > 300 AS some_equal
FROM pairs, LATERAL coalesce(lower(period), upper(period)) AS m, LATERAL uuid_time(id) AS t, LATERAL uuid_version(id) AS v
WHERE m IS NOT NULL;

-- NULL is never in
SELECT uuid_v7_in(NULL, '(,)') IS TRUE AS v7_uuid, uuid_v7_in(uuid_max(), NULL) IS TRUE AS v7_range,
       uuid_v6_in(NULL, '(,)') IS TRUE AS v6_uuid, uuid_v6_in(uuid_max(), NULL) IS TRUE AS v6_range;
