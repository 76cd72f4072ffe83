// RFC 9562 section 5.6: version 1 to version 6 and back.

#include "core/convert.h"

#include <gtest/gtest.h>

#include "core/vectors.h"
#include "samples.h"

namespace uuidx {
namespace {

TEST(Convert, MatchesAppendixA) {
    EXPECT_EQ(v1_to_v6(vectors::v1), vectors::v6);
    EXPECT_EQ(v6_to_v1(vectors::v6), vectors::v1);
}

TEST(Convert, IsABijection) {
    Samples samples;
    for (int i = 0; i < 100'000; ++i) {
        const Uuid one = samples.of_version(1);
        const Uuid six = samples.of_version(6);
        EXPECT_EQ(v6_to_v1(v1_to_v6(one).value()), one);
        EXPECT_EQ(v1_to_v6(v6_to_v1(six).value()), six);
    }
}

TEST(Convert, KeepsEveryField) {
    Samples samples;
    for (int i = 0; i < 10'000; ++i) {
        const Uuid one = samples.of_version(1);
        const Uuid six = v1_to_v6(one).value();
        EXPECT_EQ(version(six), 6);
        EXPECT_EQ(v6::timestamp(six), v1::timestamp(one));
        EXPECT_EQ(six.word(1), one.word(1));
    }
}

TEST(Convert, RejectsOtherVersions) {
    Samples samples;
    for (unsigned number = 0; number < 16; ++number) {
        const Uuid uuid = samples.of_version(number);
        EXPECT_EQ(v1_to_v6(uuid).has_value(), number == 1);
        EXPECT_EQ(v6_to_v1(uuid).has_value(), number == 6);
    }
}

TEST(Convert, RejectsOtherVariants) {
    for (const std::uint8_t octet8 : {0x00, 0x7F, 0xC0, 0xDF, 0xE0, 0xFF}) {
        Uuid one = vectors::v1;
        Uuid six = vectors::v6;
        one.octets[8] = six.octets[8] = octet8;
        EXPECT_EQ(v1_to_v6(one), std::nullopt);
        EXPECT_EQ(v6_to_v1(six), std::nullopt);
    }
}

}  // namespace
}  // namespace uuidx
