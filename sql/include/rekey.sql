-- What sql/include/owner.sql has, and a role that writes
\ir owner.sql
RESET ROLE;
CREATE ROLE regress_uuidx_writer;
GRANT CREATE, USAGE ON SCHEMA public TO regress_uuidx_writer;
SET ROLE regress_uuidx_owner;
\ir functions.sql
