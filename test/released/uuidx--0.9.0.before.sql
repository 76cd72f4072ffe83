-- The result type has changed: what calls the function gets a body first that does not.
CREATE OR REPLACE FUNCTION uuid_v7_in(id uuid, period tstzrange) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= uuid_v7_floor(period);
DROP FUNCTION uuid_version(uuid);
