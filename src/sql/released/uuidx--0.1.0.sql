\echo Use "CREATE EXTENSION uuidx" to load this file. \quit
-- Whoever installs a trusted extension has this script run by a superuser, in a schema where others may have made
-- functions and operators. One whose arguments match a call better than those of PostgreSQL's own would be bound
-- to it for ever, whatever search_path says. So all is made in a schema where nobody else can make anything.
CREATE SCHEMA uuidx_installation;
SET LOCAL search_path = uuidx_installation, pg_temp;
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
-- Generating UUIDs.

CREATE FUNCTION uuid_generate_v7() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v7'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v7() IS
'new version 7 UUID, greater than every one before it in this backend';

CREATE FUNCTION uuid_generate_v7(shift interval) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v7_shift'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v7(interval) IS
'new version 7 UUID whose time is shifted by an interval';

CREATE FUNCTION uuid_generate_v7_at(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v7_at'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v7_at(timestamptz) IS
'version 7 UUID of a given moment, to the microsecond, the rest of it random';

CREATE FUNCTION uuid_generate_v7_batch_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'uuidx_generate_v7_batch_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v7_batch_support(internal) IS
'planner support for uuid_generate_v7_batch: how many rows it returns';

CREATE FUNCTION uuid_generate_v7_batch(count integer) RETURNS SETOF uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v7_batch'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE
SUPPORT uuid_generate_v7_batch_support;
COMMENT ON FUNCTION uuid_generate_v7_batch(integer) IS
'as many new version 7 UUIDs as count says, each greater than the one before it';

CREATE FUNCTION uuid_generate_v6() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v6'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v6() IS
'new version 6 UUID, greater than every one before it in this backend';

CREATE FUNCTION uuid_generate_v6_at(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v6_at'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v6_at(timestamptz) IS
'version 6 UUID of a given moment, with a random clock sequence and node';

-- PARALLEL RESTRICTED: a worker has a generator of its own, of which nobody asks.
CREATE FUNCTION uuid_generator_state(
    version integer DEFAULT 7,
    OUT method text,
    OUT last_timestamp timestamptz,
    OUT ahead_of_clock interval,
    OUT generated bigint
)
AS 'MODULE_PATHNAME', 'uuidx_generator_state'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION uuid_generator_state(integer) IS
'what this backend''s generator of version 7 (or 6) holds: its method, its last time, how far that is ahead of the clock, how many UUIDs it made';

CREATE FUNCTION uuid_generate_v8(namespace uuid, name text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v8_name'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v8(uuid, text) IS
'version 8 UUID of a name in a namespace, hashed with SHA-256';

CREATE FUNCTION uuid_generate_v8(custom bytea) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v8_custom'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v8(bytea) IS
'version 8 UUID of 16 octets, of which it replaces the version and variant bits';

CREATE FUNCTION uuid_generate_v8_at(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v8_at'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v8_at(timestamptz) IS
'version 8 UUID of a given moment, of the layout of RFC 9562''s time-based example, the rest of it random';

CREATE FUNCTION uuid_max() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_max'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_max() IS
'the Max UUID, all of whose bits are one';
-- Converting UUIDs from one version to another.

CREATE FUNCTION uuid_v1_to_v6(uuid) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v1_to_v6'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v1_to_v6(uuid) IS
'version 6 UUID with the time, clock sequence and node of a version 1 UUID';

CREATE FUNCTION uuid_v6_to_v1(uuid) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v6_to_v1'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v6_to_v1(uuid) IS
'version 1 UUID that uuid_v1_to_v6 makes this version 6 UUID from';
-- UUIDs as URNs and ULIDs.

CREATE FUNCTION uuid_to_urn(uuid) RETURNS text
AS 'MODULE_PATHNAME', 'uuidx_to_urn'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_to_urn(uuid) IS
'URN of a UUID: urn:uuid: and its text';

CREATE FUNCTION uuid_from_urn(text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_from_urn'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_from_urn(text) IS
'UUID of a URN, upper case or lower case';

CREATE FUNCTION uuid_to_ulid(uuid) RETURNS text
AS 'MODULE_PATHNAME', 'uuidx_to_ulid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_to_ulid(uuid) IS
'bits of a UUID as a ULID: 26 digits of Crockford''s base 32';

CREATE FUNCTION uuid_from_ulid(text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_from_ulid'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_from_ulid(text) IS
'UUID with the bits of a ULID, upper case or lower case';
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
-- The conversions of pg_uuidv7, under its names.

CREATE FUNCTION uuid_v7_to_timestamptz(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_v7_to_timestamptz'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_to_timestamptz(uuid) IS
'time inside a version 7 UUID; of any other, what its first 48 bits are as milliseconds. Prefer uuid_time';

CREATE FUNCTION uuid_v7_to_timestamp(uuid) RETURNS timestamp
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN timezone('UTC', uuid_v7_to_timestamptz($1));
COMMENT ON FUNCTION uuid_v7_to_timestamp(uuid) IS
'the same without time zone, in UTC';

-- With zero => true the planner sees uuid_v7_floor, which is IMMUTABLE: an index serves it.
CREATE FUNCTION uuid_timestamptz_to_v7(ts timestamptz, zero boolean DEFAULT false) RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN CASE WHEN zero THEN uuid_v7_floor(ts) WHEN NOT zero THEN uuid_generate_v7_at(ts) END;
COMMENT ON FUNCTION uuid_timestamptz_to_v7(timestamptz, boolean) IS
'version 7 UUID of a given moment, the rest of it random or, with zero, zero. Prefer uuid_generate_v7_at and uuid_v7_floor';

CREATE FUNCTION uuid_timestamp_to_v7(ts timestamp, zero boolean DEFAULT false) RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN uuid_timestamptz_to_v7(timezone('UTC', ts), zero);
COMMENT ON FUNCTION uuid_timestamp_to_v7(timestamp, boolean) IS
'the same of a moment without time zone, in UTC';
-- uuid_time_ops: the order of UUIDs of all versions by the time inside them. Its functions are LEAKPROOF, as
-- those of uuid_ops are, so that an index serves queries on tables with row security.

CREATE FUNCTION uuid_time_lt(uuid, uuid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_time_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_lt(uuid, uuid) IS
'implementation of <~ operator';

CREATE FUNCTION uuid_time_le(uuid, uuid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_time_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_le(uuid, uuid) IS
'implementation of <=~ operator';

CREATE FUNCTION uuid_time_ge(uuid, uuid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_time_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_ge(uuid, uuid) IS
'implementation of >=~ operator';

CREATE FUNCTION uuid_time_gt(uuid, uuid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_time_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_gt(uuid, uuid) IS
'implementation of >~ operator';

CREATE OPERATOR <~ (
    FUNCTION = uuid_time_lt, LEFTARG = uuid, RIGHTARG = uuid,
    COMMUTATOR = >~, NEGATOR = >=~, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR <~ (uuid, uuid) IS
'before, in the time order';

CREATE OPERATOR <=~ (
    FUNCTION = uuid_time_le, LEFTARG = uuid, RIGHTARG = uuid,
    COMMUTATOR = >=~, NEGATOR = >~, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <=~ (uuid, uuid) IS
'not after, in the time order';

CREATE OPERATOR >=~ (
    FUNCTION = uuid_time_ge, LEFTARG = uuid, RIGHTARG = uuid,
    COMMUTATOR = <=~, NEGATOR = <~, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >=~ (uuid, uuid) IS
'not before, in the time order';

CREATE OPERATOR >~ (
    FUNCTION = uuid_time_gt, LEFTARG = uuid, RIGHTARG = uuid,
    COMMUTATOR = <~, NEGATOR = <=~, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR >~ (uuid, uuid) IS
'after, in the time order';

CREATE FUNCTION uuid_time_cmp(uuid, uuid) RETURNS integer
AS 'MODULE_PATHNAME', 'uuidx_time_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_cmp(uuid, uuid) IS
'less, equal or greater in the time order: by the time inside, then by the octets; UUIDs without a time after all others';

CREATE FUNCTION uuid_time_sortsupport(internal) RETURNS void
AS 'MODULE_PATHNAME', 'uuidx_time_sortsupport'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_sortsupport(internal) IS
'sort support for uuid_time_ops';

CREATE OPERATOR FAMILY uuid_time_ops USING btree;
COMMENT ON OPERATOR FAMILY uuid_time_ops USING btree IS
'UUIDs by the time inside them';

CREATE OPERATOR CLASS uuid_time_ops FOR TYPE uuid USING btree FAMILY uuid_time_ops AS
    OPERATOR 1 <~,
    OPERATOR 2 <=~,
    OPERATOR 3 pg_catalog.=,
    OPERATOR 4 >=~,
    OPERATOR 5 >~,
    FUNCTION 1 uuid_time_cmp(uuid, uuid),
    FUNCTION 2 uuid_time_sortsupport(internal),
    FUNCTION 4 pg_catalog.btequalimage(oid);
COMMENT ON OPERATOR CLASS uuid_time_ops USING btree IS
'UUIDs of all versions by the time inside them, then by their octets; those without a time after all others';

-- Comparisons with a moment. They are not in the operator family: a moment stands for all UUIDs of its
-- microsecond, and would be neither before nor after each of them, whereas one of them is before
-- another; from an order that has both, the planner and the index would draw wrong conclusions. The
-- planner inlines them to comparisons with a UUID, which is in the family.

CREATE FUNCTION uuid_time_from(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_time_from'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_from(timestamptz) IS
'first UUID, in the time order, of a moment or later';

CREATE FUNCTION uuid_time_after(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_time_after'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_after(timestamptz) IS
'first UUID, in the time order, after a moment';

CREATE FUNCTION uuid_time_lt(uuid, timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $1 <~ uuid_time_from($2);
COMMENT ON FUNCTION uuid_time_lt(uuid, timestamptz) IS
'implementation of <~ operator';

CREATE FUNCTION uuid_time_le(uuid, timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $1 <~ uuid_time_after($2);
COMMENT ON FUNCTION uuid_time_le(uuid, timestamptz) IS
'implementation of <=~ operator';

CREATE FUNCTION uuid_time_ge(uuid, timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $1 >=~ uuid_time_from($2);
COMMENT ON FUNCTION uuid_time_ge(uuid, timestamptz) IS
'implementation of >=~ operator';

CREATE FUNCTION uuid_time_gt(uuid, timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $1 >=~ uuid_time_after($2);
COMMENT ON FUNCTION uuid_time_gt(uuid, timestamptz) IS
'implementation of >~ operator';

CREATE FUNCTION uuid_time_lt(timestamptz, uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $2 >=~ uuid_time_after($1);
COMMENT ON FUNCTION uuid_time_lt(timestamptz, uuid) IS
'implementation of <~ operator';

CREATE FUNCTION uuid_time_le(timestamptz, uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $2 >=~ uuid_time_from($1);
COMMENT ON FUNCTION uuid_time_le(timestamptz, uuid) IS
'implementation of <=~ operator';

CREATE FUNCTION uuid_time_ge(timestamptz, uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $2 <~ uuid_time_after($1);
COMMENT ON FUNCTION uuid_time_ge(timestamptz, uuid) IS
'implementation of >=~ operator';

CREATE FUNCTION uuid_time_gt(timestamptz, uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $2 <~ uuid_time_from($1);
COMMENT ON FUNCTION uuid_time_gt(timestamptz, uuid) IS
'implementation of >~ operator';

CREATE OPERATOR <~ (
    FUNCTION = uuid_time_lt, LEFTARG = uuid, RIGHTARG = timestamptz,
    COMMUTATOR = >~, NEGATOR = >=~, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR <~ (uuid, timestamptz) IS
'the time inside the UUID is before the moment';

CREATE OPERATOR <=~ (
    FUNCTION = uuid_time_le, LEFTARG = uuid, RIGHTARG = timestamptz,
    COMMUTATOR = >=~, NEGATOR = >~, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <=~ (uuid, timestamptz) IS
'the time inside the UUID is not after the moment';

CREATE OPERATOR >=~ (
    FUNCTION = uuid_time_ge, LEFTARG = uuid, RIGHTARG = timestamptz,
    COMMUTATOR = <=~, NEGATOR = <~, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >=~ (uuid, timestamptz) IS
'the time inside the UUID is not before the moment';

CREATE OPERATOR >~ (
    FUNCTION = uuid_time_gt, LEFTARG = uuid, RIGHTARG = timestamptz,
    COMMUTATOR = <~, NEGATOR = <=~, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR >~ (uuid, timestamptz) IS
'the time inside the UUID is after the moment';

CREATE OPERATOR <~ (
    FUNCTION = uuid_time_lt, LEFTARG = timestamptz, RIGHTARG = uuid,
    COMMUTATOR = >~, NEGATOR = >=~, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR <~ (timestamptz, uuid) IS
'the moment is before the time inside the UUID';

CREATE OPERATOR <=~ (
    FUNCTION = uuid_time_le, LEFTARG = timestamptz, RIGHTARG = uuid,
    COMMUTATOR = >=~, NEGATOR = >~, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <=~ (timestamptz, uuid) IS
'the moment is not after the time inside the UUID';

CREATE OPERATOR >=~ (
    FUNCTION = uuid_time_ge, LEFTARG = timestamptz, RIGHTARG = uuid,
    COMMUTATOR = <=~, NEGATOR = <~, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >=~ (timestamptz, uuid) IS
'the moment is not before the time inside the UUID';

CREATE OPERATOR >~ (
    FUNCTION = uuid_time_gt, LEFTARG = timestamptz, RIGHTARG = uuid,
    COMMUTATOR = <~, NEGATOR = <=~, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR >~ (timestamptz, uuid) IS
'the moment is after the time inside the UUID';
-- Keeping and filling a shadow column, which takes the place of another later.

CREATE FUNCTION uuid_migration_fill() RETURNS trigger
AS 'MODULE_PATHNAME', 'uuidx_migration_fill'
LANGUAGE C;
COMMENT ON FUNCTION uuid_migration_fill() IS
'trigger before INSERT or UPDATE that keeps a shadow column; its arguments are the column, the shadow column, the direction, and what to do with UUIDs of another version';

CREATE FUNCTION uuid_migration_shadow(name name) RETURNS name
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN octet_length(name::text) <= 52 THEN name || '_shadow' ELSE 'shadow_' || md5(name) END;
COMMENT ON FUNCTION uuid_migration_shadow(name) IS
'name of the shadow of a column, an index or a constraint';

-- The last in the order of names: what it converts is what is stored.
CREATE FUNCTION uuid_migration_trigger(column_name name) RETURNS name
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN 'zzz_' || uuid_migration_shadow(column_name);
COMMENT ON FUNCTION uuid_migration_trigger(name) IS
'name of the trigger that keeps the shadow of a column';

CREATE FUNCTION uuid_migration_filling(relation regclass, column_name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT substring(encode(t.tgargs, 'escape') FROM '(v1_to_v6|v6_to_v1)\\000[a-z]+\\000$')
    FROM pg_trigger AS t
    WHERE t.tgrelid = relation AND t.tgname = uuid_migration_trigger(column_name) AND t.tgfoid = 'uuid_migration_fill()'::regprocedure
);
COMMENT ON FUNCTION uuid_migration_filling(regclass, name) IS
'direction in which a trigger keeps the shadow of a column; NULL: there is none';

-- How far each backfill has come: committed with each batch, so that it goes on from there and that other
-- sessions can watch it. Who owns a table sees and writes its rows.
CREATE TABLE uuid_migration_backfills (
    relation       regclass,
    from_column    name,
    to_column      name,
    blocks         bigint NOT NULL,             -- of the table, when this pass over it began
    next_block     bigint NOT NULL DEFAULT 0,
    filled         bigint NOT NULL DEFAULT 0,   -- rows
    resumed        timestamptz NOT NULL,        -- by the last CALL, at this block and number of rows
    resumed_block  bigint NOT NULL DEFAULT 0,
    resumed_filled bigint NOT NULL DEFAULT 0,
    updated        timestamptz NOT NULL,
    finished       timestamptz,
    PRIMARY KEY (relation, from_column, to_column)
);
COMMENT ON TABLE uuid_migration_backfills IS
'how far the backfills of shadow columns have come';
ALTER TABLE uuid_migration_backfills ENABLE ROW LEVEL SECURITY;
CREATE POLICY uuid_migration_owner ON uuid_migration_backfills
USING (EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation AND pg_has_role(c.relowner, 'USAGE')));
GRANT SELECT, INSERT, UPDATE, DELETE ON uuid_migration_backfills TO PUBLIC;

CREATE VIEW uuid_migration_progress WITH (security_barrier) AS
SELECT b.relation, b.from_column, b.to_column, b.filled AS rows_filled,
       CASE WHEN c.reltuples >= 0 THEN c.reltuples::bigint END AS estimated_rows,
       round(CASE WHEN b.finished IS NOT NULL THEN 100
                  ELSE 100.0 * b.next_block / greatest(b.blocks, 1) END, 1) AS percent,
       round((b.filled - b.resumed_filled) / nullif(extract(epoch FROM b.updated - b.resumed), 0)::numeric) AS rows_per_second,
       CASE WHEN b.finished IS NOT NULL THEN interval '0'
            ELSE date_trunc('second', (b.updated - b.resumed)
                     * ((b.blocks - b.next_block)::float8 / nullif(b.next_block - b.resumed_block, 0))) END AS time_left,
       b.resumed, b.updated, b.finished
FROM uuid_migration_backfills AS b JOIN pg_class AS c ON c.oid = b.relation
WHERE pg_has_role(c.relowner, 'USAGE');
COMMENT ON VIEW uuid_migration_progress IS
'how far the backfills of one''s own tables have come, how fast they are, and the time left';
GRANT SELECT ON uuid_migration_progress TO PUBLIC;

-- Who owns the table may fill it: nobody else may say how far it has come.
CREATE FUNCTION uuid_migration_backfill_begin(relation regclass, from_column name, to_column name, batch_rows integer) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    uuidx text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'uuidx');
BEGIN
    IF batch_rows < 1 THEN
        RAISE EXCEPTION 'batch_rows must be positive' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = relation AND relkind = 'r') THEN
        RAISE EXCEPTION '% is no table', relation USING ERRCODE = 'wrong_object_type';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = relation AND pg_has_role(relowner, 'USAGE')) THEN
        RAISE EXCEPTION 'must be owner of table %', relation USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF row_security_active(relation) THEN
        RAISE EXCEPTION 'row security of table % is active for you', relation
        USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    EXECUTE format(
        'INSERT INTO %s.uuid_migration_backfills AS b (relation, from_column, to_column, blocks, resumed, updated)
         VALUES ($1, $2, $3, $4, clock_timestamp(), clock_timestamp())
         ON CONFLICT (relation, from_column, to_column) DO UPDATE
         SET blocks = excluded.blocks, resumed = excluded.resumed, resumed_block = b.next_block,
             resumed_filled = b.filled, updated = excluded.updated, finished = NULL', uuidx)
    USING relation, from_column, to_column, pg_relation_size(relation) / current_setting('block_size')::bigint;
END
$$;
COMMENT ON FUNCTION uuid_migration_backfill_begin(regclass, name, name, integer) IS
'part of uuid_migration_backfill: notes that it begins or resumes';

-- How many blocks have about so many rows. Of a table that was never analyzed nothing is known: then a block
-- is taken to be full of the narrowest rows that there are.
CREATE FUNCTION uuid_migration_batch_blocks(relation regclass, batch_rows integer) RETURNS bigint
LANGUAGE sql STABLE STRICT
RETURN (
    SELECT greatest(1, least(batch_rows, batch_rows / CASE WHEN reltuples > 0 AND relpages > 0 THEN reltuples::float8 / relpages
                                                           ELSE current_setting('block_size')::float8 / 44 END))::bigint
    FROM pg_class WHERE oid = relation
);
COMMENT ON FUNCTION uuid_migration_batch_blocks(regclass, integer) IS
'part of uuid_migration_backfill: blocks of a batch';

-- The statement of a batch is run by the procedure, as the triggers that it fires have to find the search_path
-- of the session. Rows that another session has locked are left for the next pass: to wait for them could
-- end in a deadlock with that session. Where the shadow is a key already, a reference to the row is such a lock.
CREATE FUNCTION uuid_migration_backfill_batch(
    relation regclass, from_column name, to_column name, batch_rows integer, direction text, others text,
    OUT statement text, OUT end_block bigint
)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    uuidx text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'uuidx');
    next_block bigint;
    conversion text;
    lock text;
BEGIN
    EXECUTE format('SELECT b.next_block, least(b.next_block + %1$s.uuid_migration_batch_blocks($1, $6), 4294967294),
                           %1$s.uuid_migration_conversion($2, $4, $5)
                    FROM %1$s.uuid_migration_backfills AS b
                    WHERE (b.relation, b.from_column, b.to_column) = ($1, $2, $3) FOR UPDATE', uuidx)
    INTO STRICT next_block, end_block, conversion USING relation, from_column, to_column, direction, others, batch_rows;
    SELECT CASE WHEN bool_or(i.indisunique) THEN 'UPDATE' ELSE 'NO KEY UPDATE' END INTO lock
    FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
    WHERE i.indrelid = relation AND a.attname = to_column;
    statement := format('WITH batch AS (
                             SELECT ctid FROM ONLY %1$s
                             WHERE ctid OPERATOR(pg_catalog.>=) ''(%2$s,0)'' AND ctid OPERATOR(pg_catalog.<) ''(%3$s,0)''
                               AND %4$I IS NULL AND %5$I IS NOT NULL
                             FOR %7$s SKIP LOCKED)
                         UPDATE ONLY %1$s AS t SET %4$I = %6$s FROM batch
                         WHERE t.ctid OPERATOR(pg_catalog.=) batch.ctid
                           AND t.ctid OPERATOR(pg_catalog.>=) ''(%2$s,0)'' AND t.ctid OPERATOR(pg_catalog.<) ''(%3$s,0)''',
                        relation, next_block, end_block, to_column, from_column, conversion, lock);
END
$$;
COMMENT ON FUNCTION uuid_migration_backfill_batch(regclass, name, name, integer, text, text) IS
'part of uuid_migration_backfill: the statement that fills the next batch of rows, and where that ends';

CREATE FUNCTION uuid_migration_backfill_end_batch(
    relation regclass, from_column name, to_column name, end_block bigint, rows bigint,
    OUT pass_ended boolean
)
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    uuidx text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'uuidx');
BEGIN
    EXECUTE format('UPDATE %s.uuid_migration_backfills AS b
                    SET next_block = $4, filled = b.filled + $5, updated = clock_timestamp()
                    WHERE (b.relation, b.from_column, b.to_column) = ($1, $2, $3)
                    RETURNING b.blocks <= $4', uuidx)
    INTO STRICT pass_ended USING relation, from_column, to_column, end_block, rows;
END
$$;
COMMENT ON FUNCTION uuid_migration_backfill_end_batch(regclass, name, name, bigint, bigint) IS
'part of uuid_migration_backfill: notes that a batch is filled';

-- A pass over the table that leaves no row is the last.
CREATE FUNCTION uuid_migration_backfill_end_pass(relation regclass, from_column name, to_column name) RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    uuidx text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'uuidx');
    is_filled boolean;
BEGIN
    EXECUTE format('SELECT NOT EXISTS (SELECT FROM ONLY %s WHERE %I IS NULL AND %I IS NOT NULL)',
                   relation, to_column, from_column) INTO is_filled;
    EXECUTE format('UPDATE %s.uuid_migration_backfills AS b
                    SET next_block = 0, blocks = $4, updated = clock_timestamp(), finished = CASE WHEN $5 THEN clock_timestamp() END
                    WHERE (b.relation, b.from_column, b.to_column) = ($1, $2, $3)', uuidx)
    USING relation, from_column, to_column, pg_relation_size(relation) / current_setting('block_size')::bigint, is_filled;
    RETURN is_filled;
END
$$;
COMMENT ON FUNCTION uuid_migration_backfill_end_pass(regclass, name, name) IS
'part of uuid_migration_backfill: notes that a pass over the table has ended, and whether nothing is left';

CREATE FUNCTION uuid_migration_backfill_report(relation regclass, from_column name, to_column name) RETURNS text
LANGUAGE sql STABLE STRICT
RETURN (SELECT format('%s: %s rows, %s %%, %s rows/s, %s left', p.relation, p.rows_filled, p.percent,
                      p.rows_per_second, p.time_left)
        FROM uuid_migration_progress AS p
        WHERE (p.relation, p.from_column, p.to_column) = ($1, $2, $3));
COMMENT ON FUNCTION uuid_migration_backfill_report(regclass, name, name) IS
'part of uuid_migration_backfill: a line of uuid_migration_progress in words';

-- A procedure that commits may have no search_path of its own: all that is in it is qualified. In another
-- isolation than READ COMMITTED, a row that others have changed would be an error.
CREATE PROCEDURE uuid_migration_backfill(
    relation regclass,
    from_column name,
    to_column name,
    batch_rows integer DEFAULT 10000,
    pause interval DEFAULT '0',
    direction text DEFAULT 'v1_to_v6',
    others text DEFAULT 'error'
)
LANGUAGE plpgsql
AS $$
DECLARE
    uuidx pg_catalog.name := (SELECT n.nspname FROM pg_catalog.pg_extension AS e
                              JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace
                              WHERE e.extname OPERATOR(pg_catalog.=) 'uuidx');
    reported pg_catalog.timestamptz := pg_catalog.clock_timestamp();
    members pg_catalog.regclass[];
    member pg_catalog.regclass;
    statement pg_catalog.text;
    end_block pg_catalog.int8;
    rows pg_catalog.int8;
    pass_ended pg_catalog.bool;
    finished pg_catalog.bool;
    report pg_catalog.text;
BEGIN
    EXECUTE pg_catalog.format('SELECT %1$I.uuid_migration_check_arguments($1, $2, $4, $5),
                                      %1$I.uuid_migration_check_arguments($1, $3, $4, $5)', uuidx)
    USING relation, from_column, to_column, direction, others;
    EXECUTE pg_catalog.format('SELECT COALESCE(pg_catalog.array_agg(m.member), ''{}'') FROM %I.uuid_migration_tables($1, $2) AS m
                               JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) m.member
                               WHERE c.relkind OPERATOR(pg_catalog.<>) ''p''', uuidx)
    INTO members USING relation, from_column;
    FOREACH member IN ARRAY members LOOP
        EXECUTE pg_catalog.format('SELECT %I.uuid_migration_backfill_begin($1, $2, $3, $4)', uuidx)
        USING member, from_column, to_column, batch_rows;
        finished := false;
        WHILE NOT finished LOOP
            COMMIT;
            SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
            EXECUTE pg_catalog.format('SELECT * FROM %I.uuid_migration_backfill_batch($1, $2, $3, $4, $5, $6)', uuidx)
            INTO statement, end_block USING member, from_column, to_column, batch_rows, direction, others;
            EXECUTE statement;
            GET DIAGNOSTICS rows = ROW_COUNT;
            EXECUTE pg_catalog.format('SELECT %I.uuid_migration_backfill_end_batch($1, $2, $3, $4, $5)', uuidx)
            INTO pass_ended USING member, from_column, to_column, end_block, rows;
            COMMIT;
            SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
            IF pass_ended THEN
                EXECUTE pg_catalog.format('SELECT %I.uuid_migration_backfill_end_pass($1, $2, $3)', uuidx)
                INTO finished USING member, from_column, to_column;
            END IF;
            IF finished OR pg_catalog.clock_timestamp() OPERATOR(pg_catalog.>)
                           (reported OPERATOR(pg_catalog.+) '5 s'::pg_catalog.interval) THEN
                EXECUTE pg_catalog.format('SELECT %I.uuid_migration_backfill_report($1, $2, $3)', uuidx)
                INTO report USING member, from_column, to_column;
                RAISE NOTICE '%', report;
                reported := pg_catalog.clock_timestamp();
            END IF;
            COMMIT;
            -- What is left after a pass is locked: give it time.
            PERFORM pg_catalog.pg_sleep_for(CASE WHEN finished THEN '0'
                                                 WHEN pass_ended THEN GREATEST(pause, '0.1 s'::pg_catalog.interval)
                                                 ELSE pause END);
        END LOOP;
    END LOOP;
END
$$;
COMMENT ON PROCEDURE uuid_migration_backfill(regclass, name, name, integer, interval, text, text) IS
'fills a shadow column in batches, each in a transaction of its own, and resumes where it stopped';
-- What is tied to a column: by foreign keys, and as a partition to its table.

-- Partitions go with their topmost table: whatever is said of a relation here is said of that.
CREATE FUNCTION uuid_migration_root(relation oid) RETURNS regclass
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN coalesce(pg_partition_root(relation::regclass), relation::regclass);
COMMENT ON FUNCTION uuid_migration_root(oid) IS
'topmost partitioned table of a partition, and any other relation itself';

CREATE FUNCTION uuid_migration_columns(INOUT relation regclass, INOUT column_name name) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE pairs AS (
        SELECT uuid_migration_root(conrelid) AS referencing, a.attname AS referencing_column,
               uuid_migration_root(confrelid) AS referenced, b.attname AS referenced_column
        FROM pg_constraint
        CROSS JOIN LATERAL ROWS FROM (unnest(conkey), unnest(confkey)) AS k (referencing, referenced)
        JOIN pg_attribute AS a ON a.attrelid = conrelid AND a.attnum = k.referencing
        JOIN pg_attribute AS b ON b.attrelid = confrelid AND b.attnum = k.referenced
        WHERE contype = 'f'
    ),
    ties (relation, column_name, other_relation, other_column) AS (
        SELECT referencing, referencing_column, referenced, referenced_column FROM pairs
        UNION
        SELECT referenced, referenced_column, referencing, referencing_column FROM pairs
    ),
    tied (relation, column_name) AS (
        SELECT uuid_migration_root(uuid_migration_columns.relation), uuid_migration_columns.column_name
        UNION
        SELECT ties.other_relation, ties.other_column
        FROM tied JOIN ties ON ties.relation = tied.relation AND ties.column_name = tied.column_name
    )
    SELECT tied.relation, tied.column_name FROM tied;
END;
COMMENT ON FUNCTION uuid_migration_columns(regclass, name) IS
'all columns that are tied to a column by foreign keys, in either direction and however many steps away, and itself';

CREATE FUNCTION uuid_migration_tables(relation regclass, column_name name)
RETURNS TABLE (member regclass, attnum smallint)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT a.attrelid::regclass, a.attnum
    FROM pg_attribute AS a
    WHERE a.attname = column_name AND NOT a.attisdropped
      AND (a.attrelid = relation OR a.attrelid IN (SELECT relid FROM pg_partition_tree(relation)));
END;
COMMENT ON FUNCTION uuid_migration_tables(regclass, name) IS
'a table and its partitions, with the number of a column in each';
-- What stands in the way of moving a column to another version.

-- What refers to the column and what ALTER TABLE ... TYPE takes along without harm: its own default, keys,
-- statistics, and indexes that have it as it is.
CREATE FUNCTION uuid_migration_is_taken_along(member regclass, attnum smallint, dependent pg_depend) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE dependent.classid
    WHEN 'pg_attrdef'::regclass THEN
        EXISTS (SELECT FROM pg_attrdef AS d JOIN pg_attribute AS a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
                WHERE d.oid = dependent.objid AND d.adrelid = member AND d.adnum = $2 AND a.attgenerated = '')
    WHEN 'pg_constraint'::regclass THEN
        EXISTS (SELECT FROM pg_constraint AS c JOIN pg_attribute AS a ON a.attrelid = member AND a.attnum = $2
                WHERE c.oid = dependent.objid
                  AND (c.contype IN ('p', 'u', 'f', 'n')
                       OR c.conname = uuid_migration_shadow(a.attname) AND uuid_migration_filling(member, a.attname) IS NOT NULL))
    WHEN 'pg_class'::regclass THEN
        EXISTS (SELECT FROM pg_index AS i WHERE i.indexrelid = dependent.objid
                AND concat(i.indexprs, i.indpred) !~ format(' :varattno %s ', $2))
    WHEN 'pg_statistic_ext'::regclass THEN true
    ELSE false
END;
COMMENT ON FUNCTION uuid_migration_is_taken_along(regclass, smallint, pg_depend) IS
'whether what depends on a column outlives a change of its values';

-- As pg_describe_object does it, but a view for its rule, and a column for the expression that generates it.
CREATE FUNCTION uuid_migration_describe(dependent pg_depend) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN coalesce(
    (SELECT pg_describe_object('pg_class'::regclass, r.ev_class, 0) FROM pg_rewrite AS r
     WHERE dependent.classid = 'pg_rewrite'::regclass AND r.oid = dependent.objid AND r.rulename = '_RETURN'),
    (SELECT pg_describe_object('pg_class'::regclass, d.adrelid, d.adnum) FROM pg_attrdef AS d
     WHERE dependent.classid = 'pg_attrdef'::regclass AND d.oid = dependent.objid),
    pg_describe_object(dependent.classid, dependent.objid, dependent.objsubid));
COMMENT ON FUNCTION uuid_migration_describe(pg_depend) IS
'what depends on a column, in words';

-- Not what merely ends in such a call: an expression is put into a script, which others run.
CREATE FUNCTION uuid_migration_generates(expression text, names text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN expression ~ format('^(("([^"]|"")+"|[a-z_][a-z0-9_$]*)\.)?(%s)\(\)$', names);
COMMENT ON FUNCTION uuid_migration_generates(text, text) IS
'whether an expression is the call, without arguments, of a function that has one of these names';

-- The row as a whole has the column in it, but nothing in pg_depend says so. In an expression it is column 0.
CREATE FUNCTION uuid_migration_whole_rows(relation regclass) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT pg_describe_object(o.classid, o.objid, 0) || ', in which the row is as a whole'
    FROM (SELECT 'pg_constraint'::regclass, c.oid, c.conbin::text FROM pg_constraint AS c WHERE c.conrelid = relation
          UNION ALL
          SELECT 'pg_class'::regclass, i.indexrelid, concat(i.indexprs::text, i.indpred::text) FROM pg_index AS i WHERE i.indrelid = relation
          UNION ALL
          SELECT 'pg_policy'::regclass, p.oid, concat(p.polqual::text, p.polwithcheck::text) FROM pg_policy AS p WHERE p.polrelid = relation
          UNION ALL
          SELECT CASE r.rulename WHEN '_RETURN' THEN 'pg_class'::regclass ELSE 'pg_rewrite'::regclass END,
                 CASE r.rulename WHEN '_RETURN' THEN r.ev_class ELSE r.oid END, concat(r.ev_qual::text, r.ev_action::text)
          FROM pg_depend AS d JOIN pg_rewrite AS r ON r.oid = d.objid
          WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = relation AND d.refobjsubid = 0
          UNION ALL
          SELECT 'pg_proc'::regclass, p.oid, p.prosqlbody::text
          FROM pg_depend AS d JOIN pg_proc AS p ON p.oid = d.objid
          WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = relation AND d.refobjsubid = 0
         ) AS o (classid, objid, expression)
    WHERE o.expression LIKE '%{VAR :varno % :varattno 0 %';
END;
COMMENT ON FUNCTION uuid_migration_whole_rows(regclass) IS
'constraints, indexes, policies, rules, views and functions that use the rows of a table as a whole';

CREATE FUNCTION uuid_migration_obstacles(relation regclass, column_name name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH members AS MATERIALIZED (
        SELECT m.member, m.attnum, c.relkind, c.relowner, c.relnamespace, c.reltype, c.reloftype
        FROM uuid_migration_tables(relation, column_name) AS m JOIN pg_class AS c ON c.oid = m.member
    )
    SELECT format('you are not the owner of table %s', member) FROM members WHERE NOT pg_has_role(relowner, 'USAGE')
    UNION ALL
    SELECT format('you may not use schema %s', relnamespace::regnamespace) FROM members
    WHERE NOT has_schema_privilege(relnamespace, 'USAGE')
    UNION ALL
    SELECT format('you may not %s table %s', p, member)
    FROM members, unnest('{SELECT,UPDATE,REFERENCES}'::text[]) AS p
    WHERE relkind IN ('r', 'p') AND pg_has_role(relowner, 'USAGE') AND NOT has_table_privilege(member, p)
    UNION ALL
    SELECT format('default %s of column %I of table %s, which is no call of a function without arguments',
                  pg_get_expr(d.adbin, d.adrelid), column_name, m.member)
    FROM members AS m JOIN pg_attrdef AS d ON d.adrelid = m.member AND d.adnum = m.attnum
    JOIN pg_attribute AS a ON a.attrelid = m.member AND a.attnum = m.attnum AND a.attgenerated = ''
    WHERE NOT uuid_migration_generates(pg_get_expr(d.adbin, d.adrelid), '("([^"]|"")+"|[a-z_][a-z0-9_$]*)')
      AND pg_get_expr(d.adbin, d.adrelid) <> 'NULL::uuid'
    UNION ALL
    SELECT format('table %s, which hides behind the name of a temporary table', c.oid::regclass)
    FROM members AS m JOIN pg_class AS t ON t.oid = m.member AND t.relpersistence = 't'
    JOIN pg_class AS c ON c.relname = t.relname AND c.relpersistence <> 't' AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    UNION ALL
    SELECT format('row security of table %s is active for you', member) FROM members WHERE row_security_active(member)
    UNION ALL
    SELECT format('%s is a foreign table', member) FROM members WHERE relkind = 'f'
    UNION ALL
    SELECT format('%s is no table', member) FROM members WHERE relkind NOT IN ('r', 'p', 'f')
    UNION ALL
    SELECT format('%s is a table of type %s', member, format_type(reloftype, NULL)) FROM members WHERE reloftype <> 0
    UNION ALL
    SELECT format('column %I of table %s is of type %s', column_name, m.member, format_type(a.atttypid, a.atttypmod))
    FROM members AS m JOIN pg_attribute AS a ON a.attrelid = m.member AND a.attnum = m.attnum
    WHERE a.atttypid <> 'uuid'::regtype
    UNION ALL
    SELECT format('column %I of table %s is generated', column_name, m.member)
    FROM members AS m JOIN pg_attribute AS a ON a.attrelid = m.member AND a.attnum = m.attnum
    WHERE a.attgenerated <> ''
    UNION ALL
    SELECT format('table %s inherits from table %s', i.inhrelid::regclass, i.inhparent::regclass)
    FROM pg_inherits AS i JOIN pg_class AS child ON child.oid = i.inhrelid
    WHERE NOT child.relispartition
      AND (i.inhrelid IN (SELECT member FROM members) OR i.inhparent IN (SELECT member FROM members))
    UNION ALL
    SELECT format('the partition key of table %s', m.member)
    FROM members AS m JOIN pg_partitioned_table AS p ON p.partrelid = m.member
    WHERE m.attnum = ANY (p.partattrs) OR p.partexprs::text ~ format(' :varattno %s ', m.attnum)
    UNION ALL
    SELECT format('column %I of table %s has the row type of table %s', a.attname, a.attrelid::regclass, m.member)
    FROM members AS m
    JOIN pg_type AS t ON m.reltype IN (t.oid, t.typbasetype)
    JOIN pg_attribute AS a ON a.atttypid IN (t.oid, t.typarray)
    WHERE a.attnum > 0 AND NOT a.attisdropped
    UNION ALL
    SELECT uuid_migration_whole_rows(m.member) FROM members AS m
    UNION ALL
    SELECT format('foreign key %I of table %s is disabled', f.conname, f.conrelid::regclass)
    FROM pg_constraint AS f
    WHERE f.contype = 'f'
      AND EXISTS (SELECT FROM members AS m WHERE f.conrelid = m.member AND m.attnum = ANY (f.conkey)
                                              OR f.confrelid = m.member AND m.attnum = ANY (f.confkey))
      AND EXISTS (SELECT FROM pg_trigger WHERE tgconstraint = f.oid AND tgenabled <> 'O')
    UNION ALL
    SELECT DISTINCT uuid_migration_describe(d)
    FROM members AS m
    JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = m.member AND d.refobjsubid = m.attnum
    WHERE NOT uuid_migration_is_taken_along(m.member, m.attnum, d);
END;
COMMENT ON FUNCTION uuid_migration_obstacles(regclass, name) IS
'what stands in the way of moving a column from one version to another';

CREATE FUNCTION uuid_migration_obstacles_offline(relation regclass, column_name name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format('column %I of table %s, the shadow of an online migration', uuid_migration_shadow(column_name), relation)
    WHERE uuid_migration_filling(relation, column_name) IS NOT NULL
    UNION ALL
    -- A rewrite makes the indexes of partitions anew after that of their table, and forgets the rest.
    SELECT format('index %s of a partition has %s, which would be lost', i.indexrelid::regclass, p.property)
    FROM uuid_migration_tables(relation, column_name) AS m
    JOIN pg_index AS i ON i.indrelid = m.member AND m.attnum = ANY (i.indkey)
    JOIN pg_class AS c ON c.oid = i.indexrelid
    JOIN pg_class AS t ON t.oid = i.indrelid
    JOIN pg_inherits AS h ON h.inhrelid = i.indexrelid
    JOIN pg_class AS parent ON parent.oid = h.inhparent
    CROSS JOIN LATERAL (
        SELECT 'a replica identity' WHERE i.indisreplident
        UNION ALL
        SELECT 'a mark of CLUSTER' WHERE i.indisclustered
        UNION ALL
        SELECT 'a comment' WHERE obj_description(i.indexrelid, 'pg_class') IS NOT NULL
        UNION ALL
        SELECT 'storage parameters of its own' WHERE c.reloptions IS DISTINCT FROM parent.reloptions
        UNION ALL
        SELECT 'a name of its own'
        WHERE octet_length(c.relname) < 63 AND c.relname::text COLLATE "C" !~ format('^%s_(pkey|(%s_)?(key|idx))[0-9]*$',
            regexp_replace(t.relname, '([^[:alnum:]_])', '\\\1', 'g'),
            (SELECT regexp_replace(string_agg(a.attname, '_' ORDER BY a.attnum), '([^[:alnum:]_])', '\\\1', 'g')
             FROM pg_attribute AS a WHERE a.attrelid = i.indexrelid))
    ) AS p (property)
    UNION ALL
    SELECT format('foreign key %I of partition %s has a name or a comment of its own, which would be lost', f.conname, f.conrelid::regclass)
    FROM uuid_migration_tables(relation, column_name) AS m
    JOIN pg_constraint AS f ON f.conrelid = m.member AND m.attnum = ANY (f.conkey) AND f.contype = 'f'
    JOIN pg_constraint AS parent ON parent.oid = f.conparentid AND parent.conrelid <> f.conrelid
    WHERE f.conname <> parent.conname OR obj_description(f.oid, 'pg_constraint') IS NOT NULL;
END;
COMMENT ON FUNCTION uuid_migration_obstacles_offline(regclass, name) IS
'what stands in the way of the offline mode alone';

CREATE FUNCTION uuid_migration_obstacles_online(relation regclass, column_name name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH members AS MATERIALIZED (
        SELECT m.member, m.attnum, c.relnamespace, uuid_migration_shadow(column_name) AS shadow
        FROM uuid_migration_tables(relation, column_name) AS m JOIN pg_class AS c ON c.oid = m.member
    ),
    indexes AS MATERIALIZED (
        SELECT m.member, m.shadow, m.relnamespace, i.indexrelid, i.indisvalid, c.relname, c.reltablespace
        FROM members AS m JOIN pg_index AS i ON i.indrelid = m.member AND m.attnum = ANY (i.indkey) JOIN pg_class AS c ON c.oid = i.indexrelid
    )
    SELECT format('you may not create indexes in schema %s', m.relnamespace::regnamespace)
    FROM members AS m WHERE NOT has_schema_privilege(m.relnamespace, 'CREATE')
    UNION ALL
    SELECT format('you may not create indexes in tablespace %I', t.spcname)
    FROM indexes AS i JOIN pg_tablespace AS t ON t.oid = i.reltablespace WHERE NOT has_tablespace_privilege(t.oid, 'CREATE')
    UNION ALL
    SELECT format('index %s is not valid', i.indexrelid::regclass) FROM indexes AS i WHERE NOT i.indisvalid
    UNION ALL
    SELECT format('table %s is in publication %I', m.member, p.pubname)
    FROM members AS m JOIN pg_class AS c ON c.oid = m.member
    JOIN pg_publication_tables AS p ON p.schemaname = m.relnamespace::regnamespace::name AND p.tablename = c.relname
    UNION ALL
    -- Of two such indexes, a partitioned index or constraint could take in the wrong one.
    SELECT format('indexes %s and %s are of the same columns', i.indexrelid::regclass, other.indexrelid::regclass)
    FROM indexes AS i JOIN pg_index AS x ON x.indexrelid = i.indexrelid
    JOIN pg_index AS other ON other.indrelid = i.member AND other.indexrelid > i.indexrelid
        AND (other.indkey, other.indclass, other.indpred::text) IS NOT DISTINCT FROM (x.indkey, x.indclass, x.indpred::text)
    WHERE pg_partition_root(i.member) IS NOT NULL
    UNION ALL
    SELECT format('index %s has to do with index %s, which is of no constraint', i.indexrelid::regclass, h.inhparent::regclass)
    FROM indexes AS i
    JOIN pg_constraint AS c ON c.conindid = i.indexrelid AND c.conrelid = i.member AND c.contype IN ('p', 'u')
    JOIN pg_inherits AS h ON h.inhrelid = i.indexrelid
    WHERE c.conparentid = 0
    UNION ALL
    SELECT format('table %s alone has column %I as NOT NULL', m.member, column_name)
    FROM members AS m JOIN pg_attribute AS a ON a.attrelid = m.member AND a.attnum = m.attnum
    JOIN pg_attribute AS r ON r.attrelid = uuid_migration_root(m.member) AND r.attname = column_name
    WHERE a.attnotnull AND NOT r.attnotnull
    UNION ALL
    SELECT pg_describe_object('pg_constraint'::regclass, c.oid, 0) || ', which is not validated'
    FROM members AS m JOIN pg_constraint AS c ON c.conrelid = m.member AND c.conkey = ARRAY[m.attnum]
    WHERE c.contype = 'n' AND NOT c.convalidated
    UNION ALL
    SELECT format('statistics object %s.%I: you may not change it', s.stxnamespace::regnamespace, s.stxname)
    FROM members AS m JOIN pg_statistic_ext AS s ON s.stxrelid = m.member AND m.attnum = ANY (s.stxkeys)
    WHERE NOT pg_has_role(s.stxowner, 'USAGE') OR NOT has_schema_privilege(s.stxnamespace, 'CREATE')
    UNION ALL
    SELECT format('statistics object %s.%I has the name of a shadow', taken.stxnamespace::regnamespace, taken.stxname)
    FROM members AS m JOIN pg_statistic_ext AS s ON s.stxrelid = m.member AND m.attnum = ANY (s.stxkeys)
    JOIN pg_statistic_ext AS taken ON taken.stxnamespace = s.stxnamespace AND taken.stxname = uuid_migration_shadow(s.stxname)
    WHERE NOT EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = m.member AND a.attname = m.shadow
                                                     AND taken.stxrelid = m.member AND a.attnum = ANY (taken.stxkeys))
    UNION ALL
    SELECT pg_describe_object('pg_constraint'::regclass, c.oid, 0)
           || CASE WHEN c.condeferrable THEN ', which is deferrable' ELSE ', which is WITHOUT OVERLAPS' END
    FROM indexes AS i JOIN pg_constraint AS c ON c.conindid = i.indexrelid AND c.conrelid = i.member
    WHERE c.contype IN ('p', 'u') AND c.conparentid = 0
      AND (c.condeferrable OR to_jsonb(c) ->> 'conperiod' = 'true') -- from PostgreSQL 18 on
    UNION ALL
    SELECT pg_describe_object('pg_rewrite'::regclass, r.oid, 0) FROM members AS m JOIN pg_rewrite AS r ON r.ev_class = m.member WHERE r.rulename <> '_RETURN'
    UNION ALL
    SELECT format('statistics object %s.%I has the column in an expression', s.stxnamespace::regnamespace, s.stxname)
    FROM members AS m JOIN pg_statistic_ext AS s ON s.stxrelid = m.member WHERE s.stxexprs::text ~ format(' :varattno %s ', m.attnum)
    UNION ALL
    SELECT format('%s has the place of the shadow column', d.description)
    FROM members AS m
    CROSS JOIN LATERAL (
        SELECT pg_describe_object('pg_class'::regclass, a.attrelid, a.attnum) FROM pg_attribute AS a WHERE a.attrelid = m.member AND a.attname = m.shadow
        UNION ALL
        SELECT pg_describe_object('pg_constraint'::regclass, c.oid, 0) FROM pg_constraint AS c WHERE c.conrelid = m.member AND c.conname = m.shadow
        UNION ALL
        SELECT pg_describe_object('pg_trigger'::regclass, t.oid, 0) FROM pg_trigger AS t WHERE t.tgrelid = m.member AND t.tgname = uuid_migration_trigger(column_name)
    ) AS d (description)
    WHERE uuid_migration_filling(m.member, column_name) IS NULL
    UNION ALL
    SELECT format('%s has the name of a shadow index', pg_describe_object('pg_class'::regclass, c.oid, 0))
    FROM indexes AS i JOIN pg_class AS c ON c.relnamespace = i.relnamespace AND c.relname = uuid_migration_shadow(i.relname)
    WHERE NOT EXISTS (SELECT FROM pg_index AS x JOIN pg_attribute AS a ON a.attrelid = i.member AND a.attname = i.shadow
                      WHERE x.indexrelid = c.oid AND x.indrelid = i.member AND a.attnum = ANY (x.indkey))
    UNION ALL
    SELECT format('%s fires after the trigger that keeps the shadow column', pg_describe_object('pg_trigger'::regclass, t.oid, 0))
    FROM members AS m JOIN pg_trigger AS t ON t.tgrelid = m.member
    WHERE t.tgname::text COLLATE "C" > uuid_migration_trigger(column_name)::text COLLATE "C" AND t.tgfoid <> 'uuid_migration_fill()'::regprocedure
      AND t.tgtype & 3 = 3 AND t.tgtype & 20 <> 0; -- BEFORE, FOR EACH ROW; INSERT, UPDATE
END;
COMMENT ON FUNCTION uuid_migration_obstacles_online(regclass, name) IS
'what stands in the way of the online mode alone';
-- Moving version 1 columns to version 6, and back: RFC 9562 5.6.
--
-- Bodies in SQL are bound when they are created, whatever search_path says later. Those in PL/pgSQL have
-- a search_path of their own and look up the schema of the extension, which can be moved.

-- --- What is in a column ---

CREATE FUNCTION uuid_version_histogram(
    relation regclass,
    column_name name,
    OUT version smallint,
    OUT variant text,
    OUT count bigint,
    OUT first timestamptz,
    OUT last timestamptz
) RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    uuidx text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'uuidx');
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT v.version, v.variant, count(*), min(v.time), max(v.time)
         FROM (SELECT %1$s.uuid_version(%2$I) AS version, %1$s.uuid_variant(%2$I) AS variant,
                      %1$s.uuid_time(%2$I) AS time
               FROM %3$s) AS v
         GROUP BY v.version, v.variant ORDER BY v.version, v.variant',
        uuidx, column_name, relation);
END
$$;
COMMENT ON FUNCTION uuid_version_histogram(regclass, name) IS
'what UUIDs are in a column: of each version and variant how many, and their first and last time';

-- --- Defaults ---

-- Who owns a table may write of it into the tables of a migration. Row security would say so, too, but
-- then nobody but a superuser could dump them.
CREATE FUNCTION uuid_migration_check_owner() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    changed record;
BEGIN
    FOREACH changed IN ARRAY CASE TG_OP WHEN 'INSERT' THEN ARRAY[new] WHEN 'DELETE' THEN ARRAY[old] ELSE ARRAY[old, new] END LOOP
        IF EXISTS (SELECT FROM pg_class WHERE oid = changed.relation AND NOT pg_has_role(relowner, 'USAGE')) THEN
            RAISE EXCEPTION 'must be owner of table %', changed.relation USING ERRCODE = 'insufficient_privilege';
        END IF;
    END LOOP;
    RETURN changed;
END
$$;
COMMENT ON FUNCTION uuid_migration_check_owner() IS
'trigger before a change of a row that has a relation: an error unless the user owns it';

-- What the default of a column was before it was changed, so that this can be undone.
CREATE TABLE uuid_migration_former_defaults (
    relation    regclass,
    column_name name,
    expression  text NOT NULL CHECK (uuid_migration_generates(expression, 'uuid_generate_v1|uuid_generate_v1mc')),
    PRIMARY KEY (relation, column_name)
);
COMMENT ON TABLE uuid_migration_former_defaults IS
'defaults of columns before a migration changed them';
CREATE TRIGGER uuid_migration_check_owner BEFORE INSERT OR UPDATE OR DELETE ON uuid_migration_former_defaults
    FOR EACH ROW EXECUTE FUNCTION uuid_migration_check_owner();
GRANT SELECT, INSERT, UPDATE, DELETE ON uuid_migration_former_defaults TO PUBLIC;
-- Not those of temporary tables and of tables that are gone.
SELECT pg_catalog.pg_extension_config_dump('uuid_migration_former_defaults',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = relation AND c.relpersistence <> ''t'')');

CREATE FUNCTION uuid_migration_defaults(
    relation regclass, column_name name, direction text,
    OUT member regclass, OUT old_default text, OUT new_default text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH defaults AS (
        SELECT m.member, pg_get_expr(d.adbin, d.adrelid) AS expression
        FROM uuid_migration_tables(relation, column_name) AS m
        JOIN pg_attrdef AS d ON d.adrelid = m.member AND d.adnum = m.attnum
    )
    SELECT d.member, d.expression, format('%s()', 'uuid_generate_v6()'::regprocedure::regproc)
    FROM defaults AS d
    WHERE direction = 'v1_to_v6' AND uuid_migration_generates(d.expression, 'uuid_generate_v1|uuid_generate_v1mc')
    UNION ALL
    SELECT d.member, d.expression, f.expression
    FROM defaults AS d JOIN uuid_migration_former_defaults AS f ON f.relation = d.member
    WHERE direction = 'v6_to_v1' AND f.column_name = uuid_migration_defaults.column_name
      AND uuid_migration_generates(d.expression, 'uuid_generate_v6');
END;
COMMENT ON FUNCTION uuid_migration_defaults(regclass, name, text) IS
'defaults of a column, in a table and its partitions, that make UUIDs of the version to convert from, and what they become';

-- --- The plan ---

CREATE FUNCTION uuid_migration_role(relation regclass, column_name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT coalesce(string_agg(DISTINCT CASE c.contype WHEN 'p' THEN 'primary key'
                                                       WHEN 'u' THEN 'unique'
                                                       ELSE format('references %s', c.confrelid::regclass) END, ', '),
                    'column')
    FROM pg_constraint AS c JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
    WHERE c.conrelid = relation AND a.attname = column_name AND c.contype IN ('p', 'u', 'f') AND c.conparentid = 0
);
COMMENT ON FUNCTION uuid_migration_role(regclass, name) IS
'which keys of its table a column belongs to';

CREATE FUNCTION uuid_migration_plan(
    INOUT relation regclass,
    INOUT column_name name,
    OUT role text,
    OUT estimated_rows bigint,
    OUT size bigint,
    OUT indexes regclass[],
    OUT new_default text,
    OUT obstacles text[]
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.relation, c.column_name, uuid_migration_role(c.relation, c.column_name),
           sum(greatest(t.reltuples, 0)) FILTER (WHERE t.relkind <> 'p')::bigint,
           sum(pg_total_relation_size(m.member))::bigint,
           (SELECT array_agg(i.indexrelid::regclass ORDER BY i.indexrelid::regclass::text COLLATE "C")
            FROM uuid_migration_tables(c.relation, c.column_name) AS m
            JOIN pg_index AS i ON i.indrelid = m.member AND m.attnum = ANY (i.indkey)),
           (SELECT min(d.new_default) FROM uuid_migration_defaults(c.relation, c.column_name, 'v1_to_v6') AS d),
           (SELECT array_agg(o ORDER BY o COLLATE "C")
            FROM (SELECT uuid_migration_obstacles(c.relation, c.column_name)
                  UNION ALL
                  SELECT 'offline: ' || uuid_migration_obstacles_offline(c.relation, c.column_name)
                  UNION ALL
                  SELECT 'online: ' || uuid_migration_obstacles_online(c.relation, c.column_name)) AS u (o))
    FROM uuid_migration_columns(relation, column_name) AS c
    CROSS JOIN LATERAL uuid_migration_tables(c.relation, c.column_name) AS m
    JOIN pg_class AS t ON t.oid = m.member
    GROUP BY c.relation, c.column_name
    ORDER BY c.relation::text COLLATE "C", c.column_name;
END;
COMMENT ON FUNCTION uuid_migration_plan(regclass, name) IS
'every column that must move to another version together with a column, and what stands in the way';
-- The statements that move a column, and all that are tied to it.

-- The version that a direction converts from.
CREATE FUNCTION uuid_migration_version(direction text) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE direction WHEN 'v1_to_v6' THEN 1 WHEN 'v6_to_v1' THEN 6 END;
COMMENT ON FUNCTION uuid_migration_version(text) IS
'version that a direction converts from';

CREATE FUNCTION uuid_migration_reverse(direction text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE direction WHEN 'v1_to_v6' THEN 'v6_to_v1' WHEN 'v6_to_v1' THEN 'v1_to_v6' END;
COMMENT ON FUNCTION uuid_migration_reverse(text) IS
'direction that undoes another';

CREATE FUNCTION uuid_migration_check(relation regclass, column_name name, version integer) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    uuidx text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'uuidx');
    others bigint;
    example text;
BEGIN
    EXECUTE format('SELECT count(*), min(%1$I::text) FROM %2$s WHERE %3$s.uuid_version(%1$I) IS DISTINCT FROM $1
                    AND %1$I IS NOT NULL', column_name, relation, uuidx)
    INTO others, example USING version;
    IF others > 0 THEN
        RAISE EXCEPTION 'column "%" of table % has UUIDs that are not of version %', column_name, relation, version
        USING ERRCODE = 'invalid_parameter_value',
              DETAIL = format('Their number is %s; one of them is "%s".', others, example),
              HINT = 'uuid_version_histogram shows what is in the column. With others => ''keep'' such values stay as they are.';
    END IF;
END
$$;
COMMENT ON FUNCTION uuid_migration_check(regclass, name, integer) IS
'an error unless all UUIDs in a column are of a version';

CREATE FUNCTION uuid_migration_foreign_keys(
    relation regclass, column_name name,
    OUT foreign_key oid, OUT referencing regclass, OUT name name, OUT definition text, OUT comment text, OUT validated boolean
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT DISTINCT f.oid, f.conrelid::regclass, f.conname, pg_get_constraintdef(f.oid), obj_description(f.oid, 'pg_constraint'),
                    f.convalidated
    FROM uuid_migration_columns(relation, column_name) AS c
    CROSS JOIN LATERAL uuid_migration_tables(c.relation, c.column_name) AS m
    JOIN pg_constraint AS f ON f.conrelid = m.member AND m.attnum = ANY (f.conkey)
    WHERE f.contype = 'f' AND f.conparentid = 0;
END;
COMMENT ON FUNCTION uuid_migration_foreign_keys(regclass, name) IS
'the foreign keys that tie the columns of uuid_migration_columns';

-- How a value of a column is converted, as an expression.
CREATE FUNCTION uuid_migration_conversion(column_name name, direction text, others text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT CASE WHEN others IN ('keep', 'kept') THEN format('CASE WHEN %s(%I) OPERATOR(pg_catalog.=) %s THEN %s(%2$I) ELSE %2$I END',
                                               'uuid_version(uuid)'::regprocedure::regproc, column_name, version, conversion)
                       ELSE format('%s(%I)', conversion, column_name) END
    FROM (SELECT uuid_migration_version(direction) AS version,
                 CASE direction WHEN 'v1_to_v6' THEN 'uuid_v1_to_v6(uuid)'::regprocedure::regproc
                                ELSE 'uuid_v6_to_v1(uuid)'::regprocedure::regproc END AS conversion) AS c
);
COMMENT ON FUNCTION uuid_migration_conversion(name, text, text) IS
'expression that converts a column''s value';

CREATE FUNCTION uuid_migration_note_default(relation regclass, column_name name, direction text, expression text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN CASE direction
    WHEN 'v1_to_v6' THEN
        format('INSERT INTO %s VALUES (%L, %L, %L) ON CONFLICT (relation, column_name) DO UPDATE SET expression = excluded.expression',
               'uuid_migration_former_defaults'::regclass, relation, column_name, expression)
    ELSE
        format('DELETE FROM %s WHERE relation = %L::pg_catalog.regclass AND column_name = %L',
               'uuid_migration_former_defaults'::regclass, relation, column_name)
END;
COMMENT ON FUNCTION uuid_migration_note_default(regclass, name, text, text) IS
'statement that keeps the default of a column for the way back, or forgets it there';

CREATE FUNCTION uuid_migration_offline(relation regclass, column_name name, direction text, others text)
RETURNS TABLE (step integer, sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (SELECT * FROM uuid_migration_columns(relation, column_name)),
    tables AS (
        SELECT c.relation, string_agg(format('ALTER COLUMN %I TYPE pg_catalog.uuid USING %s', c.column_name,
                                             uuid_migration_conversion(c.column_name, direction, others)),
                                      ', ' ORDER BY c.column_name) AS conversions
        FROM columns AS c GROUP BY c.relation
    ),
    defaults AS (
        SELECT c.column_name, d.*
        FROM columns AS c, LATERAL uuid_migration_defaults(c.relation, c.column_name, direction) AS d
    ),
    foreign_keys AS MATERIALIZED (SELECT * FROM uuid_migration_foreign_keys(relation, column_name)),
    statements (part, sql) AS (
        VALUES (1, 'BEGIN'), (11, 'COMMIT')
        UNION ALL
        SELECT 2, format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', string_agg(t.relation::text, ', ' ORDER BY t.relation::text COLLATE "C"))
        FROM tables AS t
        UNION ALL
        SELECT 3, format('SELECT %s(%L, %L, %s)', 'uuid_migration_check(regclass, name, integer)'::regprocedure::regproc, c.relation, c.column_name,
                         uuid_migration_version(direction))
        FROM columns AS c WHERE others = 'error'
        UNION ALL
        SELECT 4, format('ALTER TABLE %s DROP CONSTRAINT %I', f.referencing, f.name) FROM foreign_keys AS f
        UNION ALL
        SELECT 5, format('ALTER TABLE %s %s', t.relation, t.conversions) FROM tables AS t
        UNION ALL
        SELECT 6, uuid_migration_note_default(d.member, d.column_name, direction, d.old_default)
        FROM defaults AS d
        UNION ALL
        SELECT 7, format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s', d.member, d.column_name, d.new_default)
        FROM defaults AS d
        UNION ALL
        SELECT 8, format('ALTER TABLE %s ADD CONSTRAINT %I %s', f.referencing, f.name, f.definition) FROM foreign_keys AS f
        UNION ALL
        SELECT 9, format('COMMENT ON CONSTRAINT %I ON %s IS %L', f.name, f.referencing, f.comment)
        FROM foreign_keys AS f WHERE f.comment IS NOT NULL
        UNION ALL
        SELECT 9, format('ALTER STATISTICS %s.%I SET STATISTICS %s', s.stxnamespace::regnamespace, s.stxname, s.stxstattarget)
        FROM columns AS c, LATERAL uuid_migration_tables(c.relation, c.column_name) AS m
        JOIN pg_statistic_ext AS s ON s.stxrelid = m.member AND m.attnum = ANY (s.stxkeys)
        WHERE s.stxstattarget >= 0
        UNION ALL
        SELECT 10, format('ANALYZE %s', t.relation) FROM tables AS t
    )
    SELECT row_number() OVER (ORDER BY s.part, s.sql COLLATE "C")::integer, s.sql FROM statements AS s;
END;
COMMENT ON FUNCTION uuid_migration_offline(regclass, name, text, text) IS
'part of uuid_migration_script: one transaction that rewrites the tables';

CREATE FUNCTION uuid_migration_check_arguments(relation regclass, column_name name, direction text, others text) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF direction NOT IN ('v1_to_v6', 'v6_to_v1') THEN
        RAISE EXCEPTION 'direction "%" is none of: v1_to_v6, v6_to_v1', direction USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF others NOT IN ('error', 'keep') THEN
        RAISE EXCEPTION 'others "%" is none of: error, keep', others USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = relation AND attname = column_name AND attnum > 0
                                              AND NOT attisdropped) THEN
        RAISE EXCEPTION 'column "%" of relation % does not exist', column_name, relation USING ERRCODE = 'undefined_column';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = relation AND attname = column_name AND atttypid = 'uuid'::regtype) THEN
        RAISE EXCEPTION 'column "%" of relation % is not of type uuid', column_name, relation USING ERRCODE = 'datatype_mismatch';
    END IF;
END
$$;
COMMENT ON FUNCTION uuid_migration_check_arguments(regclass, name, text, text) IS
'an error unless there is such a column, direction, and treatment of others';

CREATE FUNCTION uuid_migration_check_obstacles(relation regclass, column_name name, mode text, direction text) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $$
DECLARE
    uuidx text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'uuidx');
    obstacles text;
BEGIN
    EXECUTE format('SELECT string_agg(DISTINCT o COLLATE "C", E''\n'')
                    FROM %1$s.uuid_migration_columns($1, $2) AS c
                    CROSS JOIN LATERAL (
                        SELECT %1$s.uuid_migration_obstacles(c.relation, c.column_name)
                        UNION ALL
                        SELECT %1$s.uuid_migration_obstacles_%2$s(c.relation, c.column_name)
                        UNION ALL
                        SELECT format(''default %%s of table %%s before: there is no such function any more'', d.new_default, d.member)
                        FROM %1$s.uuid_migration_defaults(c.relation, c.column_name, $3) AS d
                        WHERE to_regprocedure(d.new_default) IS NULL) AS u (o)', uuidx, mode)
    INTO obstacles USING relation, column_name, direction;
    IF obstacles IS NOT NULL THEN
        RAISE EXCEPTION 'column "%" of table % cannot be moved as it stands', column_name, relation
        USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'In the way are:' || E'\n' || obstacles,
              HINT = 'Drop what is in the way, and create it again afterwards.';
    END IF;
END
$$;
COMMENT ON FUNCTION uuid_migration_check_obstacles(regclass, name, text, text) IS
'an error that lists what stands in the way of a migration, if anything does';

CREATE FUNCTION uuid_migration_script(
    relation regclass,
    column_name name,
    mode text DEFAULT 'offline',
    direction text DEFAULT 'v1_to_v6',
    others text DEFAULT 'error'
) RETURNS TABLE (step integer, sql text)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $$
DECLARE
    uuidx text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'uuidx');
BEGIN
    IF mode NOT IN ('offline', 'online') THEN
        RAISE EXCEPTION 'mode "%" is none of: offline, online', mode USING ERRCODE = 'invalid_parameter_value';
    END IF;
    EXECUTE format('SELECT %s.uuid_migration_check_arguments($1, $2, $3, $4)', uuidx)
    USING relation, column_name, direction, others;
    EXECUTE format('SELECT %s.uuid_migration_check_obstacles($1, $2, $3, $4)', uuidx) USING relation, column_name, mode, direction;
    RETURN QUERY EXECUTE format('SELECT * FROM %s.uuid_migration_%s($1, $2, $3, $4) AS s ORDER BY s.step', uuidx, mode)
    USING relation, column_name, direction, others;
END
$$;
COMMENT ON FUNCTION uuid_migration_script(regclass, name, text, text, text) IS
'the statements, in order, that move a column and all that are tied to it from version 1 to version 6, or back';
-- Statements under locks that nobody waits long for.

-- One table after the other, all within max_wait: who waits behind this waits no longer than that. In a
-- deadlock with somebody, that ends before the server makes a victim of him.
CREATE FUNCTION uuid_migration_lock(tables regclass[], max_wait interval) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    deadline timestamptz := clock_timestamp() + least(max_wait, current_setting('deadlock_timeout')::interval * 0.8);
    member regclass;
BEGIN
    FOR member IN
        SELECT m.relid
        FROM unnest(tables) WITH ORDINALITY AS t (root, n)
        CROSS JOIN LATERAL (SELECT root AS relid UNION SELECT relid FROM pg_partition_tree(root)) AS m
        ORDER BY n, m.relid <> root, m.relid
    LOOP
        PERFORM set_config('lock_timeout',
                           greatest(ceil(1000 * extract(epoch FROM deadline - clock_timestamp())), 1)::text, true);
        EXECUTE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', member);
    END LOOP;
END
$$;
COMMENT ON FUNCTION uuid_migration_lock(regclass[], interval) IS
'part of uuid_migration_locked: locks tables and their partitions, or ends in an error within a time';

CREATE FUNCTION uuid_migration_lockers(tables regclass[]) RETURNS text
LANGUAGE sql STABLE STRICT
RETURN (
    SELECT string_agg(DISTINCT l.pid::text, ', ')
    FROM pg_locks AS l
    WHERE l.locktype = 'relation' AND l.granted AND l.pid <> pg_backend_pid()
      AND uuid_migration_root(l.relation) = ANY (tables)
      AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
);
COMMENT ON FUNCTION uuid_migration_lockers(regclass[]) IS
'part of uuid_migration_locked: process IDs of the sessions that use tables or their partitions';

-- A procedure that commits may have no search_path of its own: it is set for each transaction.
CREATE PROCEDURE uuid_migration_locked(
    tables regclass[],
    condition text,
    statements text,
    max_wait interval DEFAULT '300 ms',
    pause interval DEFAULT '1 s',
    before text DEFAULT NULL
)
LANGUAGE plpgsql
AS $$
DECLARE
    uuidx pg_catalog.name := (SELECT n.nspname FROM pg_catalog.pg_extension AS e
                              JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace
                              WHERE e.extname OPERATOR(pg_catalog.=) 'uuidx');
    due pg_catalog.bool;
    lockers pg_catalog.text;
BEGIN
    LOOP
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
        EXECUTE 'SELECT ' || condition INTO STRICT due;
        EXIT WHEN due IS NOT TRUE;
        IF before IS NOT NULL THEN
            EXECUTE before;
            before := NULL;
        END IF;
        BEGIN
            EXECUTE format('SELECT %I.uuid_migration_lock($1, $2)', uuidx) USING tables, max_wait;
            EXECUTE 'SELECT ' || condition INTO STRICT due;
            IF due THEN
                EXECUTE statements;
            END IF;
            EXIT;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            EXECUTE format('SELECT %I.uuid_migration_lockers($1)', uuidx) INTO lockers USING tables;
            RAISE NOTICE 'not all locks were got within %; the tables are used by %; to be tried again',
                max_wait, coalesce('the sessions ' || lockers, 'no session any more');
        END;
        COMMIT;
        PERFORM pg_catalog.pg_sleep_for(pause);
    END LOOP;
    COMMIT;
END
$$;
COMMENT ON PROCEDURE uuid_migration_locked(regclass[], text, text, interval, interval, text) IS
'if a condition holds, runs statements in one transaction that locks tables and their partitions; tries again until it gets all locks within max_wait';

-- A text between dollar signs, which can be read, if nothing in it can be taken for the end.
CREATE FUNCTION uuid_migration_quote(text text, tag text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN strpos(text, format('$%s$', tag)) = 0 THEN format('$%1$s$%2$s$%1$s$', tag, text)
            ELSE quote_literal(text) END;
COMMENT ON FUNCTION uuid_migration_quote(text, text) IS
'a text as a literal, between dollar signs if possible';

CREATE FUNCTION uuid_migration_call_locked(tables regclass[], condition text, statements text[], before text DEFAULT NULL)
RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN format(E'CALL %s(ARRAY[%s]::pg_catalog.regclass[],\n%s, %s%s)',
              'uuid_migration_locked(regclass[],text,text,interval,interval,text)'::regprocedure::regproc,
              (SELECT string_agg(quote_literal(t), ', ' ORDER BY n) FROM unnest(tables) WITH ORDINALITY AS u (t, n)),
              uuid_migration_quote(condition, 'if'),
              uuid_migration_quote(E'\n' || array_to_string(statements, E';\n') || E'\n', 'do'),
              E',\nbefore => ' || uuid_migration_quote(before, 'before'));
COMMENT ON FUNCTION uuid_migration_call_locked(regclass[], text, text[], text) IS
'call of uuid_migration_locked, as text';
-- Shadow columns, their indexes and statistics: what a column's place needs before another can take it.

CREATE FUNCTION uuid_migration_moved(
    relation regclass, column_name name,
    OUT root regclass, OUT member regclass, OUT level bigint, OUT attnum smallint, OUT name name, OUT shadow name
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.relation, m.member, (SELECT count(*) FROM pg_partition_ancestors(m.member)), m.attnum, c.column_name,
           uuid_migration_shadow(c.column_name)
    FROM uuid_migration_columns(relation, column_name) AS c,
         LATERAL uuid_migration_tables(c.relation, c.column_name) AS m;
END;
COMMENT ON FUNCTION uuid_migration_moved(regclass, name) IS
'the columns of uuid_migration_columns in each table and partition, how deep that is, and their shadow columns';

-- Without those that are the server's own: pg_attver, as PostgreSQL 15.20 has it.
CREATE FUNCTION uuid_migration_options(options text[]) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (SELECT string_agg(format('%I = %L', split_part(o, '=', 1), substr(o, strpos(o, '=') + 1)), ', ')
        FROM unnest(options) AS o WHERE o !~ '^pg_');
COMMENT ON FUNCTION uuid_migration_options(text[]) IS
'options as pg_class and pg_attribute have them, as a list in SQL; NULL: there are none';

-- PostgreSQL itself is made to compare each shadow with the conversion: nothing can go wrong unseen. From
-- a check that says so, SET NOT NULL knows that it need not read the table. A column that is kept for the way
-- back has what it had, which with others => 'keep' may be a UUID of the new version.
CREATE FUNCTION uuid_migration_keep(relation regclass, column_name name, direction text, others text) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT unnest(ARRAY[
        format('ALTER TABLE %s ADD CONSTRAINT %I CHECK (%s) NOT VALID', relation, n.shadow,
               format(CASE WHEN a.attnotnull THEN '%1$I IS NOT NULL AND (%1$I = %2$s%3$s)'
                           ELSE '%1$I IS NOT DISTINCT FROM %2$s%3$s' END,
                      n.shadow, uuid_migration_conversion(column_name, direction, others),
                      CASE others WHEN 'kept' THEN format(' OR %I = %I', n.shadow, column_name) END)),
        format('CREATE TRIGGER %I BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION %s(%L, %L, %L, %L)',
               n.trigger, relation, 'uuid_migration_fill()'::regprocedure::regproc,
               column_name, n.shadow, direction, others),
        format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', relation, n.trigger)])
    FROM pg_attribute AS a,
         (SELECT uuid_migration_shadow(column_name), uuid_migration_trigger(column_name)) AS n (shadow, trigger)
    WHERE a.attrelid = relation AND a.attname = column_name;
END;
COMMENT ON FUNCTION uuid_migration_keep(regclass, name, text, text) IS
'statements that have a shadow column kept for every row that is written';

CREATE FUNCTION uuid_migration_add_shadows(relation regclass, column_name name, direction text, others text)
RETURNS TABLE (root regclass, statements text[])
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH moved AS MATERIALIZED (
        SELECT m.*, a.attstattarget, a.attacl, uuid_migration_options(a.attoptions) AS options,
               col_description(m.member, m.attnum) AS comment
        FROM uuid_migration_moved(relation, column_name) AS m
        JOIN pg_attribute AS a ON a.attrelid = m.member AND a.attnum = m.attnum
    ),
    parts (root, part, sql) AS (
        SELECT m.root, ARRAY[1::bigint], format('ALTER TABLE %s ADD COLUMN %I pg_catalog.uuid', m.root, m.shadow)
        FROM moved AS m WHERE m.member = m.root
        UNION ALL
        SELECT m.root, ARRAY[2],
               format('ALTER TABLE ONLY %s ALTER COLUMN %I SET STATISTICS %s', m.member, m.shadow, m.attstattarget)
        FROM moved AS m WHERE m.attstattarget >= 0
        UNION ALL
        SELECT m.root, ARRAY[2], format('ALTER TABLE ONLY %s ALTER COLUMN %I SET (%s)', m.member, m.shadow, m.options)
        FROM moved AS m WHERE m.options IS NOT NULL
        UNION ALL
        SELECT m.root, ARRAY[2], format('COMMENT ON COLUMN %s.%I IS %L', m.member, m.shadow, m.comment)
        FROM moved AS m WHERE m.comment IS NOT NULL
        UNION ALL
        SELECT m.root, ARRAY[2], format('GRANT %s (%I) ON %s TO %s', g.privilege_type, m.shadow, m.member,
                                 CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE g.grantee::regrole::text END)
                          || CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END
        FROM moved AS m CROSS JOIN LATERAL aclexplode(m.attacl) AS g
        UNION ALL
        SELECT m.root, ARRAY[2],
               format('SECURITY LABEL FOR %I ON COLUMN %s.%I IS %L', l.provider, m.member, m.shadow, l.label)
        FROM moved AS m
        JOIN pg_seclabel AS l ON l.classoid = 'pg_class'::regclass AND l.objoid = m.member AND l.objsubid = m.attnum
        UNION ALL
        SELECT m.root, ARRAY[3, k.ordinality], k.statement
        FROM moved AS m, LATERAL uuid_migration_keep(m.root, m.name, direction, others) WITH ORDINALITY AS k (statement)
        WHERE m.member = m.root
    )
    SELECT p.root, array_agg(p.sql ORDER BY p.part, p.sql COLLATE "C") FROM parts AS p GROUP BY p.root;
END;
COMMENT ON FUNCTION uuid_migration_add_shadows(regclass, name, text, text) IS
'statements that give a table its shadow columns, with the properties of the columns whose place they take';

CREATE FUNCTION uuid_migration_check_shadow(relation regclass, column_name name) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    uuidx text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'uuidx');
    shadow name;
    bad_index regclass;
BEGIN
    EXECUTE format('SELECT %s.uuid_migration_shadow($1)', uuidx) INTO STRICT shadow USING column_name;
    IF NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = relation AND conname = shadow AND convalidated) THEN
        RAISE EXCEPTION 'column "%" of table % is not known to be filled', shadow, relation
        USING ERRCODE = 'object_not_in_prerequisite_state',
              HINT = 'Run the script from the top, and have it stop at the first error.';
    END IF;
    EXECUTE format('SELECT min(i.indexrelid::regclass::text)::regclass FROM %s.uuid_migration_tables($1, $2) AS m
                    JOIN pg_index AS i ON i.indrelid = m.member AND m.attnum = ANY (i.indkey)
                    WHERE NOT i.indisvalid', uuidx)
    INTO bad_index USING relation, shadow;
    IF bad_index IS NOT NULL THEN
        RAISE EXCEPTION 'index % is not built', bad_index
        USING ERRCODE = 'object_not_in_prerequisite_state',
              HINT = 'Run the script from the top, and have it stop at the first error.';
    END IF;
END
$$;
COMMENT ON FUNCTION uuid_migration_check_shadow(regclass, name) IS
'an error unless a shadow column is filled and its indexes are built';

-- --- Indexes and statistics of the shadow columns ---

CREATE FUNCTION uuid_migration_index_column(index oid, n integer, moved smallint[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT concat(
        CASE WHEN i.indkey[n - 1] = ANY (moved) THEN quote_ident(uuid_migration_shadow(a.attname))
             ELSE pg_get_indexdef(index, n, false) END,
        ' COLLATE ' || nullif(nullif(i.indcollation[n - 1], 0), a.attcollation)::regcollation,
        ' ' || o.opclass,
        ' (' || uuid_migration_options(k.attoptions) || ')',
        CASE i.indoption[n - 1] & 3 WHEN 1 THEN ' DESC NULLS LAST' WHEN 2 THEN ' NULLS FIRST' WHEN 3 THEN ' DESC' END)
    FROM pg_index AS i
    JOIN pg_attribute AS k ON k.attrelid = index AND k.attnum = n
    LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[n - 1]
    LEFT JOIN LATERAL (
        SELECT format('%s.%I', c.opcnamespace::regnamespace, c.opcname) FROM pg_opclass AS c
        WHERE n <= i.indnkeyatts AND c.oid = i.indclass[n - 1] AND NOT (c.opcdefault AND c.opcintype = k.atttypid)
    ) AS o (opclass) ON true
    WHERE i.indexrelid = index
);
COMMENT ON FUNCTION uuid_migration_index_column(oid, integer, smallint[]) IS
'the n-th column of an index, as CREATE INDEX has it, but the shadow column of one that moves';

CREATE FUNCTION uuid_migration_index_definition(index oid, moved smallint[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT concat('CREATE ', CASE WHEN i.indisunique THEN 'UNIQUE ' END, 'INDEX ',
                  CASE c.relkind WHEN 'i' THEN 'CONCURRENTLY ' END,
                  format('IF NOT EXISTS %I ON %s USING %I', uuid_migration_shadow(c.relname), i.indrelid::regclass, m.amname),
                  ' (' || string_agg(k.definition, ', ' ORDER BY k.n) FILTER (WHERE k.n <= i.indnkeyatts) || ')',
                  ' INCLUDE (' || string_agg(k.definition, ', ' ORDER BY k.n) FILTER (WHERE k.n > i.indnkeyatts) || ')',
                  -- There is no such column in PostgreSQL 14.
                  CASE WHEN to_jsonb(i) ->> 'indnullsnotdistinct' = 'true' THEN ' NULLS NOT DISTINCT' END,
                  ' WITH (' || uuid_migration_options(c.reloptions) || ')',
                  ' TABLESPACE ' || quote_ident(t.spcname),
                  ' WHERE ' || pg_get_expr(i.indpred, i.indrelid))
    FROM pg_index AS i
    JOIN pg_class AS c ON c.oid = i.indexrelid
    JOIN pg_am AS m ON m.oid = c.relam
    -- Without it, default_tablespace says where.
    LEFT JOIN pg_tablespace AS t
        ON t.oid = coalesce(nullif(c.reltablespace, 0), CASE WHEN current_setting('default_tablespace') <> '' THEN
                                (SELECT d.dattablespace FROM pg_database AS d WHERE d.datname = current_database()) END)
    CROSS JOIN LATERAL (SELECT n, uuid_migration_index_column(index, n, moved) AS definition
                        FROM generate_series(1, i.indnatts) AS n) AS k
    WHERE i.indexrelid = index
    GROUP BY i.*, i.indisunique, i.indrelid, i.indpred, c.relname, c.relkind, c.reloptions, m.amname, t.spcname
);
COMMENT ON FUNCTION uuid_migration_index_definition(oid, smallint[]) IS
'statement that creates an index as another is, on the shadow columns of those that move';

CREATE FUNCTION uuid_migration_indexes(
    relation regclass, column_name name,
    OUT root regclass, OUT member regclass, OUT level bigint, OUT schema regnamespace, OUT name name,
    OUT index regclass, OUT is_partitioned boolean, OUT definition text,
    OUT "constraint" oid, OUT constraint_type "char", OUT constraint_parent oid
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH tables AS MATERIALIZED (
        SELECT m.root, m.member, m.level, array_agg(m.attnum) AS moved
        FROM uuid_migration_moved(relation, column_name) AS m GROUP BY m.root, m.member, m.level
    )
    SELECT t.root, t.member, t.level, c.relnamespace::regnamespace, c.relname, i.indexrelid::regclass, c.relkind = 'I',
           uuid_migration_index_definition(i.indexrelid, t.moved), k.oid, k.contype, k.conparentid
    FROM tables AS t
    JOIN pg_index AS i ON i.indrelid = t.member AND i.indkey::smallint[] && t.moved
    JOIN pg_class AS c ON c.oid = i.indexrelid
    LEFT JOIN pg_constraint AS k ON k.conindid = i.indexrelid AND k.conrelid = i.indrelid AND k.contype IN ('p', 'u');
END;
COMMENT ON FUNCTION uuid_migration_indexes(regclass, name) IS
'the indexes of columns that move, the constraints that they are of, and the statements that create them on the shadow columns';

CREATE FUNCTION uuid_migration_statistics(
    relation regclass, column_name name, OUT statistics oid, OUT schema regnamespace, OUT name name, OUT definition text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH tables AS MATERIALIZED (
        SELECT m.member, array_agg(m.attnum) AS moved
        FROM uuid_migration_moved(relation, column_name) AS m GROUP BY m.member
    )
    SELECT s.oid, s.stxnamespace::regnamespace, s.stxname,
           format('CREATE STATISTICS IF NOT EXISTS %s.%I%s ON %s FROM %s',
                  s.stxnamespace::regnamespace, uuid_migration_shadow(s.stxname), ' (' || kinds.list || ')',
                  concat_ws(', ', columns.list, expressions.list), t.member)
    FROM tables AS t JOIN pg_statistic_ext AS s ON s.stxrelid = t.member AND s.stxkeys::smallint[] && t.moved
    CROSS JOIN LATERAL (
        SELECT string_agg(CASE k WHEN 'd' THEN 'ndistinct' WHEN 'f' THEN 'dependencies' WHEN 'm' THEN 'mcv' END, ', ')
        FROM unnest(s.stxkind) AS k WHERE k <> 'e'
    ) AS kinds (list)
    CROSS JOIN LATERAL (
        SELECT string_agg(quote_ident(CASE WHEN a.attnum = ANY (t.moved) THEN uuid_migration_shadow(a.attname)
                                           ELSE a.attname END), ', ' ORDER BY a.attnum)
        FROM pg_attribute AS a WHERE a.attrelid = s.stxrelid AND a.attnum = ANY (s.stxkeys)
    ) AS columns (list)
    CROSS JOIN LATERAL (
        SELECT string_agg(format('(%s)', e), ', ') FROM unnest(pg_get_statisticsobjdef_expressions(s.oid)) AS e
    ) AS expressions (list);
END;
COMMENT ON FUNCTION uuid_migration_statistics(regclass, name) IS
'the extended statistics of columns that move, and the statements that create them on the shadow columns';

CREATE FUNCTION uuid_migration_index_steps(relation regclass, column_name name)
RETURNS TABLE (part bigint[], name text, sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH indexes AS MATERIALIZED (
        SELECT i.*, format('%s.%I', i.schema, uuid_migration_shadow(i.name)) AS shadow
        FROM uuid_migration_indexes(relation, column_name) AS i
    ),
    statistics AS MATERIALIZED (
        SELECT s.*, format('%s.%I', s.schema, uuid_migration_shadow(s.name)) AS shadow, e.stxstattarget AS target,
               obj_description(s.statistics, 'pg_statistic_ext') AS comment
        FROM uuid_migration_statistics(relation, column_name) AS s JOIN pg_statistic_ext AS e ON e.oid = s.statistics
    )
    -- A build that was interrupted leaves an index that is not valid.
    SELECT ARRAY[1::bigint], i.shadow,
           uuid_migration_call_locked(ARRAY[i.member],
               format('EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass(%L) AND NOT indisvalid)', i.shadow),
               ARRAY[format('DROP INDEX %s', i.shadow)])
    FROM indexes AS i WHERE NOT i.is_partitioned
    UNION ALL
    SELECT ARRAY[2], i.shadow, i.definition FROM indexes AS i WHERE NOT i.is_partitioned
    UNION ALL
    -- The index of a partitioned table takes in those of its partitions. A constraint that is to come
    -- could not take them in then: they are left for it.
    SELECT ARRAY[3, -i.level], i.shadow,
           uuid_migration_call_locked(ARRAY[i.member], format('to_regclass(%L) IS NULL', i.shadow), ARRAY[i.definition])
    FROM indexes AS i WHERE i.is_partitioned AND i."constraint" IS NULL
    UNION ALL
    SELECT ARRAY[4], s.shadow, s.definition FROM statistics AS s
    UNION ALL
    SELECT ARRAY[5], s.shadow, format('ALTER STATISTICS %s SET STATISTICS %s', s.shadow, s.target)
    FROM statistics AS s WHERE s.target >= 0
    UNION ALL
    SELECT ARRAY[5], s.shadow, format('COMMENT ON STATISTICS %s IS %L', s.shadow, s.comment)
    FROM statistics AS s WHERE s.comment IS NOT NULL;
END;
COMMENT ON FUNCTION uuid_migration_index_steps(regclass, name) IS
'the steps that build the indexes and statistics of the shadow columns';
-- Shadow columns take the place of the columns.

-- --- Foreign keys that are validated after the exchange ---

-- Between the exchange and their validation, only these rows tell them from those that were NOT VALID
-- before. Those of a partitioned table are kept by its partitions until then: PostgreSQL knows no NOT VALID
-- foreign keys of a partitioned table before version 18.
CREATE TABLE uuid_migration_unfinished_foreign_keys (
    relation   regclass,
    name       name,
    definition text CHECK (definition ~ '^FOREIGN KEY [^;]*$'), -- to be added; NULL: to be validated
    comment    text,
    PRIMARY KEY (relation, name)
);
COMMENT ON TABLE uuid_migration_unfinished_foreign_keys IS
'foreign keys that a migration has still to validate or to add';
CREATE TRIGGER uuid_migration_check_owner BEFORE INSERT OR UPDATE OR DELETE ON uuid_migration_unfinished_foreign_keys
    FOR EACH ROW EXECUTE FUNCTION uuid_migration_check_owner();
GRANT SELECT, INSERT, UPDATE, DELETE ON uuid_migration_unfinished_foreign_keys TO PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('uuid_migration_unfinished_foreign_keys',
    'WHERE EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = relation AND c.relpersistence <> ''t'')');

-- A foreign key of a partitioned table is those of its partitions, and itself.
CREATE FUNCTION uuid_migration_foreign_key_members(
    foreign_key oid, OUT member regclass, OUT name name, OUT is_partitioned boolean
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE members AS (
        SELECT f.oid, f.conrelid, f.confrelid, f.conname FROM pg_constraint AS f WHERE f.oid = foreign_key
        UNION ALL
        SELECT f.oid, f.conrelid, f.confrelid, f.conname
        FROM members AS m
        JOIN pg_constraint AS f ON f.conparentid = m.oid AND f.confrelid = m.confrelid AND f.conrelid <> m.conrelid
    )
    SELECT m.conrelid::regclass, m.conname, c.relkind = 'p'
    FROM members AS m JOIN pg_class AS c ON c.oid = m.conrelid
    WHERE c.relkind = 'r' OR m.oid = foreign_key;
END;
COMMENT ON FUNCTION uuid_migration_foreign_key_members(oid) IS
'the tables and partitions with rows that a foreign key is of, its name there, and the partitioned table';

CREATE FUNCTION uuid_migration_unfinished(
    relation regclass, column_name name, exchanged boolean,
    OUT referencing regclass, OUT name name, OUT definition text, OUT comment text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT m.member, m.name, CASE WHEN m.is_partitioned THEN f.definition END,
           CASE WHEN m.is_partitioned THEN f.comment END
    FROM uuid_migration_foreign_keys(relation, column_name) AS f,
         LATERAL uuid_migration_foreign_key_members(f.foreign_key) AS m
    WHERE NOT exchanged AND (f.validated OR m.is_partitioned)
    UNION
    SELECT u.relation, u.name, u.definition, u.comment
    FROM uuid_migration_unfinished_foreign_keys AS u
    WHERE uuid_migration_root(u.relation) IN (SELECT c.relation FROM uuid_migration_columns(relation, column_name) AS c);
END;
COMMENT ON FUNCTION uuid_migration_unfinished(regclass, name, boolean) IS
'the foreign keys that the exchange leaves, or has left, to be validated or added';

-- --- The exchange ---

-- The command is 'ALTER TABLE t RENAME COLUMN' or, up to the dot, the like of 'ALTER INDEX schema.'.
CREATE FUNCTION uuid_migration_exchange_names(command text, name name) RETURNS SETOF text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT format(CASE right(command, 1) WHEN '.' THEN '%s%I RENAME TO %I' ELSE '%s %I TO %I' END, command, n.old, n.new)
    FROM (SELECT uuid_migration_shadow(name), 'exchange_' || md5(name)) AS t (shadow, between),
         LATERAL (VALUES (1, name, t.between), (2, t.shadow, name), (3, t.between, t.shadow)) AS n (part, old, new)
    ORDER BY n.part;
END;
COMMENT ON FUNCTION uuid_migration_exchange_names(text, name) IS
'three statements that give a thing the name of its shadow, and the shadow that of the thing';

-- From PostgreSQL 18 on, NOT NULL is a constraint with a name.
CREATE FUNCTION uuid_migration_exchange_columns(relation regclass, column_name name, direction text)
RETURNS TABLE (part bigint[], sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH moved AS MATERIALIZED (
        SELECT m.*, pg_get_expr(d.adbin, d.adrelid) AS old_default,
               a.attnotnull AS is_not_null, r.attnotnull AND m.member <> m.root AS inherits_not_null,
               n.conname AS not_null
        FROM uuid_migration_moved(relation, column_name) AS m
        JOIN pg_attribute AS a ON a.attrelid = m.member AND a.attnum = m.attnum
        JOIN pg_attribute AS r ON r.attrelid = m.root AND r.attname = m.name
        LEFT JOIN pg_attrdef AS d ON d.adrelid = m.member AND d.adnum = m.attnum
        LEFT JOIN pg_constraint AS n ON n.conrelid = m.member AND n.contype = 'n' AND n.conkey = ARRAY[m.attnum]
    ),
    defaults AS MATERIALIZED (
        SELECT m.member, m.name, m.shadow, m.old_default, d.new_default
        FROM moved AS m
        LEFT JOIN LATERAL (SELECT * FROM uuid_migration_defaults(m.root, m.name, direction)) AS d ON d.member = m.member
        WHERE m.old_default IS NOT NULL
    )
    SELECT ARRAY[3, n.ordinality], n.statement
    FROM moved AS m,
         LATERAL uuid_migration_exchange_names(format('ALTER TABLE %s RENAME COLUMN', m.root), m.name)
             WITH ORDINALITY AS n (statement)
    WHERE m.member = m.root
    UNION ALL
    SELECT ARRAY[4], format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s, ALTER COLUMN %I DROP DEFAULT',
                            d.member, d.name, coalesce(d.new_default, d.old_default), d.shadow)
    FROM defaults AS d
    UNION ALL
    SELECT ARRAY[4], uuid_migration_note_default(d.member, d.name, direction, d.old_default)
    FROM defaults AS d WHERE d.new_default IS NOT NULL
    UNION ALL
    -- A partition may have it of itself, too.
    SELECT ARRAY[5, m.level], format('ALTER TABLE %s ALTER COLUMN %I DROP NOT NULL', m.member, m.shadow)
    FROM moved AS m WHERE m.is_not_null
    UNION ALL
    SELECT ARRAY[6], CASE WHEN m.not_null IS NULL
                          THEN format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', m.member, m.name)
                          ELSE format('ALTER TABLE %s ADD CONSTRAINT %I NOT NULL %I', m.member, m.not_null, m.name) END
    FROM moved AS m WHERE m.is_not_null AND NOT m.inherits_not_null;
END;
COMMENT ON FUNCTION uuid_migration_exchange_columns(regclass, name, text) IS
'statements that give shadow columns the names, defaults and NOT NULL of the columns, and these the names of the shadow columns';

-- ALTER TABLE ... RENAME COLUMN leaves the columns of indexes alone, and \d shows their names.
CREATE FUNCTION uuid_migration_rename_index_columns(index regclass) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    rename text;
BEGIN
    FOR rename IN
        SELECT DISTINCT ON (a.attname) format('ALTER TABLE %s RENAME COLUMN %I TO %I', index, k.attname, a.attname)
        FROM pg_index AS i
        JOIN pg_attribute AS k ON k.attrelid = i.indexrelid
        JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k.attnum - 1]
        WHERE i.indexrelid = index
          AND NOT EXISTS (SELECT FROM pg_attribute AS o WHERE o.attrelid = index AND o.attname = a.attname)
        ORDER BY a.attname, k.attnum
    LOOP
        EXECUTE rename;
    END LOOP;
END
$$;
COMMENT ON FUNCTION uuid_migration_rename_index_columns(regclass) IS
'gives the columns of an index the names of those of its table';

CREATE FUNCTION uuid_migration_exchange_indexes(relation regclass, column_name name)
RETURNS TABLE (part bigint[], sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH indexes AS MATERIALIZED (
        SELECT i.*, n.indisclustered, n.indisreplident, obj_description(i.index, 'pg_class') AS comment,
               obj_description(i."constraint", 'pg_constraint') AS constraint_comment
        FROM uuid_migration_indexes(relation, column_name) AS i JOIN pg_index AS n ON n.indexrelid = i.index
    )
    SELECT ARRAY[2::bigint], format('ALTER TABLE %s DROP CONSTRAINT %I', i.member, i.name)
    FROM indexes AS i WHERE i.constraint_parent = 0
    UNION ALL
    -- The columns of a replica identity cannot be anything but NOT NULL.
    SELECT ARRAY[2], format('ALTER TABLE ONLY %s REPLICA IDENTITY NOTHING', i.member)
    FROM indexes AS i WHERE i.indisreplident
    UNION ALL
    SELECT ARRAY[7, n.ordinality], n.statement
    FROM indexes AS i,
         LATERAL uuid_migration_exchange_names(format('ALTER INDEX %s.', i.schema), i.name) WITH ORDINALITY AS n (statement)
    WHERE i."constraint" IS NULL
    UNION ALL
    -- The constraint of a partitioned table takes in those of its partitions.
    SELECT ARRAY[8, -i.level], format('ALTER TABLE %s ADD CONSTRAINT %I ', i.member, i.name)
        || CASE WHEN i.is_partitioned THEN pg_get_constraintdef(i."constraint")
                ELSE format('%s USING INDEX %I', CASE i.constraint_type WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END,
                            uuid_migration_shadow(i.name)) END
    FROM indexes AS i WHERE i."constraint" IS NOT NULL
    UNION ALL
    -- That of a partitioned table renames those of its partitions.
    SELECT ARRAY[9, i.level],
           format('SELECT %s(%L)', 'uuid_migration_rename_index_columns(regclass)'::regprocedure::regproc, i.index)
    FROM indexes AS i
    UNION ALL
    SELECT ARRAY[9], format('ALTER TABLE %s CLUSTER ON %I', i.member, i.name) FROM indexes AS i WHERE i.indisclustered
    UNION ALL
    SELECT ARRAY[9], format('ALTER TABLE ONLY %s REPLICA IDENTITY USING INDEX %I', i.member, i.name)
    FROM indexes AS i WHERE i.indisreplident
    UNION ALL
    SELECT ARRAY[9], format('ALTER INDEX %s ALTER COLUMN %s SET STATISTICS %s', i.index, a.attnum, a.attstattarget)
    FROM indexes AS i JOIN pg_attribute AS a ON a.attrelid = i.index WHERE a.attstattarget >= 0
    UNION ALL
    SELECT ARRAY[12], format('COMMENT ON CONSTRAINT %I ON %s IS %L', i.name, i.member, i.constraint_comment)
    FROM indexes AS i WHERE i.constraint_comment IS NOT NULL
    UNION ALL
    SELECT ARRAY[12], format('COMMENT ON INDEX %s IS %L', i.index, i.comment)
    FROM indexes AS i WHERE i.comment IS NOT NULL
    UNION ALL
    SELECT ARRAY[7, n.ordinality], n.statement
    FROM uuid_migration_statistics(relation, column_name) AS s,
         LATERAL uuid_migration_exchange_names(format('ALTER STATISTICS %s.', s.schema), s.name)
             WITH ORDINALITY AS n (statement);
END;
COMMENT ON FUNCTION uuid_migration_exchange_indexes(regclass, name) IS
'statements that put the indexes and statistics of the shadow columns in the place of those of the columns';

CREATE FUNCTION uuid_migration_exchange_foreign_keys(relation regclass, column_name name)
RETURNS TABLE (part bigint[], sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH foreign_keys AS MATERIALIZED (SELECT * FROM uuid_migration_foreign_keys(relation, column_name))
    SELECT ARRAY[1::bigint], format('ALTER TABLE %s DROP CONSTRAINT %I', f.referencing, f.name) FROM foreign_keys AS f
    UNION ALL
    SELECT ARRAY[11], format('ALTER TABLE %s ADD CONSTRAINT %I %s%s', m.member, m.name, f.definition,
                             CASE WHEN f.validated THEN ' NOT VALID' ELSE '' END)
    FROM foreign_keys AS f, LATERAL uuid_migration_foreign_key_members(f.foreign_key) AS m WHERE NOT m.is_partitioned
    UNION ALL
    SELECT ARRAY[12], format('COMMENT ON CONSTRAINT %I ON %s IS %L', m.name, m.member, f.comment)
    FROM foreign_keys AS f, LATERAL uuid_migration_foreign_key_members(f.foreign_key) AS m
    WHERE m.member = f.referencing AND NOT m.is_partitioned AND f.comment IS NOT NULL
    UNION ALL
    SELECT ARRAY[12], format('INSERT INTO %s VALUES (%L, %L, %L, %L) ON CONFLICT DO NOTHING',
                             'uuid_migration_unfinished_foreign_keys'::regclass,
                             u.referencing, u.name, u.definition, u.comment)
    FROM uuid_migration_unfinished(relation, column_name, false) AS u;
END;
COMMENT ON FUNCTION uuid_migration_exchange_foreign_keys(regclass, name) IS
'statements that tie the columns to one another again by the foreign keys that there were, to be validated later';

-- In this order: (0) everything is ready; dropped are (1) foreign keys and (2) keys; columns get (3) their
-- names, (4) defaults and (5, 6) NOT NULL; (7) names of indexes and statistics; (8) keys and (9) what marks an
-- index; (11) foreign keys; (12) comments and notes; (13, 14) the old columns are kept from now on.
CREATE FUNCTION uuid_migration_exchange_statements(relation regclass, column_name name, direction text) RETURNS text[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH columns AS MATERIALIZED (SELECT * FROM uuid_migration_columns(relation, column_name)),
    parts (part, sql) AS (
        SELECT ARRAY[0::bigint],
               format('SELECT %s(%L, %L)', 'uuid_migration_check_shadow(regclass,name)'::regprocedure::regproc,
                      c.relation, c.column_name)
        FROM columns AS c
        UNION ALL
        SELECT * FROM uuid_migration_exchange_foreign_keys(relation, column_name)
        UNION ALL
        SELECT * FROM uuid_migration_exchange_indexes(relation, column_name)
        UNION ALL
        SELECT * FROM uuid_migration_exchange_columns(relation, column_name, direction)
        UNION ALL
        SELECT ARRAY[13], format('ALTER TABLE %s DROP CONSTRAINT %I', c.relation, uuid_migration_shadow(c.column_name))
        FROM columns AS c
        UNION ALL
        SELECT ARRAY[13], format('DROP TRIGGER %I ON %s', uuid_migration_trigger(c.column_name), c.relation)
        FROM columns AS c
        UNION ALL
        -- Whatever is written from now on, the old column is kept as far as there is a way back.
        SELECT ARRAY[14, k.ordinality], k.statement
        FROM columns AS c,
             LATERAL uuid_migration_keep(c.relation, c.column_name, uuid_migration_reverse(direction), 'kept')
                 WITH ORDINALITY AS k (statement)
    )
    SELECT array_agg(p.sql ORDER BY p.part, p.sql COLLATE "C") FROM parts AS p;
END;
COMMENT ON FUNCTION uuid_migration_exchange_statements(regclass, name, text) IS
'the statements, in order, that put the shadow columns in the place of the columns';

-- Between the writing of a script and its exchange, somebody may have made a view, an index, a partition.
CREATE FUNCTION uuid_migration_check_exchange(relation regclass, column_name name, direction text, fingerprint text) RETURNS void
LANGUAGE plpgsql STABLE STRICT
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $$
DECLARE
    uuidx text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'uuidx');
    nothing text;
    statements text[];
BEGIN
    EXECUTE format('SELECT %1$s.uuid_migration_check_obstacles($1, $2, ''online'', $3),
                           %1$s.uuid_migration_exchange_statements($1, $2, $3)', uuidx)
    INTO nothing, statements USING relation, column_name, direction;
    IF md5(statements::text) <> fingerprint THEN
        RAISE EXCEPTION 'this exchange of column "%" of table % is not the one that is needed', column_name, relation
        USING ERRCODE = 'object_not_in_prerequisite_state',
              DETAIL = 'The tables have changed since the script was written.',
              HINT = 'Write the script anew with uuid_migration_script, and run that.';
    END IF;
END
$$;
COMMENT ON FUNCTION uuid_migration_check_exchange(regclass, name, text, text) IS
'an error if something stands in the way of an exchange, or if its statements are others than when a script was written';

CREATE FUNCTION uuid_migration_exchange(relation regclass, column_name name, direction text) RETURNS text[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT format('SELECT %s(%L, %L, %L, %L)', 'uuid_migration_check_exchange(regclass,name,text,text)'::regprocedure::regproc,
                  uuid_migration_root(relation), column_name, direction, md5(s::text)) || s
    FROM uuid_migration_exchange_statements(relation, column_name, direction) AS s
);
COMMENT ON FUNCTION uuid_migration_exchange(regclass, name, text) IS
'the statements of the exchange, and before them a check that they are still the right ones';

CREATE FUNCTION uuid_migration_note_validated(relation regclass, name name) RETURNS void
LANGUAGE sql VOLATILE STRICT
BEGIN ATOMIC
    DELETE FROM uuid_migration_unfinished_foreign_keys AS u
    WHERE u.relation = uuid_migration_note_validated.relation AND u.name = uuid_migration_note_validated.name
      AND u.definition IS NULL;
END;
COMMENT ON FUNCTION uuid_migration_note_validated(regclass, name) IS
'notes that a foreign key is validated';
-- The statements that move columns while their tables serve: shadow columns are kept by triggers, filled in
-- batches and indexed, and then take the place of the columns.
--
-- Each statement sees whether it is done already, so that a script can be run again from the top. The
-- trigger of a shadow column says how far the migration is: there is none before it begins, one that
-- converts in the direction of the migration until the columns are exchanged, and one that converts back
-- from then on.

-- The updates of a backfill are like any others to the triggers that users have made.
CREATE FUNCTION uuid_migration_fired_triggers(relation regclass) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN (
    SELECT '-- It fires the triggers for UPDATE: '
           || regexp_replace(string_agg(DISTINCT quote_ident(t.tgname), ', '), '[\r\n]', ' ', 'g') || E'\n'
    FROM pg_trigger AS t
    WHERE uuid_migration_root(t.tgrelid) = relation AND NOT t.tgisinternal AND t.tgenabled <> 'D'
      AND t.tgtype & 16 <> 0 AND t.tgfoid <> 'uuid_migration_fill()'::regprocedure
);
COMMENT ON FUNCTION uuid_migration_fired_triggers(regclass) IS
'comment in SQL that names the triggers that an UPDATE of a table fires, if there are any';

CREATE FUNCTION uuid_migration_drop_shadows(relation regclass, column_name name)
RETURNS TABLE (root regclass, column_name name, statements text[])
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT c.relation, min(c.column_name),
           array_agg(format('DROP TRIGGER %I ON %s', uuid_migration_trigger(c.column_name), c.relation))
           || format('ALTER TABLE %s %s', c.relation, string_agg(format('DROP COLUMN %I', c.shadow), ', '))
           || format('DELETE FROM %s WHERE %s(relation) = %L::regclass AND to_column IN (%s)',
                     'uuid_migration_backfills'::regclass, 'uuid_migration_root(oid)'::regprocedure::regproc,
                     c.relation, string_agg(quote_literal(c.shadow), ', '))
    FROM (SELECT u.*, uuid_migration_shadow(u.column_name) AS shadow
          FROM uuid_migration_columns(relation, $2) AS u ORDER BY u.column_name) AS c
    GROUP BY c.relation;
END;
COMMENT ON FUNCTION uuid_migration_drop_shadows(regclass, name) IS
'statements that drop the shadow columns of a table';

CREATE FUNCTION uuid_migration_check_online(relation regclass, column_name name, direction text) RETURNS void
LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
    SELECT CASE WHEN uuid_migration_filling(relation, column_name) = uuid_migration_reverse(direction) THEN NULL
                ELSE uuid_migration_check(relation, column_name, uuid_migration_version(direction)) END;
END;
COMMENT ON FUNCTION uuid_migration_check_online(regclass, name, text) IS
'an error unless all UUIDs in a column can be converted, or the exchange has taken place';

CREATE FUNCTION uuid_migration_call_filling(relation regclass, column_name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
RETURN format('%s(%L, %L)', 'uuid_migration_filling(regclass,name)'::regprocedure::regproc, relation, column_name);
COMMENT ON FUNCTION uuid_migration_call_filling(regclass, name) IS
'call of uuid_migration_filling, as text';

CREATE FUNCTION uuid_migration_finish(relation regclass, column_name name, direction text, exchanged boolean)
RETURNS TABLE (part bigint[], name text, sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH unfinished AS MATERIALIZED (
        SELECT u.*, format('%s WHERE relation = %L::regclass AND name = %L',
                           'uuid_migration_unfinished_foreign_keys'::regclass, u.referencing, u.name) AS entry
        FROM uuid_migration_unfinished(relation, column_name, exchanged) AS u
    )
    SELECT ARRAY[1::bigint], u.referencing::text, format('ALTER TABLE %s VALIDATE CONSTRAINT %I', u.referencing, u.name)
    FROM unfinished AS u WHERE u.definition IS NULL
    UNION ALL
    SELECT ARRAY[2], u.referencing::text,
           uuid_migration_call_locked(ARRAY[u.referencing], format('EXISTS (SELECT FROM %s)', u.entry),
               array_remove(ARRAY[format('ALTER TABLE %s ADD CONSTRAINT %I %s', u.referencing, u.name, u.definition),
                                  format('COMMENT ON CONSTRAINT %I ON %s IS %L', u.name, u.referencing, u.comment),
                                  format('DELETE FROM %s', u.entry)],
                            format('COMMENT ON CONSTRAINT %I ON %s IS NULL', u.name, u.referencing)))
    FROM unfinished AS u WHERE u.definition IS NOT NULL
    UNION ALL
    SELECT ARRAY[3], u.referencing::text,
           format('SELECT %s(%L, %L)', 'uuid_migration_note_validated(regclass,name)'::regprocedure::regproc, u.referencing, u.name)
    FROM unfinished AS u WHERE u.definition IS NULL
    UNION ALL
    SELECT ARRAY[4], d.root::text,
           '-- ' || regexp_replace(E'When the old columns are needed no more:\n'
                          || uuid_migration_call_locked(ARRAY[d.root],
                                 format('%s = %L AND NOT EXISTS (SELECT FROM %s WHERE %s(relation) = %L::regclass)',
                                        uuid_migration_call_filling(d.root, d.column_name), uuid_migration_reverse(direction),
                                        'uuid_migration_unfinished_foreign_keys'::regclass,
                                        'uuid_migration_root(oid)'::regprocedure::regproc, d.root),
                                 d.statements),
                          '\r\n?|\n', '\&-- ', 'g')
    FROM uuid_migration_drop_shadows(relation, column_name) AS d;
END;
COMMENT ON FUNCTION uuid_migration_finish(regclass, name, text, boolean) IS
'the steps after the exchange';

CREATE FUNCTION uuid_migration_online(relation regclass, column_name name, direction text, others text)
RETURNS TABLE (step integer, sql text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH state AS MATERIALIZED (
        SELECT coalesce(uuid_migration_filling(uuid_migration_root(relation), column_name)
                        = uuid_migration_reverse(direction), false) AS exchanged
    ),
    columns AS MATERIALIZED (
        SELECT c.relation, c.column_name, uuid_migration_shadow(c.column_name) AS shadow,
               uuid_migration_call_filling(c.relation, c.column_name) AS filling,
               format('SELECT %s(%L, %L, %L)', 'uuid_migration_check_online(regclass,name,text)'::regprocedure::regproc,
                      c.relation, c.column_name, direction) AS "check"
        FROM uuid_migration_columns(relation, column_name) AS c
    ),
    before (part, name, sql) AS (
        -- Before each table is changed it is checked again: psql may go on after an error.
        SELECT ARRAY[1::bigint], c.relation::text, c."check"
        FROM columns AS c WHERE others = 'error'
        UNION ALL
        SELECT ARRAY[2], a.root::text,
               uuid_migration_call_locked(ARRAY[a.root],
                   (SELECT min(c.filling) || ' IS NULL' FROM columns AS c WHERE c.relation = a.root), a.statements,
                   (SELECT string_agg(c."check", E';\n' ORDER BY c."check" COLLATE "C") FROM columns AS c
                    WHERE c.relation = a.root AND others = 'error'))
        FROM uuid_migration_add_shadows(relation, column_name, direction, others) AS a
        UNION ALL
        SELECT ARRAY[3], c.relation::text,
               concat(uuid_migration_fired_triggers(c.relation),
                      format('CALL %s(%L, %L, %L, direction => %L, others => %L)',
                             'uuid_migration_backfill(regclass,name,name,integer,interval,text,text)'::regprocedure::regproc,
                             c.relation, c.column_name, c.shadow, direction, others))
        FROM columns AS c
        UNION ALL
        SELECT ARRAY[4], c.relation::text, format('ALTER TABLE %s VALIDATE CONSTRAINT %I', c.relation, c.shadow)
        FROM columns AS c
        UNION ALL
        SELECT 5 || i.part, i.name, i.sql FROM uuid_migration_index_steps(relation, column_name) AS i
        UNION ALL
        SELECT DISTINCT ARRAY[6::bigint], c.relation::text, format('ANALYZE %s', c.relation) FROM columns AS c
        UNION ALL
        SELECT ARRAY[7], '',
               uuid_migration_call_locked(
                   (SELECT array_agg(t.relation ORDER BY t.relation::text COLLATE "C")
                    FROM (SELECT DISTINCT c.relation FROM columns AS c) AS t),
                   format('%s = %L', uuid_migration_call_filling(uuid_migration_root(relation), column_name), direction),
                   uuid_migration_exchange(relation, column_name, direction))
    ),
    steps (part, name, sql) AS (
        SELECT b.part, b.name, b.sql FROM before AS b, state AS s WHERE NOT s.exchanged
        UNION ALL
        SELECT 8 || f.part, f.name, f.sql
        FROM state AS s, LATERAL uuid_migration_finish(relation, column_name, direction, s.exchanged) AS f
    )
    SELECT row_number() OVER (ORDER BY s.part, s.name COLLATE "C", s.sql COLLATE "C")::integer, s.sql FROM steps AS s;
END;
COMMENT ON FUNCTION uuid_migration_online(regclass, name, text, text) IS
'part of uuid_migration_script: steps that leave the tables to be read and written';
-- Everything moves to where the extension is to be; the types of tables' rows, with the tables.
DO $$
DECLARE
    schema regnamespace := (SELECT extnamespace FROM pg_extension WHERE extname = 'uuidx');
    member record;
BEGIN
    FOR member IN
        SELECT o.type, o.identity
        FROM pg_extension AS e
        JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e',
             LATERAL pg_identify_object(d.classid, d.objid, d.objsubid) AS o
        WHERE e.extname = 'uuidx' AND o.schema = 'uuidx_installation' AND o.type <> 'type'
    LOOP
        EXECUTE format('ALTER %s %s SET SCHEMA %s', member.type, member.identity, schema);
    END LOOP;
END
$$;
DROP SCHEMA uuidx_installation;
