// Monotonic generation: RFC 9562 section 6.2.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "core/layouts.h"
#include "core/node.h"

namespace uuidx {

/// The bits of a UUID without version and variant, as a number that orders the UUIDs of a version.
struct Position {
    /// How many bits are before the variant, and after it.
    static constexpr unsigned upper_width = v7::unix_ts_ms.width + v7::rand_a.width;
    static constexpr unsigned lower_width = v7::rand_b.width;
    static constexpr std::uint64_t upper_max = ~std::uint64_t{0} >> (64 - upper_width);
    static constexpr std::uint64_t lower_max = ~std::uint64_t{0} >> (64 - lower_width);
    /// How many bits of `lower` are in the prefix, the counter of the order of a server, and which
    /// ones follow it.
    static constexpr unsigned order_counter_width = 64 - upper_width;
    static constexpr std::uint64_t after_prefix = lower_max >> order_counter_width;

    std::uint64_t upper = 0;  ///< versions 1, 6: the timestamp; version 7: unix_ts_ms and rand_a
    std::uint64_t lower = 0;  ///< versions 1, 6: clock_seq and node; version 7: rand_b

    /// The position `distance` after this one; `distance` is at most lower_max.
    constexpr Position plus(std::uint64_t distance) const {
        const std::uint64_t sum = lower + distance;
        return {upper + (sum >> lower_width), sum & lower_max};
    }

    /// The first 64 bits: a timestamp and a counter of 4 bits. They alone decide which of two
    /// positions is greater, unless they are the same.
    constexpr std::uint64_t prefix() const {
        return upper << order_counter_width | lower >> (lower_width - order_counter_width);
    }
};
static_assert(v6::clock_seq.width + v6::node.width == Position::lower_width);
static_assert(v7::counter.width == Position::order_counter_width);

/// The position of a version 6 or 7 UUID.
constexpr Position position_of(const Uuid& uuid) {
    return {v7::unix_ts_ms.of(uuid) << v7::rand_a.width | v7::rand_a.of(uuid), v7::rand_b.of(uuid)};
}

/// How UUIDs within one clock tick are ordered: by one of the RFC's methods, or by two combined.
/// The last bits of a UUID are its tail; the bits between the timestamp and the tail are its
/// counter.
struct Method {
    /// By how much a UUID exceeds the last one, if both belong to the same tick.
    enum class Step : std::uint8_t {
        counter,  ///< one in the counter, plus the skipped ones; the tail is drawn afresh
        random,   ///< a random number as wide as the tail, plus one
    };

    /// The bits of Position::lower that belong to the counter, unless a method has another tail.
    static constexpr unsigned counter_width = v6::clock_seq.width;

    Step step;
    /// The tail.
    std::uint64_t tail = Position::lower_max >> counter_width;
    /// The bits of Position::lower that are not zero in the first position of a tick. The
    /// counter's first bit is zero to guard against rollover.
    std::uint64_t first_lower = Position::lower_max >> 1;
    /// The low bits of Position::upper that belong to the counter, not to the timestamp.
    std::uint64_t counter_in_upper = 0;
    /// Which bits of Position::lower are random, and the values of the others.
    std::uint64_t lower_random = Position::lower_max;
    std::uint64_t lower_fixed = 0;
    /// The most counter units that a step skips, at random: 0 or 3.
    std::uint64_t skipped = 0;

    constexpr std::uint64_t tick(std::uint64_t upper) const { return upper & ~counter_in_upper; }

    constexpr std::uint64_t lower(std::uint64_t random) const {
        return (random & lower_random) | lower_fixed;
    }

    /// The first position in the tick of `now`. The counter starts at random; `more` supplies the
    /// part of it in `upper`.
    constexpr Position first(std::uint64_t now, std::uint64_t random, std::uint64_t more) const {
        if (counter_in_upper == 0)
            return {now, lower(random) & first_lower};
        return {tick(now) | (more & counter_in_upper >> 1), lower(random)};
    }

    /// A position after `last`: in the same tick or, if the counter is full, in the next one.
    constexpr Position following(Position last, std::uint64_t random) const {
        if (step == Step::random)
            return last.plus(1 + (random & tail));
        const Position next = last.plus((tail + 1) * (1 + (random >> 62 & skipped)));
        return {next.upper, (next.lower & ~tail) | (lower(random) & tail)};
    }

    /// The position with this prefix, whose 4 bits after the timestamp are all of the counter.
    constexpr Position at(std::uint64_t prefix, std::uint64_t random) const {
        constexpr unsigned after = Position::lower_width - Position::order_counter_width;
        return {prefix >> Position::order_counter_width,
                (prefix << after & Position::lower_max) | (lower(random) & Position::after_prefix)};
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

/// Version 7 with the number of a server (6.4), which no other server has: `precision` with a
/// counter of 4 bits, which starts at zero, the number, and 42 random bits.
constexpr Method numbered(std::uint64_t node_id) {
    const std::uint64_t field = v7::node_id.max << v7::after_node_id.width;
    return {.step = Method::Step::counter,
            .tail = Position::after_prefix,
            .first_lower = Position::after_prefix,
            .lower_random = Position::lower_max & ~field,
            .lower_fixed = node_id << v7::after_node_id.width & field};
}

/// Versions 1 and 6 with a given node. There are no random bits to tell UUIDs apart: all processes
/// of the server take them from one Sequence. Its counter is the first 4 bits of clock_seq; the
/// others, of which this takes the last 10 bits, differ where the sequence may have been another
/// one (5.1).
constexpr Method fixed_node(std::uint64_t node, std::uint64_t clock_seq) {
    constexpr std::uint64_t rest = v6::clock_seq.max >> Position::order_counter_width;
    return {.step = Method::Step::counter,
            .lower_random = 0,
            .lower_fixed = (clock_seq & rest) << v6::node.width | node};
}

}  // namespace method

/// The version 7 UUID with this timestamp and these 62 bits.
constexpr Uuid make_uuid(PreciseUnixTime time, std::uint64_t lower) {
    return v7::make(time, lower);
}

/// The version 6 UUID with this timestamp and these 62 bits.
constexpr Uuid make_uuid(GregorianTime time, std::uint64_t lower) {
    return v6::make(time, lower >> v6::node.width, lower);
}

/// The UUID at this position: of version 7 if Time is PreciseUnixTime, of version 6 if it is
/// GregorianTime.
template <class Time>
constexpr Uuid uuid_at(Position position) {
    return make_uuid(from_timestamp_bits<Time>(position.upper), position.lower);
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
        const Now now = read(clock);
        if (now.failure != Failure::none)
            return {.failure = now.failure};
        const bool later = method.tick(now.upper) > last_.upper;
        const std::optional<std::uint64_t> bits = random();
        const std::optional<std::uint64_t> more =
            later && method.counter_in_upper != 0 ? random() : bits;
        if (!bits || !more)
            return {.failure = Failure::randomness};
        const Position position =
            later ? method.first(now.upper, *bits, *more) : method.following(last_, *bits);
        if (position.upper > Position::upper_max)
            return {.failure = Failure::range};
        set_last(position, method, now.upper);
        in_sequence_ = false;
        ++made_;
        return {.uuid = uuid_at<Time>(position)};
    }

    /// Fills `made` with UUIDs of a sequence that other processes share, and returns why it does
    /// not. `take` is like Sequence::take. They are also greater than those that this generator
    /// made without the sequence. If there are none, the generator does not change.
    template <class Clock, class Random, class Take>
    constexpr Failure next(const Method& method, Clock&& clock, Random&& random, Take&& take,
                           std::span<Uuid> made) {
        const Now now = read(clock);
        if (now.failure != Failure::none)
            return now.failure;
        const std::uint64_t behind = in_sequence_ ? 0 : last_.prefix() + 1;
        const std::optional<std::uint64_t> first =
            take(std::max(now.upper << Position::order_counter_width, behind), made.size());
        if (!first)
            return Failure::range;
        Position position;
        for (std::uint64_t prefix = *first; Uuid & uuid : made) {
            const std::optional<std::uint64_t> bits = random();
            if (!bits)
                return Failure::randomness;
            position = method.at(prefix++, *bits);
            uuid = uuid_at<Time>(position);
        }
        set_last(position, method, now.upper);
        in_sequence_ = true;
        made_ += made.size();
        return Failure::none;
    }

    /// Forgets the last UUID: the next one has the time of the clock.
    constexpr void reset() { last_ = {}; }

    /// The tick of the last UUID; the epoch before the first one.
    constexpr Time last() const { return from_timestamp_bits<Time>(last_tick_); }

    /// How many UUIDs it has generated.
    constexpr std::uint64_t made() const { return made_; }

    /// How far the last UUID was ahead of the clock, in timestamp units.
    constexpr std::uint64_t ahead() const { return ahead_; }

  private:
    struct Now {
        std::uint64_t upper = 0;
        Failure failure = Failure::none;
    };

    /// The timestamp of the clock. After the first UUID, a time before the epoch means that the
    /// clock was set back.
    template <class Clock>
    constexpr Now read(Clock&& clock) const {
        const std::optional<ClockReading> reading = clock();
        if (!reading)
            return {.failure = Failure::clock};
        const std::optional<Time> now = from_clock<Time>(*reading);
        if (!now && (reading->seconds >= 0 || made_ == 0))
            return {.failure = Failure::range};
        return {.upper = now ? timestamp_bits(*now) : 0};
    }

    constexpr void set_last(Position position, const Method& method, std::uint64_t now) {
        last_ = position;
        last_tick_ = method.tick(position.upper);
        ahead_ = last_tick_ > now ? last_tick_ - now : 0;
    }

    Position last_;
    std::uint64_t last_tick_ = 0;
    std::uint64_t ahead_ = 0;
    std::uint64_t made_ = 0;
    bool in_sequence_ = false;  ///< whether the last UUID is one of the sequence
};

}  // namespace uuidx

#include "core/no_postgres.h"
