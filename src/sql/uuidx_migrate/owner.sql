-- Who may run a migration: the owner of all tables, in a session of that role. PostgreSQL runs code of a table's owner as
-- whoever changes the table, in constraints, index expressions, triggers and the like, and no list of such code can be
-- complete.

CREATE OR REPLACE FUNCTION is_session_of(role oid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_is_session_of'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION is_session_of(oid) IS
'whether a role is the current user, the session user and the one who was authenticated';

CREATE OR REPLACE FUNCTION check_owner(relations regclass[], trust_owners boolean) RETURNS void
AS 'MODULE_PATHNAME', 'uuidx_check_owner'
LANGUAGE C VOLATILE STRICT;
COMMENT ON FUNCTION check_owner(regclass[], boolean) IS
'an error unless this is a session of the owner of relations and their partitions, or whoever owns them is trusted';

CREATE OR REPLACE FUNCTION may_read(columns moved_column[], trust_owners boolean) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN trust_owners OR (SELECT bool_and(is_session_of(t.relowner)) FROM unnest(columns) AS c JOIN pg_class AS t ON t.oid = c.member);
COMMENT ON FUNCTION may_read(moved_column[], boolean) IS
'whether a plan may read rows: check_owner would raise no error';

-- The role may still move to another table, or another table to its name, while LOCK TABLE waits. Up to PostgreSQL 15, an
-- empty table can become a view.
CREATE OR REPLACE FUNCTION lock_table(relation regclass, lock text, trust_owners boolean) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    name text := relation;
BEGIN
    EXECUTE format('LOCK TABLE ONLY %s IN %s MODE', name, lock);
    IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation AND c.oid = to_regclass(name) AND c.relkind IN ('r', 'p')) THEN
        RAISE EXCEPTION '% is not a table, or not the one that it was', name USING ERRCODE = 'wrong_object_type';
    END IF;
    PERFORM uuidx_migrate.check_owner(ARRAY[relation], trust_owners);
END
$$;
COMMENT ON FUNCTION lock_table(regclass, text, boolean) IS
'part of check_values and the like: locks a table, and fails if another relation has its name by then or this is no session of its owner';

-- --- Obstacles ---

-- A foreign key or a trigger of another role runs that role's code when the table is updated.
CREATE OR REPLACE FUNCTION risky_grants(m migration) RETURNS TABLE (root regclass, name name, owner oid, description text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT c.root, c.name, t.relowner,
           format('%s on table %s is granted to %s', g.privilege_type, c.member, CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE g.grantee::regrole::text END)
    FROM unnest((m).columns) AS c JOIN pg_class AS t ON t.oid = c.member,
         LATERAL (SELECT t.relacl UNION ALL SELECT a.attacl FROM pg_attribute AS a WHERE a.attrelid = t.oid) AS l (acl), aclexplode(l.acl) AS g
    WHERE g.privilege_type IN ('TRIGGER', 'REFERENCES') AND g.grantee <> t.relowner
      AND NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.oid = g.grantee AND r.rolsuper);
END;
COMMENT ON FUNCTION risky_grants(migration) IS
'privileges with which others can have an UPDATE of the tables run their code';

CREATE OR REPLACE FUNCTION obstacles_of_owner(m migration) RETURNS SETOF obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH members AS MATERIALIZED (
        SELECT c.*, t.relowner, t.relnamespace, o.rolsuper, o.rolcanlogin
        FROM unnest((m).columns) AS c JOIN pg_class AS t ON t.oid = c.member JOIN pg_roles AS o ON o.oid = t.relowner
    )
    SELECT c.root, c.name, format('table %s belongs to %s, and this is no session of that role', c.member, c.relowner::regrole),
           concat(CASE WHEN (SELECT count(DISTINCT o.relowner) > 1 FROM members AS o) THEN 'Give all tables one owner with ALTER TABLE ... OWNER TO, and connect as that role'
                       WHEN NOT c.rolcanlogin THEN 'Give all tables to a role that can log in with ALTER TABLE ... OWNER TO, and connect as that role'
                       ELSE format('Connect as %s', c.relowner::regrole) END,
                  ', or set trust_owners => true if you trust whoever owns them with all your rights.')
    FROM members AS c WHERE NOT is_session_of(c.relowner)
    UNION ALL
    SELECT g.root, g.name, g.description, 'Revoke it until the migration is finished.'
    FROM risky_grants(m) AS g JOIN pg_roles AS r ON r.oid = g.owner WHERE r.rolsuper
    UNION ALL
    SELECT c.root, c.name, format('schema %s of table %s belongs to %s, who is no superuser', c.relnamespace::regnamespace, c.member, s.rolname),
           'Give the schema to the owner of the table.'
    FROM members AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    JOIN pg_roles AS o ON o.oid = n.nspowner
    JOIN pg_database AS d ON d.datname = current_database()
    JOIN pg_roles AS s ON s.oid = CASE o.rolname WHEN 'pg_database_owner' THEN d.datdba ELSE o.oid END
    WHERE c.rolsuper AND NOT s.rolsuper;
END;
COMMENT ON FUNCTION obstacles_of_owner(migration) IS
'part of obstacles: whose tables they are, and who else can have them run code';
