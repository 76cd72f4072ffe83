-- Version 7: of its version, on time, and greater than every one before.
\set SHOW_CONTEXT never
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
       count(*) FILTER (WHERE uuid_v7_time_us(id) >= uuid_time(id)
                          AND uuid_v7_time_us(id) < uuid_time(id) + interval '1 ms') AS precise
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

-- A batch: of any size, in FROM and elsewhere.
SELECT count(*) FROM uuid_generate_v7_batch(0);
SELECT count(*) FROM uuid_generate_v7_batch(1);
SELECT count(id), count(DISTINCT id) FROM uuid_generate_v7_batch(100000) AS id;
SELECT count(*) FROM uuid_generate_v7_batch(NULL);
SELECT count(*) FROM (SELECT uuid_generate_v7_batch(NULL)) AS s;
SELECT count(*) FROM generate_series(0, 3) AS n, uuid_generate_v7_batch(n);
SELECT uuid_version(id) FROM (SELECT uuid_generate_v7_batch(2147483647) AS id LIMIT 2) AS s;
SELECT * FROM uuid_generate_v7_batch(-1);
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generate_v7_batch(-2147483648);
\echo :LAST_ERROR_SQLSTATE
-- The batch itself is canceled, not the compilation of the plan.
SET jit = off;
SET statement_timeout = '100ms';
SELECT count(*) FROM uuid_generate_v7_batch(2147483647);
\echo :LAST_ERROR_SQLSTATE
RESET statement_timeout;
RESET jit;

-- A batch in FROM can be read back and forth, from the disk too.
BEGIN;
SET LOCAL work_mem = '64kB';
DECLARE c SCROLL CURSOR FOR SELECT n FROM uuid_generate_v7_batch(10000) WITH ORDINALITY AS b (id, n);
FETCH LAST FROM c;
FETCH PRIOR FROM c;
FETCH FIRST FROM c;
FETCH ABSOLUTE 500 FROM c;
COMMIT;

-- Shifted in time: by the interval, and in the same order.
SET timezone = 'UTC';
SELECT shift, extract(epoch FROM uuid_time(uuid_generate_v7(shift)) - (now() + shift)) BETWEEN -1 AND 60 AS as_asked
FROM (VALUES (interval '0'), ('1 day'), ('-1 year'), ('1 month -3 days'), ('8000 years')) AS v (shift);
SELECT count(*) AS not_increasing
FROM (SELECT id <= lag(id) OVER (ORDER BY n) AS wrong
      FROM (SELECT n, uuid_generate_v7(interval '-1.0005 seconds') AS id FROM generate_series(1, 10000) AS n) AS m) AS o
WHERE wrong;
-- a fraction of a millisecond is shifted too
SELECT bool_or(ahead BETWEEN '400 us' AND '501 us') AS ahead
FROM (SELECT uuid_v7_time_us(uuid_generate_v7('500 us')) - uuid_v7_time_us(uuid_generate_v7()) AS ahead
      FROM generate_series(1, 1000)) AS a;
-- the messages name the time, which is another one in each run
DO $$ BEGIN
    PERFORM uuid_generate_v7('-100 years');
EXCEPTION WHEN datetime_field_overflow THEN
    RAISE NOTICE '%', regexp_replace(SQLERRM, '".*"', '"..."');
END $$;
\set VERBOSITY sqlstate
SELECT uuid_generate_v7('-100 years');
SELECT uuid_generate_v7('9000 years');
SELECT uuid_generate_v7('200000 years');
SELECT uuid_generate_v7('280000 years');
\set VERBOSITY default

-- At a given moment: to the microsecond, everything else random.
SELECT count(*) AS moments,
       count(*) FILTER (WHERE uuid_v7_time_us(uuid_generate_v7_at(t)) = t) AS v7_to_the_microsecond,
       count(*) FILTER (WHERE uuid_time(uuid_generate_v7_at(t)) = date_trunc('milliseconds', t)) AS v7,
       count(*) FILTER (WHERE uuid_time(uuid_generate_v6_at(t)) = t) AS v6,
       count(DISTINCT uuid_generate_v7_at('2026-01-01')) AS different_v7,
       count(DISTINCT uuid_v7_node_id(uuid_generate_v7_at('2026-01-01'))) > 1 AS without_a_number,
       count(DISTINCT uuid_generate_v6_at('2026-01-01')) AS different_v6
FROM (SELECT timestamptz '2026-01-01 00:00:00' + n * interval '1.000001 seconds' AS t
      FROM generate_series(0, 9999) AS n) AS m;
SELECT uuid_time(uuid_generate_v7_at('1970-01-01 00:00:00+00')) AS first_v7,
       uuid_v7_time_us(uuid_generate_v7_at('10889-08-02 05:31:50.655999+00')) AS last_v7;
SELECT uuid_time(uuid_generate_v6_at('1582-10-15 00:00:00+00')) AS first_v6,
       uuid_time(uuid_generate_v6_at('5236-03-31 21:21:00.684697+00')) AS last_v6;
SELECT uuid_generate_v7_at('1969-12-31 23:59:59.999999+00');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generate_v7_at('10889-08-02 05:31:50.656+00');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generate_v7_at('294276-12-31 23:59:59.999999+00');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generate_v7_at('infinity');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generate_v7_at('-infinity');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generate_v6_at('1582-10-14 23:59:59.999999+00');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generate_v6_at('5236-03-31 21:21:00.684698+00');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generate_v6_at('4714-11-24 00:00:00+00 BC');
\echo :LAST_ERROR_SQLSTATE

-- Made of a moment and another key, or a name: the same each time.
SELECT uuid_v7_of('2022-02-22 19:22:22.123456+00', '919108f7-52d1-4320-9bac-f847db4148a8') AS of_version_4,
       uuid_v7_of('2022-02-22 19:22:22.123456+00', 'c232ab00-9414-11ec-b3c8-9f6bdeced846') AS of_version_1,
       uuid_v7_of_name('2022-02-22 19:22:22.123456+00', 'order 4711') AS of_name;
SELECT count(*) AS keys, count(DISTINCT v7) AS different,
       count(*) FILTER (WHERE uuid_version(v7) = 7 AND uuid_v7_time_us(v7) = t) AS of_their_moment,
       count(*) FILTER (WHERE right(v7::text, 15) = right(id::text, 15)) AS with_the_bits_of_version_4,
       count(*) FILTER (WHERE substr(uuid_send(v7), 9) = set_bit(set_bit(substr(sha256(uuid_send(id)), 9, 8), 7, 1), 6, 0)) AS with_those_of_the_hash,
       count(*) FILTER (WHERE substr(uuid_send(of_name), 9) = set_bit(set_bit(substr(sha256(convert_to(name, 'UTF8')), 9, 8), 7, 1), 6, 0)) AS of_names
FROM (SELECT n, timestamptz '2026-01-01 00:00:00.000001+00' + n / 100 * interval '1 us' AS t, 'name ' || n || 'é' AS name,
             CASE n % 2 WHEN 0 THEN gen_random_uuid() ELSE uuid_v6_to_v1(uuid_generate_v6()) END AS id
      FROM generate_series(1, 10000) AS n) AS k,
     LATERAL uuid_v7_of(t, id) AS v7, LATERAL uuid_v7_of_name(t, name) AS of_name;
SELECT uuid_v7_of('1969-12-31 23:59:59.999999+00', uuid_max());
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_v7_of_name('infinity', '');
\echo :LAST_ERROR_SQLSTATE
-- A backfill that is run twice makes no row twice.
CREATE TABLE old_rows (id uuid, at timestamptz);
INSERT INTO old_rows SELECT md5(n::text)::uuid, timestamptz '2026-01-01' + n * interval '1 s' FROM generate_series(1, 5) AS n;
CREATE TABLE new_rows (id uuid PRIMARY KEY);
INSERT INTO new_rows SELECT uuid_v7_of(at, id) FROM old_rows ON CONFLICT DO NOTHING;
INSERT INTO new_rows SELECT uuid_v7_of(at, id) FROM old_rows ON CONFLICT DO NOTHING;
SELECT count(*) FROM new_rows;
DROP TABLE old_rows, new_rows;
-- It makes every row twice where created has no time zone and the sessions have different ones.
CREATE TABLE no_zones (id uuid, created timestamp);
INSERT INTO no_zones VALUES ('919108f7-52d1-4320-9bac-f847db4148a8', '2022-02-22 19:22:22');
SET TimeZone = 'Asia/Tokyo';
CREATE TABLE keys AS
SELECT uuid_v7_of(created, id) AS without, uuid_v7_of(created AT TIME ZONE 'UTC', id) AS with_its_zone FROM no_zones;
SET TimeZone = 'UTC';
INSERT INTO keys SELECT uuid_v7_of(created, id), uuid_v7_of(created AT TIME ZONE 'UTC', id) FROM no_zones;
RESET TimeZone;
SELECT count(DISTINCT without) AS without, count(DISTINCT with_its_zone) AS with_its_zone FROM keys;
DROP TABLE no_zones, keys;

-- Version 6: of its version, on time, increasing; its node random. Fixed nodes are in test/t/server/server_order.pl.
CREATE TABLE made (n int GENERATED ALWAYS AS IDENTITY, id uuid DEFAULT uuid_generate_v6());
INSERT INTO made SELECT FROM generate_series(1, 10000);
SELECT count(*) AS made,
       count(*) FILTER (WHERE uuid_version(id) = 6) AS of_version_6,
       count(*) FILTER (WHERE abs(extract(epoch FROM uuid_time(id) - clock_timestamp())) < 60) AS of_now,
       count(DISTINCT uuid_extract_node(id)) AS nodes,
       count(*) FILTER (WHERE (uuid_inspect(id)).node_is_random) AS random_nodes
FROM made;
SELECT count(*) AS not_increasing
FROM (SELECT id <= lag(id) OVER (ORDER BY n) AS wrong FROM made) AS o
WHERE wrong;
DROP TABLE made;
SELECT uuid_v7_node_id('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'), uuid_v7_node_id('017f22e2-79b0-7fff-bc00-03ffffffffff') AS least,
       uuid_v7_node_id('017f22e2-79b0-7000-83ff-fc0000000000') AS greatest, uuid_v7_node_id(uuid_generate_v6()) AS of_version_6,
       uuid_v7_node_id(uuid_max()) AS of_max;

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

-- Names and octets that the table keeps compressed, or out of line
CREATE TABLE stored (compressed text, external text, octets bytea);
ALTER TABLE stored ALTER external SET STORAGE EXTERNAL, ALTER octets SET STORAGE EXTERNAL;
INSERT INTO stored SELECT repeat('long ', 10000), repeat('long ', 10000), decode(repeat('2489e9ad', 4), 'hex');
SELECT uuid_generate_v8(uuid_max(), compressed) = uuid_generate_v8(uuid_max(), repeat('long ', 10000)) AS compressed,
       uuid_generate_v8(uuid_max(), external) = uuid_generate_v8(uuid_max(), repeat('long ', 10000)) AS external,
       uuid_generate_v8(octets)
FROM stored;
DROP TABLE stored;

-- Version 8 of 16 octets: all but version and variant stay as they are.
SELECT uuid_generate_v8('\x00000000000000000000000000000000'::bytea);
SELECT uuid_generate_v8('\xffffffffffffffffffffffffffffffff'::bytea);
SELECT uuid_generate_v8(custom => uuid_send('2489e9ad-2ee2-0e00-0ec9-32d5f69181c0'));

-- Any other length is refused.
SELECT count(DISTINCT uuid_generate_v8_at('2026-01-01')) AS different_v8,
       bool_and(uuid_v8_time(uuid_generate_v8_at(t)) = t AND uuid_version(uuid_generate_v8_at(t)) = 8) AS of_their_time
FROM generate_series(timestamptz '2026-01-01', '2026-01-02', '1 h 3 min 1.234567 s') AS t;
SELECT left(uuid_generate_v8_at('2022-02-22 19:22:22+00')::text, 18) AS of_the_rfc;
SELECT uuid_v8_time(uuid_generate_v8_at('1970-01-01 00:00:00+00')) = '1970-01-01 00:00:00+00' AS first_v8,
       uuid_v8_time(uuid_generate_v8_at('2335-05-07 23:44:06.068469+00')) = '2335-05-07 23:44:06.068469+00' AS last_v8;
SELECT uuid_generate_v8_at('1969-12-31 23:59:59.999999+00');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generate_v8_at('2335-05-07 23:44:06.06847+00');
SELECT uuid_generate_v8_at('infinity');

SELECT uuid_generate_v8('\x000102030405060708090a0b0c0d0e'::bytea);
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generate_v8('\x000102030405060708090a0b0c0d0e0f10'::bytea);
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generate_v8('\x00'::bytea);
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generate_v8(''::bytea);
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_generate_v8(decode(repeat('00', 100000), 'hex'));
\echo :LAST_ERROR_SQLSTATE

-- The Max UUID is greater than any other.
SELECT uuid_max(), uuid_max() > uuid_generate_v7() AS greater;
