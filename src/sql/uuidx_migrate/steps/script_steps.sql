-- The script: the steps in the order in which they run.

-- Part of script: its statements.
CREATE OR REPLACE FUNCTION script_steps(m migration, mode text) RETURNS SETOF statement
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    exchanged boolean := uuidx_migrate_steps.shadow_conversion(m.relation, m.column_name) IS NOT DISTINCT FROM (m.conversion).undo;
    stage uuidx_migrate_steps.migrated_column[];
BEGIN
    PERFORM uuidx_migrate_steps.check_obstacles(m, CASE WHEN mode = 'online' AND exchanged THEN 'finish' ELSE mode END);
    IF mode = 'offline' THEN
        RETURN QUERY SELECT 'begin', 'none', 'SELECT uuidx_migrate_steps.check_no_transaction(''this script''::pg_catalog.text)';
        RETURN QUERY SELECT 'begin', 'none', 'BEGIN';
        RETURN QUERY SELECT 'check', 'ACCESS EXCLUSIVE on ' || l.what, l.sql FROM uuidx_migrate_steps.lock_statements(m) AS l;
        RETURN QUERY SELECT 'check', 'none', c FROM uuidx_migrate_steps.check_statements(m, uuidx_migrate_steps.tables(m)) AS c;
        RETURN QUERY SELECT 'check', 'none', uuidx_migrate_steps.call_check_script(m, mode);
        RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.offline_steps(m) AS s;
        RETURN QUERY SELECT 'commit', 'none', 'COMMIT';
    ELSIF mode = 'finish' THEN
        IF uuidx_migrate_steps.has_map(m) THEN
            RETURN QUERY SELECT 'finish', 'ACCESS EXCLUSIVE on the table', format('DROP TABLE IF EXISTS %s', uuidx_migrate_steps.key_object(m, 'former'));
        ELSIF NOT exchanged THEN
            PERFORM uuidx_migrate_steps.raise('55000',
                format('there is nothing to finish: column "%s" of table %s has no old column of an online migration', m.column_name, m.relation),
                hint => CASE WHEN uuidx_migrate_steps.shadow_conversion(m.relation, m.column_name) IS NOT NULL
                             THEN 'To give up a migration before the exchange, finish the one that undoes it.' END);
        END IF;
        RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.after_steps(m) AS s WHERE exchanged;
        RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.finish_steps(m) AS s;
    ELSE
        IF NOT exchanged THEN
            RETURN QUERY SELECT 'check', 'none', c FROM uuidx_migrate_steps.check_statements(m, uuidx_migrate_steps.tables(m)) AS c;
            RETURN QUERY SELECT 'check', 'none', uuidx_migrate_steps.call_check_script(m, mode);
            FOR stage IN SELECT s.columns FROM uuidx_migrate_steps.stages(m) AS s LOOP
                RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.shadow_steps(m, stage) AS s;
                RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.backfill_steps(m, stage) AS s;
                RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.validate_steps(m, stage) AS s;
                RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.build_steps(m, 'key') AS s WHERE uuidx_migrate_steps.is_key(m, stage[1]);
            END LOOP;
            RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.build_steps(m, 'index') AS s;
            RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.build_steps(m, 'proof') AS s;
            RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.exchange_steps(m) AS s;
        END IF;
        RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.after_steps(m) AS s;
    END IF;
END
$$;

-- What a phase of a script does.
CREATE OR REPLACE FUNCTION phase_title(phase text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE phase
    WHEN 'begin' THEN 'begin the transaction'
    WHEN 'check' THEN 'check who runs the script, and what is in the columns'
    WHEN 'map' THEN 'list the former and the new keys'
    WHEN 'detach' THEN 'drop foreign keys, and have views and the like read no column that is migrated'
    WHEN 'rewrite' THEN 'rewrite the tables with the new values'
    WHEN 'restore' THEN 'make foreign keys, views and the like what they were'
    WHEN 'commit' THEN 'commit; nobody has seen anything of it until now'
    WHEN 'shadow' THEN 'add shadow columns, which triggers fill in every row that is written'
    WHEN 'fill' THEN 'fill the shadow columns of all other rows, in batches; readers and writers go on'
    WHEN 'validate' THEN 'have PostgreSQL compare every row with the conversion; readers and writers go on'
    WHEN 'key' THEN 'build the indexes by which the new keys are looked up and proved; readers and writers go on'
    WHEN 'proof' THEN 'have foreign keys prove that each reference gets the key of its row; readers and writers go on'
    WHEN 'index' THEN 'build indexes, constraints and the like on the shadow columns; readers and writers go on'
    WHEN 'exchange' THEN 'exchange the columns with their shadows, in one short transaction'
    WHEN 'after' THEN 'validate foreign keys, refresh materialized views and look up keys that came late; readers and writers go on'
    WHEN 'finish' THEN 'drop the old columns: after that, the migration cannot be undone quickly' END;

-- Part of script: its statements with their numbers, and a comment where a phase begins.
CREATE OR REPLACE FUNCTION numbered_steps(m migration, mode text) RETURNS TABLE (step integer, phase text, locks text, sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH steps AS (
        SELECT s.n, s.phase, s.locks, s.sql, lag(s.phase) OVER (ORDER BY s.n) IS DISTINCT FROM s.phase AS begins
        FROM script_steps(m, mode) WITH ORDINALITY AS s (phase, locks, sql, n)
    ),
    phases AS (
        SELECT s.n, s.phase, s.locks, s.sql, s.begins,
               sum(s.begins::integer) OVER (ORDER BY s.n) AS place, sum(s.begins::integer) OVER () AS count
        FROM steps AS s
    )
    SELECT p.n::integer, p.phase, p.locks,
           concat(CASE WHEN p.begins THEN format(E'-- %s of %s: %s\n', p.place, p.count, phase_title(p.phase)) END,
                  CASE WHEN p.n = 1 THEN format(E'-- Run this script as %s.\n', (
                      SELECT regexp_replace(c.relowner::regrole::text, E'[\r\n]', ' ', 'g') FROM pg_class AS c WHERE c.oid = (m).relation)) END,
                  p.sql)
    FROM phases AS p ORDER BY p.n;
END;
