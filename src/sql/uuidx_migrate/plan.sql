-- Moving version 1 columns to version 6, and back: RFC 9562 5.6.
--
-- Bodies in SQL are bound when they are created, whatever search_path is later. Bodies in PL/pgSQL set search_path, and
-- look up the schema of uuidx, which can change.

-- --- What is in a column ---

CREATE OR REPLACE FUNCTION version_histogram(
    relation regclass,
    column_name name,
    OUT version smallint,
    OUT variant text,
    OUT count bigint,
    OUT first timestamptz,
    OUT last timestamptz
) RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT v.version, v.variant, count(*), min(v.time), max(v.time)
         FROM (SELECT uuidx_migrate.uuid_version(%1$I) AS version, uuidx_migrate.uuid_variant(%1$I) AS variant,
                      uuidx_migrate.uuid_time(%1$I) AS time
               FROM %2$s) AS v
         GROUP BY v.version, v.variant ORDER BY v.version, v.variant',
        column_name, relation);
END
$$;
COMMENT ON FUNCTION version_histogram(regclass, name) IS
'number of UUIDs of each version and variant in a column, and their first and last time';

-- --- Defaults ---

CREATE OR REPLACE FUNCTION defaults(
    relation regclass, column_name name, direction text,
    OUT member regclass, OUT old_default text, OUT new_default text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH defaults AS (
        SELECT m.member, pg_get_expr(d.adbin, d.adrelid) AS expression
        FROM member_tables(relation, column_name) AS m
        JOIN pg_attrdef AS d ON d.adrelid = m.member AND d.adnum = m.attnum
    )
    SELECT d.member, d.expression, uuidx_function('uuid_generate_v6') || '()'
    FROM defaults AS d
    WHERE direction = 'v1_to_v6' AND generates(d.expression, 'uuid_generate_v1|uuid_generate_v1mc')
    UNION ALL
    SELECT d.member, d.expression, f.expression
    FROM defaults AS d JOIN former_defaults AS f ON f.relation = d.member
    WHERE direction = 'v6_to_v1' AND f.column_name = defaults.column_name
      AND generates(d.expression, 'uuid_generate_v6');
END;
COMMENT ON FUNCTION defaults(regclass, name, text) IS
'defaults of a column, in a table and its partitions, that make UUIDs of the version to convert from, and what they become';

-- --- The plan ---

CREATE OR REPLACE FUNCTION key_role(relation regclass, column_name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT coalesce(string_agg(DISTINCT CASE c.contype WHEN 'p' THEN 'primary key'
                                                       WHEN 'u' THEN 'unique'
                                                       ELSE format('references %s', c.confrelid::regclass) END, ', '),
                    'column')
    FROM pg_constraint AS c JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
    WHERE c.conrelid = relation AND a.attname = column_name AND c.contype IN ('p', 'u', 'f') AND c.conparentid = 0
);
COMMENT ON FUNCTION key_role(regclass, name) IS
'which keys of its table a column belongs to';

CREATE OR REPLACE FUNCTION plan(
    INOUT relation regclass,
    INOUT column_name name,
    OUT role text,
    OUT estimated_rows bigint,
    OUT size bigint,
    OUT indexes regclass[],
    OUT new_default text,
    OUT obstacles text[]
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.relation, c.column_name, key_role(c.relation, c.column_name),
           sum(greatest(t.reltuples, 0)) FILTER (WHERE t.relkind <> 'p')::bigint,
           sum(pg_total_relation_size(m.member))::bigint,
           (SELECT array_agg(i.indexrelid::regclass ORDER BY i.indexrelid::regclass::text COLLATE "C")
            FROM member_tables(c.relation, c.column_name) AS m
            JOIN pg_index AS i ON i.indrelid = m.member AND m.attnum = ANY (i.indkey)),
           (SELECT min(d.new_default) FROM defaults(c.relation, c.column_name, 'v1_to_v6') AS d),
           (SELECT array_agg(o ORDER BY o COLLATE "C")
            FROM (SELECT obstacles(c.relation, c.column_name)
                  UNION ALL
                  SELECT 'offline: ' || obstacles_offline(c.relation, c.column_name)
                  UNION ALL
                  SELECT 'online: ' || obstacles_online(c.relation, c.column_name)) AS u (o))
    FROM tied_columns(relation, column_name) AS c
    CROSS JOIN LATERAL member_tables(c.relation, c.column_name) AS m
    JOIN pg_class AS t ON t.oid = m.member
    GROUP BY c.relation, c.column_name
    ORDER BY c.relation::text COLLATE "C", c.column_name;
END;
COMMENT ON FUNCTION plan(regclass, name) IS
'every column that must move to another version together with a column, and what prevents that';
