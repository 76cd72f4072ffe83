// Version 1 to version 6 and back: RFC 9562 section 5.6. Version 6 has the same fields as
// version 1, with those of the timestamp in another order.

#pragma once

#include <optional>

#include "core/layouts.h"

namespace uuidx {

/// The version 6 UUID with the same timestamp, clock_seq and node; nullopt unless `uuid` has
/// version 1.
constexpr std::optional<Uuid> v1_to_v6(const Uuid& uuid) {
    if (!is_version(uuid, 1))
        return std::nullopt;
    return v6::make(v1::timestamp(uuid), v1::clock_seq.of(uuid), v1::node.of(uuid));
}

/// The inverse of v1_to_v6; nullopt unless `uuid` has version 6.
constexpr std::optional<Uuid> v6_to_v1(const Uuid& uuid) {
    if (!is_version(uuid, 6))
        return std::nullopt;
    return v1::make(v6::timestamp(uuid), v6::clock_seq.of(uuid), v6::node.of(uuid));
}

}  // namespace uuidx

#include "core/no_postgres.h"
