DROP OPERATOR <~ (uuid, timestamptz);
DROP FUNCTION uuid_time_lt(uuid, timestamptz), uuid_former(uuid);
-- It has more columns now.
DROP FUNCTION uuid_generator_state(integer);
ALTER OPERATOR >~ (uuid, uuid) SET (RESTRICT = scalargtsel);
COMMENT ON OPERATOR >~ (uuid, uuid) IS 'after, in the time order';
COMMENT ON OPERATOR CLASS uuid_time_ops USING btree IS
'UUIDs of all versions by the time inside them, then by their bytes; those without a time after all others';
