\echo Use "CREATE EXTENSION uuidx_pg_uuidv7" to load this file. \quit
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
-- The functions of pg_uuidv7 1.6 except uuid_generate_v7, with its names, arguments and volatility. They are STABLE so
-- that an index serves a comparison with their results.

CREATE OR REPLACE FUNCTION uuid_v7_to_timestamptz(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_v7_to_timestamptz'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_to_timestamptz(uuid) IS
'the first 48 bits of a UUID of any version, read as milliseconds since 1970. Prefer uuid_time';

CREATE OR REPLACE FUNCTION uuid_v7_to_timestamp(uuid) RETURNS timestamp
AS 'MODULE_PATHNAME', 'uuidx_v7_to_timestamptz'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_to_timestamp(uuid) IS
'uuid_v7_to_timestamptz as a timestamp without time zone, in UTC';

CREATE OR REPLACE FUNCTION uuid_timestamptz_to_v7(timestamptz, zero boolean DEFAULT false) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_timestamptz_to_v7'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_timestamptz_to_v7(timestamptz, boolean) IS
'version 7 UUID for a moment, to the millisecond; the other bits are random or, if zero is true, zero';

CREATE OR REPLACE FUNCTION uuid_timestamp_to_v7(timestamp, zero boolean DEFAULT false) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_timestamptz_to_v7'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_timestamp_to_v7(timestamp, boolean) IS
'uuid_timestamptz_to_v7 for a timestamp without time zone, in UTC';
-- If the schema already has functions of these names, report all of them and their extensions.
DO $$
DECLARE
    target regnamespace := (SELECT extnamespace FROM pg_extension WHERE extname = 'uuidx_pg_uuidv7');
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
        RAISE EXCEPTION 'schema "%" already has functions that extension "uuidx_pg_uuidv7" would create',
            (SELECT nspname FROM pg_namespace WHERE oid = target)
            USING ERRCODE = 'duplicate_function', DETAIL = format('The schema has %s.', taken),
                  HINT = 'Give the extension a schema of its own: CREATE SCHEMA uuidx; CREATE EXTENSION uuidx_pg_uuidv7 SCHEMA uuidx; '
                         'docs/changing-over.md shows how to replace another extension with this one.';
    END IF;
END
$$;

-- Move everything to the extension's schema. The row type of a table and an array type move with
-- what they are of.
DO $$
DECLARE
    private regnamespace := current_schema()::regnamespace;
    target regnamespace := (SELECT extnamespace FROM pg_extension WHERE extname = 'uuidx_pg_uuidv7');
    member record;
BEGIN
    FOR member IN
        SELECT d.classid, d.objid
        FROM pg_extension AS e
        JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e',
             LATERAL pg_identify_object(d.classid, d.objid, d.objsubid) AS o
        WHERE e.extname = 'uuidx_pg_uuidv7' AND o.schema = private::text
          AND (d.classid <> 'pg_type'::regclass
               OR EXISTS (SELECT FROM pg_type AS t JOIN pg_class AS c ON c.oid = t.typrelid WHERE t.oid = d.objid AND c.relkind = 'c'))
    LOOP
        -- A type that has moved changes the identity of functions that take it.
        EXECUTE (SELECT format('ALTER %s %s SET SCHEMA %s', o.type, o.identity, target) FROM pg_identify_object(member.classid, member.objid, 0) AS o);
    END LOOP;
    EXECUTE format('DROP SCHEMA %s', private);
END
$$;
