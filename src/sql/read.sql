-- Reading what is inside a UUID.

CREATE FUNCTION uuid_version(uuid) RETURNS smallint
AS 'MODULE_PATHNAME', 'uuidx_version'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_version(uuid) IS
'version of a UUID; NULL unless its variant is RFC 9562''s';

CREATE FUNCTION uuid_variant(uuid) RETURNS text
AS 'MODULE_PATHNAME', 'uuidx_variant'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_variant(uuid) IS
'variant of a UUID: ncs, rfc9562, microsoft or future';

-- PostgreSQL 17 and newer have a function of this name and these arguments in pg_catalog, which an
-- unqualified name finds first, and which up to PostgreSQL 18 knows no version 6. The same function
-- is therefore here again under a name that no server has. Here too the name would be found in
-- pg_catalog: the COMMENT comes before it is given.
CREATE FUNCTION uuidx_extract_timestamp(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_extract_timestamp'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidx_extract_timestamp(uuid) IS
'time inside a version 1, 6 or 7 UUID; NULL for any other. Prefer uuid_time: since PostgreSQL 17, pg_catalog has a function of this name';
ALTER FUNCTION uuidx_extract_timestamp(uuid) RENAME TO uuid_extract_timestamp;

CREATE FUNCTION uuid_time(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_extract_timestamp'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time(uuid) IS
'time inside a version 1, 6 or 7 UUID; NULL for any other';

CREATE FUNCTION uuid_v7_timestamp_us(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_v7_timestamp_us'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_timestamp_us(uuid) IS
'time inside a version 7 UUID to the microsecond, for generators that store a fraction of the millisecond; NULL for any other version';

CREATE FUNCTION uuid_v8_timestamp(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_v8_timestamp'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v8_timestamp(uuid) IS
'time inside a version 8 UUID of the layout of RFC 9562''s time-based example; NULL for any other version';

CREATE FUNCTION uuid_draft01_v7_timestamp(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_draft01_v7_timestamp'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_draft01_v7_timestamp(uuid) IS
'time inside a version 7 UUID of the layout of the draft of 2021: seconds and a binary fraction; NULL for any other version';

CREATE FUNCTION uuid_extract_clock_seq(uuid) RETURNS smallint
AS 'MODULE_PATHNAME', 'uuidx_extract_clock_seq'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_extract_clock_seq(uuid) IS
'clock sequence of a version 1 or 6 UUID; NULL for any other';

CREATE FUNCTION uuid_extract_node(uuid) RETURNS macaddr
AS 'MODULE_PATHNAME', 'uuidx_extract_node'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_extract_node(uuid) IS
'node of a version 1 or 6 UUID; NULL for any other';

CREATE FUNCTION uuid_inspect(
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
'everything that is inside a UUID, as one row';
