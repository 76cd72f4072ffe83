/*
 * Functions that return a constant: what any C function of their type costs. A uuid is allocated,
 * as each function that returns one has to; smallint and timestamptz are passed by value.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(constant_uuid);
Datum constant_uuid(PG_FUNCTION_ARGS) {
    static const pg_uuid_t constant = {{0x01, 0x7F, 0x22, 0xE2, 0x79, 0xB0, 0x7C, 0xC3}};
    pg_uuid_t* result = palloc(sizeof(pg_uuid_t));

    *result = constant;
    PG_RETURN_UUID_P(result);
}

PG_FUNCTION_INFO_V1(constant_smallint);
Datum constant_smallint(PG_FUNCTION_ARGS) {
    PG_RETURN_INT16(7);
}

PG_FUNCTION_INFO_V1(constant_timestamptz);
Datum constant_timestamptz(PG_FUNCTION_ARGS) {
    PG_RETURN_TIMESTAMPTZ(INT64CONST(700000000000000));
}

/* A conversion that converts nothing. */
PG_FUNCTION_INFO_V1(copied_uuid);
Datum copied_uuid(PG_FUNCTION_ARGS) {
    pg_uuid_t* result = palloc(sizeof(pg_uuid_t));

    *result = *PG_GETARG_UUID_P(0);
    PG_RETURN_UUID_P(result);
}
