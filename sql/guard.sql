-- uuid_guard, the trigger that refuses keys of other versions and from the future
\set SHOW_CONTEXT never
SET timezone = 'UTC';
SET datestyle = 'ISO';
CREATE TABLE orders (item text, id uuid);
CREATE TRIGGER keys BEFORE INSERT OR UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION uuid_guard('id', '5 minutes');

-- What it lets pass
INSERT INTO orders VALUES
    ('new', uuid_generate_v7()), ('old', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'), ('without a key', NULL),
    ('a little ahead', uuid_generate_v7('4 minutes'));
SELECT item, uuid_version(id) FROM orders ORDER BY item;

-- What it refuses: other versions, no version, another variant
INSERT INTO orders VALUES ('of version 4', '919108f7-52d1-4320-9bac-f847db4148a8');
\echo :LAST_ERROR_SQLSTATE
INSERT INTO orders VALUES ('of version 6', '1ec9414c-232a-6b00-b3c8-9f6bdeced846');
INSERT INTO orders VALUES ('nil', '00000000-0000-0000-0000-000000000000');
INSERT INTO orders VALUES ('max', uuid_max());
INSERT INTO orders VALUES ('of another variant', '017f22e2-79b0-7cc3-c8c4-dc0c0c07398f');

-- and keys from the future
\set VERBOSITY terse
INSERT INTO orders VALUES ('far ahead', uuid_v7_from('2999-01-01'));
\echo :LAST_ERROR_SQLSTATE
INSERT INTO orders VALUES ('the last of all', uuid_v7_upper('[2000-01-01,]'));
\set VERBOSITY default
CREATE PROCEDURE insert_ahead(ahead interval) LANGUAGE plpgsql AS $$
DECLARE
    detail text;
    hint   text;
    tab    text;
    col    text;
    times  timestamptz[];
BEGIN
    INSERT INTO orders VALUES ('ahead', uuid_generate_v7_at(clock_timestamp() + ahead));
    RAISE NOTICE 'inserted';
EXCEPTION WHEN check_violation THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    GET STACKED DIAGNOSTICS tab = TABLE_NAME, col = COLUMN_NAME;
    times := ARRAY(SELECT r[1] FROM regexp_matches(detail, '\d{4}-[-\d]+ [\d:.]+\+00', 'g') AS r);
    RAISE NOTICE 'refused: % % (%.%)', regexp_replace(detail, '\d{4}-[-\d]+ [\d:.]+\+00', 'T', 'g'), hint, tab, col;
    RAISE NOTICE 'its time is right: %, the latest time too: %', abs(extract(epoch FROM times[1] - clock_timestamp() - ahead)) < 60,
        abs(extract(epoch FROM times[2] - clock_timestamp()) - 300) < 60;
END
$$;
CALL insert_ahead('299 seconds');
CALL insert_ahead('330 seconds');
-- The clock counts, not the begin of the transaction.
BEGIN;
SELECT now() < clock_timestamp() AS begun FROM pg_sleep(0.2);
CREATE TABLE strict (id uuid);
CREATE TRIGGER keys BEFORE INSERT ON strict FOR EACH ROW EXECUTE FUNCTION uuid_guard('id', '100 milliseconds');
INSERT INTO strict VALUES (uuid_generate_v7());
ROLLBACK;

-- An UPDATE of other columns does not look at the key, whatever it is.
ALTER TABLE orders DISABLE TRIGGER keys;
INSERT INTO orders VALUES ('from before', '919108f7-52d1-4320-9bac-f847db4148a8');
ALTER TABLE orders ENABLE TRIGGER keys;
UPDATE orders SET item = 'kept', id = id WHERE item = 'from before';
UPDATE orders SET id = '919108f7-52d1-4320-9bac-f847db4148a8' WHERE item = 'without a key';
UPDATE orders SET id = '1ec9414c-232a-6b00-b3c8-9f6bdeced846' WHERE item = 'kept';
UPDATE orders SET id = NULL WHERE item = 'old';
UPDATE orders SET id = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f' WHERE item IN ('kept', 'old');
SELECT item, id FROM orders WHERE item IN ('kept', 'old', 'without a key') ORDER BY item;

-- But a row that moves to another partition is inserted there.
CREATE TABLE parted (id uuid, n int) PARTITION BY LIST (n);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES IN (2);
INSERT INTO parted VALUES ('919108f7-52d1-4320-9bac-f847db4148a8', 1);
CREATE TRIGGER keys BEFORE INSERT OR UPDATE ON parted FOR EACH ROW EXECUTE FUNCTION uuid_guard('id', '5 minutes');
UPDATE parted SET n = 1;
UPDATE parted SET n = 2;
DROP TABLE parted;

-- COPY, INSERT ... ON CONFLICT, and many rows, of which one is wrong
ALTER TABLE orders ADD UNIQUE (item);
COPY orders FROM stdin;
copied	017f22e2-79b0-7cc3-98c4-dc0c0c07398f
wrong	919108f7-52d1-4320-9bac-f847db4148a8
\.
INSERT INTO orders VALUES ('new', uuid_generate_v7()) ON CONFLICT (item) DO UPDATE SET id = '919108f7-52d1-4320-9bac-f847db4148a8';
INSERT INTO orders SELECT 'item ' || n, CASE n WHEN 900 THEN '919108f7-52d1-4320-9bac-f847db4148a8' ELSE uuid_generate_v7() END
FROM generate_series(1, 1000) AS n;
INSERT INTO orders SELECT 'item ' || n, uuid_generate_v7() FROM generate_series(1, 1000) AS n;
SELECT count(*) FROM orders;

-- A domain, a name in quotes, and partitions whose columns are in another order
CREATE DOMAIN key AS uuid;
CREATE TABLE parted (n int, "The Key" key) PARTITION BY LIST (n);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
CREATE TABLE parted_2 (gone int, "The Key" key, n int);
ALTER TABLE parted_2 DROP COLUMN gone;
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES IN (2);
CREATE TRIGGER keys BEFORE INSERT OR UPDATE ON parted FOR EACH ROW EXECUTE FUNCTION uuid_guard('The Key', '1 day');
INSERT INTO parted SELECT n % 2 + 1, uuid_generate_v7() FROM generate_series(1, 10) AS n;
INSERT INTO parted VALUES (1, uuid_generate_v7()), (2, '919108f7-52d1-4320-9bac-f847db4148a8');
UPDATE parted SET n = 3 - n;
SELECT tableoid::regclass, count(*) FROM parted GROUP BY 1 ORDER BY 1;

-- Arguments
CREATE TABLE wrong (id uuid, name text, made uuid GENERATED ALWAYS AS (id) STORED);
CREATE TRIGGER keys BEFORE INSERT ON wrong FOR EACH ROW EXECUTE FUNCTION uuid_guard('id');
INSERT INTO wrong VALUES (uuid_generate_v7());
\echo :LAST_ERROR_SQLSTATE
CREATE OR REPLACE TRIGGER keys BEFORE INSERT ON wrong FOR EACH ROW EXECUTE FUNCTION uuid_guard('ID', '1 day');
INSERT INTO wrong VALUES (uuid_generate_v7());
\echo :LAST_ERROR_SQLSTATE
CREATE OR REPLACE TRIGGER keys BEFORE INSERT ON wrong FOR EACH ROW EXECUTE FUNCTION uuid_guard('name', '1 day');
INSERT INTO wrong VALUES (uuid_generate_v7());
\echo :LAST_ERROR_SQLSTATE
CREATE OR REPLACE TRIGGER keys BEFORE INSERT ON wrong FOR EACH ROW EXECUTE FUNCTION uuid_guard('ctid', '1 day');
INSERT INTO wrong VALUES (uuid_generate_v7());
\echo :LAST_ERROR_SQLSTATE
CREATE OR REPLACE TRIGGER keys BEFORE INSERT ON wrong FOR EACH ROW EXECUTE FUNCTION uuid_guard('made', '1 day');
INSERT INTO wrong VALUES (uuid_generate_v7());
\echo :LAST_ERROR_SQLSTATE
CREATE OR REPLACE TRIGGER keys BEFORE INSERT ON wrong FOR EACH ROW EXECUTE FUNCTION uuid_guard('id', 'soon');
INSERT INTO wrong VALUES (uuid_generate_v7());
\echo :LAST_ERROR_SQLSTATE
INSERT INTO wrong SELECT WHERE false;

-- Triggers of other kinds
CREATE OR REPLACE TRIGGER keys AFTER INSERT ON wrong FOR EACH ROW EXECUTE FUNCTION uuid_guard('id', '1 day');
INSERT INTO wrong VALUES (uuid_generate_v7());
\echo :LAST_ERROR_SQLSTATE
CREATE OR REPLACE TRIGGER keys BEFORE INSERT ON wrong FOR EACH STATEMENT EXECUTE FUNCTION uuid_guard('id', '1 day');
INSERT INTO wrong VALUES (uuid_generate_v7());
\echo :LAST_ERROR_SQLSTATE
DROP TRIGGER keys ON wrong;
INSERT INTO wrong VALUES (uuid_generate_v7());
CREATE TRIGGER keys BEFORE DELETE ON wrong FOR EACH ROW EXECUTE FUNCTION uuid_guard('id', '1 day');
DELETE FROM wrong;
\echo :LAST_ERROR_SQLSTATE

-- Any search_path and IntervalStyle
SET search_path = '';
SET intervalstyle = 'iso_8601';
INSERT INTO public.orders VALUES ('elsewhere', public.uuid_generate_v7());
INSERT INTO public.orders VALUES ('elsewhere, of version 4', '919108f7-52d1-4320-9bac-f847db4148a8');
RESET search_path;
RESET intervalstyle;

DROP TABLE orders, parted, wrong;
DROP PROCEDURE insert_ahead;
DROP DOMAIN key;
