-- The conversions of pg_uuidv7, under its names.

CREATE FUNCTION uuid_v7_to_timestamptz(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_v7_to_timestamptz'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_to_timestamptz(uuid) IS
'time inside a version 7 UUID; of any other, what its first 48 bits are as milliseconds. Prefer uuid_time';

CREATE FUNCTION uuid_v7_to_timestamp(uuid) RETURNS timestamp
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN timezone('UTC', uuid_v7_to_timestamptz($1));
COMMENT ON FUNCTION uuid_v7_to_timestamp(uuid) IS
'the same without time zone, in UTC';

-- With zero => true the planner sees uuid_v7_floor, which is IMMUTABLE: an index serves it.
CREATE FUNCTION uuid_timestamptz_to_v7(ts timestamptz, zero boolean DEFAULT false) RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN CASE WHEN zero THEN uuid_v7_floor(ts) WHEN NOT zero THEN uuid_generate_v7_at(ts) END;
COMMENT ON FUNCTION uuid_timestamptz_to_v7(timestamptz, boolean) IS
'version 7 UUID of a given moment, the rest of it random or, with zero, zero. Prefer uuid_generate_v7_at and uuid_v7_floor';

CREATE FUNCTION uuid_timestamp_to_v7(ts timestamp, zero boolean DEFAULT false) RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN uuid_timestamptz_to_v7(timezone('UTC', ts), zero);
COMMENT ON FUNCTION uuid_timestamp_to_v7(timestamp, boolean) IS
'the same of a moment without time zone, in UTC';
