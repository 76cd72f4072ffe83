// RFC 9562 section 6.9: random bits.

// RAND_set_rand_method, which takes OpenSSL's randomness away, is deprecated.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "core/random.h"

#include <gtest/gtest.h>
#include <openssl/rand.h>

#include <set>
#include <vector>

#include "error_queue.h"

namespace uuidx {
namespace {

TEST(Random, ReturnsDifferentBitsAtEachCall) {
    RandomPool<> pool;
    std::set<std::uint64_t> drawn;
    for (int i = 0; i < 10'000; ++i)
        drawn.insert(pool.draw(1).value());
    EXPECT_EQ(drawn.size(), 10'000u);
}

TEST(Random, FailsIfOpenSslHasNoRandomness) {
    RAND_METHOD failing{};
    failing.bytes = [](unsigned char*, int) {
        ERR_raise(ERR_LIB_USER, 1);
        return 0;
    };
    constexpr RAND_METHOD not_supported{};  // RAND_bytes returns -1
    const RAND_METHOD* const before = RAND_get_rand_method();
    RandomPool<> pool;
    for (const RAND_METHOD* const nothing : {&std::as_const(failing), &not_supported}) {
        const ErrorOfTheServer other;
        RAND_set_rand_method(nothing);
        EXPECT_EQ(pool.draw(1), std::nullopt);
        EXPECT_EQ(pool.draw(1), std::nullopt);
    }
    RAND_set_rand_method(before);
    EXPECT_TRUE(pool.draw(1));
}

/// Fills words with 1, 2, 3 and so on, and remembers where it wrote them.
int fills = 0;
std::span<std::uint64_t> filled;
std::uint64_t next_number = 1;

bool numbers(std::span<std::uint64_t> words) {
    ++fills;
    filled = words;
    for (std::uint64_t& word : words)
        word = next_number++;
    return true;
}

TEST(RandomPool, ReturnsEachWordOnceAndErasesIt) {
    fills = 0;
    next_number = 1;
    RandomPool<numbers> pool;
    constexpr std::size_t rounds = 3;
    std::set<std::uint64_t> drawn;
    for (std::size_t i = 0; i < rounds * pool.words; ++i) {
        const std::uint64_t word = pool.draw(1).value();
        EXPECT_TRUE(drawn.insert(word).second) << word << " is returned twice";
        for (const std::uint64_t left : filled)
            ASSERT_FALSE(drawn.contains(left)) << left << " is still there";
    }
    EXPECT_EQ(fills, static_cast<int>(rounds)) << "refills the whole pool when it is empty";
    EXPECT_EQ(drawn.size(), rounds * pool.words);
    EXPECT_FALSE(drawn.contains(0));
}

TEST(RandomPool, IsFilledOnFirstUse) {
    fills = 0;
    RandomPool<numbers> pool;
    EXPECT_EQ(fills, 0);
    pool.draw(1);
    EXPECT_EQ(fills, 1);
}

TEST(RandomPool, DiscardsWhatAnotherProcessFilled) {
    fills = 0;
    next_number = 1;
    RandomPool<numbers> parent;
    parent.draw(1);
    RandomPool<numbers> child = parent;
    EXPECT_GT(child.draw(2).value(), child.words);
    EXPECT_LT(parent.draw(1).value(), parent.words);
    EXPECT_EQ(fills, 2);
}

}  // namespace
}  // namespace uuidx
