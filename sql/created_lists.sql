-- Lists of creation times, and what a plan says of triggers
SET client_min_messages = warning;
CREATE SCHEMA lists;
SET search_path = lists, public;

-- A candidate fits that means the same in any time zone; what only lacks its zone is no column that is missing.
CREATE TABLE of_times (id uuid PRIMARY KEY, created_at timestamptz);
CREATE TABLE without_zones (id uuid PRIMARY KEY, created_at timestamp);
CREATE TABLE of_none (id uuid PRIMARY KEY);
\pset format wrapped
\pset columns 118
SELECT key, o.obstacle, o.hint
FROM uuidx_migrate.keys_plan('{lists}', 'offline', 'to_v7', created => '{created_at}') AS p,
     unnest(p.obstacles, p.hints) AS o (obstacle, hint);
\set VERBOSITY sqlstate
SELECT uuidx_migrate.keys_script('{lists,!of_none}', 'offline', 'to_v7', created => '{created_at}');
SELECT substring(sql, 'CREATE FUNCTION lists.without_zones[^;]* RETURN ([^;]*)') AS without_zones,
       substring(sql, 'CREATE FUNCTION lists.of_times[^;]* RETURN ([^;]*)') AS of_times
FROM uuidx_migrate.keys_script('{lists,!of_none}', 'offline', 'to_v7',
                               created => '{created_at AT TIME ZONE ''UTC'',created_at}');

\set VERBOSITY terse
SELECT uuidx_migrate.script('without_zones', 'id', 'offline', 'to_v7', created => '{created_at,created_at::date}');
\set VERBOSITY sqlstate

-- A list that fits nothing, where all keys would get the same time
SELECT r AS remark
FROM uuidx_migrate.plan('of_none', 'id', 'offline', 'to_v7', created => '{created_at}', rows_without_time => 'epoch')
     AS p, unnest(p.remarks) AS r WHERE r LIKE 'no expression%';
SELECT uuidx_migrate.script('of_none', 'id', 'offline', 'to_v7', created => '{created_at}',
                            rows_without_time => 'epoch');
SELECT count(*) FROM uuidx_migrate.script('of_none', 'id', 'offline', 'to_v7', rows_without_time => 'epoch');

-- What triggers do to the rows that a backfill updates, as far as the texts of their functions show it
CREATE TABLE log (n int);
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.created_at := now(); RETURN NEW; END $$;
CREATE FUNCTION clean() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'TRUNCATE' THEN
        DELETE FROM log;
        INSERT INTO lists.log VALUES (1);
        UPDATE ONLY log AS l SET n = 2;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER stamp BEFORE UPDATE ON of_times FOR EACH ROW EXECUTE FUNCTION stamp();
CREATE TRIGGER clean AFTER UPDATE ON of_times FOR EACH ROW EXECUTE FUNCTION clean();
ALTER TABLE of_times ENABLE ALWAYS TRIGGER clean;
CREATE TRIGGER of_others AFTER UPDATE OF created_at ON of_times FOR EACH ROW EXECUTE FUNCTION clean();
SELECT r AS remark
FROM uuidx_migrate.plan('of_times', 'id', 'online', 'to_v7', created => 'created_at') AS p, unnest(p.remarks) AS r
WHERE r LIKE '%trigger%';
DROP SCHEMA lists CASCADE;
