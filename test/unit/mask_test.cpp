// Masked UUIDs.

#include "core/mask.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/vectors.h"
#include "key.h"
#include "samples.h"

namespace uuidx {
namespace {

TEST(Mask, MatchesAnotherImplementation) {
    // From test/t/core/python_ff1.py. The tweaks take no block of their own, fill the place in the
    // block of a round, exceed it by one octet, and fill one block and one and a half.
    struct {
        const char* tweak;
        const char* aes_128;
        const char* aes_256;
    } constexpr vectors[] = {
        {"", "1a61a5b7-7874-41a4-a289-26b20db2ad65", "8111960d-2881-410c-959d-8c8b1129013e"},
        {"orders", "90c5a369-7c75-4dc9-bca3-fa31e12166f3", "96b2723d-bf2f-4154-a706-072a3c3cc94e"},
        {"orders7", "6a203268-8b2e-499a-8381-aeeb05ef4548", "17a7e80e-4871-47b4-8b0d-3202e161a7e5"},
        {"orders78", "499fba9e-e7bb-4b91-9e92-696466966b19",
         "90a6881c-ec4e-46d4-8e2f-9b809bf83ced"},
        {"0123456789abcdef", "6c3c83ba-2f6a-4fce-86d2-07fde1efff96",
         "bc4fc12f-fe26-44f5-bc51-3d81acd6a34f"},
        {"0123456789abcdef01234567", "6cee8519-bfc8-4a8a-a209-5fc051dbb59f",
         "9a990aef-c1e8-4e89-b16c-3eef4a984b10"},
    };
    const Key aes_128{16};
    const Key aes_256{32};
    for (const auto& vector : vectors) {
        const Octets tweak = octets(vector.tweak);
        EXPECT_EQ(mask(vectors::v7, aes_128.aes, tweak), from_hex_and_dash(vector.aes_128));
        EXPECT_EQ(mask(vectors::v7, aes_256.aes, tweak), from_hex_and_dash(vector.aes_256));
    }
}

TEST(Mask, IsUndoneByItsInverse) {
    const Key key{16};
    Samples samples;
    const int count = sample_count(100'000, 1'000'000);
    for (int i = 0; i < count; ++i) {
        const unsigned number = i % 16;
        const Uuid uuid = samples.of_version(number);
        const Octets tweak = octets("twenty-four more octets").subspan(0, i % 24);
        const Uuid masked = *mask(uuid, key.aes, tweak);
        ASSERT_EQ(version(masked), 4);
        ASSERT_EQ(unmask(masked, key.aes, tweak, number), uuid);
    }
}

TEST(Mask, LeavesOutVersionAndVariant) {
    const Key key{16};
    const auto masked = [&](const Uuid& uuid) { return *mask(uuid, key.aes, {}); };
    EXPECT_EQ(masked(nil_uuid), masked(with_version(nil_uuid, 7)));
    EXPECT_EQ(masked(max_uuid), masked(with_version(max_uuid, 7)));
    EXPECT_NE(masked(nil_uuid), masked(max_uuid));
    EXPECT_EQ(unmask(masked(max_uuid), key.aes, {}, 7), with_version(max_uuid, 7));
    EXPECT_EQ(unmask(with_version(masked(vectors::v7), 8), key.aes, {}, 7), vectors::v7);
}

TEST(Mask, DependsOnEachBitOfKeyAndTweak) {
    std::array<std::uint8_t, 32> key_octets{};
    std::vector<Uuid> masks;
    Aes aes;
    for (std::size_t bit = 0; bit <= 8 * key_octets.size(); ++bit) {
        if (bit > 0)
            key_octets[(bit - 1) / 8] ^= static_cast<std::uint8_t>(1 << (bit - 1) % 8);
        ASSERT_TRUE(aes.set_key(key_octets));
        masks.push_back(*mask(vectors::v7, aes, {}));
    }
    aes.clear();
    const Key key{32};
    for (std::size_t size = 1; size < 40; ++size)
        masks.push_back(*mask(vectors::v7, key.aes, octets(std::string(size, '\0'))));
    std::sort(masks.begin(), masks.end());
    EXPECT_EQ(std::unique(masks.begin(), masks.end()), masks.end());
}

TEST(Mask, FailsWithoutAes) {
    EXPECT_EQ(mask(vectors::v7, Aes{}, {}), std::nullopt);
    EXPECT_EQ(unmask(vectors::v7, Aes{}, {}, 7), std::nullopt);
}

// --- A mask tells nothing of the time ---

/// Version 7 keys of consecutive milliseconds, with nothing in them but the time.
std::vector<Uuid> consecutive(std::size_t count) {
    std::vector<Uuid> keys(count);
    for (std::size_t i = 0; i < count; ++i)
        keys[i] = v7::make(precise_unix_time((1'645'557'742'000 + i) << 12), 0);
    return keys;
}

std::vector<Uuid> masked(std::vector<Uuid> keys) {
    const Key key{16};
    for (Uuid& each : keys)
        each = *mask(each, key.aes, octets("orders"));
    return keys;
}

/// How far `count` of `n` fair coins is from the mean, in standard deviations.
double deviation(double count, double n) {
    return (count - n / 2) / std::sqrt(n / 4);
}

/// The ones in each of the 122 bits: the sum of 122 squares of deviations, in standard deviations
/// from its mean.
double bias_of_bits(const std::vector<Uuid>& uuids) {
    double sum = 0;
    for (unsigned bit = 0; bit < 122; ++bit) {
        const auto ones = std::count_if(uuids.begin(), uuids.end(), [&](const Uuid& uuid) {
            const auto [a, b] = mask_bits::halves(uuid);
            return (bit < 61 ? a >> bit : b >> (bit - 61)) & 1;
        });
        sum += std::pow(deviation(ones, uuids.size()), 2);
    }
    return (sum - 122) / std::sqrt(2 * 122);
}

/// The same for the bits in which each UUID differs from the next.
double bias_of_differences(const std::vector<Uuid>& uuids) {
    std::vector<Uuid> differences{uuids.begin() + 1, uuids.end()};
    for (std::size_t i = 0; i < differences.size(); ++i)
        for (const unsigned word : {0, 1})
            differences[i].set_word(word, uuids[i].word(word) ^ uuids[i + 1].word(word));
    return bias_of_bits(differences);
}

/// How many UUIDs are less than the next. Neighbours share a UUID, which makes the deviation that
/// of a third as many coins.
double bias_of_order(const std::vector<Uuid>& uuids) {
    double ascents = 0;
    for (std::size_t i = 1; i < uuids.size(); ++i)
        ascents += uuids[i - 1] < uuids[i];
    return std::sqrt(3) * deviation(ascents, uuids.size() - 1);
}

/// How many UUIDs of the first half are less than the one at the same place of the second half.
double bias_of_halves(const std::vector<Uuid>& uuids) {
    const std::size_t half = uuids.size() / 2;
    double less = 0;
    for (std::size_t i = 0; i < half; ++i)
        less += uuids[i] < uuids[half + i];
    return deviation(less, half);
}

// A normal variable is more than five standard deviations off once in 1.7 million times. The keys
// are the same in every run, so the result is, too.
TEST(Mask, LooksRandomForKeysOfConsecutiveMilliseconds) {
    const int count = sample_count(100'000, 1'000'000);
    Samples samples;
    std::vector<Uuid> random(count);
    for (Uuid& each : random)
        each = samples.of_version(4);
    const auto keys = consecutive(count);
    const auto masks = masked(keys);
    for (const auto statistic :
         {bias_of_bits, bias_of_differences, bias_of_order, bias_of_halves}) {
        EXPECT_LT(std::abs(statistic(masks)), 5);
        EXPECT_LT(std::abs(statistic(random)), 5) << "true of version 4";
        EXPECT_GT(std::abs(statistic(keys)), 5) << "and not of version 7";
    }
}

// FF1 is a permutation, so this tests the code.
TEST(Mask, IsUnique) {
    auto masks = masked(consecutive(sample_count(200'000, 10'000'000)));
    std::sort(masks.begin(), masks.end());
    EXPECT_EQ(std::adjacent_find(masks.begin(), masks.end()), masks.end());
}

}  // namespace
}  // namespace uuidx
