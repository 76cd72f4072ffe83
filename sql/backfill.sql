-- Filling a shadow column
\set SHOW_CONTEXT never
CREATE FUNCTION v1(n int) RETURNS uuid LANGUAGE sql IMMUTABLE AS
$$ SELECT public.uuid_v6_to_v1(public.uuid_v6_from(timestamptz '2020-01-01 00:00:00+00' + n * interval '1 hour')) $$;
CREATE TABLE orders (id uuid PRIMARY KEY, item text);
INSERT INTO orders SELECT v1(n), 'item ' || n FROM generate_series(1, 20000) AS n;
ANALYZE orders;

ALTER TABLE orders ADD COLUMN id_v6 uuid;
CREATE TRIGGER fill BEFORE INSERT OR UPDATE ON orders
    FOR EACH ROW EXECUTE FUNCTION uuidx_migrate.fill('id', 'id_v6', 'v1_to_v6', 'error');
UPDATE orders SET item = 'changed' WHERE id IN (v1(1), v1(2));

-- The backfill fills the others, in a transaction for each batch.
CREATE TABLE batches (xid xid8, rows int);
CREATE FUNCTION note_batch() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN INSERT INTO batches SELECT pg_current_xact_id(), count(*) FROM changed; RETURN NULL; END $$;
CREATE TRIGGER note AFTER UPDATE ON orders REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_batch();
SET client_min_messages = warning;
CALL uuidx_migrate.backfill('orders', 'id', 'id_v6', batch_rows => 3000);
SELECT count(*) AS rows, count(*) FILTER (WHERE id_v6 = uuid_v1_to_v6(id)) AS equal FROM orders;
SELECT count(DISTINCT xid) BETWEEN 6 AND 12 AS batches, sum(rows) AS rows, max(rows) < 4000 AS of_the_size_asked_for FROM batches;
SELECT relation, from_column, to_column, rows_filled, estimated_rows, percent, rows_per_second > 0 AS has_rate, time_left,
       finished >= resumed AS is_finished
FROM uuidx_migrate.progress;

-- It can be called again: there is nothing left, or what is left is filled.
CALL uuidx_migrate.backfill('orders', 'id', 'id_v6');
ALTER TABLE orders DISABLE TRIGGER fill;
UPDATE orders SET id_v6 = NULL WHERE item LIKE 'item 1%';
CALL uuidx_migrate.backfill('orders', 'id', 'id_v6');
SELECT count(*) AS rows, count(*) FILTER (WHERE id_v6 = uuid_v1_to_v6(id)) AS equal FROM orders;

-- Values of another version stop it where they are, or are kept; and the way back.
CREATE TABLE mixed (id uuid);
INSERT INTO mixed VALUES (v1(1)), ('919108f7-52d1-4320-9bac-f847db4148a8'), (NULL);
ALTER TABLE mixed ADD COLUMN other uuid, ADD COLUMN back uuid;
CALL uuidx_migrate.backfill('mixed', 'id', 'other');
\echo :LAST_ERROR_SQLSTATE
CALL uuidx_migrate.backfill('mixed', 'id', 'other', others => 'keep');
CALL uuidx_migrate.backfill('mixed', 'other', 'back', direction => 'v6_to_v1', others => 'keep');
SELECT id, other, back FROM mixed;

-- Partitions, each by itself; names that need quotes; no rows
CREATE TABLE "Parted Table" ("Id" uuid, "to" uuid, n int) PARTITION BY RANGE (n);
CREATE TABLE "Parted Table 1" PARTITION OF "Parted Table" FOR VALUES FROM (0) TO (10);
CREATE TABLE "Parted Table 2" ("to" uuid, n int, "Id" uuid);
ALTER TABLE "Parted Table" ATTACH PARTITION "Parted Table 2" FOR VALUES FROM (10) TO (20);
CREATE TABLE "Parted Table 3" PARTITION OF "Parted Table" FOR VALUES FROM (20) TO (30);
INSERT INTO "Parted Table" SELECT v1(n), NULL, n FROM generate_series(0, 19) AS n;
CALL uuidx_migrate.backfill('"Parted Table"', 'Id', 'to');
SELECT count(*) AS rows, count(*) FILTER (WHERE "to" = uuid_v1_to_v6("Id")) AS equal FROM "Parted Table";
SELECT relation, rows_filled FROM uuidx_migrate.progress WHERE to_column = 'to' ORDER BY relation::text COLLATE "C";

-- However large a table is, or if nothing is known of it: a batch is of the size asked for.
CREATE TABLE sizes (id uuid, id_v6 uuid);
INSERT INTO sizes SELECT v1(n) FROM generate_series(1, 2000) AS n;
SELECT uuidx_migrate.batch_blocks('sizes', 10000) BETWEEN 40 AND 60 AS of_unknown_rows, uuidx_migrate.batch_blocks('sizes', 1) AS least;
UPDATE pg_class SET relpages = 2000000000, reltuples = 2e11 WHERE oid = 'sizes'::regclass;
SELECT uuidx_migrate.batch_blocks('sizes', 10000) AS blocks, uuidx_migrate.batch_blocks('sizes', 2147483647) AS most;
CALL uuidx_migrate.backfill('sizes', 'id', 'id_v6', batch_rows => 2147483647);
SELECT count(*) FILTER (WHERE id_v6 = uuid_v1_to_v6(id)) AS filled FROM sizes;
DROP TABLE sizes;

-- Of what is no table, of a table without partitions, and where row security hides rows
CREATE VIEW no_table AS SELECT id, id AS id_v6 FROM orders;
CALL uuidx_migrate.backfill('no_table', 'id', 'id_v6');
DROP VIEW no_table;
CREATE TABLE no_partitions (id uuid, id_v6 uuid) PARTITION BY LIST (id);
CALL uuidx_migrate.backfill('no_partitions', 'id', 'id_v6');
DROP TABLE no_partitions;
CREATE ROLE regress_uuidx_owner;
CREATE TABLE hidden (id uuid, id_v6 uuid);
ALTER TABLE hidden OWNER TO regress_uuidx_owner;
ALTER TABLE hidden ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SET ROLE regress_uuidx_owner;
CALL uuidx_migrate.backfill('hidden', 'id', 'id_v6');
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
DROP TABLE hidden;
DROP ROLE regress_uuidx_owner;

-- Bad arguments
CALL uuidx_migrate.backfill('orders', 'id', 'no_column');
\echo :LAST_ERROR_SQLSTATE
CALL uuidx_migrate.backfill('orders', 'id', 'item');
CALL uuidx_migrate.backfill('orders', 'id', 'id_v6', direction => 'up');
CALL uuidx_migrate.backfill('orders', 'id', 'id_v6', others => 'ignore');
CALL uuidx_migrate.backfill('orders', 'id', 'id_v6', batch_rows => 0);

-- Each sees the backfills of his own tables.
CREATE ROLE regress_uuidx_user;
SET ROLE regress_uuidx_user;
SELECT count(*) FROM uuidx_migrate.progress;
SELECT count(*) FROM uuidx_migrate.backfills;
CALL uuidx_migrate.backfill('orders', 'id', 'id_v6');
RESET ROLE;
DROP ROLE regress_uuidx_user;
DELETE FROM uuidx_migrate.backfills;
DROP TABLE orders, batches, mixed, "Parted Table";
DROP FUNCTION v1, note_batch;
