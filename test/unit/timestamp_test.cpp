// RFC 9562 section 6.1: the timestamps and their limits.

#include "core/timestamp.h"

#include <gtest/gtest.h>

#include "samples.h"

namespace uuidx {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

constexpr std::uint64_t bits(unsigned n) {
    return (std::uint64_t{1} << n) - 1;
}

TEST(GregorianTime, BeginsInOctober1582) {
    EXPECT_EQ(to_microseconds(gregorian_time(0)), sys_days{1582y / October / 15});
    // The constant in every implementation of version 1: 1970 in 100 ns since 1582.
    EXPECT_EQ(to_microseconds(gregorian_time(0x01B21DD213814000)), sys_days{1970y / January / 1});
}

TEST(GregorianTime, EndsInMarch5236) {
    EXPECT_EQ(to_microseconds(gregorian_time(bits(60))),
              sys_days{5236y / March / 31} + 21h + 21min + 684'697us);
}

TEST(GregorianTime, RoundsDownBeforeAndAfter1970) {
    EXPECT_EQ(to_microseconds(gregorian_time(19)), sys_days{1582y / October / 15} + 1us);
    EXPECT_EQ(to_microseconds(gregorian_time(0x01B21DD213814000 - 1)),
              sys_days{1970y / January / 1} - 1us);
    EXPECT_EQ(to_microseconds(gregorian_time(0x01B21DD213814000 + 9)),
              sys_days{1970y / January / 1});
}

TEST(GregorianTime, RoundsTheClockDown) {
    EXPECT_EQ(timestamp_bits(from_clock<GregorianTime>({0, 0}).value()), 0x01B21DD213814000u);
    EXPECT_EQ(timestamp_bits(from_clock<GregorianTime>({0, 999'999'999}).value()),
              0x01B21DD213814000u + 9'999'999);
    EXPECT_EQ(from_clock<GregorianTime>({-12'219'292'800, 199}).value(), gregorian_time(1));
}

TEST(ClockReading, IsRejectedIfAUuidCannotHoldIt) {
    EXPECT_EQ(from_clock<GregorianTime>({-12'219'292'801, 999'999'999}), std::nullopt);
    EXPECT_EQ(from_clock<GregorianTime>({103'072'857'660, 684'697'500}), gregorian_time(bits(60)));
    EXPECT_EQ(from_clock<GregorianTime>({103'072'857'660, 684'697'600}), std::nullopt);
    EXPECT_EQ(from_clock<PreciseUnixTime>({-1, 999'999'999}), std::nullopt);
    EXPECT_EQ(from_clock<PreciseUnixTime>({281'474'976'710, 656'000'000}), std::nullopt);
    // Here the product with the ticks of a second would overflow.
    for (const std::int64_t seconds :
         {std::int64_t{950'000'000'000}, std::int64_t{1} << 52, std::int64_t{1} << 62}) {
        EXPECT_EQ(from_clock<GregorianTime>({seconds, 0}), std::nullopt);
        EXPECT_EQ(from_clock<GregorianTime>({-seconds, 0}), std::nullopt);
        EXPECT_EQ(from_clock<PreciseUnixTime>({seconds, 0}), std::nullopt);
        EXPECT_EQ(from_clock<PreciseUnixTime>({-seconds, 0}), std::nullopt);
    }
}

TEST(GregorianTime, AcceptsEveryMomentThatItCanHold) {
    constexpr Microseconds first = sys_days{1582y / October / 15};
    constexpr Microseconds last = sys_days{5236y / March / 31} + 21h + 21min + 684'697us;
    EXPECT_EQ(from_microseconds<GregorianTime>(first - 1us), std::nullopt);
    EXPECT_EQ(from_microseconds<GregorianTime>(first), gregorian_time(0));
    EXPECT_EQ(from_microseconds<GregorianTime>(last), gregorian_time(bits(60) / 10 * 10));
    EXPECT_EQ(from_microseconds<GregorianTime>(last + 1us), std::nullopt);
}

TEST(PreciseUnixTime, AcceptsEveryMomentThatItCanHold) {
    constexpr Microseconds first = sys_days{1970y / January / 1};
    constexpr Microseconds last = sys_days{10889y / August / 2} + 5h + 31min + 50s + 655ms + 999us;
    EXPECT_EQ(from_microseconds<PreciseUnixTime>(first - 1us), std::nullopt);
    EXPECT_EQ(from_microseconds<PreciseUnixTime>(first), precise_unix_time(0));
    EXPECT_EQ(to_microseconds(from_microseconds<PreciseUnixTime>(last).value()), last);
    EXPECT_EQ(from_microseconds<PreciseUnixTime>(last + 1us), std::nullopt);
}

TEST(PreciseUnixTime, CountsDurationsIn4096ths) {
    EXPECT_EQ(in_4096ths(1ms).count(), 4096);
    EXPECT_EQ(in_4096ths(-1ms).count(), -4096);
    EXPECT_EQ(in_4096ths(1us).count(), 4);
    EXPECT_EQ(in_4096ths(-1us).count(), -5) << "rounded down";
    EXPECT_EQ(in_4096ths(milliseconds{bits(48)}).count(),
              static_cast<std::int64_t>(bits(48)) * 4096);
}

TEST(UnixTime, EndsInAugust10889) {
    EXPECT_EQ(to_microseconds(unix_time(0)), sys_days{1970y / January / 1});
    EXPECT_EQ(to_microseconds(unix_time(bits(48))),
              sys_days{10889y / August / 2} + 5h + 31min + 50s + 655ms);
}

TEST(PreciseUnixTime, MatchesTheExampleOfMethod3) {
    const auto time = from_clock<PreciseUnixTime>({1'672'576'496, 123'456'700}).value();
    EXPECT_EQ(floor<milliseconds>(time), sys_days{2023y / January / 1} + 12h + 34min + 56s + 123ms);
    EXPECT_EQ((time - floor<milliseconds>(time)).count(), 1870);
}

TEST(PreciseUnixTime, RoundsTheClockDown) {
    for (std::int64_t ns = 0; ns < 1'000'000; ++ns) {
        const auto fraction =
            from_clock<PreciseUnixTime>({0, 41'000'000 + ns}).value() - unix_time(41);
        EXPECT_EQ(fraction.count(), ns * 4096 / 1'000'000);
    }
    EXPECT_EQ(timestamp_bits(from_clock<PreciseUnixTime>({0, 999'999'999}).value()),
              1000u * 4096 - 1);
    EXPECT_EQ(timestamp_bits(from_clock<PreciseUnixTime>({281'474'976'710, 655'999'999}).value()),
              bits(60));
}

TEST(PreciseUnixTime, ReadsBackEachMicrosecond) {
    const int step = sample_count(7, 1);
    constexpr Microseconds second{1'672'576'496s};
    for (std::int64_t us = 0; us < 1'000'000; us += step) {
        const Microseconds moment = second + microseconds{us};
        EXPECT_EQ(to_microseconds(from_clock<PreciseUnixTime>({1'672'576'496, us * 1000}).value()),
                  moment);
        EXPECT_EQ(to_microseconds(from_microseconds<PreciseUnixTime>(moment).value()), moment);
    }
}

TEST(PreciseUnixTime, StaysInItsMillisecondAndNeverRunsBack) {
    Microseconds before = unix_time(5);
    for (std::uint64_t fraction = 0; fraction < 4096; ++fraction) {
        const Microseconds time = to_microseconds(precise_unix_time(5 * 4096 + fraction));
        EXPECT_GE(time, before);
        EXPECT_EQ(floor<milliseconds>(time), unix_time(5));
        before = time;
    }
}

TEST(UnixTime10ns, EndsInMay2335) {
    EXPECT_EQ(to_microseconds(timestamp_end<UnixTime10ns>),
              sys_days{2335y / May / 7} + 23h + 44min + 6s + 68469us);
}

TEST(UnixTime10ns, AcceptsEveryMomentThatItCanHold) {
    const Microseconds last = to_microseconds(timestamp_end<UnixTime10ns>);
    EXPECT_EQ(from_microseconds<UnixTime10ns>(Microseconds{}), unix_time_10ns(0));
    EXPECT_EQ(from_microseconds<UnixTime10ns>(Microseconds{1us}), unix_time_10ns(100));
    EXPECT_EQ(to_microseconds(from_microseconds<UnixTime10ns>(last).value()), last);
    EXPECT_EQ(from_microseconds<UnixTime10ns>(Microseconds{-1us}), std::nullopt);
    EXPECT_EQ(from_microseconds<UnixTime10ns>(last + 1us), std::nullopt);
    EXPECT_EQ(from_microseconds<UnixTime10ns>(Microseconds{years{18'000}}), std::nullopt);
    EXPECT_EQ(to_microseconds(unix_time_10ns(199)), Microseconds{1us});
}

}  // namespace
}  // namespace uuidx
