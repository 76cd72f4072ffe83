// Says what an expression in the catalogs reads.

#include "uuidx_migrate/catalog/column_uses.h"

#include "uuidx/planner/column_facts.h"

extern "C" {
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
}

namespace uuidx::pg {

namespace {

void add(const Rows& rows, const Fact& fact) {
    const bool has_relation = OidIsValid(fact.column.relation);
    Datum values[] = {datum(fact.fact),
                      ObjectIdGetDatum(fact.column.relation),
                      Int16GetDatum(fact.column.number),
                      datum(fact.column.transition),
                      ObjectIdGetDatum(fact.object),
                      datum(fact.value.value_or(Uuid{}))};
    bool nulls[] = {false,
                    !has_relation,
                    !has_relation,
                    fact.column.transition.empty(),
                    !OidIsValid(fact.object),
                    !fact.value};
    rows.add(values, nulls);
}

}  // namespace

/// uuidx_migrate_steps.expression_facts(classid oid, objid oid, out fact text, out relation
/// regclass, out attnum smallint, out transition text, out object oid, out value uuid) returns
/// setof record: what the expressions and queries read that a row of a catalog has, as the catalog
/// is now. No rows for an object that is gone, and for a catalog that has no expressions. 42501 if
/// the user may not read the catalog. The facts are, each once:
/// - "column": a column of a relation, of its row "old" or "new" in a trigger, a rule or RETURNING.
///   A system column has a negative number, and the row as a whole 0.
/// - "null test": the same for a column of which is asked only whether it is null.
/// - "position": the row as a whole, where its columns have no names but are in the table's order.
/// - "function", "operator": what is called. The functions behind operators are not, nor the
///   operators behind GROUP BY and ORDER BY.
/// - "unnamed": one of these operators that the text does not name, as IS DISTINCT FROM.
/// - "uuid": a constant, in an array too, or one of a type of texts.
/// A node that is not known here reads, and by position too, all relations that there are.
UUIDX_FUNCTION(uuidx_expression_facts) {
    const Rows rows{fcinfo};
    const auto row = catalog_row(PG_GETARG_OID(0), PG_GETARG_OID(1));
    if (!row)
        PG_RETURN_NULL();
    ListCell* cell;
    foreach (cell, read(*row).facts)
        add(rows, *static_cast<Fact*>(lfirst(cell)));
    PG_RETURN_NULL();
}

/// uuidx_migrate_steps.excluded_versions("constraint" oid, attnum smallint) returns integer[]: the
/// versions for which a CHECK constraint is false, if a column of its table has such a UUID. 42501
/// if the user may not read the catalog.
UUIDX_FUNCTION(uuidx_excluded_versions) {
    const auto row = catalog_row(ConstraintRelationId, PG_GETARG_OID(0));
    Datum versions[no_version];
    int count = 0;
    if (row && row->trees != NIL) {
        const Versions excluded =
            versions_excluded_by(static_cast<Node*>(linitial(row->trees)), PG_GETARG_INT16(1));
        for (int version = 0; version < no_version; ++version)
            if ((excluded & set_of(version)) != 0)
                versions[count++] = Int32GetDatum(version);
    }
    return PointerGetDatum(
        construct_array(versions, count, INT4OID, sizeof(int32), true, TYPALIGN_INT));
}

}  // namespace uuidx::pg
