-- The list of kinds, in the order in which their objects are built and put up.

-- The objects over columns that PostgreSQL rebuilds by itself when these are rewritten: each has a twin. With OFFSET,
-- the condition, which takes long to plan, is planned once.
CREATE OR REPLACE FUNCTION objects(columns migrated_column[]) RETURNS SETOF object
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT o.*
    FROM (SELECT i.* FROM indexes(columns) AS i
          UNION ALL
          SELECT s.* FROM statistics(columns) AS s
          UNION ALL
          SELECT k.* FROM check_constraints(columns) AS k
          UNION ALL
          SELECT f.* FROM foreign_keys(columns) AS f
          OFFSET 0) AS o
    WHERE NOT reads_other_shadow(o.classid, o.objid, columns);
END;

-- Part of outdated_twins: definition on the shadow columns of what one of these is over the columns, with another name
-- if it has any in it.
CREATE OR REPLACE FUNCTION definition_on_shadows(o object, new_name name, columns migrated_column[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE (o).kind
    WHEN 'index' THEN index_definition((o).objid, new_name, (o).relation::text, columns)
    WHEN 'statistics object' THEN statistics_definition((o).objid, '', new_name, (o).relation::text, columns)
    ELSE (o).definition END;

-- What takes a dependent down and puts it up. A generated column is added before, by generated_column_clause.
CREATE OR REPLACE FUNCTION dependent_change(m migration, o object) RETURNS change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE (o).kind
    WHEN 'view' THEN CASE WHEN (o).is_made_anew THEN view_made_anew(o) ELSE view_change(o) END
    WHEN 'materialized view' THEN view_made_anew(o)
    WHEN 'rule' THEN rule_change(o)
    WHEN 'function' THEN function_change(o)
    WHEN 'trigger' THEN trigger_change(o)
    WHEN 'policy' THEN policy_change(o)
    ELSE generated_column_change(m, o) END;

-- Part of changes_online: the dependents. The names and numbers of columns change under most of them: these only get
-- their definition again. A materialized view has a twin.
CREATE OR REPLACE FUNCTION dependent_changes_online(m migration) RETURNS SETOF change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT recreated(o, CASE WHEN o.kind IN ('trigger', 'generated column') OR o.depth > 0 OR o.needs_constraint
                                  OR ((m).conversion).changes_type
                                  OR EXISTS (SELECT FROM unnest((m).dependents) AS g WHERE g.kind = 'generated column')
                             THEN c.take_down ELSE '{}' END,
                     ARRAY(SELECT format('ALTER TABLE %s %s', o.relation, generated_column_clause(o.objid))
                           WHERE o.kind = 'generated column') || c.put_up)
    FROM unnest((m).dependents) AS o, LATERAL dependent_change(m, o) AS c WHERE o.kind <> 'materialized view';
END;

-- Part of give_up_steps and migration: what becomes of all objects in the online mode, in the order in which twins are
-- built, and in which what was taken down is put up. It is taken down in the reverse order.
CREATE OR REPLACE FUNCTION changes_online(m migration) RETURNS SETOF change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.* FROM index_changes_online(m) AS c
    UNION ALL
    SELECT c.* FROM statistics_changes_online(m) AS c
    UNION ALL
    SELECT c.* FROM check_constraint_changes_online(m) AS c
    UNION ALL
    SELECT c.* FROM foreign_key_changes_online(m) AS c
    UNION ALL
    SELECT c.* FROM matview_changes_online(m) AS c
    UNION ALL
    SELECT c.* FROM own_changes_online(m) AS c
    UNION ALL
    SELECT c.* FROM dependent_changes_online(m) AS c;
END;

-- Part of offline_steps: the same for the offline mode. Generated columns come first: other objects may also be over
-- these.
CREATE OR REPLACE FUNCTION changes_offline(m migration) RETURNS SETOF change
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.* FROM unnest((m).dependents) AS o, LATERAL generated_column_change(m, o) AS c
    WHERE o.kind = 'generated column'
    UNION ALL
    SELECT c.* FROM index_changes_offline(m) AS c
    UNION ALL
    SELECT c.* FROM statistics_changes_offline(m) AS c
    UNION ALL
    SELECT c.* FROM check_constraint_changes_offline(m) AS c
    UNION ALL
    SELECT c.* FROM foreign_key_changes_offline(m) AS c
    UNION ALL
    SELECT c.* FROM unnest((m).dependents) AS o, LATERAL dependent_change(m, o) AS c
    WHERE o.kind <> 'generated column';
END;
