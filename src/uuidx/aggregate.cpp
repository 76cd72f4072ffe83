// The aggregates min(uuid) and max(uuid).

#include "core/uuid.h"

#include "server/shim.h"

namespace uuidx::pg {

/// uuid_smaller(uuid, uuid), uuid_larger(uuid, uuid) return uuid: one of the arguments, in the
/// order of PostgreSQL's uuid (RFC 9562 6.11).
UUIDX_FUNCTION(uuidx_smaller) {
    return PG_GETARG_DATUM(getarg_uuid(fcinfo, 1) < getarg_uuid(fcinfo, 0) ? 1 : 0);
}
UUIDX_FUNCTION(uuidx_larger) {
    return PG_GETARG_DATUM(getarg_uuid(fcinfo, 1) > getarg_uuid(fcinfo, 0) ? 1 : 0);
}

}  // namespace uuidx::pg
