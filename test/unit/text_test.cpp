// RFC 9562 section 4: the text of a UUID.

#include "core/text.h"

#include <gtest/gtest.h>

#include <string>

#include "samples.h"

namespace uuidx {
namespace {

TEST(Slice, IsThePartThatTheTextHas) {
    EXPECT_EQ(slice("uuid", 1, 3), "ui");
    EXPECT_EQ(slice("uuid", 2), "id");
    EXPECT_EQ(slice("uuid", 0, 9), "uuid");
    EXPECT_EQ(slice("uuid", 3, 2), "");
    EXPECT_EQ(slice("uuid", 9), "");
    EXPECT_EQ(slice("", 0, 0), "");
}

TEST(Text, ParsesEitherCase) {
    constexpr Uuid lower = parse("f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
    constexpr Uuid upper = parse("F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6");
    constexpr std::array<std::uint8_t, 16> octets = {0xf8, 0x1d, 0x4f, 0xae, 0x7d, 0xec,
                                                     0x11, 0xd0, 0xa7, 0x65, 0x00, 0xa0,
                                                     0xc9, 0x1e, 0x6b, 0xf6};
    EXPECT_EQ(lower, upper);
    EXPECT_EQ(lower.octets, octets);
}

TEST(Text, ReadsAUrnInEitherCase) {
    EXPECT_EQ(from_urn("Urn:uuID:F81D4FAE-7dec-11d0-a765-00a0c91e6bf6"),
              parse("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"));
}

TEST(Text, RejectsOtherCharacters) {
    const std::string urn = "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6";
    for (int c = -128; c < 128; ++c) {
        const bool is_hex = isxdigit(static_cast<unsigned char>(c)) != 0 && c > 0;
        for (std::size_t at = 0; at < urn.size(); ++at) {
            std::string text = urn;
            text[at] = static_cast<char>(c);
            const bool digit = at >= urn_prefix.size() && urn[at] != '-';
            const bool same = c == urn[at] || (at < urn_prefix.size() && isalpha(urn[at]) != 0 &&
                                               c == toupper(urn[at]));
            EXPECT_EQ(from_urn(text).has_value(), digit ? is_hex : same) << text;
        }
    }
}

TEST(Text, RejectsOtherLengths) {
    const std::string longer =
        "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6" + std::string(60, '0');
    for (std::size_t size = 0; size < 60; ++size)
        EXPECT_EQ(from_urn(longer.substr(0, size)).has_value(), size == urn_size);
}

TEST(Text, ReadsDigitsWithDashesAndBraces) {
    constexpr Uuid uuid = parse("f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
    for (const char* const text :
         {"f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "F81D4FAE7DEC11D0A76500A0C91E6BF6",
          "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}", "f81d-4fae-7dec-11d0-a765-00a0-c91e-6bf6",
          "{F81d4fae-7dec11d0a76500a0c91e6bf6}"})
        EXPECT_EQ(from_hex_digits(text), uuid) << text;
    for (const char* const text :
         {"", "{}", "{", "{f81d4fae7dec11d0a76500a0c91e6bf6", "f81d4fae7dec11d0a76500a0c91e6bf6}",
          "{f81d4fae7dec11d0a76500a0c91e6bf6f", "ff81d4fae7dec11d0a76500a0c91e6bf6}",
          "{{f81d4fae7dec11d0a76500a0c91e6bf6}}", "f8-1d4fae7dec11d0a76500a0c91e6bf6",
          "-f81d4fae7dec11d0a76500a0c91e6bf6", "f81d4fae7dec11d0a76500a0c91e6bf6-",
          "f81d--4fae7dec11d0a76500a0c91e6bf6", "f81d4fae7dec11d0a76500a0c91e6bf",
          "f81d4fae7dec11d0a76500a0c91e6bf6f8", "f81d4fae7dec11d0a76500a0c91e6bfg"})
        EXPECT_EQ(from_hex_digits(text), std::nullopt) << text;
}

TEST(Text, ReadsWhatItWrites) {
    Samples samples;
    for (int i = sample_count(20'000, 100'000); i > 0; --i) {
        const Uuid uuid = samples.any();
        const auto text = to_hex_and_dash(uuid);
        EXPECT_EQ(from_hex_and_dash({text.data(), text.size()}), uuid);
        EXPECT_EQ(from_hex_digits({text.data(), text.size()}), uuid);
        const auto digits = to_hex_digits(uuid);
        EXPECT_EQ(from_hex_digits({digits.data(), digits.size()}), uuid);
    }
}

}  // namespace
}  // namespace uuidx
