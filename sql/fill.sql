-- Keeping a shadow column
\set SHOW_CONTEXT never
\pset null NULL
\set ECHO none \i sql/include/errors.sql \i sql/include/functions.sql \set ECHO all
-- The call that makes this UUID.
CREATE FUNCTION call(id uuid) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS
$$ SELECT format('v%s(%s)', public.uuid_version(id),
                 coalesce(extract(epoch FROM public.uuid_time(id) - '2020-01-01 00:00:00+00')::int / 3600, ('x' || right(id::text, 8))::bit(32)::int)) $$;

-- Before the cutover, the shadow is the converted column.
CREATE TABLE orders (id uuid, item text, id_shadow uuid, CONSTRAINT zzz_id_shadow CHECK (num_nulls(id, id_shadow) >= 0));
CREATE VIEW shown AS SELECT item, call(id) AS id, call(id_shadow) AS id_shadow FROM orders;
CREATE TRIGGER fill BEFORE INSERT OR UPDATE ON orders
    FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id', 'id_shadow', 'v1_to_v6', 'error');
INSERT INTO orders VALUES (v1(1), 'a'), (v1(2), 'b'), (v1(3), 'c'), (v1(4), 'd'), (NULL, 'e');
UPDATE orders SET id = v1(12), id_shadow = v4(1) WHERE item = 'b';
UPDATE orders SET id_shadow = NULL WHERE item = 'c';
ALTER TABLE orders DISABLE TRIGGER fill;
UPDATE orders SET id_shadow = v6(99) WHERE item = 'a';
ALTER TABLE orders ENABLE TRIGGER fill;
UPDATE orders SET item = 'a' WHERE item = 'a';
UPDATE orders SET id = NULL WHERE item = 'd';
UPDATE orders SET id = v1(15), id_shadow = id WHERE item = 'e';
SELECT * FROM shown ORDER BY item;
INSERT INTO orders VALUES (v6(1), 'of version 6');
\echo :LAST_ERROR_SQLSTATE
UPDATE orders SET id = v4(1) WHERE item = 'a';
\echo :LAST_ERROR_SQLSTATE

-- An INSERT must not give the shadow another value.
INSERT INTO orders VALUES (v1(6), 'f', v6(6));
SELECT * FROM pg_temp.errors(
    $$INSERT INTO orders VALUES (v1(7), 'another', v6(8))$$,
    $$INSERT INTO orders (item, id_shadow) VALUES ('without its column', v6(7))$$);

-- UUIDs of other versions can be kept.
CREATE OR REPLACE TRIGGER fill BEFORE INSERT OR UPDATE ON orders
    FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id', 'id_shadow', 'v1_to_v6', 'keep');
INSERT INTO orders VALUES (v6(21), 'k', NULL), (v4(22), 'l', NULL), (v4(23), 'm', v4(23)), (v1(24), 'n', v6(24)), (NULL, 'o', NULL);
INSERT INTO orders VALUES (v1(25), 'not converted', v1(25));
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM shown WHERE item >= 'f' ORDER BY item;

-- After the cutover, the column has the new version, whatever is written. The shadow has the old one, and does not
-- change while the column does not: k had version 6 before.
CREATE PROCEDURE cutover() LANGUAGE sql AS $$
    ALTER TABLE orders RENAME id TO other;
    ALTER TABLE orders RENAME id_shadow TO id;
    ALTER TABLE orders RENAME other TO id_shadow;
    DROP VIEW shown;
    CREATE VIEW shown AS SELECT item, call(id) AS id, call(id_shadow) AS id_shadow FROM orders;
$$;
CALL cutover();
UPDATE orders SET item = upper(item) WHERE item IN ('a', 'k', 'l', 'o');
UPDATE orders SET id_shadow = NULL WHERE item IN ('K', 'l');
UPDATE orders SET id_shadow = v1(99), id = id WHERE item IN ('c', 'd', 'L');
UPDATE orders SET id = v1(12) WHERE item = 'b';
UPDATE orders SET id = v1(34) WHERE item = 'n';
UPDATE orders SET id = v6(35) WHERE item = 'e';
UPDATE orders SET id = v4(36) WHERE item = 'f';
UPDATE orders SET id = NULL WHERE item = 'm';
INSERT INTO orders (id, item) VALUES (v6(41), 'p'), (v1(42), 'q'), (v4(43), 'r'), (NULL, 's');
SELECT * FROM shown ORDER BY item COLLATE "C";

-- A row that is written as a dump has it is as it was.
INSERT INTO orders (id, item, id_shadow) VALUES (v6(51), 't', v1(51)), (v1(52), 'u', v1(52)), (v6(53), 'v', v6(53));
SELECT * FROM shown WHERE item IN ('t', 'u', 'v') ORDER BY item;
SELECT * FROM pg_temp.errors(
    $$INSERT INTO orders (id, item, id_shadow) VALUES (v1(54), 'not converted', v6(54))$$,
    $$INSERT INTO orders (id, item, id_shadow) VALUES (v6(55), 'another', v1(56))$$,
    $$INSERT INTO orders (item, id_shadow) VALUES ('without its column', v1(57))$$);

-- The same if UUIDs of other versions are errors
CREATE OR REPLACE TRIGGER fill BEFORE INSERT OR UPDATE ON orders
    FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id', 'id_shadow', 'v1_to_v6', 'error');
TRUNCATE orders;
ALTER TABLE orders ADD UNIQUE (id);
INSERT INTO orders (id, item, id_shadow) VALUES (v6(1), 'a', NULL), (v1(2), 'b', NULL), (NULL, 'c', NULL), (v6(4), 'd', v1(4)), (v1(5), 'e', v1(5));
UPDATE orders SET id = v1(12) WHERE item = 'b';
UPDATE orders SET id = v6(13), id_shadow = v4(1) WHERE item = 'c';
UPDATE orders SET id_shadow = NULL WHERE item = 'd';
INSERT INTO orders (id, item) VALUES (v1(1), 'conflicts') ON CONFLICT (id) DO UPDATE SET item = 'a, again';
SELECT * FROM shown ORDER BY item;
SELECT * FROM pg_temp.errors(
    $$UPDATE orders SET id = v4(2) WHERE item = 'b'$$,
    $$INSERT INTO orders (id, item, id_shadow) VALUES (v6(3), 'not the old version', v6(3))$$);

-- What was written while the trigger did not fire: a row is set right when it is updated.
ALTER TABLE orders DISABLE TRIGGER fill;
TRUNCATE orders;
INSERT INTO orders (id, item, id_shadow) VALUES (v6(1), 'a', NULL), (v1(2), 'b', NULL), (NULL, 'c', v1(3));
ALTER TABLE orders ENABLE TRIGGER fill;
UPDATE orders SET item = upper(item);
SELECT * FROM shown ORDER BY item;

DROP VIEW shown;
DROP TABLE orders;

-- References in both columns follow their key, on either side of the cutover.
CREATE TABLE orders (id uuid UNIQUE, id_shadow uuid UNIQUE, CONSTRAINT zzz_id_shadow CHECK (num_nulls(id, id_shadow) >= 0));
CREATE TABLE lines (
    order_id uuid REFERENCES orders (id) ON UPDATE CASCADE ON DELETE SET NULL, n int,
    order_id_shadow uuid REFERENCES orders (id_shadow) ON UPDATE CASCADE ON DELETE SET NULL,
    CONSTRAINT zzz_order_id_shadow CHECK (num_nulls(order_id, order_id_shadow) >= 0)
);
CREATE VIEW shown AS SELECT n, call(order_id) AS order_id, call(order_id_shadow) AS order_id_shadow FROM lines;
CREATE TRIGGER fill BEFORE INSERT OR UPDATE ON orders
    FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id', 'id_shadow', 'v1_to_v6', 'error');
CREATE TRIGGER fill BEFORE INSERT OR UPDATE ON lines
    FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('order_id', 'order_id_shadow', 'v1_to_v6', 'error');
INSERT INTO orders SELECT v1(n) FROM generate_series(1, 4) AS n;
INSERT INTO lines SELECT v1(n), n FROM generate_series(1, 4) AS n;
UPDATE orders SET id = v1(11) WHERE id = v1(1);
DELETE FROM orders WHERE id = v1(2);
SELECT * FROM shown ORDER BY n;
ALTER TABLE orders RENAME id TO other;
ALTER TABLE orders RENAME id_shadow TO id;
ALTER TABLE orders RENAME other TO id_shadow;
ALTER TABLE lines RENAME order_id TO other;
ALTER TABLE lines RENAME order_id_shadow TO order_id;
ALTER TABLE lines RENAME other TO order_id_shadow;
CREATE OR REPLACE VIEW shown AS SELECT n, call(order_id) AS order_id, call(order_id_shadow) AS order_id_shadow FROM lines;
UPDATE orders SET id = v1(13) WHERE id = v6(3);
UPDATE orders SET id = v6(14) WHERE id = v6(4);
DELETE FROM orders WHERE id = v6(11);
INSERT INTO lines (n, order_id) VALUES (5, v1(13)), (6, v6(14));
SELECT * FROM shown ORDER BY n;
DROP VIEW shown;
DROP TABLE lines, orders;

-- A partition may have other numbers than its table.
CREATE TABLE orders (id uuid, item text) PARTITION BY LIST (item);
CREATE TABLE orders_a (gone uuid, also_gone uuid, item text, id uuid);
ALTER TABLE orders_a DROP gone, DROP also_gone;
ALTER TABLE orders ATTACH PARTITION orders_a FOR VALUES IN ('a');
CREATE TABLE orders_b PARTITION OF orders FOR VALUES IN ('b');
ALTER TABLE orders ADD id_shadow uuid, ADD CONSTRAINT zzz_id_shadow CHECK (num_nulls(id, id_shadow) >= 0);
CREATE VIEW shown AS SELECT item, call(id) AS id, call(id_shadow) AS id_shadow FROM orders;
CREATE TRIGGER fill BEFORE INSERT OR UPDATE ON orders
    FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id', 'id_shadow', 'v1_to_v6', 'error');
INSERT INTO orders VALUES (v1(1), 'a'), (v1(2), 'b');
SELECT * FROM shown ORDER BY item;
CALL cutover();
INSERT INTO orders (id, item) VALUES (v1(3), 'a'), (v6(4), 'b');
SELECT * FROM shown ORDER BY item, id;
DROP VIEW shown;
DROP TABLE orders;

-- The other conversion, before and after the cutover
CREATE TABLE orders (id uuid, item text, id_shadow uuid, CONSTRAINT zzz_id_shadow CHECK (num_nulls(id, id_shadow) >= 0));
CREATE VIEW shown AS SELECT item, call(id) AS id, call(id_shadow) AS id_shadow FROM orders;
CREATE TRIGGER fill BEFORE INSERT OR UPDATE ON orders
    FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id', 'id_shadow', 'v6_to_v1', 'keep');
INSERT INTO orders VALUES (v6(1), 'a'), (v1(2), 'b'), (v4(3), 'c'), (NULL, 'd');
SELECT * FROM shown ORDER BY item;
CALL cutover();
UPDATE orders SET item = upper(item);
INSERT INTO orders (id, item) VALUES (v6(11), 'e'), (v1(12), 'f'), (v4(13), 'g'), (NULL, 'h');
SELECT * FROM shown ORDER BY item COLLATE "C";
CREATE OR REPLACE TRIGGER fill BEFORE INSERT OR UPDATE ON orders
    FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id', 'id_shadow', 'v6_to_v1', 'error');
INSERT INTO orders (id, item) VALUES (v4(14), 'of version 4');
\echo :LAST_ERROR_SQLSTATE

-- Only the owner of a table confirms which column is the shadow of another.
CREATE TABLE bad (id uuid, shadow uuid, item text);
CREATE TRIGGER bad BEFORE INSERT ON bad FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id', 'shadow', 'v1_to_v6', 'keep');
INSERT INTO bad DEFAULT VALUES;
\echo :LAST_ERROR_SQLSTATE
\set VERBOSITY sqlstate
ALTER TABLE bad ADD CONSTRAINT zzz_shadow CHECK (id IS NULL OR shadow IS NULL OR item IS NULL);
INSERT INTO bad DEFAULT VALUES;
ALTER TABLE bad DROP CONSTRAINT zzz_shadow, ADD CONSTRAINT zzz_shadow CHECK (id IS NULL OR item IS NULL);
INSERT INTO bad DEFAULT VALUES;
\set VERBOSITY default
DROP TRIGGER bad ON bad;

-- Wrong arguments and wrong triggers
CREATE TRIGGER bad BEFORE INSERT ON bad FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id');
INSERT INTO bad DEFAULT VALUES;
\echo :LAST_ERROR_SQLSTATE
CREATE OR REPLACE TRIGGER bad BEFORE INSERT ON bad FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id', 'none', 'v1_to_v6', 'keep');
INSERT INTO bad DEFAULT VALUES;
\echo :LAST_ERROR_SQLSTATE
CREATE OR REPLACE TRIGGER bad BEFORE INSERT ON bad FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('item', 'shadow', 'v1_to_v6', 'keep');
INSERT INTO bad DEFAULT VALUES;
CREATE OR REPLACE TRIGGER bad BEFORE INSERT ON bad FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id', 'shadow', 'v1_to_6', 'keep');
INSERT INTO bad DEFAULT VALUES;
CREATE OR REPLACE TRIGGER bad BEFORE INSERT ON bad FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id', 'shadow', 'v1_to_v6', 'kept');
INSERT INTO bad DEFAULT VALUES;
\echo :LAST_ERROR_SQLSTATE
CREATE OR REPLACE TRIGGER bad AFTER INSERT ON bad FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id', 'shadow', 'v1_to_v6', 'keep');
INSERT INTO bad DEFAULT VALUES;
\echo :LAST_ERROR_SQLSTATE
DROP TRIGGER bad ON bad;
CREATE TRIGGER bad BEFORE DELETE ON bad FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id', 'shadow', 'v1_to_v6', 'keep');
INSERT INTO bad DEFAULT VALUES;
SELECT * FROM pg_temp.errors(
    $$DELETE FROM bad$$,
    $$SELECT uuidx_migrate_steps.fill()$$);
DROP TABLE bad;
DROP VIEW shown;
DROP TABLE orders;
DROP PROCEDURE cutover;
DROP FUNCTION v1, v4, v6, nothing, call;

-- A transaction block, also of statements in one string
SELECT uuidx_migrate_steps.in_transaction_block();
BEGIN;
SELECT uuidx_migrate_steps.in_transaction_block();
ROLLBACK;
SET client_min_messages = warning \; SELECT uuidx_migrate_steps.in_transaction_block();
RESET client_min_messages;
DO $$ BEGIN ASSERT NOT uuidx_migrate_steps.in_transaction_block(); END $$;

-- Whoever owns tables can name any columns in their triggers: no value is taken for one of another type.
SET client_min_messages = warning;
CREATE SCHEMA types;
SET search_path = types, public;
CREATE PROCEDURE make(key text, key_shadow text, reference text, shadow text, function text, timing text DEFAULT 'BEFORE') LANGUAGE plpgsql AS $$
BEGIN
    DROP TABLE IF EXISTS k, r;
    EXECUTE format('CREATE TABLE k (id %s PRIMARY KEY, id_shadow %s UNIQUE, CONSTRAINT zzz_id_shadow CHECK (id IS NULL OR id_shadow IS NULL OR true))', key, key_shadow);
    EXECUTE format($c$CREATE TABLE r (x %s, x_shadow %s, CONSTRAINT zzz_x_shadow CHECK (x IS NULL OR x_shadow IS NULL OR 'k'::regclass IS NOT NULL))$c$, reference, shadow);
    EXECUTE format($t$CREATE TRIGGER t %s INSERT ON r FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.%I('x', 'x_shadow', 'id', 'id_shadow', 'to_v7')$t$, timing, function);
    EXECUTE $t$CREATE TRIGGER t AFTER UPDATE ON k FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.reset('id', 'id_shadow', 'pending_key')$t$;
END $$;
CALL make('bigint', 'text', 'bigint', 'text', 'fill_reference');
INSERT INTO k VALUES (81985529216486895, 'x');
SELECT * FROM pg_temp.errors('INSERT INTO r (x) VALUES (81985529216486895)');
CALL make('bigint', 'text', 'bigint', 'text', 'refill', 'AFTER');
INSERT INTO k VALUES (81985529216486895, 'x');
SELECT * FROM pg_temp.errors('INSERT INTO r (x) VALUES (81985529216486895)');
CALL make('uuid', 'bigint', 'text', 'text', 'fill_reference');
INSERT INTO k VALUES ('00000000-0000-0000-0000-000000000001', 81985529216486895);
SELECT * FROM pg_temp.errors($$INSERT INTO r (x) VALUES ('00000000-0000-0000-0000-000000000001')$$);
CALL make('uuid', 'text', 'uuid', 'text', 'fill_reference');
INSERT INTO k VALUES ('fcffffff-0000-0000-0000-000000000001', 'x');
SELECT * FROM pg_temp.errors($$INSERT INTO r (x) VALUES ('fcffffff-0000-0000-0000-000000000001')$$,
                             $$UPDATE k SET id = 'fcffff3f-0000-0000-0000-000000000002'$$);
DROP SCHEMA types CASCADE;
