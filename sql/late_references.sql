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

-- What an UPDATE as the owner would run: PostgreSQL's own functions, those of extensions in C, and SQL of these
SELECT * FROM uuidx_migrate_steps.procedural_code('refs');
ALTER TABLE refs ADD CHECK (n >= 0 AND abs(n) < 100);
CREATE FUNCTION in_sql(n int) RETURNS int LANGUAGE sql IMMUTABLE RETURN n + 1;
CREATE INDEX in_sql ON refs (in_sql(n)) WHERE uuid_is_v7(key_id) IS NOT NULL;
CREATE TRIGGER guard BEFORE UPDATE ON refs FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
SELECT * FROM uuidx_migrate_steps.procedural_code('refs');
-- Anything else, wherever it is
CREATE FUNCTION in_plpgsql(n int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN n; END$$;
CREATE FUNCTION in_text(n int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT n';
CREATE FUNCTION in_body(n int) RETURNS int LANGUAGE sql IMMUTABLE RETURN in_plpgsql(n);
CREATE FUNCTION in_table() RETURNS int LANGUAGE sql IMMUTABLE BEGIN ATOMIC SELECT count(*)::int FROM keys; END;
CREATE FUNCTION in_trigger() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN NEW.n := NEW.n; RETURN NEW; END$$;
CREATE OPERATOR !! (RIGHTARG = int, FUNCTION = in_plpgsql);
CREATE DOMAIN small AS int CHECK (in_plpgsql(VALUE) < 100);
CREATE FUNCTION between(float8, float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN $1 - $2; END$$;
-- What the code is once a statement has run, which is taken back
CREATE FUNCTION pg_temp.code_with(statement text, OUT code text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    code := (SELECT string_agg(DISTINCT c, ', ' ORDER BY c) FROM uuidx_migrate_steps.procedural_code('refs') AS c);
    RAISE EXCEPTION 'undone' USING ERRCODE = 'UUIDX';
EXCEPTION WHEN SQLSTATE 'UUIDX' THEN
    RETURN;
END $$;
SELECT s AS statement, pg_temp.code_with(s) AS code
FROM (VALUES (1, 'ALTER TABLE refs ADD CHECK (in_plpgsql(n) < 100)'), (2, 'ALTER TABLE refs ADD CHECK (in_body(n) < 100)'),
             (3, 'ALTER TABLE refs ADD CHECK (in_text(n) < 100)'), (4, 'ALTER TABLE refs ADD CHECK (!! n < 100)'),
             (5, 'ALTER TABLE refs ADD CHECK (in_table() < 100) NOT VALID'),
             (6, $$ALTER TABLE refs ADD CHECK (query_to_xml('SELECT 1', true, true, '') IS NOT NULL)$$),
             (7, 'ALTER TABLE refs ADD CHECK (now() > ''2020-01-01'')'), (8, 'CREATE INDEX ON refs (in_plpgsql(n))'),
             (9, 'CREATE INDEX ON refs (n) WHERE in_plpgsql(n) > 0'), (10, 'CREATE STATISTICS s ON (in_plpgsql(n)) FROM refs'),
             (11, 'ALTER TABLE refs ADD COLUMN g int GENERATED ALWAYS AS (in_plpgsql(n)) STORED'),
             (12, 'ALTER TABLE refs ADD COLUMN d small'), (13, 'CREATE TYPE r AS RANGE (subtype = float8, subtype_diff = between); ALTER TABLE refs ADD COLUMN r r'),
             (14, 'CREATE TRIGGER t BEFORE UPDATE OF n ON refs FOR EACH ROW EXECUTE FUNCTION in_trigger()'),
             (15, 'CREATE TRIGGER t AFTER UPDATE ON refs EXECUTE FUNCTION nothing()'),
             (16, 'CREATE TRIGGER t BEFORE INSERT ON refs FOR EACH ROW EXECUTE FUNCTION in_trigger()'),
             (17, 'CREATE TRIGGER t BEFORE UPDATE ON refs FOR EACH ROW WHEN (in_plpgsql(new.n) > 0) '
                  'EXECUTE FUNCTION suppress_redundant_updates_trigger()'),
             (18, 'CREATE RULE r AS ON UPDATE TO refs DO ALSO NOTHING'),
             (19, 'ALTER TABLE refs ADD UNIQUE (key_id); CREATE TABLE passed (p uuid REFERENCES refs (key_id) ON UPDATE CASCADE, '
                  'd small)'),
             (20, 'ALTER TABLE refs ADD UNIQUE (key_id); CREATE TABLE passed (p uuid REFERENCES refs (key_id), d small)'))
     AS v (n, s) ORDER BY n;
DROP TRIGGER guard ON refs;

-- A client that may not update the table: its references are looked up by the owner,
SET ROLE regress_uuidx_writer;
BEGIN;
INSERT INTO refs VALUES (1, v4(2));
INSERT INTO late VALUES (1, v4(2)), (2, v4(2));
INSERT INTO keys (id) VALUES (v4(2));
COMMIT;
SET ROLE regress_uuidx_owner;
SELECT count(*) AS right_shadows FROM (SELECT * FROM refs UNION ALL SELECT * FROM late) AS r JOIN keys AS k ON k.id = key_id
WHERE k.id_shadow = key_id_shadow AND uuid_is_v7(key_id_shadow);
-- unless that runs code: then they wait for the script.
CREATE TRIGGER touch BEFORE UPDATE ON refs FOR EACH ROW EXECUTE FUNCTION in_trigger();
CREATE TRIGGER touch BEFORE UPDATE ON late_1 FOR EACH ROW EXECUTE FUNCTION in_trigger();
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
