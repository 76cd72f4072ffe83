// The generators of this process.

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

}  // namespace uuidx::pg
