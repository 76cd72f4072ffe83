// AES by OpenSSL.

#include "core/aes.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include "core/text.h"
#include "error_queue.h"
#include "octets.h"

namespace uuidx {
namespace {

TEST(Aes, MatchesTheVectorsOfFips197) {
    std::array<std::uint8_t, 32> key;
    for (std::size_t i = 0; i < key.size(); ++i)
        key[i] = static_cast<std::uint8_t>(i);
    constexpr Uuid plaintext = parse("00112233-4455-6677-8899-aabbccddeeff");
    struct {
        std::size_t key_size;
        Uuid ciphertext;
    } constexpr vectors[] = {{16, parse("69c4e0d8-6a7b-0430-d8cd-b78070b4c55a")},
                             {24, parse("dda97ca4-864c-dfe0-6eaf-70a0ec0d7191")},
                             {32, parse("8ea2b7ca-5167-45bf-eafc-49904b496089")}};
    Aes aes;
    for (const auto& vector : vectors) {
        Aes::Block block = plaintext;
        ASSERT_TRUE(aes.set_key({key.data(), vector.key_size}));
        EXPECT_TRUE(aes.encrypt(block));
        EXPECT_EQ(block, vector.ciphertext);
    }
    aes.clear();
}

TEST(Aes, TakesTheKeyThatItIsGiven) {
    std::array<std::uint8_t, 32> key{};
    const auto encrypted = [&](Aes& aes, std::size_t size) {
        Aes::Block block{};
        EXPECT_TRUE(aes.set_key({key.data(), size}) && aes.encrypt(block));
        return block;
    };
    Aes aes;
    const Uuid short_zero = encrypted(aes, 16);
    EXPECT_EQ(encrypted(aes, 16), short_zero) << "the same again";
    EXPECT_NE(encrypted(aes, 32), short_zero) << "a longer one that begins with it";
    EXPECT_EQ(encrypted(aes, 16), short_zero);
    key[15] = 1;
    EXPECT_NE(encrypted(aes, 16), short_zero) << "another last octet";
    aes.clear();
    Aes::Block block{};
    EXPECT_FALSE(aes.encrypt(block)) << "no key after clear()";
    EXPECT_EQ(block, Aes::Block{});
    key[15] = 0;
    EXPECT_EQ(encrypted(aes, 16), short_zero);
    aes.clear();
}

TEST(Aes, ErasesTheKey) {
    constexpr std::string_view key = "0123456789abcdef";
    Aes aes;
    const std::string_view memory{reinterpret_cast<const char*>(&aes), sizeof(aes)};
    ASSERT_TRUE(aes.set_key(octets(key)));
    EXPECT_NE(memory.find(key), memory.npos);
    EXPECT_FALSE(aes.set_key(octets("too short")));
    EXPECT_EQ(memory.find(key.substr(0, 4)), memory.npos);
}

TEST(Aes, RejectsOtherLengths) {
    constexpr std::array<std::uint8_t, 64> key{};
    Aes aes;
    for (std::size_t size = 0; size <= key.size(); ++size) {
        Aes::Block block{};
        const bool valid = size == 16 || size == 24 || size == 32;
        EXPECT_EQ(aes.set_key({key.data(), size}), valid) << size;
        EXPECT_EQ(aes.encrypt(block), valid) << "a key of another length takes away the key before";
    }
    EXPECT_TRUE(aes.set_key({key.data(), 32}));
    EXPECT_FALSE(aes.set_key({})) << "an empty one";
    aes.clear();
}

TEST(Aes, FailsWithoutTheCipherAndLeavesNoErrorBehind) {
    const ErrorOfTheServer other;
    EVP_set_default_properties(nullptr, "provider=none");
    Aes aes;
    EXPECT_FALSE(aes.set_key(octets("0123456789abcdef")));
    EVP_set_default_properties(nullptr, "");
    EXPECT_TRUE(aes.set_key(octets("0123456789abcdef")));
    aes.clear();
}

}  // namespace
}  // namespace uuidx
