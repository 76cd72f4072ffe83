SET timezone = 'UTC';
CREATE EXTENSION dblink;

-- Version 7 keys of a hundred days
CREATE TABLE events (id uuid PRIMARY KEY CHECK (uuid_version(id) = 7), value int);
INSERT INTO events
SELECT uuid_generate_v7_at(timestamptz '2026-01-01' + n / :scale * interval '0.864 s'), n
FROM generate_series(0, (1e7 * :scale)::int - 1) AS n;

-- The same with a constraint that refuses UUIDs of other variants too
CREATE TABLE strict_events (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), value int);
INSERT INTO strict_events TABLE events;

-- The same in a thousand partitions of 2.4 hours
CREATE TABLE parted (LIKE strict_events INCLUDING ALL) PARTITION BY RANGE (id);
SELECT format('CREATE TABLE parted_%s PARTITION OF parted FOR VALUES FROM (%L) TO (%L)', n,
              uuid_v7_from('2026-01-01'::timestamptz + n * interval '2.4 hours'),
              uuid_v7_from('2026-01-01'::timestamptz + (n + 1) * interval '2.4 hours'))
FROM generate_series(0, 999) AS n \gexec

-- What has no time in it, also in a thousand partitions
CREATE TABLE numbers (n int PRIMARY KEY, value int);
INSERT INTO numbers SELECT n, n FROM generate_series(1, 10000) AS n;
CREATE TABLE parted_numbers (n int PRIMARY KEY, value int) PARTITION BY RANGE (n);
SELECT format('CREATE TABLE parted_numbers_%s PARTITION OF parted_numbers FOR VALUES FROM (%s) TO (%s)', n, n, n + 1)
FROM generate_series(0, 999) AS n \gexec

-- Version 1 keys
CREATE TABLE v1 AS
SELECT uuid_v6_to_v1(uuid_generate_v6()) AS id FROM generate_series(1, (5e6 * :scale)::int);
CREATE TABLE v1_shuffled AS SELECT id FROM v1 ORDER BY md5(id::text);

-- New rows
CREATE TABLE unguarded (id uuid PRIMARY KEY DEFAULT uuid_generate_v7(), value int);
CREATE TABLE checked (id uuid PRIMARY KEY DEFAULT uuid_generate_v7() CHECK (uuid_is_v7(id)), value int);
CREATE TABLE guarded (id uuid PRIMARY KEY DEFAULT uuid_generate_v7(), value int);
SELECT 'CREATE TABLE of_server (id uuid PRIMARY KEY DEFAULT uuidv7(), value int)' WHERE to_regprocedure('pg_catalog.uuidv7()') IS NOT NULL \gexec
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON guarded FOR EACH ROW EXECUTE FUNCTION uuid_guard('id', '5 minutes');
VACUUM ANALYZE;

-- Bounds by hand answer the same as the predicate.
INSERT INTO cases (what, units, statement, preparation, topic)
SELECT format('%s of %s%s, %s', answer, part, suffix, way), times,
       format('DO $do$ BEGIN FOR i IN 1..%s LOOP EXECUTE %L; END LOOP; END $do$', times,
              format('SELECT %s FROM %I WHERE ' || condition, answer, name, lower(period), upper(period))),
       'SET uuidx.time_planning = ' || CASE way WHEN 'off' THEN 'off' ELSE 'on' END, 'query'
FROM (VALUES ('events', '', ' AND uuid_version(id) = 7'), ('strict_events', ', strict CHECK', '')) AS tables (name, suffix, recheck),
     (VALUES ('1 %', tstzrange '[2026-02-10, 2026-02-11)', 5),
             ('0.01 %', '[2026-02-10 12:00:00, 2026-02-10 12:14:24)', 100)) AS parts (part, period, repeated),
     unnest(ARRAY['count(*)', 'sum(value)']) AS answer,
     (VALUES (1, 'on', 'uuid_time(id) >= %L AND uuid_time(id) < %L'),
             (2, 'by hand', 'id >= uuid_v7_from(%L) AND id < uuid_v7_from(%L)'),
             (3, 'off', 'uuid_time(id) >= %L AND uuid_time(id) < %L')) AS ways (n, way, plain),
     LATERAL (SELECT plain || CASE way WHEN 'by hand' THEN recheck ELSE '' END, CASE way WHEN 'off' THEN 1 ELSE repeated END) AS t (condition, times)
ORDER BY name, part DESC, answer, n;
INSERT INTO comparisons (what, peer, at_most)
SELECT format('%s of %s%s, on', answer, part, suffix), format('%s of %s%s, %s', answer, part, suffix, peer), at_most
FROM (VALUES ('1 %', 'off', 0.05), ('0.01 %', 'off', 0.01), ('1 %', 'by hand', 1.1), ('0.01 %', 'by hand', 1.1)) AS goals (part, peer, at_most),
     unnest(ARRAY['count(*)', 'sum(value)']) AS answer, unnest(ARRAY['', ', strict CHECK']) AS suffix;

-- Planning in two sessions, of which one has loaded uuidx. Where a session has its memory makes up to a fifth of the time, so
-- each round has new ones, which have planned the query before.
CREATE FUNCTION planning(session text, query text, times int) RETURNS text LANGUAGE sql AS $$
    SELECT format('SELECT * FROM dblink(%L, %L) AS plans (done text)', session, format('SELECT plan_query(%L, %s)', query, times))
$$;
CREATE FUNCTION connect(session text, query text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF session = ANY (dblink_get_connections()) THEN
        PERFORM dblink_disconnect(session);
    END IF;
    PERFORM dblink_connect(session, format('host=%s dbname=%s', split_part(current_setting('unix_socket_directories'), ',', 1), current_database())),
            dblink_exec(session, 'LOAD ' || quote_literal(CASE session WHEN 'with' THEN 'uuidx' ELSE 'plpgsql' END));
    EXECUTE planning(session, query, 1);
END $$;
CREATE TABLE planned (topic text, name text, way text, session text, query text, times int);
INSERT INTO planned
SELECT 'without times', name, way, session, query, times * :scale
FROM (VALUES ('a row by its key', 'SELECT value FROM numbers WHERE n = 5', 2e5),
             ('a join of four', 'SELECT count(*) FROM numbers AS a JOIN numbers AS b USING (n) JOIN numbers AS c USING (n) JOIN numbers AS d USING (n)', 1e4),
             ('a range of keys',
              format('SELECT value FROM strict_events WHERE id >= %L AND id < %L', uuid_v7_from('2026-02-10'), uuid_v7_from('2026-02-11')), 1e5),
             ('a thousand partitions', 'SELECT sum(value) FROM parted_numbers', 100)) AS queries (name, query, times),
     (VALUES ('without', 'without'), ('with uuidx', 'with')) AS ways (way, session);
INSERT INTO planned
SELECT 'with times', name, way, 'with', format('SELECT sum(value) FROM %s WHERE %s', relation, format(bound, moment)), times * :scale
FROM (VALUES ('one bound', 'strict_events', '2026-04-10 23:00+00', 1e5),
             ('one bound, one of a thousand partitions', 'parted', '2026-04-10 23:00+00', 1e5),
             ('one bound, all of a thousand partitions', 'parted', '2026-01-01 00:00+00', 100)) AS queries (name, relation, moment, times),
     (VALUES ('by hand', 'id >= uuid_v7_from(%L)'), ('uuid_time', 'uuid_time(id) >= %L')) AS ways (way, bound);
INSERT INTO cases (what, units, statement, preparation, topic)
SELECT format('%s, %s', name, way), times, planning(session, query, times), format('SELECT connect(%L, %L)', session, query), topic FROM planned;
INSERT INTO comparisons (what, peer, at_most, more_ns) VALUES
    ('a row by its key, with uuidx', 'a row by its key, without', 1.02, NULL),
    ('a join of four, with uuidx', 'a join of four, without', 1.02, NULL),
    ('a thousand partitions, with uuidx', 'a thousand partitions, without', 1.02, NULL),
    ('a range of keys, with uuidx', 'a range of keys, without', 1.2, NULL),
    ('one bound, uuid_time', 'one bound, by hand', 1, 5000),
    ('one bound, one of a thousand partitions, uuid_time', 'one bound, one of a thousand partitions, by hand', 1, 5000),
    ('one bound, all of a thousand partitions, uuid_time', 'one bound, all of a thousand partitions, by hand', 1.02, NULL);

INSERT INTO cases (what, units, statement, preparation, topic)
SELECT format('%s, %s', manner, way), rows, format(statement, name, rows), 'TRUNCATE ' || name, 'insert'
FROM (VALUES ('all in one statement', 'INSERT INTO %s (value) SELECT generate_series(1, %s)', (1e6 * :scale)::int),
             ('a statement for each', 'DO $do$ BEGIN FOR i IN 1..%2$s LOOP INSERT INTO %1$s (value) VALUES (i); END LOOP; END $do$',
              (1e5 * :scale)::int)) AS manners (manner, statement, rows),
     (VALUES ('neither', 'unguarded'), ('CHECK', 'checked'), ('uuid_guard', 'guarded'), ('uuidv7', 'of_server')) AS ways (way, name)
WHERE to_regclass(name) IS NOT NULL;
INSERT INTO comparisons (what, peer, at_most) VALUES
    ('a statement for each, CHECK', 'a statement for each, neither', 1.3), ('a statement for each, CHECK', 'a statement for each, uuidv7', 1);

INSERT INTO cases (what, units, statement, preparation, topic)
SELECT format('%s, %s', keys, opclass), 1, format('CREATE INDEX built ON %s (id %s)', name, opclass),
       'DROP INDEX IF EXISTS built', 'index'
FROM (VALUES ('in order', 'v1'), ('shuffled', 'v1_shuffled')) AS t (keys, name),
     unnest(ARRAY['uuid_ops', 'uuid_time_ops']) AS opclass;

CALL run_rounds(:rounds);

-- How many rows the planner expects in a period, by the key and by a stored creation time
CREATE FUNCTION q_error(expected float, found float) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
    SELECT (greatest(expected, found, 1) / greatest(least(expected, found), 1))::numeric
$$;
CREATE FUNCTION expected_rows(query text) RETURNS float LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END $$;
CREATE TABLE estimates (what text, by_key numeric, by_created_at numeric);
CREATE PROCEDURE estimate(what text, relation regclass, first timestamptz, last timestamptz) LANGUAGE plpgsql AS $$
DECLARE
    found bigint;
    query text := format('SELECT * FROM %s WHERE %%s >= %L AND %%1$s < %L', relation, first, last);
BEGIN
    EXECUTE format('SELECT count(*) FROM %s WHERE created_at >= $1 AND created_at < $2', relation) INTO found USING first, last;
    INSERT INTO estimates VALUES (what, q_error(expected_rows(format(query, 'uuid_time(id)')), found),
                                  q_error(expected_rows(format(query, 'created_at')), found));
END $$;
CREATE FUNCTION make_estimated(relation text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE %I (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), created_at timestamptz)', relation);
    EXECUTE format('CREATE INDEX ON %I (created_at)', relation);
END $$;
SELECT make_estimated(relation) FROM unnest(ARRAY['uniform', 'bursts', 'growing']) AS relation \g /dev/null
RESET uuidx.time_planning;
SELECT setseed(0.5) \g /dev/null
INSERT INTO uniform SELECT uuid_generate_v7_at(created), created
FROM generate_series(0, (3e6 * :scale)::int - 1) AS n, LATERAL (SELECT timestamptz '2026-01-01' + n / :scale * interval '2.88 s') AS m (created);
-- Two thousand bursts of 15 minutes, some much larger than others
CREATE TABLE starts AS SELECT k, timestamptz '2026-01-01' + random() * interval '100 days' AS started FROM generate_series(0, 1999) AS k;
INSERT INTO bursts SELECT uuid_generate_v7_at(created), created
FROM (SELECT floor(2000 * random() ^ 2) AS k, random() * interval '15 min' AS later FROM generate_series(1, (3e6 * :scale)::int)) AS r
JOIN starts USING (k), LATERAL (SELECT started + later) AS m (created);
-- Up to now, the last sixth since ANALYZE
CREATE FUNCTION moment_before(n float) RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT now() - n * interval '2.88 s' $$;
INSERT INTO growing SELECT uuid_generate_v7_at(created), created
FROM generate_series((0.5e6 * :scale)::int, (3e6 * :scale)::int) AS n, moment_before(n / :scale) AS created;
DO $$ BEGIN IF current_setting('server_version_num')::int >= 150000 THEN PERFORM pg_stat_force_next_flush(); END IF; END $$;
VACUUM ANALYZE uniform, bursts, growing;
INSERT INTO growing SELECT uuid_generate_v7_at(created), created
FROM generate_series(1, (0.5e6 * :scale)::int - 1) AS n, moment_before(n / :scale) AS created;
SELECT now() AS until \gset
DO $$ BEGIN IF current_setting('server_version_num')::int >= 150000 THEN PERFORM pg_stat_force_next_flush(); END IF; END $$;
SELECT format('CALL estimate(%L, %L, %L, %L)', length || ', ' || relation, relation, first, first + length::interval)
FROM (SELECT length, relation, '2026-01-01'::timestamptz + random() * interval '99 days' AS first
      FROM (VALUES ('1 hour', 'uniform'), ('1 day', 'uniform'), ('1 hour', 'bursts')) AS t (length, relation), generate_series(1, 200)) AS p \gexec
SELECT format('CALL estimate(%L, %L, %L, %L)', 'last 1 to 20 minutes, a fifth more rows since ANALYZE', 'growing',
              :'until'::timestamptz - (1 + 19 * random()) * interval '1 min', 'infinity') FROM generate_series(1, 200) \gexec
SELECT format('CALL estimate(%L, %L, %L, %L)', '20 minutes that ended an hour ago, a fifth more rows since ANALYZE', 'growing',
              :'until'::timestamptz - n * interval '1 s' - interval '80 min', :'until'::timestamptz - n * interval '1 s' - interval '60 min')
FROM generate_series(1, 200) AS n \gexec
CREATE VIEW errors AS
SELECT what, quantile, percentile_cont(quantile) WITHIN GROUP (ORDER BY by_key)::numeric AS by_key,
       percentile_cont(quantile) WITHIN GROUP (ORDER BY by_created_at)::numeric AS by_created_at
FROM estimates, unnest(ARRAY[0.5, 0.95]) AS quantile GROUP BY what, quantile;
ALTER VIEW goals RENAME TO goals_of_times;
CREATE VIEW goals AS
TABLE goals_of_times
UNION ALL
SELECT format('q-error of %s at %s', what, quantile), 'created_at', (by_key / by_created_at)::numeric(12, 3), NULL, 1.02,
       CASE WHEN by_key <= 1.02 * by_created_at THEN 'met' ELSE 'MISSED' END
FROM errors;

-- The plans that the document speaks of.
RESET uuidx.time_planning;
EXPLAIN (COSTS OFF) SELECT count(*) FROM events WHERE uuid_time(id) >= '2026-02-10' AND uuid_time(id) < '2026-02-11';
EXPLAIN (COSTS OFF) SELECT sum(value) FROM events WHERE uuid_time(id) >= '2026-02-10' AND uuid_time(id) < '2026-02-11';
EXPLAIN (COSTS OFF) SELECT count(*) FROM strict_events WHERE uuid_time(id) >= '2026-02-10' AND uuid_time(id) < '2026-02-11';
EXPLAIN (COSTS OFF) SELECT sum(value) FROM parted WHERE uuid_time(id) >= '2026-04-10 23:00+00';
SET uuidx.time_planning = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM events WHERE uuid_time(id) >= '2026-02-10' AND uuid_time(id) < '2026-02-11';
