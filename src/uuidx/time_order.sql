-- The functions of uuid_time_ops, which orders UUIDs of all versions by the time in them. Like those of uuid_ops, they
-- are LEAKPROOF, so that an index serves queries on tables with row-level security.

CREATE OR REPLACE FUNCTION uuid_time_lt(uuid, uuid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_time_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_lt(uuid, uuid) IS
'implementation of <~ operator';

CREATE OR REPLACE FUNCTION uuid_time_le(uuid, uuid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_time_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_le(uuid, uuid) IS
'implementation of <=~ operator';

CREATE OR REPLACE FUNCTION uuid_time_ge(uuid, uuid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_time_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_ge(uuid, uuid) IS
'implementation of >=~ operator';

CREATE OR REPLACE FUNCTION uuid_time_gt(uuid, uuid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_time_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_gt(uuid, uuid) IS
'implementation of >~ operator';

CREATE OR REPLACE FUNCTION uuid_time_cmp(uuid, uuid) RETURNS integer
AS 'MODULE_PATHNAME', 'uuidx_time_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_cmp(uuid, uuid) IS
'less-equal-greater in time order: by the time in the UUIDs, then by bytes; UUIDs without a time come last';

CREATE OR REPLACE FUNCTION uuid_time_sortsupport(internal) RETURNS void
AS 'MODULE_PATHNAME', 'uuidx_time_sortsupport'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_sortsupport(internal) IS
'sort support for uuid_time_ops';

CREATE OR REPLACE FUNCTION uuid_time_from(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_time_from'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_from(timestamptz) IS
'first UUID, in time order, whose creation time is at or after a moment';

CREATE OR REPLACE FUNCTION uuid_time_after(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_time_after'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_after(timestamptz) IS
'first UUID, in time order, whose creation time is after a moment';

CREATE OR REPLACE FUNCTION uuid_time_lower(tstzrange) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_time_lower'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_lower(tstzrange) IS
'first UUID, in time order, whose creation time is in a range';

CREATE OR REPLACE FUNCTION uuid_time_upper(tstzrange) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_time_upper'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_upper(tstzrange) IS
'last UUID, in time order, whose creation time is in a range';
