-- UUIDs as text other than hex-and-dash
\set SHOW_CONTEXT never
SELECT format, uuid_encode('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', format) AS v7,
       uuid_encode('00000000-0000-0000-0000-000000000000', format) AS nil, uuid_encode(uuid_max(), format) AS max
FROM unnest(ARRAY['urn', 'ulid', 'base32hex', 'base58', 'base64url']) AS format;

-- There and back, in the form that each specification asks for; base32hex and ULIDs sort as the UUIDs do.
SELECT format, count(*) AS uuids, count(*) FILTER (WHERE uuid_decode(text, format) = id) AS decoded,
       count(*) FILTER (WHERE text ~ form) AS of_the_form, count(DISTINCT text) AS different
FROM (VALUES ('urn', '^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'), ('ulid', '^[0-7][0-9A-HJKMNP-TV-Z]{25}$'),
             ('base32hex', '^[0-9A-V]{25}[048CGKOS]$'), ('base58', '^[1-9A-HJ-NP-Za-km-z]{16,22}$'),
             ('base64url', '^[A-Za-z0-9_-]{21}[AQgw]$')) AS f (format, form),
     (SELECT md5(n::text)::uuid AS id FROM generate_series(1, 2000) AS n
      UNION ALL SELECT overlay(md5(n::text) PLACING repeat('0', n) FROM 1)::uuid FROM generate_series(1, 31) AS n) AS u,
     LATERAL uuid_encode(id, format) AS text
GROUP BY format ORDER BY format;
SELECT format, count(*) AS out_of_order
FROM (SELECT format, id < lag(id) OVER (PARTITION BY format ORDER BY uuid_encode(id, format) COLLATE "C") AS earlier
      FROM (SELECT md5(n::text)::uuid AS id FROM generate_series(1, 2000) AS n) AS u,
           unnest(ARRAY['ulid', 'base32hex']) AS format) AS o
WHERE earlier GROUP BY format;

-- base64url is what PostgreSQL's base64 is, but for two characters and the padding.
SELECT count(*) FILTER (WHERE uuid_encode(id, 'base64url')
                              = rtrim(translate(encode(uuid_send(id), 'base64'), '+/', '-_'), '=')) AS same
FROM (SELECT md5(n::text)::uuid AS id FROM generate_series(1, 2000) AS n) AS u;

-- What a specification lets a text have in another way
SELECT uuid_decode('URN:UUID:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6', 'urn') AS urn,
       uuid_decode('01fwhe4ydgfk1shh6w1g60eecf', 'ulid') AS ulid,
       uuid_decode('0iIlLoO0000000000000000000', 'ulid') = uuid_decode('01111000000000000000000000', 'ulid') AS read_alike,
       uuid_decode('05vi5ojpm1uc7665r0o60oedhs', 'base32hex') IS NOT NULL AS base32hex;

-- Anything else is an error.
SELECT uuid_decode('f81d4fae-7dec-11d0-a765-00a0c91e6bf6', 'urn');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_decode('80000000000000000000000000', 'ulid');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_decode('05VI5OJPM1UC7665R0O60OEDHT', 'base32hex');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_decode('YcVfxkQb6JRzqk5kF2tNLw', 'base58');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_decode('AX8i4nmwfMOYxNwMDAc5jx', 'base64url');
\echo :LAST_ERROR_SQLSTATE
CREATE FUNCTION sqlstate_of(value text, format text) RETURNS text LANGUAGE plpgsql AS
$$ BEGIN RETURN uuid_decode(value, format); EXCEPTION WHEN OTHERS THEN RETURN sqlstate; END $$;
SELECT format, value, sqlstate_of(value, format) FROM (VALUES
    ('urn', ''), ('urn', 'urn:isbn:f81d4fae-7dec-11d0-a765-00a0c91e6bf6'), ('urn', 'urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf'),
    ('urn', 'urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6 '), ('urn', ' urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6'),
    ('urn', 'urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bg6'), ('urn', 'urn:uuid:f81d4fae7dec11d0a76500a0c91e6bf6'),
    ('urn', 'urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6#x'),
    ('ulid', ''), ('ulid', '01FWHE4YDGFK1SHH6W1G60EEC'), ('ulid', '01FWHE4YDGFK1SHH6W1G60EECF0'),
    ('ulid', '01FWHE4YDGFK1SHH6W1G60EECU'), ('ulid', '01FWHE4YDGFK1SHH6W1G60EEC-'), ('ulid', '01FWHE4YDGFK1SHH6W1G60EECé'),
    ('base32hex', ''), ('base32hex', '05VI5OJPM1UC7665R0O60OEDH'), ('base32hex', '05VI5OJPM1UC7665R0O60OEDHS======'),
    ('base32hex', '05VI5OJPM1UC7665R0O60OEDHW'),
    ('base58', ''), ('base58', '1111111111111111'), ('base58', '111111111111111'), ('base58', '11111111111111111'),
    ('base58', 'YcVfxkQb6JRzqk5kF2tNLv'), ('base58', 'YcVfxkQb6JRzqk5kF2tNL0'), ('base58', 'zzzzzzzzzzzzzzzzzzzzzz'),
    ('base58', 'zzzzzzzzzzzzzzzzzzzzzzz'),
    ('base64url', ''), ('base64url', 'AX8i4nmwfMOYxNwMDAc5j'), ('base64url', 'AX8i4nmwfMOYxNwMDAc5jw=='),
    ('base64url', 'AX8i4nmwfMOYxNwMDAc5+w')) AS v (format, value);

-- A format that there is not
SELECT uuid_encode(uuid_max(), 'hex');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_decode('x', 'URN');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_encode(NULL, 'urn') IS NULL AS id, uuid_encode(uuid_max(), NULL) IS NULL AS format, uuid_decode(NULL, 'urn') IS NULL AS value;
DROP FUNCTION sqlstate_of;
