-- Customers and their orders, with keys of version 1
\ir functions.sql
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
ANALYZE customers, orders, "Select", payments, refunds;
