#include "core/name_based.h"

#include <openssl/err.h>
#include <openssl/evp.h>

namespace uuidx {

namespace {

/// The first 16 octets of the hash of `first` followed by `second`; nullopt if OpenSSL cannot
/// compute it or is out of memory.
std::optional<Uuid> digest(const char* algorithm, Octets first, Octets second) {
    std::array<std::uint8_t, EVP_MAX_MD_SIZE> octets;

    ERR_set_mark();
    EVP_MD_CTX* const context = EVP_MD_CTX_new();
    const EVP_MD* const method = EVP_get_digestbyname(algorithm);
    const bool computed = context != nullptr && method != nullptr &&
                          EVP_DigestInit_ex(context, method, nullptr) == 1 &&
                          EVP_DigestUpdate(context, first.data(), first.size()) == 1 &&
                          EVP_DigestUpdate(context, second.data(), second.size()) == 1 &&
                          EVP_DigestFinal_ex(context, octets.data(), nullptr) == 1;
    EVP_MD_CTX_free(context);
    // The server's TLS shares OpenSSL's error queue: leave nothing of ours in it.
    ERR_pop_to_mark();

    if (!computed)
        return std::nullopt;
    Uuid uuid;
    std::copy_n(octets.begin(), Uuid::size, uuid.octets.begin());
    return uuid;
}

}  // namespace

std::optional<Uuid> from_name(NameHash hash, const Uuid& name_space, Octets name) {
    const auto hashed = digest(hash.algorithm, name_space.octets, name);
    if (!hashed)
        return std::nullopt;
    return with_version(*hashed, hash.version);
}

std::optional<Uuid> v7_of(PreciseUnixTime timestamp, Octets name) {
    const auto hashed = digest(sha256.algorithm, name, {});
    if (!hashed)
        return std::nullopt;
    return v7::make(timestamp, v7::rand_b.of(*hashed));
}

std::optional<Uuid> v7_of(PreciseUnixTime timestamp, const Uuid& uuid) {
    if (is_version(uuid, 4))
        return v7::make(timestamp, v4::random_c.of(uuid));
    return v7_of(timestamp, Octets{uuid.octets});
}

}  // namespace uuidx
