-- What stands in the way of one mode alone, each with a hint
\set ECHO none \i sql/include/migration.sql \i sql/include/orders.sql \set ECHO all
\pset format unaligned
\pset tuples_only on

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
SELECT pg_temp.obstacles('parted', 'id');
SELECT pg_temp.obstacles('parted', 'other');
SELECT pg_temp.obstacles('parted', 'customer');
-- These are in the way of the online mode.
CREATE UNIQUE INDEX ON parted (id, n);
CREATE TABLE parted_3 (id uuid NOT NULL, n int NOT NULL, other uuid NOT NULL UNIQUE, customer uuid, PRIMARY KEY (id, n));
ALTER TABLE parted ATTACH PARTITION parted_3 FOR VALUES IN (3);
SELECT pg_temp.obstacles('parted', 'id', 'online');
SELECT pg_temp.obstacles('parted', 'other', 'online');
-- PostgreSQL attaches the index of a constraint to one that has none.
CREATE TABLE attached (id uuid NOT NULL, n int NOT NULL) PARTITION BY LIST (n);
CREATE TABLE attached_1 PARTITION OF attached (UNIQUE (id, n)) FOR VALUES IN (1);
CREATE UNIQUE INDEX ON attached (id, n);
SELECT pg_temp.obstacles('attached', 'id', 'online');
DROP TABLE attached;
-- A trigger of the table is made anew once, and PostgreSQL makes those of the partitions.
CREATE TRIGGER of_id BEFORE UPDATE OF id ON parted FOR EACH ROW EXECUTE FUNCTION nothing();
SELECT unnest(recreated) FROM uuidx_migrate.plan('parted', 'id', conversion => 'v1_to_v6');
DROP TABLE parted;

-- A rewrite builds all indexes at its end, also one whose build has found that it is not unique.
CREATE TABLE doubled (id uuid, n int);
CREATE UNIQUE INDEX doubled_n ON doubled (n);
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'doubled_n'::regclass;
SELECT pg_temp.obstacles('doubled', 'id');
DROP TABLE doubled;

-- What is in the way of the online mode alone
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
CREATE STATISTICS of_rows ON id, customer_id FROM stored;
CREATE STATISTICS of_rows_shadow ON id, name FROM customers;
CREATE MATERIALIZED VIEW of_stored AS SELECT id FROM stored;
CREATE MATERIALIZED VIEW grouped AS SELECT o.*, count(*) FROM orders AS o JOIN "Select" AS s ON s."Order" = o.id GROUP BY o.id;
CREATE TABLE rows_of_stored (entry stored);
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'orders_customer_id_idx'::regclass;
SELECT pg_temp.obstacles('orders', 'id');
SELECT pg_temp.obstacles('orders', 'customer_id', 'online: index orders_customer');
UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'orders_customer_id_idx'::regclass;
-- They are not in the way of the offline mode.
DROP TABLE rows_of_stored;
SELECT pg_temp.obstacles('orders', 'id', 'offline');
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
SELECT pg_temp.obstacles('positions', 'id');
-- Online, the column itself changes its place; offline, a generated one does.
SELECT r FROM uuidx_migrate.plan('positions', 'id', conversion => 'v1_to_v6'), unnest(remarks) AS r WHERE r LIKE '% whole rows %';
-- PostgreSQL knows what has a row of the table in an expression, and may refuse to rewrite the table then.
CREATE FUNCTION of_a_row() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT (ROW(NULL, 1, NULL)::positions).n; END;
CREATE VIEW of_null AS SELECT count(json_populate_record(NULL::positions, '{}')) FROM others;
SELECT pg_temp.obstacles('positions', 'id', 'offline');
SELECT o FROM pg_temp.obstacles('positions', 'id', 'online') AS o WHERE o ~ 'of_a_row|of_null';
DROP FUNCTION of_a_row;
DROP VIEW of_null;
ALTER TABLE positions ADD short text GENERATED ALWAYS AS (id::text) STORED;
SELECT pg_temp.obstacles('positions', 'id', 'offline');
DROP TABLE positions, others CASCADE;

-- The end of a migration would validate a foreign key that was not, and never be reached.
CREATE TABLE parts (n int, id uuid, PRIMARY KEY (n, id)) PARTITION BY LIST (n);
CREATE TABLE wholes (id uuid PRIMARY KEY);
CREATE TABLE of_parts (n int, part uuid);
ALTER TABLE of_parts ADD CONSTRAINT is_part FOREIGN KEY (n, part) REFERENCES parts NOT VALID,
    ADD CONSTRAINT acts FOREIGN KEY (part) REFERENCES wholes ON DELETE SET DEFAULT NOT VALID;
SELECT pg_temp.obstacles('of_parts', 'part');
DROP TABLE parts, wholes, of_parts;

-- From PostgreSQL 18 on, NOT NULL may be without validation, keys have periods, and generated columns may be virtual; before, a foreign key of a partitioned table could not be NOT VALID.
CREATE TABLE a (id uuid, PRIMARY KEY (id)) PARTITION BY LIST (id);
CREATE TABLE b (a uuid REFERENCES a, n int) PARTITION BY LIST (n);
CREATE TABLE b_1 PARTITION OF b FOR VALUES IN (1);
COMMENT ON CONSTRAINT b_a_fkey ON b_1 IS 'of the partition';
SELECT pg_temp.obstacles('b', 'a', '%of partition');
DO $$
DECLARE
    is_18 boolean := current_setting('server_version_num')::int >= 180000;
BEGIN
    ASSERT (SELECT count(*) FROM pg_temp.obstacles('b', 'a', 'online') AS o
            WHERE o LIKE '% references a partitioned table%Use the offline mode; or drop it, name the column in also, and add it again afterwards.') = (NOT is_18)::int;
    IF is_18 THEN
        CREATE TABLE periods (id uuid UNIQUE, at tstzrange, parent uuid, UNIQUE (id, at));
        EXECUTE 'CREATE EXTENSION IF NOT EXISTS btree_gist; CREATE TABLE c (id uuid, at tstzrange, PRIMARY KEY (id, at WITHOUT OVERLAPS))';
        EXECUTE 'CREATE TABLE d (c uuid, at tstzrange, FOREIGN KEY (c, PERIOD at) REFERENCES c (id, PERIOD at))';
        EXECUTE 'ALTER TABLE d ADD CONSTRAINT present NOT NULL c NOT VALID';
        ASSERT (SELECT count(*) FROM pg_temp.obstacles('c', 'id', 'online') AS o WHERE o LIKE '% is WITHOUT OVERLAPS%') = 1;
        ASSERT (SELECT count(*) FROM pg_temp.obstacles('c', 'id', 'online') AS o WHERE o LIKE '%, which has a period%') = 1;
        ASSERT (SELECT count(*) FROM pg_temp.obstacles('c', 'id', 'online') AS o WHERE o LIKE '% is not validated%') = 1;
        DROP TABLE c, d, periods;
        CREATE TABLE p (a uuid, n int) PARTITION BY LIST (n);
        EXECUTE 'ALTER TABLE p ADD CONSTRAINT of_p NOT NULL a';
        EXECUTE 'CREATE TABLE p_1 (n int, a uuid CONSTRAINT own NOT NULL)';
        ALTER TABLE p ATTACH PARTITION p_1 FOR VALUES IN (1);
        ASSERT (SELECT count(*) FROM uuidx_migrate.plan('p', 'a', conversion => 'v1_to_v6') AS p, unnest(remarks) AS r
                WHERE r LIKE 'NOT NULL constraint own of partition p_1 gets the name of that of table p, of_p, and loses its comment') = 1;
        ASSERT (SELECT count(*) FROM pg_temp.obstacles('p', 'a', 'offline') AS o WHERE o LIKE '%NOT NULL%') = 0;
        EXECUTE 'ALTER TABLE p_1 ADD CONSTRAINT own NOT NULL a';
        ASSERT (SELECT count(*) FROM pg_temp.obstacles('p', 'a', 'offline') AS o
                WHERE o LIKE '%NOT NULL constraint own of partition p_1 is its own, and that of table p has another name, of_p%Use the online mode: ALTER COLUMN TYPE fails.') = 1;
        DROP TABLE p;
        EXECUTE $v$ CREATE TABLE v (id uuid, g text GENERATED ALWAYS AS (id::text) VIRTUAL, CHECK (g <> id::text || 'a'), CHECK (g <> 'a')) $v$;
        CREATE MATERIALIZED VIEW of_v AS SELECT g FROM v;
        ASSERT (SELECT count(*) FROM pg_temp.obstacles('v', 'id', 'online') AS o WHERE o LIKE '% reads generated column g, too%') = 2;
        EXECUTE $v$ ALTER TABLE v ADD text text GENERATED ALWAYS AS (id || ' STORED') VIRTUAL, ADD stored text GENERATED ALWAYS AS (id || '') STORED $v$;
        ASSERT (SELECT string_agg(substring(o FROM 'column \w+ of'), ', ') FROM pg_temp.obstacles('v', 'id', 'online') AS o WHERE o LIKE '% is generated and stored%') = 'column stored of';
        DROP TABLE v CASCADE;
    END IF;
END
$$;
DROP TABLE a, b;

DROP TABLE customers, orders, "Select", payments, refunds;
DROP FUNCTION v1, v4, v6, nothing;
