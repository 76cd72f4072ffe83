-- Shadow columns, their indexes and statistics: everything they need to replace the columns.

CREATE OR REPLACE FUNCTION moved(
    relation regclass, column_name name,
    OUT root regclass, OUT member regclass, OUT level bigint, OUT attnum smallint, OUT name name, OUT shadow name
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.relation, m.member, (SELECT count(*) FROM pg_partition_ancestors(m.member)), m.attnum, c.column_name,
           shadow_name(c.column_name)
    FROM tied_columns(relation, column_name) AS c,
         LATERAL member_tables(c.relation, c.column_name) AS m;
END;
COMMENT ON FUNCTION moved(regclass, name) IS
'the columns of tied_columns in each table and partition, how deep that is, and their shadow columns';

-- Without the server's own options: pg_attver, in PostgreSQL 15.20.
CREATE OR REPLACE FUNCTION option_list(options text[]) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT string_agg(format('%I = %L', split_part(o, '=', 1), substr(o, strpos(o, '=') + 1)), ', ')
        FROM unnest(options) AS o WHERE o !~ '^pg_');
COMMENT ON FUNCTION option_list(text[]) IS
'options as pg_class and pg_attribute have them, as a list in SQL; NULL if there are none';

-- A CHECK constraint makes PostgreSQL compare each shadow value with the conversion, so that no error goes unnoticed.
-- With a check that proves it, SET NOT NULL does not read the table. A column that is kept for undoing the migration
-- has its old value, which with others => 'keep' may be a UUID of the new version.
CREATE OR REPLACE FUNCTION keep(relation regclass, column_name name, direction text, others text) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT unnest(ARRAY[
        format('ALTER TABLE %s ADD CONSTRAINT %I CHECK (%s) NOT VALID', relation, n.shadow,
               format(CASE WHEN a.attnotnull THEN '%1$I IS NOT NULL AND (%1$I = %2$s%3$s)'
                           ELSE '%1$I IS NOT DISTINCT FROM %2$s%3$s' END,
                      n.shadow, conversion(column_name, direction, others),
                      CASE others WHEN 'kept' THEN format(' OR %I = %I', n.shadow, column_name) END)),
        format('CREATE TRIGGER %I BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION %s(%L, %L, %L, %L)',
               n.trigger, relation, 'fill()'::regprocedure::regproc,
               column_name, n.shadow, direction, others),
        format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', relation, n.trigger)])
    FROM pg_attribute AS a,
         (SELECT shadow_name(column_name), trigger_name(column_name)) AS n (shadow, trigger)
    WHERE a.attrelid = relation AND a.attname = column_name;
END;
COMMENT ON FUNCTION keep(regclass, name, text, text) IS
'statements that have a shadow column kept for every row that is written';

CREATE OR REPLACE FUNCTION add_shadows(relation regclass, column_name name, direction text, others text)
RETURNS TABLE (root regclass, statements text[])
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH moved AS MATERIALIZED (
        SELECT m.*, a.attstattarget, a.attacl, option_list(a.attoptions) AS options,
               col_description(m.member, m.attnum) AS comment
        FROM moved(relation, column_name) AS m
        JOIN pg_attribute AS a ON a.attrelid = m.member AND a.attnum = m.attnum
    ),
    parts (root, part, sql) AS (
        SELECT m.root, ARRAY[1::bigint], format('ALTER TABLE %s ADD COLUMN %I pg_catalog.uuid', m.root, m.shadow)
        FROM moved AS m WHERE m.member = m.root
        UNION ALL
        SELECT m.root, ARRAY[2],
               format('ALTER TABLE ONLY %s ALTER COLUMN %I SET STATISTICS %s', m.member, m.shadow, m.attstattarget)
        FROM moved AS m WHERE m.attstattarget >= 0
        UNION ALL
        SELECT m.root, ARRAY[2], format('ALTER TABLE ONLY %s ALTER COLUMN %I SET (%s)', m.member, m.shadow, m.options)
        FROM moved AS m WHERE m.options IS NOT NULL
        UNION ALL
        SELECT m.root, ARRAY[2], format('COMMENT ON COLUMN %s.%I IS %L', m.member, m.shadow, m.comment)
        FROM moved AS m WHERE m.comment IS NOT NULL
        UNION ALL
        SELECT m.root, ARRAY[2], format('GRANT %s (%I) ON %s TO %s', g.privilege_type, m.shadow, m.member,
                                 CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE g.grantee::regrole::text END)
                          || CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END
        FROM moved AS m CROSS JOIN LATERAL aclexplode(m.attacl) AS g
        UNION ALL
        SELECT m.root, ARRAY[2],
               format('SECURITY LABEL FOR %I ON COLUMN %s.%I IS %L', l.provider, m.member, m.shadow, l.label)
        FROM moved AS m
        JOIN pg_seclabel AS l ON l.classoid = 'pg_class'::regclass AND l.objoid = m.member AND l.objsubid = m.attnum
        UNION ALL
        SELECT m.root, ARRAY[3, k.ordinality], k.statement
        FROM moved AS m, LATERAL keep(m.root, m.name, direction, others) WITH ORDINALITY AS k (statement)
        WHERE m.member = m.root
    )
    SELECT p.root, array_agg(p.sql ORDER BY p.part, p.sql COLLATE "C") FROM parts AS p GROUP BY p.root;
END;
COMMENT ON FUNCTION add_shadows(regclass, name, text, text) IS
'statements that give a table its shadow columns, with the properties of the columns whose place they take';

CREATE OR REPLACE FUNCTION check_shadow(relation regclass, column_name name) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    shadow name;
    bad_index regclass;
BEGIN
    EXECUTE 'SELECT uuidx_migrate.shadow_name($1)' INTO STRICT shadow USING column_name;
    IF NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = relation AND conname = shadow AND convalidated) THEN
        RAISE EXCEPTION 'column "%" of table % is not known to be filled', shadow, relation
        USING ERRCODE = 'object_not_in_prerequisite_state',
              HINT = 'Run the script from the top, and have it stop at the first error.';
    END IF;
    EXECUTE 'SELECT min(i.indexrelid::regclass::text)::regclass FROM uuidx_migrate.member_tables($1, $2) AS m
                    JOIN pg_index AS i ON i.indrelid = m.member AND m.attnum = ANY (i.indkey)
                    WHERE NOT i.indisvalid'
    INTO bad_index USING relation, shadow;
    IF bad_index IS NOT NULL THEN
        RAISE EXCEPTION 'index % is not built', bad_index
        USING ERRCODE = 'object_not_in_prerequisite_state',
              HINT = 'Run the script from the top, and have it stop at the first error.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_shadow(regclass, name) IS
'an error unless a shadow column is filled and its indexes are built';

-- --- Indexes and statistics of the shadow columns ---

CREATE OR REPLACE FUNCTION index_column(index oid, n integer, moved smallint[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT concat(
        CASE WHEN i.indkey[n - 1] = ANY (moved) THEN quote_ident(shadow_name(a.attname))
             ELSE pg_get_indexdef(index, n, false) END,
        ' COLLATE ' || nullif(nullif(i.indcollation[n - 1], 0), a.attcollation)::regcollation,
        ' ' || o.opclass,
        ' (' || option_list(k.attoptions) || ')',
        CASE i.indoption[n - 1] & 3 WHEN 1 THEN ' DESC NULLS LAST' WHEN 2 THEN ' NULLS FIRST' WHEN 3 THEN ' DESC' END)
    FROM pg_index AS i
    JOIN pg_attribute AS k ON k.attrelid = index AND k.attnum = n
    LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[n - 1]
    LEFT JOIN LATERAL (
        SELECT format('%s.%I', c.opcnamespace::regnamespace, c.opcname) FROM pg_opclass AS c
        WHERE n <= i.indnkeyatts AND c.oid = i.indclass[n - 1] AND NOT (c.opcdefault AND c.opcintype = k.atttypid)
    ) AS o (opclass) ON true
    WHERE i.indexrelid = index
);
COMMENT ON FUNCTION index_column(oid, integer, smallint[]) IS
'the n-th column of an index, as CREATE INDEX has it, but the shadow column of one that moves';

CREATE OR REPLACE FUNCTION index_definition(index oid, moved smallint[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT concat('CREATE ', CASE WHEN i.indisunique THEN 'UNIQUE ' END, 'INDEX ',
                  CASE c.relkind WHEN 'i' THEN 'CONCURRENTLY ' END,
                  format('IF NOT EXISTS %I ON %s USING %I', shadow_name(c.relname), i.indrelid::regclass, m.amname),
                  ' (' || string_agg(k.definition, ', ' ORDER BY k.n) FILTER (WHERE k.n <= i.indnkeyatts) || ')',
                  ' INCLUDE (' || string_agg(k.definition, ', ' ORDER BY k.n) FILTER (WHERE k.n > i.indnkeyatts) || ')',
                  -- PostgreSQL 14 does not have this column.
                  CASE WHEN to_jsonb(i) ->> 'indnullsnotdistinct' = 'true' THEN ' NULLS NOT DISTINCT' END,
                  ' WITH (' || option_list(c.reloptions) || ')',
                  ' TABLESPACE ' || quote_ident(t.spcname),
                  ' WHERE ' || pg_get_expr(i.indpred, i.indrelid))
    FROM pg_index AS i
    JOIN pg_class AS c ON c.oid = i.indexrelid
    JOIN pg_am AS m ON m.oid = c.relam
    -- Without TABLESPACE, default_tablespace would apply.
    LEFT JOIN pg_tablespace AS t
        ON t.oid = coalesce(nullif(c.reltablespace, 0), CASE WHEN current_setting('default_tablespace') <> '' THEN
                                (SELECT d.dattablespace FROM pg_database AS d WHERE d.datname = current_database()) END)
    CROSS JOIN LATERAL (SELECT n, index_column(index, n, moved) AS definition
                        FROM generate_series(1, i.indnatts) AS n) AS k
    WHERE i.indexrelid = index
    GROUP BY i.*, i.indisunique, i.indrelid, i.indpred, c.relname, c.relkind, c.reloptions, m.amname, t.spcname
);
COMMENT ON FUNCTION index_definition(oid, smallint[]) IS
'statement that creates an index as another is, on the shadow columns of those that move';

CREATE OR REPLACE FUNCTION moved_indexes(
    relation regclass, column_name name,
    OUT root regclass, OUT member regclass, OUT level bigint, OUT schema regnamespace, OUT name name,
    OUT index regclass, OUT is_partitioned boolean, OUT definition text,
    OUT "constraint" oid, OUT constraint_type "char", OUT constraint_parent oid
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH tables AS MATERIALIZED (
        SELECT m.root, m.member, m.level, array_agg(m.attnum) AS moved
        FROM moved(relation, column_name) AS m GROUP BY m.root, m.member, m.level
    )
    SELECT t.root, t.member, t.level, c.relnamespace::regnamespace, c.relname, i.indexrelid::regclass, c.relkind = 'I',
           index_definition(i.indexrelid, t.moved), k.oid, k.contype, k.conparentid
    FROM tables AS t
    JOIN pg_index AS i ON i.indrelid = t.member AND i.indkey::smallint[] && t.moved
    JOIN pg_class AS c ON c.oid = i.indexrelid
    LEFT JOIN pg_constraint AS k ON k.conindid = i.indexrelid AND k.conrelid = i.indrelid AND k.contype IN ('p', 'u');
END;
COMMENT ON FUNCTION moved_indexes(regclass, name) IS
'the indexes of columns that move, the constraints that they are of, and the statements that create them on the shadow columns';

CREATE OR REPLACE FUNCTION moved_statistics(
    relation regclass, column_name name, OUT statistics oid, OUT schema regnamespace, OUT name name, OUT definition text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH tables AS MATERIALIZED (
        SELECT m.member, array_agg(m.attnum) AS moved
        FROM moved(relation, column_name) AS m GROUP BY m.member
    )
    SELECT s.oid, s.stxnamespace::regnamespace, s.stxname,
           format('CREATE STATISTICS IF NOT EXISTS %s.%I%s ON %s FROM %s',
                  s.stxnamespace::regnamespace, shadow_name(s.stxname), ' (' || kinds.list || ')',
                  concat_ws(', ', columns.list, expressions.list), t.member)
    FROM tables AS t JOIN pg_statistic_ext AS s ON s.stxrelid = t.member AND s.stxkeys::smallint[] && t.moved
    CROSS JOIN LATERAL (
        SELECT string_agg(CASE k WHEN 'd' THEN 'ndistinct' WHEN 'f' THEN 'dependencies' WHEN 'm' THEN 'mcv' END, ', ')
        FROM unnest(s.stxkind) AS k WHERE k <> 'e'
    ) AS kinds (list)
    CROSS JOIN LATERAL (
        SELECT string_agg(quote_ident(CASE WHEN a.attnum = ANY (t.moved) THEN shadow_name(a.attname)
                                           ELSE a.attname END), ', ' ORDER BY a.attnum)
        FROM pg_attribute AS a WHERE a.attrelid = s.stxrelid AND a.attnum = ANY (s.stxkeys)
    ) AS columns (list)
    CROSS JOIN LATERAL (
        SELECT string_agg(format('(%s)', e), ', ') FROM unnest(pg_get_statisticsobjdef_expressions(s.oid)) AS e
    ) AS expressions (list);
END;
COMMENT ON FUNCTION moved_statistics(regclass, name) IS
'the extended statistics of columns that move, and the statements that create them on the shadow columns';

CREATE OR REPLACE FUNCTION index_steps(relation regclass, column_name name)
RETURNS TABLE (part bigint[], name text, sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH indexes AS MATERIALIZED (
        SELECT i.*, format('%s.%I', i.schema, shadow_name(i.name)) AS shadow
        FROM moved_indexes(relation, column_name) AS i
    ),
    statistics AS MATERIALIZED (
        SELECT s.*, format('%s.%I', s.schema, shadow_name(s.name)) AS shadow, e.stxstattarget AS target,
               obj_description(s.statistics, 'pg_statistic_ext') AS comment
        FROM moved_statistics(relation, column_name) AS s JOIN pg_statistic_ext AS e ON e.oid = s.statistics
    )
    -- An interrupted build leaves an invalid index.
    SELECT ARRAY[1::bigint], i.shadow,
           call_locked(ARRAY[i.member],
               format('EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass(%L) AND NOT indisvalid)', i.shadow),
               ARRAY[format('DROP INDEX %s', i.shadow)])
    FROM indexes AS i WHERE NOT i.is_partitioned
    UNION ALL
    SELECT ARRAY[2], i.shadow, i.definition FROM indexes AS i WHERE NOT i.is_partitioned
    UNION ALL
    -- The index of a partitioned table attaches those of its partitions. A constraint that is added later could not
    -- attach them then: leave them for it.
    SELECT ARRAY[3, -i.level], i.shadow,
           call_locked(ARRAY[i.member], format('to_regclass(%L) IS NULL', i.shadow), ARRAY[i.definition])
    FROM indexes AS i WHERE i.is_partitioned AND i."constraint" IS NULL
    UNION ALL
    SELECT ARRAY[4], s.shadow, s.definition FROM statistics AS s
    UNION ALL
    SELECT ARRAY[5], s.shadow, format('ALTER STATISTICS %s SET STATISTICS %s', s.shadow, s.target)
    FROM statistics AS s WHERE s.target >= 0
    UNION ALL
    SELECT ARRAY[5], s.shadow, format('COMMENT ON STATISTICS %s IS %L', s.shadow, s.comment)
    FROM statistics AS s WHERE s.comment IS NOT NULL;
END;
COMMENT ON FUNCTION index_steps(regclass, name) IS
'the steps that build the indexes and statistics of the shadow columns';
