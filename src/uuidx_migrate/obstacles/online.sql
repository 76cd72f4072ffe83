-- What cannot be taken along while the tables serve, and what to do about each.

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
