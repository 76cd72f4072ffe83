-- A role, the helpers errors() and faults(), and the shadow columns of the tables of sql/include/orders.sql and users.sql
\ir errors.sql
\ir faults.sql
SET client_min_messages = error;
CREATE ROLE regress_uuidx_owner;
GRANT CREATE ON SCHEMA public TO regress_uuidx_owner;
SET ROLE regress_uuidx_owner;
SET client_min_messages = warning;
CREATE VIEW shadows AS
SELECT attrelid::regclass AS relation, attname,
       uuidx_migrate_steps.shadow_conversion(attrelid, left(attname, -7)::name) AS shadow_conversion
FROM pg_attribute
WHERE attname LIKE '%\_shadow' AND attnum > 0
  AND attrelid::regclass::text IN ('orders', '"Select"', 'payments', 'payments_2020', 'refunds', 'users', 'posts')
ORDER BY attrelid::regclass::text COLLATE "C", attname;
