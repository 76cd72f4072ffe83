-- What has to move with a column, what is made anew, and what to know of it
\set ECHO none \i sql/include/migration.sql \i sql/include/orders.sql \set ECHO all

-- A mistake in a call is shown without the context of the functions that find it: SHOW_CONTEXT is at its default here.
\set SHOW_CONTEXT errors

-- What is in a column
CREATE TABLE mixed (id uuid);
INSERT INTO mixed SELECT v1(n) FROM generate_series(0, 9) AS n;
INSERT INTO mixed VALUES (uuid_v1_to_v6(v1(3))), ('919108f7-52d1-4320-9bac-f847db4148a8'),
    ('00000000-0000-0000-0000-000000000000'), (uuid_max()), (NULL), (NULL);
SELECT * FROM uuidx_migrate.version_histogram('mixed', 'id');
SELECT * FROM uuidx_migrate.version_histogram('mixed', 'no_column');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM uuidx_migrate.version_histogram('mixed', NULL);
DROP TABLE mixed;

-- What moves with a column
SELECT relation, column_name, role, estimated_rows, size > 0 AS has_size, indexes, default_afterwards, recreated, obstacles, hints
FROM uuidx_migrate.plan('customers', 'id', conversion => 'v1_to_v6');
SELECT relation, remarks FROM uuidx_migrate.plan('customers', 'id', conversion => 'v1_to_v6') WHERE remarks IS NOT NULL;
SELECT relation, column_name, role, estimated_rows, indexes FROM uuidx_migrate.plan('"Select"', 'Order', conversion => 'v1_to_v6');
SELECT relation, column_name, role, estimated_rows, indexes FROM uuidx_migrate.plan('payments_2020', 'id', conversion => 'v1_to_v6');
-- Columns that no foreign key connects with it are named, with what is tied to them.
CREATE TABLE log (order_id uuid, "Order" uuid);
SELECT relation, column_name FROM uuidx_migrate.plan('orders', 'id', conversion => 'v1_to_v6', also => ARRAY['log.order_id', 'public.log."Order"', 'payments_2020.id']);
SELECT * FROM pg_temp.errors(
    $$SELECT * FROM uuidx_migrate.plan('orders', 'id', conversion => 'v1_to_v6', also => '{order_id}')$$,
    $$SELECT * FROM uuidx_migrate.plan('orders', 'id', conversion => 'v1_to_v6', also => '{log.nothing}')$$,
    $$SELECT * FROM uuidx_migrate.plan('orders', 'id', conversion => 'v1_to_v6', also => '{nothing.order_id}')$$,
    $$SELECT * FROM uuidx_migrate.plan('orders', 'id', conversion => 'v1_to_v6', also => '{payments.paid_on}')$$,
    $$SELECT * FROM uuidx_migrate.plan('orders', 'id', conversion => 'v1_to_v6', also => '{a.b.log.order_id}')$$);
DROP TABLE log;

-- Bad arguments
SELECT * FROM pg_temp.errors(
    $$SELECT * FROM uuidx_migrate.plan('customers', 'nothing', conversion => 'v1_to_v6')$$,
    $$SELECT * FROM uuidx_migrate.plan('customers', 'name', conversion => 'v1_to_v6')$$,
    $$SELECT * FROM uuidx_migrate.plan('customers', 'ctid', conversion => 'v1_to_v6')$$,
    $$SELECT * FROM uuidx_migrate.plan('customers', 'id', conversion => 'v1_to_v7')$$,
    $$SELECT * FROM uuidx_migrate.plan('customers', 'id', conversion => 'v1_to_v6', published_tables => 'ignore')$$,
    $$SELECT * FROM uuidx_migrate.plan('customers', NULL, conversion => 'v1_to_v6')$$,
    $$SELECT * FROM uuidx_migrate.plan('customers', 'id', conversion => 'to_v7', created => 'now()')$$,
    $$SELECT * FROM uuidx_migrate.plan('customers', 'id', conversion => 'to_v7', created => 'nothing')$$,
    $$SELECT * FROM uuidx_migrate.plan('customers', 'id', conversion => 'to_v7', created => 'name +')$$,
    $$SELECT * FROM uuidx_migrate.script('customers', 'id', 'now', conversion => 'v1_to_v6')$$,
    $$SELECT * FROM uuidx_migrate.script('customers', 'id', conversion => 'v1_to_v6', new_default => 'now()')$$,
    $$SELECT * FROM uuidx_migrate.script('customers', 'id', 'finish', conversion => 'v1_to_v6')$$,
    $$SELECT uuidx_migrate_steps.raise(NULL, 'message'), uuidx_migrate_steps.raise('22023', NULL)$$,
    $$SELECT uuidx_migrate_steps.raise('p0001', 'message')$$);

-- What is made anew, and what to know
CREATE TABLE things (
    id uuid PRIMARY KEY DEFAULT public.uuid_generate_v6(), n int, parent uuid REFERENCES things,
    short text GENERATED ALWAYS AS (left(id::text, 8)) STORED,
    CONSTRAINT literal CHECK (id > '00000000-0000-1000-8000-000000000000'), CONSTRAINT version CHECK (uuid_version(parent) = 1),
    CONSTRAINT comparison CHECK (id > parent), CONSTRAINT harmless CHECK (id <> parent AND n > 0)
);
CREATE VIEW of_things AS SELECT id, n FROM things;
CREATE VIEW on_view AS SELECT id FROM of_things;
CREATE FUNCTION uuid_generate_v1() RETURNS uuid LANGUAGE sql AS 'SELECT public.v1(1)';
ALTER VIEW of_things ALTER COLUMN id SET DEFAULT uuid_generate_v1(), ALTER COLUMN n SET DEFAULT 1;
CREATE VIEW of_others AS SELECT n FROM things;
CREATE MATERIALIZED VIEW stored AS SELECT id, n FROM things;
CREATE VIEW of_stored AS SELECT id FROM stored;
CREATE MATERIALIZED VIEW of_view AS SELECT id FROM of_things;
CREATE RULE keep AS ON DELETE TO things WHERE old.id = '919108f7-52d1-4320-9bac-f847db4148a8' DO INSTEAD NOTHING;
CREATE FUNCTION latest() RETURNS uuid LANGUAGE sql BEGIN ATOMIC SELECT max(id::text)::uuid FROM things; END;
CREATE PROCEDURE forget(uuid) LANGUAGE sql BEGIN ATOMIC DELETE FROM things WHERE id = $1; END;
CREATE TRIGGER of_id BEFORE UPDATE OF id ON things FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE TRIGGER condition AFTER UPDATE ON things FOR EACH ROW WHEN (old.id <> new.id) EXECUTE FUNCTION nothing();
CREATE TRIGGER audit AFTER UPDATE ON things FOR EACH STATEMENT EXECUTE FUNCTION nothing();
CREATE TRIGGER of_inserts BEFORE INSERT ON things FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE FUNCTION give_key() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN new.id := uuid_generate_v1(); RETURN new; END';
CREATE TRIGGER of_keys BEFORE INSERT ON things FOR EACH ROW EXECUTE FUNCTION give_key();
CREATE FUNCTION new_thing() RETURNS uuid LANGUAGE sql AS 'INSERT INTO things (id) VALUES (uuid_generate_v1()) RETURNING id';
CREATE FUNCTION of_something() RETURNS uuid LANGUAGE sql AS 'SELECT uuid_generate_v1() AS somethings';
CREATE TRIGGER disabled AFTER UPDATE ON things FOR EACH STATEMENT EXECUTE FUNCTION nothing();
ALTER TABLE things DISABLE TRIGGER disabled;
CREATE POLICY mine ON things USING (id <> parent) WITH CHECK (n > 0);
CREATE POLICY first ON things USING (id <> '0002bf20-0000-11f0-8de9-0242ac120002' OR parent <> '919108f7-52d1-4320-9bac-f847db4148a8');
CREATE POLICY of_session ON things USING (parent = current_setting('plan.thing')::uuid AND now() > '-infinity');
CREATE INDEX expression ON things ((id::text)) WHERE parent IS NOT NULL;
CREATE INDEX of_one ON things (n) WHERE parent = '0002bf20-0000-11f0-8de9-0242ac120002';
ALTER TABLE things ADD CONSTRAINT not_yet CHECK (n < 100) NOT VALID;
\pset format unaligned
\pset tuples_only on
SELECT unnest(recreated) FROM uuidx_migrate.plan('things', 'id', conversion => 'v1_to_v6');
SELECT relation, column_name, unnest(remarks) FROM uuidx_migrate.plan('things', 'id', conversion => 'v1_to_v6');
SELECT relation, column_name, default_afterwards FROM uuidx_migrate.plan('things', 'id', conversion => 'v6_to_v1');
SELECT * FROM pg_temp.obstacles($$plan('things', 'id', conversion => 'v6_to_v1')$$);
-- No provider is there for a security label.
CREATE TABLE labelled (id uuid PRIMARY KEY);
INSERT INTO pg_seclabel VALUES ('labelled'::regclass, 'pg_class'::regclass, 1, 'masks', 'masked');
SELECT phase, l FROM uuidx_migrate.script('labelled', 'id', 'online', 'v1_to_v6'), regexp_matches(sql, 'SECURITY LABEL[^;\n]*', 'g') AS l;
DROP TABLE labelled;
DROP TABLE things CASCADE;
DROP FUNCTION uuid_generate_v1;

DROP TABLE customers, orders, "Select", payments, refunds;
DROP FUNCTION v1, v4, v6, nothing;

-- A script measures the server in memory.
SET temp_file_limit = 0;
SET work_mem = '64kB';
SELECT uuidx_migrate_steps.sort_time() > 0 AS measured;
RESET temp_file_limit;
RESET work_mem;
