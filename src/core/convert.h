// Version 1 to version 6 and back: RFC 9562 section 5.6, which keeps every field of version 1 and
// reorders those of the timestamp.

#pragma once

#include <optional>

#include "core/layouts.h"

namespace uuidx {

/// The version 6 UUID with the timestamp, clock sequence and node of this version 1 UUID; none for
/// a UUID of another version or variant.
constexpr std::optional<Uuid> v1_to_v6(const Uuid& uuid) {
    if (!is_version(uuid, 1))
        return std::nullopt;
    return v6::make(v1::timestamp(uuid), v1::clock_seq.of(uuid), v1::node.of(uuid));
}

/// The inverse of v1_to_v6; none for a UUID of another version or variant than version 6.
constexpr std::optional<Uuid> v6_to_v1(const Uuid& uuid) {
    if (!is_version(uuid, 6))
        return std::nullopt;
    return v1::make(v6::timestamp(uuid), v6::clock_seq.of(uuid), v6::node.of(uuid));
}

}  // namespace uuidx

#include "core/no_postgres.h"
