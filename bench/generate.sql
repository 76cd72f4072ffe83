-- bench/generate, one session: the variables rounds and scale say how much.
SET client_min_messages = warning;
CREATE EXTENSION uuidx;
CREATE EXTENSION uuidx_peers;
CREATE EXTENSION uuidx_ossp;
CREATE SCHEMA ossp;
CREATE EXTENSION "uuid-ossp" SCHEMA ossp;
\ir rounds.sql

SELECT to_regprocedure('pg_catalog.uuidv7()') IS NOT NULL AS has_uuidv7 \gset

-- Version 7 as people paste it: a version 4 UUID, over which the time is written.
CREATE FUNCTION plpgsql_v7() RETURNS uuid LANGUAGE plpgsql VOLATILE PARALLEL SAFE AS $$
BEGIN
    RETURN encode(set_bit(set_bit(overlay(
        uuid_send(gen_random_uuid())
        PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
        FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid;
END
$$;
CREATE FUNCTION sql_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
    SELECT encode(set_bit(set_bit(overlay(
        uuid_send(gen_random_uuid())
        PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
        FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid;
$$;

CREATE FUNCTION calls(expression text, n int) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT format('SELECT count(%s) FROM generate_series(1, %s) AS n', expression, n) $$;

INSERT INTO cases (what, statement, units, preparation)
SELECT what, calls(expression, n), n, 'SET uuidx.v7_method = ' || method
FROM (VALUES
    ('a C function that returns a constant uuid', 'constant_uuid()', 3000000, 'precision'),
    ('uuid_generate_v7()', 'uuid_generate_v7()', 3000000, 'precision'),
    ('gen_random_uuid()', 'gen_random_uuid()', 3000000, 'precision'),
    ('uuid_generate_v7(), counter', 'uuid_generate_v7()', 3000000, 'counter'),
    ('uuid_generate_v7(), monotonic_random', 'uuid_generate_v7()', 3000000, 'monotonic_random'),
    ('uuid_generate_v6()', 'uuid_generate_v6()', 3000000, 'precision'),
    ('uuid_generate_v1()', 'uuid_generate_v1()', 3000000, 'precision'),
    ('uuid-ossp''s uuid_generate_v1()', 'ossp.uuid_generate_v1()', 100000, 'precision'),
    ('uuid_generate_v1mc()', 'uuid_generate_v1mc()', 3000000, 'precision'),
    ('uuid-ossp''s uuid_generate_v1mc()', 'ossp.uuid_generate_v1mc()', 100000, 'precision'),
    ('uuid_generate_v4()', 'uuid_generate_v4()', 3000000, 'precision'),
    ('uuid-ossp''s uuid_generate_v4()', 'ossp.uuid_generate_v4()', 300000, 'precision'),
    ('uuid_generate_v3()', 'uuid_generate_v3(uuid_ns_dns(), n::text)', 300000, 'precision'),
    ('uuid-ossp''s uuid_generate_v3()', 'ossp.uuid_generate_v3(uuid_ns_dns(), n::text)', 300000, 'precision'),
    ('uuid_generate_v5()', 'uuid_generate_v5(uuid_ns_dns(), n::text)', 300000, 'precision'),
    ('uuid-ossp''s uuid_generate_v5()', 'ossp.uuid_generate_v5(uuid_ns_dns(), n::text)', 300000, 'precision'),
    ('version 7 in SQL', 'sql_v7()', 300000, 'precision'),
    ('version 7 in PL/pgSQL', 'plpgsql_v7()', 300000, 'precision')
) AS v (what, expression, full_size, method), CAST(full_size * :scale AS int) AS n;
\if :has_uuidv7
INSERT INTO cases (what, statement, units)
SELECT 'uuidv7()', calls('uuidv7()', n), n FROM CAST(3000000 * :scale AS int) AS n;
\endif

INSERT INTO cases (what, statement, units, preparation)
SELECT what, format(statement, n), n, 'SET uuidx.v7_method = precision'
FROM (VALUES
    ('generate_series(1, n)', 'SELECT count(*) FROM generate_series(1, %s)'),
    ('uuid_generate_v7_batch(n)', 'SELECT count(*) FROM uuid_generate_v7_batch(%s)')
) AS v (what, statement), CAST(3000000 * :scale AS int) AS n;

CREATE FUNCTION inserts(what text, default_key text, n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    name text := 'rows_' || (SELECT count(*) FROM pg_class WHERE relname LIKE 'rows\_%' AND relkind = 'r');
BEGIN
    EXECUTE format('CREATE TABLE %I (id %s PRIMARY KEY, n int)', name, default_key);
    EXECUTE format('COMMENT ON TABLE %I IS %L', name, what);
    INSERT INTO cases (what, statement, units, preparation)
    VALUES (what, format('INSERT INTO %I (n) SELECT generate_series(1, %s)', name, n), n,
            format('TRUNCATE %I', name));
END
$$;
SELECT inserts(what, default_key, CAST(1000000 * :scale AS int))
FROM (VALUES
    ('rows with a bigint identity', 'bigint GENERATED ALWAYS AS IDENTITY'),
    ('rows with uuid_generate_v7()', 'uuid DEFAULT uuid_generate_v7()'),
    ('rows with uuid_generate_v6()', 'uuid DEFAULT uuid_generate_v6()'),
    ('rows with gen_random_uuid()', 'uuid DEFAULT gen_random_uuid()')
) AS v (what, default_key) \g /dev/null
\if :has_uuidv7
SELECT inserts('rows with uuidv7()', 'uuid DEFAULT uuidv7()', CAST(1000000 * :scale AS int)) \g /dev/null
\endif

INSERT INTO comparisons (what, peer, at_most) VALUES
    ('uuid_generate_v7()', 'gen_random_uuid()', 0.125),
    ('uuid_generate_v7()', 'a C function that returns a constant uuid', 1.5),
    ('uuid_generate_v7_batch(n)', 'generate_series(1, n)', 1.5),
    ('rows with uuid_generate_v7()', 'rows with a bigint identity', 1.25),
    ('rows with gen_random_uuid()', 'rows with a bigint identity', NULL),
    ('uuid_generate_v7(), counter', 'gen_random_uuid()', NULL),
    ('uuid_generate_v7(), monotonic_random', 'gen_random_uuid()', NULL),
    ('uuid_generate_v6()', 'gen_random_uuid()', NULL),
    ('uuid_generate_v1()', 'uuid-ossp''s uuid_generate_v1()', 0.0333),
    ('uuid_generate_v1mc()', 'uuid-ossp''s uuid_generate_v1mc()', 0.0333),
    ('uuid_generate_v4()', 'uuid-ossp''s uuid_generate_v4()', 0.0667),
    ('uuid_generate_v4()', 'gen_random_uuid()', 0.1667),
    ('uuid_generate_v3()', 'uuid-ossp''s uuid_generate_v3()', 1),
    ('uuid_generate_v5()', 'uuid-ossp''s uuid_generate_v5()', 1),
    ('uuid_generate_v7()', 'uuid-ossp''s uuid_generate_v4()', NULL),
    ('uuid_generate_v7()', 'uuid-ossp''s uuid_generate_v1()', NULL),
    ('uuid_generate_v7()', 'version 7 in SQL', NULL),
    ('uuid_generate_v7()', 'version 7 in PL/pgSQL', NULL);
\if :has_uuidv7
INSERT INTO comparisons (what, peer) VALUES
    ('uuid_generate_v7()', 'uuidv7()'),
    ('rows with uuid_generate_v7()', 'rows with uuidv7()'),
    ('rows with uuidv7()', 'rows with a bigint identity');
\endif

CALL run_rounds(:rounds);

CREATE VIEW indexes AS
SELECT obj_description(indrelid, 'pg_class') AS what, pg_relation_size(indexrelid) AS octets
FROM pg_index WHERE obj_description(indrelid, 'pg_class') LIKE 'rows with %';
