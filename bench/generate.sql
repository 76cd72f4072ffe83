-- bench/generate: the variables rounds and uuids say how much.
CREATE EXTENSION uuidx;
CREATE EXTENSION uuidx_peers;
CREATE EXTENSION "uuid-ossp";
\ir rounds.sql

-- Version 7 as people paste it: in PL/pgSQL and in SQL.
CREATE FUNCTION plpgsql_v7() RETURNS uuid LANGUAGE plpgsql VOLATILE PARALLEL SAFE AS $$
DECLARE
    unix_ts_ms bytea := substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3);
    octets     bytea := unix_ts_ms || gen_random_bytes(10);
BEGIN
    octets := set_byte(octets, 6, (b'0111' || get_byte(octets, 6)::bit(4))::bit(8)::int);
    octets := set_byte(octets, 8, (b'10' || get_byte(octets, 8)::bit(6))::bit(8)::int);
    RETURN encode(octets, 'hex')::uuid;
END
$$;
