-- uuidx_ossp beside uuid-ossp
\set SHOW_CONTEXT never
\set ECHO none \i sql/include/errors.sql \set ECHO all
SET timezone = 'UTC';
SET datestyle = 'ISO, YMD';
CREATE SCHEMA ossp;
CREATE EXTENSION "uuid-ossp" SCHEMA ossp;

-- Where uuid-ossp is, the two do not fit.
SELECT * FROM pg_temp.errors('CREATE EXTENSION uuidx_ossp SCHEMA ossp');
CREATE EXTENSION uuidx_ossp;

-- All ten functions, each as uuid-ossp declares it
SELECT p.oid::regprocedure AS function, obj_description(p.oid, 'pg_proc') IS NOT NULL AS has_comment,
       (p.prorettype, p.proretset, p.proargtypes, p.proargnames, p.pronargdefaults, p.provolatile, p.proisstrict,
        p.proparallel, p.prokind, p.procost, p.proleakproof, p.prosecdef)
       IS NOT DISTINCT FROM
       (o.prorettype, o.proretset, o.proargtypes, o.proargnames, o.pronargdefaults, o.provolatile, o.proisstrict,
        o.proparallel, o.prokind, o.procost, o.proleakproof, o.prosecdef) AS as_in_uuid_ossp
FROM (SELECT p.* FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid JOIN pg_proc AS p ON p.oid = d.objid
      WHERE d.deptype = 'e' AND e.extname = 'uuidx_ossp') AS p
FULL JOIN (SELECT * FROM pg_proc WHERE pronamespace = 'ossp'::regnamespace) AS o USING (proname)
ORDER BY p.proname COLLATE "C";

-- Constants
SELECT uuid_nil() = ossp.uuid_nil() AS nil, uuid_ns_dns() = ossp.uuid_ns_dns() AS dns, uuid_ns_url() = ossp.uuid_ns_url() AS url,
       uuid_ns_oid() = ossp.uuid_ns_oid() AS oid, uuid_ns_x500() = ossp.uuid_ns_x500() AS x500;

-- Names: RFC 9562 A.2 and A.4, then 10,000 as uuid-ossp has them: empty, of other scripts, with characters of one to
-- four octets, long.
SELECT uuid_generate_v3(uuid_ns_dns(), 'www.example.com'), uuid_generate_v5(uuid_ns_dns(), 'www.example.com');
CREATE TEMP TABLE names AS
SELECT n, (ARRAY[uuid_ns_dns(), uuid_ns_url(), uuid_ns_oid(), uuid_ns_x500(), uuid_max(), gen_random_uuid()])[1 + n % 6] AS namespace,
       CASE n % 5
           WHEN 0 THEN 'host' || n || '.example.com'
           WHEN 1 THEN repeat(chr(224 + n % 1000), n % 50)
           WHEN 2 THEN 'Ж日本' || chr(128512 + n % 80) || n
           WHEN 3 THEN repeat(md5(n::text), n % 200)
           ELSE left(chr(n) || chr(55295 - n), n % 3)
       END AS name
FROM generate_series(1, 10000) AS n;
SELECT count(*), count(DISTINCT name) > 7000 AS names, count(*) FILTER (WHERE name = '') AS empty,
       count(*) FILTER (WHERE octet_length(name) > char_length(name)) > 5000 AS not_ascii, max(octet_length(name)) AS longest,
       count(*) FILTER (WHERE uuid_generate_v3(namespace, name) <> ossp.uuid_generate_v3(namespace, name)) AS v3_differ,
       count(*) FILTER (WHERE uuid_generate_v5(namespace, name) <> ossp.uuid_generate_v5(namespace, name)) AS v5_differ
FROM names;
-- A name that is stored compressed, and out of line
CREATE TEMP TABLE large (name text);
INSERT INTO large VALUES (repeat('long ', 100000));
SELECT uuid_generate_v3(uuid_ns_url(), name) = ossp.uuid_generate_v3(uuid_ns_url(), name) AS v3,
       uuid_generate_v5(uuid_ns_url(), name) = ossp.uuid_generate_v5(uuid_ns_url(), name) AS v5 FROM large;

-- Version 1: the time is now; in a backend each is later than the one before it, by timestamp and clock sequence,
-- whether it is of version 1 or 6. Fixed nodes are in test/t/server/server_order.pl.
SELECT uuid_version(id), uuid_variant(id), abs(extract(epoch FROM uuid_time(id) - clock_timestamp())) < 1 AS now
FROM uuid_generate_v1() AS id;
CREATE FUNCTION made(n int) RETURNS uuid LANGUAGE sql VOLATILE
RETURN CASE n % 4 WHEN 0 THEN uuid_v1_to_v6(uuid_generate_v1mc()) WHEN 1 THEN uuid_generate_v6() ELSE uuid_v1_to_v6(uuid_generate_v1()) END;
CREATE TEMP TABLE made (n int GENERATED ALWAYS AS IDENTITY, id uuid);
INSERT INTO made (id) SELECT made(n) FROM generate_series(1, 30000) AS n;
SELECT count(*),
       count(*) FILTER (WHERE (left(id::text, 18), uuid_extract_clock_seq(id)) <= (left(before::text, 18), uuid_extract_clock_seq(before))) AS not_later
FROM (SELECT *, lag(id) OVER (ORDER BY n) AS before FROM made) AS o;

-- The node: random for each, multicast and local
SELECT n % 4 = 0 AS v1mc, count(*), count(DISTINCT uuid_extract_node(id)) > 1 AS several_nodes,
       bool_and(get_bit(uuid_send(id), 80) = 1) AS multicast,
       min(get_bit(uuid_send(id), 81)) AS local_least, max(get_bit(uuid_send(id), 81)) AS local_most
FROM made GROUP BY 1 ORDER BY 1;

-- Version 4: 122 random bits, each of which is set in about a half
SELECT count(DISTINCT id), bool_and(uuid_version(id) = 4) AS all_of_version_4 FROM (SELECT uuid_generate_v4() AS id FROM generate_series(1, 10000)) AS v;
CREATE TEMP TABLE random_ids AS SELECT uuid_generate_v4() AS id FROM generate_series(1, 10000);
SELECT count(*) FILTER (WHERE share BETWEEN 0.45 AND 0.55) AS random_bits, count(*) FILTER (WHERE share IN (0, 1)) AS constant_bits
FROM (SELECT bit, avg(get_bit(uuid_send(id), bit)) AS share FROM random_ids, generate_series(0, 127) AS bit GROUP BY bit) AS bits;

-- NULL in, NULL out
SELECT uuid_generate_v3(NULL, 'x'), uuid_generate_v3(uuid_nil(), NULL), uuid_generate_v5(NULL, 'x'), uuid_generate_v5(uuid_nil(), NULL);

-- The extension works without uuidx, from a schema of its own, and moves; who may create in the database has it.
BEGIN;
DROP FUNCTION made;
DROP EXTENSION uuidx_ossp;
DROP EXTENSION uuidx CASCADE;
CREATE ROLE regress_uuidx_owner;
CREATE SCHEMA regress_uuidx AUTHORIZATION regress_uuidx_owner;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_uuidx_owner', current_database()) \gexec
SET ROLE regress_uuidx_owner;
CREATE EXTENSION uuidx_ossp SCHEMA regress_uuidx;
CREATE TABLE regress_uuidx.t (id uuid DEFAULT regress_uuidx.uuid_generate_v1(), name uuid DEFAULT regress_uuidx.uuid_generate_v5(regress_uuidx.uuid_ns_dns(), 'x'));
RESET ROLE;
CREATE SCHEMA AUTHORIZATION regress_uuidx_owner;
ALTER EXTENSION uuidx_ossp SET SCHEMA regress_uuidx_owner;
SET ROLE regress_uuidx_owner;
SET search_path = '';
INSERT INTO regress_uuidx.t DEFAULT VALUES RETURNING substring(id::text FROM 15 FOR 1) AS version, name;
ROLLBACK;
DROP FUNCTION made;
DROP EXTENSION uuidx_ossp;
DROP EXTENSION "uuid-ossp";
DROP SCHEMA ossp;
