-- UUIDs as URNs and ULIDs.

CREATE FUNCTION uuid_to_urn(uuid) RETURNS text
AS 'MODULE_PATHNAME', 'uuidx_to_urn'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_to_urn(uuid) IS
'URN of a UUID: urn:uuid: and its text';

CREATE FUNCTION uuid_from_urn(text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_from_urn'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_from_urn(text) IS
'UUID of a URN, upper case or lower case';

CREATE FUNCTION uuid_to_ulid(uuid) RETURNS text
AS 'MODULE_PATHNAME', 'uuidx_to_ulid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_to_ulid(uuid) IS
'bits of a UUID as a ULID: 26 digits of Crockford''s base 32';

CREATE FUNCTION uuid_from_ulid(text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_from_ulid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_from_ulid(text) IS
'UUID with the bits of a ULID, upper case or lower case';
