// The order of UUIDs of all versions by the time in them.

#include "core/time_order.h"

#include <gtest/gtest.h>

#include "core/convert.h"
#include "core/inspect.h"
#include "core/text.h"
#include "core/vectors.h"
#include "samples.h"

namespace uuidx {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

/// A UUID of any version. Times are near 1970, and few, so that some are equal.
Uuid any_version(Samples& samples) {
    const GregorianTime ticks{Microseconds{} - GregorianClock::epoch +
                              GregorianTime::duration{samples.number() % 40'000}};
    const auto milliseconds = unix_time(samples.number() % 4);
    switch (samples.number() % 5) {
        case 0:
            return v1::make(ticks, samples.number(), 0);
        case 1:
            return v6::make(ticks, samples.number(), 0);
        case 2:
            return v7::make(milliseconds, samples.number());
        case 3:
            return samples.of_version(4);
        default:
            return samples.any();
    }
}

TEST(TimeOrder, IsByTimeThenByOctets) {
    constexpr Uuid ordered[] = {
        parse("00000000-0000-1000-8000-000000000000"),  // 1582, version 1
        parse("00000000-0000-6000-8000-000000000000"),  // 1582, version 6
        parse("ffffffff-0000-1000-8000-000000000000"),  // 7 minutes later
        parse("00000000-0001-1000-8000-000000000000"),  // 100 ns later
        parse("00000000-0000-7000-8000-000000000000"),  // 1970, version 7
        parse("13814000-1dd2-11b2-8000-000000000000"),  // 1970, version 1
        parse("1b21dd21-3814-6000-8000-000000000000"),  // 1970, version 6
        parse("13814001-1dd2-11b2-8000-000000000000"),  // 100 ns later
        parse("00000000-0001-7000-8000-000000000000"),  // 1 ms later
        vectors::v7,                                    // 2022, version 7
        vectors::v6,                                    // 2022, version 6
        vectors::v1,                                    // 2022, version 1
        parse("ffffffff-ffff-1fff-bfff-ffffffffffff"),  // 5236
        parse("ffffffff-ffff-6fff-bfff-ffffffffffff"),  //
        parse("ffffffff-ffff-7fff-bfff-ffffffffffff"),  // 10889
        nil_uuid,                                       // no time: by octets
        parse("00000000-0000-1000-0000-000000000000"),
        parse("00000000-0000-4000-8000-000000000000"),
        max_uuid,
    };
    for (const Uuid& a : ordered)
        for (const Uuid& b : ordered)
            EXPECT_EQ(compare_by_time(a, b), &a <=> &b);
}

TEST(TimeKey, HasTheFirst63BitsOfAUuidWithoutATime) {
    EXPECT_EQ(time_key(nil_uuid), 0x8000'0000'0000'0000u);
    EXPECT_EQ(time_key(parse("00000000-0000-4002-8000-000000000000")), 0x8000'0000'0000'2001u);
    EXPECT_EQ(time_key(max_uuid), 0xFFFF'FFFF'FFFF'FFFFu);
}

TEST(TimeOrder, AgreesWithTimestamp) {
    Samples samples;
    for (int i = sample_count(10'000, 100'000); i > 0; --i) {
        const Uuid a = any_version(samples);
        const Uuid b = any_version(samples);
        const auto time_a = timestamp(a);
        const auto time_b = timestamp(b);
        if (time_a && time_b && *time_a != *time_b) {
            EXPECT_EQ(compare_by_time(a, b) < 0, *time_a < *time_b);
        } else if (time_a.has_value() != time_b.has_value()) {
            EXPECT_EQ(compare_by_time(a, b) < 0, time_a.has_value());
        } else if (!time_a) {
            EXPECT_EQ(compare_by_time(a, b), a <=> b);
        }
    }
}

TEST(TimeOrder, IsTotal) {
    Samples samples;
    for (int i = sample_count(10'000, 100'000); i > 0; --i) {
        const Uuid a = any_version(samples);
        const Uuid b = any_version(samples);
        const Uuid c = any_version(samples);
        EXPECT_EQ(compare_by_time(a, b) < 0, compare_by_time(b, a) > 0);
        EXPECT_EQ(compare_by_time(a, b) == 0, a == b);
        if (compare_by_time(a, b) < 0 && compare_by_time(b, c) < 0) {
            EXPECT_TRUE(compare_by_time(a, c) < 0);
        }
    }
}

TEST(TimeOrder, KeepsTheOrderOfVersions6And7AndSortsVersion1AsVersion6) {
    Samples samples;
    for (int i = 0; i < 10'000; ++i) {
        for (const unsigned number : {6, 7}) {
            const Uuid a = samples.of_version(number);
            const Uuid b = samples.of_version(number);
            EXPECT_EQ(compare_by_time(a, b), a <=> b);
        }
        const Uuid a = samples.of_version(1);
        const Uuid b = samples.of_version(1);
        EXPECT_EQ(compare_by_time(a, b), *v1_to_v6(a) <=> *v1_to_v6(b));
    }
}

TEST(TimeOrder, FirstByTimeSeparatesEarlierAndLater) {
    Samples samples;
    for (int i = sample_count(10'000, 100'000); i > 0; --i) {
        const Uuid uuid = any_version(samples);
        const Microseconds moment{microseconds{samples.number() % 4'000}};
        const auto time = timestamp(uuid);
        EXPECT_EQ(compare_by_time(uuid, first_by_time(moment)) >= 0, !time || *time >= moment);
    }
}

TEST(TimeOrder, FirstByTimeIsTheSmallestPossible) {
    EXPECT_EQ(first_by_time(sys_days{-4713y / November / 24}),
              parse("00000000-0000-1000-8000-000000000000"));
    EXPECT_EQ(first_by_time(Microseconds{}), parse("00000000-0000-7000-8000-000000000000"));
    EXPECT_EQ(first_by_time(Microseconds{1us}), parse("1381400a-1dd2-11b2-8000-000000000000"));
    EXPECT_EQ(first_by_time(Microseconds{375s + 1us}),
              parse("1b21dd2f-305b-658a-8000-000000000000"));
    EXPECT_EQ(first_by_time(sys_days{5237y / January / 1} - 1us),
              parse("5dc40dd7-8000-7000-8000-000000000000"));
    EXPECT_EQ(first_by_time(sys_days{10890y / January / 1}), nil_uuid);
}

TEST(TimeOrder, BoundsByTimeAreTheFirstAndTheLastPossible) {
    const auto bounds_of_microsecond = [](Microseconds moment) {
        return bounds_by_time({moment, moment}).value();
    };
    // Versions 7, 6 and 1 are in another order in each of these.
    EXPECT_EQ(bounds_of_microsecond(Microseconds{}),
              (Bounds{parse("00000000-0000-7000-8000-000000000000"),
                      parse("1b21dd21-3814-6009-bfff-ffffffffffff")}));
    EXPECT_EQ(bounds_of_microsecond(Microseconds{1us}),
              (Bounds{parse("1381400a-1dd2-11b2-8000-000000000000"),
                      parse("1b21dd21-3814-6013-bfff-ffffffffffff")}));
    EXPECT_EQ(bounds_of_microsecond(Microseconds{375s + 1us}),
              (Bounds{parse("1b21dd2f-305b-658a-8000-000000000000"),
                      parse("f305b593-1dd2-11b2-bfff-ffffffffffff")}));
}

TEST(TimeOrder, BoundsByTimeHaveThoseOfThePeriodBetweenThem) {
    Samples samples;
    for (int i = sample_count(10'000, 100'000); i > 0; --i) {
        const Uuid uuid = any_version(samples);
        const Microseconds first{microseconds{samples.number() % 4'000}};
        const Microseconds last{microseconds{samples.number() % 4'000}};
        const auto time = timestamp(uuid);
        const auto bounds = bounds_by_time({first, last});
        EXPECT_EQ(bounds && compare_by_time(uuid, bounds->first) >= 0 &&
                      compare_by_time(uuid, bounds->last) <= 0,
                  time && *time >= first && *time <= last);
    }
    EXPECT_FALSE(bounds_by_time({Microseconds{1us}, Microseconds{}}));
    EXPECT_FALSE(bounds_by_time({sys_days{10890y / January / 1}, sys_days{10891y / January / 1}}));
}

}  // namespace
}  // namespace uuidx
