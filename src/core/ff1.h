// Format-preserving encryption: method FF1 of NIST SP 800-38G. The names are the standard's.

#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "core/aes.h"

namespace uuidx {

/// radix^m; 0 if Ff1 cannot compute with numbers up to that.
constexpr std::uint64_t modulus(std::uint64_t radix, unsigned m) {
    const std::uint64_t limit = std::uint64_t{1} << (std::has_single_bit(radix) ? 63 : 56);
    std::uint64_t product = 1;
    for (; m > 0 && product != 0; --m)
        product = product <= limit / radix ? product * radix : 0;
    return product;
}

/// FF1 (algorithms 7 and 8) with a key and a tweak, for strings of n numerals of a radix. Without
/// arithmetic of more than 64 bits, radix^v is at most 2^56, or 2^63 if it is a power of two.
template <std::uint32_t radix, std::uint32_t n>
class Ff1 {
  public:
    /// The halves of a string, A of u numerals and B of v, as the numbers that they stand for:
    /// NUM(A) < radix^u and NUM(B) < radix^v.
    struct Halves {
        std::uint64_t a;
        std::uint64_t b;

        friend bool operator==(const Halves&, const Halves&) = default;
    };

    /// `aes` is to have the key and to outlive this.
    Ff1(const Aes& aes, Octets tweak) : aes_{aes} {
        // P, and those blocks of Q that the tweak reaches before the last
        mac_.set_word(0, 0x010201ull << 40 | std::uint64_t{radix} << 16 | rounds << 8 | (u & 0xFF));
        mac_.set_word(1, std::uint64_t{n} << 32 | tweak.size());
        cipher(mac_);
        std::size_t at = 0;
        for (const std::uint8_t octet : tweak) {
            mac_.octets[at] ^= octet;
            at = (at + 1) % Aes::Block::size;
            if (at == 0)
                cipher(mac_);
        }
        if (at + 1 + b > Aes::Block::size)
            cipher(mac_);
    }

    /// Returns nullopt if OpenSSL fails.
    std::optional<Halves> encrypt(Halves x) {
        for (unsigned i = 0; i < rounds; i += 2) {
            x.a = (x.a + y<modulus_u>(i, x.b)) % modulus_u;
            x.b = (x.b + y<modulus_v>(i + 1, x.a)) % modulus_v;
        }
        return failed_ ? std::nullopt : std::optional{x};
    }

    /// The inverse.
    std::optional<Halves> decrypt(Halves x) {
        for (unsigned i = rounds; i > 0; i -= 2) {
            x.b = (x.b + modulus_v - y<modulus_v>(i - 1, x.a)) % modulus_v;
            x.a = (x.a + modulus_u - y<modulus_u>(i - 2, x.b)) % modulus_u;
        }
        return failed_ ? std::nullopt : std::optional{x};
    }

  private:
    static constexpr unsigned rounds = 10;
    static constexpr std::uint32_t u = n / 2;
    static constexpr std::uint32_t v = n - u;
    static constexpr std::uint64_t modulus_u = modulus(radix, u);
    static constexpr std::uint64_t modulus_v = modulus(radix, v);
    static_assert(radix >= 2 && radix <= 65'536 && u >= 1 && modulus_v != 0);
    /// The octets of NUM(B), and of y.
    static constexpr unsigned b = (std::bit_width(modulus_v - 1) + 7) / 8;
    static constexpr unsigned d = (b + 3) / 4 * 4 + 4;

    void cipher(Aes::Block& block) { failed_ |= !aes_.encrypt(block); }

    /// y of round i modulo m, with NUM of the half that the round leaves as it is. A step of the
    /// division does not overflow, or does so by a multiple of m.
    template <std::uint64_t m>
    std::uint64_t y(std::uint64_t i, std::uint64_t half) {
        Aes::Block block;
        block.set_word(0, mac_.word(0) ^ (b == 8 ? i : 0));
        block.set_word(1, mac_.word(1) ^ (b == 8 ? 0 : i << b * 8 % 64) ^ half);
        cipher(block);
        constexpr unsigned step = std::has_single_bit(m) ? 32 : 8;
        std::uint64_t number = block.word(0) % m;
        for (unsigned bit = 0; bit < 8 * (d - 8); bit += step)
            number = (number << step | block.word(1) << bit >> (64 - step)) % m;
        return number;
    }

    const Aes& aes_;
    /// PRF(P || Q) up to the number of the round, with which the last block of Q goes on. A round
    /// XORs this number and NUM of a half to it, and encrypts that.
    Aes::Block mac_;
    bool failed_ = false;
};

}  // namespace uuidx

#include "core/no_postgres.h"
