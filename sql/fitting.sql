-- Which conversion fits: a call without one says so, and one that does not fit is an obstacle.
\set ECHO none \i sql/include/migration.sql \i sql/include/functions.sql \set ECHO all
CREATE FUNCTION v7(n int) RETURNS uuid LANGUAGE sql IMMUTABLE AS
$$ SELECT public.uuid_v7_from(timestamptz '2020-01-01 00:00:00+00' + n * interval '1 hour') $$;
CREATE SCHEMA fits;
CREATE TABLE fits.random (id uuid PRIMARY KEY) WITH (autovacuum_enabled = false);
INSERT INTO fits.random SELECT v4(n) FROM generate_series(1, 1000) AS n;
CREATE TABLE fits.timed (id uuid PRIMARY KEY);
INSERT INTO fits.timed SELECT v1(n) FROM generate_series(1, 1000) AS n;
CREATE TABLE fits.ordered (id uuid PRIMARY KEY);
INSERT INTO fits.ordered SELECT v7(n) FROM generate_series(1, 1000) AS n;
CREATE TABLE fits.mixed (id uuid PRIMARY KEY);
INSERT INTO fits.mixed SELECT CASE WHEN n % 2 = 0 THEN v1(n) ELSE v4(n) END FROM generate_series(1, 1000) AS n;
CREATE TABLE fits.rare (id uuid PRIMARY KEY);
INSERT INTO fits.rare SELECT CASE WHEN n = 500 THEN v1(n) ELSE v4(n) END FROM generate_series(1, 1000) AS n;
CREATE TABLE fits.parted (id uuid PRIMARY KEY) PARTITION BY HASH (id);
CREATE TABLE fits.part PARTITION OF fits.parted FOR VALUES WITH (MODULUS 1, REMAINDER 0);
INSERT INTO fits.parted TABLE fits.timed;
CREATE TABLE fits.numbered (id bigint PRIMARY KEY);
CREATE TABLE fits.spelled (id text PRIMARY KEY);
-- A table in another schema has the same name and column, but no UUIDs.
CREATE SCHEMA fits_not;
CREATE TABLE fits_not.random AS SELECT n AS id FROM generate_series(1, 1000) AS n;

-- Without statistics
SELECT * FROM pg_temp.errors(
    $$SELECT * FROM uuidx_migrate.plan('fits.random', 'id')$$,
    $$SELECT * FROM uuidx_migrate.plan('fits.random', 'no_column')$$);
ANALYZE fits.random, fits.timed, fits.ordered, fits.mixed, fits.rare, fits.part, fits_not.random;

-- With them: of the key, of its partitions, or only its type
CREATE FUNCTION advice(relation regclass, OUT message text, OUT detail text, OUT hint text) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM uuidx_migrate.script(relation, 'id', 'online');
EXCEPTION WHEN invalid_parameter_value THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
END $$;
\x
SELECT a.* FROM unnest('{fits.random,fits.timed,fits.ordered,fits.mixed,fits.parted,fits.numbered,fits.spelled}'::regclass[]) AS r, advice(r) AS a;
\x
SELECT * FROM pg_temp.errors(
    $$SELECT * FROM uuidx_migrate.keys_plan('{fits}')$$,
    $$SELECT * FROM uuidx_migrate.keys_script('{fits.timed.id,fits.random.id}')$$);

-- Only to whom pg_stats shows them
CREATE ROLE regress_uuidx_reader;
GRANT USAGE ON SCHEMA fits TO regress_uuidx_reader;
SET ROLE regress_uuidx_reader;
SELECT detail FROM advice('fits.random');
RESET ROLE;
GRANT SELECT (id) ON fits.random TO regress_uuidx_reader;
SET ROLE regress_uuidx_reader;
SELECT detail FROM advice('fits.random');
RESET ROLE;
ALTER TABLE fits.random ENABLE ROW LEVEL SECURITY;
SET ROLE regress_uuidx_reader;
SELECT detail FROM advice('fits.random');
RESET ROLE;
ALTER TABLE fits.random DISABLE ROW LEVEL SECURITY;

-- A conversion that does not fit
CREATE FUNCTION in_the_way(relation regclass, conversion text, other_values text) RETURNS TABLE (what text, hint text) LANGUAGE sql AS $$
SELECT o.* FROM uuidx_migrate.plan(relation, 'id', 'online', conversion, other_values, trust_owners => true,
                                     rows_without_time => CASE conversion WHEN 'to_v7' THEN 'epoch' ELSE 'error' END) AS p, unnest(p.obstacles, p.hints) AS o $$;
SELECT * FROM pg_temp.obstacles($$plan('fits.random', 'id', 'online', 'v1_to_v6', trust_owners => true)$$);
SELECT * FROM pg_temp.obstacles($$plan('fits.random', 'id', 'online', 'v1_to_v6', 'keep', trust_owners => true)$$);
SELECT * FROM pg_temp.obstacles($$plan('fits.mixed', 'id', 'online', 'v1_to_v6', trust_owners => true)$$);
SELECT * FROM pg_temp.obstacles($$plan('fits.ordered', 'id', 'online', 'to_v7', trust_owners => true)$$);
SELECT uuidx_migrate.script('fits.random', 'id', conversion => 'v1_to_v6', other_values => 'keep', trust_owners => true);
\echo :LAST_ERROR_SQLSTATE
-- fits.rare has one key of version 1, which its statistics do not show.
SELECT count(*) AS obstacles FROM (VALUES ('fits.random', 'to_v7', 'error'), ('fits.timed', 'v1_to_v6', 'error'), ('fits.mixed', 'v1_to_v6', 'keep'),
                                          ('fits.mixed', 'to_v7', 'error'), ('fits.rare', 'v1_to_v6', 'keep')) AS c (r, conversion, others),
    in_the_way(r::regclass, conversion, others);
-- Statistics that are old
DELETE FROM fits.mixed WHERE uuid_version(id) = 4;
SELECT count(*) AS obstacles FROM in_the_way('fits.mixed', 'v1_to_v6', 'error');
ANALYZE fits.mixed;
SELECT count(*) AS obstacles FROM in_the_way('fits.mixed', 'v1_to_v6', 'error');
-- After the cutover, the key has what it was converted to.
SET client_min_messages = warning;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('fits.mixed', 'id', 'online', 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
ANALYZE fits.mixed;
SELECT count(*) AS obstacles FROM in_the_way('fits.mixed', 'v1_to_v6', 'error');
SELECT count(*) AS obstacles FROM in_the_way('fits.mixed', 'v6_to_v1', 'error');

-- What is given and has no effect
CREATE TABLE fits.kept (id uuid PRIMARY KEY, other uuid REFERENCES fits.kept);
CREATE FUNCTION without_effect(arguments text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE 'SELECT r FROM uuidx_migrate.plan($1, $2, trust_owners => true, ' || arguments || ') AS p, unnest(p.remarks) AS r'
    USING 'fits.kept'::regclass, 'id'::name;
END $$;
SELECT r FROM without_effect($$conversion => 'v1_to_v6', also => '{fits.kept.other}', created => 'timestamptz ''2020-01-01 00:00+00''',
    rows_without_time => 'epoch', future_rows => 'keep', published_tables => 'resync', new_default => 'uuid_generate_v7()', fire_triggers => false$$) AS r
WHERE r LIKE '%no effect%';
SELECT r FROM without_effect($$conversion => 'to_v7', other_values => 'keep', future_rows => 'keep', rows_without_time => 'epoch'$$) AS r
WHERE r LIKE '%no effect%';
ALTER TABLE fits.kept ALTER COLUMN id SET DEFAULT uuid_generate_v6();
SELECT r FROM without_effect($$conversion => 'v6_to_v1', new_default => 'uuid_generate_v7()', other_values => 'keep'$$) AS r WHERE r LIKE '%no effect%';
-- Nor do the options of a key that is left out.
SELECT substring(sql FROM '-- Left out: [^\n]*') FROM uuidx_migrate.keys_script('{fits.ordered.id,fits.random.id}', conversion => 'to_v7',
    created => 'timestamptz ''2020-01-01 00:00+00''', options => '{"fits.ordered.id": {"future_rows": "keep"}}',
    leave_out => true, trust_owners => true) WHERE step = 1;
DROP SCHEMA fits, fits_not CASCADE;
DROP ROLE regress_uuidx_reader;
DROP FUNCTION v1, v4, v6, v7, nothing, advice, in_the_way, without_effect;
