// Reading UUIDs of any kind.

#include "core/inspect.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/vectors.h"
#include "samples.h"

namespace uuidx {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

constexpr Microseconds moment = sys_days{2022y / February / 22} + 19h + 22min + 22s;

TEST(Inspect, ReadsTheTimeOfVersions1And6And7) {
    EXPECT_EQ(timestamp(vectors::v1), moment);
    EXPECT_EQ(timestamp(vectors::v6), moment);
    EXPECT_EQ(timestamp(vectors::v7), moment);
    EXPECT_EQ(v7_time_us(vectors::v7), moment + 797us);
}

TEST(Inspect, ReadsNoTimeOfOtherVersions) {
    Samples samples;
    for (unsigned number = 0; number < 16; ++number) {
        const Uuid uuid = samples.of_version(number);
        EXPECT_EQ(timestamp(uuid).has_value(), number == 1 || number == 6 || number == 7);
        EXPECT_EQ(v7_time_us(uuid).has_value(), number == 7);
        for (const std::uint8_t octet8 : {0x00, 0x7F, 0xC0, 0xDF, 0xE0, 0xFF}) {
            Uuid other = uuid;
            other.octets[8] = octet8;
            EXPECT_EQ(timestamp(other), std::nullopt);
            EXPECT_EQ(v7_time_us(other), std::nullopt);
            EXPECT_EQ(clock_seq(other), std::nullopt);
            EXPECT_EQ(node(other), std::nullopt);
        }
    }
}

TEST(Inspect, ReadsTheTimeOfVersion8InB1) {
    EXPECT_EQ(v8_time(vectors::v8_time), sys_days{2022y / February / 22} + 19h + 22min + 22s);
    EXPECT_EQ(v8_time(vectors::v7), std::nullopt);
    EXPECT_EQ(v8_time(max_uuid), std::nullopt);
}

// 4.4.4.2 of the draft: the fraction 0101 0101 0101 0101 is 0.3333282.
TEST(Draft01, ReadsSecondsAndABinaryFraction) {
    constexpr Uuid example = parse("00000000-1555-7500-8000-000000000000");
    EXPECT_EQ(draft01_time(example), Microseconds{1s + 333328us});
    EXPECT_EQ(draft01_time(parse("ffffffff-f800-7000-8000-000000000000")),
              sys_seconds{seconds{(std::int64_t{1} << 36) - 1}} + 500ms);
    EXPECT_EQ(draft01_time(vectors::v6), std::nullopt);
}

TEST(Draft01, ReadsBackEachMicrosecond) {
    const int step = sample_count(7, 1);
    for (std::uint64_t us = 0; us < 1'000'000; us += step) {
        Uuid uuid = with_version(Uuid{}, 7);
        split(uuid, (us << 24) / 1'000'000, draft01::v7::subsec_a, draft01::v7::subsec_b);
        EXPECT_EQ(draft01::v7::timestamp(uuid), Microseconds{microseconds{us}});
    }
}

// A fraction stands for an interval of 2^-24 s. 2^18 of them are 15,625 us.
TEST(Draft01, ReadsTheLastMicrosecondBeforeTheEndOfTheInterval) {
    const auto microseconds_of = [](std::uint64_t fraction) {
        Uuid uuid = with_version(Uuid{}, 7);
        split(uuid, fraction, draft01::v7::subsec_a, draft01::v7::subsec_b);
        return draft01::v7::timestamp(uuid).time_since_epoch().count();
    };
    EXPECT_EQ(microseconds_of((1u << 18) - 2), 15'624);
    EXPECT_EQ(microseconds_of((1u << 18) - 1), 15'624) << "it ends at 15,625 us";
    EXPECT_EQ(microseconds_of(1u << 18), 15'625);
}

TEST(Inspect, ReadsClockSequenceAndNodeOfVersions1And6) {
    constexpr NodeId expected = {0x9F, 0x6B, 0xDE, 0xCE, 0xD8, 0x46};
    for (const Uuid& uuid : {vectors::v1, vectors::v6}) {
        EXPECT_EQ(clock_seq(uuid), 0x33C8);
        EXPECT_EQ(node(uuid), expected);
        EXPECT_EQ(node_is_random(uuid), true);
    }
    EXPECT_EQ(node_is_random(vectors::ns_dns), false);
    for (const Uuid& uuid :
         {vectors::v3, vectors::v4, vectors::v5, vectors::v7, nil_uuid, max_uuid}) {
        EXPECT_EQ(clock_seq(uuid), std::nullopt);
        EXPECT_EQ(node(uuid), std::nullopt);
        EXPECT_EQ(node_is_random(uuid), std::nullopt);
    }
}

TEST(Inspect, ReadsTheNumberOfTheServerInVersion7) {
    EXPECT_EQ(v7_node_id(parse("017f22e2-79b0-7fff-bc00-03ffffffffff")), 0);
    EXPECT_EQ(v7_node_id(parse("017f22e2-79b0-7000-83ff-fc0000000000")), 65'535);
    EXPECT_EQ(v7_node_id(parse("017f22e2-79b0-6000-83ff-fc0000000000")), std::nullopt);
    EXPECT_EQ(v7_node_id(parse("017f22e2-79b0-8000-83ff-fc0000000000")), std::nullopt);
}

TEST(Inspect, DescribesEachKindDifferently) {
    std::set<std::string> descriptions;
    Samples samples;
    for (unsigned number = 0; number <= 9; ++number)
        descriptions.insert(description(samples.of_version(number)));
    for (const std::uint8_t octet8 : {0x00, 0xC0, 0xE0}) {
        Uuid uuid = samples.of_version(7);
        uuid.octets[8] = octet8;
        descriptions.insert(description(uuid));
    }
    descriptions.insert(description(nil_uuid));
    descriptions.insert(description(max_uuid));
    EXPECT_EQ(descriptions.size(), 15u);
    EXPECT_STREQ(description(vectors::v6), "reordered Gregorian time-based");
    EXPECT_STREQ(description(nil_uuid), "Nil UUID");
    EXPECT_STREQ(description(samples.of_version(15)), description(samples.of_version(9)));
}

}  // namespace
}  // namespace uuidx
