// Masks UUIDs.

#include "core/mask.h"

#include "server/shim.h"

extern "C" {
#include "storage/ipc.h"
}

namespace uuidx::pg {

namespace {

/// AES with the key of the last call in this process. A process of the server is forked without it,
/// as the postmaster calls no function.
constinit Aes aes;

void clear_key(int, Datum) {
    aes.clear();
}

/// AES with argument `n` as the key. 22023 unless it has 16 or 32 octets, 58000 if OpenSSL has no
/// AES. The key is never part of an error.
const Aes& getarg_aes(FunctionCallInfo fcinfo, int n) {
    static bool cleared_at_exit = false;
    const Octets key = getarg_octets(fcinfo, n);
    if (key.size() != 16 && key.size() != 32)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg_plural("cannot mask UUIDs with a key of %zu byte",
                               "cannot mask UUIDs with a key of %zu bytes", key.size(), key.size()),
                 errdetail("A key has 16 bytes, for AES-128, or 32, for AES-256.")));
    if (!cleared_at_exit) {
        on_proc_exit(clear_key, Datum{0});
        cleared_at_exit = true;
    }
    if (!aes.set_key(key))
        ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR), errmsg("could not set up AES")));
    return aes;
}

/// The version in argument `n`; 22023 unless it fits the field.
unsigned getarg_version(FunctionCallInfo fcinfo, int n) {
    const int32 version = PG_GETARG_INT32(n);
    if (version < 0 || static_cast<std::uint64_t>(version) > ver.max)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("UUID version \"%d\" is out of range", version),
                        errdetail("A version is a number from 0 to 15.")));
    return version;
}

Datum datum_of(const std::optional<Uuid>& encrypted) {
    if (!encrypted)
        ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR), errmsg("could not encrypt with AES")));
    return datum(*encrypted);
}

}  // namespace

/// uuid_mask(id uuid, key bytea, tweak text) returns uuid: a version 4 UUID that only the key turns
/// back. 22023 unless the key has 16 or 32 octets, 58000 if OpenSSL cannot compute AES.
UUIDX_FUNCTION(uuidx_mask) {
    const Aes& cipher = getarg_aes(fcinfo, 1);
    return datum_of(mask(getarg_uuid(fcinfo, 0), cipher, getarg_octets(fcinfo, 2)));
}

/// uuid_unmask(id uuid, key bytea, tweak text, version integer) returns uuid: the UUID of that
/// version with this mask. 22023 unless the version is from 0 to 15, and as for uuid_mask.
UUIDX_FUNCTION(uuidx_unmask) {
    const Aes& cipher = getarg_aes(fcinfo, 1);
    return datum_of(unmask(getarg_uuid(fcinfo, 0), cipher, getarg_octets(fcinfo, 2),
                           getarg_version(fcinfo, 3)));
}

}  // namespace uuidx::pg
