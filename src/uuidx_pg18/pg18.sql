-- The UUID functions of PostgreSQL 18, for older servers.

DO $$
BEGIN
    IF to_regprocedure('pg_catalog.uuidv7(interval)') IS NOT NULL THEN
        -- CREATE EXTENSION raises client_min_messages to WARNING, which would hide this NOTICE.
        IF current_setting('client_min_messages') = 'warning' THEN
            SET LOCAL client_min_messages = notice;
        END IF;
        RAISE NOTICE 'PostgreSQL % has the functions of extension "uuidx_pg18" itself',
            split_part(current_setting('server_version'), ' ', 1)
            USING DETAIL = 'The extension is needed here only for what was restored from an older server '
                           'and names its functions with their schema.';
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
