-- Plan and script of several keys.

CREATE OR REPLACE FUNCTION keys_plan(
    keys text[],
    mode text DEFAULT NULL,
    conversion text DEFAULT NULL,
    other_values text DEFAULT 'error',
    published_tables text DEFAULT 'refuse',
    fire_triggers boolean DEFAULT true,
    new_default regprocedure DEFAULT NULL,
    trust_owners boolean DEFAULT false,
    created text DEFAULT NULL,
    rows_without_time text DEFAULT 'error',
    future_rows text DEFAULT 'error',
    options jsonb DEFAULT '{}'
) RETURNS TABLE (
    key text, relation regclass, column_name name, role text, estimated_rows bigint, size bigint, indexes regclass[],
    default_afterwards text, recreated text[], remarks text[], obstacles text[], hints text[]
)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET jit = off SET plan_cache_mode = force_generic_plan
SET enable_mergejoin = off SET enable_memoize = off SET max_parallel_workers_per_gather = 0
AS $$
DECLARE
    c uuidx_migrate_steps.choices;
    hint text;
BEGIN
    PERFORM uuidx_migrate_steps.check_mode(coalesce(mode, 'offline'), conversion, ARRAY['offline', 'online']);
    FOR c IN
        SELECT k.*
        FROM uuidx_migrate_steps.key_choices(
                 keys,
                 ROW(NULL, NULL, conversion, other_values, '{}', published_tables, fire_triggers, new_default,
                     trust_owners, created, rows_without_time, future_rows, NULL,
                     NULL)::uuidx_migrate_steps.choices, options) AS k
    LOOP
        key := format('%s.%I', c.relation, c.column_name);
        BEGIN
            RETURN QUERY
                SELECT key, p.* FROM uuidx_migrate_steps.plan_of(c, mode) AS p;
        EXCEPTION WHEN data_exception OR syntax_error_or_access_rule_violation OR feature_not_supported THEN
            relation := c.relation;
            column_name := c.column_name;
            GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
            obstacles := ARRAY[SQLERRM];
            hints := ARRAY[coalesce(nullif(hint, ''), 'Choose something else for this key in options.')];
            RETURN NEXT;
        END;
    END LOOP;
END
$$;
COMMENT ON FUNCTION keys_plan(text[], text, text, text, text, boolean, regprocedure, boolean, text, text, text, jsonb)
IS
'the plan of each of several keys, or of all keys of a schema';

CREATE OR REPLACE FUNCTION keys_script(
    keys text[],
    mode text DEFAULT 'offline',
    conversion text DEFAULT NULL,
    other_values text DEFAULT 'error',
    published_tables text DEFAULT 'refuse',
    fire_triggers boolean DEFAULT true,
    new_default regprocedure DEFAULT NULL,
    trust_owners boolean DEFAULT false,
    created text DEFAULT NULL,
    rows_without_time text DEFAULT 'error',
    future_rows text DEFAULT 'error',
    options jsonb DEFAULT '{}',
    leave_out boolean DEFAULT false
) RETURNS TABLE (step integer, phase text, locks text, sql text)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on SET quote_all_identifiers = off
SET DateStyle = ISO SET TimeZone = 'UTC' SET IntervalStyle = postgres SET bytea_output = hex
SET extra_float_digits = 1 SET lc_monetary = 'C'
SET jit = off SET plan_cache_mode = force_generic_plan
SET enable_mergejoin = off SET enable_memoize = off SET max_parallel_workers_per_gather = 0
AS $$
DECLARE
    shown_options CONSTANT jsonb := CASE WHEN leave_out THEN options ELSE '{}' END;
    ms uuidx_migrate_steps.migration[];
    m uuidx_migrate_steps.migration;
    possible uuidx_migrate_steps.migration[] := '{}';
    problem text;
    left_out text[];
    among_keys uuidx_migrate_steps.obstacle[];
BEGIN
    PERFORM uuidx_migrate_steps.check_mode(mode, conversion, ARRAY['offline', 'online', 'finish']);
    IF leave_out IS NULL THEN
        PERFORM uuidx_migrate_steps.raise('22004', 'leave_out must not be null');
    END IF;
    SELECT k.migrations, k.left_out INTO ms, left_out
    FROM uuidx_migrate_steps.key_migrations(ARRAY(
             SELECT c
             FROM uuidx_migrate_steps.key_choices(
                      keys,
                      ROW(NULL, NULL, conversion, other_values, '{}', published_tables, fire_triggers, new_default,
                          trust_owners, created, rows_without_time, future_rows, NULL,
                          NULL)::uuidx_migrate_steps.choices, options) AS c), mode = 'online', shown_options) AS k;
    among_keys := ARRAY(SELECT a FROM uuidx_migrate_steps.obstacles_among_keys(ms, mode) AS a);
    FOREACH m IN ARRAY ms LOOP
        problem := uuidx_migrate_steps.obstacles_in_keys(m, among_keys, mode, leave_out);
        IF problem = '' THEN
            possible := possible || m;
        ELSE
            left_out := left_out
                        || uuidx_migrate_steps.left_out_line(m.relation, m.column_name, problem, shown_options);
        END IF;
    END LOOP;
    IF left_out <> '{}' AND (NOT leave_out OR possible = '{}') THEN
        PERFORM uuidx_migrate_steps.raise('55000',
            format('%s of %s keys cannot be migrated as they stand',
                   cardinality(left_out), cardinality(left_out) + cardinality(possible)),
            array_to_string(left_out, E'\n'),
            'The lines of the detail say what to do about each. '
            'With leave_out => true, the script is of the other keys.');
    END IF;
    PERFORM uuidx_migrate_steps.check_created_fits(possible, created, rows_without_time, mode);
    RETURN QUERY
        SELECT n.step, n.phase, n.locks, n.sql
        FROM uuidx_migrate_steps.numbered_steps(
                 possible, mode, uuidx_migrate_steps.summary(possible, mode, left_out)) AS n;
END
$$;
COMMENT ON FUNCTION keys_script(text[], text, text, text, text, boolean, regprocedure, boolean, text, text, text, jsonb,
                                boolean) IS
'the statements, in order, that migrate several keys, or all keys of a schema, and all columns connected to them';
