-- Indexes, and the constraints that they belong to.

-- Whether an index of a partition is part of that of its table.
CREATE OR REPLACE FUNCTION is_attached(index regclass) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM pg_inherits AS h WHERE h.inhrelid = index);

-- Whether the column of an index with this operator class cannot be of another type: the class is no default one, or
-- PostgreSQL has none for that type. check_dependencies takes another class of an extension for that of a stranger.
CREATE OR REPLACE FUNCTION opclass_needs_type(opclass oid, new_type regtype) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT NOT o.opcdefault
               OR NOT EXISTS (SELECT FROM pg_opclass AS d
                              WHERE d.opcmethod = o.opcmethod AND d.opcdefault AND d.opcintype = new_type
                                AND d.oid < 16384) -- PostgreSQL's own; others have other OIDs.
        FROM pg_opclass AS o WHERE o.oid = opclass);

-- Part of index_definition: the n-th column of an index, as CREATE INDEX has it, on the shadow columns of those that
-- are migrated.
CREATE OR REPLACE FUNCTION index_column(index oid, n integer, columns migrated_column[]) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
RETURN (
    SELECT concat(
        CASE WHEN i.indkey[n - 1] = 0 AND cardinality(columns) > 0 THEN
                 format('(%s)', (uuidx_migrate_steps.on_shadows(i.indexprs, i.indrelid::regclass,
                                                                m.attnums, m.shadows))[e.place])
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
    CROSS JOIN LATERAL (SELECT count(*)::integer AS place
                        FROM unnest(i.indkey) WITH ORDINALITY AS u (attnum, ordinality)
                        WHERE u.attnum = 0 AND u.ordinality <= n) AS e
    LEFT JOIN LATERAL (
        SELECT format('%s.%I', c.opcnamespace::regnamespace, c.opcname) FROM pg_opclass AS c
        WHERE n <= i.indnkeyatts AND c.oid = i.indclass[n - 1]
          -- The column of a hash index is of another type than that of its table.
          AND NOT (c.opcdefault
                   AND c.opcintype = (SELECT CASE t.type WHEN 'varchar'::regtype THEN 'text'::regtype ELSE t.type END
                                      FROM (SELECT coalesce(a.atttypid, k.atttypid)) AS t (type)))
    ) AS o (opclass) ON true
    WHERE i.indexrelid = index_column.index
);
END
$$;

-- Statement that creates an index like another, with another name, on a relation and on the shadow columns of those
-- that are migrated.
CREATE OR REPLACE FUNCTION index_definition(
    index oid, new_name name, relation text, columns migrated_column[]
) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
RETURN (
    SELECT concat('CREATE ', CASE WHEN i.indisunique THEN 'UNIQUE ' END, 'INDEX ',
                  format('%I ON %s USING %I', new_name, relation, m.amname),
                  ' (' || string_agg(k.definition, ', ' ORDER BY k.n) FILTER (WHERE k.n <= i.indnkeyatts) || ')',
                  ' INCLUDE (' || string_agg(k.definition, ', ' ORDER BY k.n) FILTER (WHERE k.n > i.indnkeyatts) || ')',
                  -- PostgreSQL 14 does not have this column.
                  CASE WHEN to_jsonb(i) ->> 'indnullsnotdistinct' = 'true' THEN ' NULLS NOT DISTINCT' END,
                  ' WITH (' || uuidx_migrate_steps.option_list(c.reloptions) || ')',
                  uuidx_migrate_steps.tablespace_clause(c.oid),
                  ' WHERE ('
                  || CASE WHEN cardinality(columns) = 0 THEN pg_get_expr(i.indpred, i.indrelid)
                          ELSE (uuidx_migrate_steps.on_shadows(i.indpred, i.indrelid::regclass,
                                                               s.attnums, s.shadows))[1] END || ')')
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

-- Statements that give an index the statistics targets of another, and the comment if it is new.
CREATE OR REPLACE FUNCTION index_properties(index oid, new_index text, is_new boolean DEFAULT true) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('ALTER INDEX %s ALTER COLUMN %s SET STATISTICS %s', new_index, a.attnum, a.attstattarget)
    FROM pg_attribute AS a WHERE a.attrelid = index AND a.attstattarget >= 0
    UNION ALL
    SELECT format('COMMENT ON INDEX %s IS %L', new_index, obj_description(index, 'pg_class'))
    WHERE is_new AND obj_description(index, 'pg_class') IS NOT NULL;
END;

-- Statements that mark the index that has the name of another, if that is marked: as the order of its table, and as its
-- replica identity.
CREATE OR REPLACE FUNCTION index_marks(index oid) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s
    FROM pg_index AS i, pg_class AS c,
         unnest(ARRAY[CASE WHEN i.indisclustered
                           THEN format('ALTER TABLE %s CLUSTER ON %I', i.indrelid::regclass, c.relname) END,
                      CASE WHEN i.indisreplident
                           THEN format('ALTER TABLE ONLY %s REPLICA IDENTITY USING INDEX %I',
                                       i.indrelid::regclass, c.relname) END]) AS s
    WHERE i.indexrelid = index_marks.index AND c.oid = i.indexrelid AND s IS NOT NULL;
END;

-- Part of view_statements: statements that create the indexes of a materialized view on another.
CREATE OR REPLACE FUNCTION view_indexes(view regclass, schema regnamespace, new_view text, shadow boolean)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT s.sql
    FROM pg_index AS i, pg_class AS c,
         LATERAL (SELECT CASE WHEN shadow THEN shadow_name(c.relname) ELSE c.relname END) AS n (name),
         unnest(index_definition(c.oid, n.name, new_view, '{}')
                || ARRAY(SELECT index_properties(c.oid, format('%s.%I', schema, n.name)))
                || ARRAY(SELECT format('ALTER MATERIALIZED VIEW %s CLUSTER ON %I', new_view, n.name)
                         WHERE i.indisclustered)) WITH ORDINALITY AS s (sql, n)
    WHERE i.indrelid = view AND c.oid = i.indexrelid
    ORDER BY c.relname, s.n;
END;

-- Part of objects: the indexes that read migrated columns, and the constraints that they belong to.
CREATE OR REPLACE FUNCTION indexes(columns migrated_column[]) RETURNS SETOF object
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        SELECT 'index', format('index %s', x.oid::regclass), 'pg_class'::regclass::oid, x.oid, c.member, x.relowner,
               min(c.level), x.relnamespace, x.relname, array_agg(c.attnum), k.oid, NULL::text, true, NULL::boolean,
               NULL::boolean
        FROM unnest(columns) AS c,
             pg_index AS i LEFT JOIN pg_constraint AS k
             ON k.conindid = i.indexrelid AND k.conrelid = i.indrelid AND k.contype IN ('p', 'u', 'x'),
             pg_class AS x
        WHERE i.indrelid = c.member AND x.oid = i.indexrelid
          AND (c.attnum = ANY (i.indkey)
               OR c.attnum IN (SELECT f.attnum
                               FROM uuidx_migrate_steps.expression_facts('pg_class'::regclass::oid, i.indexrelid) AS f))
          AND NOT EXISTS (SELECT FROM unnest(columns) AS p
                          WHERE p.member = c.member
                            AND uuidx_migrate_steps.has_pair(p.member, p.name, i.indkey::smallint[]))
        GROUP BY c.member, i.indexrelid, x.oid, k.oid
        ORDER BY min(c.level), x.oid::regclass::text COLLATE "C";
END
$$;

-- Steps that build an index by CREATE INDEX CONCURRENTLY.
CREATE OR REPLACE FUNCTION build_index(relation regclass, phase text, command text, before text DEFAULT NULL)
RETURNS statement[]
LANGUAGE sql STABLE PARALLEL SAFE
RETURN ARRAY(SELECT step(phase, 'none', before) WHERE before IS NOT NULL)
    || step(phase, format('SHARE UPDATE EXCLUSIVE on %s', relation), command);

-- Step before those that build indexes of tables: an interrupted build has left an index that is not valid.
CREATE OR REPLACE FUNCTION drop_interrupted_step(m migration, phase text, tables regclass[], indexes text[])
RETURNS statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN step(phase, format('ACCESS EXCLUSIVE on %s, briefly, if a build was interrupted', some_of(tables::text[])),
            format('CALL uuidx_migrate_steps.drop_interrupted(ARRAY[%s]::pg_catalog.text[], %s)',
                   (SELECT string_agg(quote_literal(i.name), ', ' ORDER BY i.n)
                    FROM unnest(indexes) WITH ORDINALITY AS i (name, n)),
                   ((m).choices).trust_owners::text));

-- Part of index_changes_online: name of the twin of an index. Where the twin of a partitioned table's index has one
-- already in a partition, that is it: the server names those of partitions that are created later.
CREATE OR REPLACE FUNCTION index_twin(index regclass) RETURNS name
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    parent CONSTANT oid := (SELECT h.inhparent FROM pg_inherits AS h WHERE h.inhrelid = index);
    twin_of_parent CONSTANT name := uuidx_migrate_steps.index_twin(parent::regclass);
BEGIN
    RETURN coalesce(
        (SELECT t.relname
         FROM pg_class AS p
         JOIN pg_class AS twin ON (twin.relnamespace, twin.relname) = (p.relnamespace, twin_of_parent)
         JOIN pg_inherits AS h ON h.inhparent = twin.oid
         JOIN pg_class AS t ON t.oid = h.inhrelid
         JOIN pg_index AS x ON x.indexrelid = t.oid
         JOIN pg_index AS i ON i.indrelid = x.indrelid
         WHERE p.oid = parent AND i.indexrelid = index),
        (SELECT uuidx_migrate_steps.shadow_name(c.relname) FROM pg_class AS c WHERE c.oid = index));
END
$$;

-- Part of index_changes_online: what builds a twin. The index of a partitioned table attaches those of its partitions,
-- and has to find them: it would build what they lack under its lock. A constraint that is added later could not attach
-- them then: leave them for it.
CREATE OR REPLACE FUNCTION index_build(
    m migration, o object, twin name, definition text, is_partitioned boolean, twins_of_partitions text[]
) RETURNS statement[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE WHEN NOT is_partitioned
                THEN build_index((o).relation, 'index',
                                 regexp_replace(definition, '^CREATE (UNIQUE )?INDEX ',
                                                E'\\&CONCURRENTLY IF NOT EXISTS '), n.before)
                     || ARRAY(SELECT step('index', format('SHARE UPDATE EXCLUSIVE on %s', (o).relation), p)
                              FROM index_properties((o).objid, n.qualified) AS p)
                WHEN (o).parent IS NULL
                THEN ARRAY[step('index', format('SHARE on %s, briefly', (o).relation),
                                call_locked(m, ARRAY[(o).relation],
                                            concat(is_before_cutover(m, ARRAY[(o).relation]),
                                                   format(' AND pg_catalog.to_regclass(%s) IS NULL',
                                                          typed(n.qualified, 'text')),
                                                   format(' AND uuidx_migrate_steps.are_built(%s)',
                                                          typed(twins_of_partitions::text, 'text[]'))),
                                            ARRAY[definition], n.before, 'SHARE'))]
                ELSE '{}' END
    FROM (SELECT format('%s.%I', (o).place::regnamespace, twin),
                 CASE WHEN names_more((o).classid, (o).objid) THEN call_check_again(m) END)
         AS n (qualified, before);
END;

-- Part of index_changes_online: what has a twin take the place of its original. The constraint of a partitioned table
-- attaches those of its partitions, and the index of one renames the columns of theirs.
CREATE OR REPLACE FUNCTION index_adopt(o object, twin name, is_partitioned boolean) RETURNS text[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT array_remove(
        ARRAY[CASE WHEN (o).parent IS NULL
                   THEN format('ALTER INDEX %s.%I RENAME TO %I', (o).place::regnamespace, twin, (o).name)
                   WHEN is_partitioned
                   THEN format('ALTER TABLE %s ADD CONSTRAINT %I %s', (o).relation, (o).name,
                               constraint_definition((o).parent))
                   ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s USING INDEX %I', (o).relation, (o).name,
                               CASE WHEN x.indisprimary THEN 'PRIMARY KEY' ELSE 'UNIQUE' END, twin) END,
              constraint_comment((o).relation, (o).name, (o).parent)]
        || ARRAY(SELECT p FROM index_properties((o).objid, i.name) AS p WHERE is_partitioned)
        || ARRAY(SELECT s FROM index_marks((o).objid) AS s)
        || ARRAY[CASE WHEN (o).parent IS NOT NULL OR NOT is_attached((o).objid)
                      THEN format('SELECT uuidx_migrate_steps.rename_index_columns(%s)',
                                  typed(i.name, 'regclass')) END], NULL)
    FROM pg_index AS x, LATERAL (SELECT x.indexrelid::regclass::text) AS i (name) WHERE x.indexrelid = (o).objid;
END;

-- Part of changes_online: indexes, and the constraints that they belong to. Those of partitions come first. There may
-- be a thousand: so what takes long is asked once for each index, with OFFSET, and of the columns of its table alone.
CREATE OR REPLACE FUNCTION index_changes_online(m migration) RETURNS SETOF change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'index', (i.o).relation, (i.o).place, i.twin, i.definition, true,
           index_build(m, i.o, i.twin, i.definition, i.is_partitioned, i.twins_of_partitions),
           array_remove(ARRAY[
               -- The columns of a replica identity must be NOT NULL.
               CASE WHEN x.indisreplident
                    THEN format('ALTER TABLE ONLY %s REPLICA IDENTITY NOTHING', (i.o).relation) END,
               CASE WHEN (i.o).parent IS NULL AND NOT is_attached((i.o).objid)
                    THEN format('DROP INDEX %s', x.indexrelid::regclass)
                    WHEN (SELECT k.conparentid = 0 FROM pg_constraint AS k WHERE k.oid = (i.o).parent)
                    THEN format('ALTER TABLE %s DROP CONSTRAINT %I', (i.o).relation, (i.o).name) END], NULL),
           index_adopt(i.o, i.twin, i.is_partitioned)
    FROM (WITH named (o, twin) AS MATERIALIZED (
              SELECT u, index_twin(u.objid) FROM unnest((m).objects) AS u WHERE u.kind = 'index')
          SELECT n.o, n.twin, index_definition((n.o).objid, n.twin, (n.o).relation::text, c.columns),
                 is_partitioned((n.o).relation), coalesce(p.twins, '{}')
          FROM named AS n
               LEFT JOIN (SELECT h.inhparent, array_agg(format('%s.%I', (u.o).place::regnamespace, u.twin))
                          FROM named AS u, pg_inherits AS h WHERE h.inhrelid = (u.o).objid GROUP BY h.inhparent)
                         AS p (parent, twins) ON p.parent = (n.o).objid,
               (SELECT u.member, array_agg(u) FROM unnest((m).columns) AS u GROUP BY u.member) AS c (member, columns)
          WHERE c.member = (n.o).relation OFFSET 0) AS i (o, twin, definition, is_partitioned, twins_of_partitions),
         pg_index AS x
    WHERE x.indexrelid = (i.o).objid
    ORDER BY i.is_partitioned, CASE WHEN i.is_partitioned THEN -(i.o).depth END,
             format('%s.%I', (i.o).place::regnamespace, i.twin) COLLATE "C";
END;

-- Part of obstacles_online: the indexes that are to be built again.
CREATE OR REPLACE FUNCTION index_obstacles_online(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH indexes AS MATERIALIZED (
        SELECT c.root, c.name, o.place::regnamespace AS schema, o.objid::regclass AS index, o.relation AS member,
               o.name AS index_name, k.contype, k.conparentid, k.condeferrable,
               to_jsonb(k) ->> 'conperiod' AS conperiod -- from PostgreSQL 18 on
        FROM unnest((m).objects) AS o LEFT JOIN pg_constraint AS k ON k.oid = o.parent, unnest((m).columns) AS c
        WHERE c.member = o.relation AND c.attnum = ANY (o.attnums) AND o.kind = 'index'
    )
    SELECT i.root, i.name, format('you may not create indexes in schema %s', i.schema), 'Grant CREATE on the schema.'
    FROM indexes AS i WHERE NOT has_schema_privilege(i.schema, 'CREATE')
    UNION ALL
    SELECT i.root, i.name, format('you may not create indexes in tablespace %I', t.spcname),
           'Grant CREATE on the tablespace.'
    FROM indexes AS i, pg_class AS c, pg_tablespace AS t
    WHERE c.oid = i.index AND t.oid = c.reltablespace AND NOT has_tablespace_privilege(t.oid, 'CREATE')
    UNION ALL
    SELECT i.root, i.name, format('index %s is not valid', i.index),
           'Drop it, or build it again with REINDEX INDEX CONCURRENTLY.'
    FROM indexes AS i, pg_index AS x WHERE x.indexrelid = i.index AND NOT x.indisvalid
    UNION ALL
    SELECT c.root, c.name, format('index %s uses the row as a whole', x.indexrelid::regclass),
           'Name the columns there, or use the offline mode.'
    FROM unnest((m).columns) AS c, pg_index AS x
    WHERE x.indrelid = c.member AND uses_row('pg_class'::regclass, x.indexrelid)
    UNION ALL
    -- With two such indexes, a partitioned index or constraint could attach the wrong one.
    SELECT i.root, i.name, format('indexes %s and %s are of the same columns', i.index, other.indexrelid::regclass),
           'Drop one of them.'
    FROM indexes AS i, pg_index AS x, pg_index AS other
    WHERE x.indexrelid = i.index AND other.indrelid = i.member AND other.indexrelid > i.index
      AND (other.indkey, other.indclass, pg_get_expr(other.indexprs, i.member), pg_get_expr(other.indpred, i.member))
          IS NOT DISTINCT FROM
          (x.indkey, x.indclass, pg_get_expr(x.indexprs, i.member), pg_get_expr(x.indpred, i.member))
      AND pg_partition_root(i.member) IS NOT NULL
    UNION ALL
    SELECT i.root, i.name,
           format('index %s belongs to a constraint and is attached to index %s, which does not',
                  i.index, h.inhparent::regclass),
           'Drop the constraint and create it on the partitioned table.'
    FROM indexes AS i, pg_inherits AS h
    WHERE h.inhrelid = i.index AND i.contype IN ('p', 'u') AND i.conparentid = 0
    UNION ALL
    SELECT i.root, i.name,
           format('constraint %I of table %s, which is %s', i.index_name, i.member,
                  CASE WHEN i.contype = 'x' THEN 'an exclusion constraint'
                       WHEN i.condeferrable THEN 'deferrable'
                       ELSE 'WITHOUT OVERLAPS' END),
           'Drop it, and add it again afterwards, or use the offline mode.'
    FROM indexes AS i
    WHERE i.conparentid = 0 AND (i.contype = 'x' OR i.condeferrable OR i.conperiod = 'true');
END;

-- Part of obstacles_offline.
CREATE OR REPLACE FUNCTION index_obstacles_offline(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    -- A rewrite recreates the indexes of partitions like their table's index, without such properties.
    SELECT c.root, c.name,
           format('index %s of a partition has %s, which would be lost', i.indexrelid::regclass, p.property),
           'Use the online mode, or set it again afterwards.'
    FROM unnest((m).objects) AS o, unnest((m).columns) AS c, pg_index AS i, pg_class AS x, pg_inherits AS h,
         pg_class AS parent, LATERAL (
        SELECT 'a replica identity' WHERE i.indisreplident
        UNION ALL
        SELECT 'a mark of CLUSTER' WHERE i.indisclustered
        UNION ALL
        SELECT 'storage parameters of its own' WHERE x.reloptions IS DISTINCT FROM parent.reloptions
        UNION ALL
        SELECT 'a tablespace of its own' WHERE x.reltablespace <> parent.reltablespace
    ) AS p (property)
    WHERE o.kind = 'index' AND c.member = o.relation AND c.attnum = ANY (o.attnums) AND i.indexrelid = o.objid
      AND x.oid = o.objid AND h.inhrelid = o.objid AND parent.oid = h.inhparent
    UNION ALL
    -- A rewrite builds all indexes of the table, at its end.
    SELECT c.root, c.name, format('index %s is not valid, and may not be unique', i.indexrelid::regclass),
           'Drop it, or build it again with REINDEX INDEX CONCURRENTLY.'
    FROM unnest((m).columns) AS c, pg_index AS i
    WHERE i.indrelid = c.member AND i.indisunique AND NOT i.indisvalid;
END;

-- Part of obstacles_of_type.
CREATE OR REPLACE FUNCTION index_obstacles_of_type(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH indexes AS MATERIALIZED (
        SELECT c.root, c.name, c.attnum, i.indexrelid, i.indnkeyatts, i.indkey, i.indclass, i.indcollation,
               a.attcollation
        FROM unnest((m).columns) AS c, pg_index AS i, pg_attribute AS a
        WHERE i.indrelid = c.member AND a.attrelid = c.member AND a.attnum = c.attnum AND NOT is_attached(i.indexrelid)
    ),
    indexed AS MATERIALIZED (
        SELECT i.root, i.name, i.indexrelid, i.attcollation,
               i.indclass[k.n] AS opclass, i.indcollation[k.n] AS collation
        FROM indexes AS i, LATERAL generate_series(0, i.indnkeyatts - 1) AS k (n) WHERE i.indkey[k.n] = i.attnum
    )
    SELECT i.root, i.name,
           format('index %s reads the values of column %I in an expression or its predicate',
                  i.indexrelid::regclass, i.name),
           hint_of_reader(m, 'pg_class'::regclass, i.indexrelid)
    FROM indexes AS i WHERE needs_type(m, 'pg_class'::regclass, i.indexrelid, i.attnum)
    UNION ALL
    SELECT k.root, k.name,
           format('index %s has operator class %I, which the new type does not have',
                  k.indexrelid::regclass, o.opcname),
           CASE WHEN ((m).conversion).reads_texts
                THEN 'Drop it: a column of type uuid is not searched by a pattern.'
                ELSE 'Drop it, and create another one afterwards.' END
    FROM indexed AS k, pg_opclass AS o
    WHERE o.oid = k.opclass AND opclass_needs_type(o.oid, ((m).conversion).new_types[1])
    UNION ALL
    SELECT k.root, k.name, format('index %s has another collation than column %I', k.indexrelid::regclass, k.name),
           'Drop it, and create it without COLLATE afterwards, unless another index is on the column.'
    FROM indexed AS k WHERE k.collation <> k.attcollation;
END;

-- Part of offline_steps: gives the indexes of partitions their names and comments again, and their constraints their
-- comments. PostgreSQL 15 and older give them the comment of the table's index.
CREATE OR REPLACE FUNCTION indexes_named(m migration) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    (SELECT format('SELECT uuidx_migrate_steps.name_partition_indexes(%s, %s, %s::pg_catalog.name[])',
                   typed(h.inhparent::regclass::text, 'regclass'),
                   relation_list(array_agg(o.relation ORDER BY o.relation::text COLLATE "C")),
                   quote_literal(array_agg(o.name ORDER BY o.relation::text COLLATE "C")))
     FROM unnest((m).objects) AS o, pg_inherits AS h WHERE o.kind = 'index' AND h.inhrelid = o.objid
     GROUP BY h.inhparent ORDER BY min(o.depth), h.inhparent::regclass::text COLLATE "C")
    UNION ALL
    SELECT format('COMMENT ON INDEX %s IS %L', o.objid::regclass, obj_description(o.objid, 'pg_class'))
    FROM unnest((m).objects) AS o, pg_inherits AS h
    WHERE o.kind = 'index' AND h.inhrelid = o.objid
      AND num_nonnulls(obj_description(o.objid, 'pg_class'),
                       obj_description(pg_partition_root(o.objid), 'pg_class')) > 0
    UNION ALL
    SELECT constraint_comment(o.relation, o.name, o.parent)
    FROM unnest((m).objects) AS o
    WHERE o.kind = 'index' AND is_attached(o.objid) AND obj_description(o.parent, 'pg_constraint') IS NOT NULL;
END;

-- Part of changes_offline: the properties of indexes that a rewrite loses.
CREATE OR REPLACE FUNCTION index_changes_offline(m migration) RETURNS SETOF change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT recreated(o, '{}', ARRAY(SELECT index_properties(o.objid, o.objid::regclass::text, false)))
    FROM unnest((m).objects) AS o WHERE o.kind = 'index';
END;
