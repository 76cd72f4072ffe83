CREATE EXTENSION uuidx_migrate;
SELECT (5e6 * :scale)::int AS rows \gset

\ir migrate_tables.sql

-- What a script does in its transaction, in one transaction with the rounds.
CREATE PROCEDURE migrate(conversion text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE (SELECT substring(sql, '[$]do[$](.*)[$]do[$]')
             FROM uuidx_migrate.script('orders', 'id', conversion => migrate.conversion));
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

INSERT INTO cases (what, statement, units)
SELECT format('%s, %s', mode, :rows / part), '', 1 FROM unnest('{offline,online}'::text[]) AS mode, unnest('{25,5,1}'::int[]) AS part;

