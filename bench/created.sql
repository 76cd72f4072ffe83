SET timezone = 'UTC';
SELECT current_setting('server_version_num')::int >= 180000 AS has_virtual_columns \gset

-- The creation time only in the key: a virtual column of the table or, before PostgreSQL 18, of a view
\if :has_virtual_columns
CREATE TABLE virtual (
    id         uuid PRIMARY KEY DEFAULT uuid_generate_v7() CHECK (uuid_is_v7(id)),
    value      int,
    created_at timestamptz GENERATED ALWAYS AS (uuid_extract_timestamp(id)) VIRTUAL
);
\set table virtual
\else
CREATE TABLE keys (id uuid PRIMARY KEY DEFAULT uuid_generate_v7() CHECK (uuid_is_v7(id)), value int);
CREATE VIEW virtual AS SELECT id, value, uuid_time(id) AS created_at FROM keys;
\set table keys
\endif

-- The same, stored and indexed. Rows of one statement get times of their own, as those of many transactions do.
CREATE TABLE stored (id uuid PRIMARY KEY DEFAULT uuid_generate_v7(), value int, created_at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE INDEX ON stored (created_at);

-- Rows of a hundred days
CREATE VIEW moments AS
SELECT n, '2026-01-01'::timestamptz + n / :scale * interval '2.88 s' AS moment FROM generate_series(0, (3e6 * :scale)::int - 1) AS n;
INSERT INTO virtual (id, value) SELECT uuid_generate_v7_at(moment), n FROM moments;
INSERT INTO stored SELECT uuid_generate_v7_at(moment), n, moment FROM moments;
VACUUM ANALYZE;

CREATE VIEW bytes AS
SELECT name, (pg_total_relation_size(relation)::numeric / (SELECT count(*) FROM stored))::numeric(6, 1) AS per_row
FROM (VALUES ('virtual', :'table'::regclass), ('stored', 'stored')) AS t (name, relation);

CREATE TABLE new_virtual (LIKE :table INCLUDING ALL);
CREATE TABLE new_stored (LIKE stored INCLUDING ALL);
INSERT INTO cases (what, units, statement, preparation, topic)
SELECT 'insert, ' || way, rows, format('INSERT INTO new_%s (value) SELECT generate_series(1, %s)', way, rows), 'TRUNCATE new_' || way, 'inserts'
FROM unnest(ARRAY['virtual', 'stored']) AS way, CAST(1e6 * :scale AS int) AS rows;

CALL run_rounds(:rounds);

-- These are timed outside, from a client.
CREATE TABLE queries (n int GENERATED ALWAYS AS IDENTITY, name text, query text, times int);
INSERT INTO queries (name, query, times) VALUES
    ('rows of an hour', 'SELECT sum(value) FROM %I WHERE created_at >= ''2026-02-10 12:00'' AND created_at < ''2026-02-10 13:00''', 3000),
    ('latest 20', 'SELECT * FROM %I ORDER BY created_at DESC LIMIT 20', 5000),
    ('min and max', 'SELECT min(created_at), max(created_at) FROM %I', 5000),
    ('page by keyset',
     (SELECT format('SELECT * FROM %%I WHERE (created_at, id) < (%L, %L) ORDER BY created_at DESC, id DESC LIMIT 20', created_at, id)
      FROM virtual WHERE value = (1e6 * :scale)::int), 5000),
    ('rows per day', 'SELECT date_trunc(''day'', created_at), count(*) FROM %I GROUP BY 1', 2);
INSERT INTO cases (what, units, statement, preparation, topic)
SELECT format('%s, %s', name, way), CASE planning WHEN 'on' THEN q.times ELSE 1 END, format(query, relation), 'uuidx.time_planning=' || planning, 'queries'
FROM queries AS q, (VALUES (1, 'virtual', 'virtual', 'on'), (2, 'stored', 'stored', 'on'), (3, 'off', 'virtual', 'off')) AS ways (n, way, relation, planning)
ORDER BY q.n, ways.n;

INSERT INTO comparisons (what, peer, at_most)
SELECT name || ', virtual', name || ', stored', CASE name WHEN 'insert' THEN 0.83 ELSE 1.1 END
FROM (SELECT 0, 'insert' UNION ALL SELECT n, name FROM queries) AS t (n, name) ORDER BY n;

ALTER VIEW goals RENAME TO goals_of_times;
CREATE VIEW goals AS
TABLE goals_of_times
UNION ALL
SELECT 'bytes, virtual', 'bytes, stored', (v.per_row / s.per_row)::numeric(12, 3), NULL, 0.76, CASE WHEN v.per_row <= 0.76 * s.per_row THEN 'met' ELSE 'MISSED' END
FROM bytes AS v, bytes AS s WHERE v.name = 'virtual' AND s.name = 'stored';

-- The plans that the document speaks of
SELECT format('EXPLAIN (COSTS OFF) ' || query, relation) FROM queries, unnest(ARRAY['virtual', 'stored']) AS relation ORDER BY n, relation DESC \gexec
