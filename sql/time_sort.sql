-- Sorts by the creation time: which indexes serve them, and that the rows are the same, in the same order
SET timezone = 'UTC';
SET datestyle = 'ISO';
SET max_parallel_workers_per_gather = 0;
SET jit = off;

\set ECHO none \i sql/include/plan_of.sql \set ECHO all
\pset tuples_only on
\pset format unaligned

-- A second apart, in the order of n. The first constraint proves version 7 of all UUIDs; the second allows other variants.
CREATE TABLE events (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), n int);
INSERT INTO events SELECT uuid_generate_v7_at('2026-01-01'::timestamptz + n * interval '1 second'), n FROM generate_series(1, 20000) AS n;
CREATE TABLE loose (id uuid PRIMARY KEY CHECK (uuid_version(id) = 7), n int);
INSERT INTO loose TABLE events;
INSERT INTO loose VALUES ('019b8000-0000-7000-0000-000000000000', NULL), ('f19b8000-0000-7000-c000-000000000000', NULL);
CREATE TABLE v6 (id uuid PRIMARY KEY CHECK (uuid_is_v6(id)), n int);
INSERT INTO v6 SELECT uuid_generate_v6_at(uuid_time(id)), n FROM events;
-- All versions, and UUIDs without a time; NULLs too in the second table
CREATE TABLE mixed (id uuid NOT NULL, n int);
INSERT INTO mixed SELECT id, n FROM events WHERE n % 3 = 0 UNION ALL SELECT id, n FROM v6 WHERE n % 3 = 1
    UNION ALL SELECT uuid_v6_to_v1(id), n FROM v6 WHERE n % 3 = 2 UNION ALL SELECT uuid_max(), NULL;
CREATE TABLE nullable (id uuid, n int);
INSERT INTO nullable TABLE mixed;
INSERT INTO nullable VALUES (NULL, NULL);
CREATE INDEX ON mixed (id uuid_time_ops);
CREATE INDEX ON nullable (id uuid_time_ops);
VACUUM ANALYZE events, loose, v6, mixed, nullable;

-- Each direction; NULLs, of which there are none, on either side; further sort keys
SELECT plan_of('SELECT * FROM events ORDER BY uuid_time(id) LIMIT 20');
SELECT plan_of('SELECT * FROM events ORDER BY uuid_time(id) DESC LIMIT 20');
SELECT plan_of('SELECT * FROM events ORDER BY uuid_time(id) NULLS FIRST LIMIT 20');
SELECT plan_of('SELECT * FROM events ORDER BY public.uuid_extract_timestamp(id) DESC NULLS LAST LIMIT 20');
SELECT plan_of('SELECT * FROM v6 ORDER BY uuid_time(id) DESC LIMIT 20');
SELECT plan_of('SELECT * FROM events ORDER BY uuid_time(id) DESC, id DESC LIMIT 20');
SELECT plan_of('SELECT * FROM events ORDER BY uuid_time(id) DESC, n LIMIT 20');
SELECT plan_of('SELECT * FROM events ORDER BY uuid_time(id), id DESC LIMIT 20');
SELECT plan_of('SELECT * FROM events WHERE uuid_time(id) > ''2026-01-01 05:00'' AND n % 2 = 0 ORDER BY uuid_time(id) LIMIT 20');

-- Extremes, groups, windows, joins
SELECT plan_of('SELECT min(uuid_time(id)), max(uuid_time(id)) FROM events');
SELECT plan_of('SELECT max(uuid_time(id)) FROM events WHERE n < 7000');
SELECT plan_of('SELECT uuid_time(id), count(*) FROM events GROUP BY 1 ORDER BY 1 LIMIT 20');
SELECT plan_of('SELECT DISTINCT ON (uuid_time(id)) * FROM events ORDER BY uuid_time(id) DESC, id DESC LIMIT 20');
SELECT plan_of('SELECT n, lag(n) OVER (ORDER BY uuid_time(id)) FROM events LIMIT 20');
SELECT plan_of('SELECT e.n, l.n FROM events AS e JOIN loose AS l USING (id) ORDER BY uuid_time(e.id) DESC LIMIT 20');
SELECT plan_of('SELECT e.n, l.n FROM loose AS l LEFT JOIN events AS e ON l.n = e.n ORDER BY uuid_time(e.id) LIMIT 20');
SELECT plan_of('SELECT uuid_time(e.id), v.n FROM events AS e JOIN v6 AS v ON uuid_time(e.id) = uuid_time(v.id) ORDER BY 1');
SET enable_hashjoin = off;
SELECT plan_of('SELECT e.n, v.n FROM events AS e JOIN v6 AS v ON uuid_time(e.id) = uuid_time(v.id)');
RESET enable_hashjoin;

-- What the constraint leaves open, the query may exclude.
SELECT plan_of('SELECT * FROM loose ORDER BY uuid_time(id), id LIMIT 20');
SELECT plan_of('SELECT * FROM loose WHERE uuid_time(id) IS NOT NULL ORDER BY uuid_time(id) LIMIT 20');
SELECT plan_of('SELECT * FROM loose WHERE uuid_time(id) < ''2026-01-01 05:00'' ORDER BY uuid_time(id) DESC LIMIT 20');
SELECT plan_of('SELECT * FROM loose WHERE uuid_time(id) + interval ''1 day'' > ''2026-01-02'' ORDER BY uuid_time(id) LIMIT 20');
SELECT plan_of('SELECT min(uuid_time(id)), max(uuid_time(id)) FROM loose');
CREATE TABLE unproven AS TABLE mixed;
CREATE INDEX ON unproven (id);
ANALYZE unproven;
SELECT plan_of('SELECT * FROM unproven ORDER BY uuid_time(id), id LIMIT 20');
SELECT plan_of('SELECT * FROM unproven WHERE uuid_version(id) = 7 ORDER BY uuid_time(id) LIMIT 20');
SELECT plan_of('SELECT * FROM unproven WHERE n > 5 AND uuid_is_v7(id) ORDER BY uuid_time(id) LIMIT 20');
SELECT plan_of('SELECT * FROM unproven WHERE uuid_v7_in(id, ''[2026-01-01 05:00,)'') ORDER BY uuid_time(id) LIMIT 20');
SELECT plan_of('SELECT * FROM unproven WHERE uuid_version(id) IN (1, 7) ORDER BY uuid_time(id), id LIMIT 20');

-- A partial index
CREATE TABLE partial AS TABLE mixed;
CREATE INDEX ON partial (id) WHERE uuid_version(id) = 7;
ANALYZE partial;
SELECT plan_of('SELECT * FROM partial WHERE uuid_version(id) = 7 ORDER BY uuid_time(id) DESC LIMIT 20');
SELECT plan_of('SELECT * FROM partial WHERE n > 3 ORDER BY uuid_time(id) DESC NULLS LAST LIMIT 20');

-- Constraints that prove nothing
ALTER TABLE unproven ADD CONSTRAINT later CHECK ((uuid_version(id) = 7) IS TRUE) NOT VALID;
SELECT plan_of('SELECT * FROM unproven ORDER BY uuid_time(id), id LIMIT 20');
DELETE FROM unproven WHERE (uuid_version(id) = 7) IS NOT TRUE;
ALTER TABLE unproven VALIDATE CONSTRAINT later;
SELECT plan_of('SELECT * FROM unproven ORDER BY uuid_time(id) LIMIT 20');
ALTER TABLE unproven DROP CONSTRAINT later;
SELECT plan_of('SELECT * FROM unproven ORDER BY uuid_time(id) LIMIT 20');

-- The order of time: UUIDs without a time come last, where NULL times come last; NULL UUIDs where the index has them.
SELECT plan_of('SELECT uuid_time(id) FROM mixed ORDER BY 1 LIMIT 20');
SELECT plan_of('SELECT uuid_time(id) FROM mixed ORDER BY 1 DESC LIMIT 20');
SELECT plan_of('SELECT uuid_time(id) FROM mixed ORDER BY 1 DESC NULLS LAST LIMIT 20');
SELECT plan_of('SELECT n FROM mixed WHERE uuid_time(id) IS NOT NULL ORDER BY uuid_time(id) DESC NULLS LAST LIMIT 20');
SELECT plan_of('SELECT uuid_time(id) FROM nullable ORDER BY 1');
SELECT plan_of('SELECT uuid_time(id) FROM nullable ORDER BY 1 DESC LIMIT 20');
SELECT plan_of('SELECT min(uuid_time(id)), max(uuid_time(id)) FROM nullable');
CREATE TABLE nulls_first AS TABLE nullable;
CREATE INDEX ON nulls_first (id uuid_time_ops NULLS FIRST);
CREATE TABLE no_nulls AS TABLE mixed;
ALTER TABLE no_nulls ALTER id SET NOT NULL;
CREATE INDEX ON no_nulls (id uuid_time_ops NULLS FIRST);
VACUUM ANALYZE nulls_first, no_nulls;
SELECT plan_of('SELECT uuid_time(id) FROM nulls_first ORDER BY 1 LIMIT 20');
SELECT plan_of('SELECT uuid_time(id) FROM nulls_first ORDER BY 1 NULLS FIRST LIMIT 20');
SELECT plan_of('SELECT uuid_time(id) FROM nulls_first WHERE id IS NOT NULL ORDER BY 1 DESC LIMIT 20');
SELECT plan_of('SELECT uuid_time(id) FROM no_nulls ORDER BY 1 DESC LIMIT 20');

-- An index that begins with another column
CREATE INDEX by_n ON events (n, id);
SELECT plan_of('SELECT * FROM events WHERE n = 5 ORDER BY uuid_time(id)');
CREATE TABLE users (id uuid CHECK ((uuid_version(id) = 7) IS TRUE), user_id int);
INSERT INTO users SELECT id, n % 50 FROM events;
CREATE INDEX ON users (user_id, id);
VACUUM ANALYZE users;
SELECT plan_of('SELECT * FROM users WHERE user_id = 7 ORDER BY uuid_time(id) DESC LIMIT 20');
SELECT plan_of('SELECT DISTINCT ON (user_id) * FROM users ORDER BY user_id DESC, uuid_time(id) DESC');

-- Partitions, one after the other or merged, and children, each by its own index
CREATE TABLE days (id uuid, n int, CHECK ((uuid_version(id) = 7) IS TRUE)) PARTITION BY RANGE (id);
CREATE TABLE first PARTITION OF days FOR VALUES FROM (MINVALUE) TO (uuid_v7_from('2026-01-01 02:00'));
CREATE TABLE second (m int, n int, id uuid);
ALTER TABLE second DROP m;
ALTER TABLE second ADD CONSTRAINT days_id_check CHECK ((uuid_version(id) = 7) IS TRUE);
ALTER TABLE days ATTACH PARTITION second FOR VALUES FROM (uuid_v7_from('2026-01-01 02:00')) TO (MAXVALUE);
CREATE INDEX ON days (id);
INSERT INTO days TABLE events;
CREATE TABLE parent (id uuid PRIMARY KEY CHECK (uuid_version(id) = 7 AND uuid_version(id) IS NOT NULL), n int);
CREATE TABLE child () INHERITS (parent);
CREATE INDEX ON child (id uuid_time_ops);
INSERT INTO parent SELECT * FROM events WHERE n % 2 = 0;
INSERT INTO child SELECT * FROM events WHERE n % 2 = 1;
VACUUM ANALYZE days, parent, child;
SELECT plan_of('SELECT * FROM days ORDER BY uuid_time(id) DESC LIMIT 20');
SELECT plan_of('SELECT max(uuid_time(id)) FROM days');
SELECT plan_of('SELECT n + 1, id FROM days ORDER BY uuid_time(id), id LIMIT 20');
SELECT plan_of('SELECT * FROM days ORDER BY uuid_time(id), id DESC LIMIT 20');
SELECT plan_of('SELECT d.n, e.id FROM days AS d JOIN events AS e USING (n) ORDER BY uuid_time(d.id) LIMIT 20');
-- Grouping sets keep what they group by in a placeholder, which each partition has the parent's of.
CREATE VIEW timed_days AS SELECT *, uuid_time(id) AS created FROM days;
SELECT count(*), min(hour), max(hour), max(count)
FROM (SELECT date_trunc('hour', d.created, 'UTC') AS hour, count(*), max(e.id) FROM timed_days AS d LEFT JOIN events AS e USING (n)
      GROUP BY ROLLUP (1) LIMIT 1000) AS q;
CREATE TABLE other PARTITION OF days DEFAULT;
SELECT plan_of('SELECT * FROM days ORDER BY uuid_time(id) DESC LIMIT 20');
DROP TABLE other;
-- Rows of the same millisecond in two partitions; UUIDs without a time in the last one. The indexes have orders that the
-- partitions do not have.
CREATE TABLE halves (id uuid, n int, CHECK (uuid_is_v7(id))) PARTITION BY RANGE (id);
CREATE TABLE half_1 PARTITION OF halves FOR VALUES FROM (MINVALUE) TO ('019b7748-8118-7800-8000-000000000000');
CREATE TABLE half_2 PARTITION OF halves FOR VALUES FROM ('019b7748-8118-7800-8000-000000000000') TO (MAXVALUE);
CREATE INDEX half_1_by_n ON half_1 (uuid_time(id), n);
CREATE INDEX half_2_by_n ON half_2 (uuid_time(id), n);
CREATE INDEX half_1_by_id ON half_1 (uuid_time(id), id DESC);
CREATE INDEX half_2_by_id ON half_2 (uuid_time(id), id DESC);
INSERT INTO halves TABLE events;
INSERT INTO halves VALUES ('019b7748-8118-7000-8000-000000000000', 5), ('019b7748-8118-7fff-8000-000000000000', 3);
-- A table that is partitioned by the time: of a default partition, PostgreSQL 18.3 loses rows where max() has an index.
CREATE TABLE by_moment (id uuid NOT NULL CHECK (uuid_is_v7(id)), n int) PARTITION BY RANGE (uuid_time(id));
CREATE TABLE by_moment_1 PARTITION OF by_moment FOR VALUES FROM (MINVALUE) TO ('2026-01-01 02:00');
CREATE TABLE by_moment_other PARTITION OF by_moment DEFAULT;
CREATE INDEX ON by_moment_1 (id);
CREATE INDEX ON by_moment_other (id);
INSERT INTO by_moment TABLE events;
ANALYZE by_moment;
SELECT max(uuid_time(id)) = (SELECT max(uuid_time(id)) FROM events) AS has_last FROM by_moment
WHERE uuid_time(id) < 'infinity' OR (uuid_time(id) = 'infinity' AND n < 3);
CREATE TABLE by_time (id uuid, n int) PARTITION BY RANGE (id uuid_time_ops);
CREATE TABLE by_time_1 PARTITION OF by_time FOR VALUES FROM (MINVALUE) TO (uuid_time_from('2026-01-01 02:00'));
CREATE TABLE by_time_2 PARTITION OF by_time FOR VALUES FROM (uuid_time_from('2026-01-01 02:00')) TO (MAXVALUE);
CREATE INDEX ON by_time (id uuid_time_ops);
CREATE INDEX by_time_1_nulls ON by_time_1 (uuid_time(id) NULLS FIRST);
CREATE INDEX by_time_2_nulls ON by_time_2 (uuid_time(id) NULLS FIRST);
INSERT INTO by_time TABLE mixed;
VACUUM ANALYZE halves, by_time;
SELECT plan_of('SELECT * FROM halves WHERE uuid_time(id) > ''2026-01-01 01:59:50'' ORDER BY uuid_time(id), n LIMIT 20');
SELECT plan_of('SELECT * FROM halves WHERE uuid_time(id) > ''2026-01-01 01:59:50'' ORDER BY uuid_time(id), id DESC LIMIT 20');
SELECT plan_of('SELECT uuid_time(id) FROM by_time ORDER BY 1 LIMIT 20');
SELECT plan_of('SELECT uuid_time(id) FROM by_time ORDER BY 1 NULLS FIRST LIMIT 20');
SELECT plan_of('SELECT * FROM parent ORDER BY uuid_time(id) LIMIT 20');
SELECT plan_of('SELECT t, n FROM (SELECT uuid_time(id) AS t, n FROM events UNION ALL SELECT uuid_time(id), 0 - n FROM v6) AS u ORDER BY t DESC, n LIMIT 20');

-- Pages: a comparison of rows implies one of their first members, which the index serves too.
SELECT plan_of('SELECT * FROM events WHERE (uuid_time(id), id) < (''2026-01-01 05:00:03'', uuid_v7_after(''2026-01-01 05:00:03'')) ORDER BY uuid_time(id) DESC, id DESC LIMIT 20');
SELECT plan_of('SELECT * FROM events WHERE (uuid_time(id), n) >= (timestamp ''2026-01-01 05:00:03'', 18004) ORDER BY uuid_time(id) LIMIT 20');
SELECT plan_of('SELECT * FROM loose WHERE (timestamptz ''2026-01-01 05:00:03'', uuid_v7_from(''2026-01-01'')) > (uuid_time(id), id) ORDER BY uuid_time(id) DESC LIMIT 20');
SELECT plan_of('SELECT * FROM mixed WHERE (uuid_time(id), n) <= (''2026-01-01 05:00:03'', 18003) ORDER BY uuid_time(id) DESC LIMIT 20');
SELECT plan_of('SELECT * FROM v6 WHERE (uuid_time(id), n) > (''2026-01-01 05:00:03'', NULL) ORDER BY uuid_time(id) LIMIT 20');
SELECT plan_of('SELECT * FROM v6 WHERE (uuid_time(id), n) > (NULL, 5) ORDER BY uuid_time(id) LIMIT 20');
SELECT plan_of('SELECT * FROM days WHERE (uuid_time(id), n) > (''2026-01-01 05:00:03'', 18003) ORDER BY uuid_time(id) LIMIT 20');
SELECT plan_of('SELECT * FROM parent WHERE (uuid_time(id), n) > (''2026-01-01 05:00:03'', 18003) ORDER BY uuid_time(id) LIMIT 20');
SELECT plan_of('SELECT t, n FROM (SELECT uuid_time(id) AS t, n FROM events UNION ALL SELECT uuid_time(id), 0 - n FROM unproven) AS u
    WHERE (t, n) < (''2026-01-01 05:00'', 0) ORDER BY t DESC, n LIMIT 20');
SELECT plan_of('SELECT * FROM events WHERE (n, uuid_time(id)) < (5, ''2026-01-01 05:00'')');
SELECT plan_of('SELECT * FROM events WHERE (uuid_time(id), n) = (''2026-01-01 05:00'', 18000)');

-- The comparison of rows is not estimated beside the bound that it implies: 1,997 rows.
CREATE FUNCTION estimate_of(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN plan #>> '{0,Plan,Plan Rows}';
END $$;
SELECT estimate_of('SELECT * FROM events WHERE (uuid_time(id), n) > (''2026-01-01 05:00:03'', 18003)') BETWEEN 1800 AND 2200;
DROP FUNCTION estimate_of;

-- Row-level security
CREATE POLICY even ON v6 USING (n % 2 = 0);
ALTER TABLE v6 ENABLE ROW LEVEL SECURITY;
ALTER TABLE v6 FORCE ROW LEVEL SECURITY;
CREATE ROLE regress_uuidx_sorter;
GRANT SELECT ON v6 TO regress_uuidx_sorter;
SET ROLE regress_uuidx_sorter;
SELECT plan_of('SELECT n FROM v6 ORDER BY uuid_time(id) DESC LIMIT 20');
RESET ROLE;
DROP OWNED BY regress_uuidx_sorter;
DROP ROLE regress_uuidx_sorter;

-- A prepared statement, in a generic plan
SET plan_cache_mode = force_generic_plan;
PREPARE latest(int) AS SELECT n FROM events WHERE n % 7 = $1 ORDER BY uuid_time(id) DESC LIMIT 3;
EXPLAIN (COSTS OFF) EXECUTE latest(5);
EXECUTE latest(5);
ALTER TABLE events DROP CONSTRAINT events_id_check;
EXPLAIN (COSTS OFF) EXECUTE latest(5);
EXECUTE latest(5);
RESET plan_cache_mode;

DROP VIEW timed_days;
DROP TABLE events, loose, v6, mixed, nullable, unproven, partial, nulls_first, no_nulls, users, days, halves, by_moment, by_time, parent, child;
DROP FUNCTION plan_of;
