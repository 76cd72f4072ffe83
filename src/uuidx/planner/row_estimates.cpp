// Estimates how many rows have UUIDs of a range, in the hook by which the planner looks up the
// statistics of a column.
//
// PostgreSQL finds the bin of a histogram that a UUID falls into, but not its place in the bin:
// convert_to_scalar() does not know the type. It takes the middle, so that a period within a bin
// has no rows. Here, the place of each UUID that the conditions on a table name is computed. Then,
// while the planner estimates the number of rows of that table, the column has other statistics: by
// these, it has a few common values and no others, namely these UUIDs, and one for all that lie
// between two of them. From that, the planner's own functions compute for each condition what was
// computed here. Joins and indexes, which come later, see the column's own statistics; extended
// statistics correct these estimates as they correct PostgreSQL's.

#include <cmath>

#include "uuidx/planner/key_comparisons.h"
#include "uuidx/planner/key_distribution.h"
#include "uuidx/planner/query_memory.h"
#include "uuidx/planner/row_estimates.h"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type_d.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "utils/syscache.h"
}

namespace uuidx::pg {

namespace {

// --- The UUIDs that conditions name ---

/// What the conditions on a table have of a column.
struct Named {
    Index table;
    AttrNumber column;
    /// The order of its comparisons with < and the like; null if there are none.
    const Order* order = nullptr;
    /// Whether it is compared in both orders, or with an array.
    bool is_for_server = false;
    /// What it is compared with.
    List* others = NIL;
    List* uuids = NIL;
};

/// A comparison with the column: the operator, and what it compares the column with.
struct Comparison {
    Oid op;
    Node* other;
};

bool is_column(const Named& named, Node* node) {
    const Var* const var = column_of(node);
    return var != nullptr && static_cast<Index>(var->varno) == named.table &&
           var->varattno == named.column;
}

/// nullopt for any other node. The planner estimates comparisons of rows by their first members.
std::optional<Comparison> comparison_with(const Named& named, Node* node) {
    Oid op = InvalidOid;
    Node* left = nullptr;
    Node* right = nullptr;
    if (const auto* const rows = reinterpret_cast<RowCompareExpr*>(node);
        IsA(node, RowCompareExpr)) {
        op = linitial_oid(rows->opnos);
        left = static_cast<Node*>(linitial(rows->largs));
        right = static_cast<Node*>(linitial(rows->rargs));
    } else if (const auto* const comparison = reinterpret_cast<OpExpr*>(node);
               IsA(node, OpExpr) && list_length(comparison->args) == 2) {
        op = comparison->opno;
        left = static_cast<Node*>(linitial(comparison->args));
        right = static_cast<Node*>(lsecond(comparison->args));
    } else {
        return std::nullopt;
    }
    if (is_column(named, left))
        return Comparison{op, right};
    if (is_column(named, right))
        return Comparison{op, left};
    return std::nullopt;
}

/// Finds the comparisons for which the planner uses the column's statistics, and no others: what
/// stands elsewhere in a condition, such as in a branch of CASE, must not be computed.
bool find_comparisons(Node* node, void* context) {
    if (node == nullptr)
        return false;
    auto& named = *static_cast<Named*>(context);
    if (const auto comparison = comparison_with(named, node)) {
        const Order* const order = order_of(comparison->op);
        named.is_for_server |= order != nullptr && named.order != nullptr && order != named.order;
        named.order = order != nullptr ? order : named.order;
        if (!contain_var_clause(comparison->other))
            named.others = lappend(named.others, comparison->other);
    }
    named.is_for_server |=
        IsA(node, ScalarArrayOpExpr) &&
        is_column(named,
                  static_cast<Node*>(linitial(reinterpret_cast<ScalarArrayOpExpr*>(node)->args)));
    const bool is_of_conditions = IsA(node, BoolExpr) || IsA(node, BooleanTest);
    return is_of_conditions && walk_expression(node, find_comparisons, context);
}

/// Reads the conditions on a table, and those from which the planner extracts conditions on it.
Named read_conditions(PlannerInfo* root, const RelOptInfo* table, AttrNumber column) {
    Named named{table->relid, column};
    ListCell* cell;
    for (const List* const list : {table->baserestrictinfo, table->joininfo})
        foreach (cell, list)
            find_comparisons(
                reinterpret_cast<Node*>(static_cast<RestrictInfo*>(lfirst(cell))->clause), &named);
    if (named.order == nullptr || named.is_for_server)
        return named;
    foreach (cell, named.others) {
        auto* other = static_cast<Node*>(lfirst(cell));
        if (!IsA(other, Const))
            other = estimate_expression_value(root, other);
        const auto* const constant = reinterpret_cast<Const*>(other);
        if (IsA(other, Const) && constant->consttype == UUIDOID && !constant->constisnull)
            named.uuids = lappend(named.uuids, DatumGetPointer(constant->constvalue));
    }
    return named;
}

/// Has the planner take conditions beside which stand the comparisons of the column that they imply
/// for true: hardly any row satisfies only the comparisons. `context` is the PlannerInfo.
bool estimate_implied_comparisons(Node* node, void* context) {
    if (node == nullptr)
        return false;
    auto* const condition = reinterpret_cast<RestrictInfo*>(node);
    if (!IsA(node, RestrictInfo))
        return walk_expression(node, estimate_implied_comparisons, context);
    if (condition->orclause != nullptr)
        return estimate_implied_comparisons(reinterpret_cast<Node*>(condition->orclause), context);
    auto* const root = static_cast<PlannerInfo*>(context);
    const auto predicate = time_predicate(reinterpret_cast<Node*>(condition->clause));
    if (predicate && predicate->implied_by != nullptr && can_compare_keys(root, *predicate))
        condition->norm_selec = 1;
    return false;
}

/// The bounds among the conditions on a table, its disjunctions, and its lists of moments, which
/// imply comparisons of the column.
struct Implying {
    List* bounds = NIL;
    List* disjunctions = NIL;
    List* lists = NIL;
};

Implying read_implying(PlannerInfo* root, const RelOptInfo* table) {
    Implying found;
    ListCell* cell;
    foreach (cell, table->baserestrictinfo) {
        // A parent's is an argument of uuid_time_predicate() until take_back_carriers().
        auto* const clause =
            reinterpret_cast<Node*>(static_cast<RestrictInfo*>(lfirst(cell))->clause);
        if (is_orclause(clause))
            found.disjunctions = lappend(found.disjunctions, lfirst(cell));
        else if (bound_of(clause))
            found.bounds = lappend(found.bounds, lfirst(cell));
        else if (const auto predicate =
                     IsA(clause, ScalarArrayOpExpr) ? time_predicate(clause) : std::nullopt;
                 predicate && predicate->function.functions == NIL &&
                 predicate->strategy == BTEqualStrategyNumber && can_compare_keys(root, *predicate))
            found.lists = lappend(found.lists, lfirst(cell));
    }
    return found;
}

double selectivity(PlannerInfo* root, List* conditions) {
    return clauselist_selectivity(root, conditions, 0, JOIN_INNER, nullptr);
}

/// Has the planner take disjunctions beside which stand bounds that they imply for what they leave
/// of the rows within these. Each is compared with each.
void estimate_disjunctions(PlannerInfo* root, const Implying& found) {
    constexpr int most = 1000;
    if (list_length(found.disjunctions) * list_length(found.bounds) > most)
        return;
    ListCell* cell;
    foreach (cell, found.disjunctions) {
        auto* const condition = static_cast<RestrictInfo*>(lfirst(cell));
        List* implied = NIL;
        ListCell* other;
        foreach (other, found.bounds) {
            auto* const clause = static_cast<RestrictInfo*>(lfirst(other))->clause;
            if (disjunction_implies(condition->clause, *bound_of(reinterpret_cast<Node*>(clause))))
                implied = lappend(implied, lfirst(other));
        }
        if (implied == NIL)
            continue;
        const double within = selectivity(root, implied);
        const double part = clause_selectivity(root, reinterpret_cast<Node*>(condition->orclause),
                                               0, JOIN_INNER, nullptr);
        condition->norm_selec = within > 0 ? Min(part / within, 1) : 1;
    }
}

/// Hardly more than one row has each moment of a list beside which stand bounds, or ranges, that it
/// implies: this is the part that these rows are of those within.
void estimate_lists(PlannerInfo* root, const RelOptInfo* table, const Implying& found) {
    if (found.lists == NIL)
        return;
    const double rows =
        table->tuples * selectivity(root, list_concat_copy(found.bounds, found.disjunctions));
    ListCell* cell;
    foreach (cell, found.lists) {
        auto* const condition = static_cast<RestrictInfo*>(lfirst(cell));
        const auto predicate = time_predicate(reinterpret_cast<Node*>(condition->clause));
        condition->norm_selec = Min(array_length(root, predicate->moment) / Max(rows, 1), 1);
    }
}

// --- The statistics in place of the column's own ---

/// The UUIDs of a list in the order of a column, each once.
std::span<Datum> sorted(const List* uuids, const Distribution& column) {
    const auto count = static_cast<std::size_t>(list_length(uuids));
    auto* const values = static_cast<Datum*>(palloc(count * sizeof(Datum)));
    for (std::size_t i = 0; i < count; ++i)
        values[i] = PointerGetDatum(list_nth(uuids, static_cast<int>(i)));
    std::sort(values, values + count,
              [&](Datum a, Datum b) { return column.number(a) < column.number(b); });
    Datum* const end = std::unique(values, values + count, [&](Datum a, Datum b) {
        return column.number(a) == column.number(b);
    });
    return {values, end};
}

/// Common values and their frequencies.
struct CommonValues {
    Datum* uuids;
    Datum* frequencies;
    std::size_t count = 0;

    /// As two values: the second has what a float4 cannot hold of the first.
    void add(const Uuid& uuid, double frequency) {
        const Datum value = datum(uuid);
        const auto rounded = static_cast<float4>(frequency);
        for (const double part : {static_cast<double>(rounded), frequency - rounded}) {
            // Not a row in any table
            if (std::abs(part) < 1e-12)
                continue;
            uuids[count] = value;
            frequencies[count++] = Float4GetDatum(static_cast<float4>(part));
        }
    }
};

/// The fraction of rows that have exactly this UUID.
double frequency_of(VariableStatData* data, const Distribution& column, Number n) {
    for (std::size_t i = 0; i < column.common.size(); ++i)
        if (column.number(column.common[i]) == n)
            return column.frequencies[i];
    bool is_default;
    const double distinct = get_variable_numdistinct(data, &is_default);
    return column.others / Max(distinct - static_cast<double>(column.common.size()), 1);
}

/// The statistics by which the column has no values but the sorted `named` ones, and one before
/// each of them and after the last.
HeapTuple with_named_values(VariableStatData* data, const Distribution& column,
                            std::span<Datum> named) {
    const std::size_t most = 2 * (2 * named.size() + 1);
    CommonValues values{static_cast<Datum*>(palloc(most * sizeof(Datum))),
                        static_cast<Datum*>(palloc(most * sizeof(Datum)))};
    const double all =
        1 - reinterpret_cast<Form_pg_statistic>(GETSTRUCT(data->statsTuple))->stanullfrac;
    double sum = 0;
    for (const Datum value : named) {
        const Uuid uuid = to_uuid(value);
        const Number n = column.order.number(uuid);
        const double before = std::clamp(column.below(n), sum, all) - sum;
        const double here = Min(frequency_of(data, column, n), all - sum - before);
        values.add(column.order.before(uuid), before);
        values.add(uuid, here);
        sum += before + here;
    }
    values.add(max_uuid, all - sum);
    // The planner takes the first for the most common.
    Datum* const most_common =
        std::max_element(values.frequencies, values.frequencies + values.count,
                         [](Datum a, Datum b) { return DatumGetFloat4(a) < DatumGetFloat4(b); });
    const auto i = most_common - values.frequencies;
    for (Datum* const array : {values.uuids, values.frequencies})
        std::rotate(array, array + i, array + i + 1);
    return with_slot(data->statsTuple, STATISTIC_KIND_MCV, uuid_eq, {values.uuids, values.count},
                     {values.frequencies, values.count});
}

/// Where comparisons with a column are to be placed.
struct Placed {
    VariableStatData* data;
    const Named& named;
    const Distribution& column;
    /// The fraction of rows with any UUID.
    double all;

    /// The bound of the column that a condition is, if it is a constant.
    std::optional<Bound> bound_in(const RestrictInfo* condition) const {
        const auto bound = bound_of(reinterpret_cast<Node*>(condition->clause));
        const auto* const value = bound ? reinterpret_cast<Const*>(bound->value) : nullptr;
        const bool is_placed = bound && is_column(named, reinterpret_cast<Node*>(bound->column)) &&
                               order_of(bound->op) == &column.order && IsA(value, Const) &&
                               !value->constisnull;
        return is_placed ? bound : std::nullopt;
    }

    Number number(const Bound& bound) const {
        return column.number(reinterpret_cast<Const*>(bound.value)->constvalue);
    }

    /// Lets a period have the rows of one UUID at least.
    void widen(const List* conditions) const {
        RestrictInfo* lower = nullptr;
        RestrictInfo* upper = nullptr;
        ListCell* cell;
        foreach (cell, conditions) {
            auto* const condition = static_cast<RestrictInfo*>(lfirst(cell));
            if (const auto bound =
                    IsA(condition, RestrictInfo) ? bound_in(condition) : std::nullopt)
                (is_upper(bound->op) ? upper : lower) = condition;
        }
        if (lower == nullptr || upper == nullptr)
            return;
        const double of_one = frequency_of(data, column, number(*bound_in(lower)));
        const double least = all - lower->norm_selec + of_one;
        upper->norm_selec = Min(Max(upper->norm_selec, least), all);
    }
};

/// Tells the planner the part of the rows for which each comparison of the column with a constant
/// is true. `context` is a Placed.
bool place_comparisons(Node* node, void* context) {
    if (node == nullptr)
        return false;
    const auto& placed = *static_cast<Placed*>(context);
    auto* const condition = reinterpret_cast<RestrictInfo*>(node);
    if (!IsA(node, RestrictInfo)) {
        walk_expression(node, place_comparisons, context);
        if (is_andclause(node))
            placed.widen(reinterpret_cast<BoolExpr*>(node)->args);
    } else if (condition->orclause != nullptr) {
        place_comparisons(reinterpret_cast<Node*>(condition->orclause), context);
    } else if (const auto bound = placed.bound_in(condition)) {
        const double below = Min(placed.column.below(placed.number(*bound)), placed.all);
        condition->norm_selec = is_upper(bound->op) ? below : placed.all - below;
    }
    return false;
}

/// What with_named_values() returns for the conditions on a table's column; null if the statistics
/// do not tell.
HeapTuple statistics_for(PlannerInfo* root, VariableStatData* data, const RelOptInfo* table,
                         Oid oid, const Named& named) {
    auto column = read_distribution(root, data, named.column, *named.order);
    if (!column)
        return nullptr;
    const std::span uuids = sorted(named.uuids, *column);
    extend_to(root, *data, oid, named.column, column->number(uuids.front()),
              column->number(uuids.back()), *column);
    // The planner compares each of them with each. Of more, those are needed that it has asked for.
    constexpr int most = 100;
    if (list_length(named.uuids) <= most)
        return with_named_values(data, *column, uuids);
    Placed placed{
        data, named, *column,
        1 - reinterpret_cast<Form_pg_statistic>(GETSTRUCT(data->statsTuple))->stanullfrac};
    place_comparisons(reinterpret_cast<Node*>(table->baserestrictinfo), &placed);
    return with_named_values(data, *column,
                             sorted(list_truncate(list_copy(named.uuids), most), *column));
}

// --- What the planner asks for ---

/// The statistics to be used in place of a column's own; null if there are none.
HeapTuple statistics_in_place(PlannerInfo* root, const RangeTblEntry* entry,
                              const RelOptInfo* table, AttrNumber column, VariableStatData* data) {
    estimate_implied_comparisons(reinterpret_cast<Node*>(table->baserestrictinfo), root);
    const Named named = read_conditions(root, table, column);
    if (named.uuids == NIL)
        return nullptr;
    const HeapTuple statistics = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(entry->relid),
                                                 Int16GetDatum(column), BoolGetDatum(entry->inh));
    if (!HeapTupleIsValid(statistics))
        return nullptr;
    data->statsTuple = statistics;
    HeapTuple const in_place = statistics_for(root, data, table, entry->relid, named);
    data->statsTuple = nullptr;
    ReleaseSysCache(statistics);
    return in_place;
}

}  // namespace

RelOptInfo* table_of(const PlannerInfo* root, const RangeTblEntry* entry) {
    // Children follow one another.
    static int last = 0;
    const int size = root->simple_rel_array_size;
    for (int n = 0; n < size && entry->rtekind == RTE_RELATION; ++n) {
        const int i = (last + n) % size;
        if (root->simple_rte_array[i] == entry) {
            last = i;
            return root->simple_rel_array[i];
        }
    }
    return nullptr;
}

bool is_to_size(const PlannerInfo* root, const RelOptInfo* table) {
    // Foreign tables have a default, in place of which their wrapper puts its estimate.
    const bool has_rows =
        table->fdwroutine != nullptr ? root->total_table_pages > 0 : table->rows > 0;
    return !has_rows && table->pathlist == NIL;
}

bool estimate_rows(PlannerInfo* root, RangeTblEntry* entry, AttrNumber column,
                   VariableStatData* data) {
    if (data->vartype != UUIDOID || column <= 0)
        return false;
    const RelOptInfo* const table = table_of(root, entry);
    if (table == nullptr || !is_to_size(root, table) || table != data->rel)
        return false;
    MemoryContext const before = MemoryContextSwitchTo(root->planner_cxt);
    TableMemory& memory = memory_of(root, table);
    const Answer* answer = find_answer(memory.answers, column);
    if (answer == nullptr) {
        // It asks with each comparison of the column: a range has two, a list of keys thousands.
        auto* const first = static_cast<Answer*>(palloc(sizeof(Answer)));
        *first = {column, statistics_in_place(root, entry, table, column, data)};
        memory.answers = lappend(memory.answers, first);
        const Implying implying = read_implying(root, table);
        estimate_disjunctions(root, implying);
        estimate_lists(root, table, implying);
        answer = first;
    }
    MemoryContextSwitchTo(before);
    if (answer->statistics == nullptr)
        return false;
    data->statsTuple = answer->statistics;
    data->freefunc = keep;
    return true;
}

}  // namespace uuidx::pg
