#include "core/name_based.h"

#include <openssl/err.h>
#include <openssl/evp.h>

namespace uuidx {

std::optional<Uuid> from_name(NameHash hash, const Uuid& name_space, Octets name) {
    std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest;
    unsigned length = 0;

    ERR_set_mark();
    EVP_MD_CTX* const context = EVP_MD_CTX_new();
    const EVP_MD* const algorithm = EVP_get_digestbyname(hash.algorithm);
    const bool hashed = context != nullptr && algorithm != nullptr &&
                        EVP_DigestInit_ex(context, algorithm, nullptr) == 1 &&
                        EVP_DigestUpdate(context, name_space.octets.data(), Uuid::size) == 1 &&
                        EVP_DigestUpdate(context, name.data(), name.size()) == 1 &&
                        EVP_DigestFinal_ex(context, digest.data(), &length) == 1;
    EVP_MD_CTX_free(context);
    // The server's TLS shares OpenSSL's error queue: leave nothing of ours in it.
    ERR_pop_to_mark();

    if (!hashed)
        return std::nullopt;
    return from_octets({digest.data(), length}, hash.version);
}

}  // namespace uuidx
