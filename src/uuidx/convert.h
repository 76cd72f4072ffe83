// Conversions that raise an error for a UUID of another version.

#pragma once

#include "core/uuid.h"

namespace uuidx::pg {

/// Converts version 1 to version 6 (RFC 9562 5.6); 22023 for any other UUID.
Uuid convert_v1_to_v6(const Uuid& uuid);

/// Converts version 6 to version 1; 22023 for any other UUID.
Uuid convert_v6_to_v1(const Uuid& uuid);

}  // namespace uuidx::pg
