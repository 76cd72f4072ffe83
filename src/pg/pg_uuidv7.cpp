// The functions of pg_uuidv7, for the extension uuidx_pg_uuidv7. A timestamp there is in UTC, and
// so the same number as a timestamptz.

#include "core/bounds.h"
#include "pg/generators.h"

#include "pg/shim.h"

namespace uuidx::pg {

/// uuid_v7_to_timestamptz(uuid) returns timestamptz, uuid_v7_to_timestamp(uuid) returns timestamp:
/// the first 48 bits as milliseconds, of a UUID of any version.
UUIDX_FUNCTION(uuidx_v7_to_timestamptz) {
    return datum(to_microseconds(v7::timestamp(getarg_uuid(fcinfo, 0))));
}

/// uuid_timestamptz_to_v7(timestamptz, zero boolean), uuid_timestamp_to_v7(timestamp, zero boolean)
/// return uuid: version 7 of that millisecond (RFC 9562 5.7), rand_a and rand_b random or, with
/// zero, zero. 22008 for a moment that version 7 cannot hold, where pg_uuidv7 wraps around.
UUIDX_FUNCTION(uuidx_timestamptz_to_v7) {
    const auto precise = timestamp_at<PreciseUnixTime>(PG_GETARG_TIMESTAMPTZ(0));
    const auto millisecond = std::chrono::floor<UnixTime::duration>(precise);
    if (PG_GETARG_BOOL(1))
        return datum(smallest(millisecond));
    const auto rand_a = PreciseUnixTime::duration{random_bits() & v7::rand_a.max};
    return datum(v7::make(millisecond + rand_a, random_bits()));
}

}  // namespace uuidx::pg
