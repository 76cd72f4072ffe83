// Version 7 as draft-peabody-dispatch-new-uuid-format-01 defined it, in section 4.4.

#pragma once

#include "core/layouts.h"

namespace uuidx::draft01 {

/// 4.4. UUIDv7 Layout and Bit Order: seconds since 1970, then a binary fraction of a second with as
/// many bits as the generator chooses.
namespace v7 {

inline constexpr Bits<0, 35> unixts;
inline constexpr Bits<36, 47> subsec_a;
inline constexpr Bits<52, 63> subsec_b;
inline constexpr Bits<66, 127> subsec_seq_node;
static_assert(tile_a_uuid(unixts, subsec_a, ver, subsec_b, var, subsec_seq_node));

/// 4.4.4.2. UUIDv7 Decoding: reads 24 bits of the fraction, which is enough for microseconds. They
/// stand for an interval of 60 ns. As a generator rounds down, this returns the last whole
/// microsecond before the end of that interval: the microsecond that was written.
constexpr Microseconds timestamp(const Uuid& uuid) {
    const std::uint64_t end_of_interval = join(uuid, subsec_a, subsec_b) + 1;
    const std::uint64_t microseconds =
        (end_of_interval * 1'000'000 - 1) >> (subsec_a.width + subsec_b.width);
    return std::chrono::sys_seconds{std::chrono::seconds{unixts.of(uuid)}} +
           std::chrono::microseconds{microseconds};
}

}  // namespace v7

}  // namespace uuidx::draft01

#include "core/no_postgres.h"
