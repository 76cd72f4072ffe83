-- Asking for UUIDs by the time of their creation.
--
-- The bounds of a moment are also there for a moment that is given as text. Without them, in
-- uuid_v7_floor('2026-01-01') a literal could as well be a range, and the call would be an error.
-- What a text means depends on TimeZone: these are STABLE.

CREATE FUNCTION uuid_v7_floor(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v7_floor'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_floor(timestamptz) IS
'smallest version 7 UUID of a millisecond';

CREATE FUNCTION uuid_v7_floor(text) RETURNS uuid
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN uuid_v7_floor($1::timestamptz);
COMMENT ON FUNCTION uuid_v7_floor(text) IS
'smallest version 7 UUID of a millisecond that is given as text';

CREATE FUNCTION uuid_v7_floor(tstzrange) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v7_floor_range'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_floor(tstzrange) IS
'smallest version 7 UUID whose time lies in a range';

CREATE FUNCTION uuid_v7_ceil(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v7_ceil'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_ceil(timestamptz) IS
'largest version 7 UUID of a millisecond';

CREATE FUNCTION uuid_v7_ceil(text) RETURNS uuid
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN uuid_v7_ceil($1::timestamptz);
COMMENT ON FUNCTION uuid_v7_ceil(text) IS
'largest version 7 UUID of a millisecond that is given as text';

CREATE FUNCTION uuid_v7_ceil(tstzrange) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v7_ceil_range'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_ceil(tstzrange) IS
'largest version 7 UUID whose time lies in a range';

CREATE FUNCTION uuid_v6_floor(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v6_floor'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v6_floor(timestamptz) IS
'smallest version 6 UUID of a microsecond';

CREATE FUNCTION uuid_v6_floor(text) RETURNS uuid
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN uuid_v6_floor($1::timestamptz);
COMMENT ON FUNCTION uuid_v6_floor(text) IS
'smallest version 6 UUID of a microsecond that is given as text';

CREATE FUNCTION uuid_v6_floor(tstzrange) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v6_floor_range'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v6_floor(tstzrange) IS
'smallest version 6 UUID whose time lies in a range';

CREATE FUNCTION uuid_v6_ceil(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v6_ceil'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v6_ceil(timestamptz) IS
'largest version 6 UUID of a microsecond';

CREATE FUNCTION uuid_v6_ceil(text) RETURNS uuid
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN uuid_v6_ceil($1::timestamptz);
COMMENT ON FUNCTION uuid_v6_ceil(text) IS
'largest version 6 UUID of a microsecond that is given as text';

CREATE FUNCTION uuid_v6_ceil(tstzrange) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v6_ceil_range'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v6_ceil(tstzrange) IS
'largest version 6 UUID whose time lies in a range';

-- What the bounds leave open. The planner takes it for true, so that the estimate is that of the bounds.

CREATE FUNCTION uuid_in_recheck_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'uuidx_in_recheck_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_in_recheck_support(internal) IS
'planner support for uuid_v7_in and uuid_v6_in: their estimate is that of their bounds';

CREATE FUNCTION uuid_v7_in_recheck(uuid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_v7_in_recheck'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT uuid_in_recheck_support;
COMMENT ON FUNCTION uuid_v7_in_recheck(uuid) IS
'part of uuid_v7_in: whether a UUID between the bounds is of version 7';

CREATE FUNCTION uuid_v6_in_recheck(uuid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_v6_in_recheck'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT uuid_in_recheck_support;
COMMENT ON FUNCTION uuid_v6_in_recheck(uuid) IS
'part of uuid_v6_in: whether a UUID between the bounds is of version 6';

-- Not STRICT: the planner inlines a strict function only where its body is strict, which AND is not.

CREATE FUNCTION uuid_v7_in(id uuid, period tstzrange) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= uuid_v7_floor(period) AND id <= uuid_v7_ceil(period) AND uuid_v7_in_recheck(id);
COMMENT ON FUNCTION uuid_v7_in(uuid, tstzrange) IS
'whether a UUID is of version 7 and its time lies in a range; the planner makes comparisons of it, which an index on the column serves';

CREATE FUNCTION uuid_v6_in(id uuid, period tstzrange) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= uuid_v6_floor(period) AND id <= uuid_v6_ceil(period) AND uuid_v6_in_recheck(id);
COMMENT ON FUNCTION uuid_v6_in(uuid, tstzrange) IS
'whether a UUID is of version 6 and its time lies in a range; the planner makes comparisons of it, which an index on the column serves';
