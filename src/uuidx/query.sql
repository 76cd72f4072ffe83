-- Query rows by creation time.

CREATE OR REPLACE FUNCTION uuid_v7_from(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v7_from'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_from(timestamptz) IS
'first version 7 UUID whose creation time is at or after a moment';

CREATE OR REPLACE FUNCTION uuid_v7_after(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v7_after'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_after(timestamptz) IS
'first version 7 UUID whose creation time is after a moment';

CREATE OR REPLACE FUNCTION uuid_v7_lower(tstzrange) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v7_lower'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_lower(tstzrange) IS
'smallest version 7 UUID whose creation time is in a range';

CREATE OR REPLACE FUNCTION uuid_v7_upper(tstzrange) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v7_upper'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_upper(tstzrange) IS
'largest version 7 UUID whose creation time is in a range';

CREATE OR REPLACE FUNCTION uuid_v6_from(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v6_from'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v6_from(timestamptz) IS
'first version 6 UUID whose creation time is at or after a moment';

CREATE OR REPLACE FUNCTION uuid_v6_after(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v6_after'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v6_after(timestamptz) IS
'first version 6 UUID whose creation time is after a moment';

CREATE OR REPLACE FUNCTION uuid_v6_lower(tstzrange) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v6_lower'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v6_lower(tstzrange) IS
'smallest version 6 UUID whose creation time is in a range';

CREATE OR REPLACE FUNCTION uuid_v6_upper(tstzrange) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v6_upper'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v6_upper(tstzrange) IS
'largest version 6 UUID whose creation time is in a range';

-- UUIDs of other versions can lie between the bounds, so uuid_v7_in and uuid_v6_in also check the version.
--
-- Not STRICT: the planner inlines a strict function only if its body is strict, and AND is not.

CREATE OR REPLACE FUNCTION uuid_v7_in(id uuid, period tstzrange) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= uuid_v7_lower(period) AND id <= uuid_v7_upper(period) AND uuid_is_v7(id);
COMMENT ON FUNCTION uuid_v7_in(uuid, tstzrange) IS
'whether a UUID has version 7 and its creation time is in a range; an ordinary index on the column serves it';

CREATE OR REPLACE FUNCTION uuid_v6_in(id uuid, period tstzrange) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= uuid_v6_lower(period) AND id <= uuid_v6_upper(period) AND uuid_is_v6(id);
COMMENT ON FUNCTION uuid_v6_in(uuid, tstzrange) IS
'whether a UUID has version 6 and its creation time is in a range; an ordinary index on the column serves it';
