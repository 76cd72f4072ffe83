-- What sql/include/migration.sql has, and a role that owns what comes after it
\ir migration.sql
CREATE ROLE regress_uuidx_owner;
GRANT CREATE ON SCHEMA public TO regress_uuidx_owner;
SET ROLE regress_uuidx_owner;
