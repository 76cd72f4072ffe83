// The ways in which texts of applications spell UUIDs, so that another UUID can take the place of
// one in the same spelling.

#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/encoding.h"

namespace uuidx {

/// The UUID that a text stands for, as hexadecimal digits or as a ULID: the length decides which.
constexpr std::optional<Uuid> from_digits_or_ulid(std::string_view text) {
    return text.size() == ulid.size ? from_digits(text, ulid) : from_hex_digits(text);
}

/// The UUID as a text of at most `size` characters: with dashes, without them, or as a ULID,
/// whichever is the longest that fits; a ULID if none does.
constexpr EncodedText to_text_of_size(const Uuid& uuid, std::size_t size) {
    if (size < 2 * Uuid::size)
        return to_digits(uuid, ulid);
    EncodedText text;
    if (size < hex_and_dash_size) {
        const auto digits = to_hex_digits(uuid);
        text.append({digits.data(), digits.size()});
    } else {
        const auto hex_and_dash = to_hex_and_dash(uuid);
        text.append({hex_and_dash.data(), hex_and_dash.size()});
    }
    return text;
}

/// How a text writes a UUID, so that another can be written in its place: with dashes, without them
/// or as a ULID, in one case, and with or without braces or "urn:uuid:". A text without letters
/// counts as lower case.
struct Spelling {
    Uuid uuid;
    std::size_t begin;  ///< of the digits, after a brace or "urn:uuid:"
    std::size_t size;   ///< of the digits
    bool is_upper;
    bool has_letters;

    constexpr EncodedText digits_of(const Uuid& other) const {
        EncodedText digits = to_text_of_size(other, size);
        std::ranges::transform(digits.characters, digits.characters.begin(),
                               is_upper ? upper_case : lower_case);
        return digits;
    }
};

/// Returns nullopt if the text is not one of these, such as one in both cases.
constexpr std::optional<Spelling> spelling_of(std::string_view text) {
    const bool in_braces = text.starts_with('{') && text.ends_with('}');
    const std::size_t begin = in_braces ? 1 : has_urn_prefix(text) ? urn_prefix.size() : 0;
    const auto digits = slice(text, begin, text.size() - in_braces);
    const auto uuid = from_digits_or_ulid(digits);
    if (!uuid)
        return std::nullopt;
    const auto has_other = [&](char (*to_case)(char)) {
        return std::ranges::any_of(digits, [&](char c) { return to_case(c) != c; });
    };
    const bool is_upper = has_other(lower_case);
    const Spelling spelling{*uuid, begin, digits.size(), is_upper,
                            is_upper || has_other(upper_case)};
    return spelling.digits_of(*uuid).view() == digits ? std::optional{spelling} : std::nullopt;
}

/// Whether two texts that stand for UUIDs are written in the same way. One without letters may
/// have either case.
constexpr bool are_spelled_alike(std::string_view a, std::string_view b) {
    const auto of_a = spelling_of(a);
    const auto of_b = spelling_of(b);
    return of_a && of_b && of_a->size == of_b->size &&
           slice(a, 0, of_a->begin) == slice(b, 0, of_b->begin) && a.size() == b.size() &&
           (of_a->is_upper == of_b->is_upper || !of_a->has_letters || !of_b->has_letters);
}

}  // namespace uuidx

#include "core/no_postgres.h"
