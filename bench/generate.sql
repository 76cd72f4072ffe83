-- The extensions that the server has, each in a schema: in_uuidx_ossp and so on.
SELECT format('CREATE SCHEMA %I', s), format('CREATE EXTENSION %I SCHEMA %I', name, s)
FROM pg_available_extensions, concat('in_', replace(name, '-', '_')) AS s
WHERE name IN ('uuidx_ossp', 'uuid-ossp', 'pg_uuidv7') \gexec

-- Version 7 as it is often pasted: the time is written over a version 4 UUID.
CREATE FUNCTION pasted_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
    SELECT encode(set_bit(set_bit(overlay(
        uuid_send(gen_random_uuid())
        PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
        FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid
$$;

INSERT INTO cases (topic, what, statement, units, preparation)
SELECT topic, concat_ws(', ', replace(call, 'in_', ''), setting), format('SELECT count(%s) FROM generate_series(1, %s)', call, n), n,
       concat('RESET uuidx.v7_method; RESET uuidx.v7_order; ',
              CASE WHEN setting = 'server' THEN 'SET uuidx.v7_order = server' ELSE 'SET uuidx.v7_method = ' || setting END)
FROM (VALUES
    ('calls', 'constant_uuid()', NULL, 3e6),
    ('calls', 'clock_timestamp()', NULL, 3e6),
    ('calls', 'uuid_generate_v7()', NULL, 3e6),
    ('calls', 'uuid_generate_v7()', 'server', 3e6),
    ('calls', 'gen_random_uuid()', NULL, 3e6),
    ('calls', 'uuidv7()', NULL, 3e6),
    ('calls', 'in_pg_uuidv7.uuid_generate_v7()', NULL, 3e6),
    ('calls', 'in_uuid_ossp.uuid_generate_v4()', NULL, 3e5),
    ('other-calls', 'uuid_generate_v7()', 'counter', 3e6),
    ('other-calls', 'uuid_generate_v7()', 'monotonic_random', 3e6),
    ('other-calls', 'uuid_generate_v6()', NULL, 3e6),
    ('other-calls', 'pasted_v7()', NULL, 3e5)
) AS v (topic, call, setting, full_size), CAST(full_size * :scale AS int) AS n
WHERE to_regprocedure(call) IS NOT NULL;

INSERT INTO cases (topic, what, statement, units, preparation)
SELECT topic, concat_ws(', ', call, setting), 'SELECT count(*) FROM ' || regexp_replace(call, '\mn\M', n::text), n,
       'RESET uuidx.v7_method; SET uuidx.v7_order = ' || coalesce(setting, 'session')
FROM (VALUES
    ('calls', 'uuid_generate_v7_batch(n)', NULL),
    ('calls', 'uuid_generate_v7_batch(n)', 'server'),
    ('other-calls', 'generate_series(1, n)', NULL)
) AS v (topic, call, setting), CAST(3e6 * :scale AS int) AS n;

-- The order of sessions and of the server with several sessions, which pgbench times
INSERT INTO cases (topic, what, statement, units)
SELECT 'sessions', format('%s, %s sessions', v7_order, n), 'SELECT count(uuid_generate_v7()) FROM generate_series(1, 10000)', 10000
FROM unnest(ARRAY[1, 2, 4, 8, 16]) AS n, unnest(ARRAY['session', 'server']) AS v7_order;

-- The first call in a session, which psql times
INSERT INTO cases (topic, what, statement, units)
SELECT 'first-calls', 'first: ' || replace(call, 'in_', ''), 'SELECT ' || call, 1
FROM unnest(ARRAY['gen_random_uuid()', 'uuidv7()', 'in_pg_uuidv7.uuid_generate_v7()', 'in_uuid_ossp.uuid_generate_v4()',
                  'uuid_generate_v7()', 'uuid_max()']) AS call
WHERE to_regprocedure(call) IS NOT NULL;

INSERT INTO cases (topic, what, statement, units)
SELECT 'uuid-ossp', replace(f, 'in_', ''),
       format('SELECT count(%s) FROM generate_series(1, %s) AS n', f, n), n
FROM unnest(ARRAY['in_uuidx_ossp', 'in_uuid_ossp']) AS s,
     unnest(ARRAY['v1()', 'v1mc()', 'v3(uuid_max(), n::text)', 'v4()', 'v5(uuid_max(), n::text)']) AS version,
     concat(s, '.uuid_generate_', version) AS f,
     CAST(3e5 * :scale AS int) AS n
WHERE to_regnamespace(s) IS NOT NULL
ON CONFLICT DO NOTHING;

-- Rows with a key and an integer
CREATE TABLE tables AS
SELECT 'rows: bigint identity' AS what, 'bigint GENERATED ALWAYS AS IDENTITY' AS type
UNION ALL
SELECT 'rows: ' || replace(call, 'in_', ''), 'uuid DEFAULT ' || call
FROM unnest(ARRAY['uuid_generate_v7()', 'uuidv7()', 'in_pg_uuidv7.uuid_generate_v7()', 'gen_random_uuid()']) AS call
WHERE to_regprocedure(call) IS NOT NULL;
SELECT format('CREATE TABLE %I (id %s PRIMARY KEY, n int)', what, type) FROM tables \gexec
INSERT INTO cases (topic, what, statement, units, preparation)
SELECT 'rows', what, format('INSERT INTO %I (n) SELECT generate_series(1, %s)', what, n), n,
       format('TRUNCATE %I', what)
FROM tables, CAST(1e6 * :scale AS int) AS n;

INSERT INTO comparisons (what, peer, at_most) VALUES
    ('uuid_generate_v7()', 'clock_timestamp()', 1.2),
    ('uuid_generate_v7()', 'uuidv7()', 0.111),
    ('uuid_generate_v7_batch(n)', 'generate_series(1, n)', 1.3),
    ('uuid_generate_v7(), server', 'uuid_generate_v7()', 1.15),
    ('uuid_generate_v7_batch(n), server', 'uuid_generate_v7_batch(n)', 1.1),
    ('server, 2 sessions', 'session, 2 sessions', 1.5),
    ('first: uuid_generate_v7()', 'first: pg_uuidv7.uuid_generate_v7()', 1.2),
    ('rows: uuid_generate_v7()', 'rows: bigint identity', 1.1);
CALL run_rounds(:rounds);
