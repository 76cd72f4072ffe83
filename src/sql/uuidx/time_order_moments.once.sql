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
