-- Filling a shadow column
\set SHOW_CONTEXT never
\set ECHO none \i sql/include/functions.sql \set ECHO all
CREATE TABLE orders (id uuid PRIMARY KEY, item text) WITH (autovacuum_enabled = false);
INSERT INTO orders SELECT v1(n), 'item ' || n FROM generate_series(1, 20000) AS n;
ANALYZE orders;
ALTER TABLE orders ADD COLUMN id_shadow uuid, ADD CONSTRAINT zzz_id_shadow CHECK (num_nulls(id, id_shadow) >= 0) NOT VALID;
CREATE VIEW filled AS SELECT count(*) AS rows, count(*) FILTER (WHERE id_shadow = uuid_v1_to_v6(id)) AS equal FROM orders;

-- It fills what is not filled, in a transaction for each batch, and shows its progress until it ends.
CREATE TRIGGER zzz_id_shadow BEFORE INSERT OR UPDATE ON orders
    FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id', 'id_shadow', 'v1_to_v6', 'error', 'id');
ALTER TABLE orders ENABLE ALWAYS TRIGGER zzz_id_shadow;
UPDATE orders SET item = 'changed' WHERE id IN (v1(1), v1(2));
-- A batch locks its rows so that foreign keys can still read them, unless the shadow is a key, too.
SELECT substring(statement, 'FOR [A-Z ]+ SKIP LOCKED') AS lock FROM uuidx_migrate_steps.backfill_batch('orders', '{id}', 500, 0, 0);
BEGIN;
CREATE UNIQUE INDEX ON orders (id_shadow);
SELECT substring(statement, 'FOR [A-Z ]+ SKIP LOCKED') AS lock FROM uuidx_migrate_steps.backfill_batch('orders', '{id}', 500, 0, 0);
ROLLBACK;
CREATE TABLE batches (xid xid8, rows int, before uuidx_migrate.progress);
CREATE FUNCTION note_batch() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN INSERT INTO batches SELECT pg_current_xact_id(), (SELECT count(*) FROM changed), p FROM uuidx_migrate.progress AS p; RETURN NULL; END $$;
CREATE TRIGGER note AFTER UPDATE ON orders REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_batch();
SET client_min_messages = warning;
SELECT pg_relation_size('orders') AS size \gset
CALL uuidx_migrate_steps.backfill('orders', '{id}', batch_rows => 500);
SELECT * FROM filled;
SELECT count(DISTINCT xid) BETWEEN 40 AND 60 AS batches, sum(rows) AS rows, max(rows) < 700 AS of_the_size_asked_for FROM batches;
SELECT pg_relation_size('orders') < 1.6 * :size AS most_rows_stay_in_their_pages;
SELECT (before).relation, bool_and((before).blocks > (before).next_block AND (before).rows_filled > 0 AND (before).percent BETWEEN 1 AND 99
           AND (before).rows_per_second > 0 AND (before).time_left >= '0') AS has_progress
FROM batches WHERE (before).next_block > 0 GROUP BY 1;
SELECT * FROM uuidx_migrate.progress;

-- It can be called again: there is nothing left, or what is left is filled.
TRUNCATE batches;
CALL uuidx_migrate_steps.backfill('orders', '{id}');
SELECT coalesce(sum(rows), 0) AS rows FROM batches;
CREATE FUNCTION empty(what text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    ALTER TABLE orders DISABLE TRIGGER USER;
    UPDATE orders SET id_shadow = NULL WHERE item LIKE what;
    ALTER TABLE orders ENABLE TRIGGER USER, ENABLE ALWAYS TRIGGER zzz_id_shadow;
END $$;
SELECT empty('item 1%');
TRUNCATE batches;
CALL uuidx_migrate_steps.backfill('orders', '{id}');
SELECT sum(rows) AS rows FROM batches;
SELECT * FROM filled;

-- After an error, it resumes where it stopped, and shows nothing meanwhile.
SELECT empty('%');
-- Each page has room for new versions of its rows, whatever old ones other transactions still see.
ALTER TABLE orders SET (fillfactor = 30);
VACUUM FULL orders;
ALTER TABLE orders DISABLE TRIGGER USER;
UPDATE orders SET id = '919108f7-52d1-4320-9bac-f847db4148a8' WHERE ctid = (SELECT max(ctid) FROM orders);
ALTER TABLE orders ENABLE ALWAYS TRIGGER zzz_id_shadow;
CALL uuidx_migrate_steps.backfill('orders', '{id}', batch_rows => 1000);
\echo :LAST_ERROR_SQLSTATE
SELECT count(id_shadow) BETWEEN 10000 AND 19999 AS has_begun FROM orders;
SELECT * FROM uuidx_migrate.progress;
ALTER TABLE orders DISABLE TRIGGER USER;
UPDATE orders SET id = v1(20001) WHERE id = '919108f7-52d1-4320-9bac-f847db4148a8';
ALTER TABLE orders ENABLE TRIGGER USER, ENABLE ALWAYS TRIGGER zzz_id_shadow;
TRUNCATE batches;
CALL uuidx_migrate_steps.backfill('orders', '{id}', batch_rows => 1000);
SELECT sum(rows) < 10000 AS of_the_rest, min((before).percent) >= 50 AS from_there FROM batches;
SELECT * FROM filled;
-- What a trigger shows in its place is replaced after the next batch.
SELECT empty('%');
CREATE FUNCTION hide() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM uuidx_migrate_steps.end_backfill(); RETURN NULL; END $$;
CREATE TRIGGER then_hide AFTER UPDATE ON orders FOR EACH STATEMENT EXECUTE FUNCTION hide();
TRUNCATE batches;
CALL uuidx_migrate_steps.backfill('orders', '{id}', batch_rows => 3000);
SELECT * FROM filled;
SELECT count(*) > 5 AS are_shown FROM batches;
DROP TRIGGER then_hide ON orders;

-- A trigger that keeps rows from being updated ends it; so does one that only keeps some.
SELECT empty('item 1%');
ALTER TABLE orders DISABLE TRIGGER note;
CREATE FUNCTION ignore() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN CASE WHEN new.item <> 'item 123' THEN new END; END $$;
CREATE TRIGGER ignore BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION ignore();
CALL uuidx_migrate_steps.backfill('orders', '{id}');
\echo :LAST_ERROR_SQLSTATE
SELECT v1(123);

-- Triggers do not fire with fire_triggers => false, which needs a right.
CALL uuidx_migrate_steps.backfill('orders', '{id}', fire_triggers => false);
SELECT * FROM filled;
SHOW session_replication_role;
CREATE ROLE regress_uuidx_owner;
ALTER TABLE orders OWNER TO regress_uuidx_owner;
SELECT empty('item 3');
SET ROLE regress_uuidx_owner;
CALL uuidx_migrate_steps.backfill('orders', '{id}', fire_triggers => false, trust_owners => true);
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
ALTER TABLE orders OWNER TO CURRENT_USER;
DROP TRIGGER ignore ON orders;
-- Who cancels it reads what to do, and no text of the statement that ran.
SELECT empty('item 3');
CREATE FUNCTION cancel() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_cancel_backend(pg_backend_pid()), pg_sleep(600); END';
CREATE TRIGGER cancel BEFORE UPDATE ON orders FOR EACH STATEMENT EXECUTE FUNCTION cancel();
CALL uuidx_migrate_steps.backfill('orders', '{id}');
DROP TRIGGER cancel ON orders;
CALL uuidx_migrate_steps.backfill('orders', '{id}');
SELECT * FROM filled;

-- The shadows of a table together: each row is updated once, whichever of them are filled already.
CREATE TABLE pairs (n int, id uuid, other uuid, id_shadow uuid, other_shadow uuid, updates int DEFAULT 0);
ALTER TABLE pairs ADD CONSTRAINT zzz_id_shadow CHECK (num_nulls(id, id_shadow) >= 0) NOT VALID,
    ADD CONSTRAINT zzz_other_shadow CHECK (num_nulls(other, other_shadow) >= 0) NOT VALID;
INSERT INTO pairs SELECT n, CASE WHEN n % 3 > 0 THEN v1(n) END, CASE WHEN n % 5 > 0 THEN v1(n + 1) END FROM generate_series(1, 1000) AS n;
CREATE FUNCTION count_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.updates := new.updates + 1; RETURN new; END $$;
CREATE TRIGGER count_update BEFORE UPDATE ON pairs FOR EACH ROW EXECUTE FUNCTION count_update();
CREATE TRIGGER zzz_id_shadow BEFORE INSERT OR UPDATE ON pairs
    FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id', 'id_shadow', 'v1_to_v6', 'error', 'id');
ALTER TABLE pairs ENABLE ALWAYS TRIGGER zzz_id_shadow;
UPDATE pairs SET n = n WHERE n % 2 = 0;
CALL uuidx_migrate_steps.backfill('pairs', '{id,other}');
\echo :LAST_ERROR_SQLSTATE
CREATE TRIGGER zzz_other_shadow BEFORE INSERT OR UPDATE ON pairs
    FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('other', 'other_shadow', 'v1_to_v6', 'error', 'id');
CALL uuidx_migrate_steps.backfill('pairs', '{id,other}');
\echo :LAST_ERROR_SQLSTATE
ALTER TABLE pairs ENABLE ALWAYS TRIGGER zzz_other_shadow;
CALL uuidx_migrate_steps.backfill('pairs', '{id,other}', batch_rows => 100);
SELECT n % 2 = 0 AS is_even, updates, count(*), bool_and(id_shadow IS NOT DISTINCT FROM uuid_v1_to_v6(id) AND other_shadow IS NOT DISTINCT FROM uuid_v1_to_v6(other)) AS are_right
FROM pairs GROUP BY 1, 2 ORDER BY 1, 2;

-- Partitions, each by itself; names that need quotes; no rows
CREATE TABLE "Parted Table" ("Id" uuid, "Id_shadow" uuid, n int) PARTITION BY RANGE (n);
CREATE TABLE "Parted Table 1" PARTITION OF "Parted Table" FOR VALUES FROM (0) TO (10);
CREATE TABLE "Parted Table 2" ("Id_shadow" uuid, n int, "Id" uuid);
ALTER TABLE "Parted Table" ATTACH PARTITION "Parted Table 2" FOR VALUES FROM (10) TO (20);
CREATE TABLE "Parted Table 3" PARTITION OF "Parted Table" FOR VALUES FROM (20) TO (30);
INSERT INTO "Parted Table" SELECT v1(n), NULL, n FROM generate_series(0, 19) AS n;
ALTER TABLE "Parted Table" ADD CONSTRAINT "zzz_Id_shadow" CHECK (num_nulls("Id", "Id_shadow") >= 0) NOT VALID;
CREATE TRIGGER "zzz_Id_shadow" BEFORE INSERT OR UPDATE ON "Parted Table"
    FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('Id', 'Id_shadow', 'v1_to_v6', 'error', 'Id');
ALTER TABLE "Parted Table" ENABLE ALWAYS TRIGGER "zzz_Id_shadow";
CALL uuidx_migrate_steps.backfill('"Parted Table"', '{Id}');
SELECT count(*) AS rows, count(*) FILTER (WHERE "Id_shadow" = uuid_v1_to_v6("Id")) AS equal FROM "Parted Table";

-- However large a table is, or if nothing is known of it: a batch is of the size asked for.
CREATE TABLE sizes (id uuid, id_shadow uuid);
ALTER TABLE sizes ADD CONSTRAINT zzz_id_shadow CHECK (num_nulls(id, id_shadow) >= 0) NOT VALID;
INSERT INTO sizes SELECT v1(n) FROM generate_series(1, 2000) AS n;
SELECT uuidx_migrate_steps.batch_blocks('sizes', 10000) BETWEEN 40 AND 60 AS of_unknown_rows, uuidx_migrate_steps.batch_blocks('sizes', 1) AS least;
UPDATE pg_class SET relpages = 2000000000, reltuples = 2e11 WHERE oid = 'sizes'::regclass;
SELECT uuidx_migrate_steps.batch_blocks('sizes', 10000) AS blocks, uuidx_migrate_steps.batch_blocks('sizes', 2147483647) AS most;
CREATE TRIGGER zzz_id_shadow BEFORE INSERT OR UPDATE ON sizes
    FOR EACH ROW EXECUTE FUNCTION uuidx_migrate_steps.fill('id', 'id_shadow', 'v1_to_v6', 'error', 'id');
ALTER TABLE sizes ENABLE ALWAYS TRIGGER zzz_id_shadow;
CALL uuidx_migrate_steps.backfill('sizes', '{id}', batch_rows => 2147483647);
SELECT count(*) FILTER (WHERE id_shadow = uuid_v1_to_v6(id)) AS filled FROM sizes;
DROP TABLE sizes;

-- Of what is no table, of a table without partitions, and where row security hides rows
CREATE VIEW no_table AS SELECT id, id AS id_shadow FROM orders;
CALL uuidx_migrate_steps.backfill('no_table', '{id}');
\echo :LAST_ERROR_SQLSTATE
CREATE TABLE no_partitions (id uuid, id_shadow uuid) PARTITION BY LIST (id);
CALL uuidx_migrate_steps.backfill('no_partitions', '{id}');
CREATE TABLE hidden (id uuid, id_shadow uuid);
ALTER TABLE hidden OWNER TO regress_uuidx_owner;
ALTER TABLE hidden ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SET ROLE regress_uuidx_owner;
CALL uuidx_migrate_steps.backfill('hidden', '{id}', trust_owners => true);
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;

-- Bad arguments, and a transaction that is open
CALL uuidx_migrate_steps.backfill('orders', '{id,no_column}');
\echo :LAST_ERROR_SQLSTATE
CALL uuidx_migrate_steps.backfill('orders', '{item}');
\echo :LAST_ERROR_SQLSTATE
CALL uuidx_migrate_steps.backfill('orders', '{id,NULL}');
\echo :LAST_ERROR_SQLSTATE
CALL uuidx_migrate_steps.backfill('orders', '{}');
CALL uuidx_migrate_steps.backfill('orders', '{id}', batch_rows => 0);
\echo :LAST_ERROR_SQLSTATE
BEGIN;
CALL uuidx_migrate_steps.backfill('orders', '{id}');
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;

-- A role sees and shows the progress of its own tables alone, and can neither write it nor keep others from it by a lock.
SELECT uuidx_migrate_steps.expect_backfills(3, 1000), uuidx_migrate_steps.show_backfill('orders', 300, 0, NULL, NULL);
SELECT uuidx_migrate_steps.show_backfill('orders', 300, 100, 5000, clock_timestamp() - interval '10 s');
SELECT relation, blocks, next_block, rows_filled, percent, rows_per_second, time_left, tables_left, time_left_of_tables FROM uuidx_migrate.progress;
-- A batch that began at no time, and one that began before all times
SELECT uuidx_migrate_steps.show_backfill('orders', 300, 100, 1, NULL), uuidx_migrate_steps.show_backfill('orders', 300, 100, 1, '-infinity');
SELECT rows_filled, seconds > 10 AS took_time FROM uuidx_migrate.progress;
SET ROLE regress_uuidx_owner;
SELECT relation FROM uuidx_migrate.progress;
SELECT relation FROM uuidx_migrate_steps.backfills();
SELECT uuidx_migrate_steps.show_backfill('pairs', 300, 0, NULL, NULL);
SELECT uuidx_migrate_steps.show_backfill('hidden', 2, 0, NULL, NULL);
SELECT relation, time_left, tables_left, time_left_of_tables FROM uuidx_migrate.progress;
BEGIN;
LOCK TABLE uuidx_migrate.progress IN ROW EXCLUSIVE MODE;
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
DELETE FROM uuidx_migrate.progress;
\echo :LAST_ERROR_SQLSTATE
SELECT uuidx_migrate_steps.end_backfill();
SELECT relation FROM uuidx_migrate.progress;
\set VERBOSITY sqlstate
CALL uuidx_migrate_steps.backfill('orders', '{id}');
\set VERBOSITY default
RESET ROLE;
-- After a batch of the first blocks, no block is done, and nothing says how long the others take.
SET client_min_messages = notice;
SELECT uuidx_migrate_steps.show_backfill('orders', 300, 100, NULL, NULL);
SELECT uuidx_migrate_steps.show_backfill('orders', 300, 100, 1, clock_timestamp() - interval '10 s');
SELECT uuidx_migrate_steps.report_backfill();
SELECT uuidx_migrate_steps.end_backfill();
SET client_min_messages = warning;
DROP TABLE orders, batches, pairs, "Parted Table", no_partitions, hidden CASCADE;
DROP FUNCTION cancel, v1, v4, v6, nothing, note_batch, empty, hide, ignore, count_update;
DROP ROLE regress_uuidx_owner;
