-- Whose rights a trigger of a migration has: the owner's expression runs as whoever writes, and a look-up reads but the shadow
\set ECHO none \i sql/include/rekey.sql \set ECHO all
CREATE TABLE traps (id uuid PRIMARY KEY, created timestamptz, n int);
CREATE FUNCTION spring(t timestamptz) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE AS
$$ BEGIN RAISE NOTICE 'runs as %', current_user; RETURN t; END $$;
GRANT INSERT, UPDATE, SELECT ON traps TO regress_uuidx_writer;
SET client_min_messages = notice;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('traps', 'id', 'online', 'to_v7', created => 'public.spring(created)', trust_owners => true)
WHERE phase = 'shadow' ORDER BY step \gexec
\o \set ECHO all
SET ROLE regress_uuidx_writer;
INSERT INTO traps (id, created, n) VALUES (v4(1), '2020-01-01 00:00:00+00', 1);
RESET ROLE;
ALTER FUNCTION traps_id_created OWNER TO regress_uuidx_writer;
SELECT * FROM pg_temp.errors($$INSERT INTO traps (id, created, n) VALUES (v4(2), '2020-01-01 00:00:00+00', 1)$$);
ALTER FUNCTION traps_id_created OWNER TO regress_uuidx_owner;
-- It leaves no setting behind.
SET ROLE regress_uuidx_owner;
CREATE OR REPLACE FUNCTION spring(t timestamptz) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    PERFORM set_config('search_path', 'nowhere', false);
    RAISE NOTICE 'path is %', current_setting('search_path');
    RETURN t;
END $$;
SET ROLE regress_uuidx_writer;
INSERT INTO traps (id, created, n) VALUES (v4(2), '2020-01-01 00:00:00+00', 1);
SHOW search_path;
SET ROLE regress_uuidx_owner;
SET client_min_messages = warning;
DROP TABLE traps CASCADE;
DROP FUNCTION spring(timestamptz) CASCADE;

-- Who may reference a table reads nothing there but the shadow of a key.
CREATE TABLE secret (id uuid PRIMARY KEY, word uuid);
INSERT INTO secret VALUES (v4(1), v4(2));
GRANT REFERENCES (id) ON secret TO regress_uuidx_writer;
SET ROLE regress_uuidx_writer;
CREATE TABLE spy (id uuid REFERENCES secret, word uuid,
                  CONSTRAINT zzz_word CHECK (num_nulls(id, word) >= 0 AND 'secret'::regclass IS NOT NULL));
CREATE TRIGGER spy BEFORE INSERT ON spy
    FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill_reference('id', 'word', 'id', 'word');
SELECT * FROM pg_temp.errors($$INSERT INTO spy (id) VALUES (v4(1)) RETURNING word$$);
-- That, as long as the owner of the referencing table has both rights; those of the writer do not matter.
RESET ROLE;
ALTER TABLE secret ADD CONSTRAINT zzz_word CHECK (num_nulls(id, word) >= 0);
\set VERBOSITY sqlstate
INSERT INTO spy (id) VALUES (v4(1)) RETURNING word;
GRANT SELECT ON secret TO regress_uuidx_writer;
INSERT INTO spy (id) VALUES (v4(1)) RETURNING word;
GRANT REFERENCES ON secret TO regress_uuidx_writer;
INSERT INTO spy (id) VALUES (v4(1)) RETURNING word;
REVOKE SELECT ON secret FROM regress_uuidx_writer;
INSERT INTO spy (id) VALUES (v4(1)) RETURNING word;
\set VERBOSITY default
-- Nor does whoever has not these rights keep the owner of a key from finishing its migration.
CREATE TABLE held (id uuid PRIMARY KEY, created timestamptz);
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('held', 'id', 'online', 'to_v7', created => 'created', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SET ROLE regress_uuidx_writer;
CREATE TABLE holds (id uuid, id_shadow uuid CONSTRAINT zzz_id_shadow CHECK (num_nulls(id, id_shadow) >= 0 AND 'held'::regclass IS NOT NULL));
CREATE TRIGGER zzz_id_shadow BEFORE INSERT ON holds FOR EACH ROW
    EXECUTE FUNCTION uuidx_migrate_steps.fill_reference('id', 'id_shadow', 'id', 'id_shadow', 'to_v7', 'pending_key', 'id');
RESET ROLE;
GRANT SELECT, REFERENCES ON held TO regress_uuidx_writer;
SELECT * FROM pg_temp.errors($$SELECT uuidx_migrate_steps.check_references_finished('held', 'id')$$);
SELECT * FROM pg_temp.errors($$SELECT uuidx_migrate.script('held', 'id', 'finish', 'to_v7')$$);
REVOKE SELECT ON held FROM regress_uuidx_writer;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('held', 'id', 'finish', 'to_v7', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT attname FROM pg_attribute WHERE attrelid = 'held'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attname;
-- After the cutover, whoever knows a former key and may not read keys learns nothing of the new one from an error.
CREATE TABLE known (id uuid PRIMARY KEY, created timestamptz, name text CHECK (name <> ''));
INSERT INTO known VALUES (v4(1), '2015-01-02 03:04:05.678+00', 'x');
GRANT INSERT (id, name) ON known TO regress_uuidx_writer;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('known', 'id', 'online', 'to_v7', created => 'created', rows_without_time => 'epoch', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
CREATE FUNCTION shows_key() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    detail text;
BEGIN
    INSERT INTO known (id, name) VALUES (v4(1), '');
EXCEPTION WHEN check_violation THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN detail ~ '014aa899';
END $$;
SELECT uuid_v7_of('2015-01-02 03:04:05.678+00', v4(1)) = id AS is_key, left(id::text, 8) FROM known;
SET ROLE regress_uuidx_writer;
SELECT shows_key();
RESET ROLE;
GRANT SELECT (id) ON known TO regress_uuidx_writer;
SET ROLE regress_uuidx_writer;
SELECT shows_key();
SET client_min_messages = error;
RESET ROLE;
DROP OWNED BY regress_uuidx_owner, regress_uuidx_writer CASCADE;
DROP ROLE regress_uuidx_owner, regress_uuidx_writer;
