-- A period of a key is one of the columns that are joined to it: where its bounds go, where they must not, and that the
-- rows are the same
CREATE SCHEMA join_periods;
SET search_path = join_periods, public;
SET timezone = 'UTC';
SET datestyle = 'ISO';
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_mergejoin = off;
SET enable_nestloop = off;
SET enable_indexonlyscan = off;
SET max_parallel_workers_per_gather = 0;
SET jit = off;
\set ECHO none \i sql/include/plan_of.sql \set ECHO all
\pset tuples_only on
\pset format unaligned
-- The scans in a plan, with their conditions, by their names: which join comes first depends on the server.
CREATE FUNCTION scans_of(query text) RETURNS SETOF text LANGUAGE sql AS $$
    WITH lines AS (
        SELECT line, n, count(*) FILTER (WHERE line ~ '->|^\S') OVER (ORDER BY n) AS node
        FROM plan_of(query) WITH ORDINALITY AS p (line, n)
    )
    SELECT regexp_replace(scan, '^(.{150,200}) (?=.{50})', E'\\1\n    ') FROM (
        SELECT string_agg(trim(' ->' FROM line), ' ' ORDER BY n) AS scan FROM lines GROUP BY node
    ) AS nodes WHERE scan ~ '\m(Scan|rows)\M' AND scan !~ '^Subquery' ORDER BY scan ~ ' rows', scan COLLATE "C"
$$;
-- Orders a minute apart, two items of each but every tenth, and a payment of every third
CREATE TABLE orders (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), tenant int, n int);
INSERT INTO orders SELECT uuid_v7_from('2026-01-01'::timestamptz + n * interval '1 minute'), n % 7, n
    FROM generate_series(0, 9999) AS n;
CREATE TABLE items (id uuid PRIMARY KEY, order_id uuid REFERENCES orders, n int);
INSERT INTO items SELECT uuid_v7_from(uuid_time(id) + k * interval '1 s'), id, n FROM orders, generate_series(1, 2) AS k
    WHERE n % 10 > 0;
INSERT INTO items SELECT gen_random_uuid(), NULL, n FROM generate_series(1, 5) AS n;
CREATE INDEX ON items (order_id);
CREATE TABLE payments (order_id uuid PRIMARY KEY REFERENCES orders, n int);
INSERT INTO payments SELECT id, n FROM orders WHERE n % 3 = 0;
VACUUM ANALYZE orders, items, payments;

-- From the key to the reference, and from the reference to the key
SELECT scans_of('SELECT o.n, i.id FROM orders AS o JOIN items AS i ON i.order_id = o.id
    WHERE uuid_time(o.id) < ''2026-01-01 01:00''');
SELECT scans_of('SELECT o.n, i.id FROM orders AS o, items AS i WHERE o.id = i.order_id
    AND i.order_id < uuid_v7_from(''2026-01-01 01:00'')');
SELECT scans_of('SELECT o.n FROM orders AS o JOIN items AS i ON i.order_id = o.id
    AND uuid_v7_in(o.id, ''[2026-01-02, 2026-01-02 01:00)'')');
SELECT scans_of('SELECT o.n FROM orders AS o JOIN items AS i ON i.order_id = o.id
    WHERE (uuid_time(o.id), o.id) < (''2026-01-01 01:00'', uuid_max())');
-- Through three tables, and what the user has written already only once
SELECT scans_of('SELECT i.n FROM orders AS o JOIN items AS i ON i.order_id = o.id
    JOIN payments AS p ON p.order_id = i.order_id WHERE uuid_time(o.id) < ''2026-01-01 01:00''');
SELECT scans_of('SELECT i.n FROM orders AS o JOIN items AS i ON i.order_id = o.id
    WHERE o.id < uuid_v7_from(''2026-01-01 01:00'') AND i.order_id < uuid_v7_from(''2026-01-01 01:00'')');
-- now() and subqueries; what the planner cannot compute, and could raise an error, does not follow
SELECT scans_of('SELECT o.n FROM orders AS o JOIN items AS i ON i.order_id = o.id
    WHERE uuid_time(o.id) > now() - interval ''7 days''');
SELECT scans_of('SELECT o.n FROM orders AS o JOIN items AS i ON i.order_id = o.id
    WHERE uuid_time(o.id) < (SELECT max(m) FROM (VALUES (timestamptz ''2026-01-01 01:00'')) AS v (m))');
-- Two results of a volatile function need not be equal.
CREATE FUNCTION some_order() RETURNS uuid LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN uuid_max(); END';
SELECT scans_of('SELECT o.n FROM orders AS o, items AS i WHERE uuid_time(o.id) < ''2026-01-01 01:00''
    AND o.id = some_order() AND i.order_id = some_order()');
SET plan_cache_mode = force_generic_plan;
PREPARE day(timestamptz) AS SELECT o.n FROM orders AS o JOIN items AS i ON i.order_id = o.id
    WHERE uuid_time(o.id) >= $1 AND uuid_time(o.id) < $1 + interval '1 day';
EXPLAIN (COSTS OFF) EXECUTE day('2026-01-02');
RESET plan_cache_mode;
EXPLAIN (COSTS OFF) EXECUTE day('2026-01-02');

-- Semi-joins both ways; outer and anti joins into the side that may be NULL, and not out of it; nothing through FULL
-- JOIN
SELECT scans_of('SELECT o.n FROM orders AS o WHERE uuid_time(o.id) < ''2026-01-01 01:00''
    AND EXISTS (SELECT FROM items AS i WHERE i.order_id = o.id)');
SELECT scans_of('SELECT o.n FROM orders AS o WHERE o.id IN (SELECT order_id FROM items
    WHERE order_id < uuid_v7_from(''2026-01-01 01:00''))');
SELECT scans_of('SELECT o.n, i.id FROM orders AS o LEFT JOIN items AS i ON i.order_id = o.id
    WHERE uuid_time(o.id) < ''2026-01-01 01:00''');
SELECT scans_of('SELECT o.n FROM orders AS o WHERE uuid_time(o.id) < ''2026-01-01 01:00''
    AND NOT EXISTS (SELECT FROM items AS i WHERE i.order_id = o.id)');
SELECT scans_of('SELECT o.n, i.id FROM orders AS o LEFT JOIN items AS i ON i.order_id = o.id
    AND uuid_time(o.id) < ''2026-01-01 01:00''');
SELECT scans_of('SELECT o.n, i.id FROM items AS i LEFT JOIN orders AS o ON i.order_id = o.id
    AND uuid_time(o.id) < ''2026-01-01 01:00''');
SELECT scans_of('SELECT o.n, i.id FROM orders AS o LEFT JOIN items AS i ON i.order_id = o.id
    WHERE i.order_id < uuid_v7_from(''2026-01-01 01:00'') OR i.id IS NULL');
SELECT scans_of('SELECT o.n, i.id FROM orders AS o FULL JOIN items AS i ON i.order_id = o.id
    AND uuid_time(o.id) < ''2026-01-01 01:00''');
-- Below a preserved side, only what holds above the join
SELECT scans_of('SELECT o.n, i.id FROM (orders AS o JOIN items AS i ON i.order_id = o.id)
    LEFT JOIN payments AS p ON p.order_id = o.id AND uuid_time(o.id) < ''2026-01-01 01:00''');
SELECT scans_of('SELECT o.n, i.id FROM (orders AS o JOIN items AS i ON i.order_id = o.id)
    LEFT JOIN payments AS p ON p.order_id = o.id WHERE uuid_time(o.id) < ''2026-01-01 01:00''');
SELECT scans_of('SELECT o.n, i.id FROM (orders AS o JOIN items AS i ON i.order_id = o.id)
    FULL JOIN payments AS p ON p.order_id = o.id AND p.order_id < uuid_v7_from(''2026-01-01 01:00'')');
-- A join nested in an outer or full one; aggregates of both sides of a FULL JOIN; LATERAL
SELECT scans_of('SELECT p.n, o.n FROM payments AS p LEFT JOIN (orders AS o JOIN items AS i ON i.order_id = o.id
    AND uuid_time(o.id) < ''2026-01-01 01:00'') ON p.order_id = o.id');
SELECT scans_of('SELECT p.n, o.n FROM payments AS p FULL JOIN (orders AS o JOIN items AS i ON i.order_id = o.id
    AND uuid_time(o.id) < ''2026-01-01 01:00'') ON p.order_id = o.id');
SELECT scans_of('SELECT a.id, b.n FROM (SELECT id FROM orders WHERE uuid_time(id) < ''2026-01-01 01:00''
    GROUP BY id) AS a FULL JOIN (SELECT order_id, count(*) AS n FROM items
    WHERE order_id < uuid_v7_from(''2026-01-01 00:30'') GROUP BY 1) AS b ON a.id = b.order_id');
SELECT scans_of('SELECT o.n, i.k FROM orders AS o LEFT JOIN LATERAL (SELECT i.n AS k FROM items AS i
    WHERE i.order_id = o.id) AS i ON true WHERE uuid_time(o.id) < ''2026-01-01 01:00''');
-- Keys that no table has, beside a period in the condition
SELECT scans_of('SELECT k.key, i.n
    FROM (SELECT uuid_v7_from(''2026-01-01''::timestamptz + n * interval ''40 s'') AS key
          FROM generate_series(1, 90) AS n) AS k
    LEFT JOIN items AS i ON i.order_id = k.key AND i.order_id < uuid_v7_from(''2026-01-01 01:00'')');

-- Where it is of use: an index that begins with the column, or with what is the same in all rows, and
-- whose predicate holds; partitions; subqueries; the order of time; not for a large part of a table
CREATE TABLE notes (order_id uuid, tenant int, n int);
INSERT INTO notes SELECT id, tenant, n FROM orders;
ANALYZE notes;
SELECT scans_of('SELECT o.n FROM orders AS o JOIN notes AS i ON i.order_id = o.id
    WHERE uuid_time(o.id) < ''2026-01-01 01:00''');
CREATE INDEX by_tenant ON notes (tenant, order_id);
SELECT scans_of('SELECT o.n FROM orders AS o JOIN notes AS i ON i.order_id = o.id
    WHERE uuid_time(o.id) < ''2026-01-01 01:00''');
SELECT scans_of('SELECT o.n FROM orders AS o JOIN notes AS i ON i.order_id = o.id AND i.tenant = 5
    WHERE uuid_time(o.id) < ''2026-01-01 01:00''');
SELECT scans_of('SELECT o.n FROM orders AS o JOIN notes AS i ON (i.tenant, i.order_id) = (o.tenant, o.id)
    WHERE o.tenant = 5 AND uuid_time(o.id) < ''2026-01-01 01:00''');
DROP INDEX by_tenant;
CREATE INDEX by_reference ON notes (order_id) WHERE order_id IS NOT NULL;
SELECT scans_of('SELECT o.n FROM orders AS o JOIN notes AS i ON i.order_id = o.id
    WHERE uuid_time(o.id) < ''2026-01-01 01:00''');
DROP INDEX by_reference;
CREATE INDEX ON notes (order_id) WHERE n > 5;
SELECT scans_of('SELECT o.n FROM orders AS o JOIN notes AS i ON i.order_id = o.id
    WHERE uuid_time(o.id) < ''2026-01-01 01:00''');
SELECT scans_of('SELECT o.n FROM orders AS o JOIN notes AS i ON i.order_id = o.id AND i.n > 8
    WHERE uuid_time(o.id) < ''2026-01-01 01:00''');
SELECT scans_of('SELECT o.n FROM orders AS o JOIN items AS i ON i.order_id = o.id
    WHERE uuid_time(o.id) > ''2026-01-01 01:00''');
SELECT scans_of('SELECT o.n FROM orders AS o JOIN items AS i ON i.order_id = o.id
    WHERE uuid_time(o.id) < ''2027-01-01''');
CREATE TABLE parted (order_id uuid, n int) PARTITION BY RANGE (order_id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (uuid_v7_from('2026-01-01')) TO (uuid_v7_from('2026-01-03'));
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (uuid_v7_from('2026-01-03')) TO (uuid_v7_from('2026-02-01'));
INSERT INTO parted SELECT id, n FROM orders;
CREATE TABLE by_n (order_id uuid, n int) PARTITION BY HASH (n);
CREATE TABLE by_n_1 PARTITION OF by_n FOR VALUES WITH (MODULUS 1, REMAINDER 0);
CREATE INDEX ON by_n (order_id);
INSERT INTO by_n TABLE parted;
CREATE TABLE by_time (order_id uuid, n int);
CREATE INDEX ON by_time (order_id uuid_time_ops);
INSERT INTO by_time TABLE parted;
CREATE DOMAIN order_key AS uuid;
CREATE TABLE of_domain (order_id order_key PRIMARY KEY, n int);
INSERT INTO of_domain TABLE parted;
VACUUM ANALYZE parted, by_n, by_time, of_domain;
SELECT scans_of('SELECT o.n FROM orders AS o JOIN parted AS i ON i.order_id = o.id
    WHERE uuid_time(o.id) < ''2026-01-01 01:00''');
SELECT scans_of('SELECT o.n FROM orders AS o JOIN by_n AS i ON i.order_id = o.id
    WHERE uuid_time(o.id) < ''2026-01-01 01:00''');
SELECT scans_of('SELECT o.n FROM orders AS o JOIN by_time AS i ON i.order_id = o.id
    WHERE uuid_time(o.id) < ''2026-01-01 01:00''');
SELECT scans_of('SELECT o.n FROM by_time AS o JOIN by_time AS i ON i.order_id = o.order_id
    WHERE uuid_time(o.order_id) < ''2026-01-01 01:00''');
SELECT scans_of('SELECT o.n FROM orders AS o JOIN of_domain AS i ON i.order_id = o.id
    WHERE uuid_time(o.id) < ''2026-01-01 01:00''');
SELECT scans_of('SELECT o.n, s.n FROM orders AS o JOIN (SELECT order_id, count(*) AS n FROM items
    GROUP BY order_id) AS s ON s.order_id = o.id WHERE uuid_time(o.id) < ''2026-01-01 01:00''');
SELECT scans_of('SELECT o.n, s.n FROM orders AS o JOIN (SELECT order_id, count(*) AS n FROM items
    GROUP BY order_id) AS s ON s.order_id = o.id WHERE uuid_time(o.id) < ''2027-01-01''');
SELECT scans_of('SELECT o.n, s.n FROM orders AS o JOIN (SELECT order_id, n FROM items UNION ALL
    SELECT order_id, n FROM payments) AS s ON s.order_id = o.id WHERE uuid_time(o.id) < ''2026-01-01 01:00''');
SELECT scans_of('SELECT o.n, s.n FROM orders AS o JOIN (SELECT order_id, n FROM items ORDER BY order_id OFFSET 10) AS s
    ON s.order_id = o.id WHERE uuid_time(o.id) < ''2026-01-01 01:00''');

-- Row-level security: conditions that leak see no row that a policy hides, and the period of a
-- policy is none of the query.
CREATE FUNCTION leak(n int) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS $$
BEGIN
    IF n % 2 = 1 THEN
        RAISE WARNING 'leaked %', n;
    END IF;
    RETURN true;
END $$;
CREATE ROLE regress_uuidx_member;
GRANT USAGE ON SCHEMA join_periods TO regress_uuidx_member;
GRANT SELECT ON orders, items TO regress_uuidx_member;
CREATE FUNCTION plan_of_member(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL ROLE regress_uuidx_member;
    RETURN QUERY SELECT scans_of(query);
    RESET ROLE;
END $$;
CREATE POLICY even ON orders USING (n % 2 = 0);
CREATE POLICY even ON items USING (n % 2 = 0);
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
SELECT plan_of_member('SELECT o.n, i.id FROM orders AS o JOIN items AS i ON i.order_id = o.id
    WHERE uuid_time(o.id) < ''2026-01-01 01:00'' AND leak(o.n)');
ALTER TABLE items ENABLE ROW LEVEL SECURITY;
SELECT plan_of_member('SELECT o.n, i.id FROM orders AS o JOIN items AS i ON i.order_id = o.id
    WHERE uuid_time(o.id) < ''2026-01-01 01:00'' AND leak(o.n) AND leak(i.n)');
ALTER TABLE orders DISABLE ROW LEVEL SECURITY;
SELECT plan_of_member('SELECT o.n, i.id FROM orders AS o JOIN items AS i ON i.order_id = o.id
    WHERE uuid_time(o.id) < ''2026-01-01 01:00'' AND leak(i.n)');
DROP POLICY even ON orders;
CREATE POLICY recent ON orders USING (uuid_time(id) < '2026-01-01 01:00');
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
SELECT plan_of_member('SELECT o.n, i.id FROM orders AS o JOIN items AS i ON i.order_id = o.id');
DROP POLICY recent ON orders;
ALTER TABLE orders DISABLE ROW LEVEL SECURITY;
ALTER TABLE items DISABLE ROW LEVEL SECURITY;
DROP OWNED BY regress_uuidx_member;
DROP ROLE regress_uuidx_member;
SET client_min_messages = warning;
DROP SCHEMA join_periods CASCADE;
