// RFC 9562 section 6.2: the generator under a scripted clock.

#include "core/generator.h"

#include <gtest/gtest.h>

#include "samples.h"

namespace uuidx {
namespace {

constexpr std::uint64_t all_ones = ~std::uint64_t{0};
constexpr PreciseUnixTime noon = precise_unix_time(1'700'000'000, 0);
constexpr PreciseUnixTime::duration tick{1};

TEST(Generator, WritesTheClockAndTheRandomBits) {
    Generator generator;
    const Uuid uuid =
        generator.next(precise_unix_time(1'672'576'496, 123'456'700), all_ones).value();
    EXPECT_EQ(version(uuid), 7);
    EXPECT_EQ(v7::unix_ts_ms.of(uuid), 1'672'576'496'123u);
    EXPECT_EQ(v7::rand_a.of(uuid), 0x74Eu);
    EXPECT_EQ(v7::rand_b.of(uuid), 0x1FFF'FFFF'FFFF'FFFFu)
        << "the counter starts in its lower half";
}

TEST(Generator, IncreasesWhileTheClockAdvances) {
    Generator generator;
    Samples random;
    Uuid last = nil;
    for (int i = 0; i < 100'000; ++i) {
        const auto now = noon + i * tick;
        const Uuid uuid = generator.next(now, random.number()).value();
        EXPECT_LT(last, uuid);
        EXPECT_EQ(v7::precise_timestamp(uuid), now);
        last = uuid;
    }
}

TEST(Generator, CountsWithinATick) {
    Generator generator;
    const Uuid first = generator.next(noon, 0).value();
    const Uuid second = generator.next(noon, 0).value();
    EXPECT_EQ(second.word(0), first.word(0));
    EXPECT_EQ(second.word(1), first.word(1) + (std::uint64_t{1} << 48));
}

TEST(Generator, DrawsTheLast48BitsAfreshForEach) {
    Generator generator;
    Samples random;
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t bits = random.number();
        const Uuid uuid = generator.next(noon, bits).value();
        EXPECT_EQ(v7::rand_b.of(uuid) & 0xFFFF'FFFF'FFFF, bits & 0xFFFF'FFFF'FFFF);
    }
}

TEST(Generator, KeepsItsTickWhileTheClockIsBack) {
    using namespace std::chrono_literals;
    Generator generator;
    Uuid last = generator.next(noon, 0).value();
    for (const std::chrono::nanoseconds back : {1ns, 1'000'000ns, 86'400'000'000'000ns}) {
        const auto now = noon - std::chrono::ceil<PreciseUnixTime::duration>(back);
        const Uuid uuid = generator.next(now, 0).value();
        EXPECT_LT(last, uuid);
        EXPECT_EQ(v7::precise_timestamp(uuid), noon);
        last = uuid;
    }
    const Uuid caught_up = generator.next(noon + tick, 0).value();
    EXPECT_LT(last, caught_up);
    EXPECT_EQ(v7::precise_timestamp(caught_up), noon + tick);
}

TEST(Generator, MovesToTheNextTickWhenTheCounterIsFull) {
    Generator generator;
    Uuid last = generator.next(noon, 0).value();
    for (int i = 1; i < 1 << 14; ++i) {
        const Uuid uuid = generator.next(noon, 0).value();
        EXPECT_LT(last, uuid);
        EXPECT_EQ(v7::precise_timestamp(uuid), noon);
        last = uuid;
    }
    const Uuid uuid = generator.next(noon, 0).value();
    EXPECT_LT(last, uuid);
    EXPECT_EQ(v7::precise_timestamp(uuid), noon + tick);
}

TEST(Generator, BeginsIn1970) {
    Generator generator;
    EXPECT_EQ(generator.next(precise_unix_time(-1, 999'999'999), 0), std::nullopt);
    const Uuid first = generator.next(precise_unix_time(0, 0), 0).value();
    const Uuid second = generator.next(precise_unix_time(0, 0), 0).value();
    EXPECT_EQ(v7::unix_ts_ms.of(second), 0u);
    EXPECT_LT(nil, first);
    EXPECT_LT(first, second);
}

TEST(Generator, EndsIn10889) {
    constexpr PreciseUnixTime end = precise_unix_time(281'474'976'710, 655'999'999);
    Generator generator;
    Uuid last = nil;
    const int upper_half_and_seed = (1 << 13) + 1;
    for (int i = 0; i < upper_half_and_seed; ++i) {
        const Uuid uuid = generator.next(end, all_ones).value();
        EXPECT_LT(last, uuid);
        EXPECT_EQ(v7::precise_timestamp(uuid), end);
        last = uuid;
    }
    EXPECT_EQ(generator.next(end, all_ones), std::nullopt);
    EXPECT_EQ(generator.next(end + tick, all_ones), std::nullopt);
}

}  // namespace
}  // namespace uuidx
