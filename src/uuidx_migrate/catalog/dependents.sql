-- What reads the migrated columns, and how it is created again.
--
-- PostgreSQL rebuilds indexes, constraints and statistics by itself. For other objects it refuses to change a column.
-- Most of them keep their identity: a view or a function gets a definition that reads no column, and after the change
-- its own. Others are dropped and created again, with all that belongs to them.

-- Part of dependents: a view whose columns keep their types.
CREATE OR REPLACE FUNCTION recreated_view(rule oid, depth integer) RETURNS SETOF dependent
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('view %s', c.oid::regclass), 'view', c.oid::regclass, c.relowner, depth,
           ARRAY[format('CREATE OR REPLACE VIEW %s AS SELECT %s', c.oid::regclass,
                        (SELECT string_agg(format('NULL::%s%s AS %I', format_type(a.atttypid, a.atttypmod),
                                                  ' COLLATE ' || nullif(a.attcollation, 0)::regcollation, a.attname),
                                           ', ' ORDER BY a.attnum)
                         FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0))],
           NULL,
           ARRAY[format(E'CREATE OR REPLACE VIEW %s%s AS\n%s', c.oid::regclass, ' WITH (' || option_list(c.reloptions) || ')',
                        rtrim(pg_get_viewdef(c.oid), ';'))],
           NULL::boolean, 'pg_rewrite'::regclass, rule
    FROM pg_rewrite AS r, pg_class AS c WHERE c.oid = r.ev_class AND r.oid = rule;
END;

-- Part of dependents: a rule.
CREATE OR REPLACE FUNCTION recreated_rule(rule oid, depth integer) RETURNS SETOF dependent
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT pg_describe_object('pg_rewrite'::regclass, r.oid, 0), 'rule', c.oid::regclass, c.relowner, depth,
           ARRAY[format('CREATE OR REPLACE RULE %I AS ON %s TO %s DO ALSO NOTHING', r.rulename,
                        CASE r.ev_type WHEN '2' THEN 'UPDATE' WHEN '3' THEN 'INSERT' ELSE 'DELETE' END, c.oid::regclass)],
           NULL,
           ARRAY[regexp_replace(rtrim(pg_get_ruledef(r.oid), ';'), '^CREATE RULE', 'CREATE OR REPLACE RULE')],
           NULL::boolean, 'pg_rewrite'::regclass, rule
    FROM pg_rewrite AS r, pg_class AS c WHERE c.oid = r.ev_class AND r.oid = rule;
END;

-- Part of dependents: a function or procedure with a body in standard SQL. The definition that pg_get_functiondef
-- has ends with the body in standard SQL. An empty string as the body is not checked as long as
-- check_function_bodies is off.
CREATE OR REPLACE FUNCTION recreated_function(function oid, depth integer) RETURNS SETOF dependent
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT pg_describe_object('pg_proc'::regclass, p.oid, 0), 'function', NULL::regclass, p.proowner, depth,
           ARRAY[left(d.definition, length(d.definition) - length(pg_get_function_sqlbody(p.oid))) || 'AS '''''],
           NULL, ARRAY[d.definition], NULL::boolean, 'pg_proc'::regclass, function
    FROM pg_proc AS p, LATERAL (SELECT rtrim(pg_get_functiondef(p.oid), E'\n')) AS d (definition)
    WHERE p.oid = function;
END;

-- Part of dependents: a trigger. The clones of a trigger in partitions are dropped and created with it, but each has
-- a state of its own.
CREATE OR REPLACE FUNCTION recreated_trigger(trigger oid, depth integer) RETURNS SETOF dependent
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE clones AS (
        SELECT t.oid, t.tgrelid, t.tgenabled FROM pg_trigger AS t WHERE t.oid = trigger
        UNION ALL
        SELECT t.oid, t.tgrelid, t.tgenabled FROM clones AS c, pg_trigger AS t WHERE t.tgparentid = c.oid
    )
    SELECT pg_describe_object('pg_trigger'::regclass, t.oid, 0), 'trigger', c.oid::regclass, c.relowner, depth,
           ARRAY[format('DROP TRIGGER %I ON %s', t.tgname, c.oid::regclass)],
           NULL,
           array_remove(ARRAY[pg_get_triggerdef(t.oid),
                              format('COMMENT ON TRIGGER %I ON %s IS ', t.tgname, c.oid::regclass)
                              || quote_literal(obj_description(t.oid, 'pg_trigger'))], NULL)
           || ARRAY(SELECT format('ALTER TABLE ONLY %s %s TRIGGER %I', s.tgrelid::regclass,
                                  CASE s.tgenabled WHEN 'O' THEN 'ENABLE' WHEN 'D' THEN 'DISABLE' WHEN 'R' THEN 'ENABLE REPLICA'
                                                   ELSE 'ENABLE ALWAYS' END, t.tgname)
                    FROM clones AS s WHERE s.tgenabled <> 'O' ORDER BY s.tgrelid::regclass::text COLLATE "C"),
           NULL::boolean, 'pg_trigger'::regclass, trigger
    FROM pg_trigger AS t, pg_class AS c WHERE c.oid = t.tgrelid AND t.oid = trigger;
END;

-- Part of dependents: a policy.
CREATE OR REPLACE FUNCTION recreated_policy(policy oid, depth integer) RETURNS SETOF dependent
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT pg_describe_object('pg_policy'::regclass, p.oid, 0), 'policy', c.oid::regclass, c.relowner, depth,
           ARRAY[concat(n.command, CASE WHEN p.polqual IS NOT NULL THEN ' USING (false)' END,
                        CASE WHEN p.polwithcheck IS NOT NULL THEN ' WITH CHECK (false)' END)],
           NULL,
           ARRAY[concat(n.command, ' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')',
                        ' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')],
           NULL::boolean, 'pg_policy'::regclass, policy
    FROM pg_policy AS p, pg_class AS c,
         LATERAL (SELECT format('ALTER POLICY %I ON %s', p.polname, c.oid::regclass)) AS n (command)
    WHERE c.oid = p.polrelid AND p.oid = policy;
END;

-- Statements that create a view like another, or a materialized one without its rows; with the names of shadows, or their
-- own. The code of its owner runs with the owner's rights: it is filled after it has its owner.
CREATE OR REPLACE FUNCTION view_statements(view regclass, shadow boolean) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    schema regnamespace;
    kind text;
    new_view text;
    index record;
BEGIN
    SELECT c.relnamespace, CASE c.relkind WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'VIEW' END,
           format('%s.%I', c.relnamespace::regnamespace, CASE WHEN shadow THEN uuidx_migrate_steps.shadow_name(c.relname) ELSE c.relname END)
    INTO schema, kind, new_view FROM pg_class AS c WHERE c.oid = view;
    RETURN QUERY
        SELECT format(E'CREATE %s %s%s%s%s AS\n%s%s', kind, new_view,
                      ' USING ' || CASE WHEN m.amname <> current_setting('default_table_access_method') THEN quote_ident(m.amname) END,
                      ' WITH (' || uuidx_migrate_steps.option_list(c.reloptions) || ')',
                      CASE WHEN c.relkind = 'm' THEN uuidx_migrate_steps.tablespace_clause(c.reltablespace) END, rtrim(pg_get_viewdef(view), ';'),
                      CASE WHEN c.relkind = 'm' THEN E'\nWITH NO DATA' END)
        FROM pg_class AS c LEFT JOIN pg_am AS m ON m.oid = c.relam
        WHERE c.oid = view;
    RETURN QUERY
        SELECT format('ALTER %s %s OWNER TO %s', kind, new_view, c.relowner::regrole) FROM pg_class AS c WHERE c.oid = view;
    RETURN QUERY
        SELECT g FROM pg_class AS c, LATERAL uuidx_migrate_steps.grant_all(new_view, c.relowner,
            coalesce(c.relacl, CASE WHEN EXISTS (SELECT FROM pg_default_acl) THEN acldefault('r', c.relowner) END)) AS g WHERE c.oid = view;
    RETURN QUERY
        SELECT p FROM pg_attribute AS a, LATERAL (SELECT format('ALTER %s %s', kind, new_view)) AS n (command),
                      LATERAL (SELECT uuidx_migrate_steps.column_storage(view, a.attnum, n.command, a.attname) WHERE kind <> 'VIEW'
                               UNION ALL
                               SELECT uuidx_migrate_steps.column_properties(view, a.attnum, n.command, new_view, a.attname)) AS p (p)
        WHERE a.attrelid = view AND a.attnum > 0 ORDER BY a.attnum;
    RETURN QUERY
        SELECT format('COMMENT ON %s %s IS %L', kind, new_view, obj_description(view, 'pg_class'))
        WHERE obj_description(view, 'pg_class') IS NOT NULL;
    FOR index IN
        SELECT i.indexrelid AS oid, i.indisclustered, CASE WHEN shadow THEN uuidx_migrate_steps.shadow_name(c.relname) ELSE c.relname END AS name
        FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid WHERE i.indrelid = view ORDER BY c.relname
    LOOP
        RETURN NEXT uuidx_migrate_steps.index_definition(index.oid, '', index.name, new_view, '{}');
        RETURN QUERY SELECT uuidx_migrate_steps.index_properties(index.oid, format('%s.%I', schema, index.name));
        RETURN QUERY SELECT format('ALTER MATERIALIZED VIEW %s CLUSTER ON %I', new_view, index.name) WHERE index.indisclustered;
    END LOOP;
    RETURN QUERY
        SELECT d.d FROM pg_statistic_ext AS s,
                      LATERAL uuidx_migrate_steps.statistics_definition(s.oid, '', CASE WHEN shadow THEN uuidx_migrate_steps.shadow_name(s.stxname) ELSE s.stxname END,
                                                                  new_view, '{}') WITH ORDINALITY AS d (d, n)
        WHERE s.stxrelid = view ORDER BY s.stxnamespace::regnamespace::text COLLATE "C", s.stxname, d.n;
END
$$;

-- Part of dependents: a materialized view, or a view whose columns change their types.
CREATE OR REPLACE FUNCTION view_made_anew(rule oid, depth integer) RETURNS SETOF dependent
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('%s %s', k.kind, c.oid::regclass), k.kind, c.oid::regclass, c.relowner, depth,
           ARRAY[format('DROP %s %s', upper(k.kind), c.oid::regclass)], NULL,
           ARRAY(SELECT s FROM view_statements(c.oid, false) WITH ORDINALITY AS s (s, n) ORDER BY n), NULL::boolean, 'pg_rewrite'::regclass, rule
    FROM pg_rewrite AS r, pg_class AS c,
         LATERAL (SELECT CASE c.relkind WHEN 'm' THEN 'materialized view' ELSE 'view' END) AS k (kind)
    WHERE c.oid = r.ev_class AND r.oid = rule;
END;

-- Part of dependents: a generated column. It is dropped, with its indexes and constraints, and added again, at the
-- end of its table.
CREATE OR REPLACE FUNCTION recreated_generated_column(default_ oid, depth integer) RETURNS SETOF dependent
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT pg_describe_object('pg_class'::regclass, c.oid, a.attnum), 'generated column', c.oid::regclass, c.relowner, depth,
           ARRAY[format('ALTER TABLE %s DROP COLUMN %I', c.oid::regclass, a.attname)],
           format('ADD COLUMN %I %s%s GENERATED ALWAYS AS (%s) %s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                  ' COLLATE ' || nullif(nullif(a.attcollation, 0), t.typcollation)::regcollation, pg_get_expr(d.adbin, d.adrelid),
                  CASE a.attgenerated WHEN 's' THEN 'STORED' ELSE 'VIRTUAL' END, CASE WHEN a.attnotnull THEN ' NOT NULL' END),
           ARRAY(SELECT column_storage(c.oid, a.attnum, n.command, a.attname))
           || ARRAY(SELECT column_properties(c.oid, a.attnum, n.command, c.oid::regclass::text, a.attname))
           || ARRAY(SELECT s.sql
                    FROM pg_index AS i,
                         unnest(rtrim(pg_get_indexdef(i.indexrelid))
                                || ARRAY(SELECT index_properties(i.indexrelid, i.indexrelid::regclass::text))) WITH ORDINALITY AS s (sql, n)
                    WHERE i.indexrelid IN (SELECT x.objid FROM pg_depend AS x WHERE (x.classid, x.refclassid, x.refobjid, x.refobjsubid)
                                                                                  = ('pg_class'::regclass, 'pg_class'::regclass, c.oid, a.attnum))
                    ORDER BY i.indexrelid::regclass::text COLLATE "C", s.n)
           || ARRAY(SELECT s.sql
                    FROM pg_constraint AS k,
                         unnest(ARRAY[format('%s ADD CONSTRAINT %I %s', n.command, k.conname, pg_get_constraintdef(k.oid)),
                                      format('COMMENT ON CONSTRAINT %I ON %s IS ', k.conname, c.oid::regclass)
                                      || quote_literal(obj_description(k.oid, 'pg_constraint'))])
                         WITH ORDINALITY AS s (sql, n)
                    WHERE s.sql IS NOT NULL AND k.contype <> 'n'
                      AND k.oid IN (SELECT x.objid FROM pg_depend AS x WHERE (x.classid, x.refclassid, x.refobjid, x.refobjsubid)
                                                                           = ('pg_constraint'::regclass, 'pg_class'::regclass, c.oid, a.attnum))
                    ORDER BY k.conname, s.n)
           || ARRAY(SELECT s
                    FROM pg_statistic_ext AS e,
                         LATERAL statistics_definition(e.oid, '', e.stxname, c.oid::regclass::text, '{}')
                         WITH ORDINALITY AS s (s, n)
                    WHERE e.oid IN (SELECT x.objid FROM pg_depend AS x WHERE (x.classid, x.refclassid, x.refobjid, x.refobjsubid)
                                                                           = ('pg_statistic_ext'::regclass, 'pg_class'::regclass, c.oid, a.attnum))
                    ORDER BY e.stxnamespace::regnamespace::text COLLATE "C", e.stxname, s.n),
           NULL::boolean, 'pg_attrdef'::regclass, default_
    FROM pg_attrdef AS d, pg_attribute AS a, pg_type AS t, pg_class AS c,
         LATERAL (SELECT format('ALTER TABLE %s', c.oid::regclass)) AS n (command)
    WHERE a.attrelid = d.adrelid AND a.attnum = d.adnum AND t.oid = a.atttypid AND c.oid = d.adrelid
      AND d.oid = default_;
END;

-- What an object that readers has is called: a view is not its rule, nor a generated column its expression.
CREATE OR REPLACE FUNCTION reader_description(classid oid, objid oid, objsubid integer DEFAULT 0) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN coalesce((SELECT pg_describe_object('pg_class'::regclass, w.ev_class, 0) FROM pg_rewrite AS w
                 WHERE classid = 'pg_rewrite'::regclass AND w.oid = objid AND w.rulename = '_RETURN'),
                (SELECT pg_describe_object('pg_class'::regclass, d.adrelid, d.adnum) FROM pg_attrdef AS d
                 WHERE classid = 'pg_attrdef'::regclass AND d.oid = objid),
                pg_describe_object(classid, objid, objsubid));

-- The objects that depend on migrated columns, and how many views that are dropped are between them: materialized ones and,
-- where columns change their types, others. What reads one of these or a generated column that is created again is created
-- again too.
CREATE OR REPLACE FUNCTION readers(columns migrated_column[], changes_type boolean) RETURNS TABLE (classid oid, objid oid, depth integer)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE read (relation, attnum, depth) AS (
        SELECT c.member::oid, c.attnum, 0 FROM unnest(columns) AS c
        UNION
        SELECT n.relation, n.attnum, r.depth + n.step
        FROM read AS r, pg_depend AS d, LATERAL (
            SELECT w.ev_class, NULL::smallint, 1 FROM pg_rewrite AS w, pg_class AS v
            WHERE v.oid = w.ev_class AND d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
              AND (v.relkind = 'm' OR readers.changes_type AND v.relkind = 'v') AND v.oid <> r.relation
            UNION ALL
            SELECT e.adrelid, e.adnum, 0 FROM pg_attrdef AS e, pg_attribute AS g
            WHERE g.attrelid = e.adrelid AND g.attnum = e.adnum AND d.classid = 'pg_attrdef'::regclass
              AND e.oid = d.objid AND g.attgenerated <> ''
            UNION ALL
            SELECT g.attrelid, g.attnum, 0 FROM pg_attribute AS g
            WHERE d.classid = 'pg_class'::regclass AND (g.attrelid, g.attnum) = (d.objid, d.objsubid) AND g.attgenerated <> ''
        ) AS n (relation, attnum, step)
        WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = r.relation
          AND d.refobjsubid = coalesce(r.attnum, d.refobjsubid)
    )
    SELECT CASE WHEN e.oid IS NULL THEN d.classid ELSE 'pg_attrdef'::regclass END, coalesce(e.oid, d.objid), max(r.depth)
    FROM read AS r,
         -- Up to PostgreSQL 14, it is the generated column that depends on others, and not its pg_attrdef.
         pg_depend AS d LEFT JOIN pg_attrdef AS e
         ON d.classid = 'pg_class'::regclass AND (e.adrelid, e.adnum) = (d.objid, d.objsubid)
    WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = r.relation
      AND d.refobjsubid = coalesce(r.attnum, d.refobjsubid) AND (r.attnum IS NOT NULL OR d.deptype = 'n')
      AND NOT EXISTS (SELECT FROM pg_rewrite AS w
                      WHERE d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid AND w.ev_class = r.relation
                        AND w.rulename = '_RETURN')
    GROUP BY 1, 2;
END;

-- The objects that read migrated columns and are created again, in the order in which they are.
CREATE OR REPLACE FUNCTION dependents(columns migrated_column[], changes_type boolean) RETURNS SETOF dependent
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH readers AS MATERIALIZED (SELECT r.* FROM readers(columns, dependents.changes_type) AS r),
    anew AS (
        SELECT v.*
        FROM readers AS r, pg_rewrite AS w, pg_class AS c, LATERAL recreated_view(w.oid, r.depth) AS v
        WHERE w.oid = r.objid AND c.oid = w.ev_class AND r.classid = 'pg_rewrite'::regclass
          AND w.rulename = '_RETURN' AND c.relkind = 'v' AND NOT dependents.changes_type
        UNION ALL
        SELECT v.*
        FROM readers AS r, pg_rewrite AS w, pg_class AS c, LATERAL view_made_anew(w.oid, r.depth) AS v
        WHERE w.oid = r.objid AND c.oid = w.ev_class AND r.classid = 'pg_rewrite'::regclass
          AND w.rulename = '_RETURN' AND (c.relkind = 'm' OR dependents.changes_type)
          AND NOT (c.relkind = 'm' AND reads_other_shadow(r.classid, r.objid, columns))
        UNION ALL
        SELECT u.*
        FROM readers AS r, pg_rewrite AS w, LATERAL recreated_rule(w.oid, r.depth) AS u
        WHERE w.oid = r.objid AND r.classid = 'pg_rewrite'::regclass AND w.rulename <> '_RETURN'
        UNION ALL
        SELECT f.* FROM readers AS r, LATERAL recreated_function(r.objid, r.depth) AS f WHERE r.classid = 'pg_proc'::regclass
        UNION ALL
        SELECT n.*
        FROM readers AS r, pg_trigger AS t, LATERAL recreated_trigger(t.oid, r.depth) AS n
        WHERE t.oid = r.objid AND r.classid = 'pg_trigger'::regclass AND NOT t.tgisinternal AND t.tgparentid = 0
          AND NOT is_own_trigger(t.tgfoid)
        UNION ALL
        SELECT p.* FROM readers AS r, LATERAL recreated_policy(r.objid, r.depth) AS p WHERE r.classid = 'pg_policy'::regclass
        UNION ALL
        SELECT g.*
        FROM readers AS r, pg_attrdef AS d, pg_attribute AS a, pg_class AS c,
             LATERAL recreated_generated_column(d.oid, r.depth) AS g
        WHERE d.oid = r.objid AND a.attrelid = d.adrelid AND a.attnum = d.adnum AND c.oid = d.adrelid
          AND r.classid = 'pg_attrdef'::regclass AND a.attgenerated <> '' AND NOT c.relispartition
    )
    SELECT a.description, a.kind, a.relation, a.owner, a.depth, a.detach, a.clause,
           -- What two generated columns have in common comes after both.
           ARRAY(SELECT s FROM unnest(a.restore) WITH ORDINALITY AS r (s, n)
                 WHERE NOT EXISTS (SELECT FROM anew AS o WHERE o.kind = 'generated column' AND o.relation = a.relation AND s = ANY (o.restore)
                                                           AND (o.depth, o.description COLLATE "C") > (a.depth, a.description COLLATE "C"))
                 ORDER BY n),
           EXISTS (SELECT FROM pg_depend AS d WHERE (d.classid, d.objid, d.refclassid) = (a.classid, a.objid, 'pg_constraint'::regclass)),
           a.classid, a.objid
    FROM anew AS a
    ORDER BY a.depth, a.kind = 'materialized view', a.description COLLATE "C";
END;

-- What an object depends on, one of its columns if there is objsubid. A literal of a type is also read with the attributes
-- and constraints of that type. Not STRICT, so that the planner inlines it.
CREATE OR REPLACE FUNCTION references_of(classid oid, objid oid, objsubid integer)
RETURNS TABLE (refclassid oid, refobjid oid, refobjsubid integer)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT d.refclassid, d.refobjid, d.refobjsubid
    FROM pg_depend AS d
    WHERE (d.classid, d.objid) = (references_of.classid, references_of.objid)
      AND d.objsubid = coalesce(references_of.objsubid, d.objsubid)
    UNION ALL
    SELECT 'pg_class'::regclass, t.typrelid, 0
    FROM pg_type AS t
    WHERE references_of.classid = 'pg_type'::regclass AND t.oid = references_of.objid AND t.typtype = 'c'
    UNION ALL
    SELECT 'pg_constraint'::regclass, k.oid, 0
    FROM pg_constraint AS k
    WHERE references_of.classid = 'pg_type'::regclass AND k.contypid = references_of.objid;
END;

-- Whether the query of a view or materialized view runs functions of others than its owner and superusers, also through
-- views and types.
CREATE OR REPLACE FUNCTION runs_others(view oid) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE run (classid, objid) AS (
        SELECT 'pg_class'::regclass::oid, runs_others.view
        UNION
        SELECT d.refclassid, d.refobjid
        FROM run AS r, LATERAL (
            SELECT r.classid, r.objid
            WHERE r.classid IN ('pg_type'::regclass, 'pg_constraint'::regclass, 'pg_operator'::regclass)
            UNION ALL
            SELECT 'pg_rewrite'::regclass, w.oid
            FROM pg_rewrite AS w, pg_class AS c
            WHERE c.oid = w.ev_class AND r.classid = 'pg_class'::regclass AND c.oid = r.objid
              AND w.rulename = '_RETURN' AND (c.relkind = 'v' OR c.oid = runs_others.view)) AS o (classid, objid),
             LATERAL references_of(o.classid, o.objid, NULL) AS d
    )
    SELECT coalesce(bool_or(NOT is_safe_with(p.proowner, c.relowner)), false)
    FROM run AS r, pg_proc AS p, pg_class AS c
    WHERE r.classid = 'pg_proc'::regclass AND p.oid = r.objid AND c.oid = runs_others.view;
END;

-- The materialized views that read migrated columns, directly or through views, in the order in which they are to be
-- refreshed; and whether that can be done concurrently. Their rows are those of before until they are refreshed. So are
-- those of the twin of one that reads a view of the columns, too, or calls a function that may read them.
CREATE OR REPLACE FUNCTION stale_matviews(
    columns migrated_column[], OUT matview regclass, OUT is_unique boolean, OUT populated boolean, OUT reads_more boolean,
    OUT is_own boolean, OUT runs_others boolean
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE read (relation, attnum, depth) AS (
        SELECT c.member::oid, c.attnum, 0 FROM unnest(columns) AS c
        UNION
        SELECT v.oid, NULL, r.depth + 1
        FROM read AS r, pg_depend AS d, pg_rewrite AS w, pg_class AS v
        WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = r.relation
          AND d.refobjsubid IN (coalesce(r.attnum, d.refobjsubid), 0) AND d.classid = 'pg_rewrite'::regclass
          AND w.oid = d.objid AND v.oid = w.ev_class AND v.oid <> r.relation AND w.rulename = '_RETURN'
    )
    SELECT c.oid::regclass, c.relispopulated
           AND EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL),
           c.relispopulated,
           max(r.depth) > 1
           OR EXISTS (SELECT FROM pg_rewrite AS w, LATERAL expression_facts('pg_rewrite'::regclass, w.oid) AS f,
                                  pg_proc AS p
                      WHERE p.oid = f.object AND w.ev_class = c.oid AND f.fact = 'function' AND p.provolatile <> 'i'
                        AND p.oid >= 16384),
           c.relowner = (SELECT t.relowner FROM pg_class AS t WHERE t.oid = (columns[1]).member),
           runs_others(c.oid)
    FROM read AS r, pg_class AS c
    WHERE c.oid = r.relation AND c.relkind = 'm'
    GROUP BY c.oid
    ORDER BY max(r.depth), c.oid::regclass::text COLLATE "C";
END;
