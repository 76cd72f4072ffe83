SET timezone = 'UTC';

-- Version 7 keys of a hundred days
CREATE TABLE events (id uuid PRIMARY KEY, value int);
INSERT INTO events
SELECT uuid_generate_v7_at(timestamptz '2026-01-01' + n / :scale * interval '0.864 s'), n
FROM generate_series(0, (1e7 * :scale)::int - 1) AS n;

-- Version 1 keys
CREATE TABLE v1 AS
SELECT uuid_v6_to_v1(uuid_generate_v6()) AS id FROM generate_series(1, (5e6 * :scale)::int);
CREATE TABLE v1_shuffled AS SELECT id FROM v1 ORDER BY md5(id::text);
VACUUM ANALYZE;

INSERT INTO cases (what, units, statement)
SELECT format('%s of %s, %s', answer, part, way), 1,
       format('SELECT %s FROM events WHERE ' || condition, answer, period)
FROM (VALUES ('1 %', '[2026-02-10, 2026-02-11)'),
             ('0.01 %', '[2026-02-10 12:00:00, 2026-02-10 12:14:24)')) AS parts (part, period),
     unnest(ARRAY['count(*)', 'sum(value)']) AS answer,
     (VALUES ('uuid_v7_in', 'uuid_v7_in(id, %L)'),
             ('uuid_time', 'uuid_time(id) <@ tstzrange %L')) AS ways (way, condition)
ORDER BY part DESC, answer, way;

INSERT INTO cases (what, units, statement, preparation)
SELECT format('%s, %s', keys, opclass), 1, format('CREATE INDEX built ON %s (id %s)', name, opclass),
       'DROP INDEX IF EXISTS built'
FROM (VALUES ('in order', 'v1'), ('shuffled', 'v1_shuffled')) AS t (keys, name),
     unnest(ARRAY['uuid_ops', 'uuid_time_ops']) AS opclass;

INSERT INTO comparisons (what, peer, at_most) VALUES
    ('count(*) of 1 %, uuid_v7_in', 'count(*) of 1 %, uuid_time', 0.05),
    ('sum(value) of 1 %, uuid_v7_in', 'sum(value) of 1 %, uuid_time', 0.05),
    ('count(*) of 0.01 %, uuid_v7_in', 'count(*) of 0.01 %, uuid_time', 0.01),
    ('sum(value) of 0.01 %, uuid_v7_in', 'sum(value) of 0.01 %, uuid_time', 0.01);
CALL run_rounds(:rounds);

-- The plans that the document speaks of.
EXPLAIN (COSTS OFF) SELECT count(*) FROM events WHERE uuid_v7_in(id, '[2026-02-10, 2026-02-11)');
EXPLAIN (COSTS OFF) SELECT sum(value) FROM events WHERE uuid_v7_in(id, '[2026-02-10, 2026-02-11)');
EXPLAIN (COSTS OFF) SELECT count(*) FROM events WHERE uuid_time(id) <@ tstzrange '[2026-02-10, 2026-02-11)';
