-- uuid_time_ops: the order of UUIDs of all versions by the time inside them. Its functions are LEAKPROOF, as
-- those of uuid_ops are, so that an index serves queries on tables with row security.

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
'less, equal or greater in the time order: by the time inside, then by the octets; UUIDs without a time after all others';

CREATE OR REPLACE FUNCTION uuid_time_sortsupport(internal) RETURNS void
AS 'MODULE_PATHNAME', 'uuidx_time_sortsupport'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_sortsupport(internal) IS
'sort support for uuid_time_ops';

CREATE OR REPLACE FUNCTION uuid_time_from(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_time_from'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_from(timestamptz) IS
'first UUID, in the time order, of a moment or later';

CREATE OR REPLACE FUNCTION uuid_time_after(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_time_after'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_after(timestamptz) IS
'first UUID, in the time order, after a moment';
