// Conversions that are an error for a UUID of another version.

#pragma once

#include "core/uuid.h"

namespace uuidx::pg {

/// The version 6 UUID for a version 1 UUID (RFC 9562 5.6); 22023 unless version 1.
Uuid convert_v1_to_v6(const Uuid& uuid);

/// The inverse; 22023 unless version 6.
Uuid convert_v6_to_v1(const Uuid& uuid);

}  // namespace uuidx::pg
