-- Materialized views. Their rows are those of before until they are refreshed.

-- Part of stale_matviews: whether the query of a view or materialized view runs functions of others than its owner and
-- superusers, also through views and types.
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

-- The materialized views that read migrated columns, also as a row, and also through views, in the order in which they
-- are to be refreshed; and whether that can be done concurrently. Their rows are those of before until they are
-- refreshed. So are those of the twin of one that reads a view of the columns, too, or calls a function that may read
-- them.
CREATE OR REPLACE FUNCTION stale_matviews(
    columns migrated_column[],
    OUT matview regclass, OUT is_unique boolean, OUT populated boolean, OUT reads_more boolean, OUT is_own boolean,
    OUT runs_others boolean
) RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    rows uuidx_migrate_steps.migrated_column[] := ARRAY(
        SELECT ROW(c.root, c.member, c.level, 0, c.name, c.shadow, c.is_connected, c.type)
               ::uuidx_migrate_steps.migrated_column FROM unnest(columns) AS c);
BEGIN
    RETURN QUERY
        SELECT c.oid::regclass, c.relispopulated
               AND EXISTS (SELECT FROM pg_index AS i
                           WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid
                             AND i.indpred IS NULL AND i.indexprs IS NULL),
               c.relispopulated,
               r.depth > 0
               OR EXISTS (SELECT
                          FROM uuidx_migrate_steps.expression_facts(r.classid, r.objid) AS f, pg_proc AS p
                          WHERE p.oid = f.object AND f.fact = 'function' AND p.provolatile <> 'i' AND p.oid >= 16384),
               c.relowner = (SELECT t.relowner FROM pg_class AS t WHERE t.oid = (columns[1]).member),
               uuidx_migrate_steps.runs_others(c.oid)
        FROM uuidx_migrate_steps.readers(columns || rows, true) AS r,
             -- With OFFSET, an index finds it, however many rows the planner expects.
             LATERAL (SELECT v.oid, v.relispopulated, v.relowner FROM pg_rewrite AS w, pg_class AS v
                      WHERE r.classid = 'pg_rewrite'::regclass AND w.oid = r.objid AND w.rulename = '_RETURN'
                        AND v.oid = w.ev_class AND v.relkind = 'm' OFFSET 0) AS c
        ORDER BY r.depth, c.oid::regclass::text COLLATE "C";
END
$$;

-- The materialized views that a script refreshes: those of the owner that run nothing of others.
CREATE OR REPLACE FUNCTION refreshed_matviews(m migration)
RETURNS TABLE (matview regclass, is_unique boolean, reads_more boolean)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT v.matview, v.is_unique, v.reads_more
    FROM stale_matviews((m).columns) AS v
    WHERE v.populated AND v.is_own AND (NOT v.runs_others OR ((m).choices).trust_owners);
END;

-- Statements that refresh materialized views: their queries find names as in the session.
CREATE OR REPLACE FUNCTION refresh_statements(views text[]) RETURNS text[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN 'SELECT uuidx_migrate_steps.reset_definition_settings(true)'::text
    || ARRAY(SELECT 'REFRESH MATERIALIZED VIEW ' || v FROM unnest(views) AS v)
    || 'SELECT uuidx_migrate_steps.set_definition_settings(true)'::text;

-- Part of after_steps: what no twin stands for, or not with the rows of after the cutover.
CREATE OR REPLACE FUNCTION matview_steps_after(m migration) RETURNS SETOF statement
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'after', format(CASE WHEN v.is_unique THEN 'EXCLUSIVE on %s' ELSE 'ACCESS EXCLUSIVE on %s' END, v.matview),
           format(CASE WHEN v.is_unique THEN 'REFRESH MATERIALIZED VIEW CONCURRENTLY %s'
                       ELSE 'REFRESH MATERIALIZED VIEW %s' END, v.matview)
    FROM refreshed_matviews(m) AS v
    WHERE (v.reads_more OR NOT EXISTS (SELECT FROM unnest((m).dependents) AS d WHERE d.relation = v.matview))
      AND NOT is_cut_over(m);
END;

-- Part of changes_online: materialized views, with their indexes and statistics. A definition is bound to the numbers
-- of columns. While the names are swapped, for a moment, its own text makes it one on the shadow columns.
CREATE OR REPLACE FUNCTION matview_changes_online(m migration) RETURNS SETOF change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH views AS MATERIALIZED (
        SELECT d.relation, c.relnamespace, c.relname, c.relispopulated,
               format('%s.%I', c.relnamespace::regnamespace, shadow_name(c.relname)) AS twin
        FROM unnest((m).dependents) AS d, pg_class AS c WHERE c.oid = d.relation AND d.kind = 'materialized view'
    )
    SELECT 'materialized view', v.relation, v.relnamespace, shadow_name(v.relname), NULL, v.relispopulated,
           step('index', 'ACCESS EXCLUSIVE on all tables, briefly',
                call_locked(m, tables(m), is_before_cutover(m, tables(m)),
                            format('DROP MATERIALIZED VIEW IF EXISTS %s', v.twin) || cutover_names(m)
                            || ARRAY(SELECT view_statements(v.relation, true))
                            || cutover_names(m), call_check_again(m)))
           || ARRAY(SELECT step('index', format('ACCESS EXCLUSIVE on %s', v.twin),
                                call_locked(m, '{}', is_before_cutover(m, tables(m)), refresh_statements(ARRAY[v.twin]),
                                            call_check_again(m)))
                    WHERE v.relispopulated),
           ARRAY[format('DROP MATERIALIZED VIEW %s', v.relation)],
           ARRAY[format('ALTER MATERIALIZED VIEW %s RENAME TO %I', v.twin, v.relname)]
    FROM views AS v
    UNION ALL
    SELECT 'index', v.relation, x.relnamespace, shadow_name(x.relname), NULL, true, '{}', '{}',
           ARRAY[format('ALTER INDEX %s.%I RENAME TO %I',
                        x.relnamespace::regnamespace, shadow_name(x.relname), x.relname)]
    FROM views AS v, pg_index AS i, pg_class AS x WHERE i.indrelid = v.relation AND x.oid = i.indexrelid
    UNION ALL
    SELECT 'statistics object', v.relation, s.stxnamespace, shadow_name(s.stxname), NULL, true, '{}', '{}',
           ARRAY[format('ALTER STATISTICS %s.%I RENAME TO %I',
                        s.stxnamespace::regnamespace, shadow_name(s.stxname), s.stxname)]
    FROM views AS v, pg_statistic_ext AS s WHERE s.stxrelid = v.relation
    ORDER BY 1 DESC, 4;
END;

-- Part of dependents_that_need_type: whether an index or statistics of a materialized view need the type of one of its
-- columns: an expression reads its values, or there is no default operator class for the new type.
CREATE OR REPLACE FUNCTION matview_needs_type(view regclass, attnum smallint, new_type regtype) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT EXISTS (SELECT FROM pg_statistic_ext AS s
                   WHERE s.stxrelid = view
                     AND reads_value('pg_statistic_ext'::regclass, s.oid, matview_needs_type.attnum))
        OR EXISTS (SELECT FROM pg_index AS i
                   WHERE i.indrelid = view
                     AND (reads_value('pg_class'::regclass, i.indexrelid, matview_needs_type.attnum)
                          OR EXISTS (SELECT FROM generate_series(0, i.indnkeyatts - 1) AS k (n)
                                     WHERE i.indkey[k.n] = matview_needs_type.attnum
                                       AND opclass_needs_type(i.indclass[k.n], new_type))));
END;

-- Part of obstacles_online.
CREATE OR REPLACE FUNCTION matview_obstacles_online(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT (m).relation, (m).column_name,
           d.description || CASE WHEN d.depth > 0
                                 THEN ' reads a view that reads a migrated column, and is created again'
                                 ELSE ' groups by a primary key' END,
           'Drop it, and create it again afterwards, or use the offline mode.'
    FROM unnest((m).dependents) AS d WHERE d.kind = 'materialized view' AND (d.depth > 0 OR d.needs_constraint);
END;

-- Part of remarks: those that no twin stands for, or not with the rows of after the cutover; and from when the rows are
-- of one that has a twin.
CREATE OR REPLACE FUNCTION matview_remarks(m migration) RETURNS TABLE (root regclass, column_name name, remark text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT (m).relation, (m).column_name,
           format(CASE WHEN NOT v.is_own
                       THEN 'materialized view %s of another role, which is not refreshed: '
                            'have its owner refresh it afterwards'
                       WHEN v.runs_others AND NOT ((m).choices).trust_owners
                       THEN 'materialized view %s, which runs functions of other roles and is not refreshed: '
                            'refresh it afterwards if you trust them'
                       ELSE 'materialized view %s, which is refreshed' END, v.matview)
    FROM stale_matviews((m).columns) AS v
    WHERE v.reads_more OR NOT EXISTS (SELECT FROM unnest((m).dependents) AS d WHERE d.relation = v.matview)
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('online: materialized view %s is built in the phase index, and has the rows of that moment after the '
                  'cutover', v.matview)
    FROM stale_matviews((m).columns) AS v, unnest((m).dependents) AS d
    WHERE d.relation = v.matview AND v.populated AND NOT v.reads_more;
END;
