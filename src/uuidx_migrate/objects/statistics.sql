-- Extended statistics.

-- Statements that create extended statistics like others, on a relation and on the shadow columns of those that are
-- migrated.
CREATE OR REPLACE FUNCTION statistics_definition(
    statistics oid, how text, new_name name, relation text, columns migrated_column[]
) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH parts AS (
        SELECT s.oid, s.stxstattarget, format('%s.%I', s.stxnamespace::regnamespace, new_name) AS new_statistics,
               (SELECT string_agg(CASE k WHEN 'd' THEN 'ndistinct'
                                         WHEN 'f' THEN 'dependencies'
                                         WHEN 'm' THEN 'mcv' END, ', ')
                FROM unnest(s.stxkind) AS k WHERE k <> 'e') AS kinds,
               (SELECT string_agg(quote_ident(coalesce(c.shadow, a.attname)), ', '
                                  ORDER BY coalesce(c.shadow, a.attname))
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
    SELECT format('ALTER STATISTICS %s SET STATISTICS %s', p.new_statistics, p.stxstattarget)
    FROM parts AS p WHERE p.stxstattarget >= 0
    UNION ALL
    SELECT format('COMMENT ON STATISTICS %s IS %L', p.new_statistics, obj_description(p.oid, 'pg_statistic_ext'))
    FROM parts AS p WHERE obj_description(p.oid, 'pg_statistic_ext') IS NOT NULL;
END;

-- The extended statistics that read migrated columns.
CREATE OR REPLACE FUNCTION statistics(columns migrated_column[]) RETURNS SETOF object
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'statistics object', format('statistics object %s.%I', s.stxnamespace::regnamespace, s.stxname),
           'pg_statistic_ext'::regclass, s.oid, s.stxrelid, s.stxowner, NULL::integer, s.stxnamespace, s.stxname,
           NULL::smallint[], NULL::oid, NULL, true, NULL::boolean
    FROM pg_statistic_ext AS s
    WHERE EXISTS (SELECT FROM unnest(columns) AS c
                  WHERE s.stxrelid = c.member
                    AND (c.attnum = ANY (s.stxkeys)
                         OR c.attnum IN (SELECT f.attnum
                                         FROM expression_facts('pg_statistic_ext'::regclass, s.oid) AS f)))
      AND NOT reads_other_shadow('pg_statistic_ext'::regclass, s.oid, columns)
    ORDER BY s.stxnamespace::regnamespace, s.stxname;
END;

-- Part of changes_online.
CREATE OR REPLACE FUNCTION statistics_changes_online(m migration) RETURNS SETOF change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT o.kind, o.relation, o.place, shadow_name(o.name),
           (SELECT d FROM statistics_definition(o.objid, '', shadow_name(o.name), o.relation::text, (m).columns) AS d
            WHERE starts_with(d, 'CREATE')), true,
           ARRAY(SELECT step('index', 'none', call_check_again(m)) WHERE names_more(o.classid, o.objid))
           || ARRAY(SELECT step('index', format('SHARE UPDATE EXCLUSIVE on %s', o.relation), d)
                    FROM statistics_definition(o.objid, 'IF NOT EXISTS ', shadow_name(o.name), o.relation::text,
                                               (m).columns) AS d),
           ARRAY[format('DROP STATISTICS %s.%I', o.place::regnamespace, o.name)],
           ARRAY[format('ALTER STATISTICS %s.%I RENAME TO %I', o.place::regnamespace, shadow_name(o.name), o.name)]
    FROM unnest((m).objects) AS o WHERE o.kind = 'statistics object';
END;

-- Part of obstacles_online: the statistics that are to be made again.
CREATE OR REPLACE FUNCTION statistics_obstacles_online(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, o.description || ': you may not change it',
           format('Run ALTER STATISTICS ... OWNER TO %s, and grant that role CREATE on the schema.',
                  t.relowner::regrole)
    FROM unnest((m).columns) AS c, unnest((m).objects) AS o, pg_class AS t
    WHERE o.kind = 'statistics object' AND o.relation = c.member AND t.oid = c.member
      AND (CASE WHEN ((m).choices).trust_owners THEN NOT pg_has_role(o.owner, 'USAGE')
                ELSE o.owner <> t.relowner END OR NOT has_schema_privilege(o.place, 'CREATE'));
END;

-- Part of obstacles_of_type.
CREATE OR REPLACE FUNCTION statistics_obstacles_of_type(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name,
           format('statistics object %s.%I reads the values of column %I in an expression',
                  s.stxnamespace::regnamespace, s.stxname, c.name),
           hint_of_reader()
    FROM unnest((m).columns) AS c, pg_statistic_ext AS s
    WHERE s.stxrelid = c.member AND reads_value('pg_statistic_ext'::regclass, s.oid, c.attnum);
END;

-- Part of changes_offline: the properties of statistics that a rewrite loses.
CREATE OR REPLACE FUNCTION statistics_changes_offline(m migration) RETURNS SETOF change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT recreated(o, '{}', ARRAY[format('ALTER STATISTICS %s.%I SET STATISTICS %s',
                                           o.place::regnamespace, o.name, s.stxstattarget)])
    FROM unnest((m).objects) AS o, pg_statistic_ext AS s
    WHERE o.kind = 'statistics object' AND s.oid = o.objid AND s.stxstattarget >= 0;
END;
