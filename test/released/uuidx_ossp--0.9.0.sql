\echo Use "CREATE EXTENSION uuidx_ossp" to load this file. \quit
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
-- The functions of uuid-ossp, under its names.

CREATE OR REPLACE FUNCTION uuid_nil() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_nil'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_nil() IS
'the Nil UUID: all bits are zero';

CREATE OR REPLACE FUNCTION uuid_ns_dns() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_ns_dns'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_ns_dns() IS
'ID of the namespace of DNS names';

CREATE OR REPLACE FUNCTION uuid_ns_url() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_ns_url'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_ns_url() IS
'ID of the namespace of URLs';

CREATE OR REPLACE FUNCTION uuid_ns_oid() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_ns_oid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_ns_oid() IS
'ID of the namespace of ISO object identifiers (not PostgreSQL''s OIDs)';

CREATE OR REPLACE FUNCTION uuid_ns_x500() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_ns_x500'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_ns_x500() IS
'ID of the namespace of X.500 distinguished names (DNs)';

CREATE OR REPLACE FUNCTION uuid_generate_v1() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v1'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v1() IS
'new version 1 UUID with the node that uuidx.node sets, later in time order than every one before it in this session';

CREATE OR REPLACE FUNCTION uuid_generate_v1mc() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v1mc'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v1mc() IS
'new version 1 UUID with a random multicast address as its node, later in time order than every one before it in this session';

CREATE OR REPLACE FUNCTION uuid_generate_v3(namespace uuid, name text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v3'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v3(uuid, text) IS
'version 3 UUID from the MD5 hash of a name in a namespace';

CREATE OR REPLACE FUNCTION uuid_generate_v4() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v4'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v4() IS
'new random UUID (version 4)';

CREATE OR REPLACE FUNCTION uuid_generate_v5(namespace uuid, name text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v5'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v5(uuid, text) IS
'version 5 UUID from the SHA-1 hash of a name in a namespace';
-- If the schema already has functions of these names, report all of them and their extensions.
DO $$
DECLARE
    target regnamespace := (SELECT extnamespace FROM pg_extension WHERE extname = 'uuidx_ossp');
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
        RAISE EXCEPTION 'schema "%" already has functions that extension "uuidx_ossp" would create',
            (SELECT nspname FROM pg_namespace WHERE oid = target)
            USING ERRCODE = 'duplicate_function', DETAIL = format('The schema has %s.', taken),
                  HINT = 'Give the extension a schema of its own: CREATE SCHEMA uuidx; CREATE EXTENSION uuidx_ossp SCHEMA uuidx; '
                         'docs/changing-over.md shows how to replace another extension with this one.';
    END IF;
END
$$;

-- Move everything to the extension's schema. The row type of a table and an array type move with
-- what they are of.
DO $$
DECLARE
    private regnamespace := current_schema()::regnamespace;
    target regnamespace := (SELECT extnamespace FROM pg_extension WHERE extname = 'uuidx_ossp');
    member record;
BEGIN
    FOR member IN
        SELECT d.classid, d.objid
        FROM pg_extension AS e
        JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e',
             LATERAL pg_identify_object(d.classid, d.objid, d.objsubid) AS o
        WHERE e.extname = 'uuidx_ossp' AND o.schema = private::text
          AND (d.classid <> 'pg_type'::regclass
               OR EXISTS (SELECT FROM pg_type AS t JOIN pg_class AS c ON c.oid = t.typrelid WHERE t.oid = d.objid AND c.relkind = 'c'))
    LOOP
        -- A type that has moved changes the identity of functions that take it.
        EXECUTE (SELECT format('ALTER %s %s SET SCHEMA %s', o.type, o.identity, target) FROM pg_identify_object(member.classid, member.objid, 0) AS o);
    END LOOP;
    EXECUTE format('DROP SCHEMA %s', private);
END
$$;
