-- Read the fields of a UUID.

CREATE OR REPLACE FUNCTION uuid_version(uuid) RETURNS smallint
AS 'MODULE_PATHNAME', 'uuidx_version'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_version(uuid) IS
'version of a UUID; NULL unless its variant is RFC 9562''s';

CREATE OR REPLACE FUNCTION uuid_variant(uuid) RETURNS text
AS 'MODULE_PATHNAME', 'uuidx_variant'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_variant(uuid) IS
'variant of a UUID: ncs, rfc9562, microsoft or future';

-- The planner estimates by the statistics how many rows have a version, and within bounds, how many of those between
-- them. Where the statistics tell nothing, the bounds alone are estimated.
CREATE OR REPLACE FUNCTION uuid_is_version_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'uuidx_is_version_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_is_version_support(internal) IS
'planner support for uuid_is_v6, uuid_is_v7 and uuid_v1_or_v7_recheck: estimates how many rows have these versions';

CREATE OR REPLACE FUNCTION uuid_is_v6(uuid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_is_v6'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT uuid_is_version_support;
COMMENT ON FUNCTION uuid_is_v6(uuid) IS
'whether a UUID has RFC 9562''s variant and version 6';

CREATE OR REPLACE FUNCTION uuid_is_v7(uuid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_is_v7'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT uuid_is_version_support;
COMMENT ON FUNCTION uuid_is_v7(uuid) IS
'whether a UUID has RFC 9562''s variant and version 7';

-- A query that calls uuid_time loads the library while it is planned, and with it what plans time predicates.
CREATE OR REPLACE FUNCTION uuid_time_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'uuidx_time_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_support(internal) IS
'planner support for uuid_time: loads the library';

-- PostgreSQL 17 and newer have this function in pg_catalog, where an unqualified call finds it first; up to
-- PostgreSQL 19 it returns NULL for version 6. No server has a function uuid_time.
CREATE OR REPLACE FUNCTION uuid_extract_timestamp(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_time'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT uuid_time_support;
COMMENT ON FUNCTION uuid_extract_timestamp(uuid) IS
'creation time of a version 1, 6 or 7 UUID; NULL for any other. '
'Prefer uuid_time: since PostgreSQL 17, pg_catalog has a function of this name';

CREATE OR REPLACE FUNCTION uuid_time(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_time'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT uuid_time_support;
COMMENT ON FUNCTION uuid_time(uuid) IS
'creation time of a version 1, 6 or 7 UUID; NULL for any other';

CREATE OR REPLACE FUNCTION uuid_v7_time_us(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_v7_time_us'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_time_us(uuid) IS
'creation time of a version 7 UUID to the microsecond, if its generator stores a fraction of the millisecond; '
'NULL for any other version';

CREATE OR REPLACE FUNCTION uuid_v7_node_id(uuid) RETURNS integer
AS 'MODULE_PATHNAME', 'uuidx_v7_node_id'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_node_id(uuid) IS
'number of the server that generated a version 7 UUID, if it had one; NULL for any other version';

CREATE OR REPLACE FUNCTION uuid_v8_time(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_v8_time'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v8_time(uuid) IS
'creation time of a version 8 UUID with the layout of RFC 9562 B.1; NULL for any other version';

CREATE OR REPLACE FUNCTION uuid_draft01_time(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_draft01_time'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_draft01_time(uuid) IS
'creation time of a version 7 UUID with the layout of draft-peabody-dispatch-new-uuid-format-01; '
'NULL for any other version';

CREATE OR REPLACE FUNCTION uuid_extract_clock_seq(uuid) RETURNS smallint
AS 'MODULE_PATHNAME', 'uuidx_extract_clock_seq'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_extract_clock_seq(uuid) IS
'clock sequence of a version 1 or 6 UUID; NULL for any other';

CREATE OR REPLACE FUNCTION uuid_extract_node(uuid) RETURNS macaddr
AS 'MODULE_PATHNAME', 'uuidx_extract_node'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_extract_node(uuid) IS
'node of a version 1 or 6 UUID; NULL for any other';

CREATE OR REPLACE FUNCTION uuid_inspect(
    uuid,
    OUT version smallint,
    OUT variant text,
    OUT created timestamptz,
    OUT clock_seq smallint,
    OUT node macaddr,
    OUT node_is_random boolean,
    OUT description text
)
AS 'MODULE_PATHNAME', 'uuidx_inspect'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_inspect(uuid) IS
'all fields of a UUID, as one row';
