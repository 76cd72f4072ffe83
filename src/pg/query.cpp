// Asking for UUIDs by the time of their creation.

#include "core/bounds.h"

#include "pg/pg.h"
#include "pg/range_error.h"

namespace uuidx::pg {

namespace {

/// The bounds of the moment that is the function's argument, or an error.
template <class Time>
Bounds bounds_of_moment(FunctionCallInfo fcinfo) {
    const TimestampTz time = PG_GETARG_TIMESTAMPTZ(0);
    const auto since_1970 = moment(time);
    const auto found = since_1970 ? bounds_of<Time>(*since_1970) : std::nullopt;
    if (!found)
        report_out_of_range(time, version_of<Time>);
    return *found;
}

/// The moments of a range that is not empty, as a closed interval: timestamptz is discrete, in
/// microseconds. A bound that is infinite, in one way or the other, is beyond all UUIDs.
Moments moments(const RangeBound& lower, const RangeBound& upper) {
    const auto first = clamped_moment(lower.infinite ? DT_NOBEGIN : DatumGetTimestampTz(lower.val));
    const auto last = clamped_moment(upper.infinite ? DT_NOEND : DatumGetTimestampTz(upper.val));
    const std::chrono::microseconds next{1};
    return {lower.inclusive ? first : first + next, upper.inclusive ? last : last - next};
}

/// The bounds of the range that is the function's argument. Those of a range without any UUID match
/// nothing: the first is greater than the last.
template <class Time>
Bounds bounds_of_range(FunctionCallInfo fcinfo) {
    constexpr Bounds nothing{max, nil};
    RangeType* const range = PG_GETARG_RANGE_P(0);
    RangeBound lower;
    RangeBound upper;
    bool empty;
    range_deserialize(range_get_typcache(fcinfo, RangeTypeGetOid(range)), range, &lower, &upper,
                      &empty);
    if (empty)
        return nothing;
    return bounds_of<Time>(moments(lower, upper)).value_or(nothing);
}

}  // namespace

/// uuid_v7_floor(timestamptz), uuid_v7_ceil(timestamptz) return uuid: the smallest and the largest
/// version 7 UUID of that millisecond (RFC 9562 5.7, 6.11). 22008 for a moment that version 7
/// cannot hold.
UUIDX_FUNCTION(uuidx_v7_floor) {
    return datum(bounds_of_moment<UnixTime>(fcinfo).first);
}
UUIDX_FUNCTION(uuidx_v7_ceil) {
    return datum(bounds_of_moment<UnixTime>(fcinfo).last);
}

/// uuid_v7_floor(tstzrange), uuid_v7_ceil(tstzrange) return uuid: the smallest and the largest
/// version 7 UUID whose time lies in the range; the Max and the Nil UUID where there is none.
UUIDX_FUNCTION(uuidx_v7_floor_range) {
    return datum(bounds_of_range<UnixTime>(fcinfo).first);
}
UUIDX_FUNCTION(uuidx_v7_ceil_range) {
    return datum(bounds_of_range<UnixTime>(fcinfo).last);
}

/// uuid_v6_floor(timestamptz), uuid_v6_ceil(timestamptz) return uuid: the smallest and the largest
/// version 6 UUID of that microsecond (RFC 9562 5.6, 6.11). 22008 for a moment that version 6
/// cannot hold.
UUIDX_FUNCTION(uuidx_v6_floor) {
    return datum(bounds_of_moment<GregorianTime>(fcinfo).first);
}
UUIDX_FUNCTION(uuidx_v6_ceil) {
    return datum(bounds_of_moment<GregorianTime>(fcinfo).last);
}

/// uuid_v6_floor(tstzrange), uuid_v6_ceil(tstzrange) return uuid: as of version 7.
UUIDX_FUNCTION(uuidx_v6_floor_range) {
    return datum(bounds_of_range<GregorianTime>(fcinfo).first);
}
UUIDX_FUNCTION(uuidx_v6_ceil_range) {
    return datum(bounds_of_range<GregorianTime>(fcinfo).last);
}

/// uuid_v7_in_recheck(uuid), uuid_v6_in_recheck(uuid) return boolean: whether the UUID is of that
/// version, which the bounds leave open.
UUIDX_FUNCTION(uuidx_v7_in_recheck) {
    return datum(is_version(getarg_uuid(fcinfo, 0), 7));
}
UUIDX_FUNCTION(uuidx_v6_in_recheck) {
    return datum(is_version(getarg_uuid(fcinfo, 0), 6));
}

/// Planner support of both. They stand beside the bounds of a version, between which there is
/// hardly a UUID of another one (random ones spread over 8900 years): the estimate is that of the
/// bounds, which comes from the column's statistics.
UUIDX_FUNCTION(uuidx_in_recheck_support) {
    auto* const request = reinterpret_cast<Node*>(PG_GETARG_POINTER(0));
    if (!IsA(request, SupportRequestSelectivity))
        return Datum{0};
    reinterpret_cast<SupportRequestSelectivity*>(request)->selectivity = 1;
    PG_RETURN_POINTER(request);
}

}  // namespace uuidx::pg
