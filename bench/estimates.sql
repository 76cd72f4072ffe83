SELECT (300000 * :scale)::int AS rows, (10000000 * :scale)::int AS large_rows \gset

-- Databases, what is in their tables, and how their keys are converted
CREATE TABLE shapes (n int GENERATED ALWAYS AS IDENTITY, name text, rows int DEFAULT :rows, tables text, conversion text);
INSERT INTO shapes (name, tables, conversion) VALUES
    ('narrow', 'a key of version 1 and a number', 'v1_to_v6'),
    ('wide', 'rows of 600 octets', 'to_v7'),
    ('indexed', 'six indexes', 'to_v7'),
    ('referenced', 'a key, and three columns that reference it', 'to_v7'),
    ('numbers', 'numbers, and a column that references them', 'bigint_to_v7'),
    ('texts', 'UUIDs as texts, and a column that references them', 'text_to_uuid');
INSERT INTO shapes (name, rows, tables, conversion) VALUES ('large', :large_rows, 'a key, and a column that references it', 'to_v7');

INSERT INTO cases (what, statement, units)
SELECT format('%s, %s, %s %s', name, mode, source, measure), '', 1
FROM shapes, unnest('{offline,online}'::text[]) AS mode, unnest('{said,found}'::text[]) AS source, unnest('{time,disk,WAL}'::text[]) AS measure
ORDER BY n, mode;
INSERT INTO comparisons (what, peer, at_most)
SELECT format('%s, %s, %s time', name, mode, one), format('%s, %s, %s time', name, mode, other), 1.5
FROM shapes, unnest('{offline,online}'::text[]) AS mode, (VALUES ('said', 'found'), ('found', 'said')) AS pair (one, other)
ORDER BY n, mode;

-- What was said, what was found, and the ratio
CREATE FUNCTION said_and_found(what text, divisor numeric) RETURNS text LANGUAGE sql STABLE AS $$
SELECT concat_ws(' | ', short(s.ns_per_unit / divisor), short(f.ns_per_unit / divisor), short(ratio(s.what, f.what)))
FROM medians AS s, medians AS f
WHERE (s.what, f.what) = (replace($1, '?', 'said'), replace($1, '?', 'found')) $$;
CREATE VIEW results AS
SELECT s.tables, to_char(s.rows, 'FM999,999,999') AS rows, '`' || s.conversion || '`' AS conversion, mode,
       said_and_found(what || 'time', 1) AS seconds, said_and_found(what || 'disk', 1e6) AS disk, said_and_found(what || 'WAL', 1e6) AS wal
FROM shapes AS s, unnest('{offline,online}'::text[]) AS mode, concat(s.name, ', ', mode, ', ? ') AS what
ORDER BY s.n, mode;

CREATE DATABASE empty TEMPLATE template0;
\connect empty
SET client_min_messages = warning;
CREATE EXTENSION uuidx_migrate CASCADE;
CREATE SCHEMA s;
CREATE FUNCTION created(n int) RETURNS timestamptz LANGUAGE sql AS $$ SELECT timestamptz '2020-01-01 00:00:00+00' + n * interval '1 second' $$;
\connect postgres
SELECT format('CREATE DATABASE %I TEMPLATE empty', name) FROM shapes ORDER BY n \gexec

\connect narrow
CREATE TABLE s.k (id uuid PRIMARY KEY, n int);
INSERT INTO s.k SELECT uuid_v6_to_v1(uuid_generate_v6()), n FROM generate_series(1, :rows) AS n;
VACUUM ANALYZE;

\connect wide
CREATE TABLE s.k (id uuid PRIMARY KEY, created timestamptz, content text);
INSERT INTO s.k SELECT gen_random_uuid(), created(n), repeat(md5(n::text), 18) FROM generate_series(1, :rows) AS n;
VACUUM ANALYZE;

\connect indexed
CREATE TABLE s.k (id uuid PRIMARY KEY, created timestamptz, a int, b int, c text, d text);
INSERT INTO s.k SELECT gen_random_uuid(), created(n), n, n % 1000, md5(n::text), n % 1000 FROM generate_series(1, :rows) AS n;
CREATE INDEX ON s.k (created);
CREATE INDEX ON s.k (a);
CREATE INDEX ON s.k (b);
CREATE INDEX ON s.k (c);
CREATE INDEX ON s.k (d);
VACUUM ANALYZE;

\connect referenced
CREATE TABLE s.k (id uuid PRIMARY KEY, n int UNIQUE, created timestamptz);
INSERT INTO s.k SELECT gen_random_uuid(), n, created(n) FROM generate_series(1, :rows) AS n;
CREATE TABLE s.a AS SELECT id AS k, md5(n::text) AS content FROM s.k ORDER BY md5(n::text);
CREATE TABLE s.b AS SELECT id AS k, CASE WHEN n % 2 = 0 THEN id END AS other FROM s.k ORDER BY md5(n::text) DESC;
CREATE INDEX ON s.a (k);
CREATE INDEX ON s.b (k);
ALTER TABLE s.a ADD FOREIGN KEY (k) REFERENCES s.k;
ALTER TABLE s.b ADD FOREIGN KEY (k) REFERENCES s.k, ADD FOREIGN KEY (other) REFERENCES s.k;
VACUUM ANALYZE;

\connect numbers
CREATE TABLE s.k (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, created timestamptz, content text);
INSERT INTO s.k (created, content) SELECT created(n), md5(n::text) FROM generate_series(1, :rows) AS n;
CREATE TABLE s.r AS SELECT id AS k, content FROM s.k ORDER BY content;
CREATE INDEX ON s.r (k);
ALTER TABLE s.r ADD FOREIGN KEY (k) REFERENCES s.k;
VACUUM ANALYZE;

\connect texts
CREATE TABLE s.k (id text PRIMARY KEY, content text);
INSERT INTO s.k SELECT gen_random_uuid(), md5(n::text) FROM generate_series(1, :rows) AS n;
CREATE TABLE s.r AS SELECT id AS k, content FROM s.k ORDER BY content;
CREATE INDEX ON s.r (k);
ALTER TABLE s.r ADD FOREIGN KEY (k) REFERENCES s.k;
VACUUM ANALYZE;

\connect large
CREATE TABLE s.k (id uuid PRIMARY KEY, created timestamptz);
INSERT INTO s.k SELECT gen_random_uuid(), created(n) FROM generate_series(1, :large_rows) AS n;
CREATE TABLE s.r AS SELECT id AS k, created FROM s.k ORDER BY id;
CREATE INDEX ON s.r (k);
ALTER TABLE s.r ADD FOREIGN KEY (k) REFERENCES s.k;
VACUUM ANALYZE;
\connect postgres
