-- How many rows the planner expects: compared with those that there are
SET timezone = 'UTC';
SET jit = off;
SET client_min_messages = warning;

-- Of the larger of the two numbers, how many times the smaller it is
CREATE FUNCTION q_error(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    plan json;
    expected float;
    found float;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    EXECUTE format('SELECT count(*) FROM (%s) AS q', query) INTO found;
    expected := plan -> 0 -> 'Plan' ->> 'Plan Rows';
    RETURN round((greatest(expected, found, 1) / greatest(least(expected, found), 1))::numeric, 2);
END $$;

-- Versions of keys: by the statistics, and between two bounds by these alone
CREATE TABLE mixed AS SELECT CASE WHEN n % 6 = 0 THEN uuid_generate_v7_at('2026-01-01'::timestamptz + n * interval '1 minute')
                                  WHEN n % 3 = 1 THEN uuid_v6_to_v1(uuid_generate_v6()) ELSE gen_random_uuid() END AS id
FROM generate_series(1, 12000) AS n;
INSERT INTO mixed SELECT NULL FROM generate_series(1, 3000);
CREATE INDEX ON mixed (id);
ANALYZE mixed;
SELECT w AS condition, q_error('SELECT * FROM mixed WHERE ' || w) < 1.5 AS is_near
FROM unnest(ARRAY['uuid_is_v7(id)', 'NOT uuid_is_v7(id)', 'uuid_is_v6(id)', 'NOT uuid_is_v6(id)', 'uuid_is_v7(id) OR id IS NULL',
                  'uuid_v7_in(id, ''[2026-01-02, 2026-01-03)'')', 'uuid_v7_in(id, ''[2026-01-07,)'')',
                  'id >= uuid_v7_from(''2026-01-07'') AND NOT uuid_is_v7(id)']) AS w;
SELECT q_error('SELECT * FROM mixed AS a JOIN mixed AS b USING (id) WHERE NOT uuid_is_v7(a.id)') < 2 AS is_near_joined;
DROP TABLE mixed;
-- The frequencies of three keys, each of a third of the rows, are rounded up.
CREATE TABLE thirds AS SELECT uuid_v7_from('2026-01-01'::timestamptz + n % 3 * interval '1 hour') AS id FROM generate_series(1, 3000) AS n;
ANALYZE thirds;
SELECT q_error('SELECT * FROM thirds WHERE uuid_is_v7(id)'), q_error('SELECT * FROM thirds WHERE NOT uuid_is_v7(id)') AS of_others;
DROP TABLE thirds;

-- Ten days, a row in 8.64 seconds: an hour has 417 rows.
CREATE TABLE events (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int) WITH (autovacuum_enabled = false);
INSERT INTO events SELECT uuid_generate_v7_at('2026-01-01'::timestamptz + n * interval '8.64 seconds'), n FROM generate_series(0, 99999) AS n;
VACUUM ANALYZE events;
CREATE TABLE queries (n int GENERATED ALWAYS AS IDENTITY, query text);
INSERT INTO queries (query) VALUES
    ('uuid_time(id) >= ''2026-01-04 05:00'' AND uuid_time(id) < ''2026-01-04 06:00'''),
    ('uuid_time(id) BETWEEN ''2026-01-04 05:15'' AND ''2026-01-04 06:15'''),
    ('uuid_time(id) <@ tstzrange ''[2026-01-04 05:00, 2026-01-04 05:20)'''),
    ('uuid_v7_in(id, ''[2026-01-04 05:00, 2026-01-04 05:20)'')'),
    ('id >= uuid_v7_from(''2026-01-04 05:00'') AND id < uuid_v7_from(''2026-01-04 05:20'')'),
    ('uuid_v7_from(''2026-01-04 05:00'') <= id AND uuid_v7_from(''2026-01-04 05:20'') > id'),
    ('uuid_time(id) < ''2026-01-01 00:30'''), ('uuid_time(id) >= ''2026-01-10 23:30'''),
    ('uuid_time(id) < ''2025-12-31'''), ('uuid_time(id) > ''2026-01-11'''), ('uuid_time(id) > ''2025-12-31'''),
    ('(uuid_time(id) BETWEEN ''2026-01-02 01:00'' AND ''2026-01-02 02:00'' OR uuid_time(id) BETWEEN ''2026-01-08 01:00'' AND ''2026-01-08 02:00'')'),
    ('NOT (uuid_time(id) >= ''2026-01-01 00:40'')'),
    ('id > uuid_nil()'), ('id <= uuid_max()'), ('id < uuid_nil()'), ('id > uuid_max()'),
    ('uuid_time(id) >= ''2026-01-04 05:00'' AND uuid_time(id) < ''2026-01-04 06:00'' AND n IS NOT NULL AND id IS NOT NULL');
-- A list that is too long for a bound of each moment
SELECT q_error(format('SELECT * FROM events WHERE uuid_time(id) = ANY (%L)', array_agg('2026-01-01'::timestamptz + n * interval '90 minutes'))) < 1.5 AS is_near
FROM generate_series(1, 150) AS n;
UPDATE queries SET query = replace(query, 'uuid_nil()', '''00000000-0000-0000-0000-000000000000''');
SELECT query, q_error('SELECT * FROM events WHERE ' || query) AS q_error FROM queries WHERE q_error('SELECT * FROM events WHERE ' || query) > 1.2;
SET uuidx.time_planning = off;
SELECT count(*) AS wrong_without FROM queries WHERE query LIKE '% id %' AND q_error('SELECT * FROM events WHERE ' || query) > 5;
RESET uuidx.time_planning;

-- Parameters; children; a role without privileges on the statistics, and with row-level security
PREPARE period(timestamptz, timestamptz) AS SELECT * FROM events WHERE uuid_time(id) >= $1 AND uuid_time(id) < $2;
CREATE FUNCTION rows_of_plan(query text) RETURNS float LANGUAGE plpgsql AS $$
DECLARE plan json; BEGIN EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan; RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows'; END $$;
SELECT rows_of_plan('EXECUTE period(''2026-01-04 05:00'', ''2026-01-04 06:00'')') BETWEEN 340 AND 500 AS of_parameters;
CREATE TABLE parted (id uuid NOT NULL CHECK (uuid_is_v7(id)), n int) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (uuid_v7_from('2026-01-01')) TO (uuid_v7_from('2026-01-05'));
CREATE TABLE parted_2 (gone int, n int, id uuid NOT NULL, CONSTRAINT parted_id_check CHECK (uuid_is_v7(id)));
ALTER TABLE parted_2 DROP gone;
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM (uuid_v7_from('2026-01-05')) TO (uuid_v7_from('2026-01-10'));
CREATE TABLE parted_other PARTITION OF parted DEFAULT;
INSERT INTO parted TABLE events;
CREATE TABLE parent (id uuid CHECK (uuid_is_v7(id)), n int);
CREATE TABLE child () INHERITS (parent);
INSERT INTO child TABLE events;
ANALYZE parted, parent, child;
SELECT query, q_error FROM unnest(ARRAY['SELECT * FROM parted WHERE uuid_time(id) BETWEEN ''2026-01-04 23:30'' AND ''2026-01-05 00:30''',
                                        'SELECT * FROM parent WHERE uuid_time(id) BETWEEN ''2026-01-04 23:30'' AND ''2026-01-05 00:30''',
                                        'SELECT * FROM (SELECT * FROM events UNION ALL SELECT * FROM child) AS u WHERE uuid_time(id) BETWEEN ''2026-01-04 23:30'' AND ''2026-01-05 00:30''']) AS query,
                              q_error(query) WHERE q_error > 1.2;
CREATE ROLE regress_uuidx_reader;
GRANT SELECT ON events, queries TO regress_uuidx_reader;
ALTER TABLE events ENABLE ROW LEVEL SECURITY;
CREATE POLICY recent ON events USING (uuid_time(id) >= '2026-01-04 05:00');
SET ROLE regress_uuidx_reader;
SELECT q_error('SELECT * FROM events WHERE uuid_time(id) < ''2026-01-04 06:00''') < 1.2 AS with_policy;
RESET ROLE;
ALTER TABLE events DISABLE ROW LEVEL SECURITY;

-- A join of the same twelve hours
CREATE TABLE clicks (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int);
INSERT INTO clicks SELECT uuid_generate_v7_at(uuid_time(id)), n FROM events WHERE n % 2 = 0;
ANALYZE clicks;
SELECT q_error($$SELECT FROM events AS a JOIN clicks AS b USING (n)
    WHERE uuid_time(a.id) BETWEEN '2026-01-04' AND '2026-01-04 12:00'
      AND uuid_time(b.id) BETWEEN '2026-01-04' AND '2026-01-04 12:00'$$) < 30 AS same_hours;
SELECT q_error($$SELECT FROM events AS a JOIN events AS b USING (id)
    WHERE uuid_time(a.id) BETWEEN '2026-01-04' AND '2026-01-04 12:00'
      AND uuid_time(b.id) BETWEEN '2026-01-04' AND '2026-01-04 12:00'$$) < 30 AS by_key;
-- A condition that the planner extracts from one of a join, before it estimates the tables
DO $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE $query$EXPLAIN (FORMAT JSON) SELECT FROM events AS a JOIN clicks AS b ON uuid_time(a.id) < '2026-01-10'
        AND (uuid_time(a.id) BETWEEN '2026-01-04 01:00' AND '2026-01-04 02:00' AND b.n = 1 OR uuid_time(a.id) BETWEEN '2026-01-06 01:00' AND '2026-01-06 02:00' AND b.n = 2)$query$
    INTO plan;
    RAISE INFO 'extracted: %', jsonb_path_query_first(plan, '$.**?(@."Relation Name" == "events")."Plan Rows"')::int BETWEEN 600 AND 1000;
END $$;

-- NULLs and a common value, which are not in the histogram; equality beside a range
CREATE TABLE refs (id uuid, n int);
INSERT INTO refs SELECT CASE WHEN n % 10 < 3 THEN NULL WHEN n % 10 < 5 THEN '019b8bf5-d080-7000-8000-000000000000' ELSE id END, n FROM events;
INSERT INTO refs SELECT id, n FROM refs WHERE n % 10 > 5;
ANALYZE refs;
SELECT condition, q_error FROM unnest(ARRAY['id < ''019b8bf5-d080-7000-8000-000000000000''', 'id <= ''019b8bf5-d080-7000-8000-000000000000''',
    'id > ''019b8bf5-d080-7000-8000-000000000000''', 'id >= uuid_v7_from(''2026-01-04'') AND id < uuid_v7_from(''2026-01-04 12:00'')',
    'id >= uuid_v7_from(''2026-01-04'') AND id < uuid_v7_from(''2026-01-07'') AND id <> ''019b8bf5-d080-7000-8000-000000000000''',
    'id IS NULL OR id > uuid_v7_from(''2026-01-07'')']) AS condition, q_error('SELECT * FROM refs WHERE ' || condition) WHERE q_error > 1.2;

SELECT q_error('SELECT * FROM refs WHERE id >= uuid_v7_from(''2026-01-04'') AND id = ''019b8bf5-d080-7000-8000-000000000000''') < 2 AS equal_too;
SELECT q_error('SELECT * FROM refs WHERE id >= uuid_v7_from(''2026-01-04'') AND id = ANY (''{019b8bf5-d080-7000-8000-000000000000, 00000000-0000-0000-0000-000000000000}'')') < 2 AS equal_to_any;

-- Statistics of two columns together go on counting
CREATE STATISTICS of_both (mcv) ON id, n FROM refs;
ANALYZE refs;
SELECT q_error('SELECT * FROM refs WHERE id >= uuid_v7_from(''2026-01-04'') AND id < uuid_v7_from(''2026-01-04 12:00'') AND n BETWEEN 0 AND 99999') < 1.2 AS with_statistics_of_both;

-- The server counts changes a moment later, and PostgreSQL 14 only in a file.
CREATE PROCEDURE count_changes() LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('server_version_num')::int >= 150000 THEN
        PERFORM pg_stat_force_next_flush();
    END IF;
END $$;

-- Since ANALYZE, a fifth more rows; then a key of the far future
CREATE TABLE growing (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int) WITH (autovacuum_enabled = false);
INSERT INTO growing SELECT uuid_generate_v7_at(now() - n * interval '10 seconds'), n FROM generate_series(20001, 120000) AS n;
CALL count_changes();
VACUUM ANALYZE growing;
INSERT INTO growing SELECT uuid_generate_v7_at(now() - n * interval '10 seconds'), n FROM generate_series(1, 20000) AS n;
CREATE FUNCTION wrong_of_growing() RETURNS TABLE (condition text, q_error numeric) LANGUAGE sql AS $$
    SELECT condition, q_error
    FROM unnest(ARRAY['> now() - interval ''1 hour''', '> now() - interval ''20 minutes''', '> now() - interval ''30 hours''',
                      'BETWEEN now() - interval ''80 minutes'' AND now() - interval ''1 hour''', '< now() - interval ''1 day''',
                      'BETWEEN now() - interval ''5 days'' AND now() - interval ''4 days''']) AS condition,
         q_error('SELECT * FROM growing WHERE uuid_time(id) ' || condition) WHERE q_error > 1.4
$$;
CALL count_changes();
SELECT * FROM wrong_of_growing();
INSERT INTO growing SELECT uuid_v7_from('2100-01-01');
CALL count_changes();
SELECT * FROM wrong_of_growing();
SELECT q_error('SELECT * FROM growing WHERE uuid_time(id) > now() + interval ''1 day''') < 10 AS future;
ALTER TABLE growing DROP CONSTRAINT growing_id_check;
SELECT q_error('SELECT * FROM growing WHERE id >= uuid_v7_from(now() - interval ''2 hours'') AND id < uuid_v7_from(now() - interval ''1 hour'')') < 3 AS without_check;
DELETE FROM growing WHERE n % 2 = 0;
ANALYZE growing;
SELECT q_error('SELECT * FROM growing WHERE id >= uuid_v7_from(now() - interval ''1 day'')') < 1.2 AS after_analyze;

-- In the order of time: UUIDs of several versions, with and without a time
CREATE TABLE ordered (id uuid) WITH (autovacuum_enabled = false);
INSERT INTO ordered
SELECT CASE n % 4 WHEN 0 THEN id WHEN 1 THEN uuid_generate_v6_at(uuid_time(id))
                  WHEN 2 THEN uuid_v6_to_v1(uuid_generate_v6_at(uuid_time(id))) ELSE gen_random_uuid() END FROM events;
CREATE INDEX ON ordered (id uuid_time_ops);
ALTER TABLE ordered ALTER id SET STATISTICS 1000;
CALL count_changes();
VACUUM ANALYZE ordered;
CREATE FUNCTION wrong_of_ordered() RETURNS TABLE (condition text, q_error numeric) LANGUAGE sql AS $$
    SELECT condition, q_error
    FROM unnest(ARRAY['uuid_time(id) BETWEEN ''2026-01-04'' AND ''2026-01-04 12:00''', 'uuid_time(id) < ''2026-01-02''', 'uuid_time(id) > ''2026-01-02''',
                      'uuid_time(id) > ''2026-01-10''', 'uuid_time(id) < ''9999-12-31''', 'uuid_time(id) < ''infinity''', 'uuid_time(id) > ''9999-12-31''',
                      'uuid_time(id) <@ tstzrange ''[2026-01-05, 2026-01-06)''', 'id <~ uuid_time_from(''2026-01-04'')']) AS condition,
         q_error('SELECT * FROM ordered WHERE ' || condition) WHERE q_error > 1.5
$$;
SELECT * FROM wrong_of_ordered();
INSERT INTO ordered SELECT uuid_generate_v6_at('2026-01-11'::timestamptz + n * interval '10 seconds') FROM generate_series(1, 10000) AS n;
CALL count_changes();
SELECT q_error('SELECT * FROM ordered WHERE uuid_time(id) BETWEEN ''2026-01-11 06:00'' AND ''2026-01-11 12:00''') < 2 AS grown;

-- By statistics on the time
ALTER TABLE ordered ALTER id SET STATISTICS 1;
CREATE STATISTICS of_time ON (uuid_time(id)) FROM ordered;
ALTER STATISTICS of_time SET STATISTICS 1000;
VACUUM ANALYZE ordered;
SELECT * FROM wrong_of_ordered();

-- Comparisons in both orders are the server's to estimate.
SELECT q_error('SELECT * FROM ordered WHERE id >~ uuid_time_from(''2026-01-01'') AND id > ''00000000-0000-0000-0000-000000000000''') < 2 AS both_orders;

-- The planner computes no more than without: neither a branch of CASE, nor what is compared with columns.
CREATE FUNCTION forbidden() RETURNS uuid STABLE LANGUAGE plpgsql AS $$ BEGIN RAISE 'computed'; END $$;
SELECT count(*) FROM events WHERE uuid_time(id) < now() - interval '1000 years' AND CASE WHEN id IS NULL THEN id > forbidden() ELSE n > 0 END;
SELECT count(*) FROM events WHERE uuid_time(id) < now() - interval '1000 years' AND id > CASE WHEN n < 0 THEN forbidden() ELSE id END;
-- Comparisons of rows are estimated by their first members, beside others too.
SELECT q_error('SELECT * FROM events WHERE (id, n) > (uuid_v7_from(''2026-01-10''), 5)') < 1.2 AS of_rows,
       q_error('SELECT * FROM events WHERE (id, n) > (uuid_v7_from(''2026-01-10''), 5) AND id > uuid_v7_from(''2026-01-02'')') < 1.3 AS beside_another;
DROP FUNCTION forbidden;
-- Equality with what is not known, beside a range: a hundred rows have each UUID.
CREATE TABLE repeated AS SELECT uuid_v7_from('2026-01-01'::timestamptz + n % 1000 * interval '1 minute') AS id FROM generate_series(1, 100000) AS n;
ANALYZE repeated;
PREPARE same(uuid) AS SELECT FROM repeated WHERE id = $1 AND id > uuid_v7_from('2026-01-01 00:00:01');
SET plan_cache_mode = force_generic_plan;
SELECT rows_of_plan('EXECUTE same(NULL)') BETWEEN 80 AND 120 AS equal_to_unknown;
RESET plan_cache_mode;
-- It reads the conditions once for each column, not once for each of the comparisons.
CREATE TABLE pairs (a uuid, b uuid);
INSERT INTO pairs SELECT id, id FROM events;
ANALYZE pairs;
CREATE FUNCTION planning_time(query text) RETURNS float LANGUAGE plpgsql AS $$
DECLARE
    plan json;
    shortest float := 'infinity';
BEGIN
    FOR i IN 1..3 LOOP
        EXECUTE 'EXPLAIN (SUMMARY, FORMAT JSON) ' || query INTO plan;
        shortest := least(shortest, (plan -> 0 ->> 'Planning Time')::float);
    END LOOP;
    RETURN shortest;
END $$;
SELECT 'SELECT FROM pairs WHERE ' || string_agg(format('(a = %L AND b = %L)', id, id), ' OR ') AS of_pairs FROM events WHERE n < 2000 \gset
SELECT planning_time(:'of_pairs') AS with_estimates \gset
SET uuidx.time_planning = off;
SELECT planning_time(:'of_pairs') * 20 > :with_estimates AS as_fast;
RESET uuidx.time_planning;
-- Statistics that somebody has written may leave no row for the histogram.
UPDATE pg_statistic SET stanullfrac = 1 WHERE starelid = 'pairs'::regclass;
SELECT rows_of_plan('SELECT FROM pairs WHERE a > uuid_v7_from(''2026-01-02'') AND a < uuid_max()') AS of_no_row;

DROP TABLE queries, pairs, repeated, parted, parent, clicks, refs, growing, ordered, events CASCADE;
DROP FUNCTION q_error, rows_of_plan, planning_time, wrong_of_growing, wrong_of_ordered;
DROP PROCEDURE count_changes;
DROP ROLE regress_uuidx_reader;
