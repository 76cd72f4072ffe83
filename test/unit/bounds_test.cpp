// RFC 9562 section 6.11: the smallest and the largest UUID of a stretch of time.

#include "core/bounds.h"

#include <gtest/gtest.h>

#include "core/inspect.h"
#include "core/text.h"
#include "samples.h"

namespace uuidx {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

constexpr Microseconds gregorian_epoch = sys_days{1582y / October / 15};
constexpr Microseconds gregorian_last = sys_days{5236y / March / 31} + 21h + 21min + 684'697us;
constexpr Microseconds unix_epoch{};
constexpr Microseconds unix_last = sys_days{10889y / August / 2} + 5h + 31min + 50s + 655ms;

TEST(BoundsOfMoment, AreThoseOfItsMillisecondInVersion7) {
    constexpr Bounds expected{parse("017f22e2-79b0-7000-8000-000000000000"),
                              parse("017f22e2-79b0-7fff-bfff-ffffffffffff")};
    constexpr Microseconds vector = sys_days{2022y / February / 22} + 19h + 22min + 22s;
    EXPECT_EQ(bounds_of<UnixTime>(vector), expected);
    EXPECT_EQ(bounds_of<UnixTime>(vector + 999us), expected);
    EXPECT_NE(bounds_of<UnixTime>(vector - 1us), expected);
    EXPECT_NE(bounds_of<UnixTime>(vector + 1000us), expected);
}

TEST(BoundsOfMoment, AreThoseOfItsMicrosecondInVersion6) {
    constexpr Bounds expected{parse("1ec9414c-232a-6b00-8000-000000000000"),
                              parse("1ec9414c-232a-6b09-bfff-ffffffffffff")};
    constexpr Microseconds vector = sys_days{2022y / February / 22} + 19h + 22min + 22s;
    EXPECT_EQ(bounds_of<GregorianTime>(vector), expected);
    EXPECT_NE(bounds_of<GregorianTime>(vector - 1us), expected);
    EXPECT_NE(bounds_of<GregorianTime>(vector + 1us), expected);
}

TEST(BoundsOfMoment, EndWhereTheTimestampEnds) {
    EXPECT_EQ(bounds_of<UnixTime>(unix_epoch - 1us), std::nullopt);
    EXPECT_EQ(bounds_of<UnixTime>(unix_epoch)->first,
              parse("00000000-0000-7000-8000-000000000000"));
    EXPECT_EQ(bounds_of<UnixTime>(unix_last + 999us)->last,
              parse("ffffffff-ffff-7fff-bfff-ffffffffffff"));
    EXPECT_EQ(bounds_of<UnixTime>(unix_last + 1000us), std::nullopt);

    EXPECT_EQ(bounds_of<GregorianTime>(gregorian_epoch - 1us), std::nullopt);
    EXPECT_EQ(bounds_of<GregorianTime>(gregorian_epoch)->first,
              parse("00000000-0000-6000-8000-000000000000"));
    EXPECT_EQ(bounds_of<GregorianTime>(gregorian_last)->last,
              parse("ffffffff-ffff-6fff-bfff-ffffffffffff"));
    EXPECT_EQ(bounds_of<GregorianTime>(gregorian_last + 1us), std::nullopt);
}

TEST(BoundsOfMoments, BetweenTwoMillisecondsThereIsNone) {
    constexpr Microseconds second = unix_epoch + 1s;
    EXPECT_EQ(bounds_of<UnixTime>({second + 1us, second + 999us}), std::nullopt);
    EXPECT_EQ(bounds_of<UnixTime>({second + 1us, second + 1000us}),
              bounds_of<UnixTime>(second + 1ms));
    EXPECT_EQ(bounds_of<UnixTime>({second, second + 999us}), bounds_of<UnixTime>(second));
}

TEST(BoundsOfMoments, AreNoneOfAnEmptyRange) {
    EXPECT_EQ(bounds_of<UnixTime>({unix_epoch + 1us, unix_epoch}), std::nullopt);
    EXPECT_EQ(bounds_of<GregorianTime>({unix_epoch + 1us, unix_epoch}), std::nullopt);
}

TEST(BoundsOfMoments, AreClampedToWhatTheTimestampHolds) {
    constexpr Microseconds far_before = unix_epoch - 6'000'000 * days{1};
    constexpr Microseconds far_after = unix_epoch + 6'000'000 * days{1};
    EXPECT_EQ(
        bounds_of<UnixTime>({far_before, far_after}),
        (Bounds{bounds_of<UnixTime>(unix_epoch)->first, bounds_of<UnixTime>(unix_last)->last}));
    EXPECT_EQ(bounds_of<UnixTime>({far_before, unix_epoch - 1us}), std::nullopt);
    EXPECT_EQ(bounds_of<UnixTime>({unix_last + 1us, far_after}), std::nullopt);
    EXPECT_EQ(bounds_of<GregorianTime>({far_before, far_after}),
              (Bounds{bounds_of<GregorianTime>(gregorian_epoch)->first,
                      bounds_of<GregorianTime>(gregorian_last)->last}));
    EXPECT_EQ(bounds_of<GregorianTime>({far_before, gregorian_epoch - 1us}), std::nullopt);
    EXPECT_EQ(bounds_of<GregorianTime>({gregorian_last + 1us, far_after}), std::nullopt);
}

/// Of each UUID of the version it is so that it lies within the bounds if, and only if, its time,
/// read in microseconds, lies in the range; tried next to the edges.
template <class Time>
void expect_membership(unsigned number) {
    Samples samples;
    for (int i = 0; i < 20'000; ++i) {
        const Uuid uuid = samples.of_version(number);
        const Microseconds time = *timestamp(uuid);
        const auto near = [&](std::uint64_t random) {
            constexpr int offsets[] = {0, 0, 1, 9, 10, 999, 1000, 1001, 1'000'000};
            const int offset = offsets[random / 2 % std::size(offsets)];
            return time + microseconds{random % 2 ? offset : -offset};
        };
        const Moments moments{near(samples.number()), near(samples.number())};
        const auto found = bounds_of<Time>(moments);
        const bool within = found && found->first <= uuid && uuid <= found->last;
        EXPECT_EQ(within, moments.first <= time && time <= moments.last);
        if (found) {
            EXPECT_TRUE(is_version(found->first, number));
            EXPECT_TRUE(is_version(found->last, number));
        }
    }
}

TEST(BoundsOfMoments, HoldAUuidIfItsTimeIsInTheRange) {
    expect_membership<GregorianTime>(6);
    expect_membership<UnixTime>(7);
}

}  // namespace
}  // namespace uuidx
