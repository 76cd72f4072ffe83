// The UUIDs of names, for the functions of uuidx and of uuidx_ossp.

#pragma once

#include "core/name_based.h"

#include "pg/shim.h"

namespace uuidx::pg {

/// The result of a function (namespace uuid, name text): the UUID of the name, or 58000 where
/// OpenSSL does not compute the hash.
inline Datum uuid_of_name(FunctionCallInfo fcinfo, NameHash hash) {
    const auto uuid = from_name(hash, getarg_uuid(fcinfo, 0), getarg_octets(fcinfo, 1));
    if (!uuid)
        report_no_hash(hash.algorithm);
    return datum(*uuid);
}

}  // namespace uuidx::pg
