// Generating UUIDs.

#include "core/clock.h"
#include "core/generator.h"
#include "core/name_based.h"
#include "core/random.h"
#include "pg/pg.h"

namespace uuidx::pg {

namespace {

/// This backend's generator. A parallel worker has its own.
constinit Generator generator;

Octets octets(const varlena* value) {
    return {reinterpret_cast<const std::uint8_t*>(VARDATA_ANY(value)), VARSIZE_ANY_EXHDR(value)};
}

}  // namespace

/// uuid_generate_v7() returns uuid: RFC 9562 5.7, greater than all before it in this backend.
/// 58000 when the clock cannot be read or there is no randomness; 22008 when the clock is outside
/// 1970 to 10889.
UUIDX_FUNCTION(uuidx_generate_v7) {
    const auto now = read_clock();
    if (!now)
        ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR), errmsg("could not read the clock: %m")));
    const auto random = random_bits();
    if (!random)
        ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR), errmsg("could not generate random values")));
    const auto uuid = generator.next(*now, *random);
    if (!uuid)
        ereport(ERROR,
                (errcode(ERRCODE_DATETIME_FIELD_OVERFLOW),
                 errmsg("the time of the system's clock is out of range for a version 7 UUID"),
                 errdetail("A version 7 UUID holds a time from 1970 to 10889.")));
    return datum(*uuid);
}

/// uuid_generate_v8(namespace uuid, name text) returns uuid: RFC 9562 B.2, SHA-256 over the
/// namespace's octets and the name's, as they are in the database's encoding. 58000 when OpenSSL
/// does not compute SHA-256.
UUIDX_FUNCTION(uuidx_generate_v8_name) {
    const Uuid name_space = getarg_uuid(fcinfo, 0);
    const auto uuid = from_name(sha256, name_space, octets(PG_GETARG_TEXT_PP(1)));
    if (!uuid)
        ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR), errmsg("could not compute SHA-256 hash")));
    return datum(*uuid);
}

/// uuid_generate_v8(custom bytea) returns uuid: RFC 9562 5.8, the octets given with version and
/// variant set. 22023 unless they are 16.
UUIDX_FUNCTION(uuidx_generate_v8_custom) {
    const Octets custom = octets(PG_GETARG_BYTEA_PP(0));
    if (custom.size() != Uuid::size)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("cannot make a version 8 UUID of %zu octets", custom.size()),
                        errdetail("A version 8 UUID is made of exactly 16 octets.")));
    Uuid uuid;
    std::ranges::copy(custom, uuid.octets.begin());
    return datum(with_version(uuid, 8));
}

/// uuid_max() returns uuid: RFC 9562 5.10.
UUIDX_FUNCTION(uuidx_max) {
    return datum(max);
}

}  // namespace uuidx::pg
