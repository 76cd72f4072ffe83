-- Orders with version 1 keys, and two tables that reference them: :rows rows each.
CREATE TABLE orders (id uuid PRIMARY KEY, placed timestamptz);
CREATE TABLE items (order_id uuid, line int, article text, PRIMARY KEY (order_id, line));
CREATE TABLE payments (id bigint PRIMARY KEY, order_id uuid);
INSERT INTO orders SELECT uuid_v6_to_v1(uuid_generate_v6()), now() FROM generate_series(1, :rows);
INSERT INTO items SELECT id, 1, 'tea' FROM orders;
INSERT INTO payments SELECT row_number() OVER (), id FROM orders;
CREATE INDEX ON payments (order_id);
ALTER TABLE items ADD CONSTRAINT items_of_order FOREIGN KEY (order_id) REFERENCES orders ON DELETE CASCADE;
ALTER TABLE payments ADD CONSTRAINT payments_of_order FOREIGN KEY (order_id) REFERENCES orders;
VACUUM ANALYZE;
