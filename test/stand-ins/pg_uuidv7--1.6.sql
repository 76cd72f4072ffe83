-- The interface of pg_uuidv7 1.6: names, arguments, types, volatility, and what they do.

CREATE FUNCTION uuid_timestamptz_to_v7(timestamptz, zero bool = false) RETURNS uuid
LANGUAGE sql STABLE STRICT PARALLEL SAFE
AS $$
    SELECT encode(set_byte(set_byte(
        overlay(CASE WHEN zero THEN '\x00000000000000000000000000000000' ELSE uuid_send(gen_random_uuid()) END
                PLACING substring(int8send(floor(extract(epoch FROM $1) * 1000)::bigint) FROM 3) FROM 1),
        6, 7 << 4), 8, 2 << 6), 'hex')::uuid
$$;

CREATE FUNCTION uuid_generate_v7() RETURNS uuid
LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
AS $$ SELECT uuid_timestamptz_to_v7(clock_timestamp()) $$;

CREATE FUNCTION uuid_v7_to_timestamptz(uuid) RETURNS timestamptz
LANGUAGE sql STABLE STRICT PARALLEL SAFE
AS $$ SELECT to_timestamp(('x0000' || left(replace($1::text, '-', ''), 12))::bit(64)::bigint / 1000.0) $$;

CREATE FUNCTION uuid_timestamp_to_v7(timestamp, zero bool = false) RETURNS uuid
LANGUAGE sql STABLE STRICT PARALLEL SAFE
AS $$ SELECT uuid_timestamptz_to_v7($1 AT TIME ZONE 'UTC', zero) $$;

CREATE FUNCTION uuid_v7_to_timestamp(uuid) RETURNS timestamp
LANGUAGE sql STABLE STRICT PARALLEL SAFE
AS $$ SELECT uuid_v7_to_timestamptz($1) AT TIME ZONE 'UTC' $$;
