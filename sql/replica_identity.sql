-- A published table that has no replica identity takes rows, and no UPDATE: a script online would fail, and so would
-- clients by its triggers.
\set ECHO none \i sql/include/migration.sql \set ECHO all
SET client_min_messages = error;
CREATE SCHEMA identities;
SET search_path = identities, public;
CREATE TABLE users (id uuid PRIMARY KEY, created timestamptz DEFAULT '2020-01-01 00:00:00+00');
CREATE TABLE hits (user_id uuid REFERENCES users, n int);
CREATE TABLE shares (user_id uuid REFERENCES users, n int NOT NULL, year int) PARTITION BY LIST (year);
CREATE TABLE shares_1 (year int, n int NOT NULL, user_id uuid);
ALTER TABLE shares ATTACH PARTITION shares_1 FOR VALUES IN (1);
CREATE TABLE logs (user_id uuid, n int PRIMARY KEY);
INSERT INTO users VALUES ('00000000-0000-4000-8000-000000000001');
INSERT INTO hits SELECT id FROM users;
INSERT INTO shares SELECT id, 1, 1 FROM users;
INSERT INTO logs SELECT id, 1 FROM users;
\set call 'plan(''users'', ''id'', ''online'', ''to_v7'', also => ''{logs.user_id}'', other_values => ''keep'', published_tables => ''resync'', created => ''created'')'
\set script 'uuidx_migrate.script(''users'', ''id'', ''online'', ''to_v7'', also => ''{logs.user_id}'', other_values => ''keep'', published_tables => ''resync'', created => ''created'')'
CREATE TEMP TABLE steps AS SELECT * FROM :script;

-- Only updates are in the way.
CREATE PUBLICATION identities_all FOR ALL TABLES WITH (publish = 'insert, delete, truncate');
SELECT * FROM pg_temp.obstacles(:'call');
ALTER PUBLICATION identities_all SET (publish = 'insert, update');
SELECT * FROM pg_temp.obstacles(:'call');
SELECT * FROM pg_temp.obstacles('plan(''users'', ''id'', ''offline'', ''to_v7'', published_tables => ''resync'', created => ''created'')');
-- As a script says that was written before
SELECT * FROM pg_temp.errors((SELECT sql FROM steps WHERE step = 1));

-- The hints, followed to the letter
CREATE TEMP TABLE hints AS SELECT DISTINCT h FROM uuidx_migrate.:call AS p, unnest(p.hints) AS h;
SELECT substring(h FROM 'Run (.*)\.$') AS statement FROM hints ORDER BY statement \gexec
SELECT * FROM pg_temp.obstacles(:'call');
-- Other ways: a unique index, and no identity where there was one
UPDATE hits SET n = 1;
ALTER TABLE hits ADD UNIQUE (n), ALTER n SET NOT NULL, REPLICA IDENTITY USING INDEX hits_n_key;
ALTER TABLE logs REPLICA IDENTITY NOTHING;
SELECT * FROM pg_temp.obstacles(:'call');
ALTER TABLE hits DROP CONSTRAINT hits_n_key;
ALTER TABLE logs REPLICA IDENTITY DEFAULT;
SELECT * FROM pg_temp.obstacles(:'call');
DROP PUBLICATION identities_all;

-- A partition is published with its table, whichever of them names the rows.
ALTER TABLE shares_1 REPLICA IDENTITY DEFAULT;
CREATE PUBLICATION identities_root FOR TABLE shares WITH (publish_via_partition_root);
SELECT * FROM pg_temp.obstacles(:'call');
DROP PUBLICATION identities_root;

-- From PostgreSQL 15 on, a column list has to have the columns of the identity.
DO $$
DECLARE
    found text;
BEGIN
    IF current_setting('server_version_num')::integer >= 150000 THEN
        EXECUTE 'CREATE PUBLICATION identities_list FOR TABLE users (created)';
        SELECT string_agg(format('%s: %s', o, h), ', ') INTO found
        FROM uuidx_migrate.plan('users', 'id', 'online', 'to_v7', published_tables => 'resync', created => 'created') AS p,
             unnest(p.obstacles, p.hints) AS u (o, h);
        ASSERT found LIKE '%table users is published and cannot be updated: Column list % replica identity: '
                          'Drop the table from the publication, and add it again afterwards.', found;
        DROP PUBLICATION identities_list;
    END IF;
END
$$;

-- What is looked up again after the cutover
\set ECHO none \o /dev/null
SELECT sql FROM :script ORDER BY step \gexec
\o \set ECHO all
CREATE PUBLICATION identities_logs FOR TABLE logs;
ALTER TABLE logs REPLICA IDENTITY NOTHING;
\set finish 'uuidx_migrate.script(''users'', ''id'', ''finish'', ''to_v7'', also => ''{logs.user_id}'', other_values => ''keep'')'
SELECT * FROM pg_temp.errors('SELECT ' || :'script', 'SELECT ' || :'finish');
ALTER TABLE logs REPLICA IDENTITY FULL;
\set ECHO none \o /dev/null
SELECT sql FROM :finish ORDER BY step \gexec
\o \set ECHO all
SELECT count(*) FILTER (WHERE uuid_is_v7(id)) AS users, (SELECT count(*) FROM logs JOIN users ON user_id = id) AS logs FROM users;
DROP SCHEMA identities CASCADE;
DROP PUBLICATION identities_logs;
