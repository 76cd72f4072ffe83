-- Move the extension's members to the private schema that private_schema.sql has created, where the update changes
-- them. Leave members that belong to an ordinary user: the extension's owner has added them, and the superuser who runs
-- this script must not call them.
DO $$
DECLARE
    private regnamespace := current_schema()::regnamespace;
    member record;
BEGIN
    FOR member IN
        SELECT o.type, o.identity
        FROM pg_extension AS e
        JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e',
             LATERAL pg_identify_object(d.classid, d.objid, d.objsubid) AS o
        WHERE e.extname = '@EXTENSION@' AND o.schema = e.extnamespace::regnamespace::text AND o.type <> 'type'
          AND NOT EXISTS (SELECT FROM pg_shdepend AS s JOIN pg_roles AS r ON r.oid = s.refobjid
                          WHERE s.dbid = (SELECT b.oid FROM pg_database AS b WHERE b.datname = current_database())
                            AND (s.classid, s.objid, s.deptype) = (d.classid, d.objid, 'o') AND NOT r.rolsuper)
    LOOP
        EXECUTE format('ALTER %s %s SET SCHEMA %s', member.type, member.identity, private);
    END LOOP;
END
$$;
