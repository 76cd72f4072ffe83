// Says whether a view, policy or function only passes on keys, which columns of a view are keys,
// and which other columns it compares with keys.

#include "uuidx_migrate/catalog/column_uses.h"

extern "C" {
#include "catalog/pg_policy.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_rewrite.h"
#include "catalog/pg_type.h"
#include "rewrite/rewriteSupport.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
}

namespace uuidx::pg {

namespace {

/// The columns of tables and views that hold keys.
struct Keys {
    std::span<const Datum> relations;
    std::span<const Datum> numbers;

    /// Whether a column is one of them, or a row has one of them.
    bool has(const SourceColumn& column) const {
        for (std::size_t i = 0; i < std::min(relations.size(), numbers.size()); ++i)
            if (DatumGetObjectId(relations[i]) == column.relation &&
                (column.number == InvalidAttrNumber || DatumGetInt16(numbers[i]) == column.number))
                return true;
        return false;
    }

    bool has_any(const List* columns) const {
        ListCell* cell;
        foreach (cell, columns)
            if (has(*static_cast<SourceColumn*>(lfirst(cell))))
                return true;
        return false;
    }

    /// Whether the columns are keys, all of them.
    bool are(const List* columns) const {
        ListCell* cell;
        foreach (cell, columns)
            if (const auto& column = *static_cast<SourceColumn*>(lfirst(cell));
                column.number == InvalidAttrNumber || !has(column))
                return false;
        return columns != NIL;
    }
};

/// Whether keys have to be of their present type. Columns whose values go together can change their
/// types together. A constraint or index that asks for their order would have another one then.
bool needs_type(const Keys& keys, const Reading& reading, bool needs_order) {
    ListCell* cell;
    foreach (cell, reading.uses)
        if (const auto& use = *static_cast<ColumnUse*>(lfirst(cell));
            keys.has_any(use.columns) &&
            (use.use == Use::value || (use.use == Use::ordered && needs_order) ||
             !keys.are(use.columns)))
            return true;
    return reading.needs_types;
}

/// The columns of tables that columns of tables and views have the values of. Those of views are
/// `seen` once: many ways may lead to one, or views may read each other in a circle.
List* columns_of_tables(const List* columns, List** seen) {
    check_stack_depth();
    CHECK_FOR_INTERRUPTS();
    List* result = NIL;
    ListCell* cell;
    foreach (cell, columns) {
        const auto& column = *static_cast<SourceColumn*>(lfirst(cell));
        const char kind = get_rel_relkind(column.relation);
        if (kind != RELKIND_VIEW && kind != RELKIND_MATVIEW) {
            result = lappend(result, lfirst(cell));
            continue;
        }
        if (is_among(*seen, column))
            continue;
        *seen = lappend(*seen, lfirst(cell));
        const auto view =
            catalog_row(RewriteRelationId, get_rewrite_oid(column.relation, "_RETURN", true));
        const List* const returned = view ? read(*view).results : NIL;
        if (column.number > 0 && column.number <= list_length(returned))
            result = list_concat(
                result,
                columns_of_tables(static_cast<List*>(list_nth(returned, column.number - 1)), seen));
    }
    return result;
}

}  // namespace

/// uuidx_migrate_steps.passed_columns(classid oid, objid oid, relations oid[], columns smallint[])
/// returns smallint[]: if a row of a catalog only passes on the columns of these relations, the
/// columns of its view that they are; none for what is no view. NULL if it is gone, or if it does
/// more with one of these columns than return it, as a view may, compare it with another of them,
/// count it, test it for NULL, and group or sort by it. A view, policy or function may compare them
/// by their order, too.
UUIDX_FUNCTION(uuidx_passed_columns) {
    const auto row = catalog_row(PG_GETARG_OID(0), PG_GETARG_OID(1));
    if (!row)
        PG_RETURN_NULL();
    const Keys keys{elements(PG_GETARG_ARRAYTYPE_P(2), OIDOID),
                    elements(PG_GETARG_ARRAYTYPE_P(3), INT2OID)};
    const Reading reading = read(*row);
    auto* const passed =
        static_cast<Datum*>(palloc((list_length(reading.results) + 1) * sizeof(Datum)));
    int count = 0;
    ListCell* cell;
    foreach (cell, reading.results)
        if (keys.are(static_cast<List*>(lfirst(cell))))
            passed[count++] = Int16GetDatum(foreach_current_index(cell) + 1);
    const bool has_query = PG_GETARG_OID(0) == RewriteRelationId ||
                           PG_GETARG_OID(0) == ProcedureRelationId ||
                           PG_GETARG_OID(0) == PolicyRelationId;
    // The types of a function's results stay.
    if (needs_type(keys, reading, !has_query) ||
        (count > 0 && PG_GETARG_OID(0) != RewriteRelationId))
        PG_RETURN_NULL();
    PG_RETURN_ARRAYTYPE_P(
        construct_array(passed, count, INT2OID, sizeof(int16), true, TYPALIGN_SHORT));
}

/// uuidx_migrate_steps.compared_columns(classid oid, objid oid, relations oid[], columns
/// smallint[], out relation regclass, out attnum smallint) returns setof record: the columns of
/// tables that a row of a catalog compares by = or <> with one of these, also through views, and
/// that are none of them.
UUIDX_FUNCTION(uuidx_compared_columns) {
    const Rows rows{fcinfo};
    const auto row = catalog_row(PG_GETARG_OID(0), PG_GETARG_OID(1));
    if (!row)
        PG_RETURN_NULL();
    const Keys keys{elements(PG_GETARG_ARRAYTYPE_P(2), OIDOID),
                    elements(PG_GETARG_ARRAYTYPE_P(3), INT2OID)};
    ListCell* cell;
    ListCell* other;
    foreach (cell, read(*row).uses) {
        const auto& use = *static_cast<ColumnUse*>(lfirst(cell));
        List* seen = NIL;
        List* const columns = use.use == Use::equal ? columns_of_tables(use.columns, &seen) : NIL;
        if (!keys.has_any(columns))
            continue;
        foreach (other, columns) {
            const auto& column = *static_cast<SourceColumn*>(lfirst(other));
            Datum values[] = {ObjectIdGetDatum(column.relation), Int16GetDatum(column.number)};
            if (column.number > 0 && !keys.has(column))
                rows.add(values);
        }
    }
    PG_RETURN_NULL();
}

}  // namespace uuidx::pg
