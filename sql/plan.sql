-- What has to move with a column, what is made anew, and what stands in the way
\pset format wrapped
\pset columns 200
\set ECHO none
\i sql/include/errors.sql
\i sql/include/obstacles.sql
\set ECHO all
SET timezone = 'UTC';
SET datestyle = 'ISO';
SET client_min_messages = warning;
\set ECHO none
\i sql/include/orders.sql
\set ECHO all

-- A mistake in a call is shown without the context of the functions that find it: SHOW_CONTEXT is at its default here.

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
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
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
CREATE TRIGGER disabled AFTER UPDATE ON things FOR EACH STATEMENT EXECUTE FUNCTION nothing();
ALTER TABLE things DISABLE TRIGGER disabled;
CREATE POLICY mine ON things USING (id <> parent) WITH CHECK (n > 0);
CREATE POLICY first ON things USING (id <> '0002bf20-0000-11f0-8de9-0242ac120002' OR parent <> '919108f7-52d1-4320-9bac-f847db4148a8');
CREATE INDEX expression ON things ((id::text)) WHERE parent IS NOT NULL;
CREATE INDEX of_one ON things (n) WHERE parent = '0002bf20-0000-11f0-8de9-0242ac120002';
ALTER TABLE things ADD CONSTRAINT not_yet CHECK (n < 100) NOT VALID;
\pset format unaligned
\pset tuples_only on
SELECT unnest(recreated) FROM uuidx_migrate.plan('things', 'id', conversion => 'v1_to_v6');
SELECT relation, column_name, unnest(remarks) FROM uuidx_migrate.plan('things', 'id', conversion => 'v1_to_v6');
SELECT relation, column_name, default_afterwards FROM uuidx_migrate.plan('things', 'id', conversion => 'v6_to_v1');
SELECT * FROM pg_temp.obstacles($$plan('things', 'id', conversion => 'v6_to_v1')$$);
DROP TABLE things CASCADE;
DROP FUNCTION uuid_generate_v1;

-- What stands in the way, each with a hint
CREATE FUNCTION obstacles(relation regclass, column_name name, mode text DEFAULT '', conversion text DEFAULT 'v1_to_v6', published text DEFAULT 'refuse')
RETURNS SETOF text LANGUAGE sql AS $$
    SELECT format('%s.%I: %s%s      %s', p.relation, p.column_name, o, E'\n', h)
    FROM uuidx_migrate.plan(relation, column_name, conversion => conversion, published_tables => published) AS p, unnest(obstacles, hints) AS u (o, h)
    WHERE o LIKE mode || '%'
$$;
CREATE TABLE archive () INHERITS (customers);
CREATE TABLE row_of_orders (entry orders);
CREATE TYPE described AS (id uuid);
CREATE TABLE typed OF described (PRIMARY KEY (id));
CREATE FOREIGN DATA WRAPPER regress_uuidx;
CREATE SERVER regress_uuidx FOREIGN DATA WRAPPER regress_uuidx;
CREATE FOREIGN TABLE elsewhere (id uuid) SERVER regress_uuidx;
CREATE VIEW no_table AS SELECT id FROM customers;
CREATE DOMAIN order_number AS uuid;
CREATE TABLE domains (order_id order_number REFERENCES orders, made uuid GENERATED ALWAYS AS (md5('')::uuid) STORED REFERENCES orders);
CREATE TABLE by_order (order_id uuid REFERENCES orders) PARTITION BY HASH (order_id);
CREATE TABLE by_order_0 PARTITION OF by_order FOR VALUES WITH (MODULUS 1, REMAINDER 0);
CREATE TABLE by_expression (order_id uuid REFERENCES orders) PARTITION BY LIST ((uuid_version(order_id)));
CREATE DOMAIN domain_of_row AS orders;
CREATE TABLE rows_of_orders (n int, entries domain_of_row[]);
CREATE TABLE defaults (n int, c uuid DEFAULT '0002bf20-0000-11f0-8de9-0242ac120002' REFERENCES orders, d uuid DEFAULT NULL REFERENCES orders,
    e uuid DEFAULT gen_random_uuid() REFERENCES orders, f uuid DEFAULT coalesce(NULL, uuid_generate_v7()) REFERENCES orders);
ALTER TABLE "Select" DISABLE TRIGGER ALL;
SELECT obstacles('orders', 'id');
ALTER TABLE "Select" ENABLE TRIGGER ALL;
SELECT obstacles('customers', 'id');
SELECT obstacles('elsewhere', 'id');
SELECT obstacles('typed', 'id');
SELECT obstacles('no_table', 'id');
SELECT * FROM pg_temp.errors(
    $$SELECT * FROM uuidx_migrate.script('typed', 'id', conversion => 'v1_to_v6')$$,
    $$SELECT * FROM uuidx_migrate.script('typed', 'id', 'online', conversion => 'v1_to_v6')$$);
DROP FOREIGN DATA WRAPPER regress_uuidx CASCADE;
DROP TYPE described CASCADE;
DROP TABLE archive, row_of_orders, domains, by_order, by_expression, rows_of_orders, defaults;
DROP DOMAIN order_number, domain_of_row;
DROP VIEW no_table;

-- A published, a subscribed and a distributed table
CREATE TABLE published (id uuid PRIMARY KEY DEFAULT public.uuid_generate_v6(), n int) PARTITION BY RANGE (id);
CREATE TABLE published_too (n int, id uuid REFERENCES customers);
CREATE TABLE subscribed (id uuid PRIMARY KEY);
SET client_min_messages = error;
CREATE PUBLICATION regress_uuidx FOR TABLE published_too, orders, payments_2020;
CREATE SUBSCRIPTION regress_uuidx CONNECTION '' PUBLICATION x WITH (connect = false, slot_name = NONE);
SET client_min_messages = warning;
INSERT INTO pg_subscription_rel (srsubid, srrelid, srsubstate) SELECT oid, 'subscribed'::regclass, 'r' FROM pg_subscription WHERE subname = 'regress_uuidx';
SET allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_partition AS SELECT 'subscribed'::regclass AS logicalrelid;
SELECT obstacles('customers', 'id');
SELECT obstacles('customers', 'id', published => 'resync');
SELECT relation, column_name, rtrim(regexp_replace(r, '(.{1,110})( |$)', E'\\1\n', 'g'), E'\n')
FROM uuidx_migrate.plan('customers', 'id', conversion => 'v1_to_v6', published_tables => 'resync'), unnest(remarks) AS r;
SELECT obstacles('subscribed', 'id');
DROP TABLE pg_catalog.pg_dist_partition;
RESET allow_system_table_mods;
DELETE FROM pg_subscription_rel WHERE srrelid = 'subscribed'::regclass;
DROP SUBSCRIPTION regress_uuidx;
-- From PostgreSQL 15 on
DO $$
DECLARE
    list_or_filter text;
BEGIN
    IF current_setting('server_version_num')::int >= 150000 THEN
        FOREACH list_or_filter IN ARRAY ARRAY['(id)', 'WHERE (id IS NOT NULL)'] LOOP
            EXECUTE 'ALTER PUBLICATION regress_uuidx SET TABLE published_too ' || list_or_filter;
            ASSERT (SELECT count(*) FROM obstacles('published_too', 'id') AS o
                    WHERE o LIKE '% has a row filter or a column list%') = 1;
            ASSERT (SELECT count(*) FROM obstacles('published_too', 'id', published => 'resync')) = 1;
        END LOOP;
        EXECUTE 'ALTER PUBLICATION regress_uuidx SET TABLES IN SCHEMA public';
        ASSERT (SELECT count(*) FROM obstacles('published_too', 'id') AS o WHERE o LIKE '% is published %') > 1;
    END IF;
END
$$;
DROP PUBLICATION regress_uuidx;
DROP TABLE published, published_too, subscribed;

-- What a rewrite of partitions would lose is in the way of the offline mode; the online mode keeps it.
CREATE TABLE parted (id uuid, n int NOT NULL, other uuid, customer uuid CONSTRAINT of_customer REFERENCES customers, PRIMARY KEY (id, n)) PARTITION BY LIST (n);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
CREATE TABLE parted_2 (n int NOT NULL, id uuid NOT NULL, other uuid, customer uuid, CONSTRAINT my_key PRIMARY KEY (id, n));
CREATE INDEX my_index ON parted_2 (other) WITH (fillfactor = 60);
ALTER TABLE parted_2 ADD CONSTRAINT my_customer FOREIGN KEY (customer) REFERENCES customers;
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES IN (2);
CREATE INDEX ON parted (other) WITH (fillfactor = 70);
ALTER TABLE parted_1 REPLICA IDENTITY USING INDEX parted_1_pkey, CLUSTER ON parted_1_pkey;
COMMENT ON INDEX my_index IS 'mine';
COMMENT ON CONSTRAINT of_customer ON parted_1 IS 'a comment';
SELECT obstacles('parted', 'id');
SELECT obstacles('parted', 'other');
SELECT obstacles('parted', 'customer');
-- These are in the way of the online mode.
CREATE UNIQUE INDEX ON parted (id, n);
CREATE TABLE parted_3 (id uuid NOT NULL, n int NOT NULL, other uuid NOT NULL UNIQUE, customer uuid, PRIMARY KEY (id, n));
ALTER TABLE parted ATTACH PARTITION parted_3 FOR VALUES IN (3);
SELECT obstacles('parted', 'id', 'online');
SELECT obstacles('parted', 'other', 'online');
-- A trigger of the table is made anew once, and PostgreSQL makes those of the partitions.
CREATE TRIGGER of_id BEFORE UPDATE OF id ON parted FOR EACH ROW EXECUTE FUNCTION nothing();
SELECT unnest(recreated) FROM uuidx_migrate.plan('parted', 'id', conversion => 'v1_to_v6');
DROP TABLE parted;

-- What is in the way of the online mode alone
CREATE ROLE regress_uuidx_user;
CREATE TABLE orders_pkey_shadow ();
ALTER TABLE orders ADD COLUMN id_shadow int, ADD CONSTRAINT replaces_shadow CHECK (true), ADD CONSTRAINT different CHECK (id <> replaces),
    ADD CONSTRAINT different_shadow CHECK (true), ADD CONSTRAINT zzz_replaces_shadow CHECK (true), ADD CONSTRAINT replaced_shadow CHECK (true),
    ADD CONSTRAINT deferred UNIQUE (customer_id, id) DEFERRABLE, ADD CONSTRAINT one EXCLUDE (id WITH =),
    ADD CONSTRAINT as_row CHECK (orders IS NOT NULL OR id <> replaces), ADD COLUMN short text GENERATED ALWAYS AS (id::text) STORED;
CREATE FUNCTION as_text(orders) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1.id::text';
CREATE INDEX as_text ON orders (as_text(orders));
CREATE TRIGGER zzz_replaces_shadow BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE TRIGGER zzzz BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE TRIGGER zzzz_of_delete BEFORE DELETE ON orders FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE TRIGGER zzzz_after AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE RULE on_delete AS ON DELETE TO orders DO ALSO NOTHING;
CREATE RULE on_update AS ON UPDATE TO orders DO ALSO NOTHING;
CREATE STATISTICS numbers ON (abs(hashtext(id::text))), customer_id FROM orders;
CREATE STATISTICS numbers_shadow ON customer_id, replaces FROM orders;
CREATE SEQUENCE owned_by_it OWNED BY orders.id;
CREATE MATERIALIZED VIEW stored AS SELECT id, customer_id FROM orders;
CREATE MATERIALIZED VIEW of_stored AS SELECT id FROM stored;
CREATE MATERIALIZED VIEW grouped AS SELECT o.*, count(*) FROM orders AS o JOIN "Select" AS s ON s."Order" = o.id GROUP BY o.id;
CREATE TABLE rows_of_stored (entry stored);
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'orders_customer_id_idx'::regclass;
SELECT obstacles('orders', 'id');
SELECT obstacles('orders', 'customer_id', 'online: index orders_customer');
UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'orders_customer_id_idx'::regclass;
-- They are not in the way of the offline mode.
DROP TABLE rows_of_stored;
SELECT obstacles('orders', 'id', 'offline');
SELECT count(*) > 0 AS is_written FROM uuidx_migrate.script('orders', 'id', conversion => 'v1_to_v6');
DROP MATERIALIZED VIEW grouped, of_stored, stored;
DROP TABLE orders_pkey_shadow;
DROP FUNCTION as_text CASCADE;

-- PostgreSQL writes some definitions by the position of columns.
CREATE TABLE positions (id uuid UNIQUE, n int, names text[]);
CREATE TABLE others (id uuid, n int);
CREATE FUNCTION all_positions() RETURNS SETOF positions LANGUAGE sql STABLE AS 'SELECT * FROM public.positions';
CREATE FUNCTION more_positions() RETURNS SETOF positions LANGUAGE sql STABLE BEGIN ATOMIC SELECT * FROM positions; END;
CREATE VIEW a_list AS SELECT "key $%() \" FROM positions AS "p ()" ("key $%() \", number);
CREATE VIEW a_list_of_a_join AS SELECT a FROM (positions AS p CROSS JOIN others AS o) AS j (a, b, c, d, e);
CREATE VIEW a_named_join AS SELECT j.names FROM (positions AS p JOIN others AS o USING (id)) AS j;
CREATE MATERIALIZED VIEW of_rows AS SELECT id FROM all_positions();
CREATE RULE of_rows AS ON INSERT TO others DO ALSO SELECT new.id FROM all_positions() AS p WHERE p.id = new.id;
CREATE FUNCTION of_rows() RETURNS uuid LANGUAGE sql STABLE BEGIN ATOMIC SELECT id FROM all_positions(); END;
CREATE POLICY of_rows ON others USING (id IN (SELECT p.id FROM all_positions() AS p));
CREATE FUNCTION put(id uuid) RETURNS void LANGUAGE sql BEGIN ATOMIC INSERT INTO positions (id) VALUES (put.id) ON CONFLICT (id) DO UPDATE SET n = excluded.n; END;
CREATE FUNCTION put_new(id uuid) RETURNS void LANGUAGE sql BEGIN ATOMIC INSERT INTO positions (id) VALUES (put_new.id) ON CONFLICT (id) DO NOTHING; END;
CREATE VIEW harmless AS SELECT key, a, name FROM (SELECT id, n FROM positions) AS p (key, number), others AS o (a), unnest('{a}'::text[]) AS u (name);
SELECT obstacles('positions', 'id');
DROP TABLE positions, others CASCADE;

-- From PostgreSQL 18 on, NOT NULL may be without validation, keys have periods, and generated columns may be virtual; before, a foreign key of a partitioned table could not be NOT VALID.
CREATE TABLE a (id uuid, PRIMARY KEY (id)) PARTITION BY LIST (id);
CREATE TABLE b (a uuid REFERENCES a, n int) PARTITION BY LIST (n);
DO $$
DECLARE
    is_18 boolean := current_setting('server_version_num')::int >= 180000;
BEGIN
    ASSERT (SELECT count(*) FROM obstacles('b', 'a', 'online') AS o WHERE o LIKE '% references a partitioned table%') = (NOT is_18)::int;
    IF is_18 THEN
        CREATE TABLE periods (id uuid UNIQUE, at tstzrange, parent uuid, UNIQUE (id, at));
        EXECUTE 'CREATE EXTENSION IF NOT EXISTS btree_gist; CREATE TABLE c (id uuid, at tstzrange, PRIMARY KEY (id, at WITHOUT OVERLAPS))';
        EXECUTE 'CREATE TABLE d (c uuid, at tstzrange, FOREIGN KEY (c, PERIOD at) REFERENCES c (id, PERIOD at))';
        EXECUTE 'ALTER TABLE d ADD CONSTRAINT present NOT NULL c NOT VALID';
        ASSERT (SELECT count(*) FROM obstacles('c', 'id', 'online') AS o WHERE o LIKE '% is WITHOUT OVERLAPS%') = 1;
        ASSERT (SELECT count(*) FROM obstacles('c', 'id', 'online') AS o WHERE o LIKE '% has a period%') = 1;
        ASSERT (SELECT count(*) FROM obstacles('c', 'id', 'online') AS o WHERE o LIKE '% is not validated%') = 1;
        DROP TABLE c, d, periods;
        EXECUTE $v$ CREATE TABLE v (id uuid, g text GENERATED ALWAYS AS (id::text) VIRTUAL, CHECK (g <> id::text || 'a'), CHECK (g <> 'a')) $v$;
        CREATE MATERIALIZED VIEW of_v AS SELECT g FROM v;
        ASSERT (SELECT count(*) FROM obstacles('v', 'id', 'online') AS o WHERE o LIKE '% reads generated column g, too%') = 2;
        EXECUTE $v$ ALTER TABLE v ADD text text GENERATED ALWAYS AS (id || ' STORED') VIRTUAL, ADD stored text GENERATED ALWAYS AS (id || '') STORED $v$;
        ASSERT (SELECT string_agg(substring(o FROM 'column \w+ of'), ', ') FROM obstacles('v', 'id', 'online') AS o WHERE o LIKE '% is generated and stored%') = 'column stored of';
        DROP TABLE v CASCADE;
    END IF;
END
$$;
DROP TABLE a, b;

-- A name that a temporary table shares
CREATE TEMP TABLE customers (id uuid PRIMARY KEY);
SELECT obstacles('pg_temp.customers', 'id');
DROP TABLE pg_temp.customers;

-- What an owner may not
CREATE SCHEMA regress_uuidx;
GRANT USAGE ON SCHEMA regress_uuidx TO regress_uuidx_user;
CREATE TABLE regress_uuidx.owned (id uuid PRIMARY KEY);
CREATE TABLE regress_uuidx.of_others (id uuid REFERENCES regress_uuidx.owned);
CREATE VIEW of_others AS SELECT id FROM regress_uuidx.owned;
CREATE FUNCTION of_others() RETURNS uuid LANGUAGE sql BEGIN ATOMIC SELECT id FROM regress_uuidx.owned; END;
CREATE STATISTICS of_others ON (id::text) FROM regress_uuidx.owned;
ALTER TABLE regress_uuidx.owned OWNER TO regress_uuidx_user;
ALTER TABLE regress_uuidx.owned ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
REVOKE UPDATE ON regress_uuidx.owned FROM regress_uuidx_user;
SELECT replace(o, session_user, 'SUPERUSER') FROM obstacles('regress_uuidx.owned', 'id') AS o;
SET ROLE regress_uuidx_user;
SELECT replace(o, session_user, 'SUPERUSER') FROM obstacles('regress_uuidx.owned', 'id') AS o;
RESET ROLE;
ALTER TABLE regress_uuidx.owned SET SCHEMA public;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
DROP TABLE regress_uuidx.of_others;
ALTER TABLE owned SET SCHEMA regress_uuidx;
REVOKE USAGE ON SCHEMA regress_uuidx FROM regress_uuidx_user;
SELECT 'regress_uuidx.owned'::regclass::oid AS owned \gset
SET ROLE regress_uuidx_user;
SELECT o FROM obstacles(:owned, 'id') AS o WHERE o LIKE '%schema%';
RESET ROLE;

DROP SCHEMA regress_uuidx CASCADE;
DROP ROLE regress_uuidx_user;
DROP TABLE customers, orders, "Select", payments, refunds;
DROP FUNCTION v1, nothing, obstacles;
