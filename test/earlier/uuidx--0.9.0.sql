-- What else uuidx had otherwise in version 0.9.0.

-- Functions and operators that go
CREATE FUNCTION uuid_former(uuid) RETURNS smallint LANGUAGE sql IMMUTABLE STRICT RETURN 1;
COMMENT ON FUNCTION uuid_former(uuid) IS 'former function';
CREATE FUNCTION uuid_time_lt(uuid, timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT RETURN uuid_time($1) < $2;
CREATE OPERATOR <~ (FUNCTION = uuid_time_lt, LEFTARG = uuid, RIGHTARG = timestamptz);
-- One with another result
DROP FUNCTION uuid_generator_state(integer);
CREATE FUNCTION uuid_generator_state(version integer DEFAULT 7, OUT method text) LANGUAGE sql RETURN 'precision';
-- Functions that come
DROP FUNCTION uuid_guard();
ALTER OPERATOR FAMILY uuid_time_ops USING btree DROP FUNCTION 2 (uuid, uuid);
DROP FUNCTION uuid_time_sortsupport(internal);
-- Privileges
GRANT EXECUTE ON FUNCTION uuid_generator_reset() TO PUBLIC;
-- What has no CREATE OR REPLACE
ALTER OPERATOR >~ (uuid, uuid) SET (RESTRICT = NONE);
COMMENT ON OPERATOR >~ (uuid, uuid) IS 'former comment';
COMMENT ON OPERATOR CLASS uuid_time_ops USING btree IS 'former comment';
