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
'UUIDs of all versions by the time inside them, then by their bytes; those without a time after all others';
