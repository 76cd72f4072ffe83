// RFC 9562 section 6.11: bounds for range scans.

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

constexpr Microseconds vector_moment = sys_days{2022y / February / 22} + 19h + 22min + 22s;

TEST(FirstUuid, RoundsUpToTheMillisecondInVersion7) {
    constexpr Uuid of_vector = parse("017f22e2-79b0-7000-8000-000000000000");
    constexpr Uuid of_next = parse("017f22e2-79b1-7000-8000-000000000000");
    EXPECT_EQ(first_from<UnixTime>(vector_moment), of_vector);
    EXPECT_EQ(first_from<UnixTime>(vector_moment - 999us), of_vector);
    EXPECT_EQ(first_from<UnixTime>(vector_moment + 1us), of_next);
    EXPECT_EQ(first_after<UnixTime>(vector_moment), of_next);
    EXPECT_EQ(first_after<UnixTime>(vector_moment - 1us), of_vector);
}

TEST(FirstUuid, IsExactToTheMicrosecondInVersion6) {
    constexpr Uuid of_vector = parse("1ec9414c-232a-6b00-8000-000000000000");
    constexpr Uuid of_next = parse("1ec9414c-232a-6b0a-8000-000000000000");
    EXPECT_EQ(first_from<GregorianTime>(vector_moment), of_vector);
    EXPECT_EQ(first_from<GregorianTime>(vector_moment + 1us), of_next);
    EXPECT_EQ(first_after<GregorianTime>(vector_moment), of_next);
}

TEST(FirstUuid, IsClampedToTheFirstAndTheMaxUuid) {
    constexpr Uuid first_v7 = parse("00000000-0000-7000-8000-000000000000");
    constexpr Uuid first_v6 = parse("00000000-0000-6000-8000-000000000000");
    EXPECT_EQ(first_from<UnixTime>(unix_epoch - 6'000'000 * days{1}), first_v7);
    EXPECT_EQ(first_after<UnixTime>(unix_epoch - 1us), first_v7);
    EXPECT_EQ(first_from<UnixTime>(unix_last), parse("ffffffff-ffff-7000-8000-000000000000"));
    EXPECT_EQ(first_after<UnixTime>(unix_last), max_uuid);
    EXPECT_EQ(first_from<UnixTime>(unix_last + 6'000'000 * days{1}), max_uuid);

    EXPECT_EQ(first_from<GregorianTime>(gregorian_epoch - 6'000'000 * days{1}), first_v6);
    EXPECT_EQ(first_after<GregorianTime>(gregorian_epoch - 1us), first_v6);
    EXPECT_EQ(first_from<GregorianTime>(gregorian_last),
              parse("ffffffff-ffff-6ffa-8000-000000000000"));
    EXPECT_EQ(first_after<GregorianTime>(gregorian_last), max_uuid);
}

TEST(BoundsOfMoments, AreNulloptBetweenTwoMilliseconds) {
    constexpr Microseconds second = unix_epoch + 1s;
    EXPECT_EQ(bounds_of<UnixTime>({second + 1us, second + 999us}), std::nullopt);
    EXPECT_EQ(bounds_of<UnixTime>({second + 1us, second + 1000us}),
              bounds_of<UnixTime>({second + 1ms, second + 1ms}));
    EXPECT_EQ(bounds_of<UnixTime>({second, second + 999us}),
              (Bounds{parse("00000000-03e8-7000-8000-000000000000"),
                      parse("00000000-03e8-7fff-bfff-ffffffffffff")}));
}

TEST(BoundsOfMoments, AreNulloptForAnEmptyRange) {
    EXPECT_EQ(bounds_of<UnixTime>({unix_epoch + 1us, unix_epoch}), std::nullopt);
    EXPECT_EQ(bounds_of<GregorianTime>({unix_epoch + 1us, unix_epoch}), std::nullopt);
}

TEST(BoundsOfMoments, AreClampedToTheTimesOfTheVersion) {
    constexpr Microseconds far_before = unix_epoch - 6'000'000 * days{1};
    constexpr Microseconds far_after = unix_epoch + 6'000'000 * days{1};
    EXPECT_EQ(bounds_of<UnixTime>({far_before, far_after}),
              (Bounds{parse("00000000-0000-7000-8000-000000000000"),
                      parse("ffffffff-ffff-7fff-bfff-ffffffffffff")}));
    EXPECT_EQ(bounds_of<UnixTime>({far_before, unix_epoch - 1us}), std::nullopt);
    EXPECT_EQ(bounds_of<UnixTime>({unix_last + 1us, far_after}), std::nullopt);
    EXPECT_EQ(bounds_of<GregorianTime>({far_before, far_after}),
              (Bounds{parse("00000000-0000-6000-8000-000000000000"),
                      parse("ffffffff-ffff-6fff-bfff-ffffffffffff")}));
    EXPECT_EQ(bounds_of<GregorianTime>({far_before, gregorian_epoch - 1us}), std::nullopt);
    EXPECT_EQ(bounds_of<GregorianTime>({gregorian_last + 1us, far_after}), std::nullopt);
}

/// A UUID of the version lies within the bounds if and only if its time, in microseconds, lies in
/// the range; first_from and first_after separate UUIDs in the same way. Tries ranges that begin
/// and end near the time.
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
        EXPECT_EQ(uuid >= first_from<Time>(moments.first), time >= moments.first);
        EXPECT_EQ(uuid >= first_after<Time>(moments.first), time > moments.first);
        if (found) {
            EXPECT_TRUE(is_version(found->first, number));
            EXPECT_TRUE(is_version(found->last, number));
        }
    }
}

TEST(BoundsOfMoments, ContainAUuidIfItsTimeIsInTheRange) {
    expect_membership<GregorianTime>(6);
    expect_membership<UnixTime>(7);
}

}  // namespace
}  // namespace uuidx
