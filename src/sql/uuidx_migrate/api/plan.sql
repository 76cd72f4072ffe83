-- The plan: what a migration would do, for a reader.

CREATE OR REPLACE FUNCTION plan(
    INOUT relation regclass,
    INOUT column_name name,
    conversion text DEFAULT 'v1_to_v6',
    also text[] DEFAULT '{}',
    published text DEFAULT 'refuse',
    created text DEFAULT NULL,
    without_time text DEFAULT 'error',
    future text DEFAULT 'error',
    trust_owners boolean DEFAULT false,
    OUT role text,
    OUT estimated_rows bigint,
    OUT size bigint,
    OUT indexes regclass[],
    OUT new_default text,
    OUT recreated text[],
    OUT remarks text[],
    OUT obstacles text[],
    OUT hints text[]
) RETURNS SETOF record
LANGUAGE sql STABLE
SET jit = off
BEGIN ATOMIC
    WITH m AS MATERIALIZED (SELECT migration(relation, column_name, conversion, CASE WHEN changes_type(conversion_named(conversion)) THEN 'error' ELSE 'keep' END, also, published, true, trust_owners, NULL, created, without_time, future) AS value),
    columns AS MATERIALIZED (SELECT c.* FROM m, unnest((m.value).columns) AS c),
    obstacles AS MATERIALIZED (
        SELECT o.root, o.column_name, o.what, o.hint FROM m, LATERAL obstacles(m.value) AS o
        UNION
        SELECT o.root, o.column_name, 'offline: ' || o.what, o.hint FROM m, LATERAL obstacles_offline(m.value) AS o
        UNION
        SELECT o.root, o.column_name, 'online: ' || o.what, o.hint FROM m, LATERAL obstacles_online(m.value) AS o
    ),
    remarks AS MATERIALIZED (SELECT r.* FROM m, LATERAL remarks(m.value) AS r),
    new_defaults AS MATERIALIZED (SELECT d.* FROM m, LATERAL new_defaults(m.value) AS d)
    SELECT c.root, c.name, key_role(c.root, c.name),
           sum(greatest(t.reltuples, 0)) FILTER (WHERE t.relkind <> 'p')::bigint,
           sum(pg_total_relation_size(c.member))::bigint,
           (SELECT array_agg(i.indexrelid::regclass ORDER BY i.indexrelid::regclass::text COLLATE "C")
            FROM columns AS x JOIN pg_index AS i ON i.indrelid = x.member AND x.attnum = ANY (i.indkey)
            WHERE x.root = c.root AND x.name = c.name),
           (SELECT min(d.new_default) FROM new_defaults AS d WHERE d.root = c.root AND d.name = c.name),
           (SELECT array_agg(d.description ORDER BY d.description COLLATE "C")
            FROM m, unnest((m.value).dependents) AS d WHERE (c.root, c.name) = ((m.value).relation, (m.value).column_name)),
           (SELECT array_agg(r.remark ORDER BY r.remark COLLATE "C")
            FROM remarks AS r WHERE r.root = c.root AND r.column_name = c.name),
           (SELECT array_agg(o.what ORDER BY o.what COLLATE "C", o.hint COLLATE "C") FROM obstacles AS o WHERE o.root = c.root AND o.column_name = c.name),
           (SELECT array_agg(o.hint ORDER BY o.what COLLATE "C", o.hint COLLATE "C") FROM obstacles AS o WHERE o.root = c.root AND o.column_name = c.name)
    FROM columns AS c JOIN pg_class AS t ON t.oid = c.member
    GROUP BY c.root, c.name
    ORDER BY c.root::text COLLATE "C", c.name;
END;
COMMENT ON FUNCTION plan(regclass, name, text, text[], text, text, text, text, boolean) IS
'every column that moves together with a column, what is made anew, and what stands in the way';
