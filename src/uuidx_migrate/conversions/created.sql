-- The time at which a row was created, from which its key becomes one of version 7.

-- Expression for the time at which a row was created, as the body of a function of the row has it; an error unless
-- an index could have it.
CREATE OR REPLACE FUNCTION created_expression(relation regclass, expression text) RETURNS text
AS 'MODULE_PATHNAME', 'uuidx_created_expression'
LANGUAGE C STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp;

-- Part of migration: the expression that fits a table, as created_expression has it. `created` is one expression, with
-- its errors, or several as an array literal, which no expression is: the first whose columns exist, and which is a
-- time, whatever the time zone of the session is. NULL if the table has the columns of none.
CREATE OR REPLACE FUNCTION fitting_created(relation regclass, created text) RETURNS text
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    candidate text;
    in_any_zone text;
BEGIN
    IF NOT starts_with(created, '{') THEN
        RETURN uuidx_migrate_steps.created_expression(relation, created);
    END IF;
    FOREACH candidate IN ARRAY array_remove(created::text[], NULL) LOOP
        BEGIN
            RETURN uuidx_migrate_steps.created_expression(relation, candidate);
        EXCEPTION
            WHEN undefined_column OR undefined_function OR datatype_mismatch THEN
                CONTINUE;
            WHEN invalid_object_definition THEN
                in_any_zone := coalesce(in_any_zone, candidate);
        END;
    END LOOP;
    -- NULL, or its error
    RETURN uuidx_migrate_steps.created_expression(relation, in_any_zone);
END
$$;

-- An error if none of some expressions fits any table of which all keys would get the same time instead: the
-- expressions are misspelt, and nothing else would say so.
CREATE OR REPLACE FUNCTION check_created_fits(ms migration[], created text, rows_without_time text, mode text)
RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF created IS NOT NULL AND rows_without_time = 'epoch' AND mode <> 'finish'
       AND NOT EXISTS (SELECT FROM unnest(ms) AS m
                       WHERE (m.choices).created IS NOT NULL OR m.created_columns IS NULL
                          OR NOT (m.conversion).reads_times) THEN
        PERFORM uuidx_migrate_steps.raise('22023', format('created fits no table: "%s"', created));
    END IF;
END
$$;

-- Part of migration: numbers of the columns that the expression reads; the same errors.
CREATE OR REPLACE FUNCTION created_columns(relation regclass, expression text) RETURNS smallint[]
AS 'MODULE_PATHNAME', 'uuidx_created_columns'
LANGUAGE C STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp;

-- The functions, operators and types of the expression; the same errors.
CREATE OR REPLACE FUNCTION created_objects(relation regclass, expression text) RETURNS TABLE (classid oid, objid oid)
AS 'MODULE_PATHNAME', 'uuidx_created_objects'
LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 5
SET search_path = pg_catalog, pg_temp;

-- Those of a migration; none where its plan may not read rows, as a literal in the expression could run code.
CREATE OR REPLACE FUNCTION created_objects(m migration) RETURNS TABLE (classid oid, objid oid)
LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    SELECT DISTINCT o.classid, o.objid
    FROM created_objects((m).relation, CASE WHEN (m).created_columns IS NOT NULL THEN ((m).choices).created END) AS o;
END;

-- Statement that gives what a script makes to the owner of the table, whose migration it is, also where a member of
-- that role runs the script; NULL where only the owner can.
CREATE OR REPLACE FUNCTION give_to_owner(m migration, object text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (SELECT format('ALTER %s OWNER TO %s', object, c.relowner::regrole)
        FROM pg_class AS c WHERE c.oid = (m).relation AND ((m).choices).trust_owners);

-- Statements that create the function for the time at which a row was created; NULL if there is no need of one. The
-- planner puts the body of the function in the place of its call. The trigger calls one of the table's owner or of a
-- superuser, and no other, as whoever writes a row. Default privileges may give EXECUTE to nobody.
CREATE OR REPLACE FUNCTION created_function(m migration) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE WHEN ((m).choices).created IS NOT NULL
            THEN format('CREATE FUNCTION %s(r %s) RETURNS pg_catalog.timestamptz '
                        'LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN %s',
                        key_object(m, 'created'), (m).relation, ((m).choices).created)
                 || format(E';\nGRANT EXECUTE ON FUNCTION %s(%s) TO PUBLIC', key_object(m, 'created'), (m).relation)
                 || coalesce(E';\n' || give_to_owner(
                                           m, format('FUNCTION %s(%s)', key_object(m, 'created'), (m).relation)), '')
            END;
