#include "core/aes.h"

#include <algorithm>

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>

namespace uuidx {

namespace {

/// The cipher for keys of this size; null, which OpenSSL refuses, if there is none.
const EVP_CIPHER* cipher(std::size_t key_size) {
    switch (key_size) {
        case 16:
            return EVP_aes_128_ecb();
        case 24:
            return EVP_aes_192_ecb();
        case 32:
            return EVP_aes_256_ecb();
        default:
            return nullptr;
    }
}

}  // namespace

bool Aes::has_key(Octets key) const {
    return context_ != nullptr && key.size() == key_size_ &&
           CRYPTO_memcmp(key.data(), key_.data(), key_size_) == 0;
}

bool Aes::set_key(Octets key) {
    if (has_key(key))
        return true;
    clear();

    ERR_set_mark();
    EVP_CIPHER_CTX* const context = EVP_CIPHER_CTX_new();
    const bool set = context != nullptr && EVP_EncryptInit_ex(context, cipher(key.size()), nullptr,
                                                              key.data(), nullptr) == 1;
    // The server's TLS shares OpenSSL's error queue: leave nothing of ours in it.
    ERR_pop_to_mark();

    if (!set) {
        EVP_CIPHER_CTX_free(context);
        return false;
    }
    context_ = context;
    std::copy(key.begin(), key.end(), key_.begin());
    key_size_ = key.size();
    return true;
}

bool Aes::encrypt(Block& block) const {
    int length = 0;
    return context_ != nullptr &&
           EVP_EncryptUpdate(context_, block.octets.data(), &length, block.octets.data(),
                             static_cast<int>(Block::size)) == 1;
}

void Aes::clear() {
    EVP_CIPHER_CTX_free(context_);
    context_ = nullptr;
    OPENSSL_cleanse(key_.data(), key_.size());
}

}  // namespace uuidx
