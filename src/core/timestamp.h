// The timestamps of UUIDs: RFC 9562 section 6.1. Each unit is a type of its own, so that a count of
// 100 ns since 1582 cannot be passed as milliseconds since 1970.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <ratio>
#include <type_traits>

namespace uuidx {

/// The timestamp that a UUID stores as these bits.
template <class Time>
constexpr Time from_timestamp_bits(std::uint64_t bits) {
    return Time{typename Time::duration{static_cast<std::int64_t>(bits)}};
}

/// The bits that a UUID stores for `time`.
template <class Time>
constexpr std::uint64_t timestamp_bits(Time time) {
    return static_cast<std::uint64_t>(time.time_since_epoch().count());
}

// --- The Gregorian timestamp of versions 1 and 6 ---

/// A clock that only names the epoch 1582-10-15 00:00:00 UTC, the date of the Gregorian reform.
/// Nothing reads it.
struct GregorianClock {
    using rep = std::int64_t;
    using period = std::ratio<1, 10'000'000>;
    using duration = std::chrono::duration<rep, period>;
    using time_point = std::chrono::time_point<GregorianClock>;

    static constexpr std::chrono::sys_days epoch{std::chrono::year_month_day{
        std::chrono::year{1582}, std::chrono::October, std::chrono::day{15}}};
};

/// 100 ns since 1582-10-15 00:00:00 UTC: 60 bits in a UUID, up to 5236-03-31.
using GregorianTime = GregorianClock::time_point;

constexpr GregorianTime gregorian_time(std::uint64_t bits) {
    return from_timestamp_bits<GregorianTime>(bits);
}

// --- The Unix Epoch timestamp of version 7 ---

/// Milliseconds since 1970-01-01 00:00:00 UTC: 48 bits in a UUID, up to 10889-08-02.
using UnixTime = std::chrono::sys_time<std::chrono::milliseconds>;

constexpr UnixTime unix_time(std::uint64_t bits) {
    return from_timestamp_bits<UnixTime>(bits);
}

/// The same with 12 more bits of precision (RFC 9562 6.2 method 3): 1/4096 ms since 1970-01-01
/// 00:00:00 UTC, 60 bits in a UUID.
using PreciseUnixTime =
    std::chrono::sys_time<std::chrono::duration<std::int64_t, std::ratio<1, 4096 * 1000>>>;

constexpr PreciseUnixTime precise_unix_time(std::uint64_t bits) {
    return from_timestamp_bits<PreciseUnixTime>(bits);
}

// --- The timestamp of the time-based example of version 8 (appendix B.1) ---

/// 10 ns since 1970-01-01 00:00:00 UTC: 60 bits in a UUID, up to 2335-05-07.
using UnixTime10ns =
    std::chrono::sys_time<std::chrono::duration<std::int64_t, std::ratio<1, 100'000'000>>>;

constexpr UnixTime10ns unix_time_10ns(std::uint64_t bits) {
    return from_timestamp_bits<UnixTime10ns>(bits);
}

// --- From a clock ---

/// Seconds since 1970-01-01 00:00:00 UTC, and 0 to 999,999,999 nanoseconds. A single 64-bit count
/// of nanoseconds would end in the year 2262.
struct ClockReading {
    std::int64_t seconds;
    std::int64_t nanoseconds;
};

/// `time`; nullopt if it does not fit into the 60 bits of a UUID's timestamp.
template <class Time>
constexpr std::optional<Time> in_60_bits(Time time) {
    if (timestamp_bits(time) >> 60 != 0)
        return std::nullopt;
    return time;
}

/// The timestamp of a clock reading, rounded down; nullopt if a UUID cannot hold it.
template <class Time>
constexpr std::optional<Time> from_clock(ClockReading reading) {
    constexpr std::int64_t far = 900'000'000'000;  // 28,500 years in seconds
    if (reading.seconds < -far || reading.seconds > far)
        return std::nullopt;
    const std::chrono::seconds seconds{reading.seconds};
    if constexpr (std::is_same_v<Time, GregorianTime>)
        return in_60_bits(GregorianTime{seconds - GregorianClock::epoch.time_since_epoch() +
                                        GregorianTime::duration{reading.nanoseconds / 100}});
    else  // method 3 of section 6.2
        return in_60_bits(PreciseUnixTime{
            seconds + PreciseUnixTime::duration{reading.nanoseconds * 4096 / 1'000'000}});
}

// --- From and to microseconds ---

/// Microseconds since 1970-01-01 00:00:00 UTC, negative before: the resolution of timestamptz.
using Microseconds = std::chrono::sys_time<std::chrono::microseconds>;

/// Rounds down: the cast truncates a count that is never negative.
constexpr Microseconds to_microseconds(GregorianTime time) {
    return GregorianClock::epoch +
           std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch());
}

constexpr Microseconds to_microseconds(UnixTime time) {
    return time;
}

constexpr Microseconds to_microseconds(UnixTime10ns time) {
    return std::chrono::floor<std::chrono::microseconds>(time);
}

/// Method 3 rounds down, so a precise timestamp stands for an interval of 244 ns. This returns the
/// last whole microsecond before the end of that interval, so that a microsecond that was written
/// into a UUID is read back unchanged.
constexpr Microseconds to_microseconds(PreciseUnixTime time) {
    const auto whole = std::chrono::floor<std::chrono::milliseconds>(time);
    const auto end_of_interval = (time - whole).count() + 1;
    return whole + std::chrono::microseconds{(end_of_interval * 1000 - 1) / 4096};
}

/// A duration of up to 70,000 years in 1/4096 ms, rounded down as in method 3. Converts whole
/// milliseconds separately, because the product of all microseconds and 4096 could overflow.
constexpr PreciseUnixTime::duration in_4096ths(std::chrono::microseconds duration) {
    const auto whole = std::chrono::floor<std::chrono::milliseconds>(duration);
    return whole + PreciseUnixTime::duration{(duration - whole).count() * 4096 / 1000};
}

/// The epoch of a UUID's timestamp.
template <class Time>
inline constexpr Microseconds timestamp_epoch{};
template <>
inline constexpr Microseconds timestamp_epoch<GregorianTime> = GregorianClock::epoch;

/// One past the last timestamp that a UUID can hold: in 5236, 10889 and 2335.
template <class Time>
inline constexpr Time timestamp_end{};
template <>
inline constexpr GregorianTime timestamp_end<GregorianTime> = gregorian_time(std::uint64_t{1}
                                                                             << 60);
template <>
inline constexpr UnixTime timestamp_end<UnixTime> = unix_time(std::uint64_t{1} << 48);
template <>
inline constexpr UnixTime10ns timestamp_end<UnixTime10ns> = unix_time_10ns(std::uint64_t{1} << 60);

/// The timestamp for a moment; nullopt if a UUID cannot hold it.
template <class Time>
constexpr std::optional<Time> from_microseconds(Microseconds moment);

/// From 1582-10-15 to 5236-03-31.
template <>
constexpr std::optional<GregorianTime> from_microseconds(Microseconds moment) {
    constexpr GregorianTime last = timestamp_end<GregorianTime> - GregorianTime::duration{1};
    if (moment < timestamp_epoch<GregorianTime> || moment > to_microseconds(last))
        return std::nullopt;
    return GregorianTime{moment - timestamp_epoch<GregorianTime>};
}

/// From 1970-01-01 to 10889-08-02.
template <>
constexpr std::optional<PreciseUnixTime> from_microseconds(Microseconds moment) {
    if (moment < timestamp_epoch<UnixTime> || moment >= timestamp_end<UnixTime>)
        return std::nullopt;
    return PreciseUnixTime{in_4096ths(moment.time_since_epoch())};
}

/// From 1970-01-01 to 2335-05-07.
template <>
constexpr std::optional<UnixTime10ns> from_microseconds(Microseconds moment) {
    constexpr UnixTime10ns last = timestamp_end<UnixTime10ns> - UnixTime10ns::duration{1};
    if (moment < timestamp_epoch<UnixTime10ns> || moment > to_microseconds(last))
        return std::nullopt;
    return UnixTime10ns{moment};
}

/// The first timestamp that, rounded down to microseconds, is `moment` or later;
/// timestamp_end<Time> if there is none. `moment` must lie within 20,000 years of 1970.
template <class Time>
constexpr Time first_not_before(Microseconds moment) {
    const auto since_epoch = std::max(moment, timestamp_epoch<Time>) - timestamp_epoch<Time>;
    return std::min(Time{std::chrono::ceil<typename Time::duration>(since_epoch)},
                    timestamp_end<Time>);
}

}  // namespace uuidx

#include "core/no_postgres.h"
