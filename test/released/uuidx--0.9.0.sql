-- A version that never was: for a test of updates. Of its functions, one returns another type than later, one differs in
-- its declaration and comment, one is gone later and is called by another until then; and many are not there yet.

CREATE FUNCTION uuid_version(uuid) RETURNS integer
AS 'MODULE_PATHNAME', 'uuidx_version'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION uuid_time(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_time'
LANGUAGE C STABLE STRICT COST 100;
COMMENT ON FUNCTION uuid_time(uuid) IS
'another comment';

CREATE FUNCTION uuid_generate_v7() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v7'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;

CREATE FUNCTION uuid_v7_floor(tstzrange) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v7_lower'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION uuid_v7_in(id uuid, period tstzrange) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= uuid_v7_floor(period) AND uuid_version(id) = 7 AND uuid_time(id) <@ period;

-- uuid_time_ops: the order of UUIDs of all versions by the time inside them. Its functions are LEAKPROOF, as
-- those of uuid_ops are, so that an index serves queries on tables with row security.

CREATE FUNCTION uuid_time_lt(uuid, uuid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_time_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

CREATE FUNCTION uuid_time_le(uuid, uuid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_time_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

CREATE FUNCTION uuid_time_ge(uuid, uuid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_time_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

CREATE FUNCTION uuid_time_gt(uuid, uuid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_time_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

CREATE FUNCTION uuid_time_cmp(uuid, uuid) RETURNS integer
AS 'MODULE_PATHNAME', 'uuidx_time_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time_cmp(uuid, uuid) IS
'less, equal or greater in the time order: by the time inside, then by the octets; UUIDs without a time after all others';

CREATE FUNCTION uuid_time_sortsupport(internal) RETURNS void
AS 'MODULE_PATHNAME', 'uuidx_time_sortsupport'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION uuid_time_from(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_time_from'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

CREATE FUNCTION uuid_time_after(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_time_after'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

-- The operators and the operator class of uuid_time_ops.

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

CREATE FUNCTION uuid_time_lt(uuid, timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $1 <~ uuid_time_from($2);

CREATE FUNCTION uuid_time_le(uuid, timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $1 <~ uuid_time_after($2);

CREATE FUNCTION uuid_time_ge(uuid, timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $1 >=~ uuid_time_from($2);

CREATE FUNCTION uuid_time_gt(uuid, timestamptz) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $1 >=~ uuid_time_after($2);

CREATE FUNCTION uuid_time_lt(timestamptz, uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $2 >=~ uuid_time_after($1);

CREATE FUNCTION uuid_time_le(timestamptz, uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $2 >=~ uuid_time_from($1);

CREATE FUNCTION uuid_time_ge(timestamptz, uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $2 <~ uuid_time_after($1);

CREATE FUNCTION uuid_time_gt(timestamptz, uuid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $2 <~ uuid_time_from($1);

-- The operators that compare a UUID with a moment.

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
