-- What a plan says of each column.

-- Part of keys_plan and plan: the plan of a key. Its texts name relations as the search_path of the caller has them, so
-- that it is in SQL, as what it calls; and neither is STRICT, so that the planner puts all into one query.
CREATE OR REPLACE FUNCTION plan_of(choices choices, mode text)
RETURNS TABLE (
    relation regclass, column_name name, role text, estimated_rows bigint, size bigint, indexes regclass[],
    default_afterwards text, recreated text[], remarks text[], obstacles text[], hints text[]
)
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH m AS MATERIALIZED (
        SELECT migration(choices, coalesce(mode, 'online') = 'online') AS value
    ),
    columns AS MATERIALIZED (SELECT c.* FROM m, unnest((m.value).columns) AS c),
    found AS MATERIALIZED (SELECT f.* FROM m, LATERAL found_in_rows(m.value) AS f),
    obstacles AS MATERIALIZED (
        SELECT o.root, o.column_name, o.what, o.hint FROM m, LATERAL obstacles(m.value) AS o
        UNION
        SELECT f.root, f.column_name, f.what, f.hint FROM found AS f WHERE f.hint IS NOT NULL
        UNION
        SELECT o.root, o.column_name, 'offline: ' || o.what, o.hint FROM m, LATERAL obstacles_offline(m.value) AS o
        WHERE coalesce(mode, 'offline') = 'offline'
        UNION
        SELECT o.root, o.column_name, 'online: ' || o.what, o.hint FROM m, LATERAL obstacles_online(m.value) AS o
        WHERE coalesce(mode, 'online') = 'online'
    ),
    remarks AS MATERIALIZED (SELECT r.* FROM m, LATERAL remarks(m.value) AS r
                             UNION ALL
                             SELECT f.root, f.column_name, f.what FROM found AS f WHERE f.hint IS NULL)
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
