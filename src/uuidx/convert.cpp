// Converts UUIDs from one version to another.

#include "uuidx/convert.h"

#include "core/convert.h"
#include "core/inspect.h"

#include "server/shim.h"

namespace uuidx::pg {

namespace {

/// Reports 22023: `uuid` does not have version `from`, the only one that converts to `to`.
[[noreturn]] void report_wrong_version(const Uuid& uuid, int from, int to) {
    const auto number = version(uuid);
    if (number)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("cannot convert UUID \"%s\" of version %u to version %d", to_cstring(uuid),
                        *number, to),
                 errdetail("Only UUIDs of version %d can be converted to version %d.", from, to)));
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("cannot convert UUID \"%s\", which has no version, to version %d",
                    to_cstring(uuid), to),
             errdetail("Its kind is: %s. Only UUIDs of version %d can be converted to version %d.",
                       description(uuid), from, to)));
}

}  // namespace

Uuid convert_v1_to_v6(const Uuid& uuid) {
    const auto converted = v1_to_v6(uuid);
    if (!converted)
        report_wrong_version(uuid, 1, 6);
    return *converted;
}

Uuid convert_v6_to_v1(const Uuid& uuid) {
    const auto converted = v6_to_v1(uuid);
    if (!converted)
        report_wrong_version(uuid, 6, 1);
    return *converted;
}

/// uuid_v1_to_v6(uuid) returns uuid: RFC 9562 5.6. 22023 unless version 1.
UUIDX_FUNCTION(uuidx_v1_to_v6) {
    return datum(convert_v1_to_v6(getarg_uuid(fcinfo, 0)));
}

/// uuid_v6_to_v1(uuid) returns uuid: the inverse. 22023 unless version 6.
UUIDX_FUNCTION(uuidx_v6_to_v1) {
    return datum(convert_v6_to_v1(getarg_uuid(fcinfo, 0)));
}

}  // namespace uuidx::pg
