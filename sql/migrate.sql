-- Moving version 1 columns to version 6, and back
\set SHOW_CONTEXT never
SET timezone = 'UTC';
SET datestyle = 'ISO';
SET client_min_messages = warning;
CREATE FUNCTION v1(n int) RETURNS uuid LANGUAGE sql IMMUTABLE AS
$$ SELECT public.uuid_v6_to_v1(public.uuid_v6_floor(timestamptz '2020-01-01 00:00:00+00' + n * interval '1 hour')) $$;

-- What is in a column
CREATE TABLE mixed (id uuid);
INSERT INTO mixed SELECT v1(n) FROM generate_series(0, 9) AS n;
INSERT INTO mixed VALUES (uuid_v1_to_v6(v1(3))), ('919108f7-52d1-4320-9bac-f847db4148a8'),
    ('00000000-0000-0000-0000-000000000000'), (uuid_max()), (NULL), (NULL);
SELECT * FROM uuid_version_histogram('mixed', 'id');
SELECT * FROM uuid_version_histogram('mixed', 'no_column');
SELECT * FROM uuid_version_histogram('mixed', NULL);

-- What moves with a column, and by which statements
CREATE TABLE customers (id uuid PRIMARY KEY, name text);
CREATE TABLE orders (
    id uuid PRIMARY KEY,
    customer_id uuid NOT NULL REFERENCES customers ON DELETE CASCADE,
    replaces uuid CONSTRAINT replaced REFERENCES orders DEFERRABLE INITIALLY DEFERRED
);
COMMENT ON CONSTRAINT replaced ON orders IS 'an order''s successor';
CREATE INDEX ON orders (customer_id);
CREATE TABLE "Select" (
    "Order" uuid PRIMARY KEY REFERENCES orders,
    "from" uuid UNIQUE REFERENCES customers ON UPDATE CASCADE ON DELETE SET NULL
);
CREATE TABLE payments (id uuid, paid_on date, customer uuid REFERENCES customers, PRIMARY KEY (id, paid_on)) PARTITION BY RANGE (paid_on);
CREATE TABLE payments_2020 PARTITION OF payments FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE TABLE refunds (payment uuid, paid_on date, FOREIGN KEY (payment, paid_on) REFERENCES payments);
INSERT INTO customers SELECT v1(n), 'customer ' || n FROM generate_series(1, 100) AS n;
INSERT INTO orders SELECT v1(1000 + n), v1(n), CASE WHEN n > 50 THEN v1(1000 + n - 50) END FROM generate_series(1, 100) AS n;
INSERT INTO "Select" SELECT id, customer_id FROM orders;
INSERT INTO payments SELECT v1(2000 + n), '2020-06-01', v1(n) FROM generate_series(1, 100) AS n;
INSERT INTO refunds SELECT id, paid_on FROM payments;
ANALYZE;
SELECT relation, column_name, role, estimated_rows, size > 0 AS has_size, indexes, new_default, obstacles
FROM uuid_migration_plan('customers', 'id');
SELECT relation, column_name, role, estimated_rows, indexes FROM uuid_migration_plan('"Select"', 'Order');
SELECT relation, column_name, role, estimated_rows, indexes FROM uuid_migration_plan('payments_2020', 'id');
SELECT step, sql FROM uuid_migration_script('orders', 'id');
SELECT step, sql FROM uuid_migration_script('refunds', 'payment', direction => 'v6_to_v1', others => 'keep');

-- It is done as one transaction, and undone.
CREATE TABLE before AS
SELECT o.id, o.customer_id, o.replaces, s."Order", c.name FROM orders AS o
JOIN customers AS c ON c.id = o.customer_id JOIN "Select" AS s ON s."Order" = o.id LEFT JOIN orders AS r ON r.id = o.replaces;
\set ECHO none
SELECT sql FROM uuid_migration_script('orders', 'id') ORDER BY step \gexec
\set ECHO all
SELECT count(*) AS rows, count(*) FILTER (WHERE b.id IS NULL) AS wrong
FROM orders AS o JOIN customers AS c ON c.id = o.customer_id JOIN "Select" AS s ON s."Order" = o.id
LEFT JOIN before AS b ON o.id = uuid_v1_to_v6(b.id) AND o.customer_id = b.customer_id AND c.name = b.name
                     AND o.replaces IS NOT DISTINCT FROM uuid_v1_to_v6(b.replaces);
SELECT count(*) FILTER (WHERE uuid_version(id) = 6) AS v6, count(replaces) AS references FROM orders;
\set ECHO none
SELECT sql FROM uuid_migration_script('orders', 'id', direction => 'v6_to_v1') ORDER BY step \gexec
\set ECHO all
SELECT count(*) AS same FROM orders JOIN before USING (id, customer_id)
WHERE orders.replaces IS NOT DISTINCT FROM before.replaces;

-- Values of another version: an error that stops the script, or they are kept.
INSERT INTO orders VALUES ('919108f7-52d1-4320-9bac-f847db4148a8', v1(1));
SELECT uuid_migration_check('orders', 'id', 1);
\echo :LAST_ERROR_SQLSTATE
BEGIN;
\set ECHO none
SELECT sql FROM uuid_migration_script('orders', 'id', others => 'keep') WHERE sql NOT IN ('BEGIN', 'COMMIT') ORDER BY step \gexec
\set ECHO all
SELECT version, count FROM uuid_version_histogram('orders', 'id');
ROLLBACK;

-- What stands in the way is named, all of it.
CREATE VIEW first_orders AS SELECT customer_id, min(id::text) FROM orders GROUP BY customer_id;
CREATE MATERIALIZED VIEW last_orders AS SELECT id FROM orders;
CREATE RULE keep AS ON DELETE TO orders WHERE old.id = '919108f7-52d1-4320-9bac-f847db4148a8' DO INSTEAD NOTHING;
ALTER TABLE orders ADD COLUMN short text GENERATED ALWAYS AS (uuid_variant(id)) STORED;
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
CREATE TRIGGER of_id BEFORE UPDATE OF id ON orders FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE TRIGGER harmless BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE POLICY mine ON orders USING (id <> '919108f7-52d1-4320-9bac-f847db4148a8');
ALTER TABLE orders ADD CONSTRAINT one EXCLUDE (id WITH =);
ALTER TABLE orders ADD CONSTRAINT checked CHECK (id <> replaces);
CREATE INDEX expression ON orders ((id::text));
CREATE INDEX predicate ON orders (customer_id) WHERE id > '919108f7-52d1-4320-9bac-f847db4148a8';
CREATE UNIQUE INDEX harmless_index ON orders (id) WHERE short = 'ncs';
CREATE TABLE archive () INHERITS (customers);
CREATE TABLE log (entry orders);
CREATE FUNCTION latest() RETURNS uuid LANGUAGE sql BEGIN ATOMIC SELECT id FROM orders LIMIT 1; END;
CREATE TABLE by_order (order_id uuid REFERENCES orders) PARTITION BY HASH (order_id);
CREATE TABLE by_order_0 PARTITION OF by_order FOR VALUES WITH (MODULUS 1, REMAINDER 0);
CREATE DOMAIN order_number AS uuid;
CREATE TABLE domains (order_id order_number REFERENCES orders);
ALTER TABLE "Select" DISABLE TRIGGER ALL;
SELECT relation, column_name, obstacle FROM uuid_migration_plan('orders', 'id'), unnest(obstacles) AS obstacle;
SELECT * FROM uuid_migration_script('orders', 'id');
\echo :LAST_ERROR_SQLSTATE
SELECT relation, column_name, obstacle FROM uuid_migration_plan('customers', 'id'), unnest(obstacles) AS obstacle;
CREATE FOREIGN DATA WRAPPER regress_uuidx;
CREATE SERVER regress_uuidx FOREIGN DATA WRAPPER regress_uuidx;
CREATE FOREIGN TABLE elsewhere (id uuid) SERVER regress_uuidx;
CREATE TYPE described AS (id uuid);
CREATE TABLE typed OF described;
SELECT obstacles FROM uuid_migration_plan('elsewhere', 'id');
SELECT obstacles FROM uuid_migration_plan('typed', 'id');
SELECT obstacles FROM uuid_migration_plan('first_orders', 'customer_id');
SELECT obstacles FROM uuid_migration_plan('customers', 'name');

-- Bad arguments
SELECT * FROM uuid_migration_script('mixed', 'id', mode => 'magic');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM uuid_migration_script('mixed', 'id', direction => 'up');
SELECT * FROM uuid_migration_script('mixed', 'id', others => 'ignore');
SELECT * FROM uuid_migration_script('mixed', 'no_column');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM uuid_migration_script('mixed', 'ctid');

-- Who owns not all of the tables gets an error before anything changes.
CREATE ROLE regress_uuidx_user;
BEGIN;
CREATE TABLE theirs (id uuid PRIMARY KEY);
ALTER TABLE theirs OWNER TO regress_uuidx_user;
CREATE TABLE ours (id uuid REFERENCES theirs);
SET ROLE regress_uuidx_user;
SELECT * FROM uuid_migration_script('theirs', 'id');
ROLLBACK;
-- Nor can anyone say what the default of another's table was.
BEGIN;
SET ROLE regress_uuidx_user;
INSERT INTO uuid_migration_former_defaults VALUES ('orders', 'id', 'gen_random_uuid()');
ROLLBACK;

-- Nor that it was anything but a generator of version 1: a script has it as it is.
INSERT INTO uuid_migration_former_defaults VALUES ('orders', 'id', 'uuid_generate_v1(); DROP TABLE orders');
SELECT expression, uuid_migration_generates(expression, 'uuid_generate_v1|uuid_generate_v1mc')
FROM unnest(ARRAY['uuid_generate_v1()', 'public.uuid_generate_v1mc()', '"My "".Schema".uuid_generate_v1()',
                  'uuid_generate_v4()', 'coalesce(public.uuid_generate_v1())', 'f() || public.uuid_generate_v1()',
                  'x.y.uuid_generate_v1()', E'a();\n.uuid_generate_v1()', 'my_uuid_generate_v1()']) AS expression;

-- A temporary table
CREATE TEMP TABLE "my ""temporary"" table" ("my id" uuid PRIMARY KEY);
INSERT INTO "my ""temporary"" table" VALUES (v1(1));
\set ECHO none
SELECT sql FROM uuid_migration_script('"my ""temporary"" table"', 'my id') ORDER BY step \gexec
\set ECHO all
SELECT uuid_version("my id") FROM "my ""temporary"" table";

DROP ROLE regress_uuidx_user;
DROP FOREIGN DATA WRAPPER regress_uuidx CASCADE;
DROP TYPE described CASCADE;
DROP TABLE mixed, customers, orders, "Select", payments, refunds, before, archive, log, by_order, domains, "my ""temporary"" table" CASCADE;
DROP FUNCTION v1, nothing;
DROP DOMAIN order_number;
