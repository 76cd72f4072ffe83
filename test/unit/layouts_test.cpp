// RFC 9562 section 5: the layouts, at run time; core/vectors.cpp checks them at compile time.

#include "core/layouts.h"

#include <gtest/gtest.h>

#include "core/vectors.h"
#include "samples.h"

namespace uuidx {
namespace {

TEST(Fields, TileAUuidIfTheyHaveNoGapOrOverlap) {
    EXPECT_TRUE(tile_a_uuid(Bits<0, 63>{}, Bits<64, 127>{}));
    EXPECT_FALSE(tile_a_uuid(Bits<0, 63>{}, Bits<65, 127>{}));
    EXPECT_FALSE(tile_a_uuid(Bits<0, 63>{}, Bits<63, 63>{}, Bits<64, 127>{}));
    EXPECT_FALSE(tile_a_uuid(Bits<0, 63>{}, Bits<64, 126>{}));
}

TEST(Version1, MatchesTheVectorOfA1) {
    EXPECT_EQ(v1::make(gregorian_time(vectors::gregorian_100ns), 0x33C8, 0x9F6BDECED846),
              vectors::v1);
    EXPECT_EQ(v1::timestamp(vectors::v1), gregorian_time(138'648'505'420'000'000));
    EXPECT_EQ(v1::clock_seq.of(vectors::v1), 0x33C8u);
    EXPECT_EQ(v1::node.of(vectors::v1), 0x9F6BDECED846u);
}

TEST(Version1, IsRebuiltFromItsFields) {
    Samples samples;
    for (int i = 0; i < 10'000; ++i) {
        const Uuid uuid = samples.of_version(1);
        EXPECT_EQ(v1::make(v1::timestamp(uuid), v1::clock_seq.of(uuid), v1::node.of(uuid)), uuid);
    }
}

TEST(Version6, MatchesTheVectorOfA5) {
    EXPECT_EQ(v6::make(gregorian_time(vectors::gregorian_100ns), 0x33C8, 0x9F6BDECED846),
              vectors::v6);
    EXPECT_EQ(v6::timestamp(vectors::v6), gregorian_time(138'648'505'420'000'000));
}

TEST(Version6, IsRebuiltFromItsFields) {
    Samples samples;
    for (int i = 0; i < 10'000; ++i) {
        const Uuid uuid = samples.of_version(6);
        EXPECT_EQ(v6::make(v6::timestamp(uuid), v6::clock_seq.of(uuid), v6::node.of(uuid)), uuid);
    }
}

TEST(Version6, IsOrderedByItsTimestamp) {
    Samples samples;
    for (int i = 0; i < 10'000; ++i) {
        const Uuid a = samples.of_version(6);
        const Uuid b = samples.of_version(6);
        EXPECT_EQ(a < b, v6::timestamp(a) < v6::timestamp(b));
    }
}

TEST(Version7, MatchesTheVectorOfA6) {
    EXPECT_EQ(v7::timestamp(vectors::v7), unix_time(1'645'557'742'000));
    EXPECT_EQ(v7::precise_timestamp(vectors::v7),
              v7::timestamp(vectors::v7) + PreciseUnixTime::duration{0xCC3});
    EXPECT_EQ(v7::make(v7::precise_timestamp(vectors::v7), 0x18C4DC0C0C07398F), vectors::v7);
}

TEST(Version4, KeepsAllRandomBitsExceptSix) {
    Samples samples;
    for (int i = 0; i < 10'000; ++i) {
        const std::uint64_t high = samples.number();
        const std::uint64_t low = samples.number();
        const Uuid uuid = v4::make(high, low);
        EXPECT_EQ(version(uuid), 4);
        EXPECT_EQ(v4::random_a.of(uuid), high >> 16);
        EXPECT_EQ(v4::random_b.of(uuid), high & v4::random_b.max);
        EXPECT_EQ(v4::random_c.of(uuid), low & v4::random_c.max);
    }
}

TEST(Version7, IsRebuiltFromItsFields) {
    Samples samples;
    for (int i = 0; i < 10'000; ++i) {
        const Uuid uuid = samples.of_version(7);
        EXPECT_EQ(v7::make(v7::precise_timestamp(uuid), v7::rand_b.of(uuid)), uuid);
        EXPECT_EQ(std::chrono::floor<std::chrono::milliseconds>(v7::precise_timestamp(uuid)),
                  v7::timestamp(uuid));
    }
}

TEST(Version7, ShiftsOnlyItsTime) {
    using namespace std::chrono_literals;
    Samples samples;
    for (int i = 0; i < 10'000; ++i) {
        const Uuid uuid = v7::make(precise_unix_time(samples.number() >> 5), samples.number());
        const std::chrono::microseconds by{static_cast<std::int64_t>(samples.number() >> 8)};
        const Uuid later = v7::shifted(uuid, by).value();
        EXPECT_EQ(v7::precise_timestamp(later), v7::precise_timestamp(uuid) + in_4096ths(by));
        EXPECT_EQ(later.word(1), uuid.word(1));
        EXPECT_EQ(version(later), 7);
    }
    const Uuid first = v7::make(precise_unix_time(0), 0);
    EXPECT_EQ(v7::shifted(first, -1us), std::nullopt);
    EXPECT_EQ(v7::shifted(first, 0us), first);
    const Uuid last = v7::make(precise_unix_time(~std::uint64_t{0} >> 4), 0);
    EXPECT_EQ(v7::shifted(last, 1us), std::nullopt);
    EXPECT_EQ(v7::shifted(last, std::chrono::years{18'000}), std::nullopt);
    EXPECT_TRUE(v7::shifted(last, -1us));
}

TEST(NilAndMax, AreAllZerosAndAllOnes) {
    for (std::size_t i = 0; i < Uuid::size; ++i) {
        EXPECT_EQ(nil_uuid.octets[i], 0x00);
        EXPECT_EQ(max_uuid.octets[i], 0xFF);
    }
}

}  // namespace
}  // namespace uuidx
