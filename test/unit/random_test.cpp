// RFC 9562 section 6.9.

// For RAND_set_rand_method, with which a test takes OpenSSL's randomness away.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "core/random.h"

#include <gtest/gtest.h>
#include <openssl/rand.h>

#include <set>

namespace uuidx {
namespace {

TEST(Random, GivesOtherBitsAtEachCall) {
    std::set<std::uint64_t> drawn;
    for (int i = 0; i < 1000; ++i)
        drawn.insert(random_bits().value());
    EXPECT_EQ(drawn.size(), 1000u);
}

TEST(Random, GivesNothingWhenOpenSslHasNothing) {
    RAND_METHOD none{};
    none.bytes = [](unsigned char*, int) { return 0; };
    const RAND_METHOD* const before = RAND_get_rand_method();
    RAND_set_rand_method(&none);
    EXPECT_EQ(random_bits(), std::nullopt);
    RAND_set_rand_method(before);
    EXPECT_TRUE(random_bits());
}

}  // namespace
}  // namespace uuidx
