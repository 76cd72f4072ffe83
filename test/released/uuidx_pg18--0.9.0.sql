\echo Use "CREATE EXTENSION uuidx_pg18" to load this file. \quit
-- A superuser runs the script of a trusted extension, and other users may have created functions and operators in the
-- extension's schema. Whatever search_path says, a call would be bound for ever to one that matches it better than
-- PostgreSQL's own. So the script works in a private schema with a random name, which nobody can have created before.
DO $$
DECLARE
    private pg_catalog.text := pg_catalog.concat('uuidx_', pg_catalog.replace(pg_catalog.gen_random_uuid()::pg_catalog.text, '-', ''));
BEGIN
    EXECUTE pg_catalog.concat('CREATE SCHEMA ', private);
    PERFORM pg_catalog.set_config('search_path', pg_catalog.concat(private, ', pg_catalog, pg_temp'), true);
END
$$;
-- For what is parsed while the script runs. The server parsed the script itself before that, so a literal with a
-- backslash must begin with E.
SET LOCAL standard_conforming_strings = on;
-- The UUID functions of PostgreSQL 18, for older servers.

DO $$
BEGIN
    IF current_setting('server_version_num')::integer >= 180000 THEN
        -- CREATE EXTENSION raises client_min_messages to WARNING, which would hide this NOTICE.
        IF current_setting('client_min_messages') = 'warning' THEN
            SET LOCAL client_min_messages = notice;
        END IF;
        RAISE NOTICE 'PostgreSQL % has the functions of extension "uuidx_pg18" itself', split_part(current_setting('server_version'), ' ', 1)
            USING DETAIL = 'The extension is needed here only for what was restored from an older server and names its functions with their schema.';
        IF current_setting('client_min_messages') = 'notice' THEN
            SET LOCAL client_min_messages = warning;
        END IF;
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION uuidv4() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v4'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv4() IS
'generate UUID version 4';

CREATE OR REPLACE FUNCTION uuidv7() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v7'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7() IS
'generate UUID version 7';

CREATE OR REPLACE FUNCTION uuidv7(shift interval) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v7_shift'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7(interval) IS
'generate UUID version 7 with a timestamp shifted by specified interval';

CREATE OR REPLACE FUNCTION uuid_extract_version(uuid) RETURNS smallint
AS 'MODULE_PATHNAME', 'uuidx_version'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_extract_version(uuid) IS
'extract version from RFC 9562 UUID';
-- If the schema already has functions of these names, report all of them and their extensions.
DO $$
DECLARE
    target regnamespace := (SELECT extnamespace FROM pg_extension WHERE extname = 'uuidx_pg18');
    taken text := (
        SELECT string_agg(t.functions || coalesce(' of extension "' || t.extname || '"', ''), '; ' ORDER BY t.extname)
        FROM (SELECT e.extname, string_agg(format('%s(%s)', there.proname, oidvectortypes(there.proargtypes)), ', '
                                           ORDER BY there.proname, there.proargtypes) AS functions
              FROM pg_proc AS made
              JOIN pg_proc AS there ON (there.proname, there.proargtypes) = (made.proname, made.proargtypes)
              LEFT JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = there.oid
                                      AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
              LEFT JOIN pg_extension AS e ON e.oid = d.refobjid
              WHERE made.pronamespace = current_schema()::regnamespace AND there.pronamespace = target
              GROUP BY e.extname) AS t);
BEGIN
    IF taken IS NOT NULL THEN
        RAISE EXCEPTION 'schema "%" already has functions that extension "uuidx_pg18" would create',
            (SELECT nspname FROM pg_namespace WHERE oid = target)
            USING ERRCODE = 'duplicate_function', DETAIL = format('The schema has %s.', taken),
                  HINT = 'Give the extension a schema of its own: CREATE SCHEMA uuidx; CREATE EXTENSION uuidx_pg18 SCHEMA uuidx; '
                         'docs/changing-over.md shows how to replace another extension with this one.';
    END IF;
END
$$;

-- Move everything to the extension's schema. The row type of a table and an array type move with
-- what they are of.
DO $$
DECLARE
    private regnamespace := current_schema()::regnamespace;
    target regnamespace := (SELECT extnamespace FROM pg_extension WHERE extname = 'uuidx_pg18');
    member record;
BEGIN
    FOR member IN
        SELECT d.classid, d.objid
        FROM pg_extension AS e
        JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e',
             LATERAL pg_identify_object(d.classid, d.objid, d.objsubid) AS o
        WHERE e.extname = 'uuidx_pg18' AND o.schema = private::text
          AND (d.classid <> 'pg_type'::regclass
               OR EXISTS (SELECT FROM pg_type AS t JOIN pg_class AS c ON c.oid = t.typrelid WHERE t.oid = d.objid AND c.relkind = 'c'))
    LOOP
        -- A type that has moved changes the identity of functions that take it.
        EXECUTE (SELECT format('ALTER %s %s SET SCHEMA %s', o.type, o.identity, target) FROM pg_identify_object(member.classid, member.objid, 0) AS o);
    END LOOP;
    EXECUTE format('DROP SCHEMA %s', private);
END
$$;
