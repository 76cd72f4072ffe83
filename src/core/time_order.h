// The order of UUIDs of all versions by the time inside them. Octet by octet, version 1 does not
// sort by time, and versions 6 and 7 count from different epochs (RFC 9562 6.11).

#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

#include "core/layouts.h"

namespace uuidx {

/// The order of these keys is the time order, but for ties.
///
/// The key of a version 1, 6 or 7 UUID is its timestamp in 100 ns since 1582, which takes 62 bits.
/// That of any other UUID is greater: a one, then its first 63 bits.
constexpr std::uint64_t time_key(const Uuid& uuid) {
    switch (version(uuid).value_or(0)) {
        case 1:
            return timestamp_bits(v1::timestamp(uuid));
        case 6:
            return timestamp_bits(v6::timestamp(uuid));
        case 7:
            return timestamp_bits(
                GregorianTime{v7::timestamp(uuid) - timestamp_epoch<GregorianTime>});
        default:
            return std::uint64_t{1} << 63 | uuid.word(0) >> 1;
    }
}

/// The time order: by the time inside, then by the octets.
constexpr std::strong_ordering compare_by_time(const Uuid& a, const Uuid& b) {
    if (const auto order = time_key(a) <=> time_key(b); order != 0)
        return order;
    return a <=> b;
}

/// The least UUID, in the time order, that has no time.
inline constexpr Uuid first_without_time = nil_uuid;

/// The least UUID, in the time order, that was made at `moment` or later, to the microsecond, or
/// that has no time. Between any two UUIDs of one microsecond there is no moment: every comparison
/// of a UUID with a moment can be had by comparing it with such a UUID. `moment` is within 20,000
/// years of 1970.
constexpr Uuid first_by_time(Microseconds moment) {
    constexpr auto before = [](const Uuid& a, const Uuid& b) { return compare_by_time(a, b) < 0; };
    const auto ticks = first_not_before<GregorianTime>(moment);
    const auto milliseconds = first_not_before<UnixTime>(moment);
    Uuid first = first_without_time;
    if (ticks < timestamp_end<GregorianTime>)
        first = std::min({first, v1::make(ticks, 0, 0), v6::make(ticks, 0, 0)}, before);
    if (milliseconds < timestamp_end<UnixTime>)
        first = std::min(first, v7::make(milliseconds, 0), before);
    return first;
}

}  // namespace uuidx

#include "core/no_postgres.h"
