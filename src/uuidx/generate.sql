-- Generate UUIDs.

CREATE OR REPLACE FUNCTION uuid_generate_v7() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v7'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v7() IS
'new version 7 UUID, greater than every one before it in this session, or on this server';

CREATE OR REPLACE FUNCTION uuid_generate_v7(shift interval) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v7_shift'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v7(interval) IS
'new version 7 UUID with its timestamp shifted by an interval';

CREATE OR REPLACE FUNCTION uuid_generate_v7_at(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v7_at'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v7_at(timestamptz) IS
'new version 7 UUID for a moment, to the microsecond; the other bits are random';

CREATE OR REPLACE FUNCTION uuid_v7_of(created timestamptz, id uuid) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v7_of'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_of(timestamptz, uuid) IS
'version 7 UUID for a moment and another UUID; the same arguments always give the same UUID';

CREATE OR REPLACE FUNCTION uuid_v7_of_name(created timestamptz, name text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v7_of_name'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_of_name(timestamptz, text) IS
'version 7 UUID for a moment and a name; the same arguments always give the same UUID';

CREATE OR REPLACE FUNCTION uuid_generate_v7_batch_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'uuidx_generate_v7_batch_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v7_batch_support(internal) IS
'planner support for uuid_generate_v7_batch: number of rows';

CREATE OR REPLACE FUNCTION uuid_generate_v7_batch(count integer) RETURNS SETOF uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v7_batch'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE
SUPPORT uuid_generate_v7_batch_support;
COMMENT ON FUNCTION uuid_generate_v7_batch(integer) IS
'the given number of new version 7 UUIDs, in increasing order';

CREATE OR REPLACE FUNCTION uuid_generate_v6() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v6'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v6() IS
'new version 6 UUID, greater than every one before it in this session';

CREATE OR REPLACE FUNCTION uuid_generate_v6_at(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v6_at'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v6_at(timestamptz) IS
'new version 6 UUID for a moment, with a random clock sequence and node';

CREATE OR REPLACE FUNCTION uuid_generate_v8(namespace uuid, name text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v8_name'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v8(uuid, text) IS
'version 8 UUID from the SHA-256 hash of a name in a namespace';

CREATE OR REPLACE FUNCTION uuid_generate_v8(custom bytea) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v8_custom'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v8(bytea) IS
'version 8 UUID from 16 bytes, with version and variant set';

CREATE OR REPLACE FUNCTION uuid_generate_v8_at(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v8_at'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v8_at(timestamptz) IS
'new version 8 UUID for a moment, with the layout of RFC 9562 B.1; the other bits are random';

CREATE OR REPLACE FUNCTION uuid_max() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_max'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_max() IS
'the Max UUID: all bits are one';
