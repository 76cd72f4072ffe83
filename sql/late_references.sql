-- A reference that is written before its key, by a role that is not the owner: who looks it up again
\set ECHO none \i sql/include/rekey.sql \set ECHO all
CREATE TABLE keys (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), created timestamptz DEFAULT '2024-01-02 03:04:05+00');
CREATE TABLE refs (n int, key_id uuid);
CREATE TABLE late (n int, key_id uuid) PARTITION BY LIST (n);
CREATE TABLE late_1 (gone int, key_id uuid, n int);
ALTER TABLE late_1 DROP COLUMN gone;
ALTER TABLE late ATTACH PARTITION late_1 FOR VALUES IN (1);
CREATE TABLE late_others PARTITION OF late DEFAULT;
INSERT INTO keys (id) VALUES (v4(1));
INSERT INTO refs VALUES (0, v4(1));
INSERT INTO late VALUES (0, v4(1));
GRANT SELECT, INSERT ON keys, refs, late TO regress_uuidx_writer;
\set options '''keys'', ''id'', ''online'', ''to_v7'', created => ''created'', also => ''{refs.key_id,late.key_id}'', trust_owners => true'
\set ECHO none \o /dev/null
CREATE TEMPORARY TABLE steps AS SELECT step, phase, sql FROM uuidx_migrate.script(:options);
SELECT sql FROM steps WHERE step <= (SELECT max(step) FROM steps WHERE phase = 'shadow') ORDER BY step \gexec
\o \set ECHO all

CREATE FUNCTION set_n() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN NEW.n := NEW.n; RETURN NEW; END$$;
CREATE TRIGGER touch BEFORE UPDATE ON refs FOR EACH ROW EXECUTE FUNCTION set_n();
CREATE TRIGGER touch BEFORE UPDATE ON late_1 FOR EACH ROW EXECUTE FUNCTION set_n();

-- A client that may not update the table: its references wait for the script.
SELECT relation, r FROM uuidx_migrate.plan(:options) AS p, unnest(remarks) AS r WHERE r ~ 'waits for the script';
SET ROLE regress_uuidx_writer;
BEGIN;
INSERT INTO refs VALUES (3, v4(3));
INSERT INTO late VALUES (1, v4(3));
INSERT INTO keys (id) VALUES (v4(3));
COMMIT;
SET ROLE regress_uuidx_owner;
SELECT key_id_shadow = key_id AS waits FROM (SELECT * FROM refs UNION ALL SELECT * FROM late) AS r WHERE key_id = v4(3);
-- A client that may update the table does so itself.
GRANT UPDATE ON refs TO regress_uuidx_writer;
SET ROLE regress_uuidx_writer;
BEGIN;
INSERT INTO refs VALUES (4, v4(4));
INSERT INTO keys (id) VALUES (v4(4));
COMMIT;
SET ROLE regress_uuidx_owner;
SELECT count(*) AS right_shadows FROM refs JOIN keys AS k ON k.id = key_id WHERE k.id_shadow = key_id_shadow AND k.id = v4(4);
-- On a partitioned table, its privileges are those of this table.
GRANT UPDATE ON late TO regress_uuidx_writer;
SET ROLE regress_uuidx_writer;
BEGIN;
INSERT INTO late VALUES (1, v4(7)), (2, v4(7));
INSERT INTO keys (id) VALUES (v4(7));
COMMIT;
SET ROLE regress_uuidx_owner;
SELECT count(*) AS right_shadows FROM late JOIN keys AS k ON k.id = key_id WHERE k.id_shadow = key_id_shadow AND k.id = v4(7);
REVOKE UPDATE ON late FROM regress_uuidx_writer;
-- Whoever writes a key anew has not written to the table that references it: as long as it has a trigger of its own, is
-- referenced, or has a constraint that calls what belongs to somebody else, the reference waits.
GRANT DELETE ON keys TO regress_uuidx_writer;
\set again 'SET ROLE regress_uuidx_writer; BEGIN; DELETE FROM keys WHERE id = v4(4); INSERT INTO keys (id, created) VALUES (v4(4), clock_timestamp());'
\set is_right 'RESET ROLE; SELECT r.key_id_shadow = k.id_shadow AS is_right FROM refs AS r JOIN keys AS k ON k.id = key_id WHERE k.id = v4(4);'
:again COMMIT; :is_right
DROP TRIGGER touch ON refs;
-- A trigger may call the function of a foreign key, and belong to none.
CREATE TRIGGER of_none AFTER DELETE ON refs FOR EACH ROW EXECUTE FUNCTION "RI_FKey_check_upd"();
:again COMMIT; :is_right
DROP TRIGGER of_none ON refs;
CREATE UNIQUE INDEX refs_n ON refs (n);
CREATE TABLE of_refs (n int REFERENCES refs (n) ON UPDATE CASCADE);
:again COMMIT; :is_right
DROP TABLE of_refs;
DROP INDEX refs_n;
CREATE ROLE regress_uuidx_other;
CREATE FUNCTION check_of_other(int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE FUNCTION trigger_of_other() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
ALTER FUNCTION check_of_other OWNER TO regress_uuidx_other;
ALTER FUNCTION trigger_of_other OWNER TO regress_uuidx_other;
ALTER TABLE refs ADD CONSTRAINT others CHECK (check_of_other(n));
:again COMMIT; :is_right
ALTER TABLE refs DROP CONSTRAINT others;
:again COMMIT; :is_right
-- What triggers call, the script runs only if it belongs to the owner or a superuser.
CREATE TRIGGER others BEFORE UPDATE ON refs FOR EACH ROW EXECUTE FUNCTION trigger_of_other();
SELECT format('%s: %s', o, h) AS obstacle FROM uuidx_migrate.plan(:options), unnest(obstacles, hints) AS u (o, h);
SELECT * FROM pg_temp.errors($$SELECT uuidx_migrate_steps.check_triggers('refs'::regclass, true)$$);
DROP TRIGGER others ON refs;
CREATE TRIGGER others BEFORE UPDATE ON refs FOR EACH ROW WHEN (check_of_other(NEW.n)) EXECUTE FUNCTION set_n();
SELECT * FROM pg_temp.errors($$SELECT uuidx_migrate_steps.check_triggers('refs'::regclass, true)$$);
DROP TRIGGER others ON refs;
-- Nothing says who has created a trigger, and its condition could run anything by a function that is not IMMUTABLE.
CREATE TRIGGER others BEFORE UPDATE ON refs FOR EACH ROW WHEN (current_setting('any.thing', true) IS NULL) EXECUTE FUNCTION set_n();
SELECT format('%s: %s', o, h) AS obstacle FROM uuidx_migrate.plan(:options), unnest(obstacles, hints) AS u (o, h);
SELECT * FROM pg_temp.errors($$SELECT uuidx_migrate_steps.check_triggers('refs'::regclass, true)$$);
ALTER TABLE refs DISABLE TRIGGER others;
SELECT uuidx_migrate_steps.check_triggers('refs'::regclass, true);
DROP TRIGGER others ON refs;
CREATE TRIGGER touch BEFORE UPDATE ON refs FOR EACH ROW WHEN (pg_trigger_depth() >= 0 AND abs(OLD.n) >= 0) EXECUTE FUNCTION set_n();
SELECT uuidx_migrate_steps.check_triggers('refs'::regclass, true);
-- The partitions are locked as well, before they are asked.
BEGIN;
SELECT uuidx_migrate_steps.lock_table('late', 'ROW EXCLUSIVE', true);
SELECT relation::regclass FROM pg_locks WHERE pid = pg_backend_pid() AND mode = 'RowExclusiveLock' AND relation::regclass::text LIKE 'late%' ORDER BY 1;
ROLLBACK;
DROP FUNCTION check_of_other, trigger_of_other;
DROP ROLE regress_uuidx_other;
SET ROLE regress_uuidx_owner;
-- A function with the rights of its owner does not update as its owner.
CREATE FUNCTION write_late() RETURNS void LANGUAGE sql SECURITY DEFINER
AS 'INSERT INTO public.refs VALUES (9, public.v4(9)); INSERT INTO public.keys (id) VALUES (public.v4(9)); SET CONSTRAINTS ALL IMMEDIATE';
SET ROLE regress_uuidx_writer;
SELECT write_late();
SET ROLE regress_uuidx_owner;
SELECT key_id_shadow = key_id AS waits FROM refs WHERE key_id = v4(9);
-- Row security may hide rows from it.
ALTER TABLE refs ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_rows ON refs USING (true);
SET ROLE regress_uuidx_writer;
BEGIN;
INSERT INTO refs VALUES (5, v4(5));
INSERT INTO keys (id) VALUES (v4(5));
COMMIT;
SET ROLE regress_uuidx_owner;
SELECT key_id_shadow = key_id AS waits FROM refs WHERE key_id = v4(5);
-- The rest of the script looks up what waits.
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:options) WHERE phase NOT IN ('cutover', 'after') ORDER BY step \gexec
\o \set ECHO all
SELECT count(*) FILTER (WHERE k.id_shadow = key_id_shadow) AS right_shadows, count(*) AS all
FROM (SELECT n, key_id, key_id_shadow FROM refs UNION ALL SELECT n, key_id, key_id_shadow FROM late) AS r JOIN keys AS k ON k.id = key_id;
-- From then on, a reference cannot wait.
SELECT * FROM pg_temp.errors(
    $$SET ROLE regress_uuidx_writer; INSERT INTO late (n, key_id) VALUES (1, v4(6)); INSERT INTO keys (id) VALUES (v4(6)); SET CONSTRAINTS ALL IMMEDIATE$$);
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script(:options) ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM pg_temp.errors(
    $$SET ROLE regress_uuidx_writer; INSERT INTO late (n, key_id) VALUES (1, v4(6)); INSERT INTO keys (id) VALUES (v4(6)); SET CONSTRAINTS ALL IMMEDIATE$$);
SET ROLE regress_uuidx_writer;
INSERT INTO keys (id) VALUES (v4(6));
INSERT INTO late (n, key_id) VALUES (1, v4(6));
SET ROLE regress_uuidx_owner;
SELECT count(*) FROM late JOIN keys ON keys.id = key_id WHERE late.key_id_shadow = v4(6);

-- What created calls, whoever writes to the table may execute.
CREATE FUNCTION moment(timestamptz) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN $1; END$$;
REVOKE EXECUTE ON FUNCTION moment(timestamptz) FROM PUBLIC;
CREATE TABLE written (id uuid PRIMARY KEY, created timestamptz);
GRANT INSERT ON written TO regress_uuidx_writer, regress_uuidx_owner;
GRANT UPDATE (created) ON written TO PUBLIC;
SELECT format('%s: %s', o, h) AS obstacle
FROM uuidx_migrate.plan('written', 'id', 'online', 'to_v7', created => 'public.moment(created)', trust_owners => true), unnest(obstacles, hints) AS u (o, h);
SET client_min_messages = error;
RESET ROLE;
DROP OWNED BY regress_uuidx_owner, regress_uuidx_writer CASCADE;
DROP ROLE regress_uuidx_owner, regress_uuidx_writer;
