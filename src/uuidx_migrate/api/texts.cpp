// What is in a column of texts.

#include "core/spelling.h"

#include "server/shim.h"

namespace uuidx::pg {

/// uuidx_migrate.is_uuid(value text) returns boolean: whether text_to_uuid converts the text.
UUIDX_FUNCTION(uuidx_is_uuid) {
    return datum(from_digits_or_ulid(getarg_text(fcinfo, 0)).has_value());
}

}  // namespace uuidx::pg
