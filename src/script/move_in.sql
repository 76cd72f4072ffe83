-- Move the extension's members to the private schema that private_schema.sql has created, where the update changes
-- them. Leave members that belong to an ordinary user: the extension's owner has added them, and the superuser who runs
-- this script must not call them. Only a superuser can create functions in C: if such a member belongs to an ordinary
-- user, the extension's own members have been given away, and cannot be told from others.
DO $$
DECLARE
    private regnamespace := current_schema()::regnamespace;
    owners text := (
        SELECT string_agg(DISTINCT r.rolname, ', ')
        FROM pg_extension AS e
        JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
        JOIN pg_proc AS p ON d.classid = 'pg_proc'::regclass AND p.oid = d.objid
        JOIN pg_language AS l ON l.oid = p.prolang
        JOIN pg_roles AS r ON r.oid = p.proowner
        WHERE e.extname = '@EXTENSION@' AND l.lanname = 'c' AND NOT r.rolsuper);
    member record;
BEGIN
    IF owners IS NOT NULL THEN
        PERFORM uuidx_raise('55000', 'functions of extension "@EXTENSION@" do not belong to a superuser',
            format('They belong to %s.', owners),
            'Change the owner of the extension''s members to a superuser with ALTER ... OWNER TO.');
    END IF;
    FOR member IN
        SELECT d.classid, d.objid
        FROM pg_extension AS e
        JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e',
             LATERAL pg_identify_object(d.classid, d.objid, d.objsubid) AS o,
             LATERAL (SELECT coalesce((SELECT p.proname FROM pg_proc AS p
                                       WHERE d.classid = 'pg_proc'::regclass AND p.oid = d.objid),
                                      (SELECT c.relname FROM pg_class AS c
                                       WHERE d.classid = 'pg_class'::regclass AND c.oid = d.objid))) AS made (name)
        WHERE e.extname = '@EXTENSION@' AND o.schema = @SCHEMA@::text
          AND (d.classid <> 'pg_type'::regclass
               OR EXISTS (SELECT FROM pg_type AS t JOIN pg_class AS c ON c.oid = t.typrelid
                          WHERE t.oid = d.objid AND c.relkind = 'c'))
          AND NOT EXISTS (SELECT FROM pg_shdepend AS s JOIN pg_roles AS r ON r.oid = s.refobjid
                          WHERE s.dbid = (SELECT b.oid FROM pg_database AS b WHERE b.datname = current_database())
                            AND (s.classid, s.objid, s.deptype) = (d.classid, d.objid, 'o') AND NOT r.rolsuper)
    LOOP
        -- A type that has moved changes the identity of functions that take it.
        EXECUTE (SELECT format('ALTER %s %s SET SCHEMA %s', o.type, o.identity, private)
                 FROM pg_identify_object(member.classid, member.objid, 0) AS o);
    END LOOP;
END
$$;
