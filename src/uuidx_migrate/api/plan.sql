-- The plan: what a migration would do, for a reader.

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
LANGUAGE sql STABLE
SET jit = off SET plan_cache_mode = force_generic_plan
SET enable_mergejoin = off SET enable_memoize = off SET max_parallel_workers_per_gather = 0
BEGIN ATOMIC
    SELECT check_choice('mode', coalesce(mode, 'offline'), ARRAY['offline', 'online']);
    WITH m AS MATERIALIZED (
        SELECT migration(ROW(relation, column_name, conversion, other_values, also, published_tables, fire_triggers,
                             new_default, trust_owners, created, rows_without_time, future_rows, namespace,
                             keep_number)::choices, coalesce(mode, 'online') = 'online') AS value
    ),
    columns AS MATERIALIZED (SELECT c.* FROM m, unnest((m.value).columns) AS c),
    obstacles AS MATERIALIZED (
        SELECT o.root, o.column_name, o.what, o.hint FROM m, LATERAL obstacles(m.value) AS o
        UNION
        SELECT o.root, o.column_name, o.what, o.hint FROM m, LATERAL obstacles_of_texts(m.value) AS o
        UNION
        SELECT o.root, o.column_name, 'offline: ' || o.what, o.hint FROM m, LATERAL obstacles_offline(m.value) AS o
        WHERE coalesce(mode, 'offline') = 'offline'
        UNION
        SELECT o.root, o.column_name, 'online: ' || o.what, o.hint FROM m, LATERAL obstacles_online(m.value) AS o
        WHERE coalesce(mode, 'online') = 'online'
    ),
    remarks AS MATERIALIZED (SELECT r.* FROM m, LATERAL remarks(m.value) AS r)
    SELECT c.root, c.name, role_of_column(c.root, c.name),
           sum(greatest(t.reltuples, 0)) FILTER (WHERE t.relkind <> 'p')::bigint,
           sum(pg_total_relation_size(c.member))::bigint,
           (SELECT array_agg(i.indexrelid::regclass ORDER BY i.indexrelid::regclass::text COLLATE "C")
            FROM columns AS x, pg_index AS i
            WHERE i.indrelid = x.member AND x.attnum = ANY (i.indkey) AND x.root = c.root AND x.name = c.name),
           (SELECT min((d.new).expression)
            FROM m, unnest((m.value).defaults) AS d WHERE d.root = c.root AND d.name = c.name),
           (SELECT array_agg(d.description ORDER BY d.description COLLATE "C")
            FROM m, unnest((m.value).dependents) AS d
            WHERE (c.root, c.name) = ((m.value).relation, (m.value).column_name)),
           (SELECT array_agg(r.remark ORDER BY r.remark COLLATE "C")
            FROM remarks AS r WHERE r.root = c.root AND r.column_name = c.name),
           (SELECT array_agg(o.what ORDER BY o.what COLLATE "C", o.hint COLLATE "C")
            FROM obstacles AS o WHERE o.root = c.root AND o.column_name = c.name),
           (SELECT array_agg(o.hint ORDER BY o.what COLLATE "C", o.hint COLLATE "C")
            FROM obstacles AS o WHERE o.root = c.root AND o.column_name = c.name)
    FROM columns AS c, pg_class AS t WHERE t.oid = c.member
    GROUP BY c.root, c.name
    ORDER BY c.root::text COLLATE "C", c.name;
END;
COMMENT ON FUNCTION plan(
    regclass, name, text, text, text, text[], text, boolean, regprocedure, boolean, text, text, text, text, name
) IS
'every column that migrates together with a column, what is created again, and what stands in the way';
