// Monotonic generation: RFC 9562 section 6.2.

#pragma once

#include <cstdint>
#include <optional>

#include "core/layouts.h"
#include "core/node.h"

namespace uuidx {

/// Where a UUID stands among those of its version: its bits without version and variant. In
/// versions 6 and 7 alike, 60 of them come before the variant and 62 after it.
struct Position {
    static constexpr std::uint64_t upper_max = ~std::uint64_t{0} >> 4;
    static constexpr std::uint64_t lower_max = ~std::uint64_t{0} >> 2;

    std::uint64_t upper = 0;  ///< versions 1, 6: the timestamp; version 7: unix_ts_ms and rand_a
    std::uint64_t lower = 0;  ///< versions 1, 6: clock_seq and node; version 7: rand_b

    /// The position that is `distance`, at most lower_max, after this one.
    constexpr Position plus(std::uint64_t distance) const {
        const std::uint64_t sum = lower + distance;
        return {upper + (sum >> 62), sum & lower_max};
    }
};

/// How the UUIDs of one tick of the clock are ordered: one of the RFC's methods, or two of them.
/// The last 48 bits of a UUID are its tail; what is between the clock and the tail is its counter.
struct Method {
    static constexpr std::uint64_t tail_max = 0xFFFF'FFFF'FFFF;
    static constexpr std::uint64_t counter_unit = tail_max + 1;

    /// What a UUID of the same tick is greater by than the last one.
    enum class Step : std::uint8_t {
        counter,  ///< a unit of the counter, and those that it skips; the tail is drawn afresh
        random,   ///< a random number of 48 bits, plus one
        tick,     ///< a tick: there is no counter
    };

    Step step;
    /// The low bits of Position::upper that belong to the counter and not to the clock.
    std::uint64_t counter_in_upper = 0;
    /// The bits of Position::lower that are random, and the values of the others.
    std::uint64_t lower_random = Position::lower_max;
    std::uint64_t lower_fixed = 0;
    /// How many units the counter skips at most, at random: 0 or 3.
    std::uint64_t skipped = 0;
    /// How often the clock is read again, at most, until it has left the last UUID's tick.
    int patience = 0;

    constexpr std::uint64_t tick(std::uint64_t upper) const { return upper & ~counter_in_upper; }

    constexpr std::uint64_t lower(std::uint64_t random) const {
        return (random & lower_random) | lower_fixed;
    }

    /// The first position of the tick that `now` is in. The counter starts at random, but for its
    /// first bit, which is zero to guard against rollover; `more` is for its part in `upper`.
    constexpr Position first(std::uint64_t now, std::uint64_t random, std::uint64_t more) const {
        if (step == Step::tick)
            return {now, lower(random)};
        if (counter_in_upper == 0)
            return {now, lower(random) & (Position::lower_max >> 1)};
        return {tick(now) | (more & counter_in_upper >> 1), lower(random)};
    }

    /// A position after `last`: in the same tick or, where the counter is full, in the next.
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

/// Version 7, method 3 and then 1: rand_a is the fraction of the millisecond; a counter of 14 bits
/// and 48 random bits follow.
inline constexpr Method precision{.step = Method::Step::counter};

/// Version 7, method 1: a counter of 26 bits, rand_a and the first 14 of rand_b; 48 random bits.
inline constexpr Method counter{.step = Method::Step::counter, .counter_in_upper = v7::rand_a.max};

/// Version 7, method 2: rand_a and rand_b are one random number, which grows by random numbers.
inline constexpr Method monotonic_random{.step = Method::Step::random,
                                         .counter_in_upper = v7::rand_a.max};

/// Versions 1 and 6, method 1: the clock sequence is the counter, and each UUID gets a random node.
/// It has the multicast bit set (6.10) and the local bit too, as the nodes of uuid-ossp's
/// uuid_generate_v1mc have. That leaves 46 bits to draw for it; the other two of 48 decide how many
/// units the counter skips.
inline constexpr Method random_node{
    .step = Method::Step::counter, .lower_fixed = multicast_bit | local_bit, .skipped = 3};

/// Versions 1 and 6 with a node that is given. With no random bits to tell the UUIDs of several
/// generators apart, each has a clock sequence of its own, and orders its UUIDs by the timestamp
/// alone (5.1, 6.1). So it waits for the next tick of 100 ns: a generator that moved on by itself,
/// as fast as it is asked, would leave behind timestamps that its successor makes again.
constexpr Method fixed_node(std::uint64_t node, std::uint64_t clock_seq) {
    return {.step = Method::Step::tick,
            .lower_random = 0,
            .lower_fixed = (clock_seq & v6::clock_seq.max) << v6::node.width | node,
            .patience = 1000};
}

}  // namespace method

/// The version 7 UUID of this time with these 62 bits.
constexpr Uuid make_uuid(PreciseUnixTime time, std::uint64_t lower) {
    return v7::make(time, lower);
}

/// The version 6 UUID of this time with these 62 bits.
constexpr Uuid make_uuid(GregorianTime time, std::uint64_t lower) {
    return v6::make(time, lower / Method::counter_unit, lower);
}

/// Why there is no UUID.
enum class Failure : std::uint8_t {
    none,
    clock,       ///< the clock cannot be read
    range,       ///< the clock is outside the times that the version can hold
    randomness,  ///< there are no random bits to be had
};

/// A UUID, or why there is none.
struct Generated {
    Uuid uuid{};
    Failure failure = Failure::none;
};

/// Makes UUIDs of version 7 (Time is PreciseUnixTime) or 6 (GregorianTime), of which version 1 is
/// another form. Each is greater than all before it: its position is the first one of a later
/// tick, or the last UUID's plus something greater than zero. So the order depends neither on the
/// clock nor on the method by which the last one was made. While the clock stands still, or after
/// it was set back, the generator stays at its last tick; when that one's counter is full it moves
/// on by a tick, ahead of the clock.
template <class Time>
class Generator {
  public:
    /// The next UUID. `clock` returns an optional ClockReading, `random` an optional of 64 random
    /// bits. When one of them returns none, there is no UUID, and the generator is as it was.
    template <class Clock, class Random>
    constexpr Generated next(const Method& method, Clock&& clock, Random&& random) {
        const std::optional<ClockReading> reading = read(clock, method.patience);
        if (!reading)
            return {.failure = Failure::clock};
        const std::optional<Time> now = from_clock<Time>(*reading);
        // A clock that was set back beyond the first time of all is one that was set back.
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

    /// The tick that the last UUID was made in, the epoch before the first one.
    constexpr Time last() const { return from_timestamp_bits<Time>(last_tick_); }

    /// How many UUIDs it made.
    constexpr std::uint64_t made() const { return made_; }

  private:
    /// What the clock reads. Within a millisecond of the last UUID's tick, which it may come to
    /// leave, it is read again.
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
