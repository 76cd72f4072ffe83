// The layout of version 7 before RFC 9562: draft-peabody-dispatch-new-uuid-format-01, section 4.4.

#pragma once

#include "core/layouts.h"

namespace uuidx::draft01 {

/// 4.4. UUIDv7 Layout and Bit Order: seconds, then a binary fraction of a second, of as many bits
/// as the maker had.
namespace v7 {

inline constexpr Bits<0, 35> unixts;
inline constexpr Bits<36, 47> subsec_a;
inline constexpr Bits<52, 63> subsec_b;
inline constexpr Bits<66, 127> subsec_seq_node;
static_assert(tile_a_uuid(unixts, subsec_a, ver, subsec_b, var, subsec_seq_node));

/// 4.4.4.2. UUIDv7 Decoding: of the fraction, the 24 bits that microseconds take. They stand for an
/// interval of 60 ns. This is the last whole microsecond before the end of that interval, so that
/// one that was written into a UUID, and rounded down, is read back as it was.
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
