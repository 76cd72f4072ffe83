// Bounds for querying UUIDs by creation time.

#include "core/bounds.h"

#include "core/time_order.h"
#include "server/shim.h"

extern "C" {
#include "utils/rangetypes.h"
}

namespace uuidx::pg {

namespace {

/// The moments in a non-empty range, as a closed interval of microseconds. An infinite bound
/// becomes a moment beyond all UUIDs.
Moments moments(const RangeBound& lower, const RangeBound& upper) {
    const auto first = clamped_moment(lower.infinite ? DT_NOBEGIN : DatumGetTimestampTz(lower.val));
    const auto last = clamped_moment(upper.infinite ? DT_NOEND : DatumGetTimestampTz(upper.val));
    const std::chrono::microseconds next{1};
    return {lower.inclusive ? first : first + next, upper.inclusive ? last : last - next};
}

/// The bounds that `bounds_of_moments` gives for the range in the function's argument. If no UUID
/// is in the range, they match nothing: the first is greater than the last.
Bounds bounds_of_range(FunctionCallInfo fcinfo,
                       std::optional<Bounds> (*bounds_of_moments)(Moments)) {
    constexpr Bounds nothing{max_uuid, nil_uuid};
    RangeType* const range = PG_GETARG_RANGE_P(0);
    RangeBound lower;
    RangeBound upper;
    bool empty;
    range_deserialize(range_get_typcache(fcinfo, RangeTypeGetOid(range)), range, &lower, &upper,
                      &empty);
    if (empty)
        return nothing;
    return bounds_of_moments(moments(lower, upper)).value_or(nothing);
}

/// The bound of the first moment that a call was made with.
struct FirstBound {
    TimestampTz time;
    pg_uuid_t uuid;
};

/// `bound` for the moment in the function's argument. In a sequential scan, a bound such as
/// uuid_v7_from(now()) is called for each row with the same moment, so the call keeps the first
/// one's bound. It keeps no other, because the result of an earlier call must not change.
template <Uuid (*bound)(Microseconds)>
Datum bound_of_moment(FunctionCallInfo fcinfo) {
    const TimestampTz time = PG_GETARG_TIMESTAMPTZ(0);
    auto*& first = reinterpret_cast<FirstBound*&>(fcinfo->flinfo->fn_extra);
    if (first != nullptr && first->time == time)
        return UUIDPGetDatum(&first->uuid);
    const Uuid uuid = bound(clamped_moment(time));
    if (first != nullptr)
        return datum(uuid);
    auto* const kept =
        static_cast<FirstBound*>(MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(FirstBound)));
    kept->time = time;
    memcpy(kept->uuid.data, uuid.octets.data(), Uuid::size);
    first = kept;
    return UUIDPGetDatum(&first->uuid);
}

/// The first UUID, in the order of uuid_time_ops, later than `moment`.
constexpr Uuid first_after_by_time(Microseconds moment) {
    return first_by_time(moment + std::chrono::microseconds{1});
}

}  // namespace

/// uuid_v7_from(timestamptz), uuid_v7_after(timestamptz) return uuid: the first version 7 UUID at
/// or after that time, and the first after it (RFC 9562 5.7, 6.11). They raise no error: before
/// 1970, they return the first version 7 UUID, and after 10889 the Max UUID.
UUIDX_FUNCTION(uuidx_v7_from) {
    return bound_of_moment<first_from<UnixTime>>(fcinfo);
}
UUIDX_FUNCTION(uuidx_v7_after) {
    return bound_of_moment<first_after<UnixTime>>(fcinfo);
}

/// uuid_v7_lower(tstzrange), uuid_v7_upper(tstzrange) return uuid: the smallest and the largest
/// version 7 UUID whose timestamp is in the range; the Max and the Nil UUID if there is none.
UUIDX_FUNCTION(uuidx_v7_lower) {
    return datum(bounds_of_range(fcinfo, bounds_of<UnixTime>).first);
}
UUIDX_FUNCTION(uuidx_v7_upper) {
    return datum(bounds_of_range(fcinfo, bounds_of<UnixTime>).last);
}

/// uuid_v6_from(timestamptz), uuid_v6_after(timestamptz) return uuid: the same for version 6
/// (RFC 9562 5.6), which holds 1582 to 5236.
UUIDX_FUNCTION(uuidx_v6_from) {
    return bound_of_moment<first_from<GregorianTime>>(fcinfo);
}
UUIDX_FUNCTION(uuidx_v6_after) {
    return bound_of_moment<first_after<GregorianTime>>(fcinfo);
}

/// uuid_v6_lower(tstzrange), uuid_v6_upper(tstzrange) return uuid: the same for version 6.
UUIDX_FUNCTION(uuidx_v6_lower) {
    return datum(bounds_of_range(fcinfo, bounds_of<GregorianTime>).first);
}
UUIDX_FUNCTION(uuidx_v6_upper) {
    return datum(bounds_of_range(fcinfo, bounds_of<GregorianTime>).last);
}

/// uuid_time_from(timestamptz), uuid_time_after(timestamptz) return uuid: the first UUID, in the
/// order of uuid_time_ops, at or after that time, and the first after it; if there is none, the
/// first without a time.
UUIDX_FUNCTION(uuidx_time_from) {
    return bound_of_moment<first_by_time>(fcinfo);
}
UUIDX_FUNCTION(uuidx_time_after) {
    return bound_of_moment<first_after_by_time>(fcinfo);
}

/// uuid_time_lower(tstzrange), uuid_time_upper(tstzrange) return uuid: the first and the last UUID,
/// in that order, whose time is in the range; the Max and the Nil UUID if there is none.
UUIDX_FUNCTION(uuidx_time_lower) {
    return datum(bounds_of_range(fcinfo, bounds_by_time).first);
}
UUIDX_FUNCTION(uuidx_time_upper) {
    return datum(bounds_of_range(fcinfo, bounds_by_time).last);
}

/// uuid_timestamptz(date), uuid_timestamptz(timestamp) return timestamptz: a cast that raises no
/// error; its result is infinite if no timestamptz is that early or late.
UUIDX_FUNCTION(uuidx_timestamptz_of_date) {
    PG_RETURN_TIMESTAMPTZ(clamped_timestamptz(PG_GETARG_DATEADT(0)));
}
UUIDX_FUNCTION(uuidx_timestamptz_of_timestamp) {
    PG_RETURN_TIMESTAMPTZ(clamped_timestamptz(PG_GETARG_TIMESTAMP(0)));
}

/// uuid_v1_or_v7_recheck(uuid) returns boolean: whether the UUID has one of the versions that the
/// server's uuid_extract_timestamp() reads.
UUIDX_FUNCTION(uuidx_v1_or_v7_recheck) {
    const Uuid uuid = getarg_uuid(fcinfo, 0);
    return datum(is_version(uuid, 1) || is_version(uuid, 7));
}

}  // namespace uuidx::pg
