-- What lookup() keeps for the calls of a statement, and when it looks again
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE ROLE regress_uuidx_owner;
CREATE ROLE regress_uuidx_other;
CREATE SCHEMA kept AUTHORIZATION regress_uuidx_owner;
GRANT USAGE ON SCHEMA kept TO regress_uuidx_other;
SET search_path = kept;
SET ROLE regress_uuidx_owner;

-- An expression of PL/pgSQL is kept for a transaction: this calls lookup() after each of the statements.
CREATE TABLE map (old int UNIQUE, new int, other int UNIQUE);
INSERT INTO map SELECT n, -n, 101 - n FROM generate_series(1, 100) AS n;
CREATE FUNCTION looked_up_after(VARIADIC statements text[]) RETURNS int[] LANGUAGE plpgsql AS $$
DECLARE
    statement text;
    found int[];
BEGIN
    FOREACH statement IN ARRAY statements LOOP
        EXECUTE statement;
        found := found || uuidx_migrate_steps.lookup('map', 'old', 'new', 1, 0);
    END LOOP;
    RETURN found;
END $$;

-- The table changes.
BEGIN;
SELECT looked_up_after('SELECT', 'ALTER TABLE map DROP CONSTRAINT map_old_key, ADD UNIQUE (old)', 'ALTER TABLE map DROP new, ADD new int DEFAULT 7');
ROLLBACK;
SELECT looked_up_after('SELECT', 'ALTER TABLE map DROP CONSTRAINT map_old_key');
\echo :LAST_ERROR_SQLSTATE
SELECT looked_up_after('SELECT', 'ALTER TABLE map ALTER new TYPE bigint');
\echo :LAST_ERROR_SQLSTATE
SELECT looked_up_after('SELECT', 'ALTER TABLE map ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY');
\echo :LAST_ERROR_SQLSTATE
SELECT looked_up_after('SELECT', 'REVOKE SELECT ON map FROM regress_uuidx_owner');
\echo :LAST_ERROR_SQLSTATE
-- Also in the middle of a statement
CREATE FUNCTION change(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF n = 2 THEN ALTER TABLE map DROP CONSTRAINT map_old_key; END IF; RETURN n; END $$;
SELECT change(n), uuidx_migrate_steps.lookup('map', 'old', 'new', n, 0) FROM generate_series(1, 3) AS n;
\echo :LAST_ERROR_SQLSTATE

-- The calls differ in table, columns and types.
CREATE TABLE other_map (old int UNIQUE, new int);
INSERT INTO other_map VALUES (1, 100);
SELECT uuidx_migrate_steps.lookup(m.map, m.from_column, 'new', 1, 0)
FROM (VALUES ('map'::regclass, 'old'::name), ('map', 'other'), ('other_map', 'old'), ('map', 'old')) AS m (map, from_column);
SELECT uuidx_migrate_steps.lookup('map', 'old', m.to_column, 1, 0) FROM (VALUES ('new'::name), ('other'), ('new')) AS m (to_column);
SELECT uuidx_migrate_steps.lookup('map', 'old', 'new', 1, 0), uuidx_migrate_steps.lookup('map', 'old', 'new', 4294967297, 0);
SELECT uuidx_migrate_steps.lookup('map', 'old', 'new', 1, 0::bigint);
\echo :LAST_ERROR_SQLSTATE

-- Another role may not read the table,
GRANT CREATE ON SCHEMA kept TO regress_uuidx_other;
RESET ROLE;
SELECT looked_up_after('SELECT', 'SET LOCAL ROLE regress_uuidx_other');
\echo :LAST_ERROR_SQLSTATE
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

RESET ROLE;
DROP SCHEMA kept CASCADE;
DROP ROLE regress_uuidx_owner, regress_uuidx_other;
