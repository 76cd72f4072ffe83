// Plans that a session keeps for the queries of its triggers.

#include "pg/saved_plan.h"

#include "pg/shim.h"

extern "C" {
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
}

namespace uuidx::pg {

namespace {

struct SavedPlan {
    char query[1024];
    SPIPlanPtr plan;
};

HTAB* plans = nullptr;

SPIPlanPtr prepared(const char* query, std::span<const Oid> parameters) {
    const SPIPlanPtr plan = SPI_prepare(query, static_cast<int>(parameters.size()),
                                        const_cast<Oid*>(parameters.data()));
    if (plan == nullptr)
        elog(ERROR, "could not prepare \"%s\": %s", query, SPI_result_code_string(SPI_result));
    return plan;
}

}  // namespace

SPIPlanPtr saved_plan(const char* query, std::span<const Oid> parameters) {
    if (strlen(query) >= sizeof(SavedPlan::query))
        return prepared(query, parameters);
    if (plans == nullptr) {
        HASHCTL control{};
        control.keysize = sizeof(SavedPlan::query);
        control.entrysize = sizeof(SavedPlan);
        control.hcxt = TopMemoryContext;
        plans = hash_create("uuidx_migrate plans", 16, &control,
                            HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
    }
    bool found;
    auto* const saved = static_cast<SavedPlan*>(hash_search(plans, query, HASH_ENTER, &found));
    if (!found)
        saved->plan = nullptr;
    if (saved->plan == nullptr) {
        const SPIPlanPtr plan = prepared(query, parameters);
        SPI_keepplan(plan);
        saved->plan = plan;
    }
    return saved->plan;
}

const char* qualified_name(Oid table) {
    return quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)),
                                      get_rel_name(table));
}

}  // namespace uuidx::pg
