-- What a step asks for, as psql goes on after an error: that the migration has begun, and that columns are filled.
\set ECHO none \i sql/include/migration.sql \set ECHO all
CREATE TABLE keys_of_steps (id uuid PRIMARY KEY, created timestamptz DEFAULT '2020-01-01 00:00:00+00');
CREATE TABLE uses (id uuid REFERENCES keys_of_steps);
INSERT INTO keys_of_steps VALUES ('00000000-0000-4000-8000-000000000001');
INSERT INTO uses SELECT id FROM keys_of_steps;
CREATE TEMP TABLE steps AS SELECT * FROM uuidx_migrate.script('keys_of_steps', 'id', 'online', 'to_v7', created => 'created');
\set asked '$$SELECT uuidx_migrate_steps.is_under_way(''keys_of_steps'', ''id'', ''to_v7'')$$, $$SELECT uuidx_migrate_steps.are_filled(''{keys_of_steps}'')$$, $$SELECT uuidx_migrate_steps.finds_keys(''keys_of_steps'', ''id'')$$'
SELECT * FROM pg_temp.errors(:asked);
\set ECHO none
SELECT sql FROM steps WHERE phase = 'shadow' AND sql LIKE '%TABLE public.keys_of_steps %' \gexec
\set ECHO all
SELECT * FROM pg_temp.errors(:asked);
\set ECHO none \o /dev/null
SELECT sql FROM steps WHERE phase IN ('fill', 'validate') AND sql LIKE '%public.keys_of_steps%' AND sql NOT LIKE '%public.uses%' ORDER BY step \gexec
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
SELECT uuidx_migrate_steps.is_under_way('keys_of_steps', 'id', 'to_v7') AS before, uuidx_migrate_steps.is_under_way('keys_of_steps', 'id', 'from_v7') AS undo;
-- Somebody drops the shadow of the key: the writers of references learn what to do, and it can be done.
ALTER TABLE keys_of_steps DROP id_shadow CASCADE;
SELECT * FROM pg_temp.errors('INSERT INTO uses SELECT id FROM keys_of_steps');
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('keys_of_steps', 'id', 'finish', 'to_v7') ORDER BY step \gexec
\o \set ECHO all
INSERT INTO uses SELECT id FROM keys_of_steps;
DROP TABLE uses, keys_of_steps CASCADE;
