// RFC 9562 section 6.2: the generator, with a scripted clock and scripted random bits.

#include "core/generator.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "core/sequence.h"
#include "core/text.h"

#include "samples.h"

namespace uuidx {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t tail = method::precision.tail;
constexpr std::uint64_t all_ones = ~std::uint64_t{0};

/// A generator whose clock stands still until a test moves it. The first draw for a UUID returns
/// `bits`, the second one `more`.
template <class Time>
struct Scripted {
    Generator<Time> generator;
    std::optional<ClockReading> clock = ClockReading{1'700'000'000, 0};
    std::optional<std::uint64_t> bits = 0;
    std::optional<std::uint64_t> more = 0;
    int draws = 0;
    Samples samples;

    Generated next(const Method& method) {
        draws = 0;
        return generator.next(
            method, [&] { return clock; }, [&] { return draws++ == 0 ? bits : more; });
    }

    Generated next_with_samples(const Method& method) {
        bits = samples.number();
        more = samples.number();
        return next(method);
    }

    /// Generates a UUID, which must be greater than `last`, and assigns it to `last`.
    Uuid greater(Uuid& last, const Method& method) {
        const Generated generated = next_with_samples(method);
        EXPECT_EQ(generated.failure, Failure::none);
        EXPECT_LT(last, generated.uuid);
        return last = generated.uuid;
    }

    /// Generates UUIDs of a sequence.
    template <class Take>
    Failure next(const Method& method, std::span<Uuid> made, Take&& take) {
        return generator.next(
            method, [&] { return clock; }, [&] { return bits; }, take, made);
    }

    void move(std::chrono::nanoseconds by) {
        const auto time = std::chrono::nanoseconds{clock->nanoseconds} + by;
        const auto whole = std::chrono::floor<std::chrono::seconds>(time);
        clock = ClockReading{clock->seconds + whole.count(), (time - whole).count()};
    }

    Time now() const { return from_clock<Time>(*clock).value(); }
};

using V7 = Scripted<PreciseUnixTime>;
using V6 = Scripted<GregorianTime>;

constexpr auto millisecond(PreciseUnixTime time) {
    return std::chrono::floor<std::chrono::milliseconds>(time);
}

TEST(Position, HasAPrefixOfTimestampAndCounter) {
    const auto prefix = [](const Uuid& uuid) { return position_of(uuid).prefix(); };
    EXPECT_EQ(prefix(parse("12345678-9abc-7def-8400-000000000000")), 0x123456789ABCDEF1u);
    EXPECT_EQ(prefix(parse("12345678-9abc-7def-bfff-ffffffffffff")), 0x123456789ABCDEFFu);
    EXPECT_EQ(prefix(parse("12345678-9abc-7def-83ff-ffffffffffff")), 0x123456789ABCDEF0u);
}

// --- What each method writes ---

TEST(Precision, WritesFractionThenCounterThenTail) {
    V7 v7;
    v7.clock = ClockReading{1'672'576'496, 123'456'700};
    v7.bits = all_ones;
    const Uuid first = v7.next(method::precision).uuid;
    EXPECT_EQ(v7.draws, 1);
    EXPECT_EQ(version(first), 7);
    EXPECT_EQ(v7::unix_ts_ms.of(first), 1'672'576'496'123u);
    EXPECT_EQ(v7::rand_a.of(first), 0x74Eu);
    EXPECT_EQ(v7::rand_b.of(first) >> 48, 0x1FFFu) << "the counter's first bit is a guard";
    EXPECT_EQ(v7::rand_b.of(first) & tail, tail);

    v7.bits = 0x123456789ABC;
    const Uuid second = v7.next(method::precision).uuid;
    EXPECT_EQ(second.word(0), first.word(0));
    EXPECT_EQ(v7::rand_b.of(second) >> 48, 0x2000u);
    EXPECT_EQ(v7::rand_b.of(second) & tail, 0x123456789ABCu) << "the tail is drawn afresh";
}

TEST(Counter, Has26BitsInRandAAndRandB) {
    V7 v7;
    v7.clock = ClockReading{1'672'576'496, 123'456'700};
    v7.bits = v7.more = all_ones;
    const Uuid first = v7.next(method::counter).uuid;
    EXPECT_EQ(v7.draws, 2);
    EXPECT_EQ(v7::unix_ts_ms.of(first), 1'672'576'496'123u);
    EXPECT_EQ(v7::rand_a.of(first), 0x7FFu) << "the counter's first bit is a guard";
    EXPECT_EQ(v7::rand_b.of(first), v7::rand_b.max);

    v7.bits = 0x123456789ABC;
    v7.move(999us - 456'700ns);
    const Uuid second = v7.next(method::counter).uuid;
    EXPECT_EQ(v7.draws, 1);
    EXPECT_EQ(v7::unix_ts_ms.of(second), 1'672'576'496'123u);
    EXPECT_EQ(v7::rand_a.of(second), 0x800u) << "carries into rand_a";
    EXPECT_EQ(v7::rand_b.of(second), 0x123456789ABCu);
}

TEST(MonotonicRandom, GrowsByRandomNumbers) {
    V7 v7;
    v7.bits = all_ones;
    v7.more = 0x123;
    EXPECT_EQ(v7::rand_a.of(v7.next(method::monotonic_random).uuid), 0x123u) << "drawn separately";
    v7.move(1ms);
    v7.more = all_ones;
    const Uuid first = v7.next(method::monotonic_random).uuid;
    EXPECT_EQ(v7::rand_a.of(first), 0x7FFu) << "the first bit is a guard";
    EXPECT_EQ(v7::rand_b.of(first), v7::rand_b.max);

    v7.bits = 0x123456789ABC;
    const Uuid second = v7.next(method::monotonic_random).uuid;
    EXPECT_EQ(v7::rand_a.of(second), 0x800u);
    EXPECT_EQ(v7::rand_b.of(second), 0x123456789ABCu);

    v7.bits = 0;
    const Uuid third = v7.next(method::monotonic_random).uuid;
    EXPECT_EQ(v7::rand_b.of(third), v7::rand_b.of(second) + 1) << "at least by one";
}

TEST(RandomNode, WritesClockSeqThenNode) {
    V6 v6;
    v6.bits = 0;
    const Uuid first = v6.next(method::random_node).uuid;
    EXPECT_EQ(version(first), 6);
    EXPECT_EQ(v6::timestamp(first), v6.now());
    EXPECT_EQ(v6::clock_seq.of(first), 0u);
    EXPECT_EQ(v6::node.of(first), 0x030000000000u) << "the multicast bit and the local bit";

    v6.bits = all_ones;
    const Uuid second = v6.next(method::random_node).uuid;
    EXPECT_EQ(v6::timestamp(second), v6.now());
    EXPECT_EQ(v6::clock_seq.of(second), 4u) << "skips three at random";
    EXPECT_EQ(v6::node.of(second), tail);

    v6.bits = std::uint64_t{1} << 62;
    EXPECT_EQ(v6::clock_seq.of(v6.next(method::random_node).uuid), 6u) << "skips one at random";

    v6.bits = all_ones;
    v6.move(100ns);
    const Uuid fourth = v6.next(method::random_node).uuid;
    EXPECT_EQ(v6::timestamp(fourth), v6.now());
    EXPECT_EQ(v6::clock_seq.of(fourth), 0x1FFFu);
}

TEST(Numbered, WritesACounterOf4BitsThenTheNumber) {
    V7 v7;
    v7.bits = all_ones;
    const Method method = method::numbered(0xABCD);
    const Uuid first = v7.next(method).uuid;
    EXPECT_EQ(v7::precise_timestamp(first), v7.now());
    EXPECT_EQ(v7::counter.of(first), 0u);
    EXPECT_EQ(v7::node_id.of(first), 0xABCDu);
    EXPECT_EQ(v7::after_node_id.of(first), v7::after_node_id.max);
    for (unsigned i = 1; i < 16; ++i) {
        v7.bits = i;
        const Uuid uuid = v7.next(method).uuid;
        EXPECT_EQ(uuid.word(0), first.word(0));
        EXPECT_EQ(v7::counter.of(uuid), i);
        EXPECT_EQ(v7::node_id.of(uuid), 0xABCDu);
        EXPECT_EQ(v7::after_node_id.of(uuid), i);
    }
    EXPECT_EQ(v7::precise_timestamp(v7.next(method).uuid), v7.now() + PreciseUnixTime::duration{1});
    EXPECT_EQ(v7.generator.ahead(), 1u);
}

// --- What all methods promise ---

struct Case {
    std::string name;
    Method method;
};

class EachMethod : public testing::TestWithParam<Case> {
  protected:
    const Method& method = GetParam().method;
};

INSTANTIATE_TEST_SUITE_P(Generator, EachMethod,
                         testing::Values(Case{"Precision", method::precision},
                                         Case{"Numbered", method::numbered(0xABCD)},
                                         Case{"Counter", method::counter},
                                         Case{"MonotonicRandom", method::monotonic_random}),
                         [](const auto& info) { return info.param.name; });

TEST_P(EachMethod, IncreasesAndIsOnTimeWhileTheClockAdvances) {
    V7 v7;
    Uuid last = nil_uuid;
    for (int i = 0; i < 100'000; ++i) {
        v7.move(std::chrono::nanoseconds{v7.samples.number() % 300});
        const Uuid uuid = v7.greater(last, method);
        EXPECT_EQ(v7::timestamp(uuid), millisecond(v7.now()));
    }
    EXPECT_EQ(v7.generator.made(), 100'000u);
}

TEST_P(EachMethod, IncreasesWhileTheClockStandsStill) {
    V7 v7;
    Uuid last = nil_uuid;
    for (int i = 0; i < 8192; ++i) {
        v7.greater(last, method);
        EXPECT_EQ(v7::timestamp(last), millisecond(v7.now()));
    }
}

TEST_P(EachMethod, StaysAtItsTickAfterTheClockWasSetBack) {
    V7 v7;
    const auto held = v7.now();
    Uuid last = nil_uuid;
    v7.greater(last, method);
    for (const std::chrono::nanoseconds back : {1ns, 1'000'000ns, 86'400'000'000'000ns}) {
        v7.move(-back);
        v7.greater(last, method);
        EXPECT_EQ(v7::timestamp(last), millisecond(held)) << back.count();
        v7.move(back);
    }
    v7.move(1ms);
    v7.greater(last, method);
    EXPECT_EQ(v7::timestamp(last), millisecond(v7.now())) << "on time again";
}

TEST_P(EachMethod, StaysAtItsTickWhileTheClockIsBefore1970) {
    V7 v7;
    const auto held = v7.now();
    Uuid last = nil_uuid;
    v7.greater(last, method);
    v7.clock = ClockReading{-1, 999'999'999};
    v7.greater(last, method);
    EXPECT_EQ(v7::timestamp(last), millisecond(held));
}

TEST_P(EachMethod, MovesToTheNextTickWhenTheCounterIsFull) {
    const std::uint64_t tick = std::uint64_t{1'700'000'000'000} << v7::rand_a.width;
    const Position full{tick | method.counter_in_upper, Position::lower_max};
    for (const std::uint64_t random : {std::uint64_t{0}, tail, all_ones}) {
        const Position next = method.following(full, random);
        EXPECT_EQ(next.upper, tick + method.counter_in_upper + 1);
        EXPECT_LE(next.lower, method.tail) << "the counter starts again";
    }
}

TEST_P(EachMethod, BeginsIn1970) {
    V7 v7;
    v7.clock = ClockReading{-1, 999'999'999};
    EXPECT_EQ(v7.next(method).failure, Failure::range);
    v7.clock = ClockReading{0, 0};
    Uuid last = nil_uuid;
    v7.greater(last, method);
    v7.greater(last, method);
    EXPECT_EQ(v7::unix_ts_ms.of(last), 0u);
}

TEST_P(EachMethod, EndsIn10889) {
    V7 v7;
    v7.clock = ClockReading{281'474'976'710, 655'999'999};
    Uuid last = nil_uuid;
    v7.greater(last, method);
    v7.greater(last, method);
    EXPECT_EQ(v7::unix_ts_ms.of(last), v7::unix_ts_ms.max);
    v7.move(1ns);
    EXPECT_EQ(v7.next(method).failure, Failure::range);
}

TEST_P(EachMethod, FailsWithoutAClock) {
    V7 v7;
    Uuid last = nil_uuid;
    v7.greater(last, method);
    const auto clock = std::exchange(v7.clock, std::nullopt);
    EXPECT_EQ(v7.next(method).failure, Failure::clock);
    EXPECT_EQ(v7.next(method).uuid, nil_uuid);
    EXPECT_EQ(v7.generator.made(), 1u);
    v7.clock = clock;
    v7.greater(last, method);
}

TEST_P(EachMethod, FailsWithoutRandomness) {
    V7 v7;
    for (const auto step : {0ms, 1ms}) {
        Uuid last = nil_uuid;
        v7.greater(last, method);
        v7.move(step);
        v7.bits = std::nullopt;
        EXPECT_EQ(v7.next(method).failure, Failure::randomness);
        EXPECT_EQ(v7.next(method).uuid, nil_uuid);
    }
    if (method.counter_in_upper != 0) {
        v7.move(1ms);
        v7.bits = 0;
        v7.more = std::nullopt;
        EXPECT_EQ(v7.next(method).failure, Failure::randomness) << "the second draw";
    }
    EXPECT_EQ(v7.generator.made(), 2u);
}

TEST_P(EachMethod, IsNeverAheadOfAClockThatAdvances) {
    V7 v7;
    Uuid last = nil_uuid;
    for (int i = 0; i < 1000; ++i) {
        v7.move(std::chrono::nanoseconds{v7.samples.number() % 1'000'000});
        v7.greater(last, method);
        EXPECT_LE(v7.generator.last(), v7.now());
    }
}

TEST(Generator, SkipsIntoTheNextTick) {
    const Position full{1, Position::lower_max};
    const Position next = method::random_node.following(full, all_ones);
    EXPECT_EQ(next.upper, 2u);
    EXPECT_EQ(next.lower >> 48, 3u);
}

TEST(Generator, FailsAfterTheLastTick) {
    V7 v7;
    v7.clock = ClockReading{281'474'976'710, 655'999'999};
    Uuid last = nil_uuid;
    Generated generated = v7.next(method::precision);
    std::uint64_t made = 0;
    for (; generated.failure == Failure::none; ++made) {
        ASSERT_LT(last, generated.uuid);
        last = generated.uuid;
        generated = v7.next(method::precision);
    }
    EXPECT_EQ(generated.failure, Failure::range);
    EXPECT_EQ(made, 1u << 14) << "the counter started at zero";
    EXPECT_EQ(v7.generator.made(), made);
    EXPECT_EQ(v7.generator.last(), v7.now());
}

TEST(Generator, MovesToTheNextTickOfItsMethod) {
    V7 v7;
    const auto held = v7.now();
    for (int i = 0; i < 1 << 14; ++i)
        EXPECT_EQ(v7::precise_timestamp(v7.next(method::precision).uuid), held);
    EXPECT_EQ(v7::precise_timestamp(v7.next(method::precision).uuid),
              held + PreciseUnixTime::duration{1});
}

TEST(Generator, IncreasesWhenTheMethodChanges) {
    V7 v7;
    Uuid last = nil_uuid;
    const Method methods[] = {method::precision, method::counter, method::monotonic_random};
    for (int i = 0; i < 100'000; ++i) {
        if (i % 10 == 0)
            v7.move(std::chrono::nanoseconds{v7.samples.number() % 1'000'000} - 300us);
        v7.greater(last, methods[v7.samples.number() % 3]);
    }
}

TEST(Generator, IncreasesInVersion6WithAnyClock) {
    V6 v6;
    Uuid last = nil_uuid;
    for (int i = 0; i < 100'000; ++i) {
        if (i % 10 == 0)
            v6.move(std::chrono::nanoseconds{v6.samples.number() % 1000} - 300ns);
        EXPECT_EQ(version(v6.greater(last, method::random_node)), 6);
    }
}

TEST(Generator, GeneratesVersion6From1582To5236) {
    V6 first;
    first.clock = ClockReading{-12'219'292'801, 0};
    EXPECT_EQ(first.next(method::random_node).failure, Failure::range);
    first.clock = ClockReading{-12'219'292'800, 0};
    Uuid uuid = nil_uuid;
    first.greater(uuid, method::random_node);
    EXPECT_EQ(v6::timestamp(uuid), gregorian_time(0));

    V6 last;
    last.clock = ClockReading{103'072'857'660, 684'697'500};
    uuid = nil_uuid;
    last.greater(uuid, method::random_node);
    EXPECT_EQ(v6::timestamp(uuid), gregorian_time(Position::upper_max));
    last.move(100ns);
    EXPECT_EQ(last.next(method::random_node).failure, Failure::range);
}

TEST(Generator, ReportsItsLastTick) {
    V7 v7;
    EXPECT_EQ(v7.generator.made(), 0u);
    EXPECT_EQ(v7.generator.last(), PreciseUnixTime{});
    EXPECT_EQ(v7.generator.ahead(), 0u);
    v7.next(method::precision);
    const auto held = v7.now();
    EXPECT_EQ(v7.generator.last(), held);
    v7.move(-1h);
    v7.next(method::precision);
    EXPECT_EQ(v7.generator.last(), held);
    EXPECT_EQ(v7.generator.made(), 2u);
    EXPECT_EQ(v7.generator.ahead(), timestamp_bits(PreciseUnixTime{} + 1h));
    const auto clock = std::exchange(v7.clock, ClockReading{-1, 0});
    v7.next(method::precision);
    EXPECT_EQ(v7.generator.ahead(), timestamp_bits(held)) << "as if the clock were at the epoch";
    v7.clock = clock;
    v7.generator.reset();
    v7.next(method::precision);
    EXPECT_EQ(v7.generator.last(), v7.now()) << "it was reset";
    EXPECT_EQ(v7.generator.ahead(), 0u);
    EXPECT_EQ(v7.generator.made(), 4u);
    v7.more = all_ones;
    for (const Method& method : {method::counter, method::monotonic_random}) {
        v7.generator.reset();
        v7.next(method);
        EXPECT_EQ(v7.generator.ahead(), 0u) << "a counter in rand_a is no time";
    }
}

// --- In a sequence that generators share ---

TEST(InSequence, WritesThePrefixThenRandomBits) {
    V7 v7;
    v7.bits = all_ones;
    std::array<Uuid, 2> made;
    std::uint64_t from = 0;
    const auto take = [&](std::uint64_t at_least, std::uint64_t count) {
        EXPECT_EQ(count, made.size());
        from = at_least;
        return std::optional{at_least + 0x1F};
    };
    EXPECT_EQ(v7.next(method::precision, made, take), Failure::none);
    EXPECT_EQ(from, timestamp_bits(v7.now()) << 4) << "the clock";
    EXPECT_EQ(v7::precise_timestamp(made[0]), v7.now() + PreciseUnixTime::duration{1});
    EXPECT_EQ(v7::counter.of(made[0]), 15u);
    EXPECT_EQ(v7::rand_b.of(made[0]), v7::rand_b.max);
    EXPECT_EQ(v7::precise_timestamp(made[1]), v7.now() + PreciseUnixTime::duration{2});
    EXPECT_EQ(v7::counter.of(made[1]), 0u);
    EXPECT_EQ(v7.generator.ahead(), 2u);
    EXPECT_EQ(v7.generator.made(), 2u);

    EXPECT_EQ(v7.next(method::numbered(0xABCD), made, take), Failure::none);
    EXPECT_EQ(v7::node_id.of(made[0]), 0xABCDu);
    EXPECT_EQ(v7::counter.of(made[0]), 15u);
}

TEST(InSequence, WritesTheCounterIntoClockSeq) {
    V6 v6;
    v6.bits = all_ones;
    std::array<Uuid, 1> made;
    const Method method = method::fixed_node(0x9F6BDECED846, 0xFFFF'FF2A);
    EXPECT_EQ(v6.next(method, made,
                      [](std::uint64_t from, std::uint64_t) { return std::optional{from + 5}; }),
              Failure::none);
    EXPECT_EQ(v6::timestamp(made[0]), v6.now());
    EXPECT_EQ(v6::clock_seq.of(made[0]), 5u << 10 | 0x32A);
    EXPECT_EQ(v6::node.of(made[0]), 0x9F6BDECED846u);
}

TEST(InSequence, IncreasesWhenAGeneratorEntersAndLeavesIt) {
    V7 v7;
    V7 other;
    Sequence<PreciseUnixTime> sequence;
    const auto take = [&](std::uint64_t from, std::uint64_t count) {
        return sequence.take(from, count);
    };
    Uuid last = nil_uuid;
    Uuid last_in_sequence = nil_uuid;
    std::array<Uuid, 3> made;
    for (int i = 0; i < 100'000; ++i) {
        if (i % 10 == 0)
            v7.move(std::chrono::nanoseconds{v7.samples.number() % 1000} - 300ns);
        if (v7.samples.number() % 2 == 0)
            v7.greater(last, method::precision);
        v7.bits = v7.samples.number();
        ASSERT_EQ(v7.next(method::precision, made, take), Failure::none);
        for (const Uuid& uuid : made) {
            ASSERT_LT(last, uuid);
            ASSERT_LT(last_in_sequence, uuid);
            last = last_in_sequence = uuid;
        }
        ASSERT_EQ(other.next(method::precision, made, take), Failure::none);
        ASSERT_LT(last_in_sequence, made[0]) << "another generator";
        last_in_sequence = made.back();
    }
}

TEST(InSequence, GoesOnBehindWhatItsGeneratorMadeWithoutIt) {
    V7 v7;
    Sequence<PreciseUnixTime> sequence;
    const auto take = [&](std::uint64_t from, std::uint64_t count) {
        return sequence.take(from, count);
    };
    std::array<Uuid, 1> made;
    EXPECT_EQ(v7.next(method::precision, made, take), Failure::none);
    v7.move(1h);
    Uuid last = made[0];
    v7.greater(last, method::precision);
    v7.move(-1h);
    EXPECT_EQ(v7.next(method::precision, made, take), Failure::none);
    EXPECT_EQ(position_of(made[0]).prefix(), position_of(last).prefix() + 1);
    EXPECT_EQ(v7.generator.last(), v7.now() + 1h);
}

TEST(InSequence, FailsLikeWithoutIt) {
    V7 v7;
    std::array<Uuid, 1> made;
    const auto take = [](std::uint64_t from, std::uint64_t) { return std::optional{from}; };
    const auto none = [](std::uint64_t, std::uint64_t) { return std::optional<std::uint64_t>{}; };
    EXPECT_EQ(v7.next(method::precision, made, none), Failure::range);
    v7.bits = std::nullopt;
    EXPECT_EQ(v7.next(method::precision, made, take), Failure::randomness);
    v7.clock = std::nullopt;
    EXPECT_EQ(v7.next(method::precision, made, take), Failure::clock);
    v7.clock = ClockReading{-1, 0};
    EXPECT_EQ(v7.next(method::precision, made, take), Failure::range);
    EXPECT_EQ(v7.generator.made(), 0u);
}

}  // namespace
}  // namespace uuidx
