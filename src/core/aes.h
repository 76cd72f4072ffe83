// The block cipher AES (FIPS 197), by OpenSSL.

#pragma once

#include <array>
#include <cstdint>

#include "core/uuid.h"

struct evp_cipher_ctx_st;

namespace uuidx {

/// AES with a key. It has no destructor, because an error of PostgreSQL would skip it: call clear()
/// at the end.
class Aes {
  public:
    /// A block has 16 octets, as a UUID has.
    using Block = Uuid;

    /// Takes the place of the key before, unless it is the same. Returns false, and has no key, if
    /// `key` does not have 16, 24 or 32 octets, or if OpenSSL has no AES or no memory.
    bool set_key(Octets key);

    /// Encrypts a block in place. Returns false if there is no key or if OpenSSL fails.
    bool encrypt(Block& block) const;

    /// Erases the key.
    void clear();

  private:
    /// True if `key` is the one of the context. The time that this takes depends on its length
    /// only.
    bool has_key(Octets key) const;

    evp_cipher_ctx_st* context_ = nullptr;
    std::array<std::uint8_t, 32> key_{};
    std::size_t key_size_ = 0;
};

}  // namespace uuidx

#include "core/no_postgres.h"
