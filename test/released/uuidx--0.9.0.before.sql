-- The comparisons of a UUID with a moment.
DROP OPERATOR <~ (uuid, timestamptz), <=~ (uuid, timestamptz), >=~ (uuid, timestamptz), >~ (uuid, timestamptz),
    <~ (timestamptz, uuid), <=~ (timestamptz, uuid), >=~ (timestamptz, uuid), >~ (timestamptz, uuid);
DROP FUNCTION uuid_time_lt(uuid, timestamptz), uuid_time_le(uuid, timestamptz), uuid_time_ge(uuid, timestamptz),
    uuid_time_gt(uuid, timestamptz), uuid_time_lt(timestamptz, uuid), uuid_time_le(timestamptz, uuid),
    uuid_time_ge(timestamptz, uuid), uuid_time_gt(timestamptz, uuid);
-- It has more columns now.
DROP FUNCTION uuid_generator_state(integer);
