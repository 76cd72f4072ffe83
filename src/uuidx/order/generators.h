// The generators of this process, shared by all functions. A parallel worker has its own.

#pragma once

#include "core/clock.h"
#include "core/generator.h"
#include "core/random.h"
#include "core/sequence.h"

#include "server/shim.h"
#include "uuidx/order/settings.h"

namespace uuidx::pg {

extern RandomPool<> pool;
extern Generator<PreciseUnixTime> v7_generator;
/// Generates versions 1 and 6, which hold the same fields in another order. Sharing a generator
/// keeps a version 6 UUID from equaling a converted version 1 UUID.
extern Generator<GregorianTime> gregorian_generator;

/// 64 random bits for this process; nullopt if OpenSSL has none.
inline constexpr auto draw = [] { return pool.draw(MyProcPid); };

/// Reports 58000, or 22008 if `version` cannot hold the time of the clock.
[[noreturn]] void report(Failure failure, int version = 0);

/// 64 random bits; 58000 if there are none.
inline std::uint64_t random_bits() {
    const auto random = draw();
    if (unlikely(!random))
        report(Failure::randomness);
    return *random;
}

/// Warns, once in this process, that the generator of `version` stays at `last`.
void warn_of_clock(Microseconds last, int version);

/// Warns if the generator's last UUID is further ahead of the clock than uuidx.max_clock_ahead.
template <class Time>
void check_clock(const Generator<Time>& generator, int version) {
    constexpr std::uint64_t millisecond = timestamp_bits(Time{} + std::chrono::milliseconds{1});
    // As an unsigned number, -1 is more than any generator is ahead.
    if (unlikely(generator.ahead() > max_clock_ahead * millisecond))
        warn_of_clock(to_microseconds(generator.last()), version);
}

/// The next version 6 UUID with the node of uuidx.node, as `version`, which is 6 or 1; 22023 if it
/// cannot be used, 55000 if a fixed node needs what the server lacks; errors as in report().
Uuid next_gregorian(int version = 6);

/// A version 7 UUID with this timestamp, all other bits random except those of the server's number;
/// 22023 if the number cannot be used.
Uuid v7_at(PreciseUnixTime time);

/// The version 7 UUID of uuid_generate_v7_at; its errors.
Uuid v7_at(TimestampTz time);

/// The generator's next UUID; errors as in report().
template <class Time, class Clock>
Uuid next(Generator<Time>& generator, const Method& method, Clock&& clock,
          int version = version_of<Time>) {
    const Generated generated = generator.next(method, clock, draw);
    if (unlikely(generated.failure != Failure::none))
        report(generated.failure, version);
    check_clock(generator, version);
    return generated.uuid;
}

}  // namespace uuidx::pg
