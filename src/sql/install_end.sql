-- Everything moves to where the extension is to be; the types of tables' rows, with the tables.
DO $$
DECLARE
    schema regnamespace := (SELECT extnamespace FROM pg_extension WHERE extname = 'uuidx');
    member record;
BEGIN
    FOR member IN
        SELECT o.type, o.identity
        FROM pg_extension AS e
        JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e',
             LATERAL pg_identify_object(d.classid, d.objid, d.objsubid) AS o
        WHERE e.extname = 'uuidx' AND o.schema = 'uuidx_installation' AND o.type <> 'type'
    LOOP
        EXECUTE format('ALTER %s %s SET SCHEMA %s', member.type, member.identity, schema);
    END LOOP;
END
$$;
DROP SCHEMA uuidx_installation;
