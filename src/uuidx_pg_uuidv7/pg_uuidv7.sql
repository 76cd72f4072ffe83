-- The functions of pg_uuidv7 1.6 except uuid_generate_v7, with its names, arguments and volatility. They are STABLE so
-- that an index serves a comparison with their results.

CREATE OR REPLACE FUNCTION uuid_v7_to_timestamptz(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_v7_to_timestamptz'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_to_timestamptz(uuid) IS
'the first 48 bits of a UUID of any version, read as milliseconds since 1970. Prefer uuid_time';

CREATE OR REPLACE FUNCTION uuid_v7_to_timestamp(uuid) RETURNS timestamp
AS 'MODULE_PATHNAME', 'uuidx_v7_to_timestamptz'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_to_timestamp(uuid) IS
'uuid_v7_to_timestamptz as a timestamp without time zone, in UTC';

CREATE OR REPLACE FUNCTION uuid_timestamptz_to_v7(timestamptz, zero boolean DEFAULT false) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_timestamptz_to_v7'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_timestamptz_to_v7(timestamptz, boolean) IS
'version 7 UUID for a moment, to the millisecond; the other bits are random or, if zero is true, zero';

CREATE OR REPLACE FUNCTION uuid_timestamp_to_v7(timestamp, zero boolean DEFAULT false) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_timestamptz_to_v7'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_timestamp_to_v7(timestamp, boolean) IS
'uuid_timestamptz_to_v7 for a timestamp without time zone, in UTC';
