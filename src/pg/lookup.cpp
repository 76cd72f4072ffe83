// Looks keys up in a table, with plans that are saved for the session.

#include "pg/lookup.h"

#include "pg/shim.h"

extern "C" {
#include "catalog/pg_type_d.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"
}

namespace uuidx::pg {

namespace {

struct PlanKey {
    Purpose purpose;
    Oid table;
    NameData column;
};

struct SavedPlan {
    PlanKey key;
    SPIPlanPtr plan;
};

HTAB* plans = nullptr;

const char* lookup_query(const Lookup& columns) {
    return psprintf("SELECT t.%s FROM ONLY %s AS t WHERE t.%s OPERATOR(pg_catalog.=) $1%s",
                    quote_identifier(columns.to), qualified_name(columns.table),
                    quote_identifier(columns.from), columns.lock ? " FOR KEY SHARE OF t" : "");
}

[[noreturn]] void report_unfilled(const Lookup& columns, const Uuid& key) {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("column \"%s\" of table \"%s\" is not filled", columns.to,
                    get_rel_name(columns.table)),
             errdetail("Its value is NULL where %s is \"%s\".", columns.from, to_cstring(key))));
}

}  // namespace

Role become_owner(Oid table, int context) {
    Role before;
    GetUserIdAndSecContext(&before.user, &before.context);
    const HeapTuple entry = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
    if (!HeapTupleIsValid(entry))
        elog(ERROR, "cache lookup failed for relation %u", table);
    const Oid owner = reinterpret_cast<Form_pg_class>(GETSTRUCT(entry))->relowner;
    ReleaseSysCache(entry);
    SetUserIdAndSecContext(
        owner, before.context | context | SECURITY_LOCAL_USERID_CHANGE | SECURITY_NOFORCE_RLS);
    return before;
}

void restore(const Role& role) {
    SetUserIdAndSecContext(role.user, role.context);
}

const char* qualified_name(Oid table) {
    return quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)),
                                      get_rel_name(table));
}

SPIPlanPtr& saved_plan(Purpose purpose, Oid table, const char* column) {
    if (plans == nullptr) {
        HASHCTL control{};
        control.keysize = sizeof(PlanKey);
        control.entrysize = sizeof(SavedPlan);
        control.hcxt = TopMemoryContext;
        plans =
            hash_create("uuidx_migrate plans", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
    }
    PlanKey key{purpose, table, {}};
    namestrcpy(&key.column, column);
    bool found;
    auto* const saved = static_cast<SavedPlan*>(hash_search(plans, &key, HASH_ENTER, &found));
    if (!found)
        saved->plan = nullptr;
    // A plan is made anew from the names in its query, which may be others by now.
    if (saved->plan != nullptr && !SPI_plan_is_valid(saved->plan)) {
        SPI_freeplan(saved->plan);
        saved->plan = nullptr;
    }
    return saved->plan;
}

SPIPlanPtr prepared(const char* query, Oid parameter) {
    const SPIPlanPtr plan = SPI_prepare(query, 1, &parameter);
    if (plan == nullptr || SPI_keepplan(plan) != 0)
        elog(ERROR, "could not prepare \"%s\": %s", query, SPI_result_code_string(SPI_result));
    return plan;
}

std::optional<Uuid> look_up(const Lookup& columns, const Uuid& key) {
    Datum parameter = datum(key);
    if (SPI_connect() != SPI_OK_CONNECT)
        elog(ERROR, "SPI_connect failed");
    SPIPlanPtr& plan = saved_plan(columns.lock ? Purpose::look_up_locked : Purpose::look_up,
                                  columns.table, columns.from);
    if (plan == nullptr)
        plan = prepared(lookup_query(columns), UUIDOID);
    // Without a lock, the snapshot of the statement serves.
    if (SPI_execute_plan(plan, &parameter, nullptr, !columns.lock, 1) != SPI_OK_SELECT)
        elog(ERROR, "could not look up a key: %s", SPI_result_code_string(SPI_result));
    std::optional<Uuid> found;
    if (SPI_processed > 0) {
        bool null;
        const Datum value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &null);
        if (null)
            report_unfilled(columns, key);
        found = to_uuid(value);
    }
    SPI_finish();
    return found;
}

/// uuidx_migrate.mapped(map regclass, from_column name, to_column name, key uuid) returns uuid: the
/// value of to_column in the row of a table in which from_column is the key; the key itself if
/// there is none.
UUIDX_FUNCTION(uuidx_mapped) {
    const Lookup columns{PG_GETARG_OID(0), NameStr(*PG_GETARG_NAME(1)),
                         NameStr(*PG_GETARG_NAME(2))};
    const Uuid key = getarg_uuid(fcinfo, 3);
    return datum(look_up(columns, key).value_or(key));
}

}  // namespace uuidx::pg
