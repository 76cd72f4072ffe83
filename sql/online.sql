-- Moving columns while their tables serve
\set SHOW_CONTEXT never
SET client_min_messages = warning;
\i sql/include/orders.sql
CREATE VIEW shadows AS
SELECT attrelid::regclass AS relation, attname, uuidx_migrate.filling(attrelid, left(attname, -7)::name) AS filling
FROM pg_attribute WHERE attname LIKE '%\_shadow' AND attnum > 0 AND attrelid::regclass::text IN ('orders', '"Select"', 'payments', 'payments_2020', 'refunds')
ORDER BY attrelid::regclass::text COLLATE "C", attname;
CREATE TABLE before AS SELECT o.*, s."Order" FROM orders AS o JOIN "Select" AS s ON s."Order" = o.id;

-- The statements. SET NOT NULL is another one from PostgreSQL 18 on, where it is a constraint with a name, and so
-- the fingerprint is, too.
CREATE STATISTICS orders_statistics (ndistinct, mcv) ON id, customer_id, (abs(hashtext(customer_id::text))) FROM orders;
ALTER STATISTICS orders_statistics SET STATISTICS 50;
COMMENT ON STATISTICS orders_statistics IS 'of orders';
CREATE INDEX "by %" ON orders USING btree (replaces DESC, (abs(hashtext(customer_id::text))), id uuid_time_ops NULLS FIRST) INCLUDE (customer_id)
    WITH (fillfactor = 70) WHERE customer_id IS NOT NULL AND customer_id <> uuid_max();
COMMENT ON INDEX "by %" IS 'an index';
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
CREATE TRIGGER audit BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE TRIGGER of_inserts BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION nothing();
SELECT pg_get_indexdef('"by %"'::regclass) AS definition;
\pset format unaligned
\pset tuples_only on
\set not_null '^ALTER TABLE [^;]* (ADD CONSTRAINT \\S+ NOT NULL |ALTER COLUMN \\S+ SET NOT NULL)[^;]*;\\n'
SELECT regexp_replace(regexp_replace(sql, :'not_null', '', 'gn'), '''[0-9a-f]{32}''', '''fingerprint''') FROM uuidx_migrate.script('orders', 'id', 'online') ORDER BY step;
SELECT regexp_replace(regexp_replace(sql, :'not_null', '', 'gn'), '''[0-9a-f]{32}''', '''fingerprint''') FROM uuidx_migrate.script('payments_2020', 'id', 'online', 'v6_to_v1', 'keep') ORDER BY step;
\pset format aligned
\pset tuples_only off

-- It is done, and has nothing left to do but to drop the old columns.
\set ECHO none
SELECT sql FROM uuidx_migrate.script('orders', 'id', 'online') ORDER BY step \gexec
\set ECHO all
SELECT count(*) AS rows, count(*) FILTER (WHERE b.id IS NOT NULL) AS right
FROM orders AS o JOIN "Select" AS s ON s."Order" = o.id
LEFT JOIN before AS b ON o.id = uuid_v1_to_v6(b.id) AND o.customer_id = b.customer_id AND o.replaces IS NOT DISTINCT FROM uuid_v1_to_v6(b.replaces);
SELECT * FROM shadows;
SELECT pg_get_indexdef('"by %"'::regclass) AS definition;
SELECT pg_get_indexdef('"by %_shadow"'::regclass) AS definition;
SELECT step, left(sql, 40) AS sql FROM uuidx_migrate.script('orders', 'id', 'online') ORDER BY step;

-- The old columns are kept for every row that is written, also one that still has version 1.
INSERT INTO orders (id, customer_id) VALUES (uuid_v1_to_v6(v1(5000)), v1(1)), (v1(5001), v1(1));
SELECT id = uuid_v1_to_v6(v1(5000)) AS v6, id = v1(5001) AS v1, id_shadow = v1(5000) OR id_shadow = v1(5001) AS kept
FROM orders WHERE id IN (uuid_v1_to_v6(v1(5000)), v1(5001)) ORDER BY id_shadow;
DELETE FROM orders WHERE id = v1(5001);

-- An INSERT without names of columns does not put a value into the old one.
INSERT INTO orders VALUES (uuid_v1_to_v6(v1(5003)), v1(1));
\echo :LAST_ERROR_SQLSTATE

-- It is undone.
\set ECHO none
SELECT sql FROM uuidx_migrate.script('orders', 'id', 'online', 'v6_to_v1') ORDER BY step \gexec
\set ECHO all
SELECT count(*) AS rows, count(*) FILTER (WHERE o.replaces IS NOT DISTINCT FROM b.replaces) AS right
FROM orders AS o JOIN before AS b USING (id, customer_id);
SELECT * FROM shadows;

-- The exchange is refused before the shadow columns are known to be filled.
SELECT uuidx_migrate.check_shadow('orders', 'id');
\echo :LAST_ERROR_SQLSTATE
ALTER TABLE orders VALIDATE CONSTRAINT id_shadow;
SELECT uuidx_migrate.check_shadow('orders', 'id');
UPDATE pg_index SET indisvalid = false WHERE indexrelid = '"by %_shadow"'::regclass;
SELECT uuidx_migrate.check_shadow('orders', 'id');
\echo :LAST_ERROR_SQLSTATE
UPDATE pg_index SET indisvalid = true WHERE indexrelid = '"by %_shadow"'::regclass;
-- PostgreSQL itself keeps a shadow from being anything else.
ALTER TABLE orders DISABLE TRIGGER zzz_id_shadow;
INSERT INTO orders (id, customer_id) VALUES (v1(5002), v1(1));
UPDATE orders SET id_shadow = uuid_max() WHERE id = v1(1001);
ALTER TABLE orders ENABLE ALWAYS TRIGGER zzz_id_shadow;

-- What stands in the way of one mode alone
SELECT obstacle FROM uuidx_migrate.plan('orders', 'id'), unnest(obstacles) AS obstacle;
SELECT sql FROM uuidx_migrate.script('orders', 'id', 'offline');
\set ECHO none
SELECT regexp_replace(regexp_replace(sql, '\A.*?\n', ''), '^-- ', '', 'gn')
FROM uuidx_migrate.script('orders', 'id', 'online', 'v6_to_v1') WHERE sql LIKE '-- When%' ORDER BY step \gexec
\set ECHO all
SELECT count(*) AS shadows FROM shadows;
ALTER TABLE orders ADD COLUMN id_shadow int, ADD CONSTRAINT replaces_shadow CHECK (true);
CREATE TABLE orders_pkey_shadow ();
CREATE TRIGGER zzz_replaces_shadow BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE TRIGGER zzzz BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE TRIGGER zzzz_of_delete BEFORE DELETE ON orders FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE RULE all_orders AS ON DELETE TO orders DO ALSO NOTHING;
ALTER TABLE orders ADD CONSTRAINT deferred UNIQUE (customer_id, id) DEFERRABLE;
CREATE STATISTICS expression ON (abs(hashtext(id::text))), customer_id FROM orders;
UPDATE pg_index SET indisvalid = false WHERE indexrelid = '"by %"'::regclass;
SELECT obstacle FROM uuidx_migrate.plan('orders', 'id'), unnest(obstacles) AS obstacle;
SELECT sql FROM uuidx_migrate.script('orders', 'id', 'online');
\echo :LAST_ERROR_SQLSTATE
UPDATE pg_index SET indisvalid = true WHERE indexrelid = '"by %"'::regclass;

CREATE ROLE regress_uuidx_user;
CREATE SCHEMA regress_uuidx;
GRANT USAGE ON SCHEMA regress_uuidx TO regress_uuidx_user;
CREATE TABLE regress_uuidx.owned (id uuid PRIMARY KEY);
ALTER TABLE regress_uuidx.owned OWNER TO regress_uuidx_user;
ALTER TABLE regress_uuidx.owned ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SET ROLE regress_uuidx_user;
SELECT obstacle FROM uuidx_migrate.plan('regress_uuidx.owned', 'id'), unnest(obstacles) AS obstacle;
-- Nobody can say that another's table lacks a foreign key.
INSERT INTO uuidx_migrate.unfinished_foreign_keys VALUES ('orders', 'replaced', NULL, NULL);
INSERT INTO uuidx_migrate.unfinished_foreign_keys VALUES ('regress_uuidx.owned', 'x', 'FOREIGN KEY (id) REFERENCES t; DROP TABLE orders', NULL);
RESET ROLE;

-- What was made after a script was written is neither lost nor left behind: the script refuses.
CREATE TABLE changing (id uuid PRIMARY KEY, n int);
CREATE TABLE script AS SELECT * FROM uuidx_migrate.script('changing', 'id', 'online');
\set ECHO none
SELECT sql FROM script WHERE sql NOT LIKE '%RENAME COLUMN%' AND sql NOT LIKE '-- When%' ORDER BY step \gexec
\set ECHO all
CREATE INDEX changing_new ON changing (n, id);
\set ECHO none
SELECT sql FROM script WHERE sql LIKE '%RENAME COLUMN%' \gexec
\set ECHO all
DROP INDEX changing_new;
CREATE VIEW of_changing AS SELECT id FROM changing;
\set ECHO none
SELECT sql FROM script WHERE sql LIKE '%RENAME COLUMN%' \gexec
\set ECHO all
DROP VIEW of_changing;
\set ECHO none
SELECT sql FROM script WHERE sql LIKE '%RENAME COLUMN%' \gexec
\set ECHO all
SELECT uuidx_migrate.filling('changing', 'id');
DROP TABLE changing, script;

-- Two migrations of one index: the second waits for the first.
CREATE TABLE a (id uuid PRIMARY KEY);
CREATE TABLE b (id uuid PRIMARY KEY);
CREATE TABLE ab (a uuid REFERENCES a, b uuid REFERENCES b, PRIMARY KEY (a, b));
CREATE TABLE script_a AS SELECT * FROM uuidx_migrate.script('a', 'id', 'online');
CREATE TABLE script_b AS SELECT * FROM uuidx_migrate.script('b', 'id', 'online');
\set ECHO none
SELECT sql FROM script_a WHERE step < (SELECT min(step) FROM script_a WHERE sql LIKE '%RENAME COLUMN%') ORDER BY step \gexec
SELECT sql FROM script_b ORDER BY step \gexec
\set ECHO all
SELECT uuidx_migrate.filling('ab', 'a') AS a, uuidx_migrate.filling('ab', 'b') AS b;
\d ab
DROP TABLE a, b, ab, script_a, script_b;

-- Values of the new version that were there before are there again when it is undone, if they were not changed.
CREATE TABLE mixed (id uuid PRIMARY KEY, n int);
INSERT INTO mixed VALUES (v1(1), 1), (uuid_v1_to_v6(v1(2)), 2), ('919108f7-52d1-4320-9bac-f847db4148a8', 3);
CREATE TABLE mixed_before AS SELECT * FROM mixed;
\set ECHO none
SELECT sql FROM uuidx_migrate.script('mixed', 'id', 'online', others => 'keep') ORDER BY step \gexec
\set ECHO all
SELECT uuid_version(id) FROM mixed ORDER BY n;
UPDATE mixed SET n = n + 10;
\set ECHO none
SELECT sql FROM uuidx_migrate.script('mixed', 'id', 'online', 'v6_to_v1', 'keep') ORDER BY step \gexec
\set ECHO all
SELECT count(*) AS same FROM mixed JOIN mixed_before USING (id);
DROP TABLE mixed, mixed_before;

-- A column twice in an index, a trigger with a name of two lines
CREATE TABLE twice (id uuid PRIMARY KEY, n int);
CREATE INDEX ON twice (id, id uuid_time_ops) INCLUDE (id);
CREATE TRIGGER "a
CREATE TABLE injected ();
--" BEFORE UPDATE ON twice FOR EACH ROW EXECUTE FUNCTION nothing();
\set ECHO none
SELECT sql FROM uuidx_migrate.script('twice', 'id', 'online') ORDER BY step \gexec
\set ECHO all
\d twice
SELECT to_regclass('injected');
DROP TABLE twice;

-- Names that are as long as can be, or look like the end of a text; a temporary table
CREATE TEMP TABLE "$do$ is a name with $if$, '' and "" that is as long as a name can be" ("$if$ %I, another such name with '' and """" as long as can be, too" uuid PRIMARY KEY,
    parent uuid REFERENCES "$do$ is a name with $if$, '' and "" that is as long as a name can be");
\set ECHO none
SELECT oid::regclass AS long_table FROM pg_class WHERE relname LIKE '$do$%' AND relkind = 'r' \gset
SELECT attname AS long_column FROM pg_attribute WHERE attrelid = :'long_table'::regclass AND attnum = 1 \gset
\set ECHO all
INSERT INTO :long_table VALUES (v1(1), v1(1));
\set ECHO none
SELECT sql FROM uuidx_migrate.script(:'long_table', :'long_column', 'online') ORDER BY step \gexec
\set ECHO all
SELECT uuid_version(:"long_column"), uuid_version(parent) FROM :long_table;

DROP TABLE regress_uuidx.owned, :long_table;
DROP SCHEMA regress_uuidx;
DROP ROLE regress_uuidx_user;
DROP VIEW shadows;
DELETE FROM uuidx_migrate.backfills;
DROP TABLE customers, orders, "Select", payments, refunds, before, orders_pkey_shadow;
DROP FUNCTION v1, nothing;
