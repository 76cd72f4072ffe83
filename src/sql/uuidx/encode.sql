-- Encode UUIDs as text other than hex-and-dash.

CREATE OR REPLACE FUNCTION uuid_encode(id uuid, format text) RETURNS text
AS 'MODULE_PATHNAME', 'uuidx_encode'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_encode(uuid, text) IS
'encode a UUID as text in a format: urn, ulid, base32hex, base58 or base64url';

CREATE OR REPLACE FUNCTION uuid_decode(value text, format text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_decode'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_decode(text, text) IS
'decode a UUID from text in a format: urn, ulid, base32hex, base58 or base64url';
