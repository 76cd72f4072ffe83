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
-- Functions that may mean columns by their positions
CREATE FUNCTION inserts() RETURNS void LANGUAGE sql AS $$INSERT INTO public.nothing VALUES (NULL)$$;
CREATE FUNCTION names() RETURNS void LANGUAGE sql AS $$INSERT INTO nothing (id) VALUES (NULL)$$;
CREATE FUNCTION reads() RETURNS SETOF nothing LANGUAGE plpgsql AS
$$BEGIN RETURN QUERY SELECT n.* FROM "nothing" AS n; END$$;
CREATE FUNCTION others() RETURNS SETOF text LANGUAGE plpgsql AS $$BEGIN RETURN QUERY SELECT * FROM nothings; END$$;
SELECT f FROM uuidx_migrate_steps.positional_functions('nothing') AS f ORDER BY f::text;
DROP FUNCTION inserts, names, reads, others;

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
DROP TABLE a, b, c;
-- It is looked up by an index of its own.
CREATE TABLE a (id uuid, day int, PRIMARY KEY (id, day)) PARTITION BY LIST (day);
SELECT * FROM pg_temp.obstacles($$plan('a', 'id', conversion => 'to_v7', trust_owners => true)$$);
DROP TABLE a;
CREATE TABLE a (id uuid, day int, created timestamptz, PRIMARY KEY (id, day));
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
