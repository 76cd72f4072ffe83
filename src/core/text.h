// UUIDs as text: RFC 9562 section 4, and the ULID.

#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/uuid.h"

namespace uuidx {

// --- 4. UUID Format: the hex-and-dash form ---

inline constexpr std::size_t hex_size = 36;

/// True for the octets that a dash stands before.
constexpr bool after_dash(std::size_t octet) {
    return octet == 4 || octet == 6 || octet == 8 || octet == 10;
}

/// The text with lower-case digits, as the RFC has it on output.
constexpr std::array<char, hex_size> to_hex(const Uuid& uuid) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<char, hex_size> text;
    std::size_t at = 0;
    for (std::size_t i = 0; i < Uuid::size; ++i) {
        if (after_dash(i))
            text[at++] = '-';
        text[at++] = digits[uuid.octets[i] >> 4];
        text[at++] = digits[uuid.octets[i] & 0xF];
    }
    return text;
}

/// The value of a hexadecimal digit, in either case; none for another character.
constexpr std::optional<unsigned> from_hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return std::nullopt;
}

/// The UUID that the hex-and-dash text stands for, in either case; none for a text of another form.
constexpr std::optional<Uuid> from_hex(std::string_view text) {
    if (text.size() != hex_size)
        return std::nullopt;
    Uuid uuid;
    std::size_t at = 0;
    for (std::size_t i = 0; i < Uuid::size; ++i) {
        if (after_dash(i) && text[at++] != '-')
            return std::nullopt;
        const auto high = from_hex_digit(text[at++]);
        const auto low = from_hex_digit(text[at++]);
        if (!high || !low)
            return std::nullopt;
        uuid.octets[i] = static_cast<std::uint8_t>(*high << 4 | *low);
    }
    return uuid;
}

/// The same of a literal: a text of another form does not compile.
consteval Uuid parse(std::string_view text) {
    return *from_hex(text);
}

// --- 4. UUID Format: the URN ---

inline constexpr std::string_view urn_prefix = "urn:uuid:";
inline constexpr std::size_t urn_size = urn_prefix.size() + hex_size;

constexpr std::array<char, urn_size> to_urn(const Uuid& uuid) {
    std::array<char, urn_size> text;
    const auto hex = to_hex(uuid);
    std::copy(hex.begin(), hex.end(),
              std::copy(urn_prefix.begin(), urn_prefix.end(), text.begin()));
    return text;
}

/// The UUID of a URN; none for another text. "urn" and the namespace are case-insensitive (RFC 8141
/// 3.1), and so are the digits.
constexpr std::optional<Uuid> from_urn(std::string_view text) {
    if (text.size() != urn_size)
        return std::nullopt;
    for (std::size_t i = 0; i < urn_prefix.size(); ++i) {
        const char c = text[i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != urn_prefix[i])
            return std::nullopt;
    }
    return from_hex(text.substr(urn_prefix.size()));
}

// --- ULID: the 128 bits in Crockford's base 32 ---

inline constexpr std::size_t ulid_size = 26;
inline constexpr std::string_view crockford_digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// 26 digits of 5 bits, the most significant first. They have two bits more than a UUID: those are
/// 0.
constexpr std::array<char, ulid_size> to_ulid(const Uuid& uuid) {
    std::array<char, ulid_size> text;
    std::uint64_t high = uuid.word(0);
    std::uint64_t low = uuid.word(1);
    for (std::size_t i = ulid_size; i-- > 0;) {
        text[i] = crockford_digits[low & 31];
        low = low >> 5 | high << 59;
        high >>= 5;
    }
    return text;
}

/// The value of one of Crockford's digits, in either case, with I and L read as 1 and O as 0; none
/// for U and for any other character.
constexpr std::optional<unsigned> from_crockford_digit(char c) {
    if (c >= 'a' && c <= 'z')
        c = static_cast<char>(c - 'a' + 'A');
    if (c == 'I' || c == 'L')
        return 1;
    if (c == 'O')
        return 0;
    const auto at = crockford_digits.find(c);
    if (at == std::string_view::npos)
        return std::nullopt;
    return static_cast<unsigned>(at);
}

/// The 128 bits of a ULID; none for a text of another length, with another character, or with more
/// than 128 bits: the first digit is at most 7.
constexpr std::optional<Uuid> from_ulid(std::string_view text) {
    if (text.size() != ulid_size)
        return std::nullopt;
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    for (const char c : text) {
        const auto digit = from_crockford_digit(c);
        if (!digit || high >> 59 != 0)
            return std::nullopt;
        high = high << 5 | low >> 59;
        low = low << 5 | *digit;
    }
    Uuid uuid;
    uuid.set_word(0, high);
    uuid.set_word(1, low);
    return uuid;
}

}  // namespace uuidx

#include "core/no_postgres.h"
