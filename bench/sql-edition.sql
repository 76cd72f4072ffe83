-- Generators in the DEFAULT of a key: those of the SQL edition (schema uuidx), of the library (public), of PostgreSQL, and the two kinds
-- that users paste most: the milliseconds of the clock over the first 48 bits of a version 4 UUID, once in SQL and once in
-- PL/pgSQL, which writes them as text. Then functions that read, encode and query, beside the library's.
\ir ../sql-edition/uuidx.sql
CREATE SCHEMA pasted;
CREATE FUNCTION pasted.overlaid() RETURNS uuid LANGUAGE sql VOLATILE AS $$
    SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid
$$;
CREATE FUNCTION pasted.written() RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN (lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
        || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid;
END
$$;

CREATE TABLE generators AS
SELECT g.call, g.name FROM (VALUES
    ('uuidx.uuid_generate_v7()', 'uuid_generate_v7() of the SQL edition'),
    ('public.uuid_generate_v7()', 'uuid_generate_v7() of the library'),
    ('uuidv7()', 'uuidv7()'),
    ('gen_random_uuid()', 'gen_random_uuid(), version 4'),
    ('pasted.overlaid()', 'pasted, in SQL'),
    ('pasted.written()', 'pasted, in PL/pgSQL')) AS g (call, name)
WHERE to_regprocedure(g.call) IS NOT NULL;
SELECT format('CREATE TABLE %I (id uuid PRIMARY KEY DEFAULT %s, n int)', name, call) FROM generators \gexec

-- Many rows in one statement; bench/sql-edition inserts them one by one.
INSERT INTO cases (what, statement, units, preparation, topic)
SELECT name || ', rows', format('INSERT INTO %I (n) SELECT generate_series(1, %s)', name, n), n, format('TRUNCATE %I', name), name
FROM generators, (SELECT (1e6 * :scale)::int) AS r (n);
INSERT INTO cases (what, statement, units, topic)
SELECT name || ', ' || protocol, 'INSERT INTO "' || name || '" (n) VALUES (1);', 1, 'sessions'
FROM unnest(ARRAY['simple', 'prepared']) AS protocol, generators;

CREATE TABLE ids AS
SELECT uuid_v7_of(timestamptz '2026-01-01' + n * interval '1 s', md5(n::text)::uuid) AS id,
       uuid_generate_v6_at(timestamptz '2026-01-01' + n * interval '1 s') AS v6, timestamptz '2026-01-01' + n * interval '1 s' AS t
FROM generate_series(1, (300000 * :scale)::int) AS n;
VACUUM ANALYZE ids;
INSERT INTO cases (what, statement, units, topic)
SELECT format('%s, %s', call, schema), format('SELECT count(%s) FROM ids', replace(call, 'uuid_', schema || '.uuid_')), (300000 * :scale)::int, 'calls'
FROM unnest(ARRAY['uuid_time(id)', 'uuid_version(id)', 'uuid_is_v7(id)', 'uuid_v7_from(t)', 'uuid_v7_in(id, ''[2026-01-01, 2026-01-02)'')', 'uuid_v6_to_v1(v6)',
                  'uuid_v7_of(t, id)', 'uuid_generate_v8(id, ''tea'')', 'uuid_encode(id, ''base64url'')', 'uuid_encode(id, ''base58'')', 'uuid_to_typeid(id, ''order'')']) AS call,
     unnest(ARRAY['uuidx', 'public']) AS schema;

-- A key that is in order costs a row that is inserted alone little more than one that is not. The body in SQL is planned
-- with each statement that is not prepared.
INSERT INTO comparisons (what, peer, at_most)
SELECT 'uuid_generate_v7() of the SQL edition, ' || protocol, peer || ', ' || protocol, at_most
FROM (VALUES ('simple', 'pasted, in SQL', 1), ('simple', 'pasted, in PL/pgSQL', 1.2),
             ('prepared', 'pasted, in SQL', 1.4), ('prepared', 'pasted, in PL/pgSQL', 1.2)) AS v (protocol, peer, at_most);
CALL run_rounds(:rounds);

-- What the rows of the last round look like
CREATE TABLE sizes (name text, index_bytes bigint, out_of_order bigint);
SELECT format('INSERT INTO sizes SELECT %L, pg_indexes_size(%L), (SELECT count(*) FROM (SELECT id <= lag(id) OVER (ORDER BY n) AS wrong FROM %I) AS o WHERE wrong)',
              name, quote_ident(name), name) FROM generators \gexec
