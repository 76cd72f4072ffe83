-- Generating UUIDs.

CREATE FUNCTION uuid_generate_v7() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v7'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v7() IS
'new version 7 UUID, greater than every one before it in this session';

CREATE FUNCTION uuid_generate_v8(namespace uuid, name text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v8_name'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v8(uuid, text) IS
'version 8 UUID of a name in a namespace, hashed with SHA-256';

CREATE FUNCTION uuid_generate_v8(custom bytea) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v8_custom'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v8(bytea) IS
'version 8 UUID of 16 octets, of which it replaces the version and variant bits';

CREATE FUNCTION uuid_max() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_max'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_max() IS
'the Max UUID, all of whose bits are one';
