-- What cannot be taken along while the tables serve, and what to do about each.

-- Part of obstacles_online: the indexes that are to be built again.
CREATE OR REPLACE FUNCTION online_obstacles_of_indexes(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH indexes AS MATERIALIZED (
        SELECT c.root, c.name, i.schema, i.index, i.member, i.name AS index_name, i.constraint_type, i.constraint_parent, i.key
        FROM unnest((m).indexes) AS i, unnest((m).columns) AS c
        WHERE c.member = i.member AND c.attnum = ANY (i.attnums)
    )
    SELECT i.root, i.name, format('you may not create indexes in schema %s', i.schema), 'Grant CREATE on the schema.'
    FROM indexes AS i WHERE NOT has_schema_privilege(i.schema, 'CREATE')
    UNION ALL
    SELECT i.root, i.name, format('you may not create indexes in tablespace %I', t.spcname), 'Grant CREATE on the tablespace.'
    FROM indexes AS i, pg_class AS c, pg_tablespace AS t
    WHERE c.oid = i.index AND t.oid = c.reltablespace AND NOT has_tablespace_privilege(t.oid, 'CREATE')
    UNION ALL
    SELECT i.root, i.name, format('index %s is not valid', i.index), 'Drop it, or build it again with REINDEX INDEX CONCURRENTLY.'
    FROM indexes AS i, pg_index AS x WHERE x.indexrelid = i.index AND NOT x.indisvalid
    UNION ALL
    -- With two such indexes, a partitioned index or constraint could attach the wrong one.
    SELECT i.root, i.name, format('indexes %s and %s are of the same columns', i.index, other.indexrelid::regclass), 'Drop one of them.'
    FROM indexes AS i, pg_index AS x, pg_index AS other
    WHERE x.indexrelid = i.index AND other.indrelid = i.member AND other.indexrelid > i.index
      AND (other.indkey, other.indclass, pg_get_expr(other.indexprs, i.member), pg_get_expr(other.indpred, i.member))
            IS NOT DISTINCT FROM (x.indkey, x.indclass, pg_get_expr(x.indexprs, i.member), pg_get_expr(x.indpred, i.member))
      AND pg_partition_root(i.member) IS NOT NULL
    UNION ALL
    SELECT i.root, i.name, format('index %s belongs to a constraint and is attached to index %s, which does not', i.index, h.inhparent::regclass), 'Drop the constraint and create it on the partitioned table.'
    FROM indexes AS i, pg_inherits AS h
    WHERE h.inhrelid = i.index AND i.constraint_type IN ('p', 'u') AND i.constraint_parent = 0
    UNION ALL
    SELECT i.root, i.name, format('constraint %I of table %s, which is %s', i.index_name, i.member,
                                  CASE WHEN i.constraint_type = 'x' THEN 'an exclusion constraint' WHEN k.condeferrable THEN 'deferrable' ELSE 'WITHOUT OVERLAPS' END),
           'Drop it, and add it again afterwards, or use the offline mode.'
    FROM indexes AS i, pg_constraint AS k
    -- WITHOUT OVERLAPS is from PostgreSQL 18 on.
    WHERE k.oid = i.key AND i.constraint_parent = 0
      AND (i.constraint_type = 'x' OR k.condeferrable OR to_jsonb(k) ->> 'conperiod' = 'true');
END;

-- Part of obstacles_online: the constraints and statistics that are to be made again.
CREATE OR REPLACE FUNCTION online_obstacles_of_constraints(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, format('table %s alone has column %I as NOT NULL', c.member, c.name), 'Make it NOT NULL in the partitioned table too.'
    FROM unnest((m).columns) AS c, pg_attribute AS a, pg_attribute AS r
    WHERE a.attrelid = c.member AND a.attnum = c.attnum AND r.attrelid = c.root AND r.attname = c.name
      AND a.attnotnull AND NOT r.attnotnull
    UNION ALL
    SELECT c.root, c.name, pg_describe_object('pg_constraint'::regclass, k.oid, 0) || ', which is not validated', 'Validate it.'
    FROM unnest((m).columns) AS c, pg_constraint AS k
    WHERE k.conrelid = c.member AND k.conkey = ARRAY[c.attnum] AND k.contype = 'n' AND NOT k.convalidated
    UNION ALL
    SELECT c.root, c.name, format('foreign key %I of table %s, which has a period', f.name, f.referencing), 'Use the offline mode.'
    FROM unnest((m).foreign_keys) AS f, unnest((m).columns) AS c
    WHERE c.member = f.referencing AND f.shadow_definition IS NULL
    UNION ALL
    -- Before PostgreSQL 18, a partitioned table cannot have a foreign key that is NOT VALID.
    SELECT c.root, c.name,
           format('foreign key %I of the partitioned table %s references a partitioned table', f.name, f.referencing),
           'Use the offline mode; or drop it, name the column in also, and add it again afterwards.'
    FROM unnest((m).foreign_keys) AS f, unnest((m).columns) AS c
    WHERE c.member = f.referencing AND current_setting('server_version_num')::integer < 180000
      AND is_partitioned(f.referencing) AND is_partitioned(f.referenced)
    UNION ALL
    SELECT c.root, c.name, format('statistics object %s.%I: you may not change it', s.stxnamespace::regnamespace, s.stxname),
           format('Run ALTER STATISTICS ... OWNER TO %s, and grant that role CREATE on the schema.', t.relowner::regrole)
    FROM unnest((m).columns) AS c, unnest((m).statistics) AS o, pg_statistic_ext AS s, pg_class AS t
    WHERE o.member = c.member AND s.oid = o.statistics AND t.oid = c.member
      AND (CASE WHEN ((m).choices).trust_owners THEN NOT pg_has_role(s.stxowner, 'USAGE')
                ELSE s.stxowner <> t.relowner END OR NOT has_schema_privilege(s.stxnamespace, 'CREATE'));
END;

-- Part of obstacles_online: what reads the columns and cannot be created again in an exchange.
CREATE OR REPLACE FUNCTION online_obstacles_of_readers(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, pg_describe_object('pg_rewrite'::regclass, r.oid, 0) || ' is for UPDATE', 'Disable the rule until the exchange, or drop it.'
    FROM unnest((m).columns) AS c, pg_rewrite AS r
    WHERE r.ev_class = c.member AND r.ev_type = '2' AND r.ev_enabled <> 'D'
    UNION ALL
    SELECT c.root, c.name, e.object || ' uses the row as a whole', 'Name the columns there, or use the offline mode.'
    FROM unnest((m).columns) AS c, LATERAL (
        SELECT 'pg_constraint'::regclass, k.oid, format('constraint %I of table %s', k.conname, c.member) FROM pg_constraint AS k WHERE k.conrelid = c.member
        UNION ALL
        SELECT 'pg_index'::regclass, i.indexrelid, format('index %s', i.indexrelid::regclass) FROM pg_index AS i WHERE i.indrelid = c.member) AS e (classid, oid, object)
    WHERE EXISTS (SELECT FROM expression_facts(e.classid, e.oid) AS f WHERE f.attnum = 0)
    UNION ALL
    SELECT c.root, c.name, format('%s fires after the trigger that fills the shadow column', pg_describe_object('pg_trigger'::regclass, t.oid, 0)),
           format('Give it a name that sorts before "%s".', trigger_name(c.name))
    FROM unnest((m).columns) AS c, pg_trigger AS t
    WHERE t.tgrelid = c.member
      AND t.tgname::text COLLATE "C" > trigger_name(c.name)::text COLLATE "C" AND NOT is_fill(t.tgfoid)
      AND t.tgtype & 3 = 3 AND t.tgtype & 20 <> 0 -- BEFORE, FOR EACH ROW; INSERT, UPDATE
    UNION ALL
    SELECT (m).relation, (m).column_name, p || ' uses columns by position, or has ON CONFLICT DO UPDATE',
           'Drop it, and create it again afterwards, or use the offline mode.'
    FROM positional_readers(m) AS p
    UNION ALL
    SELECT (m).relation, (m).column_name, d.description || ' is generated and stored', 'Drop the column, and add it again afterwards, or use the offline mode.'
    FROM unnest((m).dependents) AS d, pg_attrdef AS e, pg_attribute AS g
    WHERE d.classid = 'pg_attrdef'::regclass AND e.oid = d.objid AND (g.attrelid, g.attnum) = (e.adrelid, e.adnum)
      AND g.attgenerated = 's'
    UNION ALL
    -- What is built on the shadow columns would go with the generated column.
    SELECT c.root, c.name, format('%s reads generated column %I, too', coalesce(pg_describe_object('pg_class'::regclass, w.ev_class, 0),
                                                                               pg_describe_object('pg_constraint'::regclass, k.oid, 0)), g.attname),
           'Drop it, and create it again afterwards, or use the offline mode.'
    FROM unnest((m).columns) AS c, pg_attribute AS g,
         pg_depend AS d
         LEFT JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
         LEFT JOIN pg_constraint AS k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
    WHERE g.attrelid = c.member AND g.attgenerated = 'v' AND d.refclassid = 'pg_class'::regclass
      AND (d.refobjid, d.refobjsubid) = (g.attrelid, g.attnum)
      AND (c.attnum = ANY (k.conkey)
           OR w.ev_class IN (SELECT v.relation FROM unnest((m).dependents) AS v WHERE v.kind = 'materialized view'))
    UNION ALL
    SELECT (m).relation, (m).column_name, d.description || CASE WHEN d.depth > 0 THEN ' reads a view that reads a migrated column, and is created again'
                                                                           ELSE ' groups by a primary key' END,
           'Drop it, and create it again afterwards, or use the offline mode.'
    FROM unnest((m).dependents) AS d WHERE d.kind = 'materialized view' AND (d.depth > 0 OR d.keeps_key)
    UNION ALL
    SELECT c.root, c.name, pg_describe_object(d.classid, d.objid, d.objsubid) || ' depends on the column', 'Remove the dependency.'
    FROM unnest((m).columns) AS c, pg_depend AS d
    WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = c.member AND d.refobjsubid = c.attnum
      AND d.classid NOT IN ('pg_attrdef'::regclass, 'pg_constraint'::regclass, 'pg_statistic_ext'::regclass,
                            'pg_rewrite'::regclass, 'pg_proc'::regclass, 'pg_trigger'::regclass, 'pg_policy'::regclass,
                            'pg_publication_rel'::regclass)
      AND NOT EXISTS (SELECT FROM pg_class AS x WHERE d.classid = 'pg_class'::regclass AND x.oid = d.objid AND (x.relkind IN ('i', 'I') OR x.relkind = 'S' AND is_key(m, c) AND keeps_former((m).conversion)))
      AND NOT EXISTS (SELECT FROM pg_attribute AS g WHERE d.classid = 'pg_class'::regclass AND (g.attrelid, g.attnum) = (d.objid, d.objsubid) AND g.attgenerated <> '');
END;

-- What stands in the way of the online mode alone.
CREATE OR REPLACE FUNCTION obstacles_online(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT o.* FROM online_obstacles_of_indexes(m) AS o
    UNION ALL
    SELECT o.* FROM online_obstacles_of_constraints(m) AS o
    UNION ALL
    SELECT o.* FROM obstacles_of_twins(m) AS o
    UNION ALL
    SELECT o.* FROM online_obstacles_of_readers(m) AS o
    UNION ALL
    SELECT (m).relation, (m).column_name, format('the former keys are in table %s, not in a shadow column', key_object(m, 'former')), 'Use the offline mode.'
    WHERE ((m).conversion).only_undoes AND has_map(m) AND shadow_conversion((m).relation, (m).column_name) IS NULL;
END;
