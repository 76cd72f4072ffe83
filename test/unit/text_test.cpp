// RFC 9562 section 4, and the ULID: UUIDs as text.

#include "core/text.h"

#include <gtest/gtest.h>

#include <string>

#include "samples.h"

namespace uuidx {
namespace {

template <std::size_t size>
std::string string(const std::array<char, size>& text) {
    return {text.data(), size};
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

TEST(Text, IsTheUrnOfTheRfc) {
    constexpr Uuid uuid = parse("f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
    EXPECT_EQ(string(to_urn(uuid)), "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
    EXPECT_EQ(from_urn("Urn:uuID:F81D4FAE-7dec-11d0-a765-00a0c91e6bf6"), uuid);
}

TEST(Text, TakesNoOtherCharacter) {
    const std::string urn = "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6";
    const std::string ulid = "01FWHE4YDGFK1SHH6W1G60EECF";
    for (int c = -128; c < 128; ++c) {
        const bool is_hex = isxdigit(static_cast<unsigned char>(c)) != 0 && c > 0;
        const bool is_base32 =
            isalnum(static_cast<unsigned char>(c)) != 0 && c > 0 && c != 'U' && c != 'u';
        for (std::size_t at = 0; at < urn.size(); ++at) {
            std::string text = urn;
            text[at] = static_cast<char>(c);
            const bool digit = at >= urn_prefix.size() && urn[at] != '-';
            const bool same = c == urn[at] || (at < urn_prefix.size() && isalpha(urn[at]) != 0 &&
                                               c == toupper(urn[at]));
            EXPECT_EQ(from_urn(text).has_value(), digit ? is_hex : same) << text;
        }
        for (std::size_t at = 1; at < ulid.size(); ++at) {
            std::string text = ulid;
            text[at] = static_cast<char>(c);
            EXPECT_EQ(from_ulid(text).has_value(), is_base32) << text;
        }
    }
}

TEST(Text, TakesNoOtherLength) {
    const std::string urn = "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6";
    const std::string ulid = "01FWHE4YDGFK1SHH6W1G60EECF";
    for (std::size_t size = 0; size < 60; ++size) {
        std::string longer = urn + std::string(60, '0');
        EXPECT_EQ(from_urn(longer.substr(0, size)).has_value(), size == urn_size);
        longer = ulid + std::string(60, '0');
        EXPECT_EQ(from_ulid(longer.substr(0, size)).has_value(), size == ulid_size);
    }
}

TEST(Ulid, IsTheUuidInBase32) {
    constexpr Uuid uuid = parse("017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
    EXPECT_EQ(string(to_ulid(uuid)), "01FWHE4YDGFK1SHH6W1G60EECF");
    EXPECT_EQ(from_ulid("01FWHE4YDGFK1SHH6W1G60EECF"), uuid);
    EXPECT_EQ(from_ulid("oifwhe4ydgfklshh6wig6oeecf"), uuid);
}

TEST(Ulid, HasNoMoreThan128Bits) {
    const std::string rest(25, 'Z');
    for (const char c : crockford_digits)
        EXPECT_EQ(from_ulid(c + rest).has_value(), c <= '7');
    Uuid all;
    all.octets.fill(0xFF);
    EXPECT_EQ(from_ulid("7" + rest), all);
}

TEST(Text, ComesBack) {
    Samples samples;
    for (int i = 0; i < 100'000; ++i) {
        const Uuid uuid = samples.any();
        EXPECT_EQ(from_hex_and_dash(string(to_hex_and_dash(uuid))), uuid);
        EXPECT_EQ(from_urn(string(to_urn(uuid))), uuid);
        EXPECT_EQ(from_ulid(string(to_ulid(uuid))), uuid);
    }
}

}  // namespace
}  // namespace uuidx
