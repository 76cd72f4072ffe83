-- Moving version 1 columns to version 6, and back: RFC 9562 5.6.
--
-- Bodies in SQL are bound when they are created, whatever search_path says later. Those in PL/pgSQL have
-- a search_path of their own and look up the schema of the extension, which can be moved.

-- --- What is in a column ---

CREATE FUNCTION uuid_version_histogram(
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
DECLARE
    uuidx text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'uuidx');
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT v.version, v.variant, count(*), min(v.time), max(v.time)
         FROM (SELECT %1$s.uuid_version(%2$I) AS version, %1$s.uuid_variant(%2$I) AS variant,
                      %1$s.uuid_time(%2$I) AS time
               FROM %3$s) AS v
         GROUP BY v.version, v.variant ORDER BY v.version, v.variant',
        uuidx, column_name, relation);
END
$$;
COMMENT ON FUNCTION uuid_version_histogram(regclass, name) IS
'what UUIDs are in a column: of each version and variant how many, and their first and last time';

-- --- Defaults ---

-- Who owns a table may write of it into the tables of a migration. Row security would say so, too, but
-- then nobody but a superuser could dump them.
CREATE FUNCTION uuid_migration_check_owner() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    changed record;
BEGIN
    FOREACH changed IN ARRAY CASE TG_OP WHEN 'INSERT' THEN ARRAY[new] WHEN 'DELETE' THEN ARRAY[old] ELSE ARRAY[old, new] END LOOP
        IF EXISTS (SELECT FROM pg_class WHERE oid = changed.relation AND NOT pg_has_role(relowner, 'USAGE')) THEN
            RAISE EXCEPTION 'must be owner of table %', changed.relation USING ERRCODE = 'insufficient_privilege';
        END IF;
    END LOOP;
    RETURN changed;
END
$$;
COMMENT ON FUNCTION uuid_migration_check_owner() IS
'trigger before a change of a row that has a relation: an error unless the user owns it';

-- What the default of a column was before it was changed, so that this can be undone.
CREATE TABLE uuid_migration_former_defaults (
    relation    regclass,
    column_name name,
    expression  text NOT NULL CHECK (uuid_migration_generates(expression, 'uuid_generate_v1|uuid_generate_v1mc')),
    PRIMARY KEY (relation, column_name)
);
COMMENT ON TABLE uuid_migration_former_defaults IS
'defaults of columns before a migration changed them';
CREATE TRIGGER uuid_migration_check_owner BEFORE INSERT OR UPDATE OR DELETE ON uuid_migration_former_defaults
    FOR EACH ROW EXECUTE FUNCTION uuid_migration_check_owner();
GRANT SELECT, INSERT, UPDATE, DELETE ON uuid_migration_former_defaults TO PUBLIC;
-- Not those of temporary tables and of tables that are gone.
SELECT pg_catalog.pg_extension_config_dump('uuid_migration_former_defaults',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = relation AND c.relpersistence <> ''t'')');

CREATE FUNCTION uuid_migration_defaults(
    relation regclass, column_name name, direction text,
    OUT member regclass, OUT old_default text, OUT new_default text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH defaults AS (
        SELECT m.member, pg_get_expr(d.adbin, d.adrelid) AS expression
        FROM uuid_migration_tables(relation, column_name) AS m
        JOIN pg_attrdef AS d ON d.adrelid = m.member AND d.adnum = m.attnum
    )
    SELECT d.member, d.expression, format('%s()', 'uuid_generate_v6()'::regprocedure::regproc)
    FROM defaults AS d
    WHERE direction = 'v1_to_v6' AND uuid_migration_generates(d.expression, 'uuid_generate_v1|uuid_generate_v1mc')
    UNION ALL
    SELECT d.member, d.expression, f.expression
    FROM defaults AS d JOIN uuid_migration_former_defaults AS f ON f.relation = d.member
    WHERE direction = 'v6_to_v1' AND f.column_name = uuid_migration_defaults.column_name
      AND uuid_migration_generates(d.expression, 'uuid_generate_v6');
END;
COMMENT ON FUNCTION uuid_migration_defaults(regclass, name, text) IS
'defaults of a column, in a table and its partitions, that make UUIDs of the version to convert from, and what they become';

-- --- The plan ---

CREATE FUNCTION uuid_migration_role(relation regclass, column_name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT coalesce(string_agg(DISTINCT CASE c.contype WHEN 'p' THEN 'primary key'
                                                       WHEN 'u' THEN 'unique'
                                                       ELSE format('references %s', c.confrelid::regclass) END, ', '),
                    'column')
    FROM pg_constraint AS c JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
    WHERE c.conrelid = relation AND a.attname = column_name AND c.contype IN ('p', 'u', 'f') AND c.conparentid = 0
);
COMMENT ON FUNCTION uuid_migration_role(regclass, name) IS
'which keys of its table a column belongs to';

CREATE FUNCTION uuid_migration_plan(
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
    SELECT c.relation, c.column_name, uuid_migration_role(c.relation, c.column_name),
           sum(greatest(t.reltuples, 0)) FILTER (WHERE t.relkind <> 'p')::bigint,
           sum(pg_total_relation_size(m.member))::bigint,
           (SELECT array_agg(i.indexrelid::regclass ORDER BY i.indexrelid::regclass::text COLLATE "C")
            FROM uuid_migration_tables(c.relation, c.column_name) AS m
            JOIN pg_index AS i ON i.indrelid = m.member AND m.attnum = ANY (i.indkey)),
           (SELECT min(d.new_default) FROM uuid_migration_defaults(c.relation, c.column_name, 'v1_to_v6') AS d),
           (SELECT array_agg(o ORDER BY o COLLATE "C")
            FROM (SELECT uuid_migration_obstacles(c.relation, c.column_name)
                  UNION ALL
                  SELECT 'offline: ' || uuid_migration_obstacles_offline(c.relation, c.column_name)
                  UNION ALL
                  SELECT 'online: ' || uuid_migration_obstacles_online(c.relation, c.column_name)) AS u (o))
    FROM uuid_migration_columns(relation, column_name) AS c
    CROSS JOIN LATERAL uuid_migration_tables(c.relation, c.column_name) AS m
    JOIN pg_class AS t ON t.oid = m.member
    GROUP BY c.relation, c.column_name
    ORDER BY c.relation::text COLLATE "C", c.column_name;
END;
COMMENT ON FUNCTION uuid_migration_plan(regclass, name) IS
'every column that must move to another version together with a column, and what stands in the way';
