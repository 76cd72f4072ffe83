-- What sql/include/owner.sql has, a role that writes, and random keys that show which row they are of
\ir owner.sql
RESET ROLE;
CREATE ROLE regress_uuidx_writer;
GRANT CREATE, USAGE ON SCHEMA public TO regress_uuidx_writer;
SET ROLE regress_uuidx_owner;
CREATE FUNCTION v4(n int) RETURNS uuid LANGUAGE sql IMMUTABLE
RETURN format('%s-0000-4000-8000-%s', lpad(to_hex(n), 8, '0'), lpad(to_hex(n), 12, '0'))::uuid;
