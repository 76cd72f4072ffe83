-- What sql/include/owner.sql has, and the shadow columns of the tables of sql/include/orders.sql and users.sql
\ir owner.sql
CREATE VIEW shadows AS
SELECT attrelid::regclass AS relation, attname,
       uuidx_migrate_steps.shadow_conversion(attrelid, left(attname, -7)::name) AS shadow_conversion
FROM pg_attribute
WHERE attname LIKE '%\_shadow' AND attnum > 0
  AND attrelid::regclass::text IN ('orders', '"Select"', 'payments', 'payments_2020', 'refunds', 'users', 'posts')
ORDER BY attrelid::regclass::text COLLATE "C", attname;
