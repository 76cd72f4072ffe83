-- Moving columns while their tables serve: done, undone and finished
\set ECHO none \i sql/include/online.sql \i sql/include/orders.sql \set ECHO all
CREATE TABLE before AS SELECT o.*, s."Order" FROM orders AS o JOIN "Select" AS s ON s."Order" = o.id;

CREATE STATISTICS orders_statistics (ndistinct, mcv) ON id, customer_id, (abs(uuid_version(replaces))) FROM orders;
ALTER STATISTICS orders_statistics SET STATISTICS 50;
COMMENT ON STATISTICS orders_statistics IS 'of orders';
CREATE INDEX "by %" ON orders USING btree (replaces DESC, (hashtext(replaces::text || id::text)), id uuid_time_ops NULLS FIRST) INCLUDE (customer_id)
    WITH (fillfactor = 70) WHERE customer_id IS NOT NULL AND id <> uuid_max();
COMMENT ON INDEX "by %" IS 'an index';
ALTER TABLE orders ADD CONSTRAINT other CHECK (id <> replaces), ADD CONSTRAINT not_validated CHECK (uuid_version(id) > 0) NOT VALID;
COMMENT ON CONSTRAINT other ON orders IS 'another';
CREATE TRIGGER audit BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE TRIGGER of_inserts BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION nothing();
SELECT pg_get_indexdef('"by %"'::regclass) AS definition;
SELECT array_agg(attname ORDER BY attnum) AS index_columns FROM pg_attribute WHERE attrelid = '"by %"'::regclass \gset
SELECT * FROM pg_temp.faults($$script('orders', 'id', 'online', 'v1_to_v6', trust_owners => true)$$);
SELECT phase, count(*) FROM examined GROUP BY phase ORDER BY min(step);
-- Before a table gets its shadows, its values are checked, and no others.
SELECT step, string_agg(m[1], ', ') AS checked FROM examined, regexp_matches(sql, E'check_values\\(''([^'']+)', 'g') AS m WHERE phase = 'shadow' GROUP BY step ORDER BY step;
-- A backfill says which triggers it fires.
SELECT substring(sql, 'CALL uuidx_migrate_steps.backfill.*') AS call, substring(sql, E'-- It fires [^\n]*') AS fires
FROM examined WHERE phase = 'fill' ORDER BY step;
CREATE INDEX of_customers ON payments (uuid_version(customer));
SELECT * FROM pg_temp.faults($$script('customers', 'id', 'online', 'v1_to_v6', trust_owners => true)$$)
WHERE fault LIKE 'does not look%';
DROP INDEX of_customers;
SELECT * FROM pg_temp.faults($$script('payments_2020', 'id', 'online', 'v1_to_v6', 'keep', trust_owners => true)$$);
SELECT * FROM pg_temp.faults($$script('orders', 'id', 'offline', 'v1_to_v6', also => '{payments.customer}', trust_owners => true)$$);

-- It is done, and has nothing left to do but to drop the old columns.
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('orders', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT count(*) AS rows, count(*) FILTER (WHERE b.id IS NOT NULL) AS right
FROM orders AS o JOIN "Select" AS s ON s."Order" = o.id
LEFT JOIN before AS b ON o.id = uuid_v1_to_v6(b.id) AND o.customer_id = b.customer_id AND o.replaces IS NOT DISTINCT FROM uuid_v1_to_v6(b.replaces);
SELECT * FROM shadows;
SELECT pg_get_indexdef('"by %"'::regclass) AS definition, obj_description('"by %"'::regclass) AS comment;
SELECT conname, pg_get_constraintdef(oid) AS definition, convalidated, obj_description(oid) AS comment FROM pg_constraint
WHERE conrelid = 'orders'::regclass AND contype <> 'n' ORDER BY conname COLLATE "C";
SELECT array_agg(attname ORDER BY attnum) = :'index_columns' AS columns_keep_their_names FROM pg_attribute WHERE attrelid = '"by %"'::regclass;
SELECT count(*) AS steps FROM uuidx_migrate.script('orders', 'id', 'online', conversion => 'v1_to_v6', trust_owners => true);

-- The old columns are kept for every row that is written. A client may still write version 1, which is converted.
INSERT INTO orders (id, customer_id) VALUES (uuid_v1_to_v6(v1(5000)), v1(1)), (v1(5001), v1(1));
UPDATE orders SET replaces = v1(5000) WHERE id_shadow = v1(5001);
SELECT id = uuid_v1_to_v6(id_shadow) AS v6, id_shadow IN (v1(5000), v1(5001)) AS kept, replaces = uuid_v1_to_v6(v1(5000)) AS replaces
FROM orders WHERE id_shadow IN (v1(5000), v1(5001)) ORDER BY id_shadow;
DELETE FROM orders WHERE id = uuid_v1_to_v6(v1(5001));
-- An INSERT without names of columns does not put a value into the old one.
INSERT INTO orders VALUES (uuid_v1_to_v6(v1(5003)), v1(1));
\echo :LAST_ERROR_SQLSTATE

-- Until it is finished, it is in the way of the offline mode.
SELECT obstacles, hints FROM uuidx_migrate.plan('orders', 'id', conversion => 'v1_to_v6', trust_owners => true);
SELECT sql FROM uuidx_migrate.script('orders', 'id', 'offline', conversion => 'v1_to_v6', trust_owners => true);
\echo :LAST_ERROR_SQLSTATE

-- It is undone.
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('orders', 'id', 'online', 'v6_to_v1', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT count(*) AS rows, count(*) FILTER (WHERE o.replaces IS NOT DISTINCT FROM b.replaces) AS right
FROM orders AS o JOIN before AS b USING (id, customer_id);
SELECT * FROM shadows;
SELECT pg_get_indexdef('"by %"'::regclass) AS definition, obj_description('"by %"'::regclass) AS comment;
-- PostgreSQL itself keeps a shadow from being anything else.
ALTER TABLE orders DISABLE TRIGGER zzz_id_shadow;
SELECT * FROM pg_temp.errors(
    $$INSERT INTO orders (id, customer_id) VALUES (v1(5002), v1(1))$$,
    $$UPDATE orders SET id_shadow = uuid_max() WHERE id = v1(1001)$$);
ALTER TABLE orders ENABLE ALWAYS TRIGGER zzz_id_shadow;

-- It is finished: one script drops all that is left, but no trigger of others.
SELECT sql FROM uuidx_migrate.script('orders', 'id', 'finish', conversion => 'v1_to_v6', trust_owners => true);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM pg_temp.faults($$script('orders', 'id', 'finish', 'v6_to_v1', trust_owners => true)$$);
SELECT phase, locks FROM examined ORDER BY step;
CREATE TRIGGER of_others BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger('id', 'id_shadow');
\set ECHO none \o /dev/null
SELECT sql FROM uuidx_migrate.script('orders', 'id', 'finish', 'v6_to_v1', trust_owners => true) ORDER BY step \gexec
\o \set ECHO all
SELECT * FROM shadows;
\d orders

SET client_min_messages = error;
RESET ROLE;
DROP OWNED BY regress_uuidx_owner CASCADE;
DROP ROLE regress_uuidx_owner;
