-- Version 7: of its version, on time, and greater than every one before.
CREATE TABLE made (n int GENERATED ALWAYS AS IDENTITY, id uuid DEFAULT uuid_generate_v7());
SELECT clock_timestamp() AS before \gset
INSERT INTO made SELECT FROM generate_series(1, 10000);
BEGIN;
INSERT INTO made SELECT FROM generate_series(1, 100);
SAVEPOINT s;
INSERT INTO made SELECT FROM generate_series(1, 100);
ROLLBACK TO s;
INSERT INTO made SELECT FROM generate_series(1, 100);
COMMIT;
INSERT INTO made SELECT FROM generate_series(1, 100);
SELECT count(*) AS made,
       count(*) FILTER (WHERE uuid_version(id) = 7) AS of_version_7,
       count(*) FILTER (WHERE uuid_time(id) BETWEEN :'before'::timestamptz - interval '2 ms'
                                                AND clock_timestamp() + interval '2 ms') AS on_time,
       count(*) FILTER (WHERE uuid_v7_timestamp_us(id) >= uuid_time(id)
                          AND uuid_v7_timestamp_us(id) < uuid_time(id) + interval '1 ms') AS precise
FROM made;
SELECT count(*) AS not_increasing
FROM (SELECT id <= lag(id) OVER (ORDER BY n) AS wrong FROM made) AS o
WHERE wrong;
-- rand_a is not random but advances with the clock: later rows of a millisecond have a greater one,
-- and all values occur.
SELECT count(DISTINCT get_byte(uuid_send(id), 6) & 15) AS values_of_the_first_4_bits FROM made;
-- the last 48 bits are random: each of them is set in about half of the UUIDs
SELECT count(*) AS bits, count(*) FILTER (WHERE share BETWEEN 0.45 AND 0.55) AS fair
FROM (SELECT bit, avg(get_bit(uuid_send(id), bit)) AS share
      FROM made, generate_series(80, 127) AS bit GROUP BY bit) AS b;
DROP TABLE made;

-- Version 8 of a name: RFC 9562 B.2, then against PostgreSQL's own sha256.
SELECT uuid_generate_v8('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com');
SELECT count(*) AS names,
       count(*) FILTER (WHERE uuid_generate_v8(ns, name)
                              = uuid_generate_v8(substr(sha256(uuid_send(ns) || convert_to(name, 'UTF8')), 1, 16))) AS agree
FROM (VALUES (uuid '6ba7b810-9dad-11d1-80b4-00c04fd430c8'), (uuid_max())) AS v (ns),
     (SELECT repeat('x', n) FROM generate_series(0, 200) AS n
      UNION ALL SELECT U&'za\017C\00F3\0142\0107 g\0119\015Bl\0105 ja\017A\0144' COLLATE "C"
      UNION ALL SELECT string_agg(md5(n::text), '') FROM generate_series(1, 100000) AS n) AS names (name);
SELECT uuid_generate_v8(namespace => uuid_max(), name => 'x') = uuid_generate_v8(uuid_max(), 'x') AS named_arguments;

-- Version 8 of 16 octets: all but version and variant stay as they are.
SELECT uuid_generate_v8('\x00000000000000000000000000000000'::bytea);
SELECT uuid_generate_v8('\xffffffffffffffffffffffffffffffff'::bytea);
SELECT uuid_generate_v8(custom => uuid_send('2489e9ad-2ee2-0e00-0ec9-32d5f69181c0'));

-- Any other length is refused.
SELECT uuid_generate_v8('\x000102030405060708090a0b0c0d0e'::bytea);
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generate_v8('\x000102030405060708090a0b0c0d0e0f10'::bytea);
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generate_v8(''::bytea);
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generate_v8(decode(repeat('00', 100000), 'hex'));
\echo :LAST_ERROR_SQLSTATE

-- The Max UUID is greater than any other.
SELECT uuid_max(), uuid_max() > uuid_generate_v7() AS greater;
