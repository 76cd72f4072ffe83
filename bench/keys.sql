INSERT INTO cases (what, statement, units)
SELECT concat(measure, mode, ', ', scripts), '', 1
FROM unnest('{"","WAL "}'::text[]) AS measure, unnest('{offline,online}'::text[]) AS mode, unnest('{all,each}'::text[]) AS scripts
UNION ALL
SELECT what, '', 1 FROM unnest('{locked,estimated}'::text[]) AS what;
INSERT INTO comparisons (what, peer, at_most)
SELECT concat('WAL ', mode, ', all'), concat('WAL ', mode, ', each'), 0.5 FROM unnest('{offline,online}'::text[]) AS mode;
INSERT INTO comparisons (what, peer, at_most) VALUES ('locked', 'estimated', 1.5), ('estimated', 'locked', 1.5);

-- Tables with a key each, which reference up to four of those before them: 3.5 columns on average. The number of a row says
-- to which rows it refers, and so which references are wrong after a migration.
CREATE DATABASE many TEMPLATE template0;
\connect many
SET client_min_messages = warning;
CREATE EXTENSION uuidx_migrate CASCADE;
CREATE SCHEMA shop;
SELECT (50000 * :scale)::int AS rows, 20 AS tables \gset
CREATE TABLE refs AS
SELECT t, r, 'r' || r AS name, (7 * t + 13 * r) % (t - 1) + 1 AS key, format('(%s::bigint * n %% %s)::int + 1', 7919 + r, :rows) AS number
FROM generate_series(2, :tables) AS t, generate_series(1, 4) AS r WHERE r <= 1 + t % 4;
SELECT format('CREATE TABLE shop.t%s (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int UNIQUE, created timestamptz, name text%s)', t,
              string_agg(', ' || r.name || ' uuid NOT NULL REFERENCES shop.t' || r.key, '' ORDER BY r.r)),
       format('INSERT INTO shop.t%s SELECT gen_random_uuid(), s.n, s.created, s.name%s FROM (SELECT n, timestamptz ''2020-01-01 00:00:00+00'' + n * interval ''1 second'', md5(n::text)%s
               FROM generate_series(1, %s) AS n) AS s (n, created, name%s)%s', t,
              string_agg(', ' || r.name || '.id', '' ORDER BY r.r), string_agg(', ' || r.number, '' ORDER BY r.r), :rows,
              string_agg(', ' || r.name, '' ORDER BY r.r), string_agg(' JOIN shop.t' || r.key || format(' AS %1$s ON %1$s.n = s.%1$s', r.name), '' ORDER BY r.r))
FROM generate_series(1, :tables) AS t LEFT JOIN refs AS r USING (t) GROUP BY t ORDER BY t \gexec
SELECT format('CREATE INDEX ON shop.t%s (%s)', t, name) FROM refs ORDER BY t, r \gexec
CREATE TABLE checks AS
SELECT format('SELECT count(*) FROM shop.t%s WHERE uuid_version(id) <> 7 OR uuid_time(id) <> created', t) AS count_of_wrong FROM generate_series(1, :tables) AS t
UNION ALL
SELECT format('SELECT count(*) FROM shop.t%s AS c JOIN shop.t%s AS k ON k.id = c.%s WHERE k.n <> (SELECT %s FROM (SELECT c.n) AS s (n))', t, key, name, number) FROM refs;
VACUUM ANALYZE;
\connect postgres
