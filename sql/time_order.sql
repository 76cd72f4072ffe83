-- uuid_time_ops: the order of UUIDs of all versions by the time inside them
SET timezone = 'UTC';
SET datestyle = 'ISO';
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'uuid_time_ops';

-- By the time, whatever the version; those without a time after all others, by their octets
CREATE TABLE mixed (id uuid);
INSERT INTO mixed VALUES
    ('c232ab00-9414-11ec-b3c8-9f6bdeced846'), ('1ec9414c-232a-6b00-b3c8-9f6bdeced846'),
    ('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'), ('919108f7-52d1-4320-9bac-f847db4148a8'),
    ('00000000-0000-0000-0000-000000000000'), (uuid_max()), (NULL),
    (uuid_v7_from('2022-02-22 19:22:22.001')), (uuid_v6_from('2022-02-22 19:22:21.999999')),
    (uuid_v6_to_v1(uuid_v6_upper('[2022-02-22 19:22:22.000001, 2022-02-22 19:22:22.000001]'))), (uuid_v7_upper('[2010-01-01, 2010-01-01]')),
    (uuid_v6_to_v1(uuid_v6_from('2035-01-01'))), ('c232ab00-9414-71ec-13c8-9f6bdeced846');
SELECT id, uuid_version(id), uuid_time(id) FROM mixed ORDER BY id USING <~;
SELECT id FROM mixed ORDER BY id USING >~ LIMIT 3;

-- Two UUIDs compare as their times and octets do, and a UUID and a bound as its time and the bound's moment.
CREATE TABLE pairs AS
WITH numbers AS (
    SELECT n, ('x' || md5(n::text))::bit(60)::bigint AS random FROM generate_series(1, 20000) AS n),
moments AS (
    SELECT n, random,
           (ARRAY['2026-01-01 00:00:00', '1970-01-01', '10889-08-02 05:31:50.655', '1582-10-15',
                  '5236-03-31 21:21:00.684697']::timestamptz[])[random % 5 + 1] AS moment,
           (ARRAY['0', '0', '1 us', '-1 us', '999 us', '-999 us', '1 ms', '-1 ms', '1 day', '-1 day',
                  '5000 years', '-3000 years']::interval[])[random / 10 % 12 + 1] AS near
    FROM numbers),
made AS (
    SELECT n, random, CASE n % 100 WHEN 98 THEN 'infinity' WHEN 99 THEN '-infinity' ELSE moment + near END AS moment,
           CASE n % 5
               WHEN 0 THEN uuid_generate_v7_at(least(greatest(moment, '1970-01-01'), '10889-08-02'))
               WHEN 1 THEN uuid_generate_v6_at(least(moment, '5236-03-31 21:21:00.684697'))
               WHEN 2 THEN uuid_v6_to_v1(uuid_generate_v6_at(least(moment, '5236-03-31 21:21:00.684697')))
               WHEN 3 THEN uuid_v6_to_v1((ARRAY[uuid_v6_from(least(moment, '5236-03-31')),
                                                uuid_v6_upper(tstzrange(least(moment, '5236-03-31'), least(moment, '5236-03-31'), '[]'))])[random % 2 + 1])
               ELSE md5(random::text)::uuid
           END AS id
    FROM moments)
SELECT n, id, moment, lag(id, 1, uuid_max()) OVER (ORDER BY random) AS other FROM made;
SELECT count(*) FILTER (WHERE (id <~ uuid_time_from(moment)) IS DISTINCT FROM coalesce(t < moment, false)) AS lt,
       count(*) FILTER (WHERE (id <~ uuid_time_after(moment)) IS DISTINCT FROM coalesce(t <= moment, false)) AS le,
       count(*) FILTER (WHERE (id >=~ uuid_time_from(moment)) IS DISTINCT FROM coalesce(t >= moment, true)) AS ge,
       count(*) FILTER (WHERE (id >=~ uuid_time_after(moment)) IS DISTINCT FROM coalesce(t > moment, true)) AS gt,
       count(*) FILTER (WHERE t < moment) > 1000 AS some_before,
       count(*) FILTER (WHERE t > moment) > 1000 AS some_after,
       count(*) FILTER (WHERE t = moment) > 1000 AS some_at
FROM pairs, LATERAL uuid_time(id) AS t;
SELECT count(*) FILTER (WHERE t <> u AND (id <~ other) <> (t < u)) AS by_time,
       count(*) FILTER (WHERE (t IS NULL) <> (u IS NULL) AND (id <~ other) <> (t IS NOT NULL)) AS without_time_last,
       count(*) FILTER (WHERE t IS NULL AND u IS NULL AND (id <~ other) <> (id < other)) AS by_octets,
       count(*) FILTER (WHERE (id <=~ other) IS DISTINCT FROM (id <~ other OR id = other)) AS le,
       count(*) FILTER (WHERE (id >=~ other) IS DISTINCT FROM NOT (id <~ other)) AS ge,
       count(*) FILTER (WHERE (id >~ other) IS DISTINCT FROM NOT (id <=~ other)) AS gt,
       count(*) FILTER (WHERE uuid_time_cmp(id, other) <> (id >~ other)::int - (id <~ other)::int) AS cmp
FROM pairs, LATERAL uuid_time(id) AS t, LATERAL uuid_time(other) AS u;

-- A sort, which compares abbreviated keys first, agrees with the operators.
SELECT count(*) AS sorted, count(*) FILTER (WHERE id >~ next) AS wrong
FROM (SELECT id, lead(id) OVER (ORDER BY id USING <~) AS next FROM pairs) AS q;

-- An index on version 1 keys: by time, in order, between bounds and after a UUID
CREATE TABLE orders (id uuid NOT NULL);
INSERT INTO orders
SELECT uuid_v6_to_v1(uuid_generate_v6_at(timestamptz '2026-01-01' + n * interval '8.64 s'))
FROM generate_series(0, 99999) AS n;
CREATE UNIQUE INDEX orders_by_time ON orders (id uuid_time_ops);
VACUUM ANALYZE orders;
EXPLAIN (COSTS OFF)
SELECT id FROM orders WHERE id >=~ uuid_time_from('2026-01-03') AND id <~ uuid_time_from('2026-01-04') ORDER BY id USING <~ LIMIT 20;
EXPLAIN (COSTS OFF)
SELECT count(*) FROM orders WHERE id >=~ uuid_time_after('2026-01-03') AND id <~ uuid_time_after('2026-01-04');
SELECT count(*) FROM orders WHERE id >=~ uuid_time_after('2026-01-03') AND id <~ uuid_time_after('2026-01-04');
EXPLAIN (COSTS OFF)
SELECT id FROM orders WHERE id >=~ uuid_time_from(now() - interval '1 day') ORDER BY id USING >~ LIMIT 20;
EXPLAIN (COSTS OFF)
SELECT id FROM orders WHERE id = 'c232ab00-9414-11ec-b3c8-9f6bdeced846';
EXPLAIN (COSTS OFF)
SELECT id FROM orders WHERE id >~ 'c232ab00-9414-11ec-b3c8-9f6bdeced846' ORDER BY id USING <~ LIMIT 20;

-- or an index on the time itself
CREATE INDEX orders_time ON orders (uuid_time(id));
ANALYZE orders;
EXPLAIN (COSTS OFF)
SELECT id FROM orders WHERE uuid_time(id) >= '2026-01-03' AND uuid_time(id) < '2026-01-04' ORDER BY uuid_time(id) LIMIT 20;
DROP INDEX orders_time;

-- with row security, too
CREATE ROLE regress_uuidx_user;
CREATE POLICY readable ON orders USING (uuid_variant(id) <> 'ncs');
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON orders TO regress_uuidx_user;
SET ROLE regress_uuidx_user;
EXPLAIN (COSTS OFF)
SELECT id FROM orders WHERE id >=~ uuid_time_from('2026-01-03') AND id <~ uuid_time_from('2026-01-04') ORDER BY id USING <~ LIMIT 20;
RESET ROLE;

-- equal keys are kept once
CREATE TABLE duplicates AS SELECT id FROM orders, generate_series(1, 50) ORDER BY id LIMIT 100000;
CREATE INDEX duplicates_by_time ON duplicates (id uuid_time_ops);
SELECT pg_relation_size('duplicates_by_time') < pg_relation_size('orders_by_time') / 2 AS deduplicated;

-- The estimate, though the histogram is in another order
\set ECHO none \i sql/include/estimate.sql \set ECHO all
SELECT estimate('SELECT id FROM orders WHERE id >=~ uuid_time_from(''2026-01-03'') AND id <~ uuid_time_from(''2026-01-06'')')
       BETWEEN 15000 AND 60000 AS three_days;

-- Partitions by time of version 1
CREATE TABLE logs (id uuid) PARTITION BY RANGE (id uuid_time_ops);
CREATE TABLE logs_2026_01 PARTITION OF logs FOR VALUES FROM (uuid_time_from('2026-01-01')) TO (uuid_time_from('2026-02-01'));
CREATE TABLE logs_2026_02 PARTITION OF logs FOR VALUES FROM (uuid_time_from('2026-02-01')) TO (uuid_time_from('2026-03-01'));
INSERT INTO logs SELECT id FROM orders WHERE id <~ uuid_time_from('2026-01-11');
INSERT INTO logs VALUES (uuid_generate_v7_at('2026-02-28 23:59:59.999'));
EXPLAIN (COSTS OFF) SELECT * FROM logs WHERE id >=~ uuid_time_from('2026-02-01');
SELECT tableoid::regclass, count(*) FROM logs GROUP BY 1 ORDER BY 1;

-- The index is sound, also after REINDEX and in another schema.
CREATE EXTENSION amcheck;
CREATE INDEX mixed_by_time ON pairs (id uuid_time_ops);
SELECT bt_index_check('orders_by_time', true), bt_index_parent_check('mixed_by_time', true, true);
REINDEX INDEX mixed_by_time;
SELECT bt_index_parent_check('mixed_by_time', true, true);
CREATE SCHEMA regress_uuidx;
ALTER EXTENSION uuidx SET SCHEMA regress_uuidx;
INSERT INTO pairs (id) SELECT regress_uuidx.uuid_generate_v7() FROM generate_series(1, 1000);
REINDEX INDEX mixed_by_time;
SELECT bt_index_parent_check('mixed_by_time', true, true);
SELECT pg_get_indexdef('mixed_by_time'::regclass);
SELECT id OPERATOR(regress_uuidx.<~) regress_uuidx.uuid_time_from('2022-02-22 19:22:22.000001') AS before
FROM mixed WHERE id = 'c232ab00-9414-11ec-b3c8-9f6bdeced846';
ALTER EXTENSION uuidx SET SCHEMA public;
DROP SCHEMA regress_uuidx;
DROP EXTENSION amcheck;

DROP TABLE mixed, pairs, orders, duplicates, logs;
DROP FUNCTION estimate;
DROP ROLE regress_uuidx_user;
