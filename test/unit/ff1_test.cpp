// FF1 of NIST SP 800-38G.

#include "core/ff1.h"

#include <gtest/gtest.h>

#include <string>

#include "key.h"

namespace uuidx {
namespace {

/// A string of numerals as the number that it stands for.
std::uint64_t num(std::string_view numerals, unsigned radix) {
    std::uint64_t number = 0;
    for (const char c : numerals)
        number = number * radix + (c <= '9' ? c - '0' : c - 'a' + 10);
    return number;
}

/// What FF1 makes of `x`, after a check that decryption undoes it.
template <unsigned radix, unsigned n>
typename Ff1<radix, n>::Halves encrypted(unsigned key_size, std::string_view tweak,
                                         const typename Ff1<radix, n>::Halves& x) {
    const Key key{key_size};
    const auto y = *Ff1<radix, n>{key.aes, octets(tweak)}.encrypt(x);
    EXPECT_EQ((Ff1<radix, n>{key.aes, octets(tweak)}.decrypt(y)), x) << tweak;
    return y;
}

template <unsigned radix, unsigned n>
void expect(unsigned key_size, std::string_view tweak, std::string_view x, std::string_view y) {
    const auto halves = [](std::string_view numerals) {
        return typename Ff1<radix, n>::Halves{num(numerals.substr(0, n / 2), radix),
                                              num(numerals.substr(n / 2), radix)};
    };
    EXPECT_EQ((encrypted<radix, n>(key_size, tweak, halves(x))), halves(y)) << x << ' ' << tweak;
}

TEST(Ff1, MatchesTheSamplesOfNist) {
    expect<10, 10>(16, "", "0123456789", "2433477484");
    expect<10, 10>(16, "9876543210", "0123456789", "6124200773");
    expect<36, 19>(16, "7777pqrs777", "0123456789abcdefghi", "a9tv40mll9kdu509eum");
    expect<10, 10>(24, "", "0123456789", "2830668132");
    expect<10, 10>(24, "9876543210", "0123456789", "2496655549");
    expect<36, 19>(24, "7777pqrs777", "0123456789abcdefghi", "xbj3kv35jrawxv32ysr");
    expect<10, 10>(32, "", "0123456789", "6657667009");
    expect<10, 10>(32, "9876543210", "0123456789", "1001623463");
    expect<36, 19>(32, "7777pqrs777", "0123456789abcdefghi", "xs8a0azh2avyalyzuwd");
}

TEST(Ff1, MatchesTheBinaryVectorsOfZcash) {
    // Published as ff1.py in zcash-test-vectors, and checked there against a Java implementation.
    std::string x;
    for (int i = 0; i < 44; ++i)
        x += "01";
    std::string tweak;
    for (int octet = 0; octet < 255; ++octet)
        tweak += static_cast<char>(octet);
    expect<2, 88>(
        32, "", x,
        "0000111101000001111011010111011111110001100101000000001101101110100010010111001100100110");
    expect<2, 88>(
        32, tweak, x,
        "0111110110001000000111010110000100010101101000000011100111100100100010101101111010100011");
}

TEST(Ff1, MatchesAnotherImplementation) {
    // From test/t/core/python_ff1.py. NUM(B) has 1, 2, 3, 7 and 8 octets, where radix^v is 2^8 and
    // 2^8 + 1 for the first two; tweaks fill a block up to it, go on in the next one, and fill
    // several.
    const std::string many(40, '9');
    expect<16, 4>(16, "", "0123", "1a9b");
    expect<16, 4>(16, "99999999999999", "0123", "c8ca");
    EXPECT_EQ((encrypted<257, 2>(16, "", {1, 256})), (Ff1<257, 2>::Halves{62, 173}));
    expect<10, 6>(16, "", "123456", "687079");
    expect<10, 6>(16, "999999999999", "123456", "928484");
    expect<10, 6>(16, "9999999999999", "123456", "256002");
    expect<10, 6>(16, many, "123456", "611022");
    expect<10, 32>(16, "", "12345678901234567890123456789012", "95318563300743215259371025789358");
    expect<10, 32>(16, many, "12345678901234567890123456789012",
                   "00945529225645144119941893387513");
    expect<16, 30>(16, "", "0123456789abcdef0123456789abcd", "1aff4804b3c268a98763e341fc11e2");
    expect<16, 30>(16, many, "0123456789abcdef0123456789abcd", "87fd0acafd0ebc8917ce3ead91f54b");
}

TEST(Ff1, ComputesUpTo2To56OrWithPowersOfTwoUpTo2To63) {
    EXPECT_EQ(modulus(10, 0), 1u);
    EXPECT_EQ(modulus(10, 16), 10'000'000'000'000'000u);
    EXPECT_EQ(modulus(10, 17), 0u) << "2^56.5";
    EXPECT_EQ(modulus(10, 18), 0u);
    EXPECT_EQ(modulus(2, 63), std::uint64_t{1} << 63);
    EXPECT_EQ(modulus(2, 64), 0u);
    EXPECT_EQ(modulus(16, 15), std::uint64_t{1} << 60);
    EXPECT_EQ(modulus(16, 16), 0u);
}

TEST(Ff1, FailsWithoutAes) {
    const Aes no_key;
    EXPECT_EQ((Ff1<10, 10>{no_key, {}}.encrypt({1234, 56789})), std::nullopt);
    EXPECT_EQ((Ff1<10, 10>{no_key, {}}.decrypt({1234, 56789})), std::nullopt);
}

}  // namespace
}  // namespace uuidx
