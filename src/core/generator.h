// Monotonic generation: RFC 9562 section 6.2.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/layouts.h"

namespace uuidx {

/// Makes version 7 UUIDs, each greater than all before it: the fraction of the millisecond in
/// rand_a (6.2 method 3), then a counter of 14 bits that orders the UUIDs of one tick of 1/4096 ms,
/// then 48 random bits.
///
/// The counter of a new tick starts at random in its lower half. While the clock stands still or
/// has been set back, the generator keeps its last tick and counts on; when the counter is full it
/// moves to the next tick, ahead of the clock (6.2, Counter Rollover Handling).
class Generator {
  public:
    /// The next UUID. `now` is what the clock reads; `random` is 64 random bits, drawn for this
    /// call. None if `now` or the tick after the last one is outside the 60 bits of a timestamp
    /// with its fraction: before 1970 or after 10889.
    constexpr std::optional<Uuid> next(PreciseUnixTime now, std::uint64_t random) {
        if (now.time_since_epoch().count() < 0)
            return std::nullopt;
        Position next{count(now), random >> Tail::width & (Counter::max >> 1)};
        if (next.tick <= last_.tick)
            next = following(last_);
        if (next.tick > tick_max)
            return std::nullopt;
        last_ = next;
        return v7::make(precise_unix_time(next.tick),
                        next.counter << Tail::width | (random & Tail::max));
    }

  private:
    using Counter = Bits<66, 79>;
    using Tail = Bits<80, 127>;
    static_assert(Counter::width + Tail::width == v7::rand_b.width);

    static constexpr std::uint64_t tick_max = ~std::uint64_t{0} >>
                                              (64 - v7::unix_ts_ms.width - v7::rand_a.width);

    struct Position {
        std::uint64_t tick;
        std::uint64_t counter;
    };

    static constexpr Position following(Position last) {
        if (last.counter < Counter::max)
            return {last.tick, last.counter + 1};
        return {last.tick + 1, 0};
    }

    Position last_{0, 0};
};

}  // namespace uuidx

#include "core/no_postgres.h"
