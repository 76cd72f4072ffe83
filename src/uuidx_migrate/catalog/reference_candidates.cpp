// Samples columns that may hold keys of a table.

#include "core/uuid.h"

#include "uuidx_migrate/runtime/owner.h"

#include "server/shim.h"

extern "C" {
#include "executor/spi.h"
#include "nodes/parsenodes.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
}

namespace uuidx::pg {

namespace {

/// Whether a query reads a relation, and no other.
struct Reading {
    Oid relation;
    bool is_read = false;
    bool is_other_read = false;
};

bool find_relations(Node* node, void* context) {
    if (node == nullptr)
        return false;
    if (IsA(node, Query))
        return walk_query(castNode(Query, node), find_relations, context, QTW_EXAMINE_RTES_BEFORE);
    if (!IsA(node, RangeTblEntry))
        return walk_expression(node, find_relations, context);
    auto& reading = *static_cast<Reading*>(context);
    const Oid relation = castNode(RangeTblEntry, node)->relid;
    reading.is_read |= relation == reading.relation;
    reading.is_other_read |= OidIsValid(relation) && relation != reading.relation;
    return false;
}

/// A plan of the query. 55000 if another relation has the name: to plan it would run what is in the
/// indexes of that one.
SPIPlanPtr planned(const char* query, Oid relation) {
    const SPIPlanPtr plan = SPI_prepare(query, 0, nullptr);
    const auto* const source =
        static_cast<CachedPlanSource*>(linitial(SPI_plan_get_plan_sources(plan)));
    Reading reading{relation};
    find_relations(static_cast<Node*>(linitial(source->query_list)), &reading);
    if (!reading.is_read || reading.is_other_read)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("table \"%s\" has another name by now", get_rel_name(relation))));
    return plan;
}

}  // namespace

/// uuidx_migrate_steps.sampled(relation regclass, query text) returns jsonb: the rows of a query,
/// as an array of objects; NULL if there are none. To plan it is to run what is in the indexes of
/// the table. So a superuser, who gains nothing by that, runs it as the owner of the relation. The
/// errors of the query, and 55000 if it reads another relation.
UUIDX_FUNCTION(uuidx_sampled) {
    const char* const query = TextDatumGetCString(PG_GETARG_DATUM(1));
    const bool is_superuser = superuser();
    Role role;
    if (is_superuser)
        role = become_owner(PG_GETARG_OID(0));
    SPI_connect();
    const SPIPlanPtr plan =
        planned(psprintf("SELECT pg_catalog.jsonb_agg(r) FROM (%s) AS r", query), PG_GETARG_OID(0));
    if (SPI_execute_plan(plan, nullptr, nullptr, true, 0) != SPI_OK_SELECT)
        elog(ERROR, "could not run \"%s\": %s", query, SPI_result_code_string(SPI_result));
    bool null;
    const Datum value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &null);
    const Datum rows = null ? Datum{0} : SPI_datumTransfer(value, false, -1);
    SPI_finish();
    if (is_superuser)
        restore(role);
    if (null)
        PG_RETURN_NULL();
    return rows;
}

}  // namespace uuidx::pg
