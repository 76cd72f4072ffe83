// Monotonic generation: RFC 9562 section 6.2.

#pragma once

#include <cstdint>
#include <optional>

#include "core/layouts.h"
#include "core/node.h"

namespace uuidx {

/// The bits of a UUID without version and variant, as a number that orders the UUIDs of a version.
/// Both version 6 and version 7 have 60 bits before the variant and 62 after it.
struct Position {
    static constexpr std::uint64_t upper_max = ~std::uint64_t{0} >> 4;
    static constexpr std::uint64_t lower_max = ~std::uint64_t{0} >> 2;

    std::uint64_t upper = 0;  ///< versions 1, 6: the timestamp; version 7: unix_ts_ms and rand_a
    std::uint64_t lower = 0;  ///< versions 1, 6: clock_seq and node; version 7: rand_b

    /// The position `distance` after this one; `distance` is at most lower_max.
    constexpr Position plus(std::uint64_t distance) const {
        const std::uint64_t sum = lower + distance;
        return {upper + (sum >> 62), sum & lower_max};
    }
};

/// How UUIDs within one clock tick are ordered: by one of the RFC's methods, or by two combined.
/// The last 48 bits of a UUID are its tail; the bits between the timestamp and the tail are its
/// counter.
struct Method {
    static constexpr std::uint64_t tail_max = 0xFFFF'FFFF'FFFF;
    static constexpr std::uint64_t counter_unit = tail_max + 1;

    /// By how much a UUID exceeds the last one, if both belong to the same tick.
    enum class Step : std::uint8_t {
        counter,  ///< one counter unit, plus the skipped ones; the tail is drawn afresh
        random,   ///< a random 48-bit number, plus one
        tick,     ///< one tick: there is no counter
    };

    Step step;
    /// The low bits of Position::upper that belong to the counter, not to the timestamp.
    std::uint64_t counter_in_upper = 0;
    /// Which bits of Position::lower are random, and the values of the others.
    std::uint64_t lower_random = Position::lower_max;
    std::uint64_t lower_fixed = 0;
    /// The most counter units that a step skips, at random: 0 or 3.
    std::uint64_t skipped = 0;
    /// How many more times the clock may be read, to leave the last UUID's tick.
    int patience = 0;

    constexpr std::uint64_t tick(std::uint64_t upper) const { return upper & ~counter_in_upper; }

    constexpr std::uint64_t lower(std::uint64_t random) const {
        return (random & lower_random) | lower_fixed;
    }

    /// The first position in the tick of `now`. The counter starts at random, with its first bit
    /// zero to guard against rollover; `more` supplies the part of it in `upper`.
    constexpr Position first(std::uint64_t now, std::uint64_t random, std::uint64_t more) const {
        if (step == Step::tick)
            return {now, lower(random)};
        if (counter_in_upper == 0)
            return {now, lower(random) & (Position::lower_max >> 1)};
        return {tick(now) | (more & counter_in_upper >> 1), lower(random)};
    }

    /// A position after `last`: in the same tick or, if the counter is full, in the next one.
    constexpr Position following(Position last, std::uint64_t random) const {
        switch (step) {
            case Step::counter:
                return with_tail(last.plus(counter_unit * (1 + (random >> 62 & skipped))), random);
            case Step::random:
                return last.plus(1 + (random & tail_max));
            case Step::tick:
                break;
        }
        return {last.upper + 1, lower(random)};
    }

  private:
    constexpr Position with_tail(Position position, std::uint64_t random) const {
        return {position.upper, (position.lower & ~tail_max) | (lower(random) & tail_max)};
    }
};

namespace method {

/// Version 7, method 3 combined with 1: rand_a is the fraction of the millisecond; rand_b is a
/// 14-bit counter and 48 random bits.
inline constexpr Method precision{.step = Method::Step::counter};

/// Version 7, method 1: rand_a and the first 14 bits of rand_b are a 26-bit counter; 48 random bits
/// follow.
inline constexpr Method counter{.step = Method::Step::counter, .counter_in_upper = v7::rand_a.max};

/// Version 7, method 2: rand_a and rand_b are one random number, which grows by random increments.
inline constexpr Method monotonic_random{.step = Method::Step::random,
                                         .counter_in_upper = v7::rand_a.max};

/// Versions 1 and 6, method 1: clock_seq is the counter, and each UUID gets a random node with the
/// multicast bit set (6.10), and the local bit too, like the nodes of uuid-ossp's
/// uuid_generate_v1mc. That leaves 46 random bits; two more, to make 48, decide how many units the
/// counter skips.
inline constexpr Method random_node{
    .step = Method::Step::counter, .lower_fixed = multicast_bit | local_bit, .skipped = 3};

/// Versions 1 and 6 with a given node. Without random bits to tell the UUIDs of several generators
/// apart, each generator has its own clock_seq, and orders its UUIDs by timestamp alone (5.1, 6.1).
/// It waits for the next tick of 100 ns: if it ran ahead of the clock, the next process with this
/// clock_seq would repeat its timestamps.
constexpr Method fixed_node(std::uint64_t node, std::uint64_t clock_seq) {
    return {.step = Method::Step::tick,
            .lower_random = 0,
            .lower_fixed = (clock_seq & v6::clock_seq.max) << v6::node.width | node,
            .patience = 1000};
}

}  // namespace method

/// The version 7 UUID with this timestamp and these 62 bits.
constexpr Uuid make_uuid(PreciseUnixTime time, std::uint64_t lower) {
    return v7::make(time, lower);
}

/// The version 6 UUID with this timestamp and these 62 bits.
constexpr Uuid make_uuid(GregorianTime time, std::uint64_t lower) {
    return v6::make(time, lower / Method::counter_unit, lower);
}

/// Why the generator returns no UUID.
enum class Failure : std::uint8_t {
    none,
    clock,       ///< the clock cannot be read
    range,       ///< the version cannot hold the time of the clock
    randomness,  ///< no random bits are available
};

/// A new UUID, or why there is none.
struct Generated {
    Uuid uuid{};
    Failure failure = Failure::none;
};

/// Generates UUIDs of version 7 (Time is PreciseUnixTime) or 6 (GregorianTime), which convert to
/// version 1. Each is greater than all before it: its position is the first one of a later tick, or
/// the last UUID's plus something greater than zero. So the order depends neither on the clock nor
/// on the method that generated the last UUID. While the clock stands still, or after it was set
/// back, the generator stays at its last tick; when the counter is full, it moves to the next tick,
/// ahead of the clock.
template <class Time>
class Generator {
  public:
    /// Returns the next UUID. `clock` returns an optional ClockReading, `random` optional 64 random
    /// bits. If one of them returns nullopt, there is no UUID, and the generator does not change.
    template <class Clock, class Random>
    constexpr Generated next(const Method& method, Clock&& clock, Random&& random) {
        const std::optional<ClockReading> reading = read(clock, method.patience);
        if (!reading)
            return {.failure = Failure::clock};
        const std::optional<Time> now = from_clock<Time>(*reading);
        // After the first UUID, a time before the epoch means that the clock was set back.
        const bool back = reading->seconds < 0 && made_ > 0;
        if (!now && !back)
            return {.failure = Failure::range};

        const std::uint64_t upper = now ? timestamp_bits(*now) : 0;
        const bool later = method.tick(upper) > last_.upper;
        const std::optional<std::uint64_t> bits = random();
        const std::optional<std::uint64_t> more =
            later && method.counter_in_upper != 0 ? random() : bits;
        if (!bits || !more)
            return {.failure = Failure::randomness};
        const Position position =
            later ? method.first(upper, *bits, *more) : method.following(last_, *bits);
        if (position.upper > Position::upper_max)
            return {.failure = Failure::range};

        last_ = position;
        last_tick_ = method.tick(position.upper);
        ++made_;
        return {.uuid = make_uuid(from_timestamp_bits<Time>(position.upper), position.lower)};
    }

    /// The tick of the last UUID; the epoch before the first one.
    constexpr Time last() const { return from_timestamp_bits<Time>(last_tick_); }

    /// How many UUIDs it has generated.
    constexpr std::uint64_t made() const { return made_; }

  private:
    /// Reads the clock, and again up to `patience` times while it is in the last UUID's tick or
    /// less than a millisecond before it.
    template <class Clock>
    constexpr std::optional<ClockReading> read(Clock&& clock, int patience) const {
        constexpr std::uint64_t millisecond = timestamp_bits(Time{} + std::chrono::milliseconds{1});
        for (;; --patience) {
            const std::optional<ClockReading> reading = clock();
            if (patience == 0 || !reading)
                return reading;
            const std::optional<Time> now = from_clock<Time>(*reading);
            if (!now || last_.upper - timestamp_bits(*now) >= millisecond)
                return reading;
        }
    }

    Position last_;
    std::uint64_t last_tick_ = 0;
    std::uint64_t made_ = 0;
};

}  // namespace uuidx

#include "core/no_postgres.h"
