-- Version 1 to version 6 and back.
\set SHOW_CONTEXT never
SELECT uuid_v1_to_v6('c232ab00-9414-11ec-b3c8-9f6bdeced846');
SELECT uuid_v6_to_v1('1ec9414c-232a-6b00-b3c8-9f6bdeced846');

-- A bijection that keeps the time, the clock sequence and the node, and sorts by time.
CREATE TABLE ones AS
SELECT overlay(overlay(md5(n::text) PLACING '1' FROM 13)
               PLACING substr('89ab', 1 + n % 4, 1) FROM 17)::uuid AS id
FROM generate_series(1, 2000) AS n;
SELECT count(*) AS ones,
       count(DISTINCT uuid_v1_to_v6(id)) AS sixes,
       count(*) FILTER (WHERE uuid_version(uuid_v1_to_v6(id)) = 6) AS of_version_6,
       count(*) FILTER (WHERE uuid_v6_to_v1(uuid_v1_to_v6(id)) = id) AS come_back,
       count(*) FILTER (WHERE uuid_time(uuid_v1_to_v6(id)) = uuid_time(id)) AS keep_their_time,
       count(*) FILTER (WHERE uuid_extract_clock_seq(uuid_v1_to_v6(id)) = uuid_extract_clock_seq(id)
                          AND uuid_extract_node(uuid_v1_to_v6(id)) = uuid_extract_node(id)) AS keep_their_node
FROM ones;
SELECT count(*) AS out_of_order
FROM (SELECT uuid_time(id) < lag(uuid_time(id)) OVER (ORDER BY uuid_v1_to_v6(id)) AS earlier FROM ones) AS o
WHERE earlier;
DROP TABLE ones;

-- What cannot be converted
SELECT uuid_v1_to_v6('919108f7-52d1-4320-9bac-f847db4148a8');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_v1_to_v6('1ec9414c-232a-6b00-b3c8-9f6bdeced846');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_v6_to_v1('c232ab00-9414-11ec-b3c8-9f6bdeced846');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_v6_to_v1('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_v1_to_v6('00000000-0000-0000-0000-000000000000');
\echo :LAST_ERROR_SQLSTATE
SELECT uuid_v6_to_v1('ffffffff-ffff-ffff-ffff-ffffffffffff');
\echo :LAST_ERROR_SQLSTATE
-- the digit of version 1, in another variant
SELECT uuid_v1_to_v6('c232ab00-9414-11ec-c3c8-9f6bdeced846');
\echo :LAST_ERROR_SQLSTATE
