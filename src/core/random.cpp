#include "core/random.h"

#include <openssl/err.h>
#include <openssl/rand.h>

#include <array>
#include <bit>

namespace uuidx {

std::optional<std::uint64_t> random_bits() {
    std::array<std::uint8_t, sizeof(std::uint64_t)> octets;

    ERR_set_mark();
    const bool filled = RAND_bytes(octets.data(), octets.size()) == 1;
    // The server's TLS shares OpenSSL's error queue: leave nothing of ours in it.
    ERR_pop_to_mark();

    if (!filled)
        return std::nullopt;
    return std::bit_cast<std::uint64_t>(octets);
}

}  // namespace uuidx
