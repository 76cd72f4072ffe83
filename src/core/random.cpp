#include "core/random.h"

#include <openssl/err.h>
#include <openssl/rand.h>

namespace uuidx {

bool fill_random(std::span<std::uint64_t> words) {
    ERR_set_mark();
    const bool filled = RAND_bytes(reinterpret_cast<unsigned char*>(words.data()),
                                   static_cast<int>(words.size_bytes())) == 1;
    // The server's TLS shares OpenSSL's error queue: leave nothing of ours in it.
    ERR_pop_to_mark();
    return filled;
}

}  // namespace uuidx
