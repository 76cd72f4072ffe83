// Orders UUIDs of all versions by the time in them. Compared octet by octet, version 1 does not
// sort by time, and versions 6 and 7 count from different epochs (RFC 9562 6.11).

#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>

#include "core/bounds.h"
#include "core/convert.h"
#include "core/layouts.h"

namespace uuidx {

/// A number that sorts like the time order, except for ties. For version 1, 6 or 7, it is the
/// timestamp in 100 ns since 1582, which takes 62 bits. For any other UUID, it is greater: a one,
/// then the first 63 bits.
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

/// The time order: by the time in the UUID, then by octets; UUIDs without a time come last.
constexpr std::strong_ordering compare_by_time(const Uuid& a, const Uuid& b) {
    if (const auto order = time_key(a) <=> time_key(b); order != 0)
        return order;
    return a <=> b;
}

/// The first UUID without a time, in time order.
inline constexpr Uuid first_without_time = nil_uuid;

/// The first UUID, in time order, whose time is `moment` or later, or which has no time. To compare
/// a UUID with a moment, compare it with such a UUID: moments are whole microseconds, and none lies
/// between two UUIDs of the same microsecond. `moment` must lie within 20,000 years of 1970.
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

/// The first and the last UUID, in time order, of those whose time, rounded down to microseconds,
/// lies in `moments`; nullopt if no UUID has such a time.
constexpr std::optional<Bounds> bounds_by_time(Moments moments) {
    constexpr auto before = [](const Uuid& a, const Uuid& b) { return compare_by_time(a, b) < 0; };
    const auto v6 = bounds_of<GregorianTime>(moments);
    const auto v7 = bounds_of<UnixTime>(moments);
    if (!v6)
        return v7;
    Bounds bounds{std::min(v6->first, *v6_to_v1(v6->first), before),
                  std::max(v6->last, *v6_to_v1(v6->last), before)};
    if (v7)
        bounds = {std::min(bounds.first, v7->first, before),
                  std::max(bounds.last, v7->last, before)};
    return bounds;
}

}  // namespace uuidx

#include "core/no_postgres.h"
