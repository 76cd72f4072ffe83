\echo Use "CREATE EXTENSION uuidx" to load this file. \quit
-- A superuser runs the script of a trusted extension, and other users may have created functions and operators in the
-- extension's schema. Whatever search_path says, a call would be bound for ever to one that matches it better than
-- PostgreSQL's own. So the script works in a private schema with a random name, which nobody can have created before.
DO $$
DECLARE
    private pg_catalog.text := pg_catalog.concat('uuidx_', pg_catalog.replace(pg_catalog.gen_random_uuid()::pg_catalog.text, '-', ''));
BEGIN
    EXECUTE pg_catalog.concat('CREATE SCHEMA ', private);
    PERFORM pg_catalog.set_config('search_path', pg_catalog.concat(private, ', pg_catalog, pg_temp'), true);
END
$$;
-- For what is parsed while the script runs. The server parsed the script itself before that, so a literal with a
-- backslash must begin with E.
SET LOCAL standard_conforming_strings = on;
-- Read the fields of a UUID.

CREATE OR REPLACE FUNCTION uuid_version(uuid) RETURNS smallint
AS 'MODULE_PATHNAME', 'uuidx_version'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_version(uuid) IS
'version of a UUID; NULL unless its variant is RFC 9562''s';

CREATE OR REPLACE FUNCTION uuid_variant(uuid) RETURNS text
AS 'MODULE_PATHNAME', 'uuidx_variant'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_variant(uuid) IS
'variant of a UUID: ncs, rfc9562, microsoft or future';

-- PostgreSQL 17 and newer have this function in pg_catalog, where an unqualified call finds it first; up to
-- PostgreSQL 19 it returns NULL for version 6. No server has a function uuid_time.
CREATE OR REPLACE FUNCTION uuid_extract_timestamp(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_time'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_extract_timestamp(uuid) IS
'creation time of a version 1, 6 or 7 UUID; NULL for any other. Prefer uuid_time: since PostgreSQL 17, pg_catalog has a function of this name';

CREATE OR REPLACE FUNCTION uuid_time(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_time'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_time(uuid) IS
'creation time of a version 1, 6 or 7 UUID; NULL for any other';

CREATE OR REPLACE FUNCTION uuid_v7_time_us(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_v7_time_us'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_time_us(uuid) IS
'creation time of a version 7 UUID to the microsecond, if its generator stores a fraction of the millisecond; NULL for any other version';

CREATE OR REPLACE FUNCTION uuid_v8_time(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_v8_time'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v8_time(uuid) IS
'creation time of a version 8 UUID with the layout of RFC 9562 B.1; NULL for any other version';

CREATE OR REPLACE FUNCTION uuid_draft01_time(uuid) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'uuidx_draft01_time'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_draft01_time(uuid) IS
'creation time of a version 7 UUID with the layout of draft-peabody-dispatch-new-uuid-format-01; NULL for any other version';

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
-- Generate UUIDs.

CREATE OR REPLACE FUNCTION uuid_generate_v7() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v7'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v7() IS
'new version 7 UUID, greater than every one before it in this session';

CREATE OR REPLACE FUNCTION uuid_generate_v7(shift interval) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v7_shift'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v7(interval) IS
'new version 7 UUID with its timestamp shifted by an interval';

CREATE OR REPLACE FUNCTION uuid_generate_v7_at(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v7_at'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v7_at(timestamptz) IS
'new version 7 UUID for a moment, to the microsecond; the other bits are random';

CREATE OR REPLACE FUNCTION uuid_v7_of(created timestamptz, id uuid) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v7_of'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_of(timestamptz, uuid) IS
'version 7 UUID for a moment and another UUID; the same arguments always give the same UUID';

CREATE OR REPLACE FUNCTION uuid_v7_of_name(created timestamptz, name text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v7_of_name'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_of_name(timestamptz, text) IS
'version 7 UUID for a moment and a name; the same arguments always give the same UUID';

CREATE OR REPLACE FUNCTION uuid_generate_v7_batch_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'uuidx_generate_v7_batch_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v7_batch_support(internal) IS
'planner support for uuid_generate_v7_batch: number of rows';

CREATE OR REPLACE FUNCTION uuid_generate_v7_batch(count integer) RETURNS SETOF uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v7_batch'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE
SUPPORT uuid_generate_v7_batch_support;
COMMENT ON FUNCTION uuid_generate_v7_batch(integer) IS
'the given number of new version 7 UUIDs, in increasing order';

CREATE OR REPLACE FUNCTION uuid_generate_v6() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v6'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v6() IS
'new version 6 UUID, greater than every one before it in this session';

CREATE OR REPLACE FUNCTION uuid_generate_v6_at(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v6_at'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v6_at(timestamptz) IS
'new version 6 UUID for a moment, with a random clock sequence and node';

-- PARALLEL RESTRICTED: a parallel worker would return the state of its own generator, not the session's.
CREATE OR REPLACE FUNCTION uuid_generator_state(
    version integer DEFAULT 7,
    OUT method text,
    OUT last_timestamp timestamptz,
    OUT ahead_of_clock interval,
    OUT generated bigint
)
AS 'MODULE_PATHNAME', 'uuidx_generator_state'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION uuid_generator_state(integer) IS
'state of this session''s generator of version 7, or of versions 1 and 6: method, last timestamp, how far that is ahead of the clock, and number of UUIDs generated';

CREATE OR REPLACE FUNCTION uuid_generate_v8(namespace uuid, name text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v8_name'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v8(uuid, text) IS
'version 8 UUID from the SHA-256 hash of a name in a namespace';

CREATE OR REPLACE FUNCTION uuid_generate_v8(custom bytea) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v8_custom'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v8(bytea) IS
'version 8 UUID from 16 octets, with version and variant set';

CREATE OR REPLACE FUNCTION uuid_generate_v8_at(timestamptz) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_generate_v8_at'
LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_generate_v8_at(timestamptz) IS
'new version 8 UUID for a moment, with the layout of RFC 9562 B.1; the other bits are random';

CREATE OR REPLACE FUNCTION uuid_max() RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_max'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_max() IS
'the Max UUID: all bits are one';
-- Convert UUIDs from one version to another.

CREATE OR REPLACE FUNCTION uuid_v1_to_v6(uuid) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v1_to_v6'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v1_to_v6(uuid) IS
'version 6 UUID with the timestamp, clock sequence and node of a version 1 UUID';

CREATE OR REPLACE FUNCTION uuid_v6_to_v1(uuid) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v6_to_v1'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v6_to_v1(uuid) IS
'version 1 UUID with the timestamp, clock sequence and node of a version 6 UUID';
-- Encode UUIDs as text other than hex-and-dash.

CREATE OR REPLACE FUNCTION uuid_encode(id uuid, format text) RETURNS text
AS 'MODULE_PATHNAME', 'uuidx_encode'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_encode(uuid, text) IS
'encode a UUID as text in a format: urn, ulid, base32hex, base58 or base64url';

CREATE OR REPLACE FUNCTION uuid_decode(value text, format text) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_decode'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_decode(text, text) IS
'decode a UUID from text in a format: urn, ulid, base32hex, base58 or base64url';
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
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v7_lower(tstzrange) IS
'smallest version 7 UUID whose creation time is in a range';

CREATE OR REPLACE FUNCTION uuid_v7_upper(tstzrange) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v7_upper'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
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
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v6_lower(tstzrange) IS
'smallest version 6 UUID whose creation time is in a range';

CREATE OR REPLACE FUNCTION uuid_v6_upper(tstzrange) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_v6_upper'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_v6_upper(tstzrange) IS
'largest version 6 UUID whose creation time is in a range';

-- UUIDs of other versions can lie between the bounds, so uuid_v7_in and uuid_v6_in also check the version. The planner
-- takes this check for true, and estimates the bounds alone.

CREATE OR REPLACE FUNCTION uuid_in_recheck_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'uuidx_in_recheck_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_in_recheck_support(internal) IS
'planner support for uuid_v7_in and uuid_v6_in: the estimate comes from the bounds';

CREATE OR REPLACE FUNCTION uuid_v7_in_recheck(uuid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_v7_in_recheck'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT uuid_in_recheck_support;
COMMENT ON FUNCTION uuid_v7_in_recheck(uuid) IS
'part of uuid_v7_in: whether a UUID between the bounds has version 7';

CREATE OR REPLACE FUNCTION uuid_v6_in_recheck(uuid) RETURNS boolean
AS 'MODULE_PATHNAME', 'uuidx_v6_in_recheck'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE
SUPPORT uuid_in_recheck_support;
COMMENT ON FUNCTION uuid_v6_in_recheck(uuid) IS
'part of uuid_v6_in: whether a UUID between the bounds has version 6';

-- Not STRICT: the planner inlines a strict function only if its body is strict, and AND is not.

CREATE OR REPLACE FUNCTION uuid_v7_in(id uuid, period tstzrange) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= uuid_v7_lower(period) AND id <= uuid_v7_upper(period) AND uuid_v7_in_recheck(id);
COMMENT ON FUNCTION uuid_v7_in(uuid, tstzrange) IS
'whether a UUID has version 7 and its creation time is in a range; an ordinary index on the column serves it';

CREATE OR REPLACE FUNCTION uuid_v6_in(id uuid, period tstzrange) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= uuid_v6_lower(period) AND id <= uuid_v6_upper(period) AND uuid_v6_in_recheck(id);
COMMENT ON FUNCTION uuid_v6_in(uuid, tstzrange) IS
'whether a UUID has version 6 and its creation time is in a range; an ordinary index on the column serves it';
-- The aggregates min(uuid) and max(uuid), which PostgreSQL has from version 20 on. With a sort operator, an index can
-- answer them.

CREATE OR REPLACE FUNCTION uuid_smaller(uuid, uuid) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_smaller'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_smaller(uuid, uuid) IS
'smaller of two';

CREATE OR REPLACE FUNCTION uuid_larger(uuid, uuid) RETURNS uuid
AS 'MODULE_PATHNAME', 'uuidx_larger'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuid_larger(uuid, uuid) IS
'larger of two';

CREATE OR REPLACE AGGREGATE min(uuid) (
    SFUNC = uuid_smaller, STYPE = uuid, COMBINEFUNC = uuid_smaller, SORTOP = <, PARALLEL = SAFE
);
COMMENT ON AGGREGATE min(uuid) IS
'smallest of all non-null input values';

CREATE OR REPLACE AGGREGATE max(uuid) (
    SFUNC = uuid_larger, STYPE = uuid, COMBINEFUNC = uuid_larger, SORTOP = >, PARALLEL = SAFE
);
COMMENT ON AGGREGATE max(uuid) IS
'largest of all non-null input values';
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
'less-equal-greater in time order: by the time in the UUIDs, then by octets; UUIDs without a time come last';

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
-- The operator class uuid_time_ops and its operators.

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
-- Operators that compare a UUID with a moment.

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
-- If the schema already has functions of these names, report all of them and their extensions.
DO $$
DECLARE
    target regnamespace := (SELECT extnamespace FROM pg_extension WHERE extname = 'uuidx');
    taken text := (
        SELECT string_agg(t.functions || coalesce(' of extension "' || t.extname || '"', ''), '; ' ORDER BY t.extname)
        FROM (SELECT e.extname, string_agg(format('%s(%s)', there.proname, oidvectortypes(there.proargtypes)), ', '
                                           ORDER BY there.proname, there.proargtypes) AS functions
              FROM pg_proc AS made
              JOIN pg_proc AS there ON (there.proname, there.proargtypes) = (made.proname, made.proargtypes)
              LEFT JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = there.oid
                                      AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
              LEFT JOIN pg_extension AS e ON e.oid = d.refobjid
              WHERE made.pronamespace = current_schema()::regnamespace AND there.pronamespace = target
              GROUP BY e.extname) AS t);
BEGIN
    IF taken IS NOT NULL THEN
        RAISE EXCEPTION 'schema "%" already has functions that extension "uuidx" would create',
            (SELECT nspname FROM pg_namespace WHERE oid = target)
            USING ERRCODE = 'duplicate_function', DETAIL = format('The schema has %s.', taken),
                  HINT = 'Give the extension a schema of its own: CREATE SCHEMA uuidx; CREATE EXTENSION uuidx SCHEMA uuidx; '
                         'docs/changing-over.md shows how to replace another extension with this one.';
    END IF;
END
$$;

-- Move everything to the extension's schema. The row type of a table and an array type move with
-- what they are of.
DO $$
DECLARE
    private regnamespace := current_schema()::regnamespace;
    target regnamespace := (SELECT extnamespace FROM pg_extension WHERE extname = 'uuidx');
    member record;
BEGIN
    FOR member IN
        SELECT d.classid, d.objid
        FROM pg_extension AS e
        JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e',
             LATERAL pg_identify_object(d.classid, d.objid, d.objsubid) AS o
        WHERE e.extname = 'uuidx' AND o.schema = private::text
          AND (d.classid <> 'pg_type'::regclass
               OR EXISTS (SELECT FROM pg_type AS t JOIN pg_class AS c ON c.oid = t.typrelid WHERE t.oid = d.objid AND c.relkind = 'c'))
    LOOP
        -- A type that has moved changes the identity of functions that take it.
        EXECUTE (SELECT format('ALTER %s %s SET SCHEMA %s', o.type, o.identity, target) FROM pg_identify_object(member.classid, member.objid, 0) AS o);
    END LOOP;
    EXECUTE format('DROP SCHEMA %s', private);
END
$$;
