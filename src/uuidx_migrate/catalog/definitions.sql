-- Properties and definitions of objects, as statements that give them to others.

-- An expression over a table, or each of a list of them, with other names for some columns.
CREATE OR REPLACE FUNCTION on_shadows(expression pg_node_tree, relation regclass, columns smallint[], shadows name[]) RETURNS text[]
AS 'MODULE_PATHNAME', 'uuidx_on_shadows'
LANGUAGE C STABLE STRICT
SET search_path = pg_catalog, pg_temp;

-- Options as pg_class and pg_attribute have them, as a list in SQL; NULL if there are none. Without the server's own
-- options: pg_attver, in PostgreSQL 15.20.
CREATE OR REPLACE FUNCTION option_list(options text[]) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT string_agg(format('%I = %L', split_part(o, '=', 1), substr(o, strpos(o, '=') + 1)), ', ')
        FROM unnest(options) AS o WHERE o !~ '^pg_');

-- Statements that give a new relation the privileges of another. Default privileges may have added others.
CREATE OR REPLACE FUNCTION grant_all(relation text, owner oid, acl aclitem[]) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('REVOKE ALL ON %s FROM %s', relation, string_agg(DISTINCT r.name, ', ' ORDER BY r.name))
    FROM (SELECT owner::regrole::text
          UNION ALL
          SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
          FROM pg_default_acl AS d, aclexplode(d.defaclacl) AS a WHERE d.defaclobjtype = 'r') AS r (name)
    UNION ALL
    SELECT format('GRANT %s ON %s TO %s%s', a.privilege_type, relation,
                  CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END,
                  CASE WHEN a.is_grantable AND a.grantee <> owner THEN ' WITH GRANT OPTION' END)
    FROM aclexplode(acl) AS a;
END;

-- Statements that give a column the properties of another: target and options of statistics, comment, privileges,
-- security labels.
CREATE OR REPLACE FUNCTION column_properties(relation oid, attnum smallint, command text, new_relation text, new_name name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT p.sql
    FROM pg_attribute AS a, LATERAL (
        SELECT format('%s ALTER COLUMN %I SET STATISTICS %s', command, new_name, a.attstattarget) WHERE a.attstattarget >= 0
        UNION ALL
        SELECT format('%s ALTER COLUMN %I SET (%s)', command, new_name, option_list(a.attoptions)) WHERE option_list(a.attoptions) IS NOT NULL
        UNION ALL
        SELECT format('COMMENT ON COLUMN %s.%I IS %L', new_relation, new_name, col_description(a.attrelid, a.attnum))
        WHERE col_description(a.attrelid, a.attnum) IS NOT NULL
        UNION ALL
        SELECT format('GRANT %s (%I) ON %s TO %s%s', g.privilege_type, new_name, new_relation,
                      CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE g.grantee::regrole::text END,
                      CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' END)
        FROM aclexplode(a.attacl) AS g
        UNION ALL
        SELECT format('SECURITY LABEL FOR %I ON COLUMN %s.%I IS %L', l.provider, new_relation, new_name, l.label)
        FROM pg_seclabel AS l
        WHERE l.classoid = 'pg_class'::regclass AND l.objoid = a.attrelid AND l.objsubid = a.attnum
    ) AS p (sql)
    WHERE a.attrelid = relation AND a.attnum = column_properties.attnum;
END;

-- Statements that give a column the storage and compression of another of the same type.
CREATE OR REPLACE FUNCTION column_storage(relation oid, attnum smallint, command text, new_name name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('%s ALTER COLUMN %I SET STORAGE %s', command, new_name,
                  CASE a.attstorage WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL' WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED' END)
    FROM pg_attribute AS a, pg_type AS t
    WHERE t.oid = a.atttypid AND a.attrelid = relation AND a.attnum = column_storage.attnum
      AND t.typstorage <> a.attstorage
    UNION ALL
    SELECT format('%s ALTER COLUMN %I SET COMPRESSION %s', command, new_name, CASE a.attcompression WHEN 'p' THEN 'pglz' ELSE 'lz4' END)
    FROM pg_attribute AS a WHERE a.attrelid = relation AND a.attnum = column_storage.attnum AND a.attcompression <> '';
END;

-- Clause that puts a new relation into the tablespace of another, which pg_class names; NULL where there is no need
-- of one. Without TABLESPACE, default_tablespace would apply.
CREATE OR REPLACE FUNCTION tablespace_clause(tablespace oid) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT format(' TABLESPACE %I', t.spcname)
        FROM pg_tablespace AS t
        WHERE t.oid = coalesce(nullif(tablespace, 0), CASE WHEN current_setting('default_tablespace') <> '' THEN
                                   (SELECT d.dattablespace FROM pg_database AS d WHERE d.datname = current_database()) END));

-- The n-th column of an index, as CREATE INDEX has it, on the shadow columns of those that are migrated.
CREATE OR REPLACE FUNCTION index_column(index oid, n integer, columns migrated_column[]) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
RETURN (
    SELECT concat(
        CASE WHEN i.indkey[n - 1] = 0 AND cardinality(columns) > 0 THEN
                 format('(%s)', (uuidx_migrate_steps.on_shadows(i.indexprs, i.indrelid::regclass, m.attnums, m.shadows))[e.place])
             ELSE coalesce(quote_ident(c.shadow), pg_get_indexdef(index_column.index, n, false)) END,
        ' COLLATE ' || nullif(nullif(i.indcollation[n - 1], 0), a.attcollation)::regcollation,
        ' ' || o.opclass,
        ' (' || uuidx_migrate_steps.option_list(k.attoptions) || ')',
        CASE i.indoption[n - 1] & 3 WHEN 1 THEN ' DESC NULLS LAST' WHEN 2 THEN ' NULLS FIRST' WHEN 3 THEN ' DESC' END)
    FROM pg_index AS i
    JOIN pg_attribute AS k ON k.attrelid = index_column.index AND k.attnum = index_column.n
    LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[n - 1]
    LEFT JOIN unnest(columns) AS c ON c.member = i.indrelid AND c.attnum = i.indkey[n - 1]
    CROSS JOIN LATERAL (SELECT array_agg(u.attnum) AS attnums, array_agg(u.shadow) AS shadows
                        FROM unnest(columns) AS u WHERE u.member = i.indrelid) AS m
    CROSS JOIN LATERAL (SELECT count(*)::integer AS place FROM unnest(i.indkey) WITH ORDINALITY AS u (attnum, ordinality)
                        WHERE u.attnum = 0 AND u.ordinality <= n) AS e
    LEFT JOIN LATERAL (
        SELECT format('%s.%I', c.opcnamespace::regnamespace, c.opcname) FROM pg_opclass AS c
        WHERE n <= i.indnkeyatts AND c.oid = i.indclass[n - 1]
          -- The column of a hash index is of another type than that of its table.
          AND NOT (c.opcdefault AND c.opcintype = (SELECT CASE t.type WHEN 'varchar'::regtype THEN 'text'::regtype ELSE t.type END
                                                   FROM (SELECT coalesce(a.atttypid, k.atttypid)) AS t (type)))
    ) AS o (opclass) ON true
    WHERE i.indexrelid = index_column.index
);
END
$$;

-- Statement that creates an index like another, with another name, on a relation and on the shadow columns of those
-- that are migrated.
CREATE OR REPLACE FUNCTION index_definition(index oid, how text, new_name name, relation text, columns migrated_column[]) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
RETURN (
    SELECT concat('CREATE ', CASE WHEN i.indisunique THEN 'UNIQUE ' END, 'INDEX ', how,
                  format('%I ON %s USING %I', new_name, relation, m.amname),
                  ' (' || string_agg(k.definition, ', ' ORDER BY k.n) FILTER (WHERE k.n <= i.indnkeyatts) || ')',
                  ' INCLUDE (' || string_agg(k.definition, ', ' ORDER BY k.n) FILTER (WHERE k.n > i.indnkeyatts) || ')',
                  -- PostgreSQL 14 does not have this column.
                  CASE WHEN to_jsonb(i) ->> 'indnullsnotdistinct' = 'true' THEN ' NULLS NOT DISTINCT' END,
                  ' WITH (' || uuidx_migrate_steps.option_list(c.reloptions) || ')',
                  uuidx_migrate_steps.tablespace_clause(c.reltablespace),
                  ' WHERE (' || CASE WHEN cardinality(columns) = 0 THEN pg_get_expr(i.indpred, i.indrelid)
                                     ELSE (uuidx_migrate_steps.on_shadows(i.indpred, i.indrelid::regclass, s.attnums, s.shadows))[1] END || ')')
    FROM pg_index AS i
    JOIN pg_class AS c ON c.oid = i.indexrelid
    JOIN pg_am AS m ON m.oid = c.relam
    CROSS JOIN LATERAL (SELECT array_agg(u.attnum) AS attnums, array_agg(u.shadow) AS shadows
                        FROM unnest(columns) AS u WHERE u.member = i.indrelid) AS s
    CROSS JOIN LATERAL (SELECT n, uuidx_migrate_steps.index_column(index_definition.index, n, columns) AS definition
                        FROM generate_series(1, i.indnatts) AS n) AS k
    WHERE i.indexrelid = index_definition.index
    GROUP BY i.indexrelid, c.oid, m.oid, s.attnums, s.shadows
);
END
$$;

-- Whether an index computes something of its rows, by an expression or a condition.
CREATE OR REPLACE FUNCTION has_expression(index regclass) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM pg_index AS x
               WHERE x.indexrelid = index AND (x.indexprs IS NOT NULL OR x.indpred IS NOT NULL));

-- Statements that give an index the comment and statistics targets of another.
CREATE OR REPLACE FUNCTION index_properties(index oid, new_index text) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('ALTER INDEX %s ALTER COLUMN %s SET STATISTICS %s', new_index, a.attnum, a.attstattarget)
    FROM pg_attribute AS a WHERE a.attrelid = index AND a.attstattarget >= 0
    UNION ALL
    SELECT format('COMMENT ON INDEX %s IS %L', new_index, obj_description(index, 'pg_class'))
    WHERE obj_description(index, 'pg_class') IS NOT NULL;
END;

-- Statements that create extended statistics like others, on a relation and on the shadow columns of those that are
-- migrated.
CREATE OR REPLACE FUNCTION statistics_definition(statistics oid, how text, new_name name, relation text, columns migrated_column[]) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH parts AS (
        SELECT s.oid, s.stxstattarget, format('%s.%I', s.stxnamespace::regnamespace, new_name) AS new_statistics,
               (SELECT string_agg(CASE k WHEN 'd' THEN 'ndistinct' WHEN 'f' THEN 'dependencies' WHEN 'm' THEN 'mcv' END, ', ')
                FROM unnest(s.stxkind) AS k WHERE k <> 'e') AS kinds,
               (SELECT string_agg(quote_ident(coalesce(c.shadow, a.attname)), ', ' ORDER BY coalesce(c.shadow, a.attname))
                FROM pg_attribute AS a LEFT JOIN unnest(columns) AS c ON c.member = a.attrelid AND c.attnum = a.attnum
                WHERE a.attrelid = s.stxrelid AND a.attnum = ANY (s.stxkeys)) AS columns,
               (SELECT string_agg(format('(%s)', e), ', ')
                FROM (SELECT array_agg(u.attnum) AS attnums, array_agg(u.shadow) AS shadows
                      FROM unnest(columns) AS u WHERE u.member = s.stxrelid) AS m,
                     unnest(CASE WHEN m.attnums IS NULL THEN pg_get_statisticsobjdef_expressions(s.oid)
                                 ELSE on_shadows(s.stxexprs, s.stxrelid, m.attnums, m.shadows) END) AS e) AS expressions
        FROM pg_statistic_ext AS s WHERE s.oid = statistics
    )
    SELECT format('CREATE STATISTICS %s%s%s ON %s FROM %s', how, p.new_statistics, ' (' || p.kinds || ')',
                  concat_ws(', ', p.columns, p.expressions), relation)
    FROM parts AS p
    UNION ALL
    SELECT format('ALTER STATISTICS %s SET STATISTICS %s', p.new_statistics, p.stxstattarget) FROM parts AS p WHERE p.stxstattarget >= 0
    UNION ALL
    SELECT format('COMMENT ON STATISTICS %s IS %L', p.new_statistics, obj_description(p.oid, 'pg_statistic_ext'))
    FROM parts AS p WHERE obj_description(p.oid, 'pg_statistic_ext') IS NOT NULL;
END;
