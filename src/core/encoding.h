// Texts that stand for a UUID outside a database: the URN of RFC 9562 section 4, and encodings of
// the 128 bits that are shorter than hex-and-dash. Those are not in RFC 9562, so the comment of
// each names its specification.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/slice.h"
#include "core/text.h"

namespace uuidx {

/// A text of at most `max_size` characters.
template <std::size_t max_size>
struct BoundedText {
    std::array<char, max_size> characters{};
    std::size_t size = 0;

    constexpr void append(std::string_view more) {
        std::copy(more.begin(), more.end(), characters.begin() + size);
        size += more.size();
    }
    constexpr std::string_view view() const { return {characters.data(), size}; }
};

/// The text of a UUID in some encoding.
using EncodedText = BoundedText<urn_size>;

// --- URN: RFC 9562 4 ---

constexpr EncodedText to_urn(const Uuid& uuid) {
    const auto hex_and_dash = to_hex_and_dash(uuid);
    EncodedText text;
    text.append(urn_prefix);
    text.append({hex_and_dash.data(), hex_and_dash.size()});
    return text;
}

// --- ULID, TypeID, base32hex, base64url: digits of a fixed number of bits ---

/// An encoding in which each digit stands for `width` bits, the most significant first, and a text
/// has `size` digits. Bits that the UUID does not fill are zero: `spare` bits at the end of the
/// last digit, the others at the start of the first.
struct DigitEncoding {
    std::string_view digits;
    unsigned width;
    unsigned size;
    unsigned spare;
    /// Maps a character to the digit that the specification reads it as, or to itself.
    char (*canonical)(char);
};

/// Crockford's base 32 ignores case, and reads I and L as 1 and O as 0.
constexpr char crockford_digit(char c) {
    const char upper = upper_case(c);
    return upper == 'I' || upper == 'L' ? '1' : upper == 'O' ? '0' : upper;
}

/// The ULID specification: the 128-bit number in Crockford's base 32.
inline constexpr DigitEncoding ulid{"0123456789ABCDEFGHJKMNPQRSTVWXYZ", 5, 26, 0, crockford_digit};

/// The suffix of a TypeID: Crockford's base 32 with each digit written one way.
inline constexpr DigitEncoding typeid_suffix{"0123456789abcdefghjkmnpqrstvwxyz", 5, 26, 0,
                                             [](char c) { return c; }};

/// RFC 4648 7, without padding (3.2). Decoding ignores case, as in section 6. The texts sort as the
/// UUIDs do.
inline constexpr DigitEncoding base32hex{"0123456789ABCDEFGHIJKLMNOPQRSTUV", 5, 26, 2, upper_case};

/// RFC 4648 5, without padding (3.2).
inline constexpr DigitEncoding base64url{
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 6, 22, 4,
    [](char c) { return c; }};

constexpr EncodedText to_digits(const Uuid& uuid, const DigitEncoding& encoding) {
    EncodedText text{.size = encoding.size};
    std::uint64_t high = uuid.word(0);
    std::uint64_t low = uuid.word(1);
    for (unsigned i = encoding.size, spare = encoding.spare; i-- > 0; spare = 0) {
        const unsigned bits = encoding.width - spare;
        text.characters[i] = encoding.digits[(low & ((1u << bits) - 1)) << spare];
        low = low >> bits | high << (64 - bits);
        high >>= bits;
    }
    return text;
}

/// Returns nullopt if the text has another length, an invalid character, or a one where a bit must
/// be zero.
constexpr std::optional<Uuid> from_digits(std::string_view text, const DigitEncoding& encoding) {
    if (text.size() != encoding.size)
        return std::nullopt;
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    for (unsigned i = 0; i < encoding.size; ++i) {
        const auto digit = encoding.digits.find(encoding.canonical(text[i]));
        const unsigned spare = i + 1 == encoding.size ? encoding.spare : 0;
        const unsigned bits = encoding.width - spare;
        if (digit == encoding.digits.npos || (digit & ((1u << spare) - 1)) != 0 ||
            high >> (64 - bits) != 0)
            return std::nullopt;
        high = high << bits | low >> (64 - bits);
        low = low << bits | digit >> spare;
    }
    Uuid uuid;
    uuid.set_word(0, high);
    uuid.set_word(1, low);
    return uuid;
}

// --- base58: draft-msporny-base58-03, with Bitcoin's alphabet ---

namespace base58 {

inline constexpr std::string_view digits =
    "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
inline constexpr std::size_t max_size = 22;

/// The UUID as a 128-bit number in four limbs, the most significant first.
using Limbs = std::array<std::uint32_t, 4>;

constexpr std::size_t leading_zero_octets(const Uuid& uuid) {
    return std::find_if(uuid.octets.begin(), uuid.octets.end(),
                        [](std::uint8_t octet) { return octet != 0; }) -
           uuid.octets.begin();
}

/// Divides a number by 58 in place, and returns the remainder.
constexpr unsigned divide(Limbs& number) {
    std::uint64_t remainder = 0;
    for (std::uint32_t& limb : number) {
        const std::uint64_t dividend = remainder << 32 | limb;
        limb = static_cast<std::uint32_t>(dividend / digits.size());
        remainder = dividend % digits.size();
    }
    return static_cast<unsigned>(remainder);
}

/// Multiplies a number by 58 and adds a digit, in place; false if the result exceeds 128 bits.
constexpr bool multiply(Limbs& number, std::size_t digit) {
    std::uint64_t carry = digit;
    for (std::size_t i = number.size(); i-- > 0;) {
        const std::uint64_t product = number[i] * std::uint64_t{digits.size()} + carry;
        number[i] = static_cast<std::uint32_t>(product);
        carry = product >> 32;
    }
    return carry == 0;
}

}  // namespace base58

/// A 1 for each leading zero octet, then the number in base 58.
constexpr EncodedText to_base58(const Uuid& uuid) {
    base58::Limbs number{
        static_cast<std::uint32_t>(uuid.word(0) >> 32), static_cast<std::uint32_t>(uuid.word(0)),
        static_cast<std::uint32_t>(uuid.word(1) >> 32), static_cast<std::uint32_t>(uuid.word(1))};
    EncodedText text;
    while (number != base58::Limbs{})
        text.characters[text.size++] = base58::digits[base58::divide(number)];
    for (std::size_t i = base58::leading_zero_octets(uuid); i > 0; --i)
        text.characters[text.size++] = base58::digits[0];
    std::reverse(text.characters.begin(), text.characters.begin() + text.size);
    return text;
}

/// Returns nullopt if the text has an invalid character or does not stand for 16 octets.
constexpr std::optional<Uuid> from_base58(std::string_view text) {
    if (text.size() > base58::max_size)
        return std::nullopt;
    base58::Limbs number{};
    for (const char c : text) {
        const auto digit = base58::digits.find(c);
        if (digit == base58::digits.npos || !base58::multiply(number, digit))
            return std::nullopt;
    }
    Uuid uuid;
    uuid.set_word(0, std::uint64_t{number[0]} << 32 | number[1]);
    uuid.set_word(1, std::uint64_t{number[2]} << 32 | number[3]);
    const auto ones = std::min(text.find_first_not_of(base58::digits[0]), text.size());
    if (ones != base58::leading_zero_octets(uuid))
        return std::nullopt;
    return uuid;
}

// --- The encodings by name ---

/// An encoding under its name in SQL. `form` describes its texts, as the DETAIL of an error.
struct Encoding {
    std::string_view name;
    const char* form;
    EncodedText (*encode)(const Uuid&);
    std::optional<Uuid> (*decode)(std::string_view);
};

inline constexpr std::array<Encoding, 5> encodings{{
    {"urn", "A URN of a UUID is \"urn:uuid:\" and 32 hexadecimal digits with four dashes.", to_urn,
     from_urn},
    {"ulid", "A ULID has 26 digits of Crockford's base 32, and the first is at most 7.",
     [](const Uuid& uuid) { return to_digits(uuid, ulid); },
     [](std::string_view text) { return from_digits(text, ulid); }},
    {"base32hex", "A UUID in base32hex has 26 digits, and the last is a multiple of 4.",
     [](const Uuid& uuid) { return to_digits(uuid, base32hex); },
     [](std::string_view text) { return from_digits(text, base32hex); }},
    {"base58", "A UUID in base58 has 16 to 22 digits of Bitcoin's alphabet, for 16 bytes.",
     to_base58, from_base58},
    {"base64url", "A UUID in base64url has 22 digits, and the last is A, Q, g or w.",
     [](const Uuid& uuid) { return to_digits(uuid, base64url); },
     [](std::string_view text) { return from_digits(text, base64url); }},
}};

/// The encoding with this name; null if there is none.
constexpr const Encoding* encoding_named(std::string_view name) {
    for (const Encoding& encoding : encodings)
        if (encoding.name == name)
            return &encoding;
    return nullptr;
}

// --- TypeID: version 0.3 of its specification ---

/// A UUID with the type of what it identifies.
struct TypeId {
    static constexpr std::size_t max_prefix_size = 63;
    static constexpr std::size_t max_size = max_prefix_size + 1 + typeid_suffix.size;

    std::string_view prefix;
    Uuid uuid;
};

/// True for "", and for up to 63 lower-case letters and underscores that begin and end with a
/// letter.
constexpr bool is_typeid_prefix(std::string_view text) {
    return text.size() <= TypeId::max_prefix_size && !text.starts_with('_') &&
           !text.ends_with('_') && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || c == '_';
           });
}

/// The text of a TypeID with a valid prefix: the prefix and an underscore, unless the prefix is
/// empty, and the UUID.
constexpr BoundedText<TypeId::max_size> to_typeid(const TypeId& id) {
    BoundedText<TypeId::max_size> text;
    text.append(id.prefix);
    if (!id.prefix.empty())
        text.append("_");
    text.append(to_digits(id.uuid, typeid_suffix).view());
    return text;
}

/// The TypeID of a text, of which its prefix is a part; nullopt for any other text.
constexpr std::optional<TypeId> from_typeid(std::string_view text) {
    const auto separator = text.rfind('_');
    const bool has_prefix = separator != text.npos;
    const std::string_view prefix = slice(text, 0, has_prefix ? separator : 0);
    const auto uuid = from_digits(slice(text, has_prefix ? separator + 1 : 0), typeid_suffix);
    if (!uuid || !is_typeid_prefix(prefix) || (has_prefix && prefix.empty()))
        return std::nullopt;
    return TypeId{prefix, *uuid};
}

}  // namespace uuidx

#include "core/no_postgres.h"
