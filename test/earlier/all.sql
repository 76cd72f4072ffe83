-- What every extension had otherwise in version 0.9.0: each of its functions. A comparison with a new installation
-- finds all that an update leaves of this.
DO $$
DECLARE
    function record;
BEGIN
    FOR function IN
        SELECT p.oid::regprocedure AS name, p.prokind, obj_description(p.oid, 'pg_proc') AS comment FROM pg_proc AS p
        WHERE p.pronamespace = current_schema()::regnamespace AND p.proname <> 'uuidx_raise'
    LOOP
        IF function.comment IS NOT NULL THEN
            EXECUTE format('COMMENT ON ROUTINE %s IS %L', function.name, 'former comment');
        END IF;
        CONTINUE WHEN function.prokind <> 'f';
        EXECUTE format('ALTER FUNCTION %s COST 17', function.name);
    END LOOP;
END
$$;
