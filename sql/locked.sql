-- Statements under locks of tables, their partitions and views
\set SHOW_CONTEXT never
CREATE TABLE locked (n int) PARTITION BY LIST (n);
CREATE TABLE "Locked 1" PARTITION OF locked FOR VALUES IN (1);
CREATE TABLE read_only_by_it (n int);
CREATE VIEW locked_view AS SELECT n FROM locked JOIN read_only_by_it USING (n);
CALL uuidx_migrate_steps.locked(ARRAY['locked', 'locked_view']::regclass[], 'true', $$
INSERT INTO public.locked VALUES (1);
CREATE TABLE public.locks AS SELECT relation::regclass::text, mode, current_setting('search_path'), current_setting('lock_timeout') <> '0' AS limited
FROM pg_locks WHERE pid = pg_backend_pid() AND relation = ANY (ARRAY['public.locked', 'public."Locked 1"', 'public.locked_view', 'public.read_only_by_it']::regclass[])$$);
SELECT * FROM locks ORDER BY relation COLLATE "C", mode;
SELECT current_setting('search_path'), current_setting('lock_timeout');

-- Only if a condition holds; all or nothing; after what is to be checked before
CALL uuidx_migrate_steps.locked(ARRAY['locked']::regclass[], 'false', 'INSERT INTO public.locked VALUES (1)');
CALL uuidx_migrate_steps.locked(ARRAY['locked']::regclass[], 'NULL', 'INSERT INTO public.locked VALUES (1)', before => 'SELECT 1/0');
CALL uuidx_migrate_steps.locked(ARRAY['locked']::regclass[], 'true', 'INSERT INTO public.locked VALUES (1); INSERT INTO public.locked VALUES (2)');
CALL uuidx_migrate_steps.locked(ARRAY['locked']::regclass[], 'true', 'INSERT INTO public.locked VALUES (1)', before => 'SELECT 1/0');
CALL uuidx_migrate_steps.locked('{}', 'true', 'SELECT 1', before => 'SELECT 1');
CALL uuidx_migrate_steps.locked(NULL, 'true', 'INSERT INTO public.locked VALUES (1)');
CALL uuidx_migrate_steps.locked(ARRAY['locked']::regclass[], 'true', 'INSERT INTO public.locked VALUES (1)', mode => NULL);
SELECT count(*) FROM locked;
CALL uuidx_migrate_steps.locked(ARRAY['locked']::regclass[], 'true', 'INSERT INTO public.before SELECT * FROM public.before', before => $$
CREATE TABLE public.before AS SELECT count(*) AS locks FROM pg_locks
WHERE pid = pg_backend_pid() AND mode = 'AccessExclusiveLock' AND relation = 'public.locked'::regclass;
SET LOCAL lock_timeout = 0$$);
SELECT * FROM before;

-- It commits by itself, whatever the isolation level is.
BEGIN;
CALL uuidx_migrate_steps.locked(ARRAY['locked']::regclass[], 'true', 'INSERT INTO public.locked VALUES (1)');
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
SET client_min_messages = notice \; CALL uuidx_migrate_steps.locked(ARRAY['locked']::regclass[], 'true', 'INSERT INTO public.locked VALUES (1)');
SET default_transaction_isolation = 'serializable';
CALL uuidx_migrate_steps.locked(ARRAY['locked']::regclass[], 'current_setting(''transaction_isolation'') = ''read committed''', 'INSERT INTO public.locked VALUES (1)');
RESET default_transaction_isolation;
SELECT count(*) FROM locked;

-- Who cancels it reads what to do, and no text of the statement that ran.
CALL uuidx_migrate_steps.locked(ARRAY['locked']::regclass[], 'true', 'SELECT pg_catalog.pg_cancel_backend(pg_catalog.pg_backend_pid()), pg_catalog.pg_sleep(600)');

-- A change of any of these shows in the state of the catalogs.
\set ECHO none \i sql/include/functions.sql \set ECHO all
CREATE TABLE seen (n int GENERATED ALWAYS AS IDENTITY, statement text, state text);
CREATE PROCEDURE try(statement text) LANGUAGE plpgsql AS $$
BEGIN
    COMMIT;
    EXECUTE statement;
    COMMIT;
    INSERT INTO seen (statement, state) VALUES (statement, uuidx_migrate_steps.catalog_state(ARRAY['locked']::regclass[]));
END
$$;
CALL try('SELECT');
CALL try('SELECT 1');
CALL try('ALTER TABLE "Locked 1" ADD CHECK (n > 0)');
CALL try('CREATE TRIGGER t BEFORE INSERT ON locked FOR EACH ROW EXECUTE FUNCTION nothing()');
CALL try('ALTER TABLE "Locked 1" DISABLE TRIGGER t');
CALL try('ALTER TABLE locked ALTER n SET DEFAULT 1');
CALL try('ALTER TABLE locked ALTER n SET STATISTICS 5');
CALL try('CREATE INDEX i ON locked (n)');
CALL try('ALTER INDEX "Locked 1_n_idx" SET (deduplicate_items = off)');
CALL try('COMMENT ON INDEX i IS ''an index''');
CALL try('CREATE OR REPLACE VIEW locked_view AS SELECT n + 0 AS n FROM locked');
CALL try('ALTER VIEW locked_view SET (security_barrier)');
CALL try('CREATE VIEW on_view AS SELECT n FROM locked_view');
CALL try('CREATE FUNCTION f() RETURNS bigint BEGIN ATOMIC SELECT count(*) FROM locked; END');
CALL try('CREATE OR REPLACE FUNCTION f() RETURNS bigint BEGIN ATOMIC SELECT sum(n) FROM locked; END');
CALL try('ALTER FUNCTION f() STABLE');
CALL try('CREATE POLICY p ON locked USING (n > 1)');
CALL try('ALTER POLICY p ON locked USING (n > 2)');
CALL try('CREATE RULE r AS ON DELETE TO locked DO ALSO NOTHING');
CALL try('GRANT SELECT ON locked TO PUBLIC');
CALL try('ALTER TABLE locked RENAME n TO m');
CALL try('ALTER TABLE locked RENAME m TO n');
CALL try('CREATE STATISTICS s ON (n + 1) FROM locked');
CALL try('ALTER STATISTICS s SET STATISTICS 5');
CALL try('CREATE TABLE "Locked 2" PARTITION OF locked FOR VALUES IN (2)');
CALL try('ALTER TABLE locked DETACH PARTITION "Locked 2"');
CALL try('GRANT USAGE ON SCHEMA public TO PUBLIC');
CALL try('COMMENT ON TABLE locked IS ''a table''');
CALL try('COMMENT ON POLICY p ON locked IS ''a policy''');
SET client_min_messages = error;
CREATE SUBSCRIPTION regress_uuidx CONNECTION '' PUBLICATION x WITH (connect = false, slot_name = NONE);
CREATE PUBLICATION regress_uuidx FOR TABLE locked;
CREATE PUBLICATION regress_uuidx_other;
SET client_min_messages = warning;
CALL try('SELECT 2');
CALL try('ALTER PUBLICATION regress_uuidx SET (publish = ''insert'')');
CALL try('ALTER PUBLICATION regress_uuidx_other SET (publish = ''insert'')');
CALL try('INSERT INTO pg_subscription_rel (srsubid, srrelid, srsubstate) SELECT oid, ''locked''::regclass, ''r'' FROM pg_subscription WHERE subname = ''regress_uuidx''');
CALL try('CREATE TABLE referencing (n int)');
-- Nobody can keep a cutover from taking place with objects of his own.
CREATE ROLE regress_uuidx_other;
CREATE FUNCTION of_other() RETURNS bigint BEGIN ATOMIC SELECT count(*) FROM locked; END;
ALTER FUNCTION of_other() OWNER TO regress_uuidx_other;
CREATE VIEW view_of_other AS SELECT n FROM locked;
ALTER VIEW view_of_other OWNER TO regress_uuidx_other;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_uuidx_other', current_database()); END $$;
ALTER PUBLICATION regress_uuidx_other OWNER TO regress_uuidx_other;
CALL try('SELECT');
CALL try('ALTER FUNCTION of_other() STABLE');
CALL try('ALTER VIEW view_of_other SET (security_barrier)');
CALL try('ALTER PUBLICATION regress_uuidx_other SET (publish = ''update'')');
SELECT statement AS not_seen FROM (SELECT n, statement, state = lag(state) OVER (ORDER BY n) AS same FROM seen) AS s WHERE same ORDER BY n;
DROP FUNCTION of_other;
DROP VIEW view_of_other;
DROP PUBLICATION regress_uuidx, regress_uuidx_other;
DELETE FROM pg_subscription_rel WHERE srrelid = 'locked'::regclass;
DROP SUBSCRIPTION regress_uuidx;
DO $$ BEGIN EXECUTE format('REVOKE CREATE ON DATABASE %I FROM regress_uuidx_other', current_database()); END $$;
DROP ROLE regress_uuidx_other;
DROP TABLE locks, before, seen, locked, read_only_by_it, "Locked 2", referencing CASCADE;
DROP FUNCTION v1, v4, v6, nothing;
DROP PROCEDURE try;

-- What is compared under the locks is what a statement can make again there: the constraints and indexes that name more
-- than columns, of the tables that are locked, and not those of other tables that reference the same key.
CREATE TABLE compared (id uuid PRIMARY KEY);
CREATE FUNCTION is_any(id uuid) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN id IS NOT NULL;
CREATE TABLE comparing (n int UNIQUE, id uuid REFERENCES compared, CHECK (is_any(id))) PARTITION BY LIST (n);
CREATE TABLE comparing_1 PARTITION OF comparing FOR VALUES IN (1);
CREATE TABLE comparing_2 (id uuid CONSTRAINT comparing_id_check CHECK (is_any(id)), n int);
ALTER TABLE comparing ATTACH PARTITION comparing_2 FOR VALUES IN (2);
CREATE INDEX of_2 ON comparing_2 (n) WHERE is_any(id);
CREATE VIEW of_compared AS SELECT id FROM compared WHERE is_any(id);
SELECT d.object, pg_describe_object(d.classid, d.objid, d.objsubid) AS depends_on
FROM uuidx_migrate_steps.dependencies('{compared,comparing_1}') AS d WHERE d.classid IS NOT NULL ORDER BY d.object COLLATE "C";
SELECT d.object, pg_describe_object(d.classid, d.objid, d.objsubid) AS depends_on
FROM uuidx_migrate_steps.dependencies('{comparing_2}') AS d WHERE d.classid IS NOT NULL ORDER BY d.object COLLATE "C";

-- Indexes that an interrupted build has left are dropped, and others stay.
CREATE INDEX of_1 ON comparing_1 (n);
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'of_2'::regclass;
CALL uuidx_migrate_steps.drop_interrupted(ARRAY['public.of_1', 'public.of_2', 'public.gone'], false);
SELECT to_regclass('of_1') AS stays, to_regclass('of_2') AS gone;
BEGIN;
CALL uuidx_migrate_steps.drop_interrupted('{public.of_1}', false);
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
DROP TABLE comparing, compared CASCADE;
DROP FUNCTION is_any;

-- What a transaction has noted stays as it is for whoever has read it.
BEGIN;
SELECT uuidx_migrate_steps.note(ARRAY(SELECT ROW(1, n, 1, 1, 0)::uuidx_migrate_steps.dependency FROM generate_series(1, 20000) AS n));
SELECT cardinality(noted) FROM (SELECT uuidx_migrate_steps.noted(), uuidx_migrate_steps.note('{}') OFFSET 0) AS n;
SELECT uuidx_migrate_steps.noted();
COMMIT;
SELECT uuidx_migrate_steps.noted();

-- Settings with which definitions are read, and those of before
SET search_path = '';
SET array_nulls = off;
SET lc_monetary = '';
SELECT uuidx_migrate_steps.set_definition_settings(false);
SELECT uuidx_migrate_steps.set_definition_settings(false);
SELECT string_agg(format('%s = %s', s.name, current_setting(s.name)), ', ') FROM uuidx_migrate_steps.definition_settings() AS s;
SELECT uuidx_migrate_steps.reset_definition_settings(false);
SHOW search_path;
SHOW array_nulls;
SELECT current_setting('lc_monetary') = '' AS is_empty;
SELECT uuidx_migrate_steps.reset_definition_settings(false);
SHOW array_nulls;
RESET search_path;
RESET array_nulls;
RESET lc_monetary;
