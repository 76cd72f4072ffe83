-- Extended statistics.

-- Statement that creates extended statistics like others, with another name, on a relation and on the shadow columns of
-- those that are migrated.
CREATE OR REPLACE FUNCTION statistics_definition(
    statistics oid, how text, new_name name, relation text, columns migrated_column[]
) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT format('CREATE STATISTICS %s%s.%I%s ON %s FROM %s', how, s.stxnamespace::regnamespace, new_name,
                  (SELECT format(' (%s)', string_agg(CASE k WHEN 'd' THEN 'ndistinct'
                                                            WHEN 'f' THEN 'dependencies'
                                                            WHEN 'm' THEN 'mcv' END, ', '))
                   FROM unnest(s.stxkind) AS k WHERE k <> 'e' HAVING count(*) > 0),
                  concat_ws(', ',
                      (SELECT string_agg(quote_ident(coalesce(c.shadow, a.attname)), ', '
                                         ORDER BY coalesce(c.shadow, a.attname))
                       FROM pg_attribute AS a
                       LEFT JOIN unnest(columns) AS c ON c.member = a.attrelid AND c.attnum = a.attnum
                       WHERE a.attrelid = s.stxrelid AND a.attnum = ANY (s.stxkeys)),
                      (SELECT string_agg(format('(%s)', e), ', ')
                       FROM (SELECT array_agg(u.attnum) AS attnums, array_agg(u.shadow) AS shadows
                             FROM unnest(columns) AS u WHERE u.member = s.stxrelid) AS m,
                            unnest(CASE WHEN m.attnums IS NULL THEN pg_get_statisticsobjdef_expressions(s.oid)
                                        ELSE on_shadows(s.stxexprs, s.stxrelid, m.attnums, m.shadows) END) AS e)),
                  relation)
    FROM pg_statistic_ext AS s WHERE s.oid = statistics);

-- Statements that give extended statistics the target and the owner of others, and the comment if they are new. Of
-- what ALTER TABLE builds again, many versions of PostgreSQL make whoever runs it the owner.
CREATE OR REPLACE FUNCTION statistics_properties(statistics oid, new_statistics text, is_new boolean DEFAULT true)
RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('ALTER STATISTICS %s SET STATISTICS %s', new_statistics, s.stxstattarget)
    FROM pg_statistic_ext AS s WHERE s.oid = statistics AND s.stxstattarget >= 0
    UNION ALL
    SELECT format('ALTER STATISTICS %s OWNER TO %s', new_statistics, s.stxowner::regrole)
    FROM pg_statistic_ext AS s WHERE s.oid = statistics
    UNION ALL
    SELECT format('COMMENT ON STATISTICS %s IS %L', new_statistics, obj_description(statistics, 'pg_statistic_ext'))
    WHERE is_new AND obj_description(statistics, 'pg_statistic_ext') IS NOT NULL;
END;

-- Part of view_statements: statements that create the extended statistics of a materialized view on another.
CREATE OR REPLACE FUNCTION view_statistics(view regclass, new_view text, shadow boolean) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT d.sql
    FROM pg_statistic_ext AS s,
         LATERAL (SELECT CASE WHEN shadow THEN shadow_name(s.stxname) ELSE s.stxname END) AS n (name),
         unnest(statistics_definition(s.oid, '', n.name, new_view, '{}')
                || ARRAY(SELECT statistics_properties(s.oid, format('%s.%I', s.stxnamespace::regnamespace, n.name))))
         WITH ORDINALITY AS d (sql, n)
    WHERE s.stxrelid = view ORDER BY s.stxnamespace::regnamespace::text COLLATE "C", s.stxname, d.n;
END;

-- Part of objects: the extended statistics that read migrated columns.
CREATE OR REPLACE FUNCTION statistics(columns migrated_column[]) RETURNS SETOF object
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'statistics object', format('statistics object %s.%I', s.stxnamespace::regnamespace, s.stxname),
           'pg_statistic_ext'::regclass, s.oid, s.stxrelid, s.stxowner, NULL::integer, s.stxnamespace, s.stxname,
           NULL::smallint[], NULL::oid, NULL, true, NULL::boolean, NULL::boolean
    FROM pg_statistic_ext AS s
    WHERE EXISTS (SELECT FROM unnest(columns) AS c
                  WHERE s.stxrelid = c.member
                    AND (c.attnum = ANY (s.stxkeys)
                         OR c.attnum IN (SELECT f.attnum
                                         FROM expression_facts('pg_statistic_ext'::regclass, s.oid) AS f)))
    ORDER BY s.stxnamespace::regnamespace, s.stxname;
END;

-- Part of changes_online.
CREATE OR REPLACE FUNCTION statistics_changes_online(m migration) RETURNS SETOF change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT o.kind, o.relation, o.place, shadow_name(o.name),
           statistics_definition(o.objid, '', shadow_name(o.name), o.relation::text, (m).columns), true,
           ARRAY(SELECT step('index', 'none', call_check_again(m)) WHERE names_more(o.classid, o.objid))
           || ARRAY(SELECT step('index', format('SHARE UPDATE EXCLUSIVE on %s', o.relation), s)
                    FROM unnest(statistics_definition(o.objid, 'IF NOT EXISTS ', shadow_name(o.name),
                                                      o.relation::text, (m).columns)
                                || ARRAY(SELECT statistics_properties(o.objid, format('%s.%I',
                                             o.place::regnamespace, shadow_name(o.name))))) AS s),
           ARRAY[format('DROP STATISTICS %s.%I', o.place::regnamespace, o.name)],
           ARRAY[format('ALTER STATISTICS %s.%I RENAME TO %I', o.place::regnamespace, shadow_name(o.name), o.name)]
    FROM unnest((m).objects) AS o WHERE o.kind = 'statistics object';
END;

-- Part of obstacles_online: where the statistics are to be made again.
CREATE OR REPLACE FUNCTION statistics_obstacles_online(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT c.root, c.name, format('you may not create statistics in schema %s', o.place::regnamespace),
           'Grant CREATE on the schema.'
    FROM unnest((m).columns) AS c, unnest((m).objects) AS o
    WHERE o.kind = 'statistics object' AND o.relation = c.member AND NOT has_schema_privilege(o.place, 'CREATE');
END;

-- Part of obstacles_of_type.
CREATE OR REPLACE FUNCTION statistics_obstacles_of_type(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name,
           format('statistics object %s.%I reads the values of column %I in an expression',
                  s.stxnamespace::regnamespace, s.stxname, c.name),
           hint_of_reader(m, 'pg_statistic_ext'::regclass, s.oid)
    FROM unnest((m).columns) AS c, pg_statistic_ext AS s
    WHERE s.stxrelid = c.member AND needs_type(m, 'pg_statistic_ext'::regclass, s.oid, c.attnum);
END;

-- Part of changes_offline: the properties of statistics that a rewrite loses.
CREATE OR REPLACE FUNCTION statistics_changes_offline(m migration) RETURNS SETOF change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT recreated(o, '{}', ARRAY(SELECT statistics_properties(
                                               o.objid, format('%s.%I', o.place::regnamespace, o.name), false)))
    FROM unnest((m).objects) AS o WHERE o.kind = 'statistics object';
END;
