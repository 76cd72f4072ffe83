-- What stands in the way of a migration, each with a hint: tables of other kinds, publications, names, what an owner may not
\set ECHO none \i sql/include/migration.sql \i sql/include/orders.sql \set ECHO all
\pset format unaligned
\pset tuples_only on

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
CREATE DOMAIN domain_of_rows AS domain_of_row[];
CREATE TABLE rows_of_orders (n int, entries domain_of_rows);
CREATE VIEW whole_rows AS SELECT o FROM orders AS o;
CREATE TABLE defaults (n int, c uuid DEFAULT '0002bf20-0000-11f0-8de9-0242ac120002' REFERENCES orders, d uuid DEFAULT NULL REFERENCES orders,
    e uuid DEFAULT gen_random_uuid() REFERENCES orders, f uuid DEFAULT coalesce(NULL, uuid_generate_v7()) REFERENCES orders);
ALTER TABLE "Select" DISABLE TRIGGER ALL;
SELECT pg_temp.obstacles('orders', 'id');
ALTER TABLE "Select" ENABLE TRIGGER ALL;
SELECT pg_temp.obstacles('customers', 'id');
SELECT pg_temp.obstacles('elsewhere', 'id');
SELECT pg_temp.obstacles('typed', 'id');
SELECT pg_temp.obstacles('no_table', 'id');
SELECT * FROM pg_temp.errors(
    $$SELECT * FROM uuidx_migrate.script('typed', 'id', conversion => 'v1_to_v6')$$,
    $$SELECT * FROM uuidx_migrate.script('typed', 'id', 'online', conversion => 'v1_to_v6')$$);
DROP FOREIGN DATA WRAPPER regress_uuidx CASCADE;
DROP TYPE described CASCADE;
DROP TABLE archive, row_of_orders, domains, by_order, by_expression, rows_of_orders, defaults;
DROP DOMAIN order_number, domain_of_rows, domain_of_row;
DROP VIEW no_table, whole_rows;

-- What depends on an object that is made again: on an index, a constraint, a generated column, or the sequence of a number
CREATE TABLE made_again (id uuid PRIMARY KEY, code text, link text GENERATED ALWAYS AS ('/' || id::text) STORED UNIQUE, UNIQUE (code) INCLUDE (id));
CREATE VIEW grouped AS SELECT code FROM made_again GROUP BY id;
CREATE TABLE of_code (code text REFERENCES made_again (code), link text REFERENCES made_again (link));
CREATE FUNCTION put(code text) RETURNS void LANGUAGE sql BEGIN ATOMIC
    INSERT INTO made_again (code) VALUES (put.code) ON CONFLICT ON CONSTRAINT made_again_pkey DO NOTHING;
END;
CREATE MATERIALIZED VIEW of_extension AS SELECT id FROM made_again;
ALTER EXTENSION uuidx_migrate ADD MATERIALIZED VIEW of_extension;
SELECT pg_temp.obstacles('made_again', 'id');
ALTER EXTENSION uuidx_migrate DROP MATERIALIZED VIEW of_extension;
-- What goes with an extension would stay.
CREATE TRIGGER of_extension BEFORE UPDATE OF id ON made_again FOR EACH ROW EXECUTE FUNCTION nothing();
ALTER TRIGGER of_extension ON made_again DEPENDS ON EXTENSION uuidx;
ALTER INDEX made_again_pkey DEPENDS ON EXTENSION uuidx;
ALTER FUNCTION put(text) DEPENDS ON EXTENSION uuidx;
ALTER MATERIALIZED VIEW of_extension DEPENDS ON EXTENSION uuidx;
SELECT o FROM pg_temp.obstacles('made_again', 'id') AS o WHERE o LIKE '%extension%';
CREATE TABLE days (id uuid DEFAULT uuid_generate_v7(), day int, link text GENERATED ALWAYS AS ('/' || id::text) STORED, PRIMARY KEY (id, day), CHECK (link <> '')) PARTITION BY LIST (day);
CREATE TABLE days_1 PARTITION OF days FOR VALUES IN (1);
ALTER TABLE days_1 ALTER id SET DEFAULT gen_random_uuid();
CREATE UNIQUE INDEX ON days (day, link);
CREATE INDEX ON days_1 (link);
CREATE STATISTICS of_days_1 ON link, day FROM days_1;
ALTER TABLE days_1 ADD CONSTRAINT own CHECK (link <> '/'), ALTER link SET NOT NULL;
SELECT pg_temp.obstacles('days', 'id');
CREATE TABLE numbers (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
CREATE TABLE more_numbers (n bigint DEFAULT nextval('numbers_id_seq'));
CREATE VIEW last_number AS SELECT last_value FROM numbers_id_seq;
SELECT pg_temp.obstacles($$plan('numbers', 'id', NULL, 'bigint_to_v7', rows_without_time => 'epoch')$$);
DROP TABLE made_again, of_code, days, numbers, more_numbers CASCADE;

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
SELECT pg_temp.obstacles('customers', 'id');
SELECT pg_temp.obstacles('customers', 'id', published => 'resync');
SELECT relation, column_name, rtrim(regexp_replace(r, '(.{1,110})( |$)', E'\\1\n', 'g'), E'\n')
FROM uuidx_migrate.plan('customers', 'id', conversion => 'v1_to_v6', published_tables => 'resync'), unnest(remarks) AS r;
SELECT pg_temp.obstacles('subscribed', 'id');
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
            ASSERT (SELECT count(*) FROM pg_temp.obstacles('published_too', 'id') AS o
                    WHERE o LIKE '% has a row filter or a column list%Drop the table from the publication. '
                                 'Afterwards, truncate it on each subscriber, and add it again.') = 1;
            ASSERT (SELECT count(*) FROM pg_temp.obstacles('published_too', 'id', published => 'resync') AS o
                    WHERE o LIKE '% has a row filter or a column list%') = 1;
        END LOOP;
        EXECUTE 'ALTER PUBLICATION regress_uuidx SET TABLES IN SCHEMA public';
        ASSERT (SELECT count(*) FROM pg_temp.obstacles('published_too', 'id') AS o WHERE o LIKE '% is published %') > 1;
    END IF;
END
$$;
DROP PUBLICATION regress_uuidx;
DROP TABLE published, published_too, subscribed;

CREATE ROLE regress_uuidx_user;
-- A name that a temporary table shares
CREATE TEMP TABLE customers (id uuid PRIMARY KEY);
SELECT pg_temp.obstacles('pg_temp.customers', 'id');
DROP TABLE pg_temp.customers;

-- What an owner may not
CREATE SCHEMA regress_uuidx;
GRANT USAGE ON SCHEMA regress_uuidx TO regress_uuidx_user;
CREATE TABLE regress_uuidx.owned (id uuid PRIMARY KEY);
CREATE TABLE regress_uuidx.of_others (id uuid REFERENCES regress_uuidx.owned);
CREATE VIEW of_others AS SELECT id FROM regress_uuidx.owned;
CREATE FUNCTION of_others() RETURNS uuid LANGUAGE sql LEAKPROOF BEGIN ATOMIC SELECT id FROM regress_uuidx.owned; END;
CREATE STATISTICS of_others ON (id::text) FROM regress_uuidx.owned;
ALTER TABLE regress_uuidx.owned OWNER TO regress_uuidx_user;
ALTER TABLE regress_uuidx.owned ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
REVOKE UPDATE ON regress_uuidx.owned FROM regress_uuidx_user;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
SELECT replace(o, session_user, 'SUPERUSER') FROM pg_temp.obstacles('regress_uuidx.owned', 'id') AS o;
SET ROLE regress_uuidx_user;
SELECT replace(o, session_user, 'SUPERUSER') FROM pg_temp.obstacles('regress_uuidx.owned', 'id') AS o;
SELECT replace(o, session_user, 'SUPERUSER')
FROM pg_temp.obstacles($$plan('regress_uuidx.owned', 'id', NULL, 'v1_to_v6', trust_owners => true)$$) AS o WHERE o LIKE '%you are not%';
RESET ROLE;
ALTER TABLE regress_uuidx.owned SET SCHEMA public;
DROP TABLE regress_uuidx.of_others;
ALTER TABLE owned SET SCHEMA regress_uuidx;
REVOKE USAGE ON SCHEMA regress_uuidx FROM regress_uuidx_user;
SELECT 'regress_uuidx.owned'::regclass::oid AS owned \gset
SET ROLE regress_uuidx_user;
SELECT o FROM pg_temp.obstacles(:owned, 'id') AS o WHERE o LIKE '%schema%';
RESET ROLE;

DROP SCHEMA regress_uuidx CASCADE;
DROP ROLE regress_uuidx_user;
DROP TABLE customers, orders, "Select", payments, refunds;
DROP FUNCTION v1, v4, v6, nothing;
