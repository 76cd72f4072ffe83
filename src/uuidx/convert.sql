-- Convert UUIDs from one version to another.

CREATE OR REPLACE FUNCTION uuid_v1_to_v6(uuid) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v1_to_v6'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v1_to_v6(uuid) IS
'version 6 UUID with the timestamp, clock sequence and node of a version 1 UUID';

CREATE OR REPLACE FUNCTION uuid_v6_to_v1(uuid) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v6_to_v1'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v6_to_v1(uuid) IS
'version 1 UUID with the timestamp, clock sequence and node of a version 6 UUID';
