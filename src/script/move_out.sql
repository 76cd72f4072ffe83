-- If the schema already has functions of these names, report all of them and their extensions.
DO $$
DECLARE
    taken record;
BEGIN
    SELECT min(t.nspname) AS schema,
           string_agg(t.functions || coalesce(' of extension "' || t.extname || '"', ''), '; '
                      ORDER BY t.extname) AS functions
    INTO taken
    FROM (SELECT n.nspname, e.extname,
                 string_agg(format('%s(%s)', there.proname, oidvectortypes(there.proargtypes)), ', '
                            ORDER BY there.proname, there.proargtypes) AS functions
          FROM (SELECT p.proname AS name, p.proargtypes
                FROM pg_proc AS p WHERE p.pronamespace = current_schema()::regnamespace) AS made
          JOIN pg_proc AS there
            ON (there.proname, there.proargtypes, there.pronamespace) = (made.name, made.proargtypes, @SCHEMA@)
          JOIN pg_namespace AS n ON n.oid = there.pronamespace
          LEFT JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = there.oid
                                  AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
          LEFT JOIN pg_extension AS e ON e.oid = d.refobjid
          GROUP BY n.nspname, e.extname) AS t;
    IF taken.functions IS NOT NULL THEN
        PERFORM uuidx_raise('42723',
            format('schema "%s" already has functions that extension "@EXTENSION@" would create', taken.schema),
            format('The schema has %s.', taken.functions),
            'Give the extension a schema of its own: CREATE SCHEMA uuidx; CREATE EXTENSION @EXTENSION@ SCHEMA uuidx; '
            'docs/migrate/change-over.md shows how to replace another extension with this one.');
    END IF;
END
$$;
DROP FUNCTION uuidx_raise(text, text, text, text);

-- Move everything to the extension's schema. The row type of a table and an array type move with
-- what they are of.
DO $$
DECLARE
    private regnamespace := current_schema()::regnamespace;
    member record;
BEGIN
    FOR member IN
        SELECT d.classid, d.objid, @SCHEMA@ AS target
        FROM pg_extension AS e
        JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e',
             LATERAL pg_identify_object(d.classid, d.objid, d.objsubid) AS o,
             LATERAL (SELECT coalesce((SELECT p.proname FROM pg_proc AS p
                                       WHERE d.classid = 'pg_proc'::regclass AND p.oid = d.objid),
                                      (SELECT c.relname FROM pg_class AS c
                                       WHERE d.classid = 'pg_class'::regclass AND c.oid = d.objid))) AS made (name)
        WHERE e.extname = '@EXTENSION@' AND o.schema = private::text
          AND (d.classid <> 'pg_type'::regclass
               OR EXISTS (SELECT FROM pg_type AS t JOIN pg_class AS c ON c.oid = t.typrelid
                          WHERE t.oid = d.objid AND c.relkind = 'c'))
    LOOP
        -- A type that has moved changes the identity of functions that take it.
        EXECUTE (SELECT format('ALTER %s %s SET SCHEMA %s', o.type, o.identity, member.target)
                 FROM pg_identify_object(member.classid, member.objid, 0) AS o);
    END LOOP;
    EXECUTE format('DROP SCHEMA %s', private);
END
$$;
