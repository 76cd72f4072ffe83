-- Orders, and five items of each, of a hundred days
SET timezone = 'UTC';
CREATE TABLE orders (id uuid PRIMARY KEY CHECK (uuid_is_v7(id)), created_at timestamptz NOT NULL);
CREATE INDEX ON orders (created_at);
CREATE TABLE items (order_id uuid NOT NULL REFERENCES orders, value int NOT NULL);
CREATE TABLE parted_items (LIKE items) PARTITION BY RANGE (order_id);
SELECT format('CREATE TABLE parted_items_%s PARTITION OF parted_items
               FOR VALUES FROM (uuid_v7_from(%L)) TO (uuid_v7_from(%L))', n, day, day + 10)
FROM generate_series(0, 9) AS n, LATERAL (SELECT date '2026-01-01' + 10 * n) AS d (day) \gexec
INSERT INTO orders SELECT uuid_generate_v7_at(moment), moment
FROM generate_series(0, (3e5 * :scale)::int - 1) AS n,
     LATERAL (SELECT '2026-01-01'::timestamptz + n / :scale * interval '28.8 s') AS m (moment);
INSERT INTO items SELECT id, n FROM orders, generate_series(1, 5) AS n ORDER BY id;
INSERT INTO parted_items TABLE items;
CREATE INDEX ON items (order_id);
CREATE INDEX ON parted_items (order_id);
VACUUM ANALYZE orders, items, parted_items;

-- The period begins on the 10th of February. Without the library, its bounds are written by hand, or it is one of
-- created_at.
CREATE TABLE queries (n int GENERATED ALWAYS AS IDENTITY, name text, query text);
INSERT INTO queries (name, query) VALUES
    ('inner join', 'SELECT sum(value) FROM orders AS o JOIN items AS i ON i.order_id = o.id WHERE %s'),
    ('left join', 'SELECT sum(value) FROM orders AS o LEFT JOIN items AS i ON i.order_id = o.id WHERE %s'),
    ('semi-join', 'SELECT count(*) FROM orders AS o
        WHERE EXISTS (SELECT FROM items AS i WHERE i.order_id = o.id) AND %s'),
    ('aggregate of the items', 'SELECT sum(total) FROM orders AS o
        JOIN (SELECT order_id, sum(value) AS total FROM items GROUP BY 1) AS s ON s.order_id = o.id WHERE %s'),
    ('ten partitions', 'SELECT sum(value) FROM orders AS o JOIN parted_items AS i ON i.order_id = o.id WHERE %s');
CREATE TABLE measured AS
SELECT q.n, name, percent, way, planning,
       format(query, format(bounds, first, first + percent * interval '1 day')) AS query
FROM queries AS q, unnest(ARRAY[0.1, 1, 10, 100]) AS percent,
     LATERAL (SELECT CASE WHEN percent < 100 THEN timestamptz '2026-02-10' ELSE '2026-01-01' END) AS f (first),
     (VALUES ('uuidx', 'on', 'uuid_time(o.id) >= %L AND uuid_time(o.id) < %L'),
             ('without', 'off', 'o.id >= uuid_v7_from(%L) AND o.id < uuid_v7_from(%L)'),
             ('created_at', 'off', 'created_at >= %L AND created_at < %L')) AS ways (way, planning, bounds);

CREATE FUNCTION buffers(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ' || query INTO plan;
    RETURN (plan #>> '{0,Plan,Shared Hit Blocks}')::int + (plan #>> '{0,Plan,Shared Read Blocks}')::int;
END $$;
CREATE TABLE read (n int, percent numeric, way text, buffers bigint);
SELECT format('SET uuidx.time_planning = %s; INSERT INTO read VALUES (%s, %s, %L, buffers(%L))',
              planning, n, percent, way, query)
FROM measured \gexec
RESET uuidx.time_planning;

INSERT INTO cases (what, units, statement, preparation, topic)
SELECT format('%s, %s %%, %s', name, percent, way), 1, query, 'SET uuidx.time_planning = ' || planning, 'joins'
FROM measured;
INSERT INTO comparisons (what, peer, at_most)
SELECT format('%s, %s %%, uuidx', name, percent), format('%s, %s %%, %s', name, percent, way), 1.1
FROM measured WHERE way <> 'uuidx';

-- Planning: a query without a period, a join of two with one, and a star of eight
CREATE PROCEDURE plan_often(query text, times int) LANGUAGE plpgsql AS
$$ BEGIN FOR i IN 1..times LOOP EXECUTE 'EXPLAIN ' || query; END LOOP; END $$;
INSERT INTO cases (what, units, statement, preparation, topic)
SELECT format('plan %s, %s', name, planning), times, format('CALL plan_often(%L, %s)', query, times),
       'SET uuidx.time_planning = ' || planning, 'planning'
FROM (VALUES ('without a period', 500, 'SELECT FROM orders AS o JOIN items AS i ON i.order_id = o.id WHERE i.value = 5'),
             ('a join of two', 500, 'SELECT FROM orders AS o JOIN items AS i ON i.order_id = o.id
                 WHERE o.id >= uuid_v7_from(''2026-02-10'') AND o.id < uuid_v7_from(''2026-02-11'')'),
             ('a star of eight', 20, 'SELECT FROM orders AS o JOIN items AS a ON a.order_id = o.id
                 JOIN items AS b ON b.order_id = o.id JOIN items AS c ON c.order_id = o.id
                 JOIN items AS d ON d.order_id = o.id JOIN items AS e ON e.order_id = o.id
                 JOIN items AS f ON f.order_id = o.id JOIN items AS g ON g.order_id = o.id
                 WHERE o.id < uuid_v7_from(''2026-01-02'')')) AS p (name, most, query),
     CAST(ceil(most * :scale) AS int) AS times, unnest(ARRAY['on', 'off']) AS planning;
INSERT INTO comparisons (what, peer, at_most) VALUES
    ('plan without a period, on', 'plan without a period, off', 1.02),
    ('plan a join of two, on', 'plan a join of two, off', 1.3),
    ('plan a star of eight, on', 'plan a star of eight, off', 1.2);
CALL run_rounds(:rounds);
CREATE VIEW buffers_of AS
SELECT n, percent, max(buffers) FILTER (WHERE way = 'uuidx') AS uuidx,
       max(buffers) FILTER (WHERE way = 'without') AS without,
       max(buffers) FILTER (WHERE way = 'created_at') AS created_at
FROM read GROUP BY n, percent;
