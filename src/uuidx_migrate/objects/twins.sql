-- What is built over the shadow columns, and takes the place of what is over the columns.

-- The object that has the name of a twin, and whether it is valid, validated or populated. What has the name of a
-- twin need not be the twin.
CREATE OR REPLACE FUNCTION named_object(c change, OUT classid oid, OUT objid oid, OUT is_complete boolean)
RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'pg_class'::regclass, r.oid,
           coalesce(i.indisvalid AND i.indrelid = (c).relation, r.relispopulated)
    FROM pg_class AS r LEFT JOIN pg_index AS i ON i.indexrelid = r.oid
    WHERE (c).kind IN ('index', 'materialized view') AND (r.relnamespace, r.relname) = ((c).place, (c).name)
    UNION ALL
    SELECT 'pg_constraint'::regclass, k.oid, k.convalidated
    FROM pg_constraint AS k
    WHERE (c).kind IN ('check constraint', 'foreign key') AND (k.conrelid, k.conname) = ((c).place, (c).name)
    UNION ALL
    SELECT 'pg_statistic_ext'::regclass, s.oid, true
    FROM pg_statistic_ext AS s
    WHERE (c).kind = 'statistics object' AND (s.stxnamespace, s.stxname) = ((c).place, (c).name);
END;

-- The shadow columns that there are, in the place of their columns.
CREATE OR REPLACE FUNCTION shadow_columns(columns migrated_column[]) RETURNS SETOF migrated_column
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.member, c.level, a.attnum, c.name, c.shadow, c.is_connected, c.type
    FROM unnest(columns) AS c, pg_attribute AS a
    WHERE a.attrelid = c.member AND a.attname = c.shadow AND shadow_conversion(c.member, c.name) IS NOT NULL;
END;

-- What there is over the shadow columns.
CREATE OR REPLACE FUNCTION built_objects(columns migrated_column[]) RETURNS TABLE (classid oid, objid oid)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE built (classid, objid) AS (
        SELECT CASE WHEN d.view IS NULL THEN d.classid ELSE 'pg_class'::regclass END, coalesce(d.view, d.objid)
        FROM shadow_columns(columns) AS c, LATERAL dependents_of('pg_class'::regclass, c.member, c.attnum) AS d
        UNION
        SELECT d.classid, d.objid
        FROM built AS b, pg_class AS v, LATERAL dependents_of(b.classid, b.objid, NULL) AS d
        WHERE b.classid = 'pg_class'::regclass AND v.oid = b.objid AND v.relkind = 'm'
    )
    SELECT b.classid, b.objid FROM built AS b;
END;

-- Part of obstacles_of_twins: what is built over shadow columns and is not like its original, or has none. A script
-- leaves alone what it finds built over the shadow columns. If the original has changed since or is gone, that must go.
CREATE OR REPLACE FUNCTION outdated_twins(m migration) RETURNS TABLE (description text, has_original boolean)
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH shadows AS MATERIALIZED (SELECT array_agg(s) AS columns FROM shadow_columns((m).columns) AS s),
    built (description, kind, place, name, definition) AS (
        SELECT o.description, o.kind, o.place, o.name,
               definition_on_shadows(o, o.name, c.columns)
        FROM shadows AS s, LATERAL objects(s.columns) AS o,
             (SELECT u.member, array_agg(u) FROM shadows AS a, unnest(a.columns) AS u GROUP BY u.member)
             AS c (member, columns)
        WHERE c.member = o.relation
        UNION ALL
        SELECT pg_describe_object('pg_class'::regclass, v.oid, 0), 'materialized view', v.relnamespace, v.relname, NULL
        FROM built_objects((m).columns) AS b, pg_class AS v
        WHERE b.classid = 'pg_class'::regclass AND v.oid = b.objid AND v.relkind IN ('m', 'v')
    )
    SELECT b.description, c.name IS NOT NULL
    FROM built AS b LEFT JOIN unnest((m).changes) AS c ON (c.kind, c.place, c.name) = (b.kind, b.place, b.name)
    WHERE c.name IS NULL OR c.definition IS DISTINCT FROM b.definition;
END;

-- Part of obstacles_of_twins: the columns whose shadow no trigger keeps any more, as their table was a partition when
-- it got it.
CREATE OR REPLACE FUNCTION abandoned_shadows(m migration) RETURNS SETOF migrated_column
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.member, c.level, c.attnum, c.name, a.attname, c.is_connected, c.type
    FROM unnest((m).columns) AS c, pg_attribute AS a
    WHERE a.attrelid = c.member AND shadow_conversion(c.root, c.name) IS NULL
      AND (a.attname = c.shadow AND shadow_check_of(c.member, c.name) IS NOT NULL
           OR a.attname = mark_name(c.name) AND a.atttypid = 'boolean'::regtype);
END;

-- Part of obstacles_online: what is in the place of a twin.
CREATE OR REPLACE FUNCTION obstacles_of_twins(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH abandoned AS MATERIALIZED (SELECT c.* FROM abandoned_shadows(m) AS c)
    SELECT c.root, c.name,
           format('column %I of table %s is left from when that was a partition of a table that is migrated',
                  c.shadow, c.member),
           'Drop the column; the script adds what it needs.'
    FROM abandoned AS c
    UNION ALL
    SELECT c.root, c.name, format('%s has a name that the migration needs', d.description),
           'Rename it, or finish the migration that it belongs to.'
    FROM unnest((m).columns) AS c, LATERAL (
        SELECT pg_describe_object('pg_class'::regclass, a.attrelid, a.attnum), true
        FROM pg_attribute AS a WHERE a.attrelid = c.member AND a.attname IN (c.shadow, mark_name(c.name))
        UNION ALL
        SELECT pg_describe_object('pg_trigger'::regclass, t.oid, 0), true
        FROM pg_trigger AS t
        WHERE t.tgrelid = c.member
          AND t.tgname IN (SELECT trigger_name(c.name) UNION ALL SELECT n.name FROM companion_triggers(m, c) AS n)
        UNION ALL
        SELECT pg_describe_object('pg_constraint'::regclass, k.oid, 0), false
        FROM pg_constraint AS k
        WHERE k.conrelid = c.member AND k.conname = shadow_check_name(c.name)
          AND (k.oid IS DISTINCT FROM shadow_check_of(c.member, c.name)
               OR c.member <> c.root
                  AND (c.root, c.name) IN (SELECT u.relation, u.name FROM references_under_way(m) AS u)
                  AND NOT EXISTS (SELECT FROM references_of('pg_constraint'::regclass, k.oid, NULL) AS r
                                  WHERE (r.refclassid, r.refobjid) = ('pg_class'::regclass, (m).relation))))
         AS d (description, may_be_ours)
    WHERE NOT d.may_be_ours
       OR shadow_conversion(c.member, c.name) IS NULL AND c.member NOT IN (SELECT a.member FROM abandoned AS a)
    UNION ALL
    SELECT c.root, c.name, format('the migration of column %I of table %s began with other_values => %L',
                                  c.name, c.root, a.other_values),
           'Pass the same other_values to all its scripts: the trigger and the constraint have to agree.'
    FROM unnest((m).columns) AS c, pg_trigger AS t,
         LATERAL (SELECT array_position(((m).conversion).reference_trigger, 'other_values') - 1) AS p (place),
         LATERAL (SELECT (trigger_arguments(t.tgargs))[p.place]) AS a (other_values)
    WHERE c.member = c.root AND t.tgrelid = c.root AND t.tgname = trigger_name(c.name)
      AND t.tgfoid = trigger_function(((m).conversion).reference_trigger)
      AND a.other_values <> ((m).choices).other_values
    UNION ALL
    SELECT c.root, c.name, format('column %I of table %s has another type than column %I', c.shadow, c.member, c.name),
           format('Run ALTER TABLE %s ALTER COLUMN %I TYPE %s.', c.root, c.shadow, shadow_type(m, c))
    FROM unnest((m).columns) AS c, pg_attribute AS a, pg_attribute AS s
    WHERE (a.attrelid, a.attnum, s.attrelid, s.attname) = (c.member, c.attnum, c.member, c.shadow)
      AND is_text(m, c) AND shadow_conversion(c.member, c.name) IS NOT NULL
      AND (s.atttypid, s.atttypmod, s.attcollation) <> (a.atttypid, a.atttypmod, a.attcollation)
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('%s has a name that the migration needs', pg_describe_object(o.classid, o.objid, 0)),
           'Rename it, or finish the migration that it belongs to.'
    FROM unnest((m).changes) AS c, LATERAL named_object(c) AS o
    WHERE ((o.classid, o.objid) NOT IN (SELECT b.classid, b.objid
                                        FROM built_objects((m).columns || (m).beside) AS b)
           -- Others may read the shadow columns, too.
           OR o.classid = 'pg_class'::regclass
              AND (SELECT count(DISTINCT r.relowner) FROM pg_class AS r WHERE r.oid IN (o.objid, c.relation)) > 1)
      AND c.relation NOT IN (SELECT a.member FROM abandoned AS a)
    UNION ALL
    SELECT (m).relation, (m).column_name,
           t.description || CASE WHEN t.has_original THEN ', which is not like its original any more'
                                 ELSE ', which reads a shadow column and has no original' END,
           CASE WHEN t.has_original THEN 'Drop it; the script builds it anew.'
                ELSE 'Drop it; if you have made it, create it again after the cutover.' END
    FROM outdated_twins(m) AS t;
END;
