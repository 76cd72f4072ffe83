CREATE EXTENSION uuidx_migrate;
SELECT (5e6 * :scale)::int AS rows \gset

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

-- What a script has between BEGIN and COMMIT, in one transaction.
CREATE PROCEDURE migrate(conversion text) LANGUAGE plpgsql AS $$
DECLARE
    statement text;
BEGIN
    FOR statement IN
        SELECT sql FROM uuidx_migrate.script('orders', 'id', conversion => migrate.conversion)
        WHERE phase NOT IN ('begin', 'commit') ORDER BY step
    LOOP
        EXECUTE statement;
    END LOOP;
END
$$;

CREATE PROCEDURE rewrite() LANGUAGE plpgsql AS $$
BEGIN
    ALTER TABLE items DROP CONSTRAINT items_of_order;
    ALTER TABLE payments DROP CONSTRAINT payments_of_order;
    ALTER TABLE items ALTER COLUMN order_id TYPE uuid USING copied_uuid(order_id);
    ALTER TABLE orders ALTER COLUMN id TYPE uuid USING copied_uuid(id);
    ALTER TABLE payments ALTER COLUMN order_id TYPE uuid USING copied_uuid(order_id);
    ALTER TABLE items ADD CONSTRAINT items_of_order FOREIGN KEY (order_id) REFERENCES orders ON DELETE CASCADE;
    ALTER TABLE payments ADD CONSTRAINT payments_of_order FOREIGN KEY (order_id) REFERENCES orders;
END
$$;

INSERT INTO cases (what, units, statement) VALUES
    ('bare rewrite of version 1', :rows, 'CALL rewrite()'),
    ('offline, version 1 to 6', :rows, 'CALL migrate(''v1_to_v6'')'),
    ('bare rewrite of version 6', :rows, 'CALL rewrite()'),
    ('offline, version 6 to 1', :rows, 'CALL migrate(''v6_to_v1'')');
INSERT INTO comparisons (what, peer, at_most) VALUES
    ('offline, version 1 to 6', 'bare rewrite of version 1', 1.1),
    ('offline, version 6 to 1', 'bare rewrite of version 6', 1.1);
CALL run_rounds(:rounds);
