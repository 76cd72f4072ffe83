-- What an earlier version has made moves to where nobody else can make anything, as install_begin.sql says of what
-- is made: there it is changed and added to.
CREATE SCHEMA uuidx_installation;
SET LOCAL search_path = uuidx_installation, pg_temp;
DO $$
DECLARE
    member record;
BEGIN
    FOR member IN
        SELECT o.type, o.identity
        FROM pg_extension AS e
        JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e',
             LATERAL pg_identify_object(d.classid, d.objid, d.objsubid) AS o
        WHERE e.extname = 'EXTENSION_NAME' AND o.schema = e.extnamespace::regnamespace::text AND o.type <> 'type'
    LOOP
        EXECUTE format('ALTER %s %s SET SCHEMA uuidx_installation', member.type, member.identity);
    END LOOP;
END
$$;
