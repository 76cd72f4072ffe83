-- Plain predicates on the creation time: what takes their place, and that the rows are the same
SET timezone = 'UTC';
SET datestyle = 'ISO';
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_material = off;
SET enable_memoize = off;
SET max_parallel_workers_per_gather = 0;
SET jit = off;

\set ECHO none \i sql/include/plan_of.sql \set ECHO all
\pset tuples_only on
\pset format unaligned

-- A minute apart, and UUIDs of other versions, variants and without a time, which violate no CHECK of the second table.
CREATE TABLE events (id uuid PRIMARY KEY CHECK (uuid_version(id) = 7), n int);
INSERT INTO events SELECT uuid_generate_v7_at('2026-01-01'::timestamptz + n * interval '1 minute'), n FROM generate_series(0, 9999) AS n;
INSERT INTO events VALUES ('019b8000-0000-7000-0000-000000000000', NULL), (uuid_v7_from('-infinity'), NULL), (uuid_v7_lower('[10889-08-02 05:31:50.655,]'), NULL);
CREATE TABLE keys (id uuid, n int);
INSERT INTO keys SELECT id, n FROM events WHERE n % 3 = 0;
INSERT INTO keys SELECT uuid_generate_v6_at(uuid_time(id)), n FROM events WHERE n % 3 = 1;
INSERT INTO keys SELECT uuid_v6_to_v1(uuid_generate_v6_at(uuid_time(id))), n FROM events WHERE n % 3 = 2;
INSERT INTO keys VALUES (NULL, NULL), ('00000000-0000-0000-0000-000000000000', NULL), (uuid_max(), NULL), ('919108f7-52d1-4320-9bac-f847db4148a8', NULL),
    ('019b8000-0000-7000-0000-000000000000', NULL), ('019b8000-0000-8000-8000-000000000000', NULL), (uuid_v6_from('-infinity'), NULL);
CREATE TABLE ordered AS TABLE keys;
CREATE INDEX ON ordered (id uuid_time_ops);
CREATE TABLE v6 (id uuid PRIMARY KEY, n int);
INSERT INTO v6 SELECT id, n FROM keys WHERE uuid_version(id) = 6;
ALTER TABLE v6 ADD CHECK (uuid_version(id) IN (4, 6));
CREATE TABLE unproven (id uuid PRIMARY KEY, n int);
INSERT INTO unproven SELECT id, n FROM keys WHERE id IS NOT NULL;
VACUUM ANALYZE events, keys, ordered, v6, unproven;

-- Each operator, in both orders; moments between two milliseconds
SELECT plan_of('SELECT * FROM events WHERE uuid_time(id) < ''2026-01-02''');
SELECT plan_of('SELECT * FROM events WHERE uuid_time(id) <= ''2026-01-02''');
SELECT plan_of('SELECT * FROM events WHERE uuid_time(id) = ''2026-01-02''');
SELECT plan_of('SELECT * FROM events WHERE uuid_time(id) >= ''2026-01-02''');
SELECT plan_of('SELECT * FROM events WHERE uuid_time(id) > ''2026-01-02''');
SELECT plan_of('SELECT * FROM events WHERE timestamptz ''2026-01-02'' > uuid_time(id)');
SELECT plan_of('SELECT * FROM events WHERE timestamptz ''2026-01-02'' >= public.uuid_extract_timestamp(id) AND uuid_time(id) = uuid_time(id)');
SELECT plan_of('SELECT * FROM events WHERE timestamptz ''2026-01-02 00:00:00.0005'' = uuid_time(id)');
SELECT plan_of('SELECT * FROM events WHERE uuid_time(id) <> ''2026-01-02''');
SELECT plan_of('SELECT * FROM events WHERE NOT uuid_time(id) >= ''2026-01-02''');
SELECT plan_of('SELECT * FROM events WHERE uuid_time(id) BETWEEN ''2026-01-02'' AND ''2026-01-03''');
SELECT plan_of('SELECT * FROM events WHERE uuid_time(id) NOT BETWEEN ''2026-01-02'' AND ''2026-01-06''');
SELECT plan_of('SELECT * FROM events WHERE uuid_time(id) <@ tstzrange(now() - now() + timestamptz ''2026-01-02'', ''2026-01-03'')');
SELECT plan_of('SELECT * FROM events WHERE (SELECT tstzrange(''2026-01-02'', ''2026-01-03'')) @> uuid_time(id)');
SELECT plan_of('SELECT * FROM events WHERE uuid_time(id) IN (''2026-01-02'', ''2026-01-03'')');
SELECT plan_of('SELECT * FROM events WHERE uuid_time(id) > ''2026-01-07 12:00'' OR uuid_time(id) < ''2026-01-01 12:00'' AND n > 3');

-- The same in the order of time, and for version 6
SELECT plan_of('SELECT * FROM ordered WHERE uuid_time(id) < ''2026-01-02''');
SELECT plan_of('SELECT * FROM ordered WHERE uuid_time(id) > ''2026-01-02''');
SELECT plan_of('SELECT * FROM ordered WHERE uuid_time(id) = ''2026-01-02''');
SELECT plan_of('SELECT * FROM ordered WHERE uuid_time(id) <@ tstzrange(now() - now() + timestamptz ''2026-01-02'', ''2026-01-03'')');
SELECT plan_of('SELECT * FROM ordered WHERE uuid_time(id) > ''2026-01-07 12:00'' OR n = 77');
SELECT plan_of('SELECT * FROM ordered WHERE n = 77 OR uuid_time(id) < ''2026-01-01 00:03'' AND timestamptz ''2026-01-01 00:03'' > uuid_time(id)');
SELECT plan_of('SELECT * FROM v6 WHERE uuid_time(id) BETWEEN ''2026-01-02'' AND ''2026-01-03''');
SELECT plan_of('SELECT * FROM v6 WHERE uuid_time(id) <@ tstzrange(now() - now() + timestamptz ''2026-01-02'', ''2026-01-03'', ''(]'')');
SELECT plan_of('SELECT * FROM unproven WHERE uuid_time(id) > ''2026-01-02''');

-- Dates and timestamps, in the session's time zone, and no errors for those that a timestamptz cannot hold
SET timezone = 'America/New_York';
SELECT plan_of('SELECT * FROM events WHERE uuid_time(id) >= date ''2026-01-02'' AND uuid_time(id) < timestamp ''2026-01-03''');
SELECT plan_of('SELECT * FROM events WHERE uuid_time(id) <= current_date');
SELECT plan_of('SELECT * FROM ordered WHERE uuid_time(id) = date ''2026-01-02''');
SELECT plan_of('SELECT * FROM events WHERE uuid_time(id) < date ''5874897-12-31''');
SELECT plan_of('SELECT * FROM events WHERE uuid_time(id) > timestamp ''294276-12-31 23:59:59''');
SET timezone = 'UTC';
SELECT relation, op, moment, counts[1] AS rows
FROM unnest(ARRAY['events', 'ordered', 'v6']) AS relation,
     unnest(ARRAY['<', '<=', '=', '>=', '>']) AS op,
     unnest(ARRAY['timestamptz ''-infinity''', 'timestamptz ''infinity''', 'timestamptz ''4713-01-01 BC''', 'timestamptz ''294276-12-31''',
                  'timestamptz ''1970-01-01''', 'timestamptz ''10889-08-02 05:31:50.655''', 'timestamptz ''1582-10-15''',
                  'timestamp ''-infinity''', 'timestamp ''294276-12-31''', 'date ''-infinity''', 'date ''infinity''', 'date ''4713-01-01 BC''',
                  'date ''5874897-12-31''', 'NULL::timestamptz']) AS moment,
     LATERAL (SELECT array_agg(line) FROM plan_of(format('SELECT id FROM %s WHERE uuid_time(id) %s %s', relation, op, moment)) AS line
              WHERE line LIKE '% rows%') AS c (counts)
WHERE counts[1] LIKE '%not%' OR moment LIKE '%10889%';

-- The bounds of a range in the order of time: all UUIDs with a time in it lie between them, and no others.
SELECT period, uuid_time_lower(period), uuid_time_upper(period),
       (SELECT count(*) FROM keys WHERE (id >=~ uuid_time_lower(period) AND id <=~ uuid_time_upper(period))
                                         IS DISTINCT FROM CASE WHEN id IS NOT NULL THEN coalesce(uuid_time(id) <@ period, false) END) AS wrong
FROM unnest(ARRAY['[2026-01-02, 2026-01-02]', '(2026-01-02, 2026-01-02 00:00:00.001)', '(2026-01-02, 2026-01-02 00:01)', '(2026-01-02, 2026-01-02 00:02]',
                  '(,)', '[1582-01-01, 1582-10-15]', '[5236-03-31 21:21:00.684698,)', '(,1582-10-15)', '[10889-08-02 05:31:50.656,)', 'empty']::tstzrange[]) AS period;
SELECT uuid_time_lower(NULL) IS NULL AND uuid_time_upper(NULL) IS NULL AS strict;

-- Casts that raise no error
SET timezone = 'America/New_York';
SELECT uuid_timestamptz(moment::date) FROM unnest(ARRAY['2026-01-01', '5874897-12-31', '294276-12-31', '4713-01-01 BC', '-infinity', 'infinity']) AS moment;
SELECT uuid_timestamptz(moment::timestamp) FROM unnest(ARRAY['2026-01-01', '294276-12-31 23:59:59', '4713-01-01 BC', '-infinity', 'infinity']) AS moment;
SET timezone = 'UTC';

-- Parameters: in a custom plan, and in a generic one
PREPARE since(timestamptz) AS SELECT count(*) FROM events WHERE uuid_time(id) > $1;
EXPLAIN (COSTS OFF) EXECUTE since('2026-01-07');
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE since('2026-01-07');
EXECUTE since('2026-01-07');

-- A plan is made anew when what it relies on goes, and when it comes back.
ALTER TABLE events DROP CONSTRAINT events_id_check;
EXPLAIN (COSTS OFF) EXECUTE since('2026-01-07');
ALTER TABLE events ADD CONSTRAINT seven CHECK (uuid_version(id) = 7) NOT VALID;
EXPLAIN (COSTS OFF) EXECUTE since('2026-01-07');
ALTER TABLE events VALIDATE CONSTRAINT seven;
EXPLAIN (COSTS OFF) EXECUTE since('2026-01-07');
EXECUTE since('2026-01-07');
RESET plan_cache_mode;
DEALLOCATE since;
SET uuidx.time_planning = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM events WHERE uuid_time(id) > '2026-01-07';
RESET uuidx.time_planning;

-- A column cannot be compared with what depends on its own table, or changes from call to call.
SELECT plan_of('SELECT * FROM events WHERE uuid_time(id) < timestamptz ''2026-01-01'' + n * interval ''1 min''');
SELECT plan_of('SELECT * FROM events WHERE uuid_time(id) < clock_timestamp()');

-- Joins
CREATE TABLE windows (name text, starts timestamptz, ends timestamptz, period tstzrange);
INSERT INTO windows SELECT 'w' || n, t, t + interval '5 min', tstzrange(t, t + interval '5 min')
FROM generate_series(1, 5) AS n, LATERAL (VALUES (timestamptz '2026-01-01' + n * interval '23 hours')) AS v (t);
INSERT INTO windows VALUES ('never', NULL, NULL, NULL), ('empty', '2026-01-03', '2026-01-03', 'empty');
ANALYZE windows;
SELECT plan_of('SELECT * FROM windows JOIN events ON uuid_time(id) >= starts AND uuid_time(id) < ends');
SELECT plan_of('SELECT * FROM windows JOIN events ON uuid_time(id) <@ period');
SELECT plan_of('SELECT * FROM windows, LATERAL (SELECT id FROM events WHERE uuid_time(id) > starts ORDER BY id LIMIT 2) AS e');
SELECT plan_of('SELECT * FROM windows WHERE EXISTS (SELECT FROM events WHERE uuid_time(id) BETWEEN starts AND ends AND n > 5000)');
SELECT plan_of('SELECT * FROM windows LEFT JOIN events ON uuid_time(id) >= starts AND uuid_time(id) < ends AND n % 2 = 0');
SELECT plan_of('SELECT * FROM windows LEFT JOIN events ON n = 7 AND uuid_time(id) > ''2026-01-02''');
SELECT plan_of('SELECT * FROM windows LEFT JOIN events ON uuid_time(id) = starts WHERE uuid_time(id) > ''2026-01-02'' OR events.id IS NULL');
SELECT plan_of('SELECT * FROM events LEFT JOIN windows ON uuid_time(id) = starts AND uuid_time(id) > ''2026-01-03'' WHERE n < 10');
SELECT plan_of('SELECT * FROM windows FULL JOIN events ON uuid_time(id) = starts AND name <> ''w2'' WHERE uuid_time(id) > ''2026-01-07'' OR name IS NOT NULL');
SELECT plan_of('SELECT * FROM events WHERE uuid_time(id) > (SELECT max(starts) FROM windows)');
SELECT rows FROM plan_of('SELECT * FROM events AS a JOIN events AS b USING (id) WHERE uuid_time(a.id) > ''2026-01-07 22:00''') AS rows WHERE rows LIKE '% rows%';

-- Views, subqueries and CTEs
CREATE VIEW seen AS SELECT id, uuid_time(id) AS created, n FROM events;
SELECT plan_of('SELECT * FROM seen WHERE created > ''2026-01-07''');
SELECT plan_of('WITH c AS (SELECT * FROM seen) SELECT * FROM c WHERE created > ''2026-01-07''');
SELECT plan_of('SELECT * FROM (SELECT created, count(*) FROM seen GROUP BY created) AS q WHERE created > ''2026-01-07''');
SELECT plan_of('SELECT * FROM (SELECT id, rank() OVER (PARTITION BY id ORDER BY n) FROM seen) AS q WHERE uuid_time(id) > ''2026-01-07''');
SELECT plan_of('SELECT * FROM seen WHERE created > ''2026-01-07'' ORDER BY id DESC LIMIT 3');
SELECT plan_of('SELECT min(id), max(id) FROM events WHERE uuid_time(id) BETWEEN ''2026-01-02'' AND ''2026-01-03''');

-- UNION ALL and inheritance: each branch by what is known of it
CREATE TABLE parted (id uuid, n int) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted (PRIMARY KEY (id), CHECK (uuid_version(id) = 7)) FOR VALUES FROM (MINVALUE) TO (uuid_v7_from('2026-01-03'));
CREATE TABLE parted_2 PARTITION OF parted (PRIMARY KEY (id)) FOR VALUES FROM (uuid_v7_from('2026-01-03')) TO (uuid_v7_from('2026-01-05'));
CREATE TABLE parted_3 PARTITION OF parted (PRIMARY KEY (id), CHECK (uuid_version(id) = 7)) FOR VALUES FROM (uuid_v7_from('2026-01-05')) TO (MAXVALUE);
INSERT INTO parted SELECT id, n FROM events;
ANALYZE parted;
SELECT plan_of('SELECT * FROM (SELECT * FROM events UNION ALL SELECT * FROM unproven UNION ALL SELECT * FROM ordered UNION ALL SELECT * FROM parted) AS u WHERE uuid_time(id) < ''2026-01-02''');
SELECT plan_of('SELECT * FROM (SELECT uuid_time(id) AS t FROM events UNION ALL SELECT starts FROM windows UNION ALL SELECT now()) AS u WHERE t BETWEEN ''2026-01-02'' AND ''2026-01-03''');

-- Partitions: first without a constraint on all of them, then with it. Constants prune when the query is planned,
-- functions and parameters when it runs.
SELECT plan_of('SELECT * FROM parted WHERE uuid_time(id) < ''2026-01-02''');
ALTER TABLE parted ADD CHECK (uuid_version(id) = 7);
SELECT plan_of('SELECT * FROM parted WHERE uuid_time(id) < ''2026-01-02''');
SELECT plan_of('SELECT * FROM parted WHERE uuid_time(id) BETWEEN ''2026-01-04'' AND ''2026-01-06''');
SELECT plan_of('SELECT * FROM parted WHERE uuid_time(id) > now() - now() + timestamptz ''2026-01-06''');
-- Partitions are left out when a plan runs by a disjunction in which the time stands beside their key, too.
SELECT plan_of($$SELECT * FROM parted WHERE id > uuid_v7_from(now() - now() + timestamptz '2026-01-06') AND uuid_time(id) < '2026-01-08'
                    OR id > uuid_v7_from(now() - now() + timestamptz '2026-01-07') AND n < 5$$);
-- A subquery that reads a key of partitions from a view is planned before the partitioned table has its size.
CREATE VIEW early AS SELECT * FROM parted WHERE uuid_time(id) < '2026-01-02' OR n < 5;
SELECT plan_of($$SELECT * FROM early AS e LEFT JOIN LATERAL (SELECT n, id FROM ordered WHERE id = e.id LIMIT 1) AS o ON o.id = e.id
                 WHERE uuid_time(e.id) < '2026-01-02'$$);
DROP VIEW early;
SELECT plan_of('SELECT * FROM parted WHERE uuid_time(id) > (SELECT max(starts) FROM windows)');
SELECT rows FROM plan_of('SELECT * FROM parted WHERE uuid_time(id) < ''2026-01-01 12:00'' OR uuid_time(id) > ''2026-01-07 12:00''') AS rows WHERE rows LIKE '% rows%';
CREATE TABLE ancestor (id uuid, n int, CHECK (uuid_version(id) = 7) NO INHERIT);
CREATE TABLE descendant (CHECK (uuid_version(id) = 6)) INHERITS (ancestor);
CREATE INDEX ON ancestor (id);
CREATE INDEX ON descendant (id);
INSERT INTO ancestor SELECT id, n FROM events;
INSERT INTO descendant SELECT id, n FROM v6;
ANALYZE ancestor, descendant;
SELECT plan_of('SELECT * FROM ancestor WHERE uuid_time(id) < ''2026-01-02''');
SELECT plan_of('SELECT * FROM ONLY ancestor WHERE uuid_time(id) < ''2026-01-02''');
SELECT rows FROM plan_of('SELECT * FROM windows JOIN ancestor ON uuid_time(id) <@ period') AS rows WHERE rows LIKE '% rows%';

-- Partitions by time order, and by the time itself
CREATE TABLE by_order (id uuid, n int) PARTITION BY RANGE (id uuid_time_ops);
CREATE TABLE by_order_1 PARTITION OF by_order FOR VALUES FROM (MINVALUE) TO (uuid_time_from('2026-01-03'));
CREATE TABLE by_order_2 PARTITION OF by_order FOR VALUES FROM (uuid_time_from('2026-01-03')) TO (MAXVALUE);
CREATE INDEX ON by_order (id uuid_time_ops);
INSERT INTO by_order SELECT * FROM ordered WHERE id IS NOT NULL;
CREATE TABLE by_time (id uuid CHECK (uuid_version(id) = 7), n int) PARTITION BY RANGE (uuid_time(id));
CREATE TABLE by_time_1 PARTITION OF by_time FOR VALUES FROM (MINVALUE) TO ('2026-01-03');
CREATE TABLE by_time_2 PARTITION OF by_time FOR VALUES FROM ('2026-01-03') TO (MAXVALUE);
INSERT INTO by_time SELECT * FROM events WHERE uuid_time(id) IS NOT NULL;
ANALYZE by_order, by_time;
SELECT plan_of('SELECT * FROM by_order WHERE uuid_time(id) < ''2026-01-02''');
SELECT plan_of('SELECT * FROM by_time WHERE uuid_time(id) < ''2026-01-02''');
-- That order serves, too, where a constraint proves the version, and no index has the other one.
DELETE FROM by_order WHERE NOT uuid_is_v7(id);
ALTER TABLE by_order ADD CHECK (uuid_is_v7(id));
SELECT plan_of('SELECT * FROM by_order WHERE uuid_time(id) < ''2026-01-02''');
-- Disjunctions are replaced in each partition.
SELECT plan_of('SELECT * FROM by_order WHERE uuid_time(id) < ''2026-01-02'' OR uuid_time(id) > ''2026-01-05''');

-- Relations with an index or a constraint on the time itself are left alone.
CREATE TABLE has_index AS TABLE events;
ALTER TABLE has_index ADD CHECK (uuid_version(id) = 7);
CREATE INDEX has_index_time ON has_index (uuid_time(id));
SELECT plan_of('SELECT * FROM has_index WHERE uuid_time(id) < ''2026-01-02''');
ALTER TABLE descendant ADD CHECK (uuid_time(id) > '1582-01-01');
SELECT plan_of('SELECT * FROM ancestor WHERE uuid_time(id) < ''1581-12-31''');

-- A constraint that calls what carries predicates to partitions means the same, whatever the first table of the query is.
CREATE TABLE carrier (id uuid CHECK (uuid_time_predicate(uuid_time(id) < '2026-01-02')));
INSERT INTO carrier VALUES (uuid_max());
SET constraint_exclusion = on;
SELECT count(*) FROM events, carrier WHERE n = 1 AND carrier.id > 'f0000000-0000-0000-0000-000000000000';
RESET constraint_exclusion;

-- What CHECK constraints prove
CREATE FUNCTION notices(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE NOTICE 'called'; RETURN true; END $$;
CREATE DOMAIN key AS uuid;
CREATE TABLE proofs (condition text);
INSERT INTO proofs VALUES
    ('uuid_version(id) = 7'), ('7 = uuid_version(id)'), ('uuid_version(id) IN (4, 7)'), ('uuid_version(id) BETWEEN 7 AND 8'), ('uuid_version(id) IS NOT DISTINCT FROM 7'),
    ('uuid_version(id) > 6'), ('uuid_version(id) = 7 AND length(name) < 3'), ('id IS NULL OR uuid_version(id) = 7'), ('(uuid_version(id) = 7) IS TRUE'),
    ('uuid_is_v7(id)'), ('NOT uuid_is_v7(id)'), ('NOT (uuid_is_v7(id) OR uuid_version(id) = 1)'), ('uuid_is_v7(id) OR uuid_version(id) = 4'), ('uuid_is_v7(other)'),
    ('uuid_is_v6(id) OR uuid_is_v7(id)'),
    ('CASE WHEN uuid_version(id) = 7 THEN true ELSE false END'), ('NOT uuid_version(id) IN (1, 6)'), ('uuid_version(id)::bigint = 7'), ('uuid_version(id) <> 1'),
    ('uuid_version(other) = 7'), ('uuid_version(id) = 7 OR length(name) < 3'), ('uuid_version(id) = 7 OR notices(7)'), ('uuid_version(id) = 7 AND notices(7)'),
    ('1 / (uuid_version(id) - 7) < 1'), ('uuid_version(id) = 7 OR greatest((uuid_version(id), point ''0, 0''), (smallint ''1'', point ''0, 0'')) IS NULL'),
    ('uuid_version(id) = 7 OR uuid_version(other) = 7'), ('uuid_version(id) = uuid_version(other)'), ('name = ''7''');
DO $$
DECLARE
    proof text;
    line text;
BEGIN
    FOR proof IN TABLE proofs LOOP
        EXECUTE format('CREATE TABLE proven (id key, other uuid, name text, CHECK (%s))', proof);
        CREATE INDEX ON proven (id);
        FOR line IN EXPLAIN (COSTS OFF) SELECT * FROM proven WHERE uuid_time(id) > '2026-01-02' LOOP
            CONTINUE WHEN line NOT LIKE '%Scan%';
            RAISE INFO '%: %', proof, line ~ 'Index Scan';
        END LOOP;
        DROP TABLE proven;
    END LOOP;
END $$;

-- Where NULL violates the constraint, there are no UUIDs of other variants, and nothing is left to recheck.
CREATE TABLE sevens (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)));
INSERT INTO sevens SELECT id FROM events WHERE uuid_version(id) = 7;
ANALYZE sevens;
SELECT plan_of('SELECT * FROM sevens WHERE uuid_time(id) > ''2026-01-07''');
ALTER TABLE sevens DROP CONSTRAINT sevens_id_check, ADD CHECK (uuid_version(id) IS NOT DISTINCT FROM 7);
SELECT plan_of('SELECT * FROM sevens WHERE uuid_time(id) > ''2026-01-07''');

-- What a query repeats is evaluated as often as it says, if it is volatile.
CREATE SEQUENCE calls;
SELECT count(*) FROM sevens WHERE nextval('calls') > 0 AND nextval('calls') > 0 AND uuid_time(id) < '2026-01-01 00:10';
SELECT last_value FROM calls;
DROP SEQUENCE calls;

-- Other indexes on the column
CREATE TABLE tenants (tenant int, id uuid CHECK (uuid_version(id) = 7), n int);
INSERT INTO tenants SELECT n % 10, id, n FROM events;
CREATE INDEX ON tenants (tenant, id);
ANALYZE tenants;
SELECT plan_of('SELECT * FROM tenants WHERE tenant = 3 AND uuid_time(id) > ''2026-01-07''');
DROP INDEX tenants_tenant_id_idx;
CREATE INDEX ON tenants USING brin (id) WITH (pages_per_range = 8);
SET enable_bitmapscan = on;
SELECT plan_of('SELECT * FROM tenants WHERE uuid_time(id) > ''2026-01-07''');
CREATE INDEX behind ON tenants (tenant, id uuid_time_ops);
SELECT plan_of('SELECT * FROM tenants WHERE uuid_time(id) > ''2026-01-07''');
DROP INDEX behind;
SET enable_bitmapscan = off;

-- Without an index, the number of rows is estimated from the column's histogram.
\set ECHO none \i sql/include/estimate.sql \set ECHO all
DROP INDEX tenants_id_idx;
SELECT estimate('SELECT FROM tenants WHERE uuid_time(id) > ''2026-01-07''') BETWEEN 1100 AND 1500 AS near_1359,
       estimate('SELECT FROM tenants WHERE uuid_time(id) BETWEEN ''2026-01-04'' AND ''2026-01-06''') BETWEEN 2600 AND 3200 AS near_2881,
       estimate('SELECT FROM tenants WHERE uuid_time(id) > (timestamptz ''2026-01-07'' - (now() - now()))') BETWEEN 1100 AND 1500 AS stable;

-- The number of days, too, if there are statistics for it
CREATE STATISTICS days ON date_trunc('day', uuid_time(id)) FROM tenants;
ANALYZE tenants;
SELECT estimate('SELECT date_trunc(''day'', uuid_time(id)) FROM tenants WHERE uuid_time(id) > ''2026-01-03'' GROUP BY 1') BETWEEN 5 AND 10 AS few;

-- Changes
EXPLAIN (COSTS OFF) UPDATE events SET n = n WHERE uuid_time(id) < '2026-01-02';
EXPLAIN (COSTS OFF) DELETE FROM parted WHERE uuid_time(id) < '2026-01-02';
EXPLAIN (COSTS OFF) SELECT * FROM ordered WHERE uuid_time(id) < '2026-01-02' FOR UPDATE;
WITH gone AS (DELETE FROM parted WHERE uuid_time(id) < '2026-01-02' RETURNING id) SELECT count(*) FROM gone;

-- Row-level security: the predicate is tested before a policy that may leak, and may read the index.
CREATE FUNCTION leaky(int) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS 'BEGIN RETURN $1 IS NOT NULL; END';
ALTER TABLE events ENABLE ROW LEVEL SECURITY;
CREATE POLICY since_3 ON events USING (leaky(n) AND uuid_time(id) > '2026-01-03');
CREATE ROLE reader;
GRANT SELECT ON events, windows, seen TO reader;
SET ROLE reader;
EXPLAIN (COSTS OFF) SELECT * FROM events WHERE uuid_time(id) < '2026-01-04';
SELECT count(*) FROM events WHERE uuid_time(id) < '2026-01-04';
RESET ROLE;

-- A user of a view needs no privilege on the extension's schema. One who may not execute the functions that would take
-- the predicate's place gets the same rows all the same, from a plan that another role made, too.
CREATE SCHEMA apart;
ALTER EXTENSION uuidx SET SCHEMA apart;
REVOKE USAGE ON SCHEMA apart FROM PUBLIC;
SET plan_cache_mode = force_generic_plan;
PREPARE since(timestamptz) AS SELECT count(*) FROM seen WHERE created > $1;
EXPLAIN (COSTS OFF) EXECUTE since('2026-01-07');
SET ROLE reader;
EXPLAIN (COSTS OFF) EXECUTE since('2026-01-07');
RESET ROLE;
REVOKE EXECUTE ON FUNCTION apart.uuid_v7_after FROM PUBLIC;
EXPLAIN (COSTS OFF) EXECUTE since('2026-01-07');
SET ROLE reader;
EXPLAIN (COSTS OFF) EXECUTE since('2026-01-07');
EXECUTE since('2026-01-07');
RESET ROLE;
GRANT SELECT ON ordered TO reader;
GRANT USAGE ON SCHEMA apart TO reader;
REVOKE EXECUTE ON FUNCTION apart.uuid_time_lt(uuid, uuid), range_merge(anymultirange) FROM PUBLIC;
SET ROLE reader;
SELECT count(*) FROM ordered WHERE apart.uuid_time(id) < '2026-01-02';
SELECT count(*) FROM ordered WHERE apart.uuid_time(id) <@ (SELECT tstzmultirange(tstzrange(NULL, '2026-01-02')));
RESET ROLE;
GRANT EXECUTE ON FUNCTION range_merge(anymultirange) TO PUBLIC;
GRANT EXECUTE ON FUNCTION apart.uuid_time_lt(uuid, uuid) TO PUBLIC;
GRANT EXECUTE ON FUNCTION apart.uuid_v7_after TO PUBLIC;
ALTER EXTENSION uuidx SET SCHEMA public;
EXPLAIN (COSTS OFF) EXECUTE since('2026-01-07');

-- The time of another column in an index or a constraint does not matter.
CREATE TABLE referring (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), other uuid CHECK (uuid_time(other) < '2100-01-01'));
CREATE INDEX ON referring (uuid_time(other));
SELECT plan_of('SELECT * FROM referring WHERE uuid_time(id) > ''2026-01-07''');
DROP TABLE referring;

-- A condition of more calls than a function has arguments
SELECT format('SELECT count(*) FROM events WHERE uuid_time(id)%s > ''2026-01-07'' AND n IS NOT NULL', repeat(' - $1', 120)) AS many_calls \gset
PREPARE shifted(interval) AS :many_calls;
EXECUTE shifted('1 s');

-- What no row comes to raises no error.
PREPARE of_arms(timestamptz, text) AS
SELECT count(*) FROM events WHERE coalesce(n, 0) = -1 AND uuid_time(id) < $2::timestamptz OR n = 1 AND uuid_time(id) < $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE of_arms('2026-02-01', 'no time');
DEALLOCATE ALL;

DROP TABLE carrier, events, keys, ordered, v6, unproven, windows, parted, ancestor, by_order, by_time, has_index, proofs, sevens, tenants CASCADE;
DROP FUNCTION plan_of, notices, estimate, leaky;
DROP DOMAIN key;
DROP SCHEMA apart;
DROP ROLE reader;
