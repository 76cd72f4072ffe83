-- A shop: keys of version 1 in all the shapes that a migration has to take along. The variable uuidgen
-- names a file of version 1 UUIDs made by util-linux; the others are made by uuid-ossp.
CREATE EXTENSION "uuid-ossp";
CREATE ROLE shop_owner;
CREATE ROLE clerk;
CREATE SCHEMA shop AUTHORIZATION shop_owner;
CREATE SCHEMA "Mixed Case" AUTHORIZATION shop_owner;
GRANT USAGE ON SCHEMA shop TO clerk;
SET search_path = shop, public;
SET ROLE shop_owner;

CREATE TABLE customers (id uuid CONSTRAINT customers_key PRIMARY KEY DEFAULT uuid_generate_v1(), name text, active boolean DEFAULT true);
COMMENT ON COLUMN customers.id IS 'who';
COMMENT ON CONSTRAINT customers_key ON customers IS 'the key';
CREATE UNIQUE INDEX active_customers ON customers (id) INCLUDE (name) WHERE active;
COMMENT ON INDEX active_customers IS 'those who order';
ALTER TABLE customers REPLICA IDENTITY USING INDEX customers_key;
ALTER TABLE customers CLUSTER ON customers_key;
CREATE TABLE orders (
    id uuid PRIMARY KEY DEFAULT uuid_generate_v1mc(),
    customer_id uuid NOT NULL REFERENCES customers ON DELETE CASCADE ON UPDATE CASCADE,
    replaces uuid CONSTRAINT replaced REFERENCES orders DEFERRABLE INITIALLY DEFERRED,
    placed timestamptz DEFAULT now()
) WITH (fillfactor = 80);
COMMENT ON CONSTRAINT replaced ON orders IS 'an order''s "successor"';
ALTER TABLE orders ALTER customer_id SET STATISTICS 500;
ALTER TABLE orders ALTER customer_id SET (n_distinct = -0.5);
CREATE INDEX orders_of_customer ON orders (customer_id, placed DESC);
CREATE STATISTICS orders_statistics (dependencies) ON customer_id, replaces FROM orders;
GRANT SELECT, INSERT ON orders TO clerk;
GRANT UPDATE (customer_id) ON orders TO clerk;
CREATE TABLE order_details (order_id uuid PRIMARY KEY REFERENCES orders (id), note text);
CREATE TABLE items (order_id uuid REFERENCES orders ON DELETE CASCADE, line int, article text, PRIMARY KEY (order_id, line));
CREATE TABLE item_notes (order_id uuid, line int, note text,
    CONSTRAINT of_item FOREIGN KEY (order_id, line) REFERENCES items (order_id, line) MATCH FULL ON DELETE SET NULL);
CREATE TABLE payments (id uuid DEFAULT uuid_generate_v1(), paid_on date, order_id uuid REFERENCES orders, PRIMARY KEY (id, paid_on))
    PARTITION BY RANGE (paid_on);
CREATE TABLE payments_2025 PARTITION OF payments FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE TABLE payments_2026 (order_id uuid, paid_on date NOT NULL, comment text, id uuid NOT NULL DEFAULT uuid_generate_v1mc());
ALTER TABLE payments_2026 DROP COLUMN comment;
ALTER TABLE payments ATTACH PARTITION payments_2026 FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
CREATE TABLE refunds (payment_id uuid, paid_on date, FOREIGN KEY (payment_id, paid_on) REFERENCES payments ON UPDATE CASCADE);
CREATE TABLE "Mixed Case"."select" ("Order" uuid, "from" int);
CREATE TABLE audit (customer_id uuid REFERENCES customers ON DELETE SET NULL, happened text);
ALTER TABLE audit ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_of_it ON audit USING (happened <> 'secret');
CREATE TABLE unrelated (id uuid PRIMARY KEY DEFAULT uuid_generate_v1());

INSERT INTO customers (name, active) SELECT 'customer ' || n, n % 2 = 0 FROM generate_series(1, 700) AS n;
RESET ROLE;
CREATE TEMP TABLE by_util_linux (id uuid);
\copy by_util_linux FROM PSTDIN
INSERT INTO customers SELECT id, 'by util-linux' FROM by_util_linux;
SET ROLE shop_owner;
INSERT INTO orders (customer_id) SELECT id FROM customers, generate_series(1, 3);
INSERT INTO orders (customer_id, replaces) SELECT customer_id, id FROM orders LIMIT 500;
INSERT INTO order_details SELECT id, 'note' FROM orders LIMIT 700;
INSERT INTO items SELECT id, line, 'tea' FROM orders, generate_series(1, 2) AS line;
INSERT INTO item_notes SELECT order_id, line, 'fragile' FROM items LIMIT 900;
INSERT INTO item_notes VALUES (NULL, NULL, 'of no item');
INSERT INTO payments (paid_on, order_id) SELECT date '2025-06-01' + (row_number() OVER ())::int % 400, id FROM orders;
INSERT INTO refunds SELECT id, paid_on FROM payments LIMIT 300;
INSERT INTO "Mixed Case"."select" SELECT id, 1 FROM orders LIMIT 100;
INSERT INTO "Mixed Case"."select" VALUES (uuid_generate_v1(), 2);
ALTER TABLE "Mixed Case"."select" ADD CONSTRAINT "The Order" FOREIGN KEY ("Order") REFERENCES orders (id) NOT VALID;
INSERT INTO audit SELECT id, 'came' FROM customers LIMIT 300;
INSERT INTO audit VALUES (NULL, 'nobody');
INSERT INTO unrelated DEFAULT VALUES;
RESET ROLE;
