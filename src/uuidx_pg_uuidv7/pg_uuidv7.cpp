// The functions of pg_uuidv7, in the extension uuidx_pg_uuidv7. Their timestamps without time zone
// are in UTC, and so have the same value as a timestamptz.

#include "core/bounds.h"
#include "uuidx/order/generators.h"

#include "server/shim.h"

namespace uuidx::pg {

/// uuid_v7_to_timestamptz(uuid) returns timestamptz, uuid_v7_to_timestamp(uuid) returns timestamp:
/// the first 48 bits of any UUID as milliseconds since 1970.
UUIDX_FUNCTION(uuidx_v7_to_timestamptz) {
    return datum(to_microseconds(v7::timestamp(getarg_uuid(fcinfo, 0))));
}

/// uuid_timestamptz_to_v7(timestamptz, zero boolean), uuid_timestamp_to_v7(timestamp, zero boolean)
/// return uuid: version 7 for that millisecond (RFC 9562 5.7), with rand_a and rand_b random,
/// except for the server's number, or, if zero is true, zero. 22008 for a time that version 7
/// cannot hold; pg_uuidv7 wraps around. 22023 if the number cannot be used.
UUIDX_FUNCTION(uuidx_timestamptz_to_v7) {
    const auto precise = timestamp_at<PreciseUnixTime>(PG_GETARG_TIMESTAMPTZ(0));
    const auto millisecond = std::chrono::floor<UnixTime::duration>(precise);
    if (PG_GETARG_BOOL(1))
        return datum(smallest(millisecond));
    const auto rand_a = PreciseUnixTime::duration{random_bits() & v7::rand_a.max};
    return datum(v7_at(millisecond + rand_a));
}

}  // namespace uuidx::pg
