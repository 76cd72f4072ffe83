-- What a step asks for, as psql goes on after an error: that the migration has begun, and that columns are filled.
\set ECHO none \i sql/include/migration.sql \set ECHO all
CREATE TABLE keyed (id uuid PRIMARY KEY, created timestamptz DEFAULT '2020-01-01 00:00:00+00');
CREATE TABLE uses (id uuid REFERENCES keyed);
INSERT INTO keyed VALUES ('00000000-0000-4000-8000-000000000001');
INSERT INTO uses SELECT id FROM keyed;
CREATE TEMP TABLE steps AS SELECT * FROM uuidx_migrate.script('keyed', 'id', 'online', 'to_v7', created => 'created');
\set asked '$$SELECT is_under_way(''keyed'', ''id'', ''to_v7'')$$, $$SELECT are_filled(''{keyed}'')$$, $$SELECT finds_keys(''keyed'', ''id'')$$'
SET search_path = public, uuidx_migrate_steps;
SELECT * FROM pg_temp.errors(:asked);
\set ECHO none
SELECT sql FROM steps WHERE phase = 'shadow' AND sql LIKE '%TABLE public.keyed %' \gexec
\set ECHO all
SELECT * FROM pg_temp.errors(:asked);
\set ECHO none \o /dev/null
SELECT sql FROM steps WHERE phase IN ('fill', 'validate') AND sql LIKE '%public.keyed%' AND sql NOT LIKE '%public.uses%' ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM pg_temp.errors(:asked);
\set ECHO none \o /dev/null
SELECT sql FROM steps WHERE phase = 'key' ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM pg_temp.errors(:asked);
-- After the cutover, a step of before has nothing to do.
\set ECHO none \o /dev/null
SELECT sql FROM steps WHERE step > 1 ORDER BY step \gexec
\o \set ECHO all
SELECT uuidx_migrate_steps.is_under_way('keyed', 'id', 'to_v7') AS before, uuidx_migrate_steps.is_under_way('keyed', 'id', 'from_v7') AS undo;
-- Somebody drops the shadow of the key: the writers of references learn what to do, and it can be done.
ALTER TABLE keyed DROP id_shadow CASCADE;
SELECT * FROM pg_temp.errors('INSERT INTO uses SELECT id FROM keyed');
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('keyed', 'id', 'finish', 'to_v7') ORDER BY step \gexec
\o \set ECHO all
INSERT INTO uses SELECT id FROM keyed;
DROP TABLE uses, keyed CASCADE;
-- What partitions lack is not made in their table, under its lock.
CREATE TABLE parts (id uuid, n integer);
ALTER TABLE parts ADD CONSTRAINT positive CHECK (n > 0) NOT VALID;
CREATE INDEX here ON parts (id);
\set asked '$$SELECT have_constraint(''{parts}'', ''positive'', false)$$, $$SELECT have_constraint(''{parts}'', ''positive'', true)$$'
\set asked :asked ', $$SELECT have_constraint(''{parts}'', ''p'', false)$$, $$SELECT are_built(''{public.here, public.gone}'')$$, $$SELECT are_built(''{public.here}'')$$'
SELECT * FROM pg_temp.errors(:asked);
DROP TABLE parts;
