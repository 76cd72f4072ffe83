-- Objects that have to do with the migrated columns: what those of all kinds have in common.

-- An object that gets no twin, with the statements that take it down and put it up.
CREATE OR REPLACE FUNCTION recreated(o object, take_down text[], put_up text[]) RETURNS change
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ROW((o).kind, (o).relation, NULL, NULL, NULL, NULL, '{}', take_down, put_up)::change;

-- Whether a column and its shadow are both among some columns of their table. An index or a foreign key of a column
-- and its shadow together is the migration's own.
CREATE OR REPLACE FUNCTION has_pair(relation regclass, name name, attnums smallint[]) RETURNS boolean
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN (SELECT count(*) = 2 FROM pg_attribute AS a
            WHERE a.attrelid = relation AND a.attname IN (has_pair.name, uuidx_migrate_steps.shadow_name(has_pair.name))
              AND a.attnum = ANY (attnums))
           AND uuidx_migrate_steps.shadow_conversion(relation, has_pair.name) IS NOT NULL;
END
$$;

-- Whether an object reads the shadow of another column than these. It is a twin then, of a migration of another key.
CREATE OR REPLACE FUNCTION reads_other_shadow(classid oid, objid oid, columns migrated_column[]) RETURNS boolean
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN EXISTS (SELECT
                   FROM uuidx_migrate_steps.references_of(classid, objid, NULL::integer) AS d, pg_attribute AS s,
                        pg_attribute AS a
                   WHERE d.refclassid = 'pg_class'::regclass AND (s.attrelid, s.attnum) = (d.refobjid, d.refobjsubid)
                     AND strpos(s.attname, 'shadow') > 0
                     AND a.attrelid = s.attrelid AND a.attnum > 0 AND NOT a.attisdropped
                     AND uuidx_migrate_steps.shadow_name(a.attname) = s.attname
                     AND uuidx_migrate_steps.shadow_conversion(a.attrelid::regclass, a.attname) IS NOT NULL
                     AND NOT EXISTS (SELECT FROM unnest(columns) AS c
                                     WHERE (c.member, c.name) = (a.attrelid, a.attname)));
END
$$;

-- Whether a definition names anything but relations and what is in pg_catalog, which nobody can rename. Its relations
-- need no other look: a constraint is added under a lock, after check_owner, and PostgreSQL builds an index as the
-- owner of whatever table has the name by then. Statistics also depend on the schema that they are in.
CREATE OR REPLACE FUNCTION names_more(classid oid, objid oid) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM references_of(classid, objid, NULL) AS d
               WHERE d.refclassid NOT IN ('pg_class'::regclass, 'pg_constraint'::regclass, 'pg_namespace'::regclass));

-- Whether an expression reads more of a column of its table than whether it is null. IS NULL, num_nulls and
-- num_nonnulls mean the same for every type, and so does OLD.* IS DISTINCT FROM NEW.*.
CREATE OR REPLACE FUNCTION reads_value(classid oid, objid oid, attnum smallint) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM expression_facts(classid, objid) AS f
               WHERE f.fact <> 'null test'
                 AND (f.attnum = reads_value.attnum OR f.attnum = 0 AND f.transition IS NULL));

-- Part of build_steps: whether an object computes something of its rows, by an expression or a condition.
CREATE OR REPLACE FUNCTION has_expression(o object) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM pg_index AS x
               WHERE (o).kind = 'index' AND x.indexrelid = (o).objid
                 AND (x.indexprs IS NOT NULL OR x.indpred IS NOT NULL))
    OR EXISTS (SELECT FROM pg_statistic_ext AS s
               WHERE (o).kind = 'statistics object' AND s.oid = (o).objid AND s.stxexprs IS NOT NULL);

-- Part of analyze_steps: whether ANALYZE collects statistics for an object of its own.
CREATE OR REPLACE FUNCTION has_statistics(o object) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (o).kind = 'statistics object'
    OR EXISTS (SELECT FROM pg_index AS x
               WHERE (o).kind = 'index' AND x.indexrelid = (o).objid AND x.indexprs IS NOT NULL);

-- Whether an expression uses the row as a whole.
CREATE OR REPLACE FUNCTION uses_row(classid oid, objid oid) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM expression_facts(classid, objid) AS f WHERE f.attnum = 0);

-- The columns of tables that an object compares with some columns, and that a migration leaves out, as also names them.
-- No migration has columns of a schema that the user may not use. A number that may be a key of another table stays.
CREATE OR REPLACE FUNCTION columns_left_out(
    m migration, classid oid, objid oid, relations oid[], columns smallint[]
) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT format('%I.%I.%I', n.nspname, t.relname, a.attname)
    FROM compared_columns(classid, objid, relations, columns) AS c, pg_attribute AS a, pg_class AS t,
         pg_namespace AS n
    WHERE a.attrelid = c.relation AND a.attnum = c.attnum AND a.atttypid = ANY (((m).conversion).old_types)
      AND t.oid = root(c.relation) AND t.relkind IN ('r', 'p') AND n.oid = t.relnamespace
      AND has_schema_privilege(n.oid, 'USAGE') AND NOT pg_is_other_temp_schema(n.oid)
      AND NOT (((m).conversion).keeps_former AND has_type_column(c.relation, a.attname))
      AND (t.oid, a.attname) NOT IN (SELECT u.root, u.name FROM unnest((m).columns) AS u);
END;

-- The argument also of a migration, with more columns.
CREATE OR REPLACE FUNCTION with_also(m migration, columns text[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT format('also => %L', array_agg(DISTINCT c COLLATE "C" ORDER BY c COLLATE "C"))
        FROM unnest(((m).choices).also || with_also.columns) AS c);

-- Whether an object does more with a column whose type changes than ask whether it is null, and compare it by = and <>
-- with others whose type changes, too.
CREATE OR REPLACE FUNCTION needs_type(m migration, classid oid, objid oid, attnum smallint) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN reads_value(classid, objid, attnum)
       AND (SELECT passed_columns(classid, objid, array_agg(c.member::oid), array_agg(c.attnum))
            FROM unnest((m).columns) AS c) IS NULL;

-- What to do about an object that is in the way: drop it and create it afterwards. Without a policy that restricts, the
-- table would show all rows meanwhile.
CREATE OR REPLACE FUNCTION drop_hint(classid oid, objid oid, how text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN coalesce((SELECT format('Run ALTER POLICY %I ON %s%s, which allows nothing meanwhile, and give it its '
                               'expression %s afterwards.', p.polname, p.polrelid::regclass,
                               concat(CASE WHEN p.polqual IS NOT NULL THEN ' USING (false)' END,
                                      CASE WHEN p.polwithcheck IS NOT NULL THEN ' WITH CHECK (false)' END), how)
                 FROM pg_policy AS p WHERE classid = 'pg_policy'::regclass AND p.oid = objid),
                format('Drop it, and create it %s afterwards.', how));

-- Hint for an object that needs the type of a column. What it compares with columns of the migration would have keys of
-- no row afterwards.
CREATE OR REPLACE FUNCTION hint_of_reader(m migration, classid oid, objid oid) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT concat(CASE WHEN count(o) > 0
                           THEN format('Pass %s, if the columns hold nothing but keys of %s. '
                                       'If it is an obstacle all the same: ', with_also(m, array_agg(o)), (m).relation)
                           END,
                      drop_hint(classid, objid, 'for the new type'))
        FROM (SELECT array_agg(c.member::oid), array_agg(c.attnum) FROM unnest((m).columns) AS c)
             AS k (relations, columns),
             LATERAL columns_left_out(m, classid, objid, k.relations, k.columns) AS o);

-- Part of plan_of: which keys of its table a column belongs to.
CREATE OR REPLACE FUNCTION role_of_column(relation regclass, column_name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT coalesce(string_agg(DISTINCT CASE c.contype WHEN 'p' THEN 'primary key'
                                                       WHEN 'u' THEN 'unique'
                                                       ELSE format('references %s', c.confrelid::regclass) END, ', '),
                    'column')
    FROM pg_constraint AS c, pg_attribute AS a
    WHERE a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey) AND c.conrelid = relation
      AND a.attname = column_name AND c.contype IN ('p', 'u', 'f') AND c.conparentid = 0
);
