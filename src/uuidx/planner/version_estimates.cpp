// Estimates in how many rows a UUID has one of some versions, where a condition tests that.

#include "core/layouts.h"

#include "uuidx/planner/key_distribution.h"
#include "uuidx/planner/time_functions.h"

extern "C" {
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "catalog/pg_statistic.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"
}

namespace uuidx::pg {

namespace {

/// The UUIDs that the conditions on a table leave in a column, in the order of the server.
struct Range {
    Uuid first = nil_uuid;
    Uuid last = max_uuid;

    bool is_all() const { return first == nil_uuid && last == max_uuid; }
    bool has(const Uuid& uuid) const { return first <= uuid && uuid <= last; }
};

Range range_of(PlannerInfo* root, const RelOptInfo* table, const Var* column) {
    Range range;
    ListCell* cell;
    foreach (cell, table->baserestrictinfo) {
        const auto bound =
            bound_of(reinterpret_cast<Node*>(static_cast<RestrictInfo*>(lfirst(cell))->clause));
        const int strategy = bound ? get_op_opfamily_strategy(bound->op, uuid_ops) : 0;
        if (strategy == 0 || bound->column->varno != column->varno ||
            bound->column->varattno != column->varattno)
            continue;
        const auto* const value =
            reinterpret_cast<Const*>(estimate_expression_value(root, bound->value));
        if (!IsA(value, Const) || value->constisnull)
            continue;
        const Uuid uuid = to_uuid(value->constvalue);
        if (strategy < BTEqualStrategyNumber)
            range.last = std::min(range.last, uuid);
        else
            range.first = std::max(range.first, uuid);
    }
    return range;
}

/// The part of the rows of a range, or of all, in which a column has one of these versions, by its
/// statistics; nullopt if they tell of no such UUID.
std::optional<double> part_of_versions(HeapTuple statistics, Versions versions,
                                       const Range& range) {
    const auto is_in_range = [&](Datum uuid) { return range.has(to_uuid(uuid)); };
    const auto counts = [&](Datum uuid) {
        return is_in_range(uuid) &&
               (set_of(int{version(to_uuid(uuid)).value_or(no_version)}) & versions) != 0;
    };
    AttStatsSlot slot;
    double others = 1 - reinterpret_cast<Form_pg_statistic>(GETSTRUCT(statistics))->stanullfrac;
    double all = 0;
    double part = 0;
    if (get_attstatsslot(&slot, statistics, STATISTIC_KIND_MCV, InvalidOid,
                         ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
        for (int i = 0; i < slot.nvalues; ++i) {
            all += is_in_range(slot.values[i]) ? slot.numbers[i] : 0;
            part += counts(slot.values[i]) ? slot.numbers[i] : 0;
            others -= slot.numbers[i];
        }
    if (get_attstatsslot(&slot, statistics, STATISTIC_KIND_HISTOGRAM, InvalidOid,
                         ATTSTATSSLOT_VALUES)) {
        Datum* const end = slot.values + slot.nvalues;
        const double of_a_value = others / slot.nvalues;
        const auto in_range = std::count_if(slot.values, end, is_in_range);
        const auto counted = std::count_if(slot.values, end, counts);
        all += of_a_value * static_cast<double>(in_range);
        part += of_a_value * static_cast<double>(counted);
        // Those of a period may be fewer than the statistics tell apart.
        if (!range.is_all() && counted < in_range)
            part += of_a_value / 2;
    }
    if (all <= 0)
        return std::nullopt;
    // The frequencies are rounded: their sum may be more than 1.
    return std::clamp(range.is_all() ? part : part / all, 0.0, 1.0);
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

/// The part of the rows for which a test of the version is true, by the statistics. Beside a
/// comparison of the column of which they do not tell, that is all: hardly any UUID of a short
/// period has another version (random ones spread over 8900 years).
double part_with(const SupportRequestSelectivity& request, Versions versions) {
    auto* const uuid = static_cast<Node*>(linitial(request.args));
    Var* const column = column_of(uuid);
    PlannerInfo* const root = request.root;
    if (column == nullptr || root->simple_rel_array == nullptr ||
        static_cast<int>(column->varno) >= root->simple_rel_array_size)
        return 1;
    const RelOptInfo* const table = root->simple_rel_array[column->varno];
    if (table == nullptr)
        return 1;
    const Range range = range_of(root, table, column);
    if (range.is_all()) {
        if (compares(
                reinterpret_cast<Node*>(extract_actual_clauses(table->baserestrictinfo, false)),
                column))
            return 1;
        VariableStatData data;
        examine_variable(root, uuid, request.varRelid, &data);
        const bool may_read = HeapTupleIsValid(data.statsTuple) &&
                              statistic_proc_security_check(&data, request.funcid);
        const double part =
            may_read ? part_of_versions(data.statsTuple, versions, range).value_or(1) : double{1};
        ReleaseVariableStats(data);
        return part;
    }
    // Not examine_variable(), which finds statistics of the bounds alone. The functions are
    // leakproof.
    const RangeTblEntry& entry = *root->simple_rte_array[column->varno];
    const HeapTuple statistics =
        entry.rtekind != RTE_RELATION
            ? nullptr
            : SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(entry.relid),
                              Int16GetDatum(column->varattno), BoolGetDatum(entry.inh));
    if (!HeapTupleIsValid(statistics))
        return 1;
    const double part = part_of_versions(statistics, versions, range).value_or(1);
    ReleaseSysCache(statistics);
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
