-- What runs as the owner of a table for another role.

-- Part of procedural_code: the tables that an UPDATE of a table writes to: its partitions, and those to which foreign
-- keys pass new values on.
CREATE OR REPLACE FUNCTION updated_tables(relation regclass) RETURNS TABLE (relid oid)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE tables (relid) AS (
        SELECT m.relid FROM members(ARRAY[relation]) AS m
        UNION
        SELECT f.conrelid FROM tables AS t, pg_constraint AS f
        WHERE f.confrelid = t.relid AND f.contype = 'f' AND f.confupdtype NOT IN ('a', 'r')
    )
    SELECT t.relid FROM tables AS t;
END;

-- Part of procedural_code: the objects of tables that are evaluated in an UPDATE or, as immutable functions are, when
-- it is planned.
CREATE OR REPLACE FUNCTION evaluated_objects(relations oid[]) RETURNS TABLE (classid oid, objid oid)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT 'pg_class'::regclass::oid, t FROM unnest(relations) AS t
    UNION ALL
    SELECT 'pg_partitioned_table'::regclass, t FROM unnest(relations) AS t
    UNION ALL
    SELECT 'pg_class'::regclass, i.indexrelid FROM pg_index AS i WHERE i.indrelid = ANY (relations)
    UNION ALL
    SELECT 'pg_constraint'::regclass, k.oid FROM pg_constraint AS k WHERE k.conrelid = ANY (relations)
    UNION ALL
    SELECT 'pg_statistic_ext'::regclass, s.oid FROM pg_statistic_ext AS s WHERE s.stxrelid = ANY (relations)
    UNION ALL
    SELECT 'pg_trigger'::regclass, t.oid FROM pg_trigger AS t WHERE t.tgrelid = ANY (relations) AND t.tgtype & 16 <> 0
    UNION ALL
    SELECT 'pg_attrdef'::regclass, d.oid
    FROM pg_attrdef AS d, pg_attribute AS a
    WHERE d.adrelid = ANY (relations) AND (a.attrelid, a.attnum) = (d.adrelid, d.adnum)
      AND (a.attgenerated <> ''
           OR EXISTS (SELECT FROM pg_constraint AS f
                      WHERE f.conrelid = d.adrelid AND f.contype = 'f' AND f.confupdtype = 'd'
                        AND d.adnum = ANY (f.conkey)));
END;

-- Part of procedural_code: the functions that objects call, also by way of operators, types, operator classes and the
-- bodies of other functions, and whether an expression does. PostgreSQL notes in pg_depend what is its own in no case,
-- and expressions say nothing of operator classes and types: so both are asked.
CREATE OR REPLACE FUNCTION called_functions(classids oid[], objids oid[])
RETURNS TABLE (function oid, by_expression boolean)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE called (classid, objid, by_expression) AS (
        SELECT o.classid, o.objid, false FROM ROWS FROM (unnest(classids), unnest(objids)) AS o (classid, objid)
        UNION
        SELECT n.classid, n.objid, n.by_expression
        FROM called AS c, LATERAL (
            SELECT CASE f.fact WHEN 'function' THEN 'pg_proc'::regclass ELSE 'pg_operator'::regclass END::oid, f.object,
                   true
            FROM expression_facts(c.classid, c.objid) AS f WHERE f.object IS NOT NULL
            UNION ALL
            SELECT d.refclassid, d.refobjid, false
            FROM references_of(c.classid, c.objid, NULL) AS d
            WHERE d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_type'::regclass,
                                   'pg_opclass'::regclass)
               OR d.refclassid = 'pg_constraint'::regclass AND c.classid = 'pg_type'::regclass
            UNION ALL
            SELECT 'pg_proc'::regclass, o.oprcode, c.by_expression
            FROM pg_operator AS o WHERE c.classid = 'pg_operator'::regclass AND o.oid = c.objid
            UNION ALL
            SELECT 'pg_opclass'::regclass, k.oid, false
            FROM pg_opclass AS k WHERE c.classid = 'pg_type'::regclass AND k.opcintype = c.objid
            UNION ALL
            SELECT v.classid, v.objid, false
            FROM pg_opclass AS k,
                 LATERAL (SELECT 'pg_proc'::regclass::oid, p.amproc::oid
                          FROM pg_amproc AS p WHERE p.amprocfamily = k.opcfamily
                          UNION ALL
                          SELECT 'pg_operator'::regclass, o.amopopr
                          FROM pg_amop AS o WHERE o.amopfamily = k.opcfamily) AS v (classid, objid)
            WHERE c.classid = 'pg_opclass'::regclass AND k.oid = c.objid) AS n (classid, objid, by_expression)
    )
    SELECT c.objid, c.by_expression FROM called AS c WHERE c.classid = 'pg_proc'::regclass;
END;

-- What an UPDATE of a table as its owner would run, in words, that may find its names and types where a client of
-- another role has put them: rules, triggers, functions in procedural languages, and functions that are not immutable,
-- which may read a name or a query from a text. None of PostgreSQL's own trigger functions does.
CREATE OR REPLACE FUNCTION procedural_code(relation regclass) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH tables AS MATERIALIZED (SELECT array_agg(t.relid) AS oids FROM updated_tables(relation) AS t),
    objects AS MATERIALIZED (
        SELECT array_agg(o.classid) AS classids, array_agg(o.objid) AS objids
        FROM tables AS t, evaluated_objects(t.oids) AS o
    )
    SELECT pg_describe_object('pg_class'::regclass, c.oid, 0)
    FROM tables AS t, pg_class AS c WHERE c.oid = ANY (t.oids) AND c.relkind NOT IN ('r', 'p')
    UNION ALL
    SELECT pg_describe_object('pg_rewrite'::regclass, w.oid, 0)
    FROM tables AS t, pg_rewrite AS w WHERE w.ev_class = ANY (t.oids)
    UNION ALL
    SELECT pg_describe_object('pg_trigger'::regclass, g.oid, 0)
    FROM tables AS t, pg_trigger AS g, pg_proc AS p, pg_language AS l
    WHERE g.tgrelid = ANY (t.oids) AND g.tgtype & 16 <> 0 AND g.tgfoid >= 16384 AND NOT is_own_trigger(g.tgfoid)
      AND p.oid = g.tgfoid AND l.oid = p.prolang
      -- Only a superuser can make a function in C.
      AND NOT (l.lanname = 'c' AND extension_of('pg_proc'::regclass, p.oid) IS NOT DISTINCT FROM 'uuidx')
    UNION ALL
    SELECT pg_describe_object('pg_proc'::regclass, p.oid, 0)
    FROM objects AS o, called_functions(o.classids, o.objids) AS f, pg_proc AS p, pg_language AS l
    WHERE p.oid = f.function AND l.oid = p.prolang AND p.prorettype <> 'trigger'::regtype
      AND (l.lanname NOT IN ('internal', 'c') AND (l.lanname <> 'sql' OR p.prosqlbody IS NULL)
           OR f.by_expression AND p.provolatile <> 'i'
           OR EXISTS (SELECT FROM references_of('pg_proc'::regclass, p.oid, NULL) AS d
                      WHERE d.refclassid = 'pg_class'::regclass));
END;

-- A client's trigger calls it, and all that it calls. Default privileges may give EXECUTE to nobody.
GRANT EXECUTE ON FUNCTION
    procedural_code(regclass), updated_tables(regclass), evaluated_objects(oid[]), called_functions(oid[], oid[]),
    members(regclass[]), expression_facts(oid, oid), references_of(oid, oid, integer), extension_of(oid, oid),
    is_own_trigger(oid), is_fill(oid), fill_functions() TO PUBLIC;
