// RFC 9562 section 4: format, variant, version.

#include "core/uuid.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "samples.h"

namespace uuidx {
namespace {

TEST(Uuid, KeepsItsOctetsInNetworkByteOrder) {
    Uuid uuid;
    uuid.set_word(0, 0x0001020304050607);
    uuid.set_word(1, 0x08090A0B0C0D0E0F);
    for (std::uint8_t i = 0; i < 16; ++i)
        EXPECT_EQ(uuid.octets[i], i);
    EXPECT_EQ(uuid.word(0), 0x0001020304050607u);
    EXPECT_EQ(uuid.word(1), 0x08090A0B0C0D0E0Fu);
}

TEST(Uuid, IsOrderedByItsOctets) {
    Samples samples;
    for (int i = 0; i < 100'000; ++i) {
        const Uuid a = samples.any();
        Uuid b = a;
        b.octets[samples.number() % 16] = static_cast<std::uint8_t>(samples.number());
        const int expected = memcmp(a.octets.data(), b.octets.data(), 16);
        EXPECT_EQ(a < b, expected < 0);
        EXPECT_EQ(a == b, expected == 0);
    }
}

TEST(Bits, SetsOnlyItsField) {
    using Field = Bits<52, 63>;
    Samples samples;
    for (int i = 0; i < 1000; ++i) {
        const Uuid before = samples.any();
        const std::uint64_t value = samples.number();
        Uuid after = before;
        Field::set(after, value);
        EXPECT_EQ(Field::of(after), value & 0xFFF);
        Field::set(after, Field::of(before));
        EXPECT_EQ(after, before);
    }
}

TEST(Bits, CanBeAWholeWord) {
    using Field = Bits<64, 127>;
    Uuid uuid;
    Field::set(uuid, ~std::uint64_t{0});
    EXPECT_EQ(Field::of(uuid), ~std::uint64_t{0});
    EXPECT_EQ(uuid.word(0), 0u);
}

/// RFC 9562 4.1, table 1: the variant for each value of the four most significant bits.
Variant of_table_1(unsigned nibble) {
    if (nibble <= 0x7)
        return Variant::ncs;
    if (nibble <= 0xB)
        return Variant::rfc9562;
    if (nibble <= 0xD)
        return Variant::microsoft;
    return Variant::future;
}

TEST(Variant, IsInTheMostSignificantBitsOfOctet8) {
    Samples samples;
    for (unsigned octet8 = 0; octet8 < 256; ++octet8) {
        Uuid uuid = samples.any();
        uuid.octets[8] = static_cast<std::uint8_t>(octet8);
        EXPECT_EQ(variant(uuid), of_table_1(octet8 >> 4)) << octet8;
    }
}

TEST(Version, IsInTheMostSignificantBitsOfOctet6) {
    Samples samples;
    for (unsigned octet6 = 0; octet6 < 256; ++octet6) {
        Uuid uuid = samples.of_version(0);
        uuid.octets[6] = static_cast<std::uint8_t>(octet6);
        EXPECT_EQ(version(uuid), octet6 >> 4);
        EXPECT_TRUE(is_version(uuid, octet6 >> 4));
        EXPECT_FALSE(is_version(uuid, (octet6 >> 4) ^ 1));
    }
}

TEST(Version, IsNulloptForOtherVariants) {
    Samples samples;
    for (const std::uint8_t octet8 : {0x00, 0x7F, 0xC0, 0xDF, 0xE0, 0xFF}) {
        Uuid uuid = samples.of_version(7);
        uuid.octets[8] = octet8;
        EXPECT_EQ(version(uuid), std::nullopt);
        EXPECT_FALSE(is_version(uuid, 7));
    }
}

TEST(Version, IsSetTogetherWithOnlyTheVariant) {
    Samples samples;
    for (int i = 0; i < 1000; ++i) {
        const Uuid before = samples.any();
        Uuid after = with_version(before, 8);
        EXPECT_EQ(version(after), 8);
        after.octets[6] = (after.octets[6] & 0x0F) | (before.octets[6] & 0xF0);
        after.octets[8] = (after.octets[8] & 0x3F) | (before.octets[8] & 0xC0);
        EXPECT_EQ(after, before);
    }
}

}  // namespace
}  // namespace uuidx
