// What this process generates UUIDs from.

#include "pg/generators.h"

namespace uuidx::pg {

constinit RandomPool<> pool;
constinit Generator<PreciseUnixTime> v7_generator;
constinit Generator<GregorianTime> gregorian_generator;

void report(Failure failure, int version) {
    if (failure == Failure::clock)
        ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR), errmsg("could not read the clock: %m")));
    if (failure == Failure::randomness)
        ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR), errmsg("could not generate random values")));
    ereport(ERROR, (errcode(ERRCODE_DATETIME_FIELD_OVERFLOW),
                    errmsg("the system's clock is out of range for version %d UUIDs", version),
                    errdetail_internal("%s", range_detail(version))));
}

Datum named(FunctionCallInfo fcinfo, NameHash hash) {
    const Uuid name_space = getarg_uuid(fcinfo, 0);
    const auto uuid = from_name(hash, name_space, octets(PG_GETARG_TEXT_PP(1)));
    if (!uuid)
        ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR),
                        errmsg("could not compute %s hash", hash.algorithm)));
    return datum(*uuid);
}

}  // namespace uuidx::pg
