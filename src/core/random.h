// Randomness: RFC 9562 section 6.9.

#pragma once

#include <cstdint>
#include <optional>

namespace uuidx {

/// 64 bits from OpenSSL's cryptographically secure generator, which reseeds itself after a fork;
/// none when it has no entropy to give.
std::optional<std::uint64_t> random_bits();

}  // namespace uuidx

#include "core/no_postgres.h"
