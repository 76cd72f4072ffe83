// Hexadecimal digits, in the texts of UUIDs and of nodes.

#pragma once

#include <cstdint>
#include <optional>

namespace uuidx {

/// The value of a hexadecimal digit, in either case; nullopt for any other character.
constexpr std::optional<unsigned> hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return std::nullopt;
}

/// The octet that two hexadecimal digits stand for; nullopt for any other characters.
constexpr std::optional<std::uint8_t> hex_octet(char first, char second) {
    const auto high = hex_digit(first);
    const auto low = hex_digit(second);
    if (!high || !low)
        return std::nullopt;
    return static_cast<std::uint8_t>(*high << 4 | *low);
}

}  // namespace uuidx

#include "core/no_postgres.h"
