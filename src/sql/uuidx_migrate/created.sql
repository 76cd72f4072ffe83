-- The time at which a row was created, from which its key becomes one of version 7.

CREATE OR REPLACE FUNCTION rekeyed(key uuid, created timestamptz, without_time text, future text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_rekeyed'
LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION rekeyed(uuid, timestamptz, text, text) IS
'version 7 key for another key and the time at which its row was created; a version 7 key itself';

CREATE OR REPLACE FUNCTION created_expression(relation regclass, expression text) RETURNS text
AS 'MODULE_PATHNAME', 'uuidx_created_expression'
LANGUAGE C STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp;
COMMENT ON FUNCTION created_expression(regclass, text) IS
'expression for the time at which a row was created, as the body of a function of the row has it; an error unless an index could have it';

-- The planner puts the body of the function in the place of its call. The trigger calls one of the table's owner or of a
-- superuser, and no other.
CREATE OR REPLACE FUNCTION created_function(m migration) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE WHEN (m).created IS NOT NULL
            THEN format('CREATE FUNCTION %s(r %s) RETURNS pg_catalog.timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN %s',
                        key_object(m, 'created'), (m).relation, (m).created) END;
COMMENT ON FUNCTION created_function(migration) IS
'statement that creates the function for the time at which a row was created; NULL if there is no need of one';

CREATE OR REPLACE FUNCTION drop_created_function(m migration) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('DROP FUNCTION %s(%s)', key_object(m, 'created'), (m).relation);
COMMENT ON FUNCTION drop_created_function(migration) IS
'statement that drops the function for the time at which a row was created';

-- After the exchange, nobody has to say again which expression it was.
CREATE OR REPLACE FUNCTION has_created_function(m migration) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN EXISTS (SELECT FROM pg_class AS c JOIN pg_proc AS p ON p.pronamespace = c.relnamespace JOIN pg_roles AS o ON o.oid = p.proowner
               WHERE (o.oid = c.relowner OR o.rolsuper) AND c.oid = (m).relation AND p.proname = key_object_name(m, 'created') AND p.pronargs = 1 AND p.proargtypes[0] = c.reltype);
COMMENT ON FUNCTION has_created_function(migration) IS
'whether there is the function for the time at which a row was created, which belongs to the owner of the table or a superuser';

CREATE OR REPLACE FUNCTION creation_times(
    relation regclass, column_name name, created text, trust_owners boolean DEFAULT false,
    OUT keys bigint, OUT of_version_7 bigint, OUT without_time bigint, OUT future bigint, OUT example text
)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM uuidx_migrate.lock_table(relation, 'ACCESS SHARE', trust_owners);
    EXECUTE format(
        'SELECT count(*), count(*) FILTER (WHERE is_v7), count(*) FILTER (WHERE NOT is_v7 AND no_time),
                count(*) FILTER (WHERE NOT is_v7 AND created > clock_timestamp()),
                min(key::text) FILTER (WHERE NOT is_v7 AND (no_time OR created > clock_timestamp()))
         FROM (SELECT key, created, uuidx_migrate.uuid_version(key) IS NOT DISTINCT FROM 7 AS is_v7,
                      (created >= timestamptz %L) IS NOT TRUE AS no_time
               FROM (SELECT r.%I AS key, %s AS created FROM %s AS r WHERE r.%2$I IS NOT NULL OFFSET 0) AS k) AS k',
        '1970-01-01 00:00:00+00', column_name,
        coalesce(uuidx_migrate.created_expression(relation, created), format('uuidx_migrate.uuid_time(r.%I)', column_name)), relation)
    INTO keys, of_version_7, without_time, future, example;
END
$$;
COMMENT ON FUNCTION creation_times(regclass, name, text, boolean) IS
'number of keys of a column, of those of version 7, and of others whose row has no creation time of 1970 or later, or one that is still to come';

-- Version 7 keys stay, so after the exchange there is nothing to complain about.
CREATE OR REPLACE FUNCTION check_times(relation regclass, column_name name, created text, without_time text, future text, trust_owners boolean) RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    t record;
    wrong bigint;
BEGIN
    SELECT c.* INTO t FROM uuidx_migrate.creation_times(relation, column_name, created, trust_owners) AS c WHERE uuidx_migrate.filling(relation, column_name) IS NULL;
    wrong := CASE without_time WHEN 'error' THEN t.without_time ELSE 0 END + CASE future WHEN 'error' THEN t.future ELSE 0 END;
    IF wrong > 0 THEN
        RAISE EXCEPTION 'table % has rows without a creation time for a version 7 UUID', relation USING ERRCODE = 'datetime_field_overflow',
            DETAIL = format('The number of those without a time of 1970 or later is %s, and that of those with a time to come %s. One of them has %s "%s".',
                            t.without_time, t.future, column_name, t.example),
            HINT = 'Name an expression for the time with created, or have such rows get the time 1970-01-01 with without_time or future => ''epoch''.';
    END IF;
END
$$;
COMMENT ON FUNCTION check_times(regclass, name, text, text, text, boolean) IS
'an error if rows have no creation time, or one that is still to come, and that is to be an error';
