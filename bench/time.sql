-- bench/time: the variables rounds and scale say how much.
SET client_min_messages = warning;
SET timezone = 'UTC';
CREATE EXTENSION uuidx;
\ir rounds.sql

-- Version 7 keys of a hundred days
CREATE TABLE events (id uuid PRIMARY KEY, value int);
INSERT INTO events
SELECT uuid_generate_v7_at(timestamptz '2026-01-01' + n / :scale * interval '0.864 s'), n
FROM generate_series(0, (1e7 * :scale)::int - 1) AS n;
VACUUM ANALYZE events;

-- Version 1 keys, as they were made and in no order
CREATE TABLE v1 AS
SELECT uuid_v6_to_v1(uuid_generate_v6()) AS id FROM generate_series(1, (5e6 * :scale)::int);
CREATE TABLE v1_shuffled AS SELECT id FROM v1 ORDER BY md5(id::text);
VACUUM ANALYZE v1, v1_shuffled;

INSERT INTO cases (what, units, statement)
SELECT format('%s of %s by %s', verb, part, way), 1,
       format('SELECT %s FROM events WHERE ' || condition, answer, period)
FROM (VALUES ('1 %', '[2026-02-10, 2026-02-11)'),
             ('0.01 %', '[2026-02-10 12:00:00, 2026-02-10 12:14:24)')) AS parts (part, period),
     (VALUES ('count', 'count(*)'), ('sum', 'sum(value)')) AS verbs (verb, answer),
     (VALUES ('uuid_v7_in', 'uuid_v7_in(id, %L)'),
             ('uuid_time', 'uuid_time(id) <@ tstzrange %L')) AS ways (way, condition)
ORDER BY part DESC, verb, way;

INSERT INTO cases (what, units, statement, preparation)
SELECT format('index on %s keys, %s', t.what, o.what), 1, format('CREATE INDEX built ON %s (id %s)', t.name, o.name),
       'DROP INDEX IF EXISTS built'
FROM (VALUES ('ordered', 'v1'), ('shuffled', 'v1_shuffled')) AS t (what, name),
     (VALUES ('uuid_ops', 'uuid_ops'), ('uuid_time_ops', 'uuid_time_ops')) AS o (what, name);

INSERT INTO comparisons (what, peer, at_most) VALUES
    ('count of 1 % by uuid_v7_in', 'count of 1 % by uuid_time', 0.05),
    ('sum of 1 % by uuid_v7_in', 'sum of 1 % by uuid_time', 0.05),
    ('count of 0.01 % by uuid_v7_in', 'count of 0.01 % by uuid_time', 0.01),
    ('sum of 0.01 % by uuid_v7_in', 'sum of 0.01 % by uuid_time', 0.01),
    ('index on ordered keys, uuid_time_ops', 'index on ordered keys, uuid_ops', 1.1),
    ('index on shuffled keys, uuid_time_ops', 'index on shuffled keys, uuid_ops', 1.1);
CALL run_rounds(:rounds);

-- The plans are those that are meant.
EXPLAIN (COSTS OFF) SELECT count(*) FROM events WHERE uuid_v7_in(id, '[2026-02-10, 2026-02-11)');
EXPLAIN (COSTS OFF) SELECT sum(value) FROM events WHERE uuid_v7_in(id, '[2026-02-10, 2026-02-11)');
EXPLAIN (COSTS OFF) SELECT count(*) FROM events WHERE uuid_time(id) <@ tstzrange '[2026-02-10, 2026-02-11)';
