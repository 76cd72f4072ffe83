// Estimates in how many rows a UUID has one of some versions, where a condition tests that.

#include "uuidx/planner/time_functions.h"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "nodes/supportnodes.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
}

namespace uuidx::pg {

namespace {

/// The part of the rows in which a column has one of these versions, by its statistics; nullopt if
/// they tell of no UUID.
std::optional<double> part_of_versions(HeapTuple statistics, Versions versions) {
    const auto has = [&](Datum uuid) {
        return (set_of(int{version(to_uuid(uuid)).value_or(no_version)}) & versions) != 0;
    };
    AttStatsSlot slot;
    std::optional<double> part;
    double others = 1 - reinterpret_cast<Form_pg_statistic>(GETSTRUCT(statistics))->stanullfrac;
    if (get_attstatsslot(&slot, statistics, STATISTIC_KIND_MCV, InvalidOid,
                         ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS)) {
        part = 0;
        for (int i = 0; i < slot.nvalues; ++i) {
            *part += has(slot.values[i]) ? slot.numbers[i] : 0;
            others -= slot.numbers[i];
        }
    }
    if (get_attstatsslot(&slot, statistics, STATISTIC_KIND_HISTOGRAM, InvalidOid,
                         ATTSTATSSLOT_VALUES)) {
        const auto count = std::count_if(slot.values, slot.values + slot.nvalues, has);
        part = part.value_or(0) + others * static_cast<double>(count) / slot.nvalues;
    }
    // The frequencies are rounded: their sum may be more than 1.
    return part ? std::optional{std::clamp(*part, 0.0, 1.0)} : std::nullopt;
}

/// Whether a condition, or a part of it, compares the column `context` with something.
bool compares(Node* node, void* context) {
    if (node == nullptr)
        return false;
    const List* const operands =
        IsA(node, OpExpr)              ? reinterpret_cast<OpExpr*>(node)->args
        : IsA(node, ScalarArrayOpExpr) ? reinterpret_cast<ScalarArrayOpExpr*>(node)->args
        : IsA(node, RowCompareExpr)    ? reinterpret_cast<RowCompareExpr*>(node)->largs
                                       : NIL;
    const auto& column = *static_cast<const Var*>(context);
    ListCell* cell;
    foreach (cell, operands) {
        const Var* const operand = column_of(static_cast<Node*>(lfirst(cell)));
        if (operand != nullptr && operand->varno == column.varno &&
            operand->varattno == column.varattno)
            return true;
    }
    return walk_expression(node, compares, context);
}

/// The part of the rows for which a test of the version is true. Beside a comparison of the column,
/// that is all: between two bounds, hardly any UUID has another version (random ones spread over
/// 8900 years). Else the statistics tell.
double part_with(const SupportRequestSelectivity& request, Versions versions) {
    auto* const uuid = static_cast<Node*>(linitial(request.args));
    Var* const column = column_of(uuid);
    const PlannerInfo& root = *request.root;
    if (column == nullptr || root.simple_rel_array == nullptr ||
        static_cast<int>(column->varno) >= root.simple_rel_array_size)
        return 1;
    const RelOptInfo* const table = root.simple_rel_array[column->varno];
    if (table == nullptr ||
        compares(reinterpret_cast<Node*>(extract_actual_clauses(table->baserestrictinfo, false)),
                 column))
        return 1;
    VariableStatData data;
    examine_variable(request.root, uuid, request.varRelid, &data);
    const bool may_read =
        HeapTupleIsValid(data.statsTuple) && statistic_proc_security_check(&data, request.funcid);
    const double part =
        may_read ? part_of_versions(data.statsTuple, versions).value_or(1) : double{1};
    ReleaseVariableStats(data);
    return part;
}

}  // namespace

/// Planner support for uuid_is_v6, uuid_is_v7 and uuid_v1_or_v7_recheck: their selectivity.
UUIDX_FUNCTION(uuidx_is_version_support) {
    auto* const request = reinterpret_cast<SupportRequestSelectivity*>(PG_GETARG_POINTER(0));
    if (!IsA(request, SupportRequestSelectivity))
        return Datum{0};
    request->selectivity = part_with(*request, versions_tested_by(request->funcid));
    PG_RETURN_POINTER(request);
}

}  // namespace uuidx::pg
