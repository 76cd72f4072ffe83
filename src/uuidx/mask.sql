-- Mask UUIDs.

CREATE OR REPLACE FUNCTION uuid_mask(id uuid, key bytea, tweak text DEFAULT '') RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_mask'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_mask(uuid, bytea, text) IS
'mask a UUID: encrypt it with a key, as a UUID that looks like version 4';

CREATE OR REPLACE FUNCTION uuid_unmask(id uuid, key bytea, tweak text DEFAULT '', version integer DEFAULT 7)
RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_unmask'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_unmask(uuid, bytea, text, integer) IS
'unmask a UUID: the UUID of a version that uuid_mask masked with the same key and tweak';
