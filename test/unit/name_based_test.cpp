// RFC 9562 sections 5.3, 5.5 and 6.5, and appendix B.2; and version 7 UUIDs from existing data.

#include "core/name_based.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/vectors.h"
#include "error_queue.h"
#include "octets.h"
#include "samples.h"

namespace uuidx {
namespace {

TEST(NameBased, MatchesTheVectorOfItsVersion) {
    const Octets name = octets("www.example.com");
    EXPECT_EQ(from_name(md5, vectors::ns_dns, name), vectors::v3);
    EXPECT_EQ(from_name(sha1, vectors::ns_dns, name), vectors::v5);
    EXPECT_EQ(from_name(sha256, vectors::ns_dns, name), vectors::v8_name);
}

TEST(NameBased, AcceptsAnEmptyNameAndZeroOctets) {
    // From Python: uuid.uuid5(uuid.NAMESPACE_DNS, ''), uuid.uuid5(uuid.NAMESPACE_DNS, 'a\0b')
    EXPECT_EQ(from_name(sha1, vectors::ns_dns, {}), parse("4ebd0208-8328-5d69-8c44-ec50939c0967"));
    EXPECT_EQ(from_name(sha1, vectors::ns_dns, octets({"a\0b", 3})),
              parse("0a63f66b-e02f-5d2d-9fd4-aad819cf5352"));
}

TEST(NameBased, FailsWithoutTheHashAndLeavesNoErrorBehind) {
    const ErrorOfTheServer other;
    constexpr NameHash unknown{"no such hash", 8};
    EXPECT_EQ(from_name(unknown, vectors::ns_dns, octets("x")), std::nullopt);
    EVP_set_default_properties(nullptr, "provider=none");
    EXPECT_EQ(from_name(md5, vectors::ns_dns, octets("x")), std::nullopt);
    EVP_set_default_properties(nullptr, "");
    EXPECT_TRUE(from_name(md5, vectors::ns_dns, octets("x")));
}

// 2022-02-22 19:22:22.000456 UTC
constexpr PreciseUnixTime moment = *from_clock<PreciseUnixTime>({1'645'557'742, 456'000});

TEST(Version7Of, HasTheTimestampAndTheBitsOfTheHash) {
    // From Python: hashlib.sha256(...).digest()[8:16], with the first two bits replaced
    EXPECT_EQ(v7_of(moment, octets("order 4711")), parse("017f22e2-79b0-774b-9818-d0fa0d99bc90"));
    EXPECT_EQ(v7_of(moment, vectors::v1), parse("017f22e2-79b0-774b-a873-30d45819a5f1"));
    EXPECT_EQ(v7_of(moment, vectors::v1), v7_of(moment, Octets{vectors::v1.octets}));
}

TEST(Version7Of, KeepsTheRandomBitsOfAVersion4Uuid) {
    EXPECT_EQ(v7_of(moment, vectors::v4), parse("017f22e2-79b0-774b-9bac-f847db4148a8"));
    Uuid no_version = vectors::v4;
    var.set(no_version, 0b11);
    EXPECT_NE(v7::rand_b.of(*v7_of(moment, no_version)), v4::random_c.of(vectors::v4));
}

TEST(Version7Of, NeedsTheHashOnlyForOtherVersions) {
    const ErrorOfTheServer other;
    EVP_set_default_properties(nullptr, "provider=none");
    EXPECT_EQ(v7_of(moment, vectors::v1), std::nullopt);
    EXPECT_TRUE(v7_of(moment, vectors::v4));
    EVP_set_default_properties(nullptr, "");
}

/// How many of `count` keys for one microsecond equal the key for another input.
template <class Input>
std::size_t equal_keys(std::size_t count, Input input) {
    std::vector<std::uint64_t> keys(count);
    for (std::size_t i = 0; i < count; ++i)
        keys[i] = v7::rand_b.of(*v7_of(moment, input(i)));
    std::sort(keys.begin(), keys.end());
    return keys.end() - std::unique(keys.begin(), keys.end());
}

// Ten million random keys of 62 bits have 1e14 / 2^63, or 0.00001, equal pairs. The inputs differ
// as little as possible.
TEST(Version7Of, CollidesNoMoreOftenThan62RandomBits) {
    const int count = sample_count(50'000, 10'000'000);
    const auto v1_of_one_node = [](std::size_t i) {
        return v1::make(gregorian_time(vectors::gregorian_100ns + i), 0x33C8, 0x9F6BDECED846);
    };
    const auto v7_of_one_millisecond = [](std::size_t i) { return v7::make(moment, i); };
    const auto any_octets = [](std::size_t i) {
        Uuid uuid = nil_uuid;
        uuid.set_word(0, i);
        return uuid;
    };
    Samples samples;
    EXPECT_EQ(equal_keys(count, v1_of_one_node), 0u);
    EXPECT_EQ(equal_keys(count, v7_of_one_millisecond), 0u);
    EXPECT_EQ(equal_keys(count, any_octets), 0u);
    EXPECT_EQ(equal_keys(count, [&](std::size_t) { return samples.of_version(4); }), 0u);
    std::string name;
    EXPECT_EQ(equal_keys(count, [&](std::size_t i) { return octets(name = std::to_string(i)); }),
              0u);
}

}  // namespace
}  // namespace uuidx
