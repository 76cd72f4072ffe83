-- The plan: what a migration would do, for a reader.

-- PL/pgSQL keeps the plan of the query. Without a search_path of its own, the function names everything with its
-- schema.
CREATE OR REPLACE FUNCTION plan(
    INOUT relation regclass,
    INOUT column_name name,
    mode text DEFAULT NULL,
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
    keep_number name DEFAULT NULL,
    OUT role text,
    OUT estimated_rows bigint,
    OUT size bigint,
    OUT indexes regclass[],
    OUT default_afterwards text,
    OUT recreated text[],
    OUT remarks text[],
    OUT obstacles text[],
    OUT hints text[]
) RETURNS SETOF record
LANGUAGE plpgsql STABLE
SET jit = off SET plan_cache_mode = force_generic_plan
SET enable_mergejoin = off SET enable_memoize = off SET max_parallel_workers_per_gather = 0
AS $$
BEGIN
    PERFORM uuidx_migrate_steps.check_mode(coalesce(mode, 'offline'), conversion, ARRAY['offline', 'online']);
    RETURN QUERY
        SELECT p.*
        FROM uuidx_migrate_steps.plan_of(
                 ROW(relation, column_name, conversion, other_values, also, published_tables, fire_triggers,
                     new_default, trust_owners, created, rows_without_time, future_rows, namespace,
                     keep_number)::uuidx_migrate_steps.choices, mode) AS p;
END
$$;
COMMENT ON FUNCTION plan(
    regclass, name, text, text, text, text[], text, boolean, regprocedure, boolean, text, text, text, text, name
) IS
'every column that migrates together with a column, what is created again, and what stands in the way';
