-- What depends on what. Nothing else in SQL reads pg_depend, but for what looks at it under locks: the state of the
-- catalogs, which needs its xmin, and the list of what is compared, which passes over thousands of foreign keys.

-- What depends on an object, or on one of its columns if there is refobjsubid; and the view whose query that is. A
-- generated column is its expression, also up to PostgreSQL 14, where the column depends on others. Few questions are
-- asked as often, and PL/pgSQL keeps the plan.
CREATE OR REPLACE FUNCTION dependents_of(refclassid oid, refobjid oid, refobjsubid integer)
RETURNS TABLE (classid oid, objid oid, objsubid integer, deptype "char", view oid)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
    RETURN QUERY
        SELECT coalesce(e.tableoid, d.classid), coalesce(e.oid, d.objid),
               CASE WHEN e.oid IS NULL THEN d.objsubid ELSE 0 END, d.deptype, w.ev_class
        FROM pg_depend AS d
             LEFT JOIN pg_rewrite AS w
             ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid AND w.rulename = '_RETURN'
             LEFT JOIN pg_attrdef AS e
             ON (d.classid, d.refclassid) = ('pg_class'::regclass, 'pg_class'::regclass)
                AND (e.adrelid, e.adnum) = (d.objid, d.objsubid)
        WHERE (d.refclassid, d.refobjid) = (dependents_of.refclassid, dependents_of.refobjid)
          AND d.refobjsubid = coalesce(dependents_of.refobjsubid, d.refobjsubid);
END
$$;

-- What depends on the row type of a relation, or on what is made of it: arrays, domains, ranges, and those of these.
CREATE OR REPLACE FUNCTION dependents_of_rows(relation regclass)
RETURNS TABLE (classid oid, objid oid, objsubid integer, deptype "char")
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE dependents (classid, objid, objsubid, deptype) AS (
        SELECT 'pg_type'::regclass::oid, c.reltype, 0, NULL::"char" FROM pg_class AS c WHERE c.oid = relation
        UNION
        SELECT d.classid, d.objid, d.objsubid, d.deptype
        FROM dependents AS t, LATERAL dependents_of('pg_type'::regclass, t.objid, NULL) AS d
        WHERE t.classid = 'pg_type'::regclass
    )
    SELECT d.classid, d.objid, d.objsubid, d.deptype FROM dependents AS d WHERE d.deptype IS NOT NULL;
END;

-- What an object depends on, one of its columns if there is objsubid. A literal of a type is also read with the
-- attributes and constraints of that type. Not STRICT, so that the planner inlines it.
CREATE OR REPLACE FUNCTION references_of(classid oid, objid oid, objsubid integer)
RETURNS TABLE (refclassid oid, refobjid oid, refobjsubid integer, deptype "char")
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT d.refclassid, d.refobjid, d.refobjsubid, d.deptype
    FROM pg_depend AS d
    WHERE (d.classid, d.objid) = (references_of.classid, references_of.objid)
      AND d.objsubid = coalesce(references_of.objsubid, d.objsubid)
    UNION ALL
    SELECT 'pg_class'::regclass, t.typrelid, 0, NULL
    FROM pg_type AS t
    WHERE references_of.classid = 'pg_type'::regclass AND t.oid = references_of.objid AND t.typtype = 'c'
    UNION ALL
    SELECT 'pg_constraint'::regclass, k.oid, 0, NULL
    FROM pg_constraint AS k
    WHERE references_of.classid = 'pg_type'::regclass AND k.contypid = references_of.objid;
END;

-- The extension that an object belongs to; NULL if there is none.
CREATE OR REPLACE FUNCTION extension_of(classid oid, objid oid) RETURNS name
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT e.extname FROM references_of(classid, objid, NULL) AS d, pg_extension AS e
        WHERE (d.refclassid, d.deptype) = ('pg_extension'::regclass, 'e') AND e.oid = d.refobjid);
