-- Who may run a migration: the owner of all tables, in a session of that role. PostgreSQL runs code of a table's owner
-- as whoever changes the table, in constraints, index expressions, triggers and the like, and no list of such code can
-- be complete.

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

-- Part of lock_relations and lock_table: others may have created triggers whose code is theirs.
CREATE OR REPLACE FUNCTION check_triggers(relation oid, trust_owners boolean) RETURNS void
AS 'MODULE_PATHNAME', 'uuidx_check_triggers'
LANGUAGE C VOLATILE STRICT;

CREATE OR REPLACE FUNCTION is_safe_with(owner oid, role oid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_is_safe_with'
LANGUAGE C STABLE STRICT PARALLEL SAFE;

CREATE OR REPLACE FUNCTION has_open_condition(trigger oid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_has_open_condition'
LANGUAGE C STABLE STRICT PARALLEL SAFE;

CREATE OR REPLACE FUNCTION owner_of(classid oid, objid oid) RETURNS oid
AS 'MODULE_PATHNAME', 'uuidx_owner_of'
LANGUAGE C STABLE STRICT PARALLEL SAFE;

-- Whether the owner of a table may look up its references to a key: who may not keeps no key from its owner.
CREATE OR REPLACE FUNCTION may_reference(relation regclass, key_table regclass) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_may_reference'
LANGUAGE C STABLE STRICT PARALLEL SAFE;

-- The name of a table that is locked and whose schema belongs to its owner or a superuser stays its own. Up to
-- PostgreSQL 15, an empty table can become a view.
CREATE OR REPLACE FUNCTION lock_table(relation regclass, lock text, trust_owners boolean) RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF num_nulls(relation, lock, trust_owners) > 0 THEN
        RAISE EXCEPTION 'relation and trust_owners must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM uuidx_migrate_steps.lock_relation(relation, lock, true);
    IF lock <> 'ACCESS SHARE' THEN
        PERFORM uuidx_migrate_steps.lock_relation(m.relid, lock, true),
                uuidx_migrate_steps.check_triggers(m.relid, trust_owners)
        FROM uuidx_migrate_steps.members(ARRAY[relation]) AS m;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation AND c.relkind IN ('r', 'p')) THEN
        RAISE EXCEPTION '% is not a table', relation USING ERRCODE = 'wrong_object_type';
    END IF;
    PERFORM uuidx_migrate_steps.check_owner(ARRAY[relation], trust_owners);
END
$$;
COMMENT ON FUNCTION lock_table(regclass, text, boolean) IS
'part of check_values and the like: locks a table, to write also its partitions, '
'and fails if this is no session of its owner';

CREATE OR REPLACE FUNCTION check_row_security(relation regclass) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF row_security_active(relation) THEN
        RAISE EXCEPTION 'row security of table % is active for you', relation
        USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
END
$$;
COMMENT ON FUNCTION check_row_security(regclass) IS
'an error if row security may hide rows of a table from the user';
