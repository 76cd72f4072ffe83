-- The tables of rekey.sql with numbers as keys, in the same order.
CREATE TABLE numbered (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n int UNIQUE, created timestamptz);
CREATE TABLE number_orders (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int UNIQUE, state int DEFAULT 0, customer_id bigint NOT NULL);
INSERT INTO numbered (n, created) SELECT n, created FROM customers ORDER BY n;
INSERT INTO number_orders (n, customer_id)
SELECT o.n, c.id FROM orders AS o JOIN customers AS k ON k.id = o.customer_id JOIN numbered AS c ON c.n = k.n ORDER BY o.n;
CREATE INDEX ON number_orders (customer_id);
ALTER TABLE number_orders ADD FOREIGN KEY (customer_id) REFERENCES numbered;
DROP TABLE orders, customers;
VACUUM ANALYZE;
