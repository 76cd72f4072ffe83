-- What lookup() keeps for the calls of a statement, and when it looks again
\set SHOW_CONTEXT never
\set ECHO none \i sql/include/errors.sql \set ECHO all
SET client_min_messages = warning;
CREATE ROLE regress_uuidx_owner;
CREATE ROLE regress_uuidx_other;
CREATE SCHEMA kept AUTHORIZATION regress_uuidx_owner;
GRANT USAGE ON SCHEMA kept TO regress_uuidx_other;
SET search_path = kept;
SET ROLE regress_uuidx_owner;

-- An expression of PL/pgSQL is kept for a transaction. This looks a key up after each of the statements, so often that the
-- values are read into memory.
CREATE TABLE map (old int UNIQUE, new int, other int UNIQUE);
INSERT INTO map SELECT n, -n, 101 - n FROM generate_series(1, 100) AS n;
CREATE FUNCTION looked_up_after(VARIADIC statements text[]) RETURNS int[] LANGUAGE plpgsql AS $$
DECLARE
    key int := current_setting('kept.key');
    statement text;
    found int;
    all_found int[];
BEGIN
    FOREACH statement IN ARRAY statements LOOP
        EXECUTE statement;
        FOR i IN 1..10 LOOP
            found := uuidx_migrate_steps.lookup('map', 'old', 'new', key, 0);
        END LOOP;
        all_found := all_found || found;
    END LOOP;
    RETURN all_found;
END $$;
SET kept.key = 1;

-- The rows change.
BEGIN;
SELECT looked_up_after('SELECT', 'DELETE FROM map WHERE old = 1', 'INSERT INTO map VALUES (1, 11)', 'UPDATE map SET new = 12 WHERE old = 1', 'TRUNCATE map');
ROLLBACK;
SELECT looked_up_after('SELECT', 'UPDATE map SET new = NULL WHERE old = 1');
\echo :LAST_ERROR_SQLSTATE
-- What a subtransaction wrote is not there after its end.
CREATE FUNCTION looked_up_in_subtransactions() RETURNS int[] LANGUAGE plpgsql AS $$
DECLARE
    found int[];
BEGIN
    FOR i IN 1..2 LOOP
        BEGIN
            found := found || looked_up_after(CASE i WHEN 1 THEN 'DELETE FROM map WHERE old = 1' ELSE 'SELECT' END);
            RAISE EXCEPTION 'give up';
        EXCEPTION WHEN raise_exception THEN
        END;
    END LOOP;
    RETURN found;
END $$;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT looked_up_in_subtransactions();
ROLLBACK;
-- A statement does not see what it writes itself, nor a cursor what is written later.
CREATE FUNCTION write(n int) RETURNS int LANGUAGE sql AS $$ UPDATE map SET new = 20 WHERE old = n RETURNING new $$;
BEGIN;
SELECT array_agg(DISTINCT n.new) AS written, array_agg(uuidx_migrate_steps.lookup('map', 'old', 'new', n.n, 0) ORDER BY n.n) AS found
FROM (SELECT write(1) AS new, n FROM generate_series(1, 10) AS n) AS n;
ROLLBACK;
BEGIN;
DECLARE found CURSOR FOR SELECT uuidx_migrate_steps.lookup('map', 'old', 'new', 1, 0) FROM generate_series(1, 20);
MOVE 10 FROM found;
UPDATE map SET new = 30 WHERE old = 1;
FETCH 1 FROM found;
ROLLBACK;

-- The table changes.
BEGIN;
SELECT looked_up_after('SELECT', 'ALTER TABLE map DROP CONSTRAINT map_old_key, ADD UNIQUE (old)', 'ALTER TABLE map DROP new, ADD new int DEFAULT 7');
ROLLBACK;
SELECT * FROM pg_temp.errors(
    $$SELECT looked_up_after('SELECT', 'ALTER TABLE map DROP CONSTRAINT map_old_key')$$,
    $$SELECT looked_up_after('SELECT', 'ALTER TABLE map ALTER new TYPE bigint')$$,
    $$SELECT looked_up_after('SELECT', 'ALTER TABLE map ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY')$$,
    $$SELECT looked_up_after('SELECT', 'REVOKE SELECT ON map FROM regress_uuidx_owner')$$);
-- Also in the middle of a statement
CREATE FUNCTION change(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF n = 2 THEN ALTER TABLE map DROP CONSTRAINT map_old_key; END IF; RETURN n; END $$;
SELECT * FROM pg_temp.errors(
    $$SELECT change(n), uuidx_migrate_steps.lookup('map', 'old', 'new', n, 0) FROM generate_series(1, 3) AS n$$,
    $$SELECT change(n / 6), uuidx_migrate_steps.lookup('map', 'old', 'new', n, 0) FROM generate_series(1, 20) AS n$$);
CREATE FUNCTION clear(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF n = 10 THEN TRUNCATE map; END IF; RETURN n; END $$;
BEGIN;
SELECT clear(n), uuidx_migrate_steps.lookup('map', 'old', 'new', n, 0) FROM generate_series(1, 11) AS n;
ROLLBACK;

-- The calls differ in table, columns and types.
CREATE TABLE other_map (old int UNIQUE, new int);
INSERT INTO other_map VALUES (1, 100);
SELECT uuidx_migrate_steps.lookup(m.map, m.from_column, 'new', 1, 0)
FROM (VALUES ('map'::regclass, 'old'::name), ('map', 'other'), ('other_map', 'old'), ('map', 'old')) AS m (map, from_column);
SELECT uuidx_migrate_steps.lookup('map', 'old', m.to_column, 1, 0) FROM (VALUES ('new'::name), ('other'), ('new')) AS m (to_column);
SELECT uuidx_migrate_steps.lookup('map', 'old', 'new', 1, 0), uuidx_migrate_steps.lookup('map', 'old', 'new', 4294967297, 0);
SELECT uuidx_migrate_steps.lookup('map', 'old', 'new', 1, 0::bigint);
\echo :LAST_ERROR_SQLSTATE

-- Integers of any length, UUIDs, and what is like neither; keys that are not there, and those without a value
CREATE TABLE many (s smallint UNIQUE, i int UNIQUE, b bigint UNIQUE, u uuid UNIQUE, t text UNIQUE);
INSERT INTO many SELECT n, n, n - 100, lpad(to_hex(n + 50), 32, '0')::uuid, n FROM generate_series(-50, 50) AS n;
INSERT INTO many VALUES (NULL, 1000, 10000000000, NULL, 'ten billions'), (1001, NULL, NULL, 'ffffffff-ffff-ffff-ffff-ffffffffffff', NULL);
SELECT count(*) FILTER (WHERE n = uuidx_migrate_steps.lookup('many', 'u', 'i', u, 0)) AS of_uuids,
       count(*) FILTER (WHERE n = uuidx_migrate_steps.lookup('many', 'i', 's', n::bigint, 99::smallint)) AS smallints,
       count(*) FILTER (WHERE n = uuidx_migrate_steps.lookup('many', 'b', 'i', (n - 100)::smallint, 99)) AS ints,
       count(*) FILTER (WHERE n - 100 = uuidx_migrate_steps.lookup('many', 's', 'b', n, 99::bigint)) AS bigints,
       count(*) FILTER (WHERE u = uuidx_migrate_steps.lookup('many', 'i', 'u', n, NULL::uuid)) AS uuids,
       count(*) FILTER (WHERE n::text = uuidx_migrate_steps.lookup('many', 'b', 't', n - 100, 'none'::text)) AS texts,
       count(*) FILTER (WHERE n = uuidx_migrate_steps.lookup('many', 't', 'i', n::text, 99)) AS of_texts,
       count(*) FILTER (WHERE 99 = uuidx_migrate_steps.lookup('many', 'i', 'b', n + 4294967296, 99::bigint)) AS beyond,
       count(*) FILTER (WHERE 99 = uuidx_migrate_steps.lookup('many', 'u', 'i', '00000000-0000-0000-0000-000000000065'::uuid, 99)) AS missing
FROM generate_series(-50, 50) AS n, lpad(to_hex(n + 50), 32, '0') AS h, LATERAL (SELECT h::uuid) AS x (u);
SELECT count(uuidx_migrate_steps.lookup('many', 'i', 's', n, 99::smallint)) FROM generate_series(900, 1000) AS n;
\echo :LAST_ERROR_SQLSTATE
DROP TABLE many;

-- Another role may not read the table,
GRANT CREATE ON SCHEMA kept TO regress_uuidx_other;
RESET ROLE;
SELECT looked_up_after('SELECT', 'SET LOCAL ROLE regress_uuidx_other');
\echo :LAST_ERROR_SQLSTATE
-- nor can one that has lost the right to,
CREATE ROLE regress_uuidx_readers ROLE regress_uuidx_other;
GRANT SELECT ON map TO regress_uuidx_readers;
SELECT looked_up_after('SET LOCAL ROLE regress_uuidx_other',
                       'RESET ROLE; REVOKE regress_uuidx_readers FROM regress_uuidx_other; SET LOCAL ROLE regress_uuidx_other');
\echo :LAST_ERROR_SQLSTATE
DROP OWNED BY regress_uuidx_readers;
DROP ROLE regress_uuidx_readers;
ALTER ROLE regress_uuidx_other SUPERUSER;
SELECT looked_up_after('SET LOCAL ROLE regress_uuidx_other', 'RESET ROLE; ALTER ROLE regress_uuidx_other NOSUPERUSER; SET LOCAL ROLE regress_uuidx_other');
\echo :LAST_ERROR_SQLSTATE
ALTER ROLE regress_uuidx_other NOSUPERUSER;
SET ROLE regress_uuidx_owner;
-- and an owner only where the server itself reads it.
CREATE TABLE keys (id int PRIMARY KEY);
CREATE TABLE refs (id int REFERENCES keys ON UPDATE CASCADE);
INSERT INTO keys VALUES (1);
INSERT INTO refs VALUES (1);
CREATE FUNCTION look_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM looked_up_after('SELECT'); RETURN NEW; END $$;
CREATE TRIGGER look_up BEFORE UPDATE ON refs FOR EACH ROW EXECUTE FUNCTION look_up();
ALTER TABLE map ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
BEGIN;
UPDATE keys SET id = 2;
SELECT looked_up_after('SELECT');
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;

-- Beyond maintenance_work_mem, the index finds the other keys. All maps of a statement share it.
RESET ROLE;
CREATE TABLE big AS SELECT md5(n::text)::uuid AS old, n AS new FROM generate_series(1, 50000) AS n;
CREATE UNIQUE INDEX ON big (old);
CREATE UNIQUE INDEX ON big (new);
CREATE FUNCTION megabytes() RETURNS numeric LANGUAGE sql AS $$
SELECT round(sum(total_bytes) / 1048576) FROM pg_backend_memory_contexts WHERE name = 'ExecutorState' $$;
CREATE VIEW looked_up AS
SELECT count(*) FILTER (WHERE new = uuidx_migrate_steps.lookup('big', 'old', 'new', old, 0)
                              AND old = uuidx_migrate_steps.lookup('big', 'new', 'old', new, NULL::uuid)) AS keys, megabytes() FROM big;
SELECT * FROM looked_up;
SET maintenance_work_mem = '3MB';
SELECT * FROM looked_up;
SET maintenance_work_mem = '1MB';
SELECT * FROM looked_up;
-- Statistics that say too much take no more memory than the pages can hold rows.
UPDATE pg_class SET reltuples = 'Infinity' WHERE oid = 'big'::regclass;
SET maintenance_work_mem = '500MB';
SELECT * FROM looked_up;
ANALYZE big;
-- Parallel workers keep none, but look up by the index.
RESET maintenance_work_mem;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
CREATE FUNCTION megabytes_in(n int) RETURNS numeric LANGUAGE plpgsql PARALLEL SAFE AS $$
BEGIN
    RETURN CASE WHEN n % 10000 = 0 THEN kept.megabytes() END;
END $$;
EXPLAIN (COSTS OFF) SELECT count(*) FROM big WHERE new = uuidx_migrate_steps.lookup('big', 'old', 'new', old, 0);
SELECT count(*), max(megabytes_in(new)) FROM big WHERE new = uuidx_migrate_steps.lookup('big', 'old', 'new', old, 0);
SET max_parallel_workers_per_gather = 0;
SELECT count(*), max(megabytes_in(new)) FROM big WHERE new = uuidx_migrate_steps.lookup('big', 'old', 'new', old, 0);
RESET ALL;
SET maintenance_work_mem = '1MB';
SET client_min_messages = warning;
SET search_path = kept;
-- A rewrite frees them before it builds indexes.
CREATE FUNCTION show_memory(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
    IF n = 50000 THEN
        RAISE INFO '% MB', kept.megabytes();
    END IF;
    RETURN n;
END $$;
CREATE TABLE big_refs AS SELECT old AS key, new FROM big;
CREATE INDEX ON big_refs (show_memory(new));
ALTER TABLE big_refs ALTER key TYPE int USING uuidx_migrate_steps.lookup('big', 'old', 'new', key, 0), ALTER new TYPE int USING show_memory(new + 0);
SELECT count(*) FROM big_refs WHERE key = new;

DROP SCHEMA kept CASCADE;
DROP ROLE regress_uuidx_owner, regress_uuidx_other;
