-- Conditions on functions of the creation time, and on sets of times: which of them an index serves, and that the rows
-- are the same
SET timezone = 'UTC';
SET datestyle = 'ISO';
SET enable_seqscan = off;
SET max_parallel_workers_per_gather = 0;
SET jit = off;

-- An hour apart; UUIDs of other versions and without a time; and partitions
CREATE TABLE events (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n serial, kind text);
INSERT INTO events SELECT uuid_generate_v7_at(t) FROM generate_series(timestamptz '2023-06-01', '2026-06-01', '1 hour') AS t;
CREATE TABLE ordered (id uuid, n serial);
INSERT INTO ordered (id) SELECT CASE n % 3 WHEN 0 THEN id WHEN 1 THEN uuid_generate_v6_at(uuid_time(id)) ELSE uuid_v6_to_v1(uuid_generate_v6_at(uuid_time(id))) END FROM events;
INSERT INTO ordered (id) VALUES (NULL), (uuid_max()), ('919108f7-52d1-4320-9bac-f847db4148a8'), (uuid_v6_from('-infinity')), (uuid_v7_upper('[,]'));
CREATE INDEX ON ordered (id uuid_time_ops);
CREATE TABLE parted (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (MINVALUE) TO (uuid_v7_from('2026-01-01'));
CREATE TABLE parted_2 (gone int, n int, id uuid PRIMARY KEY, CONSTRAINT parted_id_check CHECK (uuid_is_v7(id)));
ALTER TABLE parted_2 DROP gone;
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM (uuid_v7_from('2026-01-01')) TO (uuid_v7_from('2026-05-01'));
CREATE TABLE parted_other PARTITION OF parted DEFAULT;
INSERT INTO parted SELECT id, n FROM events;
VACUUM ANALYZE events, ordered, parted;

-- How a condition is served: its bounds are in the index condition, and it is not tested ("bounds"), or is ("and filter").
CREATE FUNCTION served(relation text, condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    query text := format('SELECT n FROM %s WHERE %s', relation, condition);
    line text;
    plan text := '';
    by_time bigint[];
    plain bigint[];
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        plan := plan || line || E'\n';
    END LOOP;
    EXECUTE format('SELECT array_agg(n ORDER BY n) FROM (%s) AS q', query) INTO by_time;
    SET LOCAL uuidx.time_planning = off;
    EXECUTE format('SELECT array_agg(n ORDER BY n) FROM (%s) AS q', query) INTO plain;
    SET LOCAL uuidx.time_planning = on;
    RETURN concat_ws(', ', CASE WHEN plan !~ 'Index Cond' THEN 'not at all' ELSE 'bounds' END,
                     CASE WHEN plan ~ 'Filter: [^\n]*uuid_time\(id\)' THEN 'filter' END,
                     CASE WHEN relation = 'parted' AND plan ~ 'on parted_' AND plan !~ 'on parted_1' THEN 'pruned' END,
                     coalesce(cardinality(plain), 0) || ' rows', CASE WHEN by_time IS DISTINCT FROM plain THEN 'wrong rows' END);
END $$;
CREATE TABLE forms (number serial, condition text);
\copy forms (condition) FROM stdin
uuid_time(id)::date = '2026-02-10'
date(uuid_time(id)) >= '2026-05-28'
'2026-05-28' < date(uuid_time(id))
uuid_time(id)::date BETWEEN '2026-02-10' AND '2026-02-12'
uuid_time(id)::timestamp >= '2026-05-28'
uuid_time(id)::timestamp(0) >= '2026-05-28'
uuid_time(id)::timestamptz(6) >= '2026-05-28'
uuid_time(id)::timestamptz(3) >= '2026-05-28'
uuid_time(id)::timestamptz(0) = '2026-02-10'
(uuid_time(id) AT TIME ZONE 'UTC')::date = '2026-02-10'
(uuid_time(id) AT TIME ZONE 'Europe/Berlin')::date = '2026-02-10'
(uuid_time(id) AT TIME ZONE 'Europe/Berlin')::date = '2026-03-29'
(uuid_time(id) AT TIME ZONE 'Asia/Kolkata')::date = '2026-02-10'
(uuid_time(id) AT TIME ZONE interval '05:30')::date = '2026-02-10'
uuid_time(id) AT TIME ZONE interval '1000 hours' > '2026-07-10'
uuid_time(id) AT TIME ZONE '<+167>-167' > '2026-06-06'
uuid_time(id) AT TIME ZONE 'America/New_York' >= '2026-05-28'
(uuid_time(id) AT TIME ZONE 'America/New_York') AT TIME ZONE 'Europe/Berlin' >= '2026-05-28'
date_trunc('day', uuid_time(id)) = '2026-02-10'
date_trunc('day', uuid_time(id), 'UTC') = '2026-02-10'
date_trunc('month', uuid_time(id), 'UTC') > '2026-02-10'
date_trunc('month', uuid_time(id), 'UTC') < '2023-07-01'
date_trunc('week', uuid_time(id), 'Europe/Berlin') = '2026-02-08 23:00'
date_trunc('month', uuid_time(id) AT TIME ZONE 'Europe/Berlin') = '2026-02-01'
date_trunc('hour', uuid_time(id)::timestamptz(0), 'UTC') = '2026-02-10 10:00'
date_trunc('day', uuid_time(id)) >= current_date - (current_date - date '2026-05-28')
date_bin('1 hour', uuid_time(id), '2000-01-01') = '2026-02-10'
date_bin('1 day', uuid_time(id)::timestamp, '2000-01-01') = '2026-02-10'
extract(year FROM uuid_time(id)) = 2023
date_part('YEAR', uuid_time(id)) > 2025
extract(isoyear FROM uuid_time(id)) = 2023
date_part('year', uuid_time(id) AT TIME ZONE 'UTC')::int = 2023
extract(year FROM uuid_time(id))::int > 2025
extract(epoch FROM uuid_time(id))::bigint >= 1780000000
extract(epoch FROM uuid_time(id))::float8 >= 1780000000
extract(decade FROM uuid_time(id)) < 202
extract(century FROM uuid_time(id)) = 20
extract(millennium FROM uuid_time(id)) = 2
extract(julian FROM uuid_time(id)) > 2461190
extract(epoch FROM uuid_time(id)) >= 1780000000
extract(year FROM uuid_time(id) AT TIME ZONE 'America/New_York') = 2023
extract(year FROM uuid_time(id)::date) = 2023
timestamptz '2026-06-01' - uuid_time(id) < '3 days'
timestamptz '2026-06-01' - uuid_time(id) < '1 month'
uuid_time(id) - timestamptz '2026-06-01' > '-3 days'
uuid_time(id) + interval '30 days' > '2026-06-28'
uuid_time(id) + interval '3 hours' > '2026-05-28'
uuid_time(id) - interval '1 month 2 days 3 hours' > '2026-04-28'
interval '1 year' + uuid_time(id) < '2024-06-20'
uuid_time(id)::date + 7 > '2026-06-01'
uuid_time(id)::date - date '2026-01-01' = 40
date '2026-06-01' - uuid_time(id)::date < 3
uuid_time(id)::date + interval '1 month' > '2026-06-28'
uuid_time(id) IN ('2026-02-10', '2026-01-10', NULL)
uuid_time(id) = ANY (ARRAY[timestamptz '2026-05-29', now() - now() + timestamptz '2026-05-28'])
uuid_time(id) IN ('2026-05-28', '2026-05-28', '2026-05-28')
uuid_time(id) = ANY ('{}'::timestamptz[])
uuid_time(id) = ANY ('{NULL}'::timestamptz[])
uuid_time(id) = ANY (ARRAY(SELECT timestamptz '2026-05-01' + i * interval '1 hour' FROM generate_series(1, 50) AS i))
uuid_time(id)::date IN ('2026-02-10', '2026-01-10')
date_trunc('day', uuid_time(id), 'UTC') = ANY (ARRAY[timestamptz '2026-02-10', '2026-02-11'])
extract(year FROM uuid_time(id)) = ANY ('{2023,2022}')
uuid_time(id) <@ '{[2026-02-10, 2026-02-11), [2026-01-05, 2026-01-06)}'::tstzmultirange
'{[2026-02-10, 2026-02-11), [2026-05-05,)}'::tstzmultirange @> uuid_time(id)
uuid_time(id) <@ '{}'::tstzmultirange
uuid_time(id)::date = '2026-02-10' OR date_trunc('day', uuid_time(id)) = '2026-03-10' AND n % 2 = 0
uuid_time(id) IN ('2026-02-10', '2026-02-11') OR id = '00000000-0000-0000-0000-000000000000'
uuid_time(id) <@ '{[2026-02-10, 2026-02-11), [2026-03-10, 2026-03-11)}'::tstzmultirange OR uuid_time(id) < '2023-06-02'
uuid_time(id)::date > '2026-05-28' AND uuid_time(id)::date < '2026-05-30'
(date_trunc('day', uuid_time(id), 'UTC'), n) < ('2023-06-02', 27)
(uuid_time(id)::date, n) >= ('2026-05-30', 26268)
extract(month FROM uuid_time(id)) = 2
extract(hour FROM uuid_time(id)) > 22
age(timestamptz '2026-06-01', uuid_time(id)) < '3 days'
to_char(uuid_time(id), 'YYYY') = '2023'
uuid_time(id)::date <> '2026-02-10'
NOT uuid_time(id)::date > '2026-02-10'
(uuid_time(id)::date = '2026-02-10') IS TRUE
CASE WHEN n > 10 THEN uuid_time(id)::date = '2026-02-10' END
uuid_time(id)::date = date '2026-02-10' + n % 2
timestamptz '2026-06-01' + n * interval '1 s' - uuid_time(id) < '3 days'
timestamptz '2026-06-01' - uuid_time(id) < n * interval '1 s'
uuid_time(id) = ALL (ARRAY[timestamptz '2026-05-28'])
uuid_time(id)::date < ANY (ARRAY[date '2023-06-02', '2023-06-03'])
uuid_time(id)::date = clock_timestamp()::date
uuid_time(id) AT TIME ZONE 'UTC' > timestamptz '2026-05-28'
\.
-- Thousands of elements
INSERT INTO forms (condition)
SELECT format('uuid_time(id) = ANY (%L)', array_agg(timestamptz '2026-05-01' + n * interval '10 minutes')) FROM generate_series(1, 2000) AS n;
-- More moments than have a range each without looking at the rows between them: far apart, and in threes
INSERT INTO forms (condition)
SELECT format('uuid_time(id) = ANY (%L)', array_agg(timestamptz '2023-06-01' + n * interval '20 days')) FROM generate_series(50, 1, -1) AS n;
INSERT INTO forms (condition)
SELECT format('uuid_time(id) = ANY (%L)', array_agg(timestamptz '2023-06-01' + n * interval '20 days' + k * interval '1 hour'))
FROM generate_series(1, 50) AS n, generate_series(1, 3) AS k;
SELECT left(condition, 95) AS condition, served('events', condition) AS events, served('ordered', condition) AS ordered, served('parted', condition) AS parted
FROM forms ORDER BY number;

-- What is no finite time, date or number, and what no timestamptz can hold
SELECT condition, served('events', condition)
FROM unnest(ARRAY[$$uuid_time(id)::date = 'infinity'$$, $$uuid_time(id)::date > '-infinity'$$, $$uuid_time(id)::date < '5874897-12-31'$$,
                  $$uuid_time(id)::timestamp > '294276-12-31 23:59:59'$$, $$uuid_time(id)::date = NULL$$, $$uuid_time(id)::date = (SELECT date 'infinity')$$,
                  $$date_trunc(NULL, uuid_time(id)) = '2026-02-10'$$, $$date_trunc('day', uuid_time(id)) = 'infinity'$$,
                  $$date_trunc('day', uuid_time(id), 'UTC') < '-infinity'$$, $$date_trunc('day', uuid_time(id)) < date '5874897-12-31'$$,
                  $$date_part('epoch', uuid_time(id)) < 'NaN'$$, $$extract(epoch FROM uuid_time(id)) > 'NaN'$$, $$extract(epoch FROM uuid_time(id)) > 1e30$$,
                  $$date_part('year', uuid_time(id)) > '-infinity'$$, $$extract(year FROM uuid_time(id)) < -1e10$$,
                  $$timestamptz '2026-06-01' - uuid_time(id) < '100000000 years'$$, $$timestamptz '2026-06-01' - uuid_time(id) < NULL$$,
                  $$uuid_time(id)::date + 2000000 > '2026-06-01'$$, $$uuid_time(id)::date - date '5874897-12-31' < 0$$]) AS condition;

-- Errors are raised by the condition, when it comes to a row, and not by bounds.
CREATE FUNCTION error_of(condition text, setting text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('uuidx.time_planning', setting, true);
    EXECUTE 'SELECT n FROM events WHERE ' || condition;
    RETURN 'none';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlerrm;
END $$;
SELECT condition, error_of('kind = ''none'' AND ' || condition, 'on') AS of_no_row,
       error_of(condition, 'on') <> 'none' AS of_rows, error_of(condition, 'on') = error_of(condition, 'off') AS as_before
FROM unnest(ARRAY[$$date_trunc('fortnight', uuid_time(id)) = '2026-02-10'$$, $$date_trunc('timezone', uuid_time(id)) = '2026-02-10'$$,
                  $$date_trunc('day', uuid_time(id), 'Mars/Tharsis') = '2026-02-10'$$, $$uuid_time(id) AT TIME ZONE 'Mars/Tharsis' > '2026-02-10'$$,
                  $$uuid_time(id) AT TIME ZONE interval '1 month' > '2026-02-10'$$, $$date_bin('1 month', uuid_time(id), '2026-01-01') = '2026-02-10'$$,
                  $$date_bin('0', uuid_time(id), '2026-01-01') = '2026-02-10'$$, $$uuid_time(id) + interval '290000 years' > '2026-02-10'$$,
                  $$uuid_time(id) - interval '170000000 years' > '2026-02-10'$$, $$uuid_time(id)::date + 2147483647 > '2026-06-01'$$]) AS condition;

-- Nothing that these functions would say of what no time of a UUID leads to: not computed, so the bound is infinite.
SELECT count(*), count(*) FILTER (WHERE isfinite(b)) AS finite
FROM unnest('{0,1 us,1 day,-1 day,1 month,2000 years,2001 years,-178000000 years,2147483647 days,-2147483647 hours}'::interval[]) AS i,
     unnest('{-infinity,4713-01-02 BC,1499-01-01,1600-01-01,2026-01-01,10999-01-01,294276-12-31 23:59:59,infinity}'::timestamptz[]) AS t,
     unnest(ARRAY[uuid_time_bound('>=(timestamptz,timestamptz)', t, i, 'date_bin(interval,timestamptz,timestamptz)'::regprocedure, t),
                  uuid_time_bound('<=(timestamptz,timestamptz)', t, 'timestamptz_pl_interval(timestamptz,interval)'::regprocedure, i),
                  uuid_time_bound('>=(timestamptz,timestamptz)', t, 'timestamptz_mi_interval(timestamptz,interval)'::regprocedure, i),
                  uuid_time_bound('<=(timestamp,timestamp)', t AT TIME ZONE 'UTC', i, 'timezone(interval,timestamptz)'::regprocedure),
                  uuid_time_bound('<=(interval,interval)', i, t, 'timestamptz_mi(timestamptz,timestamptz)'::regprocedure),
                  uuid_time_bound('<=(interval,interval)', i, 'timestamptz_mi(timestamptz,timestamptz)'::regprocedure, t)]) AS b;
SELECT n, uuid_time_bound('>=(timestamptz,timestamptz)', timestamptz '2026-01-01', 'timestamptz(timestamptz,int4)'::regprocedure, n) AS of_precision,
       uuid_time_bound('>=(date,date)', date '2026-01-01', 'date_mii(date,int4)'::regprocedure, n, 'date(timestamptz)'::regprocedure) AS of_difference
FROM unnest('{-2147483648,-1,0,6,7,732000,732001,2147483647}'::int[]) AS n;
-- Who cancels a query ends the search for a bound, too.
SET statement_timeout = '100ms';
SELECT count(uuid_time_bound('>=(date,date)', date '2026-01-01' + n, 'date(timestamp)'::regprocedure, 'Mars/Tharsis'::text, 'timezone(text,timestamptz)'::regprocedure))
FROM generate_series(1, 100000000) AS n;
RESET statement_timeout;

-- A midnight that comes twice: in Havana, half past midnight truncates to a later moment. Dates that go back: in St John's,
-- it is the 7th, the 6th and the 7th again.
CREATE TABLE nights (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n serial, t timestamptz);
INSERT INTO nights (id, t)
SELECT uuid_generate_v7_at(t), t
FROM unnest('{2013-11-03 05:00,2010-11-07 02:30,2011-12-30 10:00,2013-03-10 05:00}'::timestamptz[]) AS night,
     generate_series(night - interval '30 hours', night + interval '30 hours', '1 minute') AS t;
VACUUM ANALYZE nights;
SELECT date_trunc('day', t, 'America/Havana') > t AS is_later,
       served('nights', format('date_trunc(''day'', uuid_time(id), ''America/Havana'') = %L', date_trunc('day', t, 'America/Havana')))
FROM nights WHERE t = '2013-11-03 00:30-04';
SELECT served('nights', $$(uuid_time(id) AT TIME ZONE 'America/St_Johns')::date = '2010-11-06'$$) AS of_6th,
       served('nights', $$(uuid_time(id) AT TIME ZONE 'America/St_Johns')::date = '2010-11-07'$$) AS of_7th;
SELECT served('nights', $$(uuid_time(id) AT TIME ZONE 'Pacific/Apia')::date = '2011-12-30'$$) AS day_without_hours,
       served('nights', $$(uuid_time(id) AT TIME ZONE 'Pacific/Apia')::date = '2011-12-31'$$) AS next_day;
-- A clock that is set back by two weeks
SELECT served('nights', $$date_trunc('week', uuid_time(id), 'AAA-167BBB167,J313/0,J322/0') >= '2013-11-01'$$) AS week,
       served('nights', $$(uuid_time(id) AT TIME ZONE 'AAA-167BBB167,J311/0,J320/0')::date = '2010-11-07'$$) AS day;

-- The zone of the session when the plan runs decides, and not that when it was made.
SET plan_cache_mode = force_generic_plan;
PREPARE of_day(date) AS SELECT count(*), min(uuid_time(id)), max(uuid_time(id)) FROM events WHERE uuid_time(id)::date = $1;
PREPARE of_february AS
SELECT count(*), min(uuid_time(id)), max(uuid_time(id)) FROM events WHERE date_trunc('month', uuid_time(id)::timestamp) = '2026-02-01';
\pset format wrapped
\pset columns 200
EXPLAIN (COSTS OFF) EXECUTE of_day('2026-02-10');
\pset format aligned
EXECUTE of_day('2026-02-10');
EXECUTE of_february;
SET timezone = 'Asia/Tokyo';
EXECUTE of_day('2026-02-10');
EXECUTE of_february;
-- Half past two does not exist on that day, and is taken for a later moment than three.
SET timezone = 'Europe/Berlin';
PREPARE of_times(timestamp[]) AS SELECT min(uuid_time(id)), max(uuid_time(id)) FROM events WHERE uuid_time(id) = ANY ($1);
EXECUTE of_times('{2026-03-29 02:30,2026-03-29 03:00}');
-- In this zone, +03 is three hours ahead, from PostgreSQL 18 on; elsewhere it is three hours behind.
SET timezone = 'Europe/Istanbul';
PREPARE of_hours AS SELECT count(*) FROM events WHERE uuid_time(id) AT TIME ZONE '+03' < '2023-07-01';
EXECUTE of_hours \gset istanbul_
SET timezone = 'UTC';
EXECUTE of_hours \gset utc_
SET uuidx.time_planning = off;
SELECT :utc_count = count(*) AS as_without FROM events WHERE uuid_time(id) AT TIME ZONE '+03' < '2023-07-01';
RESET uuidx.time_planning;
RESET plan_cache_mode;

-- Estimates are those of the bounds.
\set ECHO none \i sql/include/estimate.sql \set ECHO all
SELECT relation, condition, estimate(format('SELECT n FROM %s WHERE %s', relation, condition)) BETWEEN rows / 1.5 - 3 AND rows * 1.5 + 3 AS is_near
FROM unnest(ARRAY['events', 'parted']) AS relation,
     unnest(ARRAY[$$uuid_time(id)::date = '2026-02-10'$$, $$date_trunc('month', uuid_time(id)) = '2026-02-01'$$, $$extract(year FROM uuid_time(id)) = 2025$$,
                  $$(uuid_time(id) AT TIME ZONE 'Europe/Berlin')::date = '2026-03-29'$$, $$date_trunc('day', uuid_time(id)) >= '2026-05-01'$$,
                  $$uuid_time(id)::date = '2026-02-10' AND uuid_time(id)::date >= '2026-02-10'$$, $$uuid_time(id)::date IN ('2026-02-10', '2026-02-11')$$,
                  $$uuid_time(id)::date IN ('2023-07-10', '2026-02-11')$$,
                  $$uuid_time(id) >= '2026-05-20' AND (uuid_time(id)::date = '2026-05-25' OR uuid_time(id)::date = '2026-05-30')$$,
                  $$uuid_time(id) <@ '{[2026-05-02, 2026-05-04), [2026-05-05,)}'::tstzmultirange$$]) AS condition,
     LATERAL (SELECT substring(served(relation, condition) FROM '(\d+) rows')::float8 AS rows) AS r;
SELECT estimate(format('SELECT n FROM events WHERE uuid_time(id) = ANY (%L)', array_agg(timestamptz '2023-06-01' + n * interval '20 days' + k * interval '1 hour')))
       BETWEEN 100 AND 200 AS of_threes
FROM generate_series(1, 50) AS n, generate_series(1, 3) AS k;
SELECT estimate($$SELECT n FROM events WHERE uuid_time(id)::date = '2026-02-10' OR uuid_time(id)::date = '2026-03-10' AND n > 0$$) BETWEEN 40 AND 60 AS of_disjunction;

SELECT estimate($$SELECT n FROM events WHERE uuid_time(id) > '2026-05-20' OR (uuid_time(id) = '2026-05-20' AND n > 0)$$) BETWEEN 250 AND 320 AS of_page;

\set ECHO none \i sql/include/plan_of.sql \set ECHO all
\pset tuples_only on
\pset format unaligned
-- A page after a row, as libraries write it that do not compare rows: all arms have a bound in one direction.
SELECT plan_of($$SELECT n FROM events WHERE uuid_time(id) < '2026-02-10' OR (uuid_time(id) = '2026-02-10' AND n < 5)
    ORDER BY uuid_time(id) DESC, n DESC LIMIT 3$$);
SELECT plan_of($$SELECT n FROM events WHERE kind = 'a' AND (uuid_time(id)::date > '2026-02-10' OR (uuid_time(id) >= '2026-02-10' AND n > 5)
    OR uuid_time(id) BETWEEN '2026-02-08' AND '2026-02-09') ORDER BY id LIMIT 3$$);
SELECT plan_of($$SELECT n FROM events WHERE uuid_time(id) < now() - interval '1 day' OR (uuid_time(id) = now() - interval '1 day' AND n < 5)
    ORDER BY id DESC LIMIT 3$$);
SELECT plan_of($$SELECT n FROM events WHERE uuid_time(id) < '2026-02-10' OR (uuid_time(id) > '2026-02-10' AND n < 5) ORDER BY id DESC LIMIT 3$$);
SELECT plan_of($$SELECT n FROM events WHERE uuid_time(id) < '2026-02-10' OR n < 5 ORDER BY id DESC LIMIT 3$$);
SELECT plan_of($$SELECT n FROM parted WHERE uuid_time(id) < '2026-02-10' OR (uuid_time(id) = '2026-02-10' AND n < 5)$$);
-- Partitions: the bounds of all arms, and of all elements, stand beside the OR, which the parent has. Without such bounds,
-- the partitions decide for themselves.
SELECT plan_of($$SELECT n FROM parted WHERE uuid_time(id) BETWEEN '2026-02-08' AND '2026-02-09' OR uuid_time(id) BETWEEN '2026-03-08' AND '2026-03-09'$$);
SELECT plan_of($$SELECT n FROM parted WHERE uuid_time(id) IN ('2026-02-10', '2026-03-10')$$);
SELECT plan_of($$SELECT n FROM parted WHERE uuid_time(id) < '2023-06-10' OR uuid_time(id) > '2026-05-30'$$);
-- IS NOT NULL beside an OR without bounds: PostgreSQL 18.3 would leave out the default partition, if the parent had arms.
SELECT count(*) FROM parted WHERE id IS NOT NULL AND (uuid_time(id) < '2023-06-10' OR uuid_time(id) > '2026-05-30');

-- Sorts look through what keeps the order.
SELECT plan_of($$SELECT n FROM events ORDER BY uuid_time(id)::timestamptz(6) DESC LIMIT 3$$);
SELECT plan_of($$SELECT n FROM events ORDER BY uuid_time(id)::timestamptz(0) LIMIT 3$$);
SELECT plan_of($$SELECT n FROM events ORDER BY uuid_time(id) AT TIME ZONE 'UTC' DESC, id DESC LIMIT 3$$);
SELECT plan_of($$SELECT max((uuid_time(id) AT TIME ZONE interval '02:00')::date) FROM events$$);
SELECT plan_of($$SELECT date_trunc('day', uuid_time(id), 'UTC') AS day, count(*) FROM events GROUP BY day ORDER BY day LIMIT 3$$);
SELECT plan_of($$SELECT n FROM events ORDER BY uuid_time(id) AT TIME ZONE 'Europe/Berlin', id LIMIT 3$$);
SELECT plan_of($$SELECT n FROM events ORDER BY uuid_time(id)::timestamp, id LIMIT 3$$);
SELECT plan_of($$SELECT n FROM events ORDER BY timestamptz '2026-06-01' - uuid_time(id), id DESC LIMIT 3$$);
SELECT plan_of($$SELECT n FROM events ORDER BY (uuid_time(id) AT TIME ZONE 'UTC') + interval '1 month', id LIMIT 3$$);

-- The function that computes bounds has none for what it does not know. It is LEAKPROOF, so it raises no error.
SELECT uuid_time_bound('>=(date,date)', date '2026-02-10', 'date(timestamptz)'::regprocedure);
-- Functions that do not take what the next one returns, in a call that somebody writes
SELECT uuid_time_bound('<(int4,int4)', 5, 'int4(numeric)'::regprocedure, 'date(timestamptz)'::regprocedure) AS of_a_date,
       uuid_time_bounds_are_exact('<(int4,int4)', 5, 'int4(numeric)'::regprocedure, 'date(timestamptz)'::regprocedure) AS exact,
       uuid_time_bound('<(int4,int4)', 5, 'int4(numeric)'::regprocedure) AS of_no_time,
       uuid_time_bound('<(timestamp,timestamp)', timestamp '2026-02-10', 'date_trunc(text,timestamp)'::regprocedure) AS of_no_text,
       uuid_time_bound('<(timestamp,timestamp)', timestamp '2026-02-10', text 'day', 'date_trunc(text,timestamp)'::regprocedure) AS of_another_time;
-- PL/pgSQL calls it with another value in the same place.
DO $$
DECLARE
    day date := '2026-01-01';
    bound timestamptz;
BEGIN
    FOR n IN 1..3 LOOP
        day := day + 1;
        bound := uuid_time_bound('>=(date,date)', day, 'date(timestamptz)'::regprocedure);
        RAISE NOTICE '%', bound;
    END LOOP;
END $$;
SELECT uuid_time_bound('>=(date,date)', '{2026-02-12,NULL,2026-02-10}'::date[], 'date(timestamptz)'::regprocedure);
SELECT uuid_time_bound('>=(date,date)', '{NULL}'::date[], 'date(timestamptz)'::regprocedure) IS NULL;
SELECT uuid_time_bound('=(date,date)', date '2026-02-10', 'date(timestamptz)'::regprocedure),
       uuid_time_bounds_are_exact('=(date,date)', date '2026-02-10', 'date(timestamptz)'::regprocedure),
       uuid_time_bounds_are_exact('=(date,date)', '{2026-02-10}'::date[], 'date(timestamptz)'::regprocedure);
SELECT uuid_time_bound('>=(date,date)', timestamp '2026-02-10', 'date(timestamptz)'::regprocedure) AS other_type,
       uuid_time_bound('>=(date,date)', date '2026-02-10', 'date_trunc(text,timestamptz)'::regprocedure) AS arguments_lacking,
       uuid_time_bounds_are_exact('>=(int4,int4)', 1, 'pg_sleep(float8)'::regprocedure) AS other_function,
       uuid_time_bound('>=(date,date)', date '2026-02-10', 'day') AS no_function,
       uuid_time_bound('>=(date,date)', date '2026-02-10', 0::regprocedure) AS function_0,
       uuid_time_bound(0, date '2026-02-10', 'date(timestamptz)'::regprocedure) AS operator_0,
       uuid_time_bound(0, timestamptz '2026-02-10') AS operator_0_of_time,
       uuid_time_bound('-(NONE,int4)', timestamptz '2026-02-10') AS unary;

DROP TABLE events, ordered, parted, forms, nights;
DROP FUNCTION served, error_of, estimate, plan_of;
