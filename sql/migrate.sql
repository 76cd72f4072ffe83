-- Moving version 1 columns to version 6, and back
\set SHOW_CONTEXT never
SET timezone = 'UTC';
SET datestyle = 'ISO';
SET client_min_messages = warning;
\i sql/include/orders.sql

-- The statements
SELECT step, sql FROM uuidx_migrate.script('orders', 'id');
SELECT step, sql FROM uuidx_migrate.script('refunds', 'payment', direction => 'v6_to_v1', others => 'keep');

-- It is done as one transaction, and undone.
CREATE TABLE before AS
SELECT o.id, o.customer_id, o.replaces, s."Order", c.name FROM orders AS o
JOIN customers AS c ON c.id = o.customer_id JOIN "Select" AS s ON s."Order" = o.id LEFT JOIN orders AS r ON r.id = o.replaces;
\set ECHO none
SELECT sql FROM uuidx_migrate.script('orders', 'id') ORDER BY step \gexec
\set ECHO all
SELECT count(*) AS rows, count(*) FILTER (WHERE b.id IS NULL) AS wrong
FROM orders AS o JOIN customers AS c ON c.id = o.customer_id JOIN "Select" AS s ON s."Order" = o.id
LEFT JOIN before AS b ON o.id = uuid_v1_to_v6(b.id) AND o.customer_id = b.customer_id AND c.name = b.name
                     AND o.replaces IS NOT DISTINCT FROM uuid_v1_to_v6(b.replaces);
SELECT count(*) FILTER (WHERE uuid_version(id) = 6) AS v6, count(replaces) AS references FROM orders;
\set ECHO none
SELECT sql FROM uuidx_migrate.script('orders', 'id', direction => 'v6_to_v1') ORDER BY step \gexec
\set ECHO all
SELECT count(*) AS same FROM orders JOIN before USING (id, customer_id)
WHERE orders.replaces IS NOT DISTINCT FROM before.replaces;

-- Values of another version: an error that stops the script, or they are kept.
INSERT INTO orders VALUES ('919108f7-52d1-4320-9bac-f847db4148a8', v1(1));
SELECT uuidx_migrate.check_version('orders', 'id', 1);
\echo :LAST_ERROR_SQLSTATE
BEGIN;
\set ECHO none
SELECT sql FROM uuidx_migrate.script('orders', 'id', others => 'keep') WHERE sql NOT IN ('BEGIN', 'COMMIT') ORDER BY step \gexec
\set ECHO all
SELECT version, count FROM uuidx_migrate.version_histogram('orders', 'id');
ROLLBACK;

-- Bad arguments
SELECT * FROM uuidx_migrate.script('orders', 'id', mode => 'magic');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM uuidx_migrate.script('orders', 'id', direction => 'up');
SELECT * FROM uuidx_migrate.script('orders', 'id', others => 'ignore');
SELECT * FROM uuidx_migrate.script('orders', 'no_column');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM uuidx_migrate.script('orders', 'ctid');

-- Who owns not all of the tables gets an error before anything changes.
CREATE ROLE regress_uuidx_user;
BEGIN;
CREATE TABLE theirs (id uuid PRIMARY KEY);
ALTER TABLE theirs OWNER TO regress_uuidx_user;
CREATE TABLE ours (id uuid REFERENCES theirs);
SET ROLE regress_uuidx_user;
SELECT * FROM uuidx_migrate.script('theirs', 'id');
ROLLBACK;

-- A temporary table
CREATE TEMP TABLE "my ""temporary"" table" ("my id" uuid PRIMARY KEY);
INSERT INTO "my ""temporary"" table" VALUES (v1(1));
\set ECHO none
SELECT sql FROM uuidx_migrate.script('"my ""temporary"" table"', 'my id') ORDER BY step \gexec
\set ECHO all
SELECT uuid_version("my id") FROM "my ""temporary"" table";

DROP ROLE regress_uuidx_user;
DROP TABLE customers, orders, "Select", payments, refunds, before, "my ""temporary"" table";
DROP FUNCTION v1;
