// The smallest and the largest UUID of a stretch of time, for comparing with the bare column:
// version 6 and 7 UUIDs sort by time as octets (RFC 9562 6.11).

#pragma once

#include <chrono>
#include <optional>
#include <ratio>
#include <type_traits>

#include "core/layouts.h"

namespace uuidx {

/// The UUIDs of one version from `first` to `last`, both included. Between them may also be UUIDs
/// of other versions.
struct Bounds {
    Uuid first;
    Uuid last;

    friend constexpr bool operator==(const Bounds&, const Bounds&) = default;
};

/// The moments from `first` to `last`, both included; none where `last` is before `first`.
struct Moments {
    Microseconds first;
    Microseconds last;
};

/// The smallest and the largest version 6 UUID of the timestamps from `first` to `last` (5.6).
constexpr Bounds bounds(GregorianTime first, GregorianTime last) {
    return {v6::make(first, 0, 0), v6::make(last, v6::clock_seq.max, v6::node.max)};
}

/// The smallest and the largest version 7 UUID of the timestamps from `first` to `last` (5.7).
constexpr Bounds bounds(UnixTime first, UnixTime last) {
    const PreciseUnixTime end_of_last = last + UnixTime::duration{1};
    return {v7::make(first, 0),
            v7::make(end_of_last - PreciseUnixTime::duration{1}, v7::rand_b.max)};
}

/// The smallest and the largest UUID, of version 6 for GregorianTime and 7 for UnixTime, whose
/// timestamp, read in microseconds, lies in `moments`; none if there is no such UUID.
template <class Time>
constexpr std::optional<Bounds> bounds_of(Moments moments) {
    const Time first = first_not_before<Time>(moments.first);
    const Time end = first_not_before<Time>(moments.last + Microseconds::duration{1});
    if (first >= end)
        return std::nullopt;
    return bounds(first, end - typename Time::duration{1});
}

/// The same of a single moment: of its microsecond in version 6, of its millisecond in version 7.
template <class Time>
constexpr std::optional<Bounds> bounds_of(Microseconds moment) {
    using namespace std::chrono;
    using Unit = std::conditional_t<std::ratio_less_v<typename Time::period, std::micro>,
                                    microseconds, typename Time::duration>;
    const auto first = floor<Unit>(moment);
    return bounds_of<Time>(Moments{first, first});
}

}  // namespace uuidx

#include "core/no_postgres.h"
