-- What has to move with a column, and what stands in the way
\set SHOW_CONTEXT never
SET timezone = 'UTC';
SET datestyle = 'ISO';
SET client_min_messages = warning;
\i sql/include/orders.sql

-- What is in a column
CREATE TABLE mixed (id uuid);
INSERT INTO mixed SELECT v1(n) FROM generate_series(0, 9) AS n;
INSERT INTO mixed VALUES (uuid_v1_to_v6(v1(3))), ('919108f7-52d1-4320-9bac-f847db4148a8'),
    ('00000000-0000-0000-0000-000000000000'), (uuid_max()), (NULL), (NULL);
SELECT * FROM uuidx_migrate.version_histogram('mixed', 'id');
SELECT * FROM uuidx_migrate.version_histogram('mixed', 'no_column');
SELECT * FROM uuidx_migrate.version_histogram('mixed', NULL);

-- What moves with a column
SELECT relation, column_name, role, estimated_rows, size > 0 AS has_size, indexes, new_default, obstacles
FROM uuidx_migrate.plan('customers', 'id');
SELECT relation, column_name, role, estimated_rows, indexes FROM uuidx_migrate.plan('"Select"', 'Order');
SELECT relation, column_name, role, estimated_rows, indexes FROM uuidx_migrate.plan('payments_2020', 'id');

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
SELECT relation, column_name, obstacle FROM uuidx_migrate.plan('orders', 'id'), unnest(obstacles) AS obstacle;
SELECT * FROM uuidx_migrate.script('orders', 'id');
\echo :LAST_ERROR_SQLSTATE
SELECT relation, column_name, obstacle FROM uuidx_migrate.plan('customers', 'id'), unnest(obstacles) AS obstacle;
CREATE FOREIGN DATA WRAPPER regress_uuidx;
CREATE SERVER regress_uuidx FOREIGN DATA WRAPPER regress_uuidx;
CREATE FOREIGN TABLE elsewhere (id uuid) SERVER regress_uuidx;
CREATE TYPE described AS (id uuid);
CREATE TABLE typed OF described;
SELECT obstacles FROM uuidx_migrate.plan('elsewhere', 'id');
SELECT obstacles FROM uuidx_migrate.plan('typed', 'id');
SELECT obstacles FROM uuidx_migrate.plan('first_orders', 'customer_id');
SELECT obstacles FROM uuidx_migrate.plan('customers', 'name');

-- The row as a whole has the column in it; a default that is no call is not converted.
CREATE TABLE whole (id uuid PRIMARY KEY, n int);
CREATE FUNCTION id_of(whole) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT ($1.id)::text';
ALTER TABLE whole ADD CHECK (id_of(whole) <> 'x'), ADD CHECK (n > 0);
CREATE POLICY of_whole ON whole USING (id_of(whole) <> 'x');
CREATE INDEX ON whole (id_of(whole));
CREATE VIEW as_json AS SELECT to_jsonb(whole) AS row FROM whole;
CREATE VIEW harmless_view AS SELECT n FROM whole;
CREATE FUNCTION first_whole() RETURNS whole LANGUAGE sql BEGIN ATOMIC SELECT w FROM whole AS w LIMIT 1; END;
CREATE DOMAIN whole_row AS whole;
CREATE TABLE of_domain (x whole_row);
CREATE TABLE defaults (n int, c uuid DEFAULT '0002bf20-0000-11f0-8de9-0242ac120002' REFERENCES whole, d uuid DEFAULT NULL REFERENCES whole,
    e uuid DEFAULT gen_random_uuid() REFERENCES whole, f uuid DEFAULT coalesce(NULL, uuid_generate_v7()) REFERENCES whole);
SELECT relation, obstacle FROM uuidx_migrate.plan('whole', 'id'), unnest(obstacles) AS obstacle;
DROP TABLE whole, defaults, of_domain CASCADE;

-- What a rewrite of partitions would lose is in the way of the offline mode; the online mode keeps it.
CREATE TABLE parted (id uuid, n int NOT NULL, other uuid, PRIMARY KEY (id, n)) PARTITION BY LIST (n);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
CREATE TABLE parted_2 (n int NOT NULL, id uuid NOT NULL, other uuid, CONSTRAINT my_key PRIMARY KEY (id, n));
CREATE INDEX my_index ON parted_2 (other) WITH (fillfactor = 60);
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES IN (2);
CREATE INDEX ON parted (other) WITH (fillfactor = 70);
ALTER TABLE parted_1 REPLICA IDENTITY USING INDEX parted_1_pkey, CLUSTER ON parted_1_pkey;
COMMENT ON INDEX my_index IS 'mine';
SELECT unnest(obstacles) AS obstacle FROM uuidx_migrate.plan('parted', 'id');
SELECT unnest(obstacles) AS obstacle FROM uuidx_migrate.plan('parted', 'other');
CREATE UNIQUE INDEX ON parted (id, n);
CREATE TABLE parted_3 PARTITION OF parted (other NOT NULL) FOR VALUES IN (3);
SELECT obstacle FROM uuidx_migrate.plan('parted', 'id'), unnest(obstacles) AS obstacle WHERE obstacle LIKE 'online:%';
SELECT obstacle FROM uuidx_migrate.plan('parted', 'other'), unnest(obstacles) AS obstacle WHERE obstacle LIKE 'online:%';
DROP TABLE parted;

-- A name that a temporary table shares
CREATE TEMP TABLE customers (id uuid PRIMARY KEY);
SELECT obstacles FROM uuidx_migrate.plan('pg_temp.customers', 'id');
DROP TABLE pg_temp.customers;

CREATE ROLE regress_uuidx_user;
-- Nobody can say what the default of another's table was.
BEGIN;
SET ROLE regress_uuidx_user;
INSERT INTO uuidx_migrate.former_defaults VALUES ('orders', 'id', 'gen_random_uuid()');
ROLLBACK;

-- Nor that it was anything but a generator of version 1: a script has it as it is.
INSERT INTO uuidx_migrate.former_defaults VALUES ('orders', 'id', 'uuid_generate_v1(); DROP TABLE orders');
SELECT expression, uuidx_migrate.generates(expression, 'uuid_generate_v1|uuid_generate_v1mc')
FROM unnest(ARRAY['uuid_generate_v1()', 'public.uuid_generate_v1mc()', '"My "".Schema".uuid_generate_v1()',
                  'uuid_generate_v4()', 'coalesce(public.uuid_generate_v1())', 'f() || public.uuid_generate_v1()',
                  'x.y.uuid_generate_v1()', E'a();\n.uuid_generate_v1()', 'my_uuid_generate_v1()']) AS expression;

DROP ROLE regress_uuidx_user;
DROP FOREIGN DATA WRAPPER regress_uuidx CASCADE;
DROP TYPE described CASCADE;
DROP TABLE mixed, customers, orders, "Select", payments, refunds, archive, log, by_order, domains CASCADE;
DROP FUNCTION v1, nothing;
DROP DOMAIN order_number;
