-- What a plan says of version 7 keys in the place of random ones, and what stands in their way
\set ECHO none \i sql/include/rekey.sql \set ECHO all
-- Of a table that an earlier key has had analyzed, only what has statistics of its own is new.
CREATE TABLE analyzed (id uuid PRIMARY KEY, n int);
CREATE FUNCTION analyzed_again() RETURNS boolean LANGUAGE sql
RETURN EXISTS (SELECT FROM uuidx_migrate_steps.analyze_steps(uuidx_migrate_steps.migration(
    ('analyzed', 'id', 'to_v7', 'error', '{}', 'refuse', true, NULL, false, NULL, 'error', 'error', NULL, NULL)
    ::uuidx_migrate_steps.choices, false), ARRAY['analyzed'::regclass]));
SELECT analyzed_again();
CREATE STATISTICS correlated ON id, n FROM analyzed;
SELECT analyzed_again();
DROP STATISTICS correlated;
CREATE INDEX ON analyzed ((id::text));
SELECT analyzed_again();
-- It says as much of disk as the head of a script; tables that have no rows need none beside a copy of their own.
CREATE TABLE nothing (id uuid PRIMARY KEY);
CREATE TABLE something (id uuid PRIMARY KEY, created timestamptz, note text UNIQUE);
INSERT INTO something SELECT md5(n::text)::uuid, '2020-01-01Z', n FROM generate_series(1, 5000) AS n;
ANALYZE nothing, something;
SELECT e.mode, e.disk - pg_total_relation_size('nothing') AS disk
FROM uuidx_migrate_steps.estimates(ARRAY[uuidx_migrate_steps.migration(
         ('nothing', 'id', 'to_v7', 'error', '{}', 'refuse', true, NULL, false, NULL, 'error', 'error', NULL, NULL)
         ::uuidx_migrate_steps.choices, false)]) AS e WHERE e.mode <> 'finish';
SELECT mode, said = (regexp_match(remark, '([0-9]+ kB).* ([0-9]+ kB)'))[n] AS same, pg_size_bytes(said) > 400000 AS is_much
FROM unnest('{offline,online}'::text[]) WITH ORDINALITY AS m (mode, n),
     LATERAL (SELECT substring(s.sql, 'about ([0-9]+ kB) more of disk')
              FROM uuidx_migrate.keys_script('{public.something.id}', mode, 'to_v7', created => 'created',
                                             trust_owners => true) AS s WHERE s.step = 1) AS s (said),
     LATERAL (SELECT r FROM uuidx_migrate.plan('something', 'id', conversion => 'to_v7', created => 'created',
                                               trust_owners => true) AS p, unnest(p.remarks) AS r
              WHERE r ~ 'of disk') AS p (remark);
DROP TABLE something;
SELECT regexp_replace(r, '[0-9]+ (bytes|kB)', 'some kB', 'g') AS remark
FROM uuidx_migrate.plan('nothing', 'id', conversion => 'to_v7', trust_owners => true) AS p, unnest(p.remarks) AS r;
-- Which texts may take whole rows, or columns by their positions
SELECT uuidx_migrate_steps.takes_rows(t, 'nothing') AS takes_rows, t AS text
FROM unnest('{INSERT INTO nothing VALUES (1),insert into s.nothing AS n (SELECT 1),copy nothing FROM stdin,RETURN QUERY TABLE nothing,
    SELECT n.* FROM nothing n,SELECT DISTINCT ON (id) * FROM nothing,UPDATE nothing SET n = 1 RETURNING *,
    DECLARE r nothing; BEGIN,; r CONSTANT s.nothing[] := f(),r nothing%ROWTYPE,SELECT (j #> x)::nothing,CAST(x AS nothing),SELECT row_to_json(nothing) FROM nothing,
    INSERT INTO nothing (id) SELECT 1,LOCK TABLE nothing,SELECT count(*) FROM nothing,SELECT (a + b) * c FROM nothing,
    SELECT * FROM nothings,INSERT INTO nothing2 VALUES (1),SELECT id INTO r FROM nothing,
    INSERT INTO \"a b\".nothing VALUES (1),INSERT /* -- */INTO/**/nothing -- \"all
     VALUES (1),
    MERGE INTO ONLY nothing USING r ON true WHEN NOT MATCHED THEN INSERT VALUES (1),
    MERGE INTO nothing USING r ON true WHEN NOT MATCHED THEN INSERT (id) VALUES (1),-- INSERT INTO nothing VALUES (1)}'::text[]) AS t;
SELECT uuidx_migrate_steps.takes_rows('INSERT INTO "a ""b" VALUES (1)', 'a ""b'), uuidx_migrate_steps.takes_rows($$'--'; INSERT INTO nothing VALUES (1)$$, 'nothing');
-- Functions that do so with the rows of a table: the catalogs know its row type, its triggers and what these call rows.
CREATE TABLE generated (id uuid PRIMARY KEY, link text GENERATED ALWAYS AS ('/' || id::text) STORED, name text);
CREATE FUNCTION takes_argument(generated) RETURNS text LANGUAGE sql AS 'SELECT $1.name';
CREATE FUNCTION takes_array(uuid) RETURNS generated[] LANGUAGE plpgsql AS $$BEGIN RETURN ARRAY[ROW($1, NULL, '')]; END$$;
CREATE FUNCTION takes_name() RETURNS void LANGUAGE sql AS $$INSERT INTO public.generated VALUES (NULL)$$;
CREATE FUNCTION takes_old() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN INSERT INTO log SELECT now(), OLD.*; RETURN NULL; END$$;
CREATE FUNCTION takes_new() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM to_jsonb(new); RETURN NULL; END$$;
CREATE FUNCTION takes_table() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN INSERT INTO log SELECT * FROM gone; RETURN NULL; END$$;
CREATE FUNCTION names_all() RETURNS trigger LANGUAGE plpgsql AS
$$BEGIN INSERT INTO log (id) SELECT new.id FROM gone; RETURN coalesce(NEW, OLD); END$$;
-- Of a text that is too long to read, it may be so.
DO $$ BEGIN EXECUTE format('CREATE FUNCTION is_long() RETURNS void LANGUAGE sql AS %L', '--generated' || repeat(' ', 1000000)); END $$;
CREATE TRIGGER a AFTER UPDATE ON generated FOR EACH ROW EXECUTE FUNCTION takes_old();
CREATE TRIGGER b AFTER UPDATE ON generated FOR EACH ROW EXECUTE FUNCTION takes_new();
CREATE TRIGGER c AFTER UPDATE ON generated REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION takes_table();
CREATE TRIGGER d AFTER UPDATE ON generated REFERENCING OLD TABLE AS gone FOR EACH ROW EXECUTE FUNCTION names_all();
-- Of those of extensions, the ones that triggers of the table call.
CREATE FUNCTION of_extension() RETURNS void LANGUAGE sql AS $$INSERT INTO public.generated VALUES (NULL)$$;
RESET ROLE;
ALTER EXTENSION uuidx ADD FUNCTION of_extension();
ALTER EXTENSION uuidx ADD FUNCTION takes_table();
SET ROLE regress_uuidx_owner;
SELECT regexp_replace(r, '[0-9]+ (bytes|kB)', 'some kB', 'g') AS remark
FROM uuidx_migrate.plan('generated', 'id', conversion => 'to_v7', rows_without_time => 'epoch', trust_owners => true) AS p,
     unnest(p.remarks) AS r WHERE r ~ 'whole rows';
RESET ROLE;
ALTER EXTENSION uuidx DROP FUNCTION of_extension();
ALTER EXTENSION uuidx DROP FUNCTION takes_table();
SET ROLE regress_uuidx_owner;
DROP TABLE generated CASCADE;
DROP FUNCTION is_long, takes_name, takes_old, takes_new, takes_table, names_all, of_extension;

-- Which of the columns is the key: each reference has one.
CREATE TABLE a (id uuid PRIMARY KEY);
CREATE TABLE b (id uuid PRIMARY KEY REFERENCES a);
ALTER TABLE a ADD FOREIGN KEY (id) REFERENCES b DEFERRABLE;
SELECT * FROM pg_temp.obstacles($$plan('a', 'id', conversion => 'to_v7', trust_owners => true)$$);
ALTER TABLE a DROP CONSTRAINT a_id_fkey;
CREATE TABLE c (id uuid PRIMARY KEY);
ALTER TABLE b ADD FOREIGN KEY (id) REFERENCES c;
SELECT * FROM pg_temp.obstacles($$plan('b', 'id', conversion => 'to_v7', trust_owners => true)$$);
ALTER TABLE b DROP CONSTRAINT b_id_fkey1;
ALTER TABLE b DROP CONSTRAINT b_id_fkey, ADD CONSTRAINT b_id_shadow FOREIGN KEY (id) REFERENCES a NOT VALID;
SELECT * FROM pg_temp.obstacles($$plan('b', 'id', conversion => 'to_v7', trust_owners => true)$$);
-- It is in the way of no other table.
SELECT * FROM pg_temp.obstacles($$plan('c', 'id', conversion => 'to_v7', rows_without_time => 'epoch', trust_owners => true)$$);
DROP TABLE a, b, c;
-- A foreign key of one partition alone proves nothing of the others.
CREATE TABLE a (id uuid PRIMARY KEY);
CREATE TABLE b (n int, a uuid) PARTITION BY LIST (n);
CREATE TABLE b_1 PARTITION OF b FOR VALUES IN (1);
ALTER TABLE b_1 ADD FOREIGN KEY (a) REFERENCES a;
SELECT * FROM pg_temp.obstacles($$plan('a', 'id', conversion => 'to_v7', rows_without_time => 'epoch', trust_owners => true)$$);
ALTER TABLE b ADD FOREIGN KEY (a) REFERENCES a;
SELECT * FROM pg_temp.obstacles($$plan('a', 'id', conversion => 'to_v7', rows_without_time => 'epoch', trust_owners => true)$$);
DROP TABLE a, b;
-- A foreign key is in the way of its own columns.
CREATE TABLE a (id uuid, day int, parent uuid, parent_day int, PRIMARY KEY (id, day), FOREIGN KEY (parent, parent_day) REFERENCES a) PARTITION BY LIST (day);
SELECT column_name FROM uuidx_migrate.plan('a', 'id', 'online', 'v1_to_v6', trust_owners => true), unnest(obstacles) AS o WHERE column_name = 'id' AND o ~ 'foreign key';
DROP TABLE a;
-- It is looked up by an index of its own.
CREATE TABLE a (id uuid, day int, PRIMARY KEY (id, day)) PARTITION BY LIST (day);
SELECT * FROM pg_temp.obstacles($$plan('a', 'id', conversion => 'to_v7', trust_owners => true)$$);
DROP TABLE a;
CREATE TABLE a (id uuid, day int, created timestamptz, PRIMARY KEY (id, day));
CREATE INDEX ON a (id);
CREATE UNIQUE INDEX ON a (id) WHERE day > 0;
SELECT * FROM pg_temp.obstacles($$plan('a', 'id', conversion => 'to_v7', trust_owners => true,
                                       created => 'CASE WHEN ''r.id '' <> '''' THEN created END')$$);
-- Names that the migration needs; a time that comes from the key itself
CREATE TABLE a_id_former ();
CREATE FUNCTION a_id_created(a) RETURNS timestamptz LANGUAGE sql RETURN now();
SELECT * FROM pg_temp.obstacles($$plan('a', 'id', conversion => 'to_v7', trust_owners => true,
                                       created => 'coalesce(created, uuidx_migrate_steps.uuid_time(id))')$$);
DROP TABLE a_id_former;
DROP TABLE a CASCADE;
-- Mistakes in a call
CREATE TABLE accounts (id uuid PRIMARY KEY, created timestamp);
SELECT a AS argument, e.*
FROM unnest(ARRAY['created => ''created''', 'rows_without_time => ''keep''', 'future_rows => ''none''']) WITH ORDINALITY AS a (a, n),
     LATERAL pg_temp.errors(format($$SELECT * FROM uuidx_migrate.plan('accounts', 'id', conversion => 'to_v7', trust_owners => true, %s)$$, a)) AS e
ORDER BY a.n;

-- A foreign key to a partitioned table is validated after the cutover. PostgreSQL 17 and older do not mark those to the
-- partitions so.
CREATE TABLE rows (id uuid PRIMARY KEY);
CREATE TABLE days (row_id uuid REFERENCES rows, day int, UNIQUE (row_id, day)) PARTITION BY LIST (day);
CREATE TABLE days_1 PARTITION OF days FOR VALUES IN (1);
CREATE TABLE hours (row_id uuid, day int, FOREIGN KEY (row_id, day) REFERENCES days (row_id, day));
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('rows', 'id', 'online', 'to_v7', rows_without_time => 'epoch', trust_owners => true)
ORDER BY step \gexec
\o \set ECHO all
SELECT relation, obstacles FROM uuidx_migrate.plan('rows', 'id', 'online', 'from_v7', trust_owners => true);
SET client_min_messages = error;
RESET ROLE;
DROP OWNED BY regress_uuidx_owner, regress_uuidx_writer CASCADE;
DROP ROLE regress_uuidx_owner, regress_uuidx_writer;
