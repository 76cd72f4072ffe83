-- Whose tables they are, and who else can have them run code.

-- Privileges with which others can have an UPDATE of the tables run their code. A foreign key or a trigger of
-- another role runs that role's code when the table is updated.
CREATE OR REPLACE FUNCTION risky_grants(m migration)
RETURNS TABLE (root regclass, name name, owner oid, description text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT c.root, c.name, t.relowner,
           format('%s on table %s is granted to %s', g.privilege_type, c.member, grantee_name(g.grantee))
    FROM unnest((m).columns) AS c, pg_class AS t,
         LATERAL (SELECT t.relacl UNION ALL SELECT a.attacl FROM pg_attribute AS a WHERE a.attrelid = t.oid) AS l (acl),
         aclexplode(l.acl) AS g
    WHERE t.oid = c.member AND g.privilege_type IN ('TRIGGER', 'REFERENCES') AND g.grantee <> t.relowner
      AND NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.oid = g.grantee AND r.rolsuper);
END;

-- Part of obstacles: whose tables they are, and who else can have them run code.
CREATE OR REPLACE FUNCTION obstacles_of_owner(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH members AS MATERIALIZED (
        SELECT c.*, t.relowner, o.rolcanlogin
        FROM unnest((m).columns) AS c, pg_class AS t, pg_roles AS o WHERE t.oid = c.member AND o.oid = t.relowner
    )
    SELECT c.root, c.name,
           format('table %s belongs to %s, and this is no session of that role', c.member, c.relowner::regrole),
           concat(CASE WHEN (SELECT count(DISTINCT o.relowner) > 1 FROM members AS o)
                       THEN 'Give all tables one owner with ALTER TABLE ... OWNER TO, and connect as that role'
                       WHEN NOT c.rolcanlogin
                       THEN 'Give all tables to a role that can log in with ALTER TABLE ... OWNER TO, '
                            'and connect as that role'
                       ELSE format('Connect as %s', c.relowner::regrole) END,
                  ', or set trust_owners => true if you trust whoever owns them with all your rights.')
    FROM members AS c WHERE NOT is_session_of(c.relowner)
    UNION ALL
    SELECT g.root, g.name, g.description, 'Revoke it until the migration is finished.'
    FROM risky_grants(m) AS g, pg_roles AS r WHERE r.oid = g.owner AND r.rolsuper
    UNION ALL
    SELECT o.* FROM obstacles_of_names(m) AS o;
END;

-- Part of obstacles_of_rights: privileges that other roles than the owner have granted. What is created again gets its
-- privileges from its owner, and whoever granted one could no longer revoke it.
CREATE OR REPLACE FUNCTION grants_of_others(m migration) RETURNS TABLE (grantor oid, description text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH views AS MATERIALIZED (
        SELECT d.description, d.relation FROM unnest((m).dependents) AS d
        WHERE d.is_made_anew
    ),
    columns (relation, attnum) AS (
        SELECT c.member, c.attnum FROM unnest((m).columns) AS c
        UNION ALL
        SELECT e.adrelid, e.adnum
        FROM unnest((m).dependents) AS d, pg_attrdef AS e
        WHERE d.classid = 'pg_attrdef'::regclass AND e.oid = d.objid
        UNION ALL
        SELECT a.attrelid, a.attnum FROM views AS v, pg_attribute AS a WHERE a.attrelid = v.relation
    ),
    granted (description, owner, acl) AS (
        SELECT v.description, c.relowner, c.relacl FROM views AS v, pg_class AS c WHERE c.oid = v.relation
        UNION ALL
        SELECT format('column %I of %s', a.attname, c.oid::regclass), c.relowner, a.attacl
        FROM columns AS k, pg_class AS c, pg_attribute AS a
        WHERE c.oid = k.relation AND (a.attrelid, a.attnum) = (k.relation, k.attnum)
    )
    SELECT DISTINCT a.grantor, g.description FROM granted AS g, aclexplode(g.acl) AS a WHERE a.grantor <> g.owner;
END;

-- Part of obstacles_of_rights: triggers that would run code of others, as check_triggers has it.
CREATE OR REPLACE FUNCTION triggers_of_others(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH fired AS MATERIALIZED (
        SELECT c.root, c.name, c.member, r.relowner, t.oid, t.tgname
        FROM unnest((m).columns) AS c, pg_class AS r, pg_trigger AS t
        WHERE r.oid = c.member AND t.tgrelid = c.member AND t.tgenabled <> 'D'
          AND t.tgtype & 28 <> 0 -- INSERT, DELETE, UPDATE
    )
    SELECT DISTINCT t.root, t.name,
           format('trigger %I of table %s calls %s, which belongs to %s', t.tgname, t.member,
                  pg_describe_object(d.refclassid, d.refobjid, 0), o.owner::regrole),
           format('Disable the trigger until the migration is finished, or have it call a function that %s or a '
                  'superuser has written: an UPDATE would run it with all your rights.', t.relowner::regrole)
    FROM fired AS t, pg_roles AS me, LATERAL references_of('pg_trigger'::regclass, t.oid, NULL) AS d,
         LATERAL owner_of(d.refclassid, d.refobjid) AS o (owner)
    WHERE d.refclassid <> 'pg_class'::regclass AND me.rolname = current_user
      AND CASE WHEN ((m).choices).trust_owners THEN o.owner <> t.relowner AND NOT is_safe_with(o.owner, me.oid)
               ELSE NOT is_safe_with(o.owner, t.relowner) END
    UNION ALL
    SELECT DISTINCT t.root, t.name,
           format('the condition of trigger %I of table %s calls a function that is not IMMUTABLE, and may run any '
                  'code', t.tgname, t.member),
           'Write the condition into the function of the trigger, '
           'or disable the trigger until the migration is finished.'
    FROM fired AS t WHERE has_open_condition(t.oid);
END;

-- Part of obstacles_of_rights: the roles that could insert rows until now, and may not call the function of a new
-- default.
CREATE OR REPLACE FUNCTION without_default(m migration)
RETURNS TABLE (root regclass, name name, member regclass, function regprocedure, roles text)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT d.root, d.name, d.member, (d.new).function, string_agg(DISTINCT grantee_name(g.grantee), ', ')
    FROM unnest((m).defaults) AS d, pg_class AS t,
         LATERAL (SELECT coalesce(t.relacl, acldefault('r', t.relowner))
                  UNION ALL
                  SELECT a.attacl FROM pg_attribute AS a WHERE a.attrelid = t.oid) AS l (acl),
         LATERAL aclexplode(l.acl) AS g,
         LATERAL (SELECT CASE g.grantee WHEN 0 THEN 'public' ELSE pg_get_userbyid(g.grantee) END) AS r (role)
    WHERE t.oid = d.member AND g.privilege_type = 'INSERT'
      AND NOT has_function_privilege(r.role, (d.new).function, 'EXECUTE')
      AND has_function_privilege(r.role, (d.old).function, 'EXECUTE') IS NOT FALSE
    GROUP BY d.root, d.name, d.member, (d.new).function;
END;

-- Part of obstacles: what the role may not do, or others may not do afterwards.
CREATE OR REPLACE FUNCTION obstacles_of_rights(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH members AS MATERIALIZED (
        SELECT c.*, t.relkind, t.relowner, t.relnamespace
        FROM unnest((m).columns) AS c, pg_class AS t WHERE t.oid = c.member
    )
    SELECT c.root, c.name, format('you are not the owner of table %s', c.member),
           format('Run the script as %s.', c.relowner::regrole)
    FROM members AS c WHERE ((m).choices).trust_owners AND NOT pg_has_role(c.relowner, 'USAGE')
    UNION ALL
    SELECT c.root, c.name, format('you may not use schema %s', c.relnamespace::regnamespace),
           'Grant USAGE on the schema.'
    FROM members AS c WHERE NOT has_schema_privilege(c.relnamespace, 'USAGE')
    UNION ALL
    SELECT c.root, c.name, format('you may not %s table %s', p, c.member), 'Grant the privilege to the owner.'
    FROM members AS c, unnest('{SELECT,UPDATE,REFERENCES}'::text[]) AS p
    WHERE c.relkind IN ('r', 'p') AND pg_has_role(c.relowner, 'USAGE') AND NOT has_table_privilege(c.member, p)
    UNION ALL
    SELECT c.root, c.name, format('row security of table %s is active for you', c.member),
           'Run ALTER TABLE ... NO FORCE ROW LEVEL SECURITY.'
    FROM members AS c WHERE row_security_active(c.member)
    UNION ALL
    SELECT DISTINCT ON (d.description) (m).relation, (m).column_name,
           format('%s, which reads a migrated column, belongs to %s', d.description, d.owner::regrole),
           format('Run ALTER ... OWNER TO %s.', t.relowner::regrole)
    FROM (SELECT u.description, u.owner FROM unnest((m).dependents) AS u
          UNION ALL
          SELECT pg_describe_object(u.classid, u.objid, 0), s.stxowner
          FROM dropped_objects(m) AS u, pg_statistic_ext AS s
          WHERE u.classid = 'pg_statistic_ext'::regclass AND s.oid = u.objid) AS d, pg_class AS t
    WHERE t.oid = (m).relation
      AND CASE WHEN ((m).choices).trust_owners THEN NOT pg_has_role(d.owner, 'USAGE') ELSE d.owner <> t.relowner END
    UNION ALL
    SELECT (m).relation, (m).column_name, d.description || ', which is temporary, belongs to another session',
           'Have that session drop it, or end.'
    FROM unnest((m).dependents) AS d LEFT JOIN pg_class AS v ON v.oid = d.relation
         LEFT JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
    WHERE pg_is_other_temp_schema(coalesce(p.pronamespace, v.relnamespace))
    UNION ALL
    SELECT (m).relation, (m).column_name, d.description || ', which only a superuser may create again, as LEAKPROOF',
           format('Have a superuser run ALTER FUNCTION %s NOT LEAKPROOF, and LEAKPROOF again afterwards.',
                  p.oid::regprocedure)
    FROM unnest((m).dependents) AS d, pg_proc AS p, pg_roles AS r
    WHERE d.classid = 'pg_proc'::regclass AND p.oid = d.objid AND p.proleakproof
      AND r.rolname = current_user AND NOT r.rolsuper
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('privileges on %s, which is created again, were granted by %s', g.description, g.grantor::regrole),
           'Revoke them, and have the owner grant them.'
    FROM grants_of_others(m) AS g
    UNION ALL
    SELECT w.root, w.name,
           format('%s may insert rows into table %s, and may not call %s, which the default of column %I '
                  'calls afterwards', w.roles, w.member, w.function, w.name),
           format('Run GRANT EXECUTE ON FUNCTION %s TO %s.', w.function, w.roles)
    FROM without_default(m) AS w
    UNION ALL
    SELECT t.* FROM triggers_of_others(m) AS t;
END;

-- Part of look_up_obstacles_online: the functions that created calls, also behind operators.
CREATE OR REPLACE FUNCTION created_functions(m migration) RETURNS TABLE (function regprocedure)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT o.objid FROM created_objects(m) AS o WHERE o.classid = 'pg_proc'::regclass
    UNION
    SELECT p.oprcode::oid FROM created_objects(m) AS o, pg_operator AS p
    WHERE o.classid = 'pg_operator'::regclass AND p.oid = o.objid;
END;

-- Part of obstacles_online: owners who may not look up their references to the key, as triggers do when rows are
-- written. With trust_owners, they may be others than that of the key.
CREATE OR REPLACE FUNCTION look_up_obstacles_online(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.root, c.name,
           format('role %s, which owns table %s, may not look up keys in table %s',
                  t.relowner::regrole, c.member, (m).relation),
           format('Grant SELECT and REFERENCES on table %s to it, and have row security hide no rows from it.',
                  (m).relation)
    FROM unnest((m).columns) AS c, pg_class AS t
    WHERE t.oid = c.member AND NOT is_key(m, c) AND NOT may_reference(c.member, (m).relation)
      AND (((m).conversion).is_looked_up OR ((m).conversion).changes_type)
    UNION ALL
    SELECT (m).relation, (m).column_name,
           format('%s may write to table %s, but not execute %s, which created calls',
                  some_of(array_agg(DISTINCT grantee_name(w.grantee))), (m).relation, f.function),
           format('Grant EXECUTE on function %s to whoever writes to the table: it runs in their statements.',
                  f.function)
    FROM created_functions(m) AS f, writers((m).relation) AS w
    WHERE NOT has_function_privilege(w.role, f.function, 'EXECUTE')
    GROUP BY f.function;
END;
