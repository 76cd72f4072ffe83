-- Find defaults that call another generator, and make them call uuidx's.

-- Part of repointed_defaults: a default with calls of some functions replaced by calls of others; NULL if it has none.
CREATE OR REPLACE FUNCTION default_repointed(
    expression pg_node_tree, from_functions regprocedure[], to_functions regprocedure[]
) RETURNS text
AS 'MODULE_PATHNAME', 'uuidx_default_repointed'
LANGUAGE C STABLE STRICT PARALLEL SAFE;

-- Part of default_users: what an object is and its name.
CREATE OR REPLACE FUNCTION default_object(classid oid, objid oid, objsubid integer) RETURNS text
LANGUAGE sql STABLE STRICT
RETURN (SELECT format('%s %s', o.type, o.identity) FROM pg_identify_object(classid, objid, objsubid) AS o);

-- Part of default_obstacle: the types of a default, and what is run to read a literal of them.
CREATE OR REPLACE FUNCTION default_types(classid oid, objid oid) RETURNS TABLE (classid oid, objid oid)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE read (classid, objid) AS (
        SELECT d.refclassid, d.refobjid
        FROM references_of($1, $2, NULL) AS d WHERE d.refclassid = 'pg_type'::regclass
        UNION
        SELECT d.refclassid, d.refobjid
        FROM read AS r, LATERAL references_of(r.classid, r.objid, NULL) AS d
        WHERE d.refclassid IN ('pg_type'::regclass, 'pg_class'::regclass, 'pg_constraint'::regclass,
                               'pg_proc'::regclass, 'pg_operator'::regclass)
    )
    SELECT r.classid, r.objid FROM read AS r;
END;

-- Part of default_users: the defaults of columns and domains that call some functions, and what they are if they call
-- others: what they are of, and the command that sets them. A table that inherits, or a partition, has its own default:
-- change ONLY that.
CREATE OR REPLACE FUNCTION repointed_defaults(from_functions regprocedure[], to_functions regprocedure[])
RETURNS TABLE (classid oid, objid oid, expression pg_node_tree, new_default text, of_class oid, of_object oid,
               number integer, name name, owner oid, command text)
LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    SELECT d.classid, d.objid, d.expression, n.new_default, d.of_class, d.of_object, d.number, d.name, d.owner,
           d.command
    FROM (SELECT 'pg_attrdef'::regclass, d.oid, d.adbin, 'pg_class'::regclass, c.oid, a.attnum, a.attname, c.relowner,
                 'ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s'
          FROM pg_attrdef AS d, pg_attribute AS a, pg_class AS c
          WHERE (a.attrelid, a.attnum) = (d.adrelid, d.adnum) AND c.oid = d.adrelid AND a.attgenerated = ''
            AND NOT pg_is_other_temp_schema(c.relnamespace)
          UNION ALL
          SELECT 'pg_type'::regclass, t.oid, t.typdefaultbin, 'pg_type'::regclass, t.oid, 0, NULL, t.typowner,
                 'ALTER DOMAIN %s SET DEFAULT %3$s'
          FROM pg_type AS t
          WHERE t.typdefaultbin IS NOT NULL AND NOT pg_is_other_temp_schema(t.typnamespace))
         AS d (classid, objid, expression, of_class, of_object, number, name, owner, command),
         default_repointed(d.expression, from_functions, to_functions) AS n (new_default)
    WHERE n.new_default IS NOT NULL;
END;

-- Part of default_obstacle: how another role could have a default call something of its own: the statement that sets it
-- finds what it calls by name, as do those that are run later. Neither the owner of the default nor the caller needs to
-- fear himself or a superuser.
CREATE OR REPLACE FUNCTION default_names_of_others(
    classid oid, objid oid, owner oid, from_functions regprocedure[], to_functions regprocedure[]
) RETURNS SETOF text
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH called (classid, objid) AS MATERIALIZED (
        SELECT d.refclassid, d.refobjid
        FROM references_of(default_names_of_others.classid, default_names_of_others.objid, NULL) AS d
        WHERE NOT (d.refclassid = 'pg_proc'::regclass AND d.refobjid = ANY (from_functions))
        UNION
        SELECT 'pg_proc'::regclass, f FROM unnest(to_functions) AS f WHERE f IS NOT NULL
    ),
    named AS MATERIALIZED (
        SELECT c.classid, c.objid, n.oid::regnamespace AS schema, n.nspowner, n.nspacl
        FROM called AS c, LATERAL references_of(c.classid, c.objid, NULL) AS d, pg_namespace AS n
        WHERE d.refclassid = 'pg_namespace'::regclass AND n.oid = d.refobjid
    ),
    possible (role, text) AS (
        SELECT n.nspowner, format('it names schema %s, which belongs to role %s', n.schema, n.nspowner::regrole)
        FROM named AS n
        UNION
        SELECT g.grantee, format('role %s may create functions in schema %s, of which it calls %s',
                                 grantee_name(g.grantee), n.schema, pg_describe_object(n.classid, n.objid, 0))
        FROM named AS n, LATERAL aclexplode(n.nspacl) AS g
        WHERE g.privilege_type = 'CREATE' AND can_lose_calls(n.classid, n.objid)
    )
    SELECT p.text || ': set the default yourself if you trust that role'
    FROM possible AS p, pg_roles AS me
    WHERE me.rolname = current_user AND NOT is_safe_with(p.role, owner) AND NOT is_safe_with(p.role, me.oid);
END;

-- Part of default_users: why a default cannot be changed; NULL if it can. SET DEFAULT evaluates the constants in the
-- new default. For a composite, array or range constant, this runs the CHECK constraints of the domains in its type, as
-- the caller. Trust only the caller himself and superusers: no other role's default may use a type outside pg_catalog,
-- and no default a type that such a role owns.
CREATE OR REPLACE FUNCTION default_obstacle(
    classid oid, objid oid, of_class oid, of_object oid, column_name name, owner oid, from_functions regprocedure[],
    to_functions regprocedure[]
) RETURNS text
LANGUAGE sql STABLE
BEGIN ATOMIC
    WITH trusted AS (SELECT r.oid FROM pg_roles AS r WHERE r.rolsuper OR r.rolname = current_user)
    SELECT CASE
        WHEN e.extension IS NOT NULL THEN format('it belongs to extension "%s"', e.extension)
        WHEN column_name = citus_distribution_column(of_object)
            THEN 'Citus distributes the table by this column: '
                 'run undistribute_table, change the default, and distribute the table again'
        WHEN column_name IS NOT NULL AND of_object = ANY (citus_tables())
            THEN 'Citus manages the table: set the default on the coordinator when all nodes have the new function'
        WHEN NOT pg_has_role(owner, 'USAGE')
            THEN format('it belongs to role %s: change it as that role', owner::regrole)
        ELSE coalesce((
              SELECT format('it uses %s, through which role %s could run code as you: %s',
                            pg_describe_object(t.classid, t.objid, 0), u.role::regrole,
                            CASE u.role WHEN owner THEN 'change it as that role'
                                        ELSE 'set the default yourself if you trust that role' END)
              FROM default_types(default_obstacle.classid, default_obstacle.objid) AS t,
                   LATERAL (SELECT CASE WHEN owner IN (SELECT * FROM trusted) THEN owner_of(t.classid, t.objid)
                                        ELSE owner END) AS u (role)
              WHERE u.role NOT IN (SELECT * FROM trusted)
              ORDER BY t.classid <> 'pg_type'::regclass, 1 LIMIT 1), (
              SELECT min(n COLLATE "C")
              FROM default_names_of_others(default_obstacle.classid, default_obstacle.objid, owner, from_functions,
                                           to_functions) AS n))
        END
    FROM extension_of(of_class, of_object) AS e (extension);
END;

-- Part of default_plan and extension_plan: what calls some functions, and how its defaults are to call others. Up to
-- PostgreSQL 14, a generated column depends on functions with deptype 'a'. With this search_path, all names except
-- those of pg_catalog are qualified. Citus changes the defaults of shards with that of their table.
CREATE OR REPLACE FUNCTION default_users(
    from_functions regprocedure[], to_functions regprocedure[],
    OUT object text, OUT relation regclass, OUT column_name name, OUT old_default text, OUT new_default text,
    OUT statement text, OUT obstacle text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on SET quote_all_identifiers = off
SET DateStyle = ISO SET IntervalStyle = postgres SET extra_float_digits = 1 SET lc_monetary = 'C'
BEGIN ATOMIC
    WITH repointed AS MATERIALIZED (
        SELECT r.*, default_obstacle(r.classid, r.objid, r.of_class, r.of_object, r.name, r.owner, from_functions,
                                     to_functions) AS obstacle
        FROM repointed_defaults(from_functions, to_functions) AS r
    ), others AS (
        SELECT DISTINCT coalesce(default_object('pg_class'::regclass, d.view, 0),
                                 default_object('pg_class'::regclass, c.adrelid, c.adnum),
                                 default_object(d.classid, d.objid, d.objsubid)) AS object,
               format(CASE WHEN to_functions[f.n] IS NULL THEN 'it depends on %s, which has no counterpart'
                           ELSE 'it depends on %s and is not a default that can be changed' END,
                      from_functions[f.n]) AS obstacle
        FROM generate_subscripts(from_functions, 1) AS f (n),
             LATERAL dependents_of('pg_proc'::regclass, from_functions[f.n], NULL) AS d
             LEFT JOIN pg_attrdef AS c ON d.classid = 'pg_attrdef'::regclass AND c.oid = d.objid
        WHERE d.deptype IN ('n', 'a')
          AND NOT (to_functions[f.n] IS NOT NULL
                   AND EXISTS (SELECT FROM repointed AS p WHERE (p.classid, p.objid) = (d.classid, d.objid)))
          AND (extension_of(d.classid, d.objid)
               = extension_of('pg_proc'::regclass, from_functions[f.n])) IS NOT TRUE
          AND is_shard(c.adrelid) IS NOT TRUE
    )
    SELECT u.*
    FROM (
        SELECT default_object(j.of_class, j.of_object, j.number) AS object,
               CASE WHEN j.name IS NOT NULL THEN j.of_object::regclass END, j.name, pg_get_expr(j.expression, 0),
               j.new_default,
               CASE WHEN j.obstacle IS NULL THEN format(j.command, i.identity, j.name, j.new_default) END AS statement,
               j.obstacle
        FROM repointed AS j, pg_identify_object(j.of_class, j.of_object, 0) AS i
        WHERE is_shard(CASE WHEN j.name IS NOT NULL THEN j.of_object::regclass END) IS NOT TRUE
        UNION ALL
        SELECT o.object, NULL, NULL, NULL, NULL, NULL, o.obstacle FROM others AS o
    ) AS u
    ORDER BY u.statement IS NULL, u.object COLLATE "C", u.obstacle COLLATE "C";
END;

-- Part of change_defaults and change_extension: runs statements and returns them.
CREATE OR REPLACE FUNCTION default_run(statements text[]) RETURNS SETOF text
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    statement text;
BEGIN
    PERFORM uuidx_migrate_steps.set_definition_settings(true);
    FOREACH statement IN ARRAY statements LOOP
        EXECUTE statement;
        RETURN NEXT statement;
    END LOOP;
    PERFORM uuidx_migrate_steps.reset_definition_settings(true);
END
$$;

-- Part of default_plan: the second function, or an error if it cannot take the place of the first.
CREATE OR REPLACE FUNCTION default_counterpart(from_function regprocedure, to_function regprocedure)
RETURNS regprocedure
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF (SELECT (f.proargtypes, f.provariadic, f.prorettype, f.proretset, f.prokind)
             = (t.proargtypes, t.provariadic, t.prorettype, t.proretset, t.prokind)
        FROM pg_proc AS f, pg_proc AS t WHERE f.oid = from_function AND t.oid = to_function) IS NOT TRUE THEN
        PERFORM uuidx_migrate_steps.raise('22023',
            format('function "%s" cannot take the place of "%s"', to_function, from_function),
            'They do not take and return the same types.');
    END IF;
    RETURN to_function;
END
$$;

-- Part of extension_plan: the functions of some extensions, without those that an ordinary user has added. Without
-- functions that the owner of an extension has added to it: others must not come to call them. Only a superuser can
-- create a function in C.
CREATE OR REPLACE FUNCTION extension_functions(VARIADIC extensions name[]) RETURNS regprocedure[]
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    missing name;
BEGIN
    SELECT n INTO missing
    FROM unnest(extensions) AS n WHERE NOT EXISTS (SELECT FROM pg_extension AS e WHERE e.extname = n);
    IF FOUND THEN
        PERFORM uuidx_migrate_steps.raise('42704',
            format('extension "%s" is not installed in this database', coalesce(missing, '<NULL>')));
    END IF;
    RETURN ARRAY(SELECT p.oid::regprocedure
                 FROM pg_extension AS e,
                      LATERAL uuidx_migrate_steps.dependents_of(e.tableoid, e.oid, NULL::integer) AS d,
                      pg_proc AS p, pg_roles AS r, pg_language AS l
                 WHERE e.extname = ANY (extensions) AND (d.classid, d.deptype) = ('pg_proc'::regclass, 'e')
                   AND p.oid = d.objid AND r.oid = p.proowner AND l.oid = p.prolang
                   AND (r.rolsuper OR NOT l.lanpltrusted)
                 ORDER BY p.oid);
END
$$;

-- Part of extension_plan: for each function the one of the same name and types; NULL where there is none, or more
-- than one.
CREATE OR REPLACE FUNCTION extension_counterparts(functions regprocedure[], candidates regprocedure[])
RETURNS regprocedure[]
LANGUAGE sql STABLE STRICT
RETURN ARRAY(SELECT (SELECT min(c.oid)::regprocedure
                     FROM pg_proc AS p, pg_proc AS c
                     WHERE (c.proname, c.proargtypes, c.provariadic, c.prorettype, c.proretset, c.prokind)
                           = (p.proname, p.proargtypes, p.provariadic, p.prorettype, p.proretset, p.prokind)
                       AND p.oid = f.oid AND c.oid = ANY (candidates)
                     HAVING count(*) = 1)
             FROM unnest(functions) WITH ORDINALITY AS f (oid, n)
             ORDER BY f.n);

-- Part of extension_plan: the privileges on functions, and how they are to be repeated on others. DROP FUNCTION
-- drops the privileges on the function. The owner's own privilege is not a grant. A function without a counterpart
-- is compared with the default privileges.
CREATE OR REPLACE FUNCTION extension_grants(
    from_functions regprocedure[], to_functions regprocedure[], OUT object text, OUT statement text, OUT obstacle text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT
SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH pairs AS (
        SELECT p.oid::regprocedure AS function, p.proowner AS owner,
               coalesce(p.proacl, acldefault('f', p.proowner)) AS acl,
               c.oid::regprocedure AS counterpart, coalesce(c.proowner, p.proowner) AS new_owner,
               coalesce(c.proacl, acldefault('f', coalesce(c.proowner, p.proowner))) AS new_acl
        FROM generate_subscripts(from_functions, 1) AS f (n) LEFT JOIN pg_proc AS c ON c.oid = to_functions[f.n],
             pg_proc AS p
        WHERE p.oid = from_functions[f.n]
    ), changes AS (
        SELECT DISTINCT p.function, p.counterpart, p.new_owner, 'GRANT' AS command,
               concat('TO ', grantee_name(a.grantee), CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' END) AS grantee
        FROM pairs AS p, aclexplode(p.acl) AS a
        WHERE a.grantee NOT IN (p.owner, p.new_owner)
          AND NOT aclcontains(p.new_acl, makeaclitem(a.grantee, p.new_owner, 'EXECUTE', a.is_grantable))
        UNION ALL
        SELECT p.function, p.counterpart, p.new_owner, 'REVOKE', 'FROM PUBLIC'
        FROM pairs AS p
        WHERE p.counterpart IS NOT NULL AND aclcontains(p.new_acl, makeaclitem(0, p.new_owner, 'EXECUTE', false))
          AND NOT EXISTS (SELECT FROM aclexplode(p.acl) AS a WHERE a.grantee = 0)
    )
    SELECT format('function %s', c.function),
           CASE WHEN r.reason IS NULL
                THEN format('%s EXECUTE ON ROUTINE %s %s', c.command, c.counterpart, c.grantee) END,
           format('%s EXECUTE %s cannot be repeated: ', c.command, c.grantee) || r.reason
    FROM changes AS c, LATERAL (
        SELECT CASE WHEN c.counterpart IS NULL THEN 'the function has no counterpart'
                    WHEN NOT pg_has_role(c.new_owner, 'USAGE') THEN format('you do not own %s', c.counterpart)
                    ELSE (SELECT format('it names schema %s, which belongs to role %s',
                                        n.oid::regnamespace, n.nspowner::regrole)
                          FROM pg_proc AS p, pg_namespace AS n
                          WHERE p.oid = c.counterpart AND n.oid = p.pronamespace
                            AND NOT is_safe_with(n.nspowner, c.new_owner)) END
    ) AS r (reason);
END;
