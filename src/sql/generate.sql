-- Generating UUIDs.

CREATE FUNCTION uuid_generate_v7() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v7'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v7() IS
'new version 7 UUID, greater than every one before it in this backend';

CREATE FUNCTION uuid_generate_v7(shift interval) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v7_shift'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v7(interval) IS
'new version 7 UUID whose time is shifted by an interval';

CREATE FUNCTION uuid_generate_v7_at(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v7_at'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v7_at(timestamptz) IS
'version 7 UUID of a given moment, to the microsecond, the rest of it random';

CREATE FUNCTION uuid_generate_v7_batch_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'uuidx_generate_v7_batch_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v7_batch_support(internal) IS
'planner support for uuid_generate_v7_batch: how many rows it returns';

CREATE FUNCTION uuid_generate_v7_batch(count integer) RETURNS SETOF uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v7_batch'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE
SUPPORT uuid_generate_v7_batch_support;
COMMENT ON FUNCTION uuid_generate_v7_batch(integer) IS
'as many new version 7 UUIDs as count says, each greater than the one before it';

CREATE FUNCTION uuid_generate_v6() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v6'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v6() IS
'new version 6 UUID, greater than every one before it in this backend';

CREATE FUNCTION uuid_generate_v6_at(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v6_at'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v6_at(timestamptz) IS
'version 6 UUID of a given moment, with a random clock sequence and node';

-- PARALLEL RESTRICTED: a worker has a generator of its own, of which nobody asks.
CREATE FUNCTION uuid_generator_state(
    version integer DEFAULT 7,
    OUT method text,
    OUT last_timestamp timestamptz,
    OUT ahead_of_clock interval,
    OUT generated bigint
)
AS 'MODULE_PATHNAME', 'uuidx_generator_state'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION uuid_generator_state(integer) IS
'what this backend''s generator of version 7 (or of 1 and 6) holds: its method, its last time, how far that is ahead of the clock, how many UUIDs it made';

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

CREATE FUNCTION uuid_generate_v8_at(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v8_at'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v8_at(timestamptz) IS
'version 8 UUID of a given moment, of the layout of RFC 9562''s time-based example, the rest of it random';

CREATE FUNCTION uuid_max() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_max'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_max() IS
'the Max UUID, all of whose bits are one';
