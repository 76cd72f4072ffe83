// Octets of a literal.

#pragma once

#include <string_view>

#include "core/uuid.h"

namespace uuidx {

inline Octets octets(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace uuidx
