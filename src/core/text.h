// The text of a UUID: RFC 9562 section 4.

#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/hex.h"
#include "core/slice.h"
#include "core/uuid.h"

namespace uuidx {

// --- Letters of ASCII, in whatever locale ---

constexpr char upper_case(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

constexpr char lower_case(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// --- The hex-and-dash form ---

inline constexpr std::size_t hex_and_dash_size = 36;

/// True for the octets that follow a dash.
constexpr bool after_dash(std::size_t octet) {
    return octet == 4 || octet == 6 || octet == 8 || octet == 10;
}

/// The text with lower-case digits, as PostgreSQL's uuid type writes it.
constexpr std::array<char, hex_and_dash_size> to_hex_and_dash(const Uuid& uuid) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<char, hex_and_dash_size> text;
    std::size_t at = 0;
    for (std::size_t i = 0; i < Uuid::size; ++i) {
        if (after_dash(i))
            text[at++] = '-';
        text[at++] = digits[uuid.octets[i] >> 4];
        text[at++] = digits[uuid.octets[i] & 0xF];
    }
    return text;
}

/// The UUID that a hex-and-dash text stands for, in either case; nullopt for any other text.
constexpr std::optional<Uuid> from_hex_and_dash(std::string_view text) {
    if (text.size() != hex_and_dash_size)
        return std::nullopt;
    Uuid uuid;
    std::size_t at = 0;
    for (std::size_t i = 0; i < Uuid::size; ++i, at += 2) {
        if (after_dash(i) && text[at++] != '-')
            return std::nullopt;
        const auto octet = hex_octet(text[at], text[at + 1]);
        if (!octet)
            return std::nullopt;
        uuid.octets[i] = *octet;
    }
    return uuid;
}

/// The UUID of a literal in hex-and-dash form. Any other text does not compile.
consteval Uuid parse(std::string_view text) {
    return *from_hex_and_dash(text);
}

/// The UUID that 32 hexadecimal digits stand for, in either case, as PostgreSQL's uuid type reads
/// them: with or without a dash after each four, and with or without braces around all. nullopt for
/// any other text.
constexpr std::optional<Uuid> from_hex_digits(std::string_view text) {
    if (text.starts_with('{') && text.ends_with('}'))
        text = slice(text, 1, text.size() - 1);
    Uuid uuid;
    for (std::size_t i = 0; i < Uuid::size; ++i) {
        if (i > 0 && i % 2 == 0 && text.starts_with('-'))
            text.remove_prefix(1);
        const auto octet = text.size() < 2 ? std::nullopt : hex_octet(text[0], text[1]);
        if (!octet)
            return std::nullopt;
        uuid.octets[i] = *octet;
        text.remove_prefix(2);
    }
    if (!text.empty())
        return std::nullopt;
    return uuid;
}

/// The text with lower-case digits and without dashes.
constexpr std::array<char, 2 * Uuid::size> to_hex_digits(const Uuid& uuid) {
    std::array<char, 2 * Uuid::size> text;
    std::ranges::copy_if(to_hex_and_dash(uuid), text.begin(), [](char c) { return c != '-'; });
    return text;
}

// --- The URN ---

inline constexpr std::string_view urn_prefix = "urn:uuid:";
inline constexpr std::size_t urn_size = urn_prefix.size() + hex_and_dash_size;

/// True if `text` begins with "urn:uuid:", in either case (RFC 8141 3.1).
constexpr bool has_urn_prefix(std::string_view text) {
    return std::ranges::equal(slice(text, 0, urn_prefix.size()), urn_prefix, {}, lower_case);
}

/// The UUID that a URN stands for; nullopt for any other text.
constexpr std::optional<Uuid> from_urn(std::string_view text) {
    if (!has_urn_prefix(text))
        return std::nullopt;
    return from_hex_and_dash(slice(text, urn_prefix.size()));
}

}  // namespace uuidx

#include "core/no_postgres.h"
