-- How far an online migration is, and which columns take part in it.

-- Function that a trigger calls; `call` has its name and the names of its arguments.
CREATE OR REPLACE FUNCTION trigger_function(call text[]) RETURNS oid
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN to_regprocedure(call[1] || '()');

-- Part of is_fill: the functions that fill shadow columns. The planner evaluates it once for a query.
CREATE OR REPLACE FUNCTION fill_functions() RETURNS oid[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (SELECT array_agg(DISTINCT trigger_function(t.call))
        FROM conversions() AS v, LATERAL (VALUES (v.key_trigger), (v.reference_trigger)) AS t (call)
        WHERE t.call IS NOT NULL);

-- Whether a function fills shadow columns. Not STRICT: the planner would not inline it.
CREATE OR REPLACE FUNCTION is_fill(function oid) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN function = ANY (fill_functions());

-- The arguments of a trigger. The text of tgargs would not tell where one ends.
CREATE OR REPLACE FUNCTION trigger_arguments(arguments bytea) RETURNS text[]
AS 'MODULE_PATHNAME', 'uuidx_trigger_arguments'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

-- The shadow column was added later, so the numbers of the columns say on which side of the cutover they are. A
-- partition may have them in another order. Nothing is asked as often, and PL/pgSQL keeps the plan.
CREATE OR REPLACE FUNCTION shadow_conversion(relation regclass, column_name name) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    shadow name := uuidx_migrate_steps.shadow_name(column_name);
BEGIN
    RETURN (
        SELECT CASE WHEN c.attnum < s.attnum THEN t.conversion
                    ELSE (uuidx_migrate_steps.conversion_named(t.conversion)).undo END
        FROM (SELECT DISTINCT v.name
              FROM pg_trigger AS g, uuidx_migrate_steps.trigger_arguments(g.tgargs) AS a,
                   uuidx_migrate_steps.conversions() AS v,
                   LATERAL (VALUES (v.key_trigger), (v.reference_trigger)) AS t (call)
              WHERE g.tgrelid = relation AND g.tgname = uuidx_migrate_steps.trigger_name(column_name)
                AND g.tgfoid = uuidx_migrate_steps.trigger_function(t.call)
                AND coalesce(v.name = a[array_position(t.call, 'conversion') - 1], true)) AS t (conversion)
        JOIN pg_attribute AS c ON c.attrelid = uuidx_migrate_steps.root(relation) AND c.attname = column_name
        JOIN pg_attribute AS s ON s.attrelid = uuidx_migrate_steps.root(relation) AND s.attname = shadow
    );
END
$$;
COMMENT ON FUNCTION shadow_conversion(regclass, name) IS
'conversion by which a trigger fills the shadow of a column; NULL if there is none';

-- psql goes on after an error, so each step itself asks for what the earlier ones make.
CREATE OR REPLACE FUNCTION is_under_way(key_table regclass, key_column name, conversion text) RETURNS boolean
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    now CONSTANT text := uuidx_migrate_steps.shadow_conversion(key_table, key_column);
BEGIN
    IF now = ANY (ARRAY[conversion, (uuidx_migrate_steps.conversion_named(conversion)).undo]) IS NOT TRUE THEN
        PERFORM uuidx_migrate_steps.raise('55000',
            format('the migration of column "%s" of table %s has not begun', key_column, key_table),
            format('No trigger fills a shadow of the column by conversion %s.', conversion),
            'Run the script from the top, and have it stop at the first error.');
    END IF;
    RETURN now = conversion;
END
$$;
COMMENT ON FUNCTION is_under_way(regclass, name, text) IS
'whether the migration of a key is before its cutover; an error if it has not begun';

-- Whether a step can run; an error if a problem says what an earlier one has not made.
CREATE OR REPLACE FUNCTION is_possible(problem text) RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF problem IS NOT NULL THEN
        PERFORM uuidx_migrate_steps.raise('55000', problem, NULL::text,
                                          'Run the script from the top, and have it stop at the first error.');
    END IF;
    RETURN true;
END
$$;

CREATE OR REPLACE FUNCTION are_filled(relations regclass[]) RETURNS boolean
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- The trigger that fills a shadow column has the name of the constraint, in each partition too.
    missing CONSTANT text := (
        SELECT min(format('column %I of table %s is not known to be filled', a[2], k.conrelid::regclass))
        FROM uuidx_migrate_steps.members(relations) AS m, pg_constraint AS k, pg_trigger AS t,
             LATERAL uuidx_migrate_steps.trigger_arguments(t.tgargs) AS a
        WHERE k.conrelid = m.relid AND k.contype = 'c' AND NOT k.convalidated
          AND (t.tgrelid, t.tgname) = (k.conrelid, k.conname) AND uuidx_migrate_steps.is_fill(t.tgfoid));
BEGIN
    RETURN uuidx_migrate_steps.is_possible(missing);
END
$$;
COMMENT ON FUNCTION are_filled(regclass[]) IS
'true; an error unless constraints prove that all shadow columns of relations and their partitions are filled';

-- The key table may have shadows of references, too, which are filled later.
CREATE OR REPLACE FUNCTION finds_keys(key_table regclass, key_column name) RETURNS boolean
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    problem CONSTANT text := CASE
        WHEN NOT (SELECT bool_and(uuidx_migrate_steps.is_filled(t, ARRAY[key_column]))
                  FROM unnest(uuidx_migrate_steps.tables_of(key_table)) AS t)
        THEN 'the shadow of column "%s" of table %s is not known to be filled'
        WHEN NOT EXISTS (SELECT FROM pg_index AS i
                         WHERE i.indrelid = key_table AND i.indisunique AND i.indisvalid AND i.indnkeyatts = 2
                           AND uuidx_migrate_steps.has_pair(key_table, key_column, i.indkey::smallint[]))
        THEN 'the index of column "%s" of table %s and its shadow is not built' END;
BEGIN
    RETURN uuidx_migrate_steps.is_possible(format(problem, key_column, key_table));
END
$$;
COMMENT ON FUNCTION finds_keys(regclass, name) IS
'true; an error unless the shadow of a key is filled, and the index is built by which it is looked up';

-- A partitioned table attaches the constraints of its partitions; what they lack, it makes under its own lock.
CREATE OR REPLACE FUNCTION have_constraint(relations regclass[], name name, is_valid boolean) RETURNS boolean
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    missing CONSTANT text := (
        SELECT min(format('constraint "%s" of %s is not %s', have_constraint.name, r.r,
                          CASE WHEN k.oid IS NULL THEN 'there' ELSE 'validated' END))
        FROM unnest(relations) AS r (r)
        LEFT JOIN pg_constraint AS k ON k.conrelid = r.r AND k.conname = have_constraint.name
        WHERE k.oid IS NULL OR is_valid AND NOT k.convalidated);
BEGIN
    RETURN uuidx_migrate_steps.is_possible(missing);
END
$$;
COMMENT ON FUNCTION have_constraint(regclass[], name, boolean) IS
'true; an error unless tables have a constraint of this name, a validated one if it is to be valid';

CREATE OR REPLACE FUNCTION are_built(indexes text[]) RETURNS boolean
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    missing CONSTANT text := (
        SELECT min(format('index %s is not built', n.name))
        FROM unnest(indexes) AS n (name) LEFT JOIN pg_index AS i ON i.indexrelid = to_regclass(n.name)
        WHERE i.indisvalid IS NOT TRUE);
BEGIN
    RETURN uuidx_migrate_steps.is_possible(missing);
END
$$;
COMMENT ON FUNCTION are_built(text[]) IS
'true; an error unless there are valid indexes of these names';

-- Whether the cutover has taken place.
CREATE OR REPLACE FUNCTION is_cut_over(m migration) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN shadow_conversion((m).relation, (m).column_name) IS NOT DISTINCT FROM ((m).conversion).undo;

CREATE OR REPLACE FUNCTION has_constraint(relation regclass, name name) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM pg_constraint AS c WHERE c.conrelid = relation AND c.conname = has_constraint.name);
COMMENT ON FUNCTION has_constraint(regclass, name) IS
'whether a table has a constraint with this name';

-- The CHECK constraint that compares a column with its shadow, whichever of them has the new values; NULL if there is
-- none. A partition may have come with another constraint of that name.
CREATE OR REPLACE FUNCTION shadow_check_of(relation regclass, column_name name) RETURNS oid
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT k.oid
        FROM pg_constraint AS k, pg_attribute AS c, pg_attribute AS s
        WHERE k.conrelid = relation AND k.conname = shadow_check_name(column_name) AND k.contype = 'c'
          AND c.attrelid = relation AND c.attname = column_name
          AND s.attrelid = relation AND s.attname = shadow_name(column_name)
          AND k.conkey @> ARRAY[c.attnum, s.attnum]);

CREATE OR REPLACE FUNCTION checks_shadow(relation regclass, column_name name, condition text) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN coalesce(has_condition(shadow_check_of(relation, column_name), condition), false);
COMMENT ON FUNCTION checks_shadow(regclass, name, text) IS
'whether a table has a CHECK constraint with this condition for the shadow of a column';

-- The column and its shadow that a CHECK constraint confirms for a trigger, by the names that they have now. The
-- arguments begin with those that they had when the migration began: one of the columns may have been renamed since.
-- Most constraints are of another kind: OFFSET has the planner look for a trigger after the constraint.
CREATE OR REPLACE FUNCTION pair_of(constraint_ oid)
RETURNS TABLE (relation regclass, name name, shadow name, arguments text[], function regprocedure)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 1
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        SELECT t.tgrelid::regclass, c.attname, s.attname, g, t.tgfoid::regprocedure
        FROM pg_constraint AS k,
             LATERAL (SELECT tgrelid, tgfoid, tgargs FROM pg_trigger
                      WHERE (tgrelid, tgname, tgparentid) = (uuidx_migrate_steps.root(k.conrelid), k.conname, 0)
                      OFFSET 0) AS t,
             LATERAL uuidx_migrate_steps.trigger_arguments(t.tgargs) AS g, pg_attribute AS c, pg_attribute AS s
        WHERE k.oid = constraint_ AND k.contype = 'c' AND cardinality(k.conkey) = 2
          AND uuidx_migrate_steps.is_fill(t.tgfoid)
          AND c.attrelid = k.conrelid AND c.attnum = ANY (k.conkey)
          AND s.attrelid = k.conrelid AND s.attnum = ANY (k.conkey) AND s.attnum <> c.attnum
          AND (c.attname = g[1] OR s.attname = g[2]);
END
$$;

-- The columns of online migrations whose keys are in a table. The owner of a table has confirmed by a CHECK constraint
-- that it has the shadow of a column, and in which table the key is, unless that is the same; the trigger says which
-- one.
CREATE OR REPLACE FUNCTION columns_under_way(key_table regclass)
RETURNS TABLE (relation regclass, attnum smallint, name name, shadow name, key_column text, function regprocedure)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        SELECT DISTINCT p.relation, a.attnum, p.name, p.shadow, p.arguments[cardinality(p.arguments)], p.function
        FROM (SELECT d.objid FROM uuidx_migrate_steps.dependents_of('pg_class'::regclass::oid, key_table::oid, 0) AS d
              WHERE d.classid = 'pg_constraint'::regclass
              UNION ALL
              SELECT o.oid FROM pg_constraint AS o
              WHERE o.conrelid = key_table
                AND NOT EXISTS (SELECT
                                FROM uuidx_migrate_steps.references_of('pg_constraint'::regclass::oid, o.oid,
                                                                       NULL::integer) AS d
                                WHERE (d.refclassid, d.refobjsubid) = ('pg_class'::regclass, 0))) AS c (oid),
             LATERAL uuidx_migrate_steps.pair_of(c.oid) AS p, pg_attribute AS a, pg_class AS t
        WHERE (a.attrelid, a.attname) = (p.relation, p.name)
          -- Nobody can write to the temporary tables of others.
          AND t.oid = p.relation AND t.relpersistence <> 't';
END
$$;

CREATE OR REPLACE FUNCTION check_references_finished(key_table regclass, key_column name) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    others text := (SELECT string_agg(DISTINCT format('column "%s" of table %s', u.name, u.relation), ', ')
                    FROM uuidx_migrate_steps.columns_under_way(check_references_finished.key_table) AS u
                    WHERE u.relation <> check_references_finished.key_table
                      AND u.key_column = check_references_finished.key_column
                      AND uuidx_migrate_steps.may_reference(u.relation, check_references_finished.key_table));
BEGIN
    IF others IS NOT NULL THEN
        RAISE EXCEPTION 'the migration of column "%" of table % is not finished for what references it',
            key_column, key_table
        USING ERRCODE = 'object_not_in_prerequisite_state',
              DETAIL = format('The triggers of these need the former keys: %s.', others),
              HINT = 'Correct the errors of the statements before this one, and run the script again.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_references_finished(regclass, name) IS
'an error if the shadow of a column that references a key is still there';
