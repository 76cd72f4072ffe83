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

CREATE OR REPLACE FUNCTION uuid_to_typeid(id uuid, prefix text) RETURNS text
AS 'MODULE_PATHNAME', 'uuidx_to_typeid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_to_typeid(uuid, text) IS
'encode a UUID as a TypeID with a prefix, such as user_01h455vb4pex5vsknk084sn02q';

CREATE OR REPLACE FUNCTION uuid_from_typeid(value text, prefix text DEFAULT NULL) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_from_typeid'
LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION uuid_from_typeid(text, text) IS
'decode a UUID from a TypeID, which must have the prefix unless that is NULL';
