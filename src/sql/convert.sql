-- Converting UUIDs from one version to another.

CREATE FUNCTION uuid_v1_to_v6(uuid) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v1_to_v6'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v1_to_v6(uuid) IS
'version 6 UUID with the time, clock sequence and node of a version 1 UUID';

CREATE FUNCTION uuid_v6_to_v1(uuid) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v6_to_v1'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v6_to_v1(uuid) IS
'version 1 UUID that uuid_v1_to_v6 makes this version 6 UUID from';
