-- Two roles, the helper errors(), and random keys that show which row they are of
\ir errors.sql
SET client_min_messages = error;
CREATE ROLE regress_uuidx_owner;
CREATE ROLE regress_uuidx_writer;
GRANT CREATE, USAGE ON SCHEMA public TO regress_uuidx_owner, regress_uuidx_writer;
SET ROLE regress_uuidx_owner;
SET client_min_messages = warning;
SET TimeZone = 'UTC';
CREATE FUNCTION v4(n int) RETURNS uuid LANGUAGE sql IMMUTABLE
RETURN format('%s-0000-4000-8000-%s', lpad(to_hex(n), 8, '0'), lpad(to_hex(n), 12, '0'))::uuid;
