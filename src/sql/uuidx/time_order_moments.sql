-- Comparisons with a moment, which are not in the operator family. A moment stands for all UUIDs of its microsecond:
-- two of them would both equal it although one is before the other, and from such an order the planner and the index
-- would draw wrong conclusions. The planner inlines these functions to comparisons with a UUID, which are in the
-- family.

CREATE OR REPLACE FUNCTION uuid_time_lt(uuid, timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $1 <~ uuid_time_from($2);
COMMENT ON FUNCTION uuid_time_lt(uuid, timestamptz) IS
'implementation of <~ operator';

CREATE OR REPLACE FUNCTION uuid_time_le(uuid, timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $1 <~ uuid_time_after($2);
COMMENT ON FUNCTION uuid_time_le(uuid, timestamptz) IS
'implementation of <=~ operator';

CREATE OR REPLACE FUNCTION uuid_time_ge(uuid, timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $1 >=~ uuid_time_from($2);
COMMENT ON FUNCTION uuid_time_ge(uuid, timestamptz) IS
'implementation of >=~ operator';

CREATE OR REPLACE FUNCTION uuid_time_gt(uuid, timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $1 >=~ uuid_time_after($2);
COMMENT ON FUNCTION uuid_time_gt(uuid, timestamptz) IS
'implementation of >~ operator';

CREATE OR REPLACE FUNCTION uuid_time_lt(timestamptz, uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $2 >=~ uuid_time_after($1);
COMMENT ON FUNCTION uuid_time_lt(timestamptz, uuid) IS
'implementation of <~ operator';

CREATE OR REPLACE FUNCTION uuid_time_le(timestamptz, uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $2 >=~ uuid_time_from($1);
COMMENT ON FUNCTION uuid_time_le(timestamptz, uuid) IS
'implementation of <=~ operator';

CREATE OR REPLACE FUNCTION uuid_time_ge(timestamptz, uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $2 <~ uuid_time_after($1);
COMMENT ON FUNCTION uuid_time_ge(timestamptz, uuid) IS
'implementation of >=~ operator';

CREATE OR REPLACE FUNCTION uuid_time_gt(timestamptz, uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $2 <~ uuid_time_from($1);
COMMENT ON FUNCTION uuid_time_gt(timestamptz, uuid) IS
'implementation of >~ operator';
