-- Tables that grow, each with another key.
SELECT (5e5 * :scale)::int AS step \gset

CREATE TABLE tables (n int GENERATED ALWAYS AS IDENTITY, key text, type text);
INSERT INTO tables (key, type) VALUES ('bigint identity', 'bigint GENERATED ALWAYS AS IDENTITY'),
    ('uuid_generate_v7()', 'uuid DEFAULT uuid_generate_v7()'), ('gen_random_uuid()', 'uuid DEFAULT gen_random_uuid()');
SELECT format('CREATE TABLE %I (id %s PRIMARY KEY, n int)', key, type) FROM tables ORDER BY n \gexec

INSERT INTO cases (what, statement, units, topic)
SELECT format('%s, %s', key, step), '', :step, key FROM generate_series(1, 20) AS step, tables ORDER BY step, n;

INSERT INTO comparisons (what, peer, at_most) VALUES
    ('uuid_generate_v7(), 20', 'bigint identity, 20', 1.3),
    ('uuid_generate_v7(), 20', 'gen_random_uuid(), 20', 0.5);

CREATE TABLE sizes (what text, wal_bytes float, index_bytes bigint);
