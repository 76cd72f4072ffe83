-- URNs
\set SHOW_CONTEXT never
SELECT uuid_to_urn('F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6');
SELECT uuid_from_urn('urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6');
SELECT uuid_from_urn('URN:UUID:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6');
SELECT uuid_from_urn('f81d4fae-7dec-11d0-a765-00a0c91e6bf6');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_from_urn('urn:isbn:f81d4fae-7dec-11d0-a765-00a0c91e6bf6');
SELECT uuid_from_urn('urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf');
SELECT uuid_from_urn('urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6 ');
SELECT uuid_from_urn(' urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6');
SELECT uuid_from_urn('urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bg6');
SELECT uuid_from_urn('urn:uuid:f81d4fae7dec11d0a76500a0c91e6bf6');
SELECT uuid_from_urn('urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6#x');
SELECT uuid_from_urn('');

-- ULIDs: the timestamp of version 7 comes first in both
SELECT uuid_to_ulid('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
SELECT uuid_from_ulid('01FWHE4YDGFK1SHH6W1G60EECF');
SELECT uuid_from_ulid('01fwhe4ydgfk1shh6w1g60eecf');
SELECT uuid_to_ulid('00000000-0000-0000-0000-000000000000'), uuid_to_ulid(uuid_max());
SELECT uuid_from_ulid('7ZZZZZZZZZZZZZZZZZZZZZZZZZ');
SELECT uuid_from_ulid('0iIlLoO0000000000000000000') = uuid_from_ulid('01111000000000000000000000') AS read_alike;
SELECT uuid_from_ulid('80000000000000000000000000');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_from_ulid('01FWHE4YDGFK1SHH6W1G60EEC');
SELECT uuid_from_ulid('01FWHE4YDGFK1SHH6W1G60EECF0');
SELECT uuid_from_ulid('01FWHE4YDGFK1SHH6W1G60EECU');
SELECT uuid_from_ulid('01FWHE4YDGFK1SHH6W1G60EEC-');
SELECT uuid_from_ulid('01FWHE4YDGFK1SHH6W1G60EEC ');
SELECT uuid_from_ulid(' 1FWHE4YDGFK1SHH6W1G60EECF');
SELECT uuid_from_ulid('01FWHE4YDGFK1SHH6W1G60EECé');
SELECT uuid_from_ulid('');

-- There and back
SELECT count(*) AS uuids,
       count(*) FILTER (WHERE uuid_from_urn(uuid_to_urn(id)) = id) AS by_urn,
       count(*) FILTER (WHERE uuid_from_urn(upper(uuid_to_urn(id))) = id) AS by_upper_urn,
       count(*) FILTER (WHERE uuid_from_ulid(uuid_to_ulid(id)) = id) AS by_ulid,
       count(*) FILTER (WHERE uuid_from_ulid(lower(uuid_to_ulid(id))) = id) AS by_lower_ulid,
       count(*) FILTER (WHERE uuid_to_ulid(id) ~ '^[0-7][0-9A-HJKMNP-TV-Z]{25}$') AS of_the_form
FROM (SELECT md5(n::text)::uuid AS id FROM generate_series(1, 10000) AS n) AS u;
SELECT count(*) AS out_of_order
FROM (SELECT id < lag(id) OVER (ORDER BY uuid_to_ulid(id) COLLATE "C") AS earlier
      FROM (SELECT md5(n::text)::uuid AS id FROM generate_series(1, 10000) AS n) AS u) AS o
WHERE earlier;
