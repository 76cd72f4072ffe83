/*
 * Functions that return a constant: what any C function of their type costs. A uuid is allocated,
 * as each function that returns one has to; smallint and timestamptz are passed by value. A
 * function that plans a query, and the AES that a mask is made of.
 */
#include "postgres.h"

#include <openssl/evp.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
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

static Query* analyzed(const char* sql) {
    RawStmt* statement = linitial_node(RawStmt, pg_parse_query(sql));

#if PG_VERSION_NUM >= 150000
    return linitial_node(Query, pg_analyze_and_rewrite_fixedparams(statement, sql, NULL, 0, NULL));
#else
    return linitial_node(Query, pg_analyze_and_rewrite(statement, sql, NULL, 0, NULL));
#endif
}

/* Analyzes a query once, and plans it so many times. */
PG_FUNCTION_INFO_V1(plan_query);
Datum plan_query(PG_FUNCTION_ARGS) {
    char* sql = text_to_cstring(PG_GETARG_TEXT_PP(0));
    int32 times = PG_GETARG_INT32(1);
    Query* query = analyzed(sql);
    MemoryContext plans =
        AllocSetContextCreate(CurrentMemoryContext, "plans", ALLOCSET_DEFAULT_SIZES);
    MemoryContext before = MemoryContextSwitchTo(plans);

    for (int32 i = 0; i < times; i++) {
#if PG_VERSION_NUM >= 190000
        pg_plan_query(copyObject(query), sql, CURSOR_OPT_PARALLEL_OK, NULL, NULL);
#else
        pg_plan_query(copyObject(query), sql, CURSOR_OPT_PARALLEL_OK, NULL);
#endif
        MemoryContextReset(plans);
        CHECK_FOR_INTERRUPTS();
    }
    MemoryContextSwitchTo(before);
    PG_RETURN_VOID();
}

/* The key of the first call is that of all. */
PG_FUNCTION_INFO_V1(aes_blocks);
Datum aes_blocks(PG_FUNCTION_ARGS) {
    static EVP_CIPHER_CTX* context = NULL;
    bytea* key = PG_GETARG_BYTEA_PP(1);
    pg_uuid_t* result = palloc(sizeof(pg_uuid_t));
    int length;

    if (context == NULL) {
        context = EVP_CIPHER_CTX_new();
        if (EVP_EncryptInit_ex(context, EVP_aes_128_ecb(), NULL, (unsigned char*)VARDATA_ANY(key),
                               NULL) != 1)
            elog(ERROR, "could not set up AES");
    }
    *result = *PG_GETARG_UUID_P(0);
    for (int32 left = PG_GETARG_INT32(2); left > 0; left--)
        if (EVP_EncryptUpdate(context, result->data, &length, result->data, UUID_LEN) != 1)
            elog(ERROR, "could not encrypt with AES");
    PG_RETURN_UUID_P(result);
}
