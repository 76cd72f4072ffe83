-- Look-ups, and trigger functions of a migration, where they do not belong
\set ECHO none \i sql/include/rekey.sql \set ECHO all
-- What a look-up needs: an index on the whole of a column, of the type's own order, and a value
CREATE TABLE map (old uuid, new uuid, n int);
INSERT INTO map VALUES (v4(1), v4(2), 1), (v4(3), NULL, 3);
CREATE UNIQUE INDEX ON map (old, n);
CREATE UNIQUE INDEX ON map (old uuid_time_ops);
CREATE UNIQUE INDEX ON map (old) WHERE new IS NOT NULL;
CREATE INDEX ON map (old);
SELECT * FROM pg_temp.errors($$SELECT uuidx_migrate_steps.lookup('map', 'old', 'new', v4(1), v4(1))$$);
CREATE UNIQUE INDEX ON map (old) WHERE old IS NOT NULL;
SELECT uuidx_migrate_steps.lookup('map', 'old', 'new', v4(1), v4(1)) = v4(2) AS found,
       uuidx_migrate_steps.lookup('map', 'old', 'new', v4(4), v4(4)) = v4(4) AS same;
SELECT * FROM pg_temp.errors(
    $$SELECT uuidx_migrate_steps.lookup('map', 'old', 'new', v4(3), v4(3))$$,
    $$SELECT uuidx_migrate_steps.lookup('map', 'old', 'n', v4(1), v4(1))$$,
    $$SELECT uuidx_migrate_steps.lookup('map', 'old', 'none', v4(1), v4(1))$$);
-- It reads as who calls it, and does not go by row security.
ALTER TABLE map ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SELECT * FROM pg_temp.errors($$SELECT uuidx_migrate_steps.lookup('map', 'old', 'new', v4(1), v4(1))$$);
SET ROLE regress_uuidx_writer;
SELECT * FROM pg_temp.errors($$SELECT uuidx_migrate_steps.lookup('public.map', 'old', 'new', public.v4(1), public.v4(1))$$);
SET ROLE regress_uuidx_owner;
DROP TABLE map;
CREATE TABLE map (old uuid, new uuid) PARTITION BY LIST (old);
CREATE UNIQUE INDEX ON map (old);
SELECT * FROM pg_temp.errors($$SELECT uuidx_migrate_steps.lookup('map', 'old', 'new', v4(1), v4(1))$$);

-- Trigger functions: called by no trigger, by one of another kind, with other arguments
CREATE TABLE bad (id uuid, id_shadow uuid, CONSTRAINT zzz_id_shadow CHECK (num_nulls(id, id_shadow) >= 0));
SELECT t.event, t.call, e.*
FROM (VALUES ('AFTER INSERT', $$fill_key('id', 'id_shadow', '', 'error', 'error')$$, 'DEFAULT VALUES'),
             ('BEFORE INSERT', $$fill_key('id', 'id_shadow', '', 'none', 'error')$$, 'VALUES (v4(1))'),
             ('BEFORE INSERT', $$fill_key('id', 'id_shadow', 'nothing', 'error', 'error')$$, 'VALUES (v4(1))'),
             ('BEFORE INSERT', $$fill_number_key('id', 'id_shadow', '', 'epoch', 'error', '')$$, 'VALUES (v4(1))'),
             ('BEFORE INSERT', $$fill_text('id', 'id_shadow', 'text_to_uuid', '36')$$, 'VALUES (v4(1))'),
             ('BEFORE INSERT', $$fill_reference('id', 'id_shadow', 'id', 'id_shadow')$$, 'VALUES (v4(1))'),
             ('BEFORE INSERT', $$refill('id', 'id_shadow', 'id', 'id_shadow')$$, 'DEFAULT VALUES'),
             ('BEFORE INSERT', $$reset('id', 'id_shadow')$$, 'DEFAULT VALUES')) AS t (event, call, rows),
     LATERAL pg_temp.errors(format('CREATE OR REPLACE TRIGGER bad %s ON bad FOR EACH ROW EXECUTE FUNCTION '
                                   'uuidx_migrate_steps.%s; INSERT INTO bad %s', t.event, t.call, t.rows)) AS e;
SELECT * FROM pg_temp.errors('SELECT uuidx_migrate_steps.fill_key()');
-- A function that marks nothing, and a type whose values nobody can compare
CREATE UNIQUE INDEX ON bad (id);
CREATE OR REPLACE TRIGGER bad BEFORE INSERT ON bad FOR EACH ROW EXECUTE FUNCTION
uuidx_migrate_steps.fill_reference('id', 'id_shadow', 'id', 'id_shadow', 'to_v7', 'uuid_version');
CREATE TABLE worse (id json, id_shadow uuid, CONSTRAINT zzz_id_shadow CHECK (num_nulls(id, id_shadow) >= 0));
INSERT INTO worse VALUES ('1');
CREATE TRIGGER worse BEFORE UPDATE ON worse FOR EACH ROW EXECUTE FUNCTION
uuidx_migrate_steps.fill_number_key('id', 'id_shadow', '', 'error', 'error', '');
SELECT * FROM pg_temp.errors('INSERT INTO bad VALUES (v4(1))', $$UPDATE worse SET id = '2'$$);
SET client_min_messages = error;
RESET ROLE;
DROP OWNED BY regress_uuidx_owner, regress_uuidx_writer CASCADE;
DROP ROLE regress_uuidx_owner, regress_uuidx_writer;
