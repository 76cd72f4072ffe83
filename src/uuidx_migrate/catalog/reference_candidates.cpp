// Samples columns that may hold keys of a table.

#include "core/uuid.h"

#include "uuidx_migrate/runtime/as_owner.h"

#include "server/shim.h"

namespace uuidx::pg {

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
