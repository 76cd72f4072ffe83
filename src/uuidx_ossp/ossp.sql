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
'new version 1 UUID with a random multicast address as its node, '
'later in time order than every one before it in this session';

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
