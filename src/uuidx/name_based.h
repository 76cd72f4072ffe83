// Name-based UUIDs, for the functions of uuidx and uuidx_ossp.

#pragma once

#include "core/name_based.h"

#include "server/shim.h"

namespace uuidx::pg {

/// Implements a function (namespace uuid, name text) that returns uuid; 58000 if OpenSSL cannot
/// compute the hash.
inline Datum uuid_of_name(FunctionCallInfo fcinfo, NameHash hash) {
    const auto uuid = from_name(hash, getarg_uuid(fcinfo, 0), getarg_octets(fcinfo, 1));
    if (!uuid)
        report_no_hash(hash.algorithm);
    return datum(*uuid);
}

}  // namespace uuidx::pg
