// Bounds for range scans: as versions 6 and 7 sort by time (RFC 9562 6.11), the UUIDs of a period
// lie between a smallest and a largest one.

#pragma once

#include <optional>

#include "core/layouts.h"

namespace uuidx {

/// The smallest version 6 UUID with this timestamp (5.6).
constexpr Uuid smallest(GregorianTime timestamp) {
    return v6::make(timestamp, 0, 0);
}

/// The largest version 6 UUID with this timestamp.
constexpr Uuid largest(GregorianTime timestamp) {
    return v6::make(timestamp, v6::clock_seq.max, v6::node.max);
}

/// The smallest version 7 UUID with this timestamp (5.7).
constexpr Uuid smallest(UnixTime timestamp) {
    return v7::make(timestamp, 0);
}

/// The largest version 7 UUID with this timestamp.
constexpr Uuid largest(UnixTime timestamp) {
    const PreciseUnixTime next = timestamp + UnixTime::duration{1};
    return v7::make(next - PreciseUnixTime::duration{1}, v7::rand_b.max);
}

/// The first UUID whose timestamp, rounded down to microseconds, is `moment` or later; the Max UUID
/// if there is none. The UUID has version 6 if Time is GregorianTime, and 7 if it is UnixTime.
/// `moment` must lie within 20,000 years of 1970.
template <class Time>
constexpr Uuid first_from(Microseconds moment) {
    const Time first = first_not_before<Time>(moment);
    return first < timestamp_end<Time> ? smallest(first) : max_uuid;
}

/// The same, with a timestamp later than `moment`.
template <class Time>
constexpr Uuid first_after(Microseconds moment) {
    return first_from<Time>(moment + Microseconds::duration{1});
}

/// The UUIDs of one version from `first` to `last`, both included. UUIDs of other versions can lie
/// between them.
struct Bounds {
    Uuid first;
    Uuid last;

    friend constexpr bool operator==(const Bounds&, const Bounds&) = default;
};

/// The moments from `first` to `last`, both included; empty if `last` is before `first`.
struct Moments {
    Microseconds first;
    Microseconds last;
};

/// The smallest and the largest UUID whose timestamp, rounded down to microseconds, lies in
/// `moments`; nullopt if there is none. The UUIDs have version 6 if Time is GregorianTime, and 7 if
/// it is UnixTime.
template <class Time>
constexpr std::optional<Bounds> bounds_of(Moments moments) {
    const Time first = first_not_before<Time>(moments.first);
    const Time end = first_not_before<Time>(moments.last + Microseconds::duration{1});
    if (first >= end)
        return std::nullopt;
    return Bounds{smallest(first), largest(end - typename Time::duration{1})};
}

}  // namespace uuidx

#include "core/no_postgres.h"
