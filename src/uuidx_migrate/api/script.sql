-- The script: what a migration does, as statements.

-- Its queries of the catalogs are many, and each is of few rows: it takes longer to plan than to run them. In parallel
-- workers, the parts of a UNION ALL would come in any order.
CREATE OR REPLACE FUNCTION script(
    relation regclass,
    column_name name,
    mode text DEFAULT 'offline',
    conversion text DEFAULT NULL,
    other_values text DEFAULT 'error',
    also text[] DEFAULT '{}',
    published_tables text DEFAULT 'refuse',
    fire_triggers boolean DEFAULT true,
    new_default regprocedure DEFAULT NULL,
    trust_owners boolean DEFAULT false,
    created text DEFAULT NULL,
    rows_without_time text DEFAULT 'error',
    future_rows text DEFAULT 'error',
    namespace text DEFAULT NULL,
    keep_number name DEFAULT NULL
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
    ms uuidx_migrate_steps.migration[];
BEGIN
    PERFORM uuidx_migrate_steps.check_mode(mode, conversion, ARRAY['offline', 'online', 'finish']);
    ms := ARRAY[uuidx_migrate_steps.migration(
        ROW(relation, column_name, conversion, other_values, also, published_tables, fire_triggers, new_default,
            trust_owners, created, rows_without_time, future_rows, namespace,
            keep_number)::uuidx_migrate_steps.choices, mode = 'online')];
    PERFORM uuidx_migrate_steps.check_obstacles(ms, mode),
            uuidx_migrate_steps.check_created_fits(ms, created, rows_without_time, mode);
    RETURN QUERY
        SELECT n.step, n.phase, n.locks, n.sql
        FROM uuidx_migrate_steps.numbered_steps(
                 ms, mode, uuidx_migrate_steps.summary(ms, mode, '{}'::text[])) AS n;
END
$$;
COMMENT ON FUNCTION script(
    regclass, name, text, text, text, text[], text, boolean, regprocedure, boolean, text, text, text, text, name
) IS
'the statements, in order, that migrate a column and all columns connected to it';
