-- What a script finds by its name, and who could give that name to something else: by renaming a schema or a table, by
-- turning a table into a view, by another constraint of a domain. So a statement of text names only what belongs to the
-- role that runs the script, or to superusers.

-- The objects that a script makes, whose definitions name what they depend on, and whether the statement that makes one
-- also runs it.
CREATE OR REPLACE FUNCTION defined_objects(m migration)
RETURNS TABLE (classid oid, objid oid, objsubid integer, runs boolean)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 10
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        WITH anew AS MATERIALIZED (
            SELECT d.classid, d.objid, d.relation, coalesce(e.adnum, 0) AS attnum, d.kind,
                   d.kind IN ('materialized view', 'generated column') AS has_more
            FROM unnest((m).dependents) AS d
            LEFT JOIN pg_attrdef AS e ON d.classid = 'pg_attrdef'::regclass AND e.oid = d.objid
        )
        SELECT a.classid, a.objid, NULL::integer, a.kind = 'generated column' FROM anew AS a
        UNION ALL
        SELECT 'pg_class'::regclass, a.relation, nullif(a.attnum, 0), a.kind = 'generated column'
        FROM anew AS a WHERE a.has_more OR a.kind = 'view'
        UNION ALL
        -- What stands over a materialized view or a generated column is made with it.
        SELECT x.classid, x.objid, NULL, true
        FROM anew AS a,
             LATERAL uuidx_migrate_steps.dependents_of('pg_class'::regclass::oid, a.relation::oid,
                                                       nullif(a.attnum, 0)::integer) AS x
        WHERE a.has_more AND x.deptype = 'a'
        UNION ALL
        SELECT o.classid, o.objid, NULL, true FROM unnest((m).objects) AS o WHERE o.classid <> 'pg_constraint'::regclass
        UNION ALL
        SELECT 'pg_constraint'::regclass, k.oid, NULL, k.contype = 'c'
        FROM unnest((m).columns) AS c, pg_constraint AS k WHERE k.conrelid = c.member AND c.attnum = ANY (k.conkey)
        UNION ALL
        SELECT 'pg_attrdef'::regclass, e.oid, NULL, true
        FROM unnest((m).columns) AS c, pg_attrdef AS e WHERE (e.adrelid, e.adnum) = (c.member, c.attnum);
END
$$;

-- Part of named_objects: what an UPDATE of the tables evaluates, whoever made it.
CREATE OR REPLACE FUNCTION evaluated_objects(m migration) RETURNS TABLE (classid oid, objid oid)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT e.classid, e.objid
    FROM (SELECT DISTINCT c.member FROM unnest((m).columns) AS c) AS t,
         -- The table itself, for the types of its columns and its partition key
         LATERAL (SELECT 'pg_class'::regclass, t.member
                  UNION ALL
                  SELECT 'pg_constraint'::regclass, k.oid FROM pg_constraint AS k WHERE k.conrelid = t.member
                  UNION ALL
                  SELECT 'pg_class'::regclass, i.indexrelid FROM pg_index AS i WHERE i.indrelid = t.member
                  UNION ALL
                  SELECT 'pg_attrdef'::regclass, e.oid
                  FROM pg_attribute AS a, pg_attrdef AS e
                  WHERE a.attrelid = t.member AND a.attgenerated <> ''
                    AND (e.adrelid, e.adnum) = (a.attrelid, a.attnum)) AS e (classid, objid);
END;

-- Part of names_of_others: what a script names: the tables, what its definitions name, and the schemas and extensions
-- of these; and what it runs without a name. To read a literal, PostgreSQL runs what is inside its type, too. A cast
-- has no name and no owner: whoever owns the type of a column, an argument or a result could make one. The script also
-- calls functions of uuidx_migrate.
CREATE OR REPLACE FUNCTION named_objects(m migration)
RETURNS TABLE (classid oid, objid oid, of_classid oid, of_objid oid)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
        WITH RECURSIVE named (classid, objid, objsubid, of_classid, of_objid, is_defined, is_in_type, is_named) AS (
            SELECT o.classid, o.objid, o.objsubid, o.classid, o.objid, true, false, true
            FROM uuidx_migrate_steps.defined_objects(m) AS o
            UNION
            SELECT e.classid, e.objid, NULL, e.classid, e.objid, true, false, false
            FROM uuidx_migrate_steps.evaluated_objects(m) AS e
            UNION
            SELECT n.classid, n.objid, NULL, n.of_classid, n.of_objid, false, false, true
            FROM (SELECT 'pg_class'::regclass, c.member::oid, 'pg_class'::regclass, c.member::oid
                  FROM unnest((m).columns) AS c
                  UNION ALL
                  SELECT 'pg_proc'::regclass, (d.new).function::oid, 'pg_class'::regclass, d.member::oid
                  FROM unnest((m).defaults) AS d WHERE (d.new).function IS NOT NULL
                  UNION ALL
                  SELECT o.classid, o.objid, 'pg_class'::regclass, (m).relation
                  FROM uuidx_migrate_steps.created_objects(m) AS o
                  UNION ALL
                  SELECT 'pg_extension'::regclass, x.oid, 'pg_extension'::regclass, x.oid
                  FROM pg_extension AS x WHERE x.extname = 'uuidx_migrate') AS n (classid, objid, of_classid, of_objid)
            UNION
            SELECT d.refclassid, d.refobjid, part.objsubid, n.of_classid, n.of_objid, false,
                   n.is_in_type OR n.classid = 'pg_type'::regclass, n.is_named
            FROM named AS n, LATERAL uuidx_migrate_steps.references_of(n.classid, n.objid, n.objsubid) AS d,
                 LATERAL (SELECT NULL::integer WHERE d.refobjid NOT IN (SELECT c.member FROM unnest((m).columns) AS c)
                          UNION ALL
                          SELECT d.refobjsubid WHERE d.refobjsubid > 0) AS part (objsubid)
            WHERE (n.is_defined OR n.is_in_type OR n.classid = 'pg_type'::regclass
               OR d.refclassid IN ('pg_namespace'::regclass, 'pg_extension'::regclass)
               OR d.refclassid = 'pg_type'::regclass
                  AND (n.classid IN ('pg_proc'::regclass, 'pg_operator'::regclass) OR n.objsubid IS NOT NULL))
              AND (n.is_named OR d.refclassid NOT IN ('pg_namespace'::regclass, 'pg_extension'::regclass))
        )
        SELECT DISTINCT n.classid, n.objid, n.of_classid, n.of_objid FROM named AS n;
END
$$;

-- Part of obstacles_of_default_given_back and obstacles_of_names: what is named and belongs to others. The tables and
-- what reads them have obstacles of their own.
CREATE OR REPLACE FUNCTION names_of_others(m migration, role oid) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH own (classid, objid) AS MATERIALIZED (
        SELECT 'pg_class'::regclass::oid, c.member::oid FROM unnest((m).columns) AS c
        UNION ALL
        SELECT v.classid, v.objid
        FROM unnest((m).dependents) AS d,
             LATERAL (VALUES (d.classid, d.objid), ('pg_class'::regclass, d.relation)) AS v (classid, objid)
    )
    SELECT (m).relation, (m).column_name,
           format('%s, which the script names or runs with %s, belongs to %s',
                  pg_describe_object(n.classid, n.objid, 0),
                  some_of(array_agg(DISTINCT reader_description(n.of_classid, n.of_objid) COLLATE "C")),
                  n.owner::regrole),
           format(CASE WHEN n.classid = 'pg_proc'::regclass
                       THEN 'Have a function of %s or of a superuser called instead'
                       ELSE 'Give it to %s or to a superuser' END
                  || ', or set trust_owners => true if you trust %s with all your rights.',
                  role::regrole, n.owner::regrole)
    FROM (SELECT o.*, owner_of(o.classid, o.objid) AS owner FROM named_objects(m) AS o) AS n
    WHERE NOT is_safe_with(n.owner, role) AND (n.classid, n.objid) NOT IN (SELECT o.classid, o.objid FROM own AS o)
    GROUP BY n.classid, n.objid, n.owner;
END;

-- Part of calls_for_others and default_names_of_others: whether another function or operator of the same name could
-- take a call. None is a better match than one that has just the types of all arguments, which a definition in the
-- catalogs spells out, but for those of rows.
CREATE OR REPLACE FUNCTION can_lose_calls(classid oid, objid oid) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM pg_proc AS p
               WHERE classid = 'pg_proc'::regclass AND p.oid = objid
                 AND (p.pronargdefaults > 0 OR p.provariadic <> 0
                      OR EXISTS (SELECT FROM pg_type AS t
                                 WHERE t.oid = ANY (p.proargtypes) AND t.typtype IN ('p', 'c'))))
    OR EXISTS (SELECT FROM pg_operator AS o, pg_type AS t
               WHERE t.oid IN (o.oprleft, o.oprright) AND classid = 'pg_operator'::regclass AND o.oid = objid
                 AND t.typtype IN ('p', 'c'));

-- Part of obstacles_of_names: functions and operators in the place of which others could have one of theirs called
-- before that is noticed. can_lose_calls is asked of each once, whatever the order of the joins.
CREATE OR REPLACE FUNCTION calls_for_others(m migration, role oid) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH called AS MATERIALIZED (
        SELECT o.classid, o.objid, coalesce(o.objsubid, 0) AS objsubid, d.refclassid, d.refobjid
        FROM defined_objects(m) AS o, LATERAL references_of(o.classid, o.objid, o.objsubid) AS d WHERE o.runs
        UNION ALL
        SELECT 'pg_class'::regclass, (m).relation, 0, o.classid, o.objid FROM created_objects(m) AS o
    ),
    unsafe AS MATERIALIZED (SELECT c.* FROM called AS c WHERE can_lose_calls(c.refclassid, c.refobjid))
    SELECT (m).relation, (m).column_name,
           format('%s may create functions in schema %s, of which %s calls %s',
                  some_of(array_agg(DISTINCT grantee_name(g.grantee))),
                  s.oid::regnamespace, reader_description(c.classid, c.objid, c.objsubid),
                  pg_describe_object(c.refclassid, c.refobjid, 0)),
           format('Revoke CREATE on schema %s until the migration is finished, or set trust_owners => true if you '
                  'trust whoever has it with all your rights.', s.oid::regnamespace)
    FROM unsafe AS c, LATERAL references_of(c.refclassid, c.refobjid, NULL) AS n, pg_namespace AS s,
         LATERAL aclexplode(s.nspacl) AS g
    WHERE n.refclassid = 'pg_namespace'::regclass AND s.oid = n.refobjid
      AND g.privilege_type = 'CREATE' AND NOT is_safe_with(g.grantee, role)
    GROUP BY s.oid, c.classid, c.objid, c.objsubid, c.refclassid, c.refobjid;
END;

-- Part of obstacles: operators that a definition does not name. Where it is read again, search_path is pg_catalog.
CREATE OR REPLACE FUNCTION obstacles_of_operators(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT (m).relation, (m).column_name,
           format('%s calls operator %s, which its definition does not name', reader_description(o.classid, o.objid),
                  f.object::regoperator),
           format('Write the condition with OPERATOR(%s.%s) instead.', p.oprnamespace::regnamespace, p.oprname)
    FROM defined_objects(m) AS o,
         LATERAL expression_facts(o.classid, o.objid) AS f, pg_operator AS p
    WHERE p.oid = f.object AND f.fact = 'unnamed' AND p.oprnamespace <> 'pg_catalog'::regnamespace;
END;

-- Part of obstacles_of_owner: names that others could give to something else.
CREATE OR REPLACE FUNCTION obstacles_of_names(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT o.* FROM pg_class AS c, LATERAL names_of_others(m, c.relowner) AS o WHERE c.oid = (m).relation
    UNION ALL
    SELECT o.* FROM pg_class AS c, LATERAL calls_for_others(m, c.relowner) AS o WHERE c.oid = (m).relation
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('materialized view %s, which is filled again, runs functions of other roles', v.matview),
           'Drop it, and create it again afterwards, '
           'or set trust_owners => true if you trust those roles with all your rights.'
    FROM stale_matviews((m).columns) AS v, unnest((m).dependents) AS d
    WHERE d.relation = v.matview AND v.runs_others;
END;

-- Part of obstacle_list: the same of the default that the key has again if the migration is given up. The script names
-- nothing else then but the tables.
CREATE OR REPLACE FUNCTION obstacles_of_default_given_back(m migration) RETURNS SETOF obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF (m.choices).trust_owners OR NOT EXISTS (SELECT FROM uuidx_migrate_steps.defaults_given_back(m)) THEN
        RETURN;
    END IF;
    m.columns := '{}';
    m.dependents := '{}';
    m.objects := '{}';
    RETURN QUERY
        SELECT o.* FROM pg_class AS c, LATERAL uuidx_migrate_steps.names_of_others(m, c.relowner) AS o
        WHERE c.oid = m.relation;
END
$$;
