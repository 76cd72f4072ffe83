// Random UUIDs, the same ones in every run.

#pragma once

#include <cstdlib>
#include <random>

#include "core/uuid.h"

namespace uuidx {

/// How many samples a test takes: `many` in a long run, `few` in others.
inline int sample_count(int few, int many) {
    return std::getenv("UUIDX_LONG") != nullptr ? many : few;
}

class Samples {
  public:
    /// Any 16 octets.
    Uuid any() {
        Uuid uuid;
        uuid.set_word(0, engine_());
        uuid.set_word(1, engine_());
        return uuid;
    }

    /// A UUID of RFC 9562's variant and this version, the rest of it random.
    Uuid of_version(unsigned number) { return with_version(any(), number); }

    std::uint64_t number() { return engine_(); }

  private:
    std::mt19937_64 engine_{9562};
};

}  // namespace uuidx
