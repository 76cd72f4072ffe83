// RFC 9562 section 6.10: nodes.

#include "core/node.h"

#include <gtest/gtest.h>

namespace uuidx {
namespace {

constexpr NodeId example = {0x9F, 0x6B, 0xDE, 0xCE, 0xD8, 0x46};

TEST(Node, IsReadFromHex) {
    for (const char* text : {"9f:6b:de:ce:d8:46", "9F-6B-DE-CE-D8-46", "9f6bdeced846"})
        EXPECT_EQ(parse_node(text), example) << text;
    EXPECT_EQ(parse_node("000000000000"), NodeId{});
}

TEST(Node, RejectsOtherTexts) {
    for (const char* text :
         {"", "random", "9f:6b:de:ce:d8", "9f:6b:de:ce:d8:4",
          "9f:6b:de:ce:d8:46:", "9f:6b:de:ce:d8-46", "9f6b:deced846", "9f.6b.de.ce.d8.46",
          "9f66b6de6ce6d8646", "9f:6b:de:ce:d8:4g", "9f6bdeced84", "9f6bdeced8466", " 9f6bdeced84",
          "9f:6b:de:ce:d8: 6", "0x9f6bdeced8"})
        EXPECT_EQ(parse_node(text), std::nullopt) << text;
}

TEST(Node, IsA48BitNumber) {
    EXPECT_EQ(node_number(example), 0x9F6BDECED846u);
}

TEST(Node, IsRandomIfItsMulticastBitIsSet) {
    EXPECT_TRUE(is_random(example));
    EXPECT_TRUE(is_random({0x01, 0xC0, 0x4F, 0xD4, 0x30, 0xC8}));
    EXPECT_FALSE(is_random({0xFE, 0xC0, 0x4F, 0xD4, 0x30, 0xC8}));
}

TEST(Node, IsLocalIfItsLocalBitIsSet) {
    EXPECT_TRUE(is_local(example));
    EXPECT_TRUE(is_local({0x02, 0xC0, 0x4F, 0xD4, 0x30, 0xC8}));
    EXPECT_FALSE(is_local({0xFD, 0xC0, 0x4F, 0xD4, 0x30, 0xC8}));
}

}  // namespace
}  // namespace uuidx
