// The UUID as a value: RFC 9562 section 4.

#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace uuidx {

/// Octets that the caller owns.
using Octets = std::span<const std::uint8_t>;

/// Any 16 octets, in network byte order (RFC 9562 4).
struct Uuid {
    static constexpr std::size_t size = 16;

    std::array<std::uint8_t, size> octets{};

    /// Compares octet by octet, as unsigned numbers: the order of RFC 9562 6.11 and of PostgreSQL's
    /// uuid.
    friend constexpr auto operator<=>(const Uuid&, const Uuid&) = default;

    /// Bits 0 to 63 (which = 0) or 64 to 127 (which = 1) as a number.
    constexpr std::uint64_t word(unsigned which) const {
        return big_endian(std::bit_cast<Words>(octets)[which]);
    }

    constexpr void set_word(unsigned which, std::uint64_t value) {
        auto words = std::bit_cast<Words>(octets);
        words[which] = big_endian(value);
        octets = std::bit_cast<decltype(octets)>(words);
    }

  private:
    using Words = std::array<std::uint64_t, 2>;

    static constexpr std::uint64_t big_endian(std::uint64_t value) {
        static_assert(std::endian::native == std::endian::little ||
                      std::endian::native == std::endian::big);
        return std::endian::native == std::endian::little ? __builtin_bswap64(value) : value;
    }
};

/// Bits First to Last of a UUID, both included, numbered as in the RFC's figures: bit 0 is the most
/// significant bit of octet 0. No field of the RFC crosses from bit 63 to bit 64.
template <unsigned First, unsigned Last>
struct Bits {
    static_assert(First <= Last && Last < 128 && First / 64 == Last / 64);

    static constexpr unsigned first = First;
    static constexpr unsigned last = Last;
    static constexpr unsigned width = Last - First + 1;
    static constexpr std::uint64_t max = ~std::uint64_t{0} >> (64 - width);

    /// The field's value in `uuid`.
    static constexpr std::uint64_t of(const Uuid& uuid) {
        return uuid.word(First / 64) >> shift & max;
    }

    /// Sets the field to the `width` least significant bits of `value`.
    static constexpr void set(Uuid& uuid, std::uint64_t value) {
        const std::uint64_t others = uuid.word(First / 64) & ~(max << shift);
        uuid.set_word(First / 64, others | (value & max) << shift);
    }

  private:
    static constexpr unsigned shift = 63 - Last % 64;
};

// --- 4.1. Variant Field ---

enum class Variant : std::uint8_t {
    ncs,        ///< 0xxx: Network Computing System backward compatibility, and the Nil UUID
    rfc9562,    ///< 10xx: the variant that RFC 9562 specifies
    microsoft,  ///< 110x: Microsoft Corporation backward compatibility
    future,     ///< 111x: reserved for future definition, and the Max UUID
};

/// The variant: the most significant bits of octet 8 (RFC 9562 4.1, table 1).
constexpr Variant variant(const Uuid& uuid) {
    switch (std::countl_one(uuid.octets[8])) {
        case 0:
            return Variant::ncs;
        case 1:
            return Variant::rfc9562;
        case 2:
            return Variant::microsoft;
        default:
            return Variant::future;
    }
}

// --- 4.2. Version Field ---

/// The version and variant fields of RFC 9562's variant.
inline constexpr Bits<48, 51> ver;
inline constexpr Bits<64, 65> var;

/// The version, 0 to 15 (RFC 9562 4.2, table 2); nullopt for the other variants, which have no
/// version.
constexpr std::optional<std::uint8_t> version(const Uuid& uuid) {
    if (variant(uuid) != Variant::rfc9562)
        return std::nullopt;
    return static_cast<std::uint8_t>(ver.of(uuid));
}

/// True if `uuid` has RFC 9562's variant and this version.
constexpr bool is_version(const Uuid& uuid, unsigned wanted) {
    return version(uuid) == wanted;
}

/// `uuid` with version `number` and RFC 9562's variant.
constexpr Uuid with_version(Uuid uuid, unsigned number) {
    ver.set(uuid, number);
    var.set(uuid, 0b10);
    return uuid;
}

}  // namespace uuidx

#include "core/no_postgres.h"
