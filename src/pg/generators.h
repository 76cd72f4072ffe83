// What this process generates UUIDs from, for all functions that do. A parallel worker has its own.

#pragma once

#include "core/clock.h"
#include "core/generator.h"
#include "core/random.h"

#include "pg/shim.h"

namespace uuidx::pg {

extern RandomPool<> pool;
extern Generator<PreciseUnixTime> v7_generator;
/// Of versions 1 and 6, which are one and the same but for the order of their bits: so no UUID of
/// one is a UUID of the other, converted.
extern Generator<GregorianTime> gregorian_generator;

/// 64 random bits for this process; none if there are none to be had.
inline constexpr auto draw = [] { return pool.draw(MyProcPid); };

/// 58000, or 22008 for a clock outside the times of `version`.
[[noreturn]] void report(Failure failure, int version = 0);

/// 64 random bits, or an error.
inline std::uint64_t random_bits() {
    const auto random = draw();
    if (unlikely(!random))
        report(Failure::randomness);
    return *random;
}

/// The generator's next UUID, or an error.
template <class Time, class Clock>
Uuid next(Generator<Time>& generator, const Method& method, Clock&& clock,
          int version = version_of<Time>) {
    const Generated generated = generator.next(method, clock, draw);
    if (unlikely(generated.failure != Failure::none))
        report(generated.failure, version);
    return generated.uuid;
}

}  // namespace uuidx::pg
