-- Find defaults that call another generator, and make them call uuidx's.

CREATE OR REPLACE FUNCTION default_repointed(
    expression pg_node_tree, from_functions regprocedure[], to_functions regprocedure[]
) RETURNS text
AS 'MODULE_PATHNAME', 'uuidx_default_repointed'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION default_repointed(pg_node_tree, regprocedure[], regprocedure[]) IS
'part of default_plan: a default with calls of some functions replaced by calls of others; NULL if it has none';

CREATE OR REPLACE FUNCTION default_extension_of(classid oid, objid oid) RETURNS name
LANGUAGE sql STABLE STRICT
RETURN (SELECT e.extname FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid
        WHERE (d.classid, d.objid) = ($1, $2) AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e');
COMMENT ON FUNCTION default_extension_of(oid, oid) IS
'part of default_plan: the extension that an object belongs to; NULL if there is none';

CREATE OR REPLACE FUNCTION default_object(classid oid, objid oid, objsubid integer) RETURNS text
LANGUAGE sql STABLE STRICT
RETURN (SELECT format('%s %s', o.type, o.identity) FROM pg_identify_object(classid, objid, objsubid) AS o);
COMMENT ON FUNCTION default_object(oid, oid, integer) IS
'part of default_plan: what an object is and its name';

-- A table that inherits, or a partition, has its own default: change ONLY that. The expression of a generated column
-- contains columns, and must not be changed like a default; up to PostgreSQL 14, the column depends on functions with
-- deptype 'a'. With this search_path, all names except those of pg_catalog are qualified.
CREATE OR REPLACE FUNCTION default_users(
    from_functions regprocedure[], to_functions regprocedure[],
    OUT object text, OUT relation regclass, OUT column_name name, OUT old_default text, OUT new_default text,
    OUT statement text, OUT obstacle text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH defaults AS (
        SELECT 'pg_attrdef'::regclass::oid AS classid, d.oid AS objid,
               default_object('pg_class'::regclass, c.oid, a.attnum) AS object,
               c.oid::regclass AS relation, a.attname AS column_name, pg_get_expr(d.adbin, d.adrelid) AS old_default,
               CASE WHEN a.attgenerated = '' THEN default_repointed(d.adbin, from_functions, to_functions) END AS new_default,
               format('ALTER TABLE ONLY %s ALTER COLUMN %I', (pg_identify_object('pg_class'::regclass, c.oid, 0)).identity,
                      a.attname) AS command,
               default_extension_of('pg_class'::regclass, c.oid) AS extension
        FROM pg_attrdef AS d
        JOIN pg_attribute AS a ON (a.attrelid, a.attnum) = (d.adrelid, d.adnum)
        JOIN pg_class AS c ON c.oid = d.adrelid
        WHERE NOT pg_is_other_temp_schema(c.relnamespace)
        UNION ALL
        SELECT 'pg_type'::regclass, t.oid, default_object('pg_type'::regclass, t.oid, 0), NULL, NULL,
               pg_get_expr(t.typdefaultbin, 0), default_repointed(t.typdefaultbin, from_functions, to_functions),
               format('ALTER DOMAIN %s', t.oid::regtype), default_extension_of('pg_type'::regclass, t.oid)
        FROM pg_type AS t
        WHERE t.typdefaultbin IS NOT NULL AND NOT pg_is_other_temp_schema(t.typnamespace)
    ), repointed AS (
        SELECT * FROM defaults AS d WHERE d.new_default IS NOT NULL
    ), others AS (
        SELECT DISTINCT coalesce(default_object('pg_class'::regclass, r.ev_class, 0),
                                 default_object('pg_class'::regclass, c.adrelid, c.adnum),
                                 default_object(d.classid, d.objid, d.objsubid)) AS object,
               from_functions[f.n] AS function, to_functions[f.n] AS counterpart
        FROM generate_subscripts(from_functions, 1) AS f (n)
        JOIN pg_depend AS d ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = from_functions[f.n] AND d.deptype IN ('n', 'a')
        LEFT JOIN pg_rewrite AS r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
        LEFT JOIN pg_attrdef AS c ON d.classid = 'pg_attrdef'::regclass AND c.oid = d.objid
        WHERE NOT (to_functions[f.n] IS NOT NULL
                   AND EXISTS (SELECT FROM repointed AS p WHERE (p.classid, p.objid) = (d.classid, d.objid)))
          AND (default_extension_of(d.classid, d.objid)
               = default_extension_of('pg_proc'::regclass, d.refobjid)) IS NOT TRUE
    )
    SELECT u.object, u.relation, u.column_name, u.old_default, u.new_default, u.statement, u.obstacle
    FROM (
        SELECT d.object, d.relation, d.column_name, d.old_default, d.new_default,
               CASE WHEN d.extension IS NULL THEN format('%s SET DEFAULT %s', d.command, d.new_default) END AS statement,
               'it belongs to extension "' || d.extension || '"' AS obstacle
        FROM repointed AS d
        UNION ALL
        SELECT o.object, NULL, NULL, NULL, NULL, NULL,
               format(CASE WHEN o.counterpart IS NULL THEN 'it depends on %s, which has no counterpart'
                           ELSE 'it depends on %s and is not a default that can be changed' END, o.function)
        FROM others AS o
    ) AS u
    ORDER BY u.statement IS NULL, u.object COLLATE "C", u.obstacle COLLATE "C";
END;
COMMENT ON FUNCTION default_users(regprocedure[], regprocedure[]) IS
'part of default_plan and extension_plan: what calls some functions, and how its defaults are to call others';

CREATE OR REPLACE FUNCTION default_run(statements text[]) RETURNS SETOF text
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    statement text;
BEGIN
    FOREACH statement IN ARRAY statements LOOP
        EXECUTE statement;
        RETURN NEXT statement;
    END LOOP;
END
$$;
COMMENT ON FUNCTION default_run(text[]) IS
'part of change_defaults and change_extension: runs statements and returns them';

-- --- From one function to another ---

CREATE OR REPLACE FUNCTION default_counterpart(from_function regprocedure, to_function regprocedure) RETURNS regprocedure
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF (SELECT (f.proargtypes, f.provariadic, f.prorettype, f.proretset, f.prokind)
             = (t.proargtypes, t.provariadic, t.prorettype, t.proretset, t.prokind)
        FROM pg_proc AS f, pg_proc AS t WHERE f.oid = from_function AND t.oid = to_function) IS NOT TRUE THEN
        RAISE EXCEPTION 'function "%" cannot take the place of "%"', to_function, from_function
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'They do not take and return the same types.';
    END IF;
    RETURN to_function;
END
$$;
COMMENT ON FUNCTION default_counterpart(regprocedure, regprocedure) IS
'part of default_plan: the second function, or an error if it cannot take the place of the first';

CREATE OR REPLACE FUNCTION default_plan(
    from_function regprocedure, to_function regprocedure,
    OUT object text, OUT relation regclass, OUT column_name name, OUT old_default text, OUT new_default text,
    OUT statement text, OUT obstacle text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    SELECT u.object, u.relation, u.column_name, u.old_default, u.new_default, u.statement, u.obstacle
    FROM default_users(ARRAY[from_function], ARRAY[default_counterpart(from_function, to_function)]) AS u;
END;
COMMENT ON FUNCTION default_plan(regprocedure, regprocedure) IS
'the defaults in this database that call a function, each with the statement that makes it call another; and the other dependents of the function';

CREATE OR REPLACE FUNCTION change_defaults(from_function regprocedure, to_function regprocedure) RETURNS SETOF text
LANGUAGE sql VOLATILE STRICT
BEGIN ATOMIC
    SELECT r FROM default_run(ARRAY(SELECT p.statement FROM default_plan(from_function, to_function) AS p
                                         WHERE p.statement IS NOT NULL)) AS r;
END;
COMMENT ON FUNCTION change_defaults(regprocedure, regprocedure) IS
'runs the statements of default_plan, all or none, and returns them';

-- --- From one extension to another: functions of the same names ---

-- Without functions that the owner of an extension has added to it: others must not come to call them. Only a superuser
-- can create a function in C.
CREATE OR REPLACE FUNCTION extension_functions(VARIADIC extensions name[]) RETURNS regprocedure[]
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    extension name;
BEGIN
    FOREACH extension IN ARRAY extensions LOOP
        IF NOT EXISTS (SELECT FROM pg_extension WHERE extname = extension) THEN
            RAISE EXCEPTION 'extension "%" is not installed in this database', extension USING ERRCODE = 'undefined_object';
        END IF;
    END LOOP;
    RETURN ARRAY(SELECT p.oid::regprocedure
                 FROM pg_extension AS e JOIN pg_depend AS d ON d.refobjid = e.oid JOIN pg_proc AS p ON p.oid = d.objid
                 JOIN pg_roles AS r ON r.oid = p.proowner JOIN pg_language AS l ON l.oid = p.prolang
                 WHERE e.extname = ANY (extensions) AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
                   AND d.classid = 'pg_proc'::regclass AND (r.rolsuper OR NOT l.lanpltrusted)
                 ORDER BY p.oid);
END
$$;
COMMENT ON FUNCTION extension_functions(name[]) IS
'part of extension_plan: the functions of some extensions, without those that an ordinary user has added';

CREATE OR REPLACE FUNCTION extension_counterparts(functions regprocedure[], candidates regprocedure[]) RETURNS regprocedure[]
LANGUAGE sql STABLE STRICT
RETURN ARRAY(SELECT (SELECT min(c.oid)::regprocedure
                     FROM pg_proc AS p
                     JOIN pg_proc AS c ON (c.proname, c.proargtypes, c.provariadic, c.prorettype, c.proretset, c.prokind)
                                        = (p.proname, p.proargtypes, p.provariadic, p.prorettype, p.proretset, p.prokind)
                     WHERE p.oid = f.oid AND c.oid = ANY (candidates)
                     HAVING count(*) = 1)
             FROM unnest(functions) WITH ORDINALITY AS f (oid, n)
             ORDER BY f.n);
COMMENT ON FUNCTION extension_counterparts(regprocedure[], regprocedure[]) IS
'part of extension_plan: for each function the one of the same name and types; NULL where there is none, or more than one';

-- DROP FUNCTION drops the privileges on the function. The owner's own privilege is not a grant. A function without a
-- counterpart is compared with the default privileges.
CREATE OR REPLACE FUNCTION extension_grants(
    from_functions regprocedure[], to_functions regprocedure[], OUT object text, OUT statement text, OUT obstacle text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH pairs AS (
        SELECT p.oid::regprocedure AS function, p.proowner AS owner, coalesce(p.proacl, acldefault('f', p.proowner)) AS acl,
               c.oid::regprocedure AS counterpart, coalesce(c.proowner, p.proowner) AS new_owner,
               coalesce(c.proacl, acldefault('f', coalesce(c.proowner, p.proowner))) AS new_acl
        FROM generate_subscripts(from_functions, 1) AS f (n)
        JOIN pg_proc AS p ON p.oid = from_functions[f.n]
        LEFT JOIN pg_proc AS c ON c.oid = to_functions[f.n]
    ), changes AS (
        SELECT DISTINCT p.function, p.counterpart, p.new_owner, 'GRANT' AS command,
               format('TO %s%s', CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END,
                      CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' END) AS grantee
        FROM pairs AS p, aclexplode(p.acl) AS a
        WHERE a.grantee NOT IN (p.owner, p.new_owner)
          AND NOT aclcontains(p.new_acl, makeaclitem(a.grantee, p.new_owner, 'EXECUTE', a.is_grantable))
        UNION ALL
        SELECT p.function, p.counterpart, p.new_owner, 'REVOKE', 'FROM PUBLIC'
        FROM pairs AS p
        WHERE p.counterpart IS NOT NULL AND aclcontains(p.new_acl, makeaclitem(0, p.new_owner, 'EXECUTE', false))
          AND NOT EXISTS (SELECT FROM aclexplode(p.acl) AS a WHERE a.grantee = 0)
    ), reasons AS (
        SELECT c.*, CASE WHEN c.counterpart IS NULL THEN 'the function has no counterpart'
                         WHEN NOT pg_has_role(c.new_owner, 'USAGE') THEN format('you do not own %s', c.counterpart) END AS reason
        FROM changes AS c
    )
    SELECT format('function %s', r.function),
           CASE WHEN r.reason IS NULL THEN format('%s EXECUTE ON ROUTINE %s %s', r.command, r.counterpart, r.grantee) END,
           format('%s EXECUTE %s cannot be repeated: ', r.command, r.grantee) || r.reason
    FROM reasons AS r;
END;
COMMENT ON FUNCTION extension_grants(regprocedure[], regprocedure[]) IS
'part of extension_plan: the privileges on functions, and how they are to be repeated on others';

CREATE OR REPLACE FUNCTION extension_plan(
    from_extension name, VARIADIC to_extensions name[],
    OUT object text, OUT relation regclass, OUT column_name name, OUT old_default text, OUT new_default text,
    OUT statement text, OUT obstacle text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    WITH functions AS (
        SELECT extension_functions(from_extension) AS old,
               extension_counterparts(extension_functions(from_extension), extension_functions(VARIADIC to_extensions)) AS new
    )
    SELECT p.object, p.relation, p.column_name, p.old_default, p.new_default, p.statement, p.obstacle
    FROM (
        SELECT u.object, u.relation, u.column_name, u.old_default, u.new_default, u.statement, u.obstacle
        FROM functions AS f, default_users(f.old, f.new) AS u
        UNION ALL
        SELECT g.object, NULL, NULL, NULL, NULL, g.statement, g.obstacle
        FROM functions AS f, extension_grants(f.old, f.new) AS g
    ) AS p
    ORDER BY p.statement IS NULL, p.object COLLATE "C", p.statement COLLATE "C", p.obstacle COLLATE "C";
END;
COMMENT ON FUNCTION extension_plan(name, name[]) IS
'the defaults that call functions of an extension and the privileges on them, each with the statement that repeats it for those of others; and what else depends on them';

CREATE OR REPLACE FUNCTION change_extension(from_extension name, VARIADIC to_extensions name[]) RETURNS SETOF text
LANGUAGE sql VOLATILE STRICT
BEGIN ATOMIC
    SELECT r FROM default_run(ARRAY(SELECT p.statement FROM extension_plan(from_extension, VARIADIC to_extensions) AS p
                                         WHERE p.statement IS NOT NULL)) AS r;
END;
COMMENT ON FUNCTION change_extension(name, name[]) IS
'runs the statements of extension_plan, all or none, and returns them';
