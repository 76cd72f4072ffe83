// Masks UUIDs: encrypts all of a UUID but its version and variant, so that it looks random. FF1 is
// a permutation, so no two UUIDs of one version have the same mask.

#pragma once

#include <optional>

#include "core/ff1.h"
#include "core/layouts.h"

namespace uuidx {

namespace mask_bits {

/// The 122 bits of a version 4 UUID that are random, in order: 61 for each half.
using Permutation = Ff1<2, 122>;
inline constexpr Bits<66, 66> random_c_first;
inline constexpr Bits<67, 127> random_c_rest;

constexpr Permutation::Halves halves(const Uuid& uuid) {
    return {join(uuid, v4::random_a, v4::random_b, random_c_first), random_c_rest.of(uuid)};
}

constexpr Uuid with_halves(Permutation::Halves halves, unsigned version) {
    Uuid uuid;
    split(uuid, halves.a, v4::random_a, v4::random_b, random_c_first);
    random_c_rest.set(uuid, halves.b);
    return with_version(uuid, version);
}

}  // namespace mask_bits

/// The mask of `uuid`: a version 4 UUID. The version and variant of `uuid` are not part of it.
/// Returns nullopt if OpenSSL fails.
inline std::optional<Uuid> mask(const Uuid& uuid, const Aes& aes, Octets tweak) {
    const auto masked = mask_bits::Permutation{aes, tweak}.encrypt(mask_bits::halves(uuid));
    if (!masked)
        return std::nullopt;
    return mask_bits::with_halves(*masked, 4);
}

/// The UUID of this version whose mask is `uuid`, whatever its version and variant.
inline std::optional<Uuid> unmask(const Uuid& uuid, const Aes& aes, Octets tweak,
                                  unsigned version) {
    const auto unmasked = mask_bits::Permutation{aes, tweak}.decrypt(mask_bits::halves(uuid));
    if (!unmasked)
        return std::nullopt;
    return mask_bits::with_halves(*unmasked, version);
}

}  // namespace uuidx

#include "core/no_postgres.h"
