-- What an earlier version has made moves to where nobody else can make anything, as install_begin.sql says of what
-- is made: there it is changed and added to. What the owner of the extension has added to it, being no superuser,
-- stays where it is: a superuser runs this, and is not to call it.
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
          AND NOT EXISTS (SELECT FROM pg_shdepend AS s JOIN pg_roles AS r ON r.oid = s.refobjid
                          WHERE s.dbid = (SELECT b.oid FROM pg_database AS b WHERE b.datname = current_database())
                            AND (s.classid, s.objid, s.deptype) = (d.classid, d.objid, 'o') AND NOT r.rolsuper)
    LOOP
        EXECUTE format('ALTER %s %s SET SCHEMA uuidx_installation', member.type, member.identity);
    END LOOP;
END
$$;
