-- Views that only pass keys on, which change their type with them.
\set ECHO none \i sql/include/migration.sql \set ECHO all
CREATE SCHEMA passed_on;
SET search_path = passed_on, public;

CREATE TABLE customers (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, name text, created timestamptz DEFAULT '2020-01-01 00:00+00');
CREATE TABLE orders (id bigint PRIMARY KEY, customer_id integer NOT NULL REFERENCES customers (id), parent bigint);
INSERT INTO customers (name) SELECT 'customer ' || n FROM generate_series(1, 5) AS n;
INSERT INTO orders SELECT n, 1 + n % 5, n - 1 FROM generate_series(1, 20) AS n;
CREATE ROLE regress_passed_on_reader;

-- A name for each way to pass a key on
CREATE VIEW returned WITH (security_barrier) AS SELECT id, name FROM customers;
COMMENT ON VIEW returned IS 'customers';
COMMENT ON COLUMN returned.id IS 'their keys';
GRANT SELECT ON returned TO regress_passed_on_reader;
GRANT UPDATE (name) ON returned TO regress_passed_on_reader WITH GRANT OPTION;
CREATE VIEW joined AS SELECT c.id, c.name, count(o.id) AS orders FROM customers AS c LEFT JOIN orders AS o ON o.customer_id = c.id GROUP BY c.id;
CREATE VIEW joined_using AS SELECT customer_id, name FROM (SELECT id AS customer_id, name FROM customers) AS c FULL JOIN orders USING (customer_id);
CREATE VIEW over_views AS SELECT r.id, j.orders FROM returned AS r JOIN joined AS j USING (id) ORDER BY r.id DESC;
CREATE VIEW sub_selects AS
SELECT id, (SELECT o.customer_id FROM orders AS o WHERE o.customer_id = c.id LIMIT 1) AS same FROM customers AS c
WHERE id IN (SELECT customer_id FROM orders) AND EXISTS (SELECT FROM orders AS o WHERE o.customer_id = c.id) AND id IS NOT NULL AND num_nulls(id) = 0;
CREATE VIEW with_query AS
WITH w AS MATERIALIZED (SELECT DISTINCT customer_id FROM orders)
SELECT coalesce(w.customer_id, c.id) AS id FROM w JOIN customers AS c ON c.id IS NOT DISTINCT FROM w.customer_id;
CREATE VIEW windows AS SELECT id, row_number() OVER (PARTITION BY customer_id ORDER BY id) AS n, customer_id FROM orders;
CREATE MATERIALIZED VIEW stored AS SELECT customer_id, count(*) AS orders FROM orders GROUP BY customer_id;
CREATE UNIQUE INDEX ON stored (customer_id);

CREATE FUNCTION orders_of(customer text) RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM customers AS c JOIN orders AS o ON o.customer_id = c.id WHERE c.name = customer; END;
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON orders TO regress_passed_on_reader
USING (customer_id = (SELECT c.id FROM customers AS c WHERE c.name = current_user)) WITH CHECK (EXISTS (SELECT FROM customers AS c WHERE c.id = customer_id AND c.name = current_user));

-- A name for each way to need the type
CREATE VIEW computes AS SELECT id + 1 AS next FROM customers;
CREATE VIEW compares AS SELECT name FROM customers WHERE id > 42;
CREATE VIEW compares_other AS SELECT name FROM customers AS c JOIN orders AS o ON o.parent = c.id;
CREATE VIEW differs AS SELECT a.id - b.id AS difference FROM customers AS a, customers AS b;
CREATE VIEW casts AS SELECT id::text FROM customers;
CREATE VIEW aggregates AS SELECT max(id) FROM customers;
CREATE VIEW united AS SELECT id FROM customers UNION SELECT parent FROM orders;
CREATE VIEW whole_rows AS SELECT to_jsonb(c) FROM customers AS c;
CREATE VIEW groups AS SELECT id / 10 AS bucket, count(*) FROM customers GROUP BY id / 10;
CREATE VIEW arrays AS SELECT ARRAY(SELECT id FROM customers) AS ids;
CREATE VIEW over_computed AS SELECT id * 2 AS twice FROM returned;
CREATE VIEW ranges AS SELECT count(*) OVER (ORDER BY id RANGE 5 PRECEDING) FROM customers;
CREATE VIEW in_values AS SELECT name FROM customers WHERE id IN (1, 2);
CREATE VIEW sub_values AS SELECT name FROM customers WHERE 3 IN (SELECT customer_id FROM orders);
CREATE MATERIALIZED VIEW indexed AS SELECT id FROM customers;
CREATE INDEX ON indexed ((id / 10));
CREATE MATERIALIZED VIEW partly_indexed AS SELECT id FROM customers;
CREATE INDEX ON partly_indexed (id) WHERE id > 10;
CREATE MATERIALIZED VIEW brin_indexed AS SELECT id FROM customers;
CREATE INDEX ON brin_indexed USING brin (id int8_bloom_ops);
CREATE MATERIALIZED VIEW counted AS SELECT id FROM customers;
CREATE STATISTICS counts ON (id % 3) FROM counted;
CREATE VIEW with_default AS SELECT id, name FROM customers;
ALTER VIEW with_default ALTER name SET DEFAULT 'nobody';
CREATE FUNCTION of_number(n bigint) RETURNS text LANGUAGE sql RETURN (SELECT name FROM customers WHERE id = n);
CREATE FUNCTION returns_number() RETURNS SETOF bigint LANGUAGE sql BEGIN ATOMIC SELECT id FROM customers; END;
CREATE POLICY of_setting ON customers TO regress_passed_on_reader USING (id = current_setting('shop.customer')::bigint);
CREATE RULE log AS ON DELETE TO customers DO ALSO INSERT INTO orders (id, customer_id) VALUES (OLD.id, 1);

SELECT * FROM pg_temp.obstacles($$plan('customers', 'id', NULL, 'bigint_to_v7', created => 'created')$$);
DROP VIEW computes, differs, compares, compares_other, casts, aggregates, united, groups, arrays, over_computed, ranges, in_values, sub_values, with_default, with_query, whole_rows;
DROP MATERIALIZED VIEW indexed, partly_indexed, brin_indexed, counted;
DROP FUNCTION of_number, returns_number;
DROP POLICY of_setting ON customers;
DROP RULE log ON customers;

-- What the views are, and what they return, by the names of the customers
CREATE FUNCTION views() RETURNS TABLE (name text, types text, properties text) LANGUAGE sql AS $$
    SELECT c.relname, (SELECT string_agg(format('%s %s', a.attname, a.atttypid::regtype), ', ' ORDER BY a.attnum) FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0),
           concat_ws(', ', c.reloptions, c.relacl::text, obj_description(c.oid, 'pg_class'), (SELECT string_agg(concat_ws(' ', a.attname, a.attacl, col_description(c.oid, a.attnum)), ', ')
                     FROM pg_attribute AS a WHERE a.attrelid = c.oid AND num_nonnulls(a.attacl::text, col_description(c.oid, a.attnum)) > 0))
    FROM pg_class AS c WHERE c.relnamespace = 'passed_on'::regnamespace AND c.relkind IN ('v', 'm') ORDER BY 1
$$;
CREATE FUNCTION digest() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT md5(string_agg(r, E'\n' ORDER BY r))
            FROM (SELECT format('returned %s %s', c.name, v.name) AS r FROM customers AS c JOIN returned AS v USING (id)
                  UNION ALL SELECT format('joined %s %s', c.name, v.orders) FROM customers AS c JOIN joined AS v USING (id)
                  UNION ALL SELECT format('joined_using %s %s', c.name, v.name) FROM customers AS c JOIN joined_using AS v ON v.customer_id = c.id
                  UNION ALL SELECT format('over_views %s %s', c.name, v.orders) FROM customers AS c JOIN over_views AS v USING (id)
                  UNION ALL SELECT format('sub_selects %s %s', c.name, v.same = v.id) FROM customers AS c JOIN sub_selects AS v USING (id)
                  UNION ALL SELECT format('windows %s %s', c.name, max(v.n)) FROM customers AS c JOIN windows AS v ON v.customer_id = c.id GROUP BY c.name
                  UNION ALL SELECT format('orders_of %s %s', c.name, orders_of(c.name)) FROM customers AS c
                  UNION ALL SELECT format('policy %s %s', p.qual, p.with_check) FROM pg_policies AS p WHERE p.policyname = 'own'
                  UNION ALL SELECT format('stored %s %s', c.name, v.orders) FROM customers AS c JOIN stored AS v ON v.customer_id = c.id) AS rows);
END
$$;
SELECT name, types FROM views();
CREATE TABLE before AS SELECT v.*, digest() FROM views() AS v;
SELECT recreated FROM uuidx_migrate.plan('customers', 'id', 'online', 'bigint_to_v7', created => 'created') WHERE recreated IS NOT NULL;

-- Online, and back
\set ON_ERROR_STOP 1
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('customers', 'id', 'online', 'bigint_to_v7', created => 'created') ORDER BY step \gexec
\o \set ECHO all
SELECT v.name, v.types, v.properties = b.properties AS same_properties FROM views() AS v JOIN before AS b USING (name);
SELECT DISTINCT digest() = b.digest AS same FROM before AS b;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('customers', 'id', 'online', 'v7_to_bigint') ORDER BY step \gexec
SELECT sql FROM uuidx_migrate.script('customers', 'id', 'finish', 'v7_to_bigint') ORDER BY step \gexec
\o \set ECHO all
SELECT count(*), bool_and(v IS NOT NULL AND digest() = b.digest) AS same FROM before AS b LEFT JOIN views() AS v ON (v.name, v.types, v.properties) = (b.name, b.types, b.properties);

-- Offline, with a materialized view that reads a view, and back
CREATE MATERIALIZED VIEW over_view AS SELECT id FROM joined WITH NO DATA;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('customers', 'id', 'offline', 'bigint_to_v7', created => 'created') ORDER BY step \gexec
\o \set ECHO all
SELECT name, types FROM views() WHERE name LIKE 'over%';
SELECT DISTINCT digest() = b.digest AS same FROM before AS b;
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('customers', 'id', 'offline', 'v7_to_bigint') ORDER BY step \gexec
\o \set ECHO all
SELECT count(*), bool_and(v IS NOT NULL AND digest() = b.digest) AS same FROM before AS b LEFT JOIN views() AS v ON (v.name, v.types, v.properties) = (b.name, b.types, b.properties);
\set ON_ERROR_STOP 0

-- What hangs on a view keeps it from being dropped
SELECT DISTINCT unnest(obstacles) COLLATE "C" AS obstacle FROM uuidx_migrate.plan('customers', 'id', 'online', 'bigint_to_v7', created => 'created') ORDER BY 1;
CREATE FUNCTION of_view() RETURNS SETOF returned LANGUAGE sql AS 'SELECT * FROM passed_on.returned';
CREATE TRIGGER instead INSTEAD OF INSERT ON returned FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
CREATE RULE nothing AS ON INSERT TO windows DO INSTEAD NOTHING;
ALTER EXTENSION uuidx ADD VIEW over_views;
INSERT INTO pg_seclabel VALUES ('joined'::regclass, 'pg_class'::regclass, 0, 'none', 'secret');
SELECT DISTINCT unnest(obstacles) COLLATE "C" AS obstacle FROM uuidx_migrate.plan('customers', 'id', 'offline', 'bigint_to_v7', created => 'created') ORDER BY 1;
DROP FUNCTION of_view();
DROP TRIGGER instead ON returned;
DROP RULE nothing ON windows;
ALTER EXTENSION uuidx DROP VIEW over_views;
DELETE FROM pg_seclabel WHERE objoid = 'joined'::regclass;

-- What a rule returns is no column of its table.
CREATE TABLE logged (name text, n int);
CREATE TABLE named (id text PRIMARY KEY);
CREATE INDEX ON logged (name text_pattern_ops);
CREATE RULE returns AS ON INSERT TO logged DO ALSO SELECT n.id FROM named AS n;
CREATE VIEW compares AS SELECT l.n FROM logged AS l JOIN named AS n ON n.id = l.name;
SELECT unnest(obstacles) AS obstacle FROM uuidx_migrate.plan('named', 'id', 'offline', 'text_to_uuid');
DROP TABLE logged, named CASCADE;

-- What the function itself is asked
CREATE FUNCTION of_rule(view regclass, relations oid[], columns smallint[]) RETURNS smallint[] LANGUAGE sql
RETURN (SELECT uuidx_migrate_steps.passed_columns('pg_rewrite'::regclass, w.oid, relations, columns) FROM pg_rewrite AS w WHERE w.ev_class = view);
SELECT of_rule('returned', ARRAY['customers'::regclass::oid], '{1}'), of_rule('returned', ARRAY['customers'::regclass::oid], '{3}'),
       of_rule('returned', ARRAY['customers'::regclass::oid, NULL], '{NULL}'), of_rule('returned', '{}', '{}'),
       uuidx_migrate_steps.passed_columns('pg_rewrite'::regclass, 0, '{}', '{}') AS gone, uuidx_migrate_steps.passed_columns('pg_class'::regclass, 'returned'::regclass, '{}', '{}') AS other;

-- Views upon views, for which the stack may be too small; and queries to which each one after them doubles the ways
CREATE VIEW v0 AS SELECT id FROM customers;
CREATE VIEW p0 AS SELECT id AS a, id AS b FROM customers;
DO $$
BEGIN
    FOR n IN 1..800 LOOP
        EXECUTE format('CREATE VIEW v%s AS TABLE v%s', n, n - 1);
    END LOOP;
    FOR n IN 1..40 LOOP
        EXECUTE format('CREATE VIEW p%s AS SELECT coalesce(a, b) AS a, coalesce(b, a) AS b FROM p%s', n, n - 1);
    END LOOP;
    EXECUTE (SELECT format('CREATE VIEW doubles AS WITH w0 AS (TABLE v0), %s TABLE w40', string_agg(format('w%s AS (SELECT coalesce(id, id) AS id FROM w%s)', n, n - 1), ', ' ORDER BY n))
             FROM generate_series(1, 40) AS n);
END
$$;
CREATE VIEW compares AS SELECT o.parent FROM orders AS o JOIN v800 AS v ON v.id = o.parent;
CREATE VIEW compares_doubled AS SELECT o.parent FROM orders AS o JOIN p40 AS p ON p.a = o.parent;
CREATE FUNCTION compared(view regclass) RETURNS regclass LANGUAGE sql
RETURN (SELECT DISTINCT c.relation FROM pg_rewrite AS w, uuidx_migrate_steps.compared_columns('pg_rewrite'::regclass, w.oid, ARRAY['orders'::regclass::oid], '{3}') AS c WHERE w.ev_class = view);
SELECT compared('compares');
SET max_stack_depth = '100kB';
SELECT compared('compares');
RESET max_stack_depth;
SET statement_timeout = '60s';
SELECT of_rule('doubles', ARRAY['v0'::regclass::oid], '{1}'), compared('compares_doubled');
RESET statement_timeout;

SET client_min_messages = error;
DROP SCHEMA passed_on CASCADE;
DROP ROLE regress_passed_on_reader;
