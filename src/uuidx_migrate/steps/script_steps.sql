-- The script: the steps in the order in which they run.

-- Part of with_comments: what a phase of a script does.
CREATE OR REPLACE FUNCTION phase_title(phase text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE phase
    WHEN 'check' THEN 'check who runs the script, and what is in the columns'
    WHEN 'map' THEN 'list the former and the new keys'
    WHEN 'detach' THEN 'drop foreign keys, and have views and the like read no column that is migrated'
    WHEN 'rewrite' THEN 'rewrite the tables with the new values'
    WHEN 'restore' THEN 'make foreign keys, views and the like what they were'
    WHEN 'shadow' THEN 'add shadow columns, which triggers fill in every row that is written'
    WHEN 'fill' THEN 'fill the shadow columns of all other rows, in batches; readers and writers go on'
    WHEN 'validate' THEN 'have PostgreSQL compare every row with the conversion; readers and writers go on'
    WHEN 'key' THEN 'build the indexes by which the new keys are looked up and proved; readers and writers go on'
    WHEN 'proof' THEN 'have foreign keys prove that each reference gets the key of its row; readers and writers go on'
    WHEN 'index' THEN 'build indexes, constraints and the like on the shadow columns; readers and writers go on'
    WHEN 'cutover' THEN 'put the shadow columns in the place of the columns, in one short transaction'
    WHEN 'after' THEN 'validate foreign keys, refresh materialized views and look up keys that came late; '
                      'readers and writers go on'
    WHEN 'finish' THEN 'drop the old columns: after that, the migration cannot be undone quickly' END;

-- Statements with a comment where a phase begins.
CREATE OR REPLACE FUNCTION with_comments(steps statement[]) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s.phase, s.locks,
           concat(CASE WHEN s.begins THEN format(E'-- %s of %s: %s\n', sum(s.begins::integer) OVER (ORDER BY s.n),
                                                 sum(s.begins::integer) OVER (), phase_title(s.phase)) END, s.sql)
    FROM (SELECT u.phase, u.locks, u.sql, u.n, lag(u.phase) OVER (ORDER BY u.n) IS DISTINCT FROM u.phase AS begins
          FROM unnest(steps) WITH ORDINALITY AS u (phase, locks, sql, n)) AS s
    ORDER BY s.n;
END;

-- Part of script_steps: the offline mode. It is one statement, so that whoever runs it cannot have a part of it
-- committed.
CREATE OR REPLACE FUNCTION offline_script(ms migration[]) RETURNS SETOF statement
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    m CONSTANT uuidx_migrate_steps.migration := uuidx_migrate_steps.together(ms);
    checks CONSTANT uuidx_migrate_steps.statement[] :=
        ARRAY(SELECT ROW('check', NULL, c)::uuidx_migrate_steps.statement
              FROM uuidx_migrate_steps.check_statements(ms, uuidx_migrate_steps.tables(m)) AS c);
    steps CONSTANT uuidx_migrate_steps.statement[] :=
        ARRAY(SELECT ROW(s.phase, NULL, s.sql)::uuidx_migrate_steps.statement
              FROM uuidx_migrate_steps.offline_steps(ms, m) AS s);
BEGIN
    RETURN QUERY
        SELECT 'rewrite', 'ACCESS EXCLUSIVE on all tables and on what reads the columns',
               uuidx_migrate_steps.call_locked(
                   m, uuidx_migrate_steps.affected_relations(m), 'true'::text,
                   ARRAY(SELECT s.sql FROM uuidx_migrate_steps.with_comments(checks || steps) AS s),
                   uuidx_migrate_steps.call_check_script(ms, 'offline', uuidx_migrate_steps.fingerprint_of(
                       ARRAY(SELECT s.sql FROM unnest(steps) AS s))), 'ACCESS EXCLUSIVE'::text, NULL::text);
END
$$;

-- Part of online_script: the statements of the online mode that fill the tables of a level, for all keys.
CREATE OR REPLACE FUNCTION filling_steps(ms migration[], fillings filling[]) RETURNS SETOF statement
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    f uuidx_migrate_steps.filling;
    validations uuidx_migrate_steps.statement[] := '{}';
    filled integer[] := '{}';
BEGIN
    FOREACH f IN ARRAY fillings LOOP
        RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.add_shadows(ms, f) AS s;
        RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.renew_properties(ms, f) AS s;
        FOR n IN 1 .. cardinality(f.columns) LOOP
            RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.add_shadow_check(ms[f.migrations[n]], f.columns[n]) AS s;
            CONTINUE WHEN (f.columns[n]).member <> f.root;
            -- PostgreSQL compares every row with the conversion.
            validations := validations || uuidx_migrate_steps.step(
                'validate', format('SHARE UPDATE EXCLUSIVE on %s', f.root),
                uuidx_migrate_steps.call_validate(ms[f.migrations[n]], 'validate'::text, f.root,
                                                  uuidx_migrate_steps.shadow_check_name((f.columns[n]).name)));
            IF uuidx_migrate_steps.is_key(ms[f.migrations[n]], f.columns[n]) THEN
                filled := filled || f.migrations[n];
            END IF;
        END LOOP;
    END LOOP;
    FOREACH f IN ARRAY fillings LOOP
        RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.backfill_step((ms[1]).choices, f) AS s;
    END LOOP;
    RETURN QUERY SELECT v.* FROM unnest(validations) AS v;
    RETURN QUERY SELECT s.* FROM unnest(filled) AS n, LATERAL uuidx_migrate_steps.build_steps(ms[n], 'key') AS s;
END
$$;

-- Part of script_steps: the statements of the online mode. The tables are filled for all keys, and then one key after
-- the other is cut over. What stands over columns of several keys is built anew for each: over the shadow of one, and
-- over what the columns of the others are by then.
CREATE OR REPLACE FUNCTION online_script(ms migration[]) RETURNS SETOF statement
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    written CONSTANT uuidx_migrate_steps.migration[] := ARRAY(
        SELECT CASE WHEN uuidx_migrate_steps.is_cut_over(u) THEN u ELSE uuidx_migrate_steps.with_cutover(u) END
        FROM unnest(ms) AS u);
    pending CONSTANT uuidx_migrate_steps.migration[] := ARRAY(
        SELECT u FROM unnest(written) AS u WHERE u.cutover IS NOT NULL);
    tables CONSTANT regclass[] := uuidx_migrate_steps.by_name(
        ARRAY(SELECT c.root FROM unnest(pending) AS p, unnest(p.columns) AS c));
    fillings uuidx_migrate_steps.filling[];
    analyzed regclass[] := '{}';
    m uuidx_migrate_steps.migration;
BEGIN
    IF cardinality(pending) > 0 THEN
        RETURN QUERY
            SELECT 'check', 'none', uuidx_migrate_steps.call_check_script(
                       pending, 'online', uuidx_migrate_steps.online_fingerprint(pending));
        RETURN QUERY SELECT 'check', 'none', c FROM uuidx_migrate_steps.check_statements(pending, tables) AS c;
        RETURN QUERY
            SELECT 'check', 'none', format('SELECT uuidx_migrate_steps.note_tables(%s)',
                                           uuidx_migrate_steps.relation_list(tables));
    END IF;
    FOR fillings IN
        SELECT array_agg(f ORDER BY n)
        FROM (SELECT l, row_number() OVER () FROM uuidx_migrate_steps.fillings(pending) AS l) AS f (f, n)
        GROUP BY (f).level ORDER BY (f).level
    LOOP
        RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.filling_steps(pending, fillings) AS s;
    END LOOP;
    FOREACH m IN ARRAY written LOOP
        IF m.cutover IS NOT NULL THEN
            RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.build_steps(m, 'index') AS s;
            RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.analyze_steps(m, analyzed) AS s;
            analyzed := analyzed || uuidx_migrate_steps.tables(m);
            RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.build_steps(m, 'proof') AS s;
            RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.cutover_steps(m) AS s;
        END IF;
        RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.after_steps(m) AS s;
    END LOOP;
END
$$;

-- Part of script_steps: the statements that finish migrations. What was finished before is left out.
CREATE OR REPLACE FUNCTION finish_script(ms migration[]) RETURNS SETOF statement
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    m uuidx_migrate_steps.migration;
    is_any boolean := false;
BEGIN
    FOREACH m IN ARRAY ms LOOP
        CONTINUE WHEN NOT uuidx_migrate_steps.has_former_keys(m)
                      AND NOT EXISTS (SELECT FROM uuidx_migrate_steps.unfinished_columns(m));
        is_any := true;
        RETURN QUERY
            SELECT 'finish', 'none', k
            FROM uuidx_migrate_steps.finish_checks(m, uuidx_migrate_steps.tables(m)) AS k;
        RETURN QUERY SELECT d.* FROM uuidx_migrate_steps.drop_former_keys(m) AS d;
        RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.keep_number_steps(m) AS s;
        RETURN QUERY SELECT d.* FROM uuidx_migrate_steps.drop_numbers(m) AS d;
        RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.after_steps(m) AS s WHERE uuidx_migrate_steps.is_cut_over(m);
        RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.finish_steps(m) AS s;
    END LOOP;
    IF NOT is_any THEN
        m := ms[1];
        PERFORM uuidx_migrate_steps.raise('55000',
            format('there is nothing to finish: column "%s" of table %s has no old column of an online migration',
                   m.column_name, m.relation),
            hint => CASE WHEN uuidx_migrate_steps.shadow_conversion(m.relation, m.column_name) IS NOT NULL
                         THEN 'To give up a migration before the cutover, finish the one that undoes it.' END);
    END IF;
END
$$;

-- Part of numbered_steps: its statements.
CREATE OR REPLACE FUNCTION script_steps(ms migration[], mode text) RETURNS SETOF statement
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    CASE mode
        WHEN 'offline' THEN RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.offline_script(ms) AS s;
        WHEN 'online' THEN
            RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.with_comments(
                ARRAY(SELECT o FROM uuidx_migrate_steps.online_script(ms) AS o)) AS s;
        WHEN 'finish' THEN
            RETURN QUERY SELECT s.* FROM uuidx_migrate_steps.with_comments(
                ARRAY(SELECT f FROM uuidx_migrate_steps.finish_script(ms) AS f)) AS s;
    END CASE;
END
$$;

-- Part of keys_script and script: its statements with their numbers. The first says who runs them.
CREATE OR REPLACE FUNCTION numbered_steps(ms migration[], mode text, summary text)
RETURNS TABLE (step integer, phase text, locks text, sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s.n::integer, s.phase, s.locks,
           concat(CASE WHEN s.n = 1 THEN summary || format(E'-- Run this script as %s.\n', (
                      SELECT one_line(c.relowner::regrole::text)
                      FROM pg_class AS c WHERE c.oid = (ms[1]).relation)) END,
                  s.sql)
    FROM script_steps(ms, mode) WITH ORDINALITY AS s (phase, locks, sql, n) ORDER BY s.n;
END;
