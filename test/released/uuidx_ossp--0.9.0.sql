-- A version that never was: for a test of updates.

CREATE FUNCTION uuid_nil() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_nil'
LANGUAGE C STABLE STRICT;
