-- What reads the migrated columns, and is created again.
--
-- PostgreSQL rebuilds indexes, constraints and statistics by itself. For other objects it refuses to change a column.
-- Most of them keep their identity: a view or a function gets a definition that reads no column, and after the change
-- its own. Others are dropped and created again, with all that belongs to them.

-- What an object that readers has is called: a view is not its rule, nor a generated column its expression.
CREATE OR REPLACE FUNCTION reader_description(classid oid, objid oid, objsubid integer DEFAULT 0) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN coalesce((SELECT pg_describe_object('pg_class'::regclass, w.ev_class, 0) FROM pg_rewrite AS w
                 WHERE classid = 'pg_rewrite'::regclass AND w.oid = objid AND w.rulename = '_RETURN'),
                (SELECT pg_describe_object('pg_class'::regclass, d.adrelid, d.adnum) FROM pg_attrdef AS d
                 WHERE classid = 'pg_attrdef'::regclass AND d.oid = objid),
                pg_describe_object(classid, objid, objsubid));

-- The objects that depend on migrated columns, and how many views that are dropped are between them: materialized ones
-- and, if so, others. What reads one of these or a generated column that is created again is created again too. Views
-- that read each other in a circle would never end: no other chain has more of them than there are rules.
CREATE OR REPLACE FUNCTION readers(columns migrated_column[], with_views boolean)
RETURNS TABLE (classid oid, objid oid, depth integer)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        WITH RECURSIVE read (relation, attnum, depth) AS (
            SELECT c.member::oid, c.attnum::integer, 0 FROM unnest(columns) AS c
            UNION
            SELECT n.relation, n.attnum, r.depth + n.step
            FROM read AS r,
                 LATERAL uuidx_migrate_steps.dependents_of('pg_class'::regclass::oid, r.relation, r.attnum)
                 AS d, LATERAL (
                SELECT v.oid, NULL::integer, 1 FROM pg_class AS v
                WHERE v.oid = d.view AND (v.relkind = 'm' OR readers.with_views) AND v.oid <> r.relation
                UNION ALL
                SELECT e.adrelid, e.adnum, 0 FROM pg_attrdef AS e, pg_attribute AS g
                WHERE d.classid = 'pg_attrdef'::regclass AND e.oid = d.objid
                  AND (g.attrelid, g.attnum) = (e.adrelid, e.adnum) AND g.attgenerated <> ''
            ) AS n (relation, attnum, step)
            WHERE r.depth < (SELECT count(*) FROM pg_rewrite)
        )
        SELECT d.classid, d.objid, max(r.depth)
        FROM read AS r,
             LATERAL uuidx_migrate_steps.dependents_of('pg_class'::regclass::oid, r.relation, r.attnum) AS d
        WHERE (r.attnum IS NOT NULL OR d.deptype = 'n') AND d.view IS DISTINCT FROM r.relation
        GROUP BY 1, 2;
END
$$;

-- The objects that read migrated columns and are created again, in the order in which they are.
CREATE OR REPLACE FUNCTION dependents(columns migrated_column[], with_views boolean) RETURNS SETOF object
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        SELECT o.kind, n.description, r.classid, r.objid, o.relation::regclass,
               o.owner, r.depth, NULL::oid, NULL::name, NULL::smallint[], NULL::oid, NULL::text, NULL::boolean,
               EXISTS (SELECT FROM uuidx_migrate_steps.references_of(r.classid, r.objid, NULL::integer) AS k
                       WHERE k.refclassid = 'pg_constraint'::regclass),
               o.kind = 'materialized view' OR o.kind = 'view' AND dependents.with_views
        FROM uuidx_migrate_steps.readers(columns, dependents.with_views) AS r, LATERAL (
            SELECT CASE WHEN w.rulename <> '_RETURN' THEN 'rule'
                        WHEN c.relkind = 'm' THEN 'materialized view'
                        ELSE 'view' END, c.oid, c.relowner
            FROM pg_rewrite AS w, pg_class AS c
            WHERE r.classid = 'pg_rewrite'::regclass AND w.oid = r.objid AND c.oid = w.ev_class
              AND NOT (c.relkind = 'm' AND uuidx_migrate_steps.reads_other_shadow(r.classid, r.objid, columns))
            UNION ALL
            SELECT 'function', NULL, p.proowner
            FROM pg_proc AS p WHERE r.classid = 'pg_proc'::regclass AND p.oid = r.objid
            UNION ALL
            SELECT 'trigger', c.oid, c.relowner
            FROM pg_trigger AS t, pg_class AS c
            WHERE r.classid = 'pg_trigger'::regclass AND t.oid = r.objid AND c.oid = t.tgrelid
              AND NOT t.tgisinternal AND t.tgparentid = 0 AND NOT uuidx_migrate_steps.is_own_trigger(t.tgfoid)
            UNION ALL
            SELECT 'policy', c.oid, c.relowner
            FROM pg_policy AS p, pg_class AS c
            WHERE r.classid = 'pg_policy'::regclass AND p.oid = r.objid AND c.oid = p.polrelid
            UNION ALL
            SELECT 'generated column', c.oid, c.relowner
            FROM pg_attrdef AS d, pg_attribute AS a, pg_class AS c
            WHERE r.classid = 'pg_attrdef'::regclass AND d.oid = r.objid
              AND (a.attrelid, a.attnum) = (d.adrelid, d.adnum)
              AND c.oid = d.adrelid AND a.attgenerated <> '' AND NOT c.relispartition
        ) AS o (kind, relation, owner),
             LATERAL uuidx_migrate_steps.reader_description(r.classid, r.objid, 0) AS n (description)
        ORDER BY r.depth, o.kind = 'materialized view', n.description COLLATE "C";
END
$$;

-- Views, functions and the like that name columns by position, or return rows of a table. PostgreSQL writes such
-- definitions by the position of columns, and a column changes its place.
CREATE OR REPLACE FUNCTION positional_readers(m migration) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH tables AS MATERIALIZED (
        SELECT DISTINCT t.oid, t.reltype FROM unnest((m).columns) AS c, pg_class AS t WHERE t.oid = c.member
    ),
    readers (classid, objid) AS (
        SELECT d.classid, d.objid FROM unnest((m).dependents) AS d
        UNION
        SELECT d.classid, d.objid
        FROM tables AS t, LATERAL dependents_of_rows(t.oid) AS d WHERE d.classid = 'pg_proc'::regclass
        UNION
        -- Up to PostgreSQL 14, what reads the rows that a function returns depends on the function alone.
        SELECT d.classid, d.objid
        FROM tables AS t, pg_proc AS p, LATERAL dependents_of('pg_proc'::regclass, p.oid, NULL) AS d
        WHERE p.prorettype = t.reltype
    )
    SELECT reader_description(r.classid, r.objid)
    FROM readers AS r, LATERAL expression_facts(r.classid, r.objid) AS f, tables AS t
    WHERE t.oid = f.relation AND f.fact = 'position'
      AND r.classid IN ('pg_rewrite'::regclass, 'pg_proc'::regclass, 'pg_policy'::regclass)
    UNION
    SELECT pg_describe_object('pg_proc'::regclass, p.oid, 0)
    FROM tables AS t, pg_proc AS p WHERE p.prorettype = t.reltype AND p.prosqlbody IS NOT NULL;
END;

-- Part of reader_obstacles_of_type: dependents that do more with the values of migrated columns than pass them on, and
-- what they compare them with. What a view passes on is a column whose type changes, too.
CREATE OR REPLACE FUNCTION dependents_that_need_type(m migration) RETURNS TABLE (dependent object, compared text[])
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    relations oid[];
    columns smallint[];
    passed smallint[];
BEGIN
    SELECT array_agg(c.member), array_agg(c.attnum) INTO relations, columns FROM unnest(m.columns) AS c;
    FOREACH dependent IN ARRAY m.dependents LOOP
        -- It gets its columns in UPDATE OF again; trigger_obstacles_of_type looks at its WHEN.
        CONTINUE WHEN dependent.kind = 'trigger';
        passed := CASE WHEN dependent.kind <> 'generated column'
                       THEN uuidx_migrate_steps.passed_columns(dependent.classid, dependent.objid, relations,
                                                               columns) END;
        IF dependent.kind = 'rule' THEN
            passed := passed[1:0]; -- What it returns is no column of its table.
        END IF;
        IF passed IS NULL
           OR EXISTS (SELECT FROM unnest(passed) AS p
                      WHERE uuidx_migrate_steps.matview_needs_type(dependent.relation, p,
                                                                   (m.conversion).new_types[1])) THEN
            compared := ARRAY(SELECT c
                              FROM uuidx_migrate_steps.columns_left_out(m, dependent.classid, dependent.objid,
                                                                        relations, columns) AS c);
            RETURN NEXT;
        ELSE
            relations := relations || array_fill(dependent.relation::oid, ARRAY[cardinality(passed)]);
            columns := columns || passed;
        END IF;
    END LOOP;
END
$$;

-- Part of obstacles: what is of none of the kinds that PostgreSQL rebuilds or a script makes again, such as a property
-- graph.
CREATE OR REPLACE FUNCTION reader_obstacles(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name, pg_describe_object(d.classid, d.objid, d.objsubid) || ' depends on the column',
           'Drop it, and create it again afterwards.'
    FROM unnest((m).columns) AS c, LATERAL dependents_of('pg_class'::regclass, c.member, c.attnum) AS d
    WHERE d.classid NOT IN ('pg_class'::regclass, 'pg_attrdef'::regclass, 'pg_constraint'::regclass,
                            'pg_statistic_ext'::regclass, 'pg_rewrite'::regclass, 'pg_proc'::regclass,
                            'pg_trigger'::regclass, 'pg_policy'::regclass, 'pg_publication_rel'::regclass);
END;

-- Part of obstacles_online: what reads the columns in a way in which it cannot be created again in a cutover.
CREATE OR REPLACE FUNCTION reader_obstacles_online(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT (m).relation, (m).column_name, p || ' uses columns by position, or has ON CONFLICT DO UPDATE',
           'Drop it, and create it again afterwards, or use the offline mode.'
    FROM positional_readers(m) AS p
    UNION ALL
    SELECT c.root, c.name, pg_describe_object(d.classid, d.objid, d.objsubid) || ' depends on the column',
           'Remove the dependency.'
    FROM unnest((m).columns) AS c, LATERAL dependents_of('pg_class'::regclass, c.member, c.attnum) AS d, pg_class AS x
    WHERE d.classid = 'pg_class'::regclass AND x.oid = d.objid AND x.relkind NOT IN ('i', 'I')
      AND NOT (x.relkind = 'S' AND is_key(m, c) AND ((m).conversion).keeps_former);
END;

-- Part of obstacles_of_type: whether to name more columns in also is enough shows a migration that has these too. In
-- it, more views may only pass keys on, and compare them with still other columns.
CREATE OR REPLACE FUNCTION reader_obstacles_of_type(m migration) RETURNS SETOF obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    wider uuidx_migrate_steps.migration := m;
    named text[] := '{}';
    needing oid[];
    compared text[];
BEGIN
    LOOP
        SELECT array_agg((n.dependent).objid), array_agg(c) FILTER (WHERE c IS NOT NULL) INTO needing, compared
        FROM uuidx_migrate_steps.dependents_that_need_type(wider) AS n
             LEFT JOIN LATERAL unnest(n.compared) AS c ON true;
        EXIT WHEN compared IS NULL;
        named := named || compared;
        wider.columns := ARRAY(SELECT c FROM uuidx_migrate_steps.migrated_columns(
                                                 m.relation, m.column_name, (m.choices).also || named) AS c);
        wider.dependents := ARRAY(SELECT d FROM uuidx_migrate_steps.dependents(wider.columns, true) AS d);
    END LOOP;
    RETURN QUERY
        SELECT m.relation, m.column_name,
               CASE WHEN d.kind = 'generated column' THEN d.description || ' reads a column whose type changes'
                    WHEN d.objid = ANY (coalesce(needing, '{}'))
                    THEN d.description || ' does more with a column whose type changes than return, compare or '
                                          'count its values'
                    ELSE concat(d.description, ' compares a column whose type changes with ',
                                coalesce(nullif(array_to_string(n.compared, ', '), ''), 'others')) END,
               CASE WHEN d.kind = 'generated column'
                    THEN 'Copy its values to another column if you need them, drop it, '
                         'and add it for the new type afterwards.'
                    WHEN NOT d.objid = ANY (coalesce(needing, '{}'))
                    THEN format('Pass %s, if the columns hold nothing but keys of %s.',
                                uuidx_migrate_steps.with_also(m, named), m.relation)
                    ELSE concat(uuidx_migrate_steps.drop_hint(d.classid, d.objid, 'for the new type'),
                                CASE WHEN d.kind = 'function'
                                     THEN ' One with its body in a string is not in the way.' END) END
        FROM uuidx_migrate_steps.dependents_that_need_type(m) AS n,
             LATERAL (SELECT (n.dependent).*) AS d;
END
$$;

-- Part of remarks: what has UUIDs of its own, and what compares columns with others that stay as they are, or with what
-- is in no column.
CREATE OR REPLACE FUNCTION reader_remarks(m migration) RETURNS TABLE (root regclass, column_name name, remark text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT (m).relation, (m).column_name, format('%s has the UUID %L, which is not converted', o.description, f.value)
    FROM (SELECT r.classid, r.objid, reader_description(r.classid, r.objid) FROM readers((m).columns, false) AS r
          WHERE r.classid IN ('pg_rewrite'::regclass, 'pg_proc'::regclass,
                              'pg_policy'::regclass, 'pg_attrdef'::regclass)
             OR r.classid = 'pg_trigger'::regclass
                AND EXISTS (SELECT FROM pg_trigger AS t WHERE t.oid = r.objid AND t.tgparentid = 0)
          UNION ALL
          SELECT i.classid, i.objid, reader_description(i.classid, i.objid)
          FROM unnest((m).objects) AS i WHERE i.kind = 'index')
         AS o (classid, objid, description),
         LATERAL expression_facts(o.classid, o.objid) AS f
    WHERE f.fact = 'uuid' AND uuid_version(f.value) = ((m).conversion).version
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('%s compares a migrated column with %s: with %s, that is migrated too', d.description,
                  string_agg(o, ', ' ORDER BY o COLLATE "C"), with_also(m, array_agg(o)))
    FROM (SELECT array_agg(c.member::oid), array_agg(c.attnum) FROM unnest((m).columns) AS c) AS c (relations, columns),
         unnest((m).dependents) AS d,
         LATERAL columns_left_out(m, d.classid, d.objid, c.relations, c.columns) AS o
    WHERE d.kind <> 'trigger' AND NOT ((m).conversion).changes_type
    GROUP BY d.description
    UNION ALL
    -- For one, a setting of the session
    SELECT (m).relation, (m).column_name,
           format('%s calls %s: where that is a former key, it finds no row afterwards', d.description,
                  string_agg(DISTINCT p.oid::regprocedure::text COLLATE "C", ', '))
    FROM unnest((m).dependents) AS d, LATERAL expression_facts(d.classid, d.objid) AS f, pg_proc AS p, pg_type AS t
    WHERE d.kind = 'policy' AND f.fact = 'function' AND p.oid = f.object AND p.provolatile <> 'i'
      AND t.oid = p.prorettype AND t.typcategory NOT IN ('B', 'D') -- boolean, date and time
    GROUP BY d.description;
END;
