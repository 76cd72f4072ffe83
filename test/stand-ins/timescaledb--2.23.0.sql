-- What TimescaleDB has in public that is, or is like, what uuidx has.

CREATE FUNCTION uuid_version(uuid) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$ SELECT get_byte(uuid_send($1), 6) >> 4 $$;

CREATE FUNCTION uuid_timestamp(uuid) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$ SELECT to_timestamp(('x0000' || left(replace($1::text, '-', ''), 12))::bit(64)::bigint / 1000.0) $$;
