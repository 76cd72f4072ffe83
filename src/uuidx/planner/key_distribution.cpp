// Where the UUIDs of a column are, by its statistics and by what has come since ANALYZE.

#include <cmath>

#include "core/time_order.h"

#include "uuidx/planner/column_facts.h"
#include "uuidx/planner/key_distribution.h"

extern "C" {
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type_d.h"
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"
}

namespace uuidx::pg {

namespace {

// --- Orders of UUIDs ---

constexpr Number operator-(Number a, Number b) {
    return {a.high - b.high - (a.low < b.low), a.low - b.low};
}

/// The sum of a number and one that is not negative; the greatest number if that is greater.
Number plus(Number a, double b) {
    if (static_cast<double>(a) + b >= 0x1p128)
        return {UINT64_MAX, UINT64_MAX};
    const auto high = static_cast<std::uint64_t>(b / 0x1p64);
    const Number rounded{high, static_cast<std::uint64_t>(b - static_cast<double>(high) * 0x1p64)};
    const std::uint64_t low = a.low + rounded.low;
    return {a.high + rounded.high + (low < a.low), low};
}

Number octets_number(const Uuid& uuid) {
    return {uuid.word(0), uuid.word(1)};
}

Uuid octets_before(const Uuid& uuid) {
    const Number number = octets_number(uuid) - Number{0, 1};
    Uuid before;
    before.set_word(0, number.high);
    before.set_word(1, number.low);
    return before;
}

Number time_number(const Uuid& uuid) {
    return {0, time_key(uuid)};
}

Uuid time_before(const Uuid& uuid) {
    return first_by_time(timestamp(uuid).value_or(timestamp_end<UnixTime>) -
                         std::chrono::milliseconds{1});
}

constexpr Order octets_order{octets_number, octets_before, {UINT64_MAX, UINT64_MAX}};
constexpr Order time_order{time_number, time_before, {0, std::uint64_t{1} << 63}};

/// a / b, for a <= b.
double ratio(Number a, Number b) {
    return b == Number{} ? 0.5 : static_cast<double>(a) / static_cast<double>(b);
}

// --- The statistics ---

/// The statistics of uuid_time(column) that a user has the server gather; null if there are none.
Node* time_with_statistics(const RelOptInfo* table, AttrNumber column) {
    ListCell* cell;
    foreach (cell, table->statlist) {
        ListCell* expression;
        foreach (expression, static_cast<StatisticExtInfo*>(lfirst(cell))->exprs) {
            const auto time = time_call(static_cast<Node*>(lfirst(expression)));
            const Var* const var = time ? column_of(time->uuid) : nullptr;
            if (var != nullptr && var->varattno == column && time->versions == versions_with_time)
                return static_cast<Node*>(lfirst(expression));
        }
    }
    return nullptr;
}

/// The values of a slot as UUIDs; those of the time are UUIDs of that time.
std::span<Datum> uuids_of(const AttStatsSlot& slot) {
    const std::span values{slot.values, static_cast<std::size_t>(slot.nvalues)};
    if (slot.valuetype == TIMESTAMPTZOID)
        for (Datum& value : values)
            value = datum(first_by_time(clamped_moment(DatumGetTimestampTz(value))));
    return values;
}

/// Whether the statistics have a histogram.
bool read_statistics(HeapTuple statistics, Distribution& column) {
    AttStatsSlot slot;
    column.others = 1 - reinterpret_cast<Form_pg_statistic>(GETSTRUCT(statistics))->stanullfrac;
    if (get_attstatsslot(&slot, statistics, STATISTIC_KIND_MCV, InvalidOid,
                         ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS)) {
        column.common = uuids_of(slot);
        column.frequencies = slot.numbers;
        for (int i = 0; i < slot.nnumbers; ++i)
            column.others -= slot.numbers[i];
    }
    if (!get_attstatsslot(&slot, statistics, STATISTIC_KIND_HISTOGRAM, InvalidOid,
                          ATTSTATSSLOT_VALUES))
        return false;
    column.bounds = uuids_of(slot);
    if (&column.order == &time_order)
        std::sort(column.bounds.begin(), column.bounds.end(),
                  [&](Datum a, Datum b) { return column.number(a) < column.number(b); });
    const auto total = static_cast<double>(column.bounds.size());
    while (!column.bounds.empty() && column.number(column.bounds.back()) >= column.order.end)
        column.bounds = column.bounds.first(column.bounds.size() - 1);
    column.others *= static_cast<double>(column.bounds.size()) / total;
    if (column.bounds.size() < 3)
        return false;
    column.first = column.number(column.bounds.front());
    column.last_bound = column.number(column.bounds.back());
    return true;
}

// --- Disjunctions ---

/// What each arm of a disjunction compares the column of a bound with, in the same direction; NIL
/// if one does not.
List* values_in_arms(const Bound& bound, const List* arms) {
    List* values = NIL;
    ListCell* arm;
    foreach (arm, arms) {
        CHECK_FOR_INTERRUPTS();
        const int count = list_length(values);
        ListCell* conjunct;
        foreach (conjunct, make_ands_implicit(static_cast<Expr*>(lfirst(arm)))) {
            const auto other = bound_of(static_cast<Node*>(lfirst(conjunct)));
            if (!other || list_length(values) > count || !equal(other->column, bound.column) ||
                get_op_opfamily_strategy(other->op, uuid_ops) == 0 ||
                is_upper(other->op) != is_upper(bound.op))
                continue;
            values = lappend(values, other->value);
        }
        if (list_length(values) == count)
            return NIL;
    }
    return values;
}

/// So many values that are not constants may have their greatest estimated, which is done for each
/// index and each arm.
constexpr int most_values = 16;

/// The comparison of the column of a bound with the greatest or the least of these values; null if
/// that takes too long to estimate, or may raise an error.
Node* outermost(PlannerInfo* root, const Bound& bound, List* values) {
    auto* const extreme = makeNode(MinMaxExpr);
    extreme->minmaxtype = UUIDOID;
    extreme->op = is_upper(bound.op) ? IS_GREATEST : IS_LEAST;
    extreme->args = static_cast<List*>(copyObjectImpl(values));
    extreme->location = -1;
    const Oid op = get_opfamily_member(
        uuid_ops, UUIDOID, UUIDOID,
        is_upper(bound.op) ? BTLessEqualStrategyNumber : BTGreaterEqualStrategyNumber);
    Node* const value = eval_const_expressions(root, reinterpret_cast<Node*>(extreme));
    if (!IsA(value, Const) && (list_length(values) > most_values || may_raise_error(root, value)))
        return nullptr;
    return comparison(reinterpret_cast<Node*>(bound.column), op, value);
}

// --- What has come since ANALYZE ---

/// Takes part in a search of the server as a comparison, to see the bound that it has put there.
Uuid seen;
template <bool result>
Datum see(PG_FUNCTION_ARGS) {
    seen = getarg_uuid(fcinfo, 0);
    PG_RETURN_BOOL(result);
}

/// The actual first or last UUID of a column, where an index has its order; else the histogram's.
/// ineq_histogram_selectivity() looks it up before it compares an end of the histogram.
Number actual_end(PlannerInfo* root, const VariableStatData& data, const Distribution& column,
                  AttrNumber attribute, bool is_last) {
    ListCell* cell;
    foreach (cell, data.rel->indexlist) {
        const auto* const index = static_cast<IndexOptInfo*>(lfirst(cell));
        if (index->indexkeys[0] != attribute)
            continue;
        const Oid less =
            get_opfamily_member(index->opfamily[0], UUIDOID, UUIDOID, BTLessStrategyNumber);
        if (!OidIsValid(less) || order_of(less) != &column.order)
            continue;
        VariableStatData searched = data;
        if (less != uuid_lt)
            searched.statsTuple =
                with_slot(data.statsTuple, STATISTIC_KIND_HISTOGRAM, less, column.bounds, {});
        FmgrInfo comparison;
        fmgr_info(get_opcode(less), &comparison);
        comparison.fn_addr = is_last ? see<true> : see<false>;
        ineq_histogram_selectivity(root, &searched, less, &comparison, false, false, InvalidOid,
                                   column.bounds.front(), UUIDOID);
        return column.order.number(seen);
    }
    return is_last ? column.last_bound : column.first;
}

/// The rows that a table may have got since ANALYZE, as a fraction of those that it had, at most 1.
double growth(const RelOptInfo* table, Oid oid) {
    if (const auto changed = changes_since_analyze(oid))
        return *changed < table->tuples / 2 ? *changed / (table->tuples - *changed) : 1;
    const HeapTuple entry = SearchSysCache1(RELOID, ObjectIdGetDatum(oid));
    const auto pages =
        static_cast<double>(reinterpret_cast<Form_pg_class>(GETSTRUCT(entry))->relpages);
    ReleaseSysCache(entry);
    return pages > 0 ? std::clamp(table->pages / pages - 1, 0.0, 1.0) : 1;
}

/// The number of a UUID of this moment, where no others than wrong ones are later; else order.end.
Number number_of_now(const Order& order, Oid table, AttrNumber column) {
    const Microseconds now = clamped_moment(GetCurrentTimestamp());
    if (&order == &time_order)
        return order.number(first_by_time(now));
    const Versions versions = facts_of(table, column).versions;
    return (versions & versions_with_time) == set_of(7) ? order.number(first_from<UnixTime>(now))
                                                        : order.end;
}

/// Assumes that the column has gone on to grow as it did in the last tenth of its histogram, up to
/// its actual last UUID, but not by more rows than the table got.
void extend(const RelOptInfo* table, Oid oid, AttrNumber attribute, Number actual,
            Distribution& column) {
    const Number now = number_of_now(column.order, oid, attribute);
    const std::size_t bins = column.bounds.size() - 1;
    const std::size_t tail = Max(bins / 10, 1);
    const Number width = column.last_bound - column.bound(bins - tail);
    column.last = Min(actual, now);
    if (column.last <= column.last_bound || width == Number{})
        return;
    const double rows_of_tail = static_cast<double>(tail) / static_cast<double>(bins);
    // ANALYZE has seen one row of so many.
    const double unseen = 1 / (300.0 * static_cast<double>(bins));
    const double most = growth(table, oid) + unseen;
    const double expected = rows_of_tail * ratio(column.last - column.last_bound, width);
    column.beyond = Min(expected, most);
    // Where the actual last UUID may be a single one from the far future, or of no time, it must
    // not spread the others.
    const double spread = actual >= column.order.end ? 1 : 2;
    if ((now == column.order.end || spread == 1) && expected > spread * most)
        column.last =
            plus(column.last_bound, static_cast<double>(width) / rows_of_tail * spread * most);
}

}  // namespace

const Order* order_of(Oid op) {
    if (op == uuid_eq)
        return nullptr;
    if (const int strategy = get_op_opfamily_strategy(op, uuid_ops); strategy != 0)
        return strategy != BTEqualStrategyNumber ? &octets_order : nullptr;
    const Oid function = get_opcode(op);
    for (const char* const symbol :
         {"uuidx_time_lt", "uuidx_time_le", "uuidx_time_ge", "uuidx_time_gt"})
        if (is_implemented_by(function, symbol))
            return &time_order;
    return nullptr;
}

std::optional<Bound> bound_of(Node* condition) {
    const auto* const comparison = reinterpret_cast<OpExpr*>(condition);
    if (!IsA(condition, OpExpr) || list_length(comparison->args) != 2)
        return std::nullopt;
    auto* const left = static_cast<Node*>(linitial(comparison->args));
    auto* const right = static_cast<Node*>(lsecond(comparison->args));
    if (exprType(left) != UUIDOID || exprType(right) != UUIDOID)
        return std::nullopt;
    for (const bool is_commuted : {false, true}) {
        Var* const column = column_of(is_commuted ? right : left);
        Node* const value = is_commuted ? left : right;
        const bool is_constant = IsA(value, Const);
        if (column == nullptr || (!is_constant && contain_var_clause(value)))
            continue;
        const Oid op = is_commuted ? get_commutator(comparison->opno) : comparison->opno;
        const bool is_bound =
            OidIsValid(op) && order_of(op) != nullptr &&
            (is_constant || (!contain_volatile_functions(value) && !contain_subplans(value)));
        return is_bound ? std::optional{Bound{column, op, value}} : std::nullopt;
    }
    return std::nullopt;
}

bool is_upper(Oid op) {
    if (const int strategy = get_op_opfamily_strategy(op, uuid_ops); strategy != 0)
        return strategy < BTEqualStrategyNumber;
    return is_implemented_by(get_opcode(op), "uuidx_time_lt") ||
           is_implemented_by(get_opcode(op), "uuidx_time_le");
}

List* bounds_of_disjunction(PlannerInfo* root, Node* condition) {
    if (!is_orclause(condition) || bms_membership(pull_varnos(root, condition)) != BMS_SINGLETON)
        return NIL;
    const List* const arms = reinterpret_cast<BoolExpr*>(condition)->args;
    List* bounds = NIL;
    ListCell* conjunct;
    foreach (conjunct, make_ands_implicit(static_cast<Expr*>(linitial(arms)))) {
        const auto first = bound_of(static_cast<Node*>(lfirst(conjunct)));
        List* const values = first ? values_in_arms(*first, arms) : NIL;
        Node* const bound = values != NIL ? outermost(root, *first, values) : nullptr;
        if (bound != nullptr)
            bounds = list_append_unique(bounds, bound);
    }
    return bounds;
}

bool disjunction_implies(Expr* disjunction, const Bound& bound) {
    if (get_op_opfamily_strategy(bound.op, uuid_ops) == 0)
        return false;
    const auto known = [](void* value) {
        const auto* const constant = static_cast<Const*>(value);
        return IsA(constant, Const) && !constant->constisnull
                   ? std::optional{to_uuid(constant->constvalue)}
                   : std::nullopt;
    };
    const auto limit = known(bound.value);
    List* const values = values_in_arms(bound, reinterpret_cast<BoolExpr*>(disjunction)->args);
    ListCell* cell;
    foreach (cell, values) {
        const auto value = known(lfirst(cell));
        if (limit && value && (is_upper(bound.op) ? *value > *limit : *value < *limit))
            return false;
    }
    return values != NIL;
}

/// The fraction of the other UUIDs that are less.
double Distribution::others_below(Number n) const {
    if (n > last_bound)
        return (1 + beyond * (n >= last ? 1 : ratio(n - last_bound, last - last_bound))) /
               (1 + beyond);
    std::size_t low = 0;
    for (std::size_t high = bounds.size(); low < high;) {
        const std::size_t middle = (low + high) / 2;
        if (bound(middle) < n)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    const double in_bin = ratio(n - bound(low - 1), bound(low) - bound(low - 1));
    return (static_cast<double>(low - 1) + in_bin) / static_cast<double>(bounds.size() - 1) /
           (1 + beyond);
}

double Distribution::below(Number n) const {
    double sum = others * others_below(n);
    for (std::size_t i = 0; i < common.size(); ++i)
        sum += number(common[i]) < n ? frequencies[i] : 0;
    return sum;
}

std::optional<Distribution> read_distribution(PlannerInfo* root, VariableStatData* data,
                                              AttrNumber attribute, const Order& order) {
    Distribution column{order};
    VariableStatData of_time{};
    Node* const time = &order == &time_order ? time_with_statistics(data->rel, attribute) : nullptr;
    if (time != nullptr)
        examine_variable(root, time, 0, &of_time);
    const bool is_known = read_statistics(
        HeapTupleIsValid(of_time.statsTuple) ? of_time.statsTuple : data->statsTuple, column);
    ReleaseVariableStats(of_time);
    if (!is_known)
        return std::nullopt;
    return column;
}

std::optional<double> part_within(PlannerInfo* root, Oid table, bool is_parent, AttrNumber column,
                                  const List* bounds) {
    const HeapTuple statistics = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(table),
                                                 Int16GetDatum(column), BoolGetDatum(is_parent));
    if (!HeapTupleIsValid(statistics))
        return std::nullopt;
    Distribution distribution{*order_of(static_cast<Bound*>(linitial(bounds))->op)};
    const bool is_known = read_statistics(statistics, distribution);
    ReleaseSysCache(statistics);
    double first = 0;
    double end = is_known ? distribution.below(distribution.order.end) : 0;
    ListCell* cell;
    foreach (cell, bounds) {
        const auto& [_, op, value] = *static_cast<Bound*>(lfirst(cell));
        const auto* const known = reinterpret_cast<Const*>(estimate_expression_value(root, value));
        if (!is_known || !IsA(known, Const))
            return std::nullopt;
        if (known->constisnull)
            return 0;
        if (order_of(op) != &distribution.order)
            continue;
        const double below = distribution.below(distribution.number(known->constvalue));
        if (is_upper(op))
            end = Min(end, below);
        else
            first = Max(first, below);
    }
    return Max(end - first, 0);
}

std::optional<double> rows_within(PlannerInfo* root, const RangeTblEntry& table, AttrNumber column,
                                  const List* conditions) {
    List* bounds = NIL;
    ListCell* cell;
    foreach (cell, conditions) {
        const auto bound = bound_of(static_cast<Node*>(lfirst(cell)));
        if (!bound || bound->column->varattno != column)
            continue;
        auto* const of_column = static_cast<Bound*>(palloc(sizeof(Bound)));
        *of_column = *bound;
        bounds = lappend(bounds, of_column);
    }
    if (bounds == NIL)
        return std::nullopt;
    const auto part = part_within(root, table.relid, table.inh, column, bounds);
    return part ? std::optional{*part * rows_when_analyzed(table.relid)} : std::nullopt;
}

double rows_when_analyzed(Oid table) {
    const HeapTuple entry = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
    const double rows = reinterpret_cast<Form_pg_class>(GETSTRUCT(entry))->reltuples;
    ReleaseSysCache(entry);
    return rows;
}

void extend_to(PlannerInfo* root, const VariableStatData& data, Oid oid, AttrNumber attribute,
               Number first, Number last, Distribution& column) {
    if (first < column.bound(1))
        column.first = Min(actual_end(root, data, column, attribute, false), column.bound(1));
    if (last > column.bound(column.bounds.size() - 2))
        extend(data.rel, oid, attribute, actual_end(root, data, column, attribute, true), column);
}

HeapTuple with_slot(HeapTuple statistics, int16 kind, Oid op, std::span<Datum> uuids,
                    std::span<Datum> numbers) {
    const auto size = [](std::span<Datum> values) { return static_cast<int>(values.size()); };
    Datum columns[Natts_pg_statistic]{};
    bool nulls[Natts_pg_statistic]{};
    bool replace[Natts_pg_statistic]{};
    const int16* const kinds =
        &reinterpret_cast<Form_pg_statistic>(GETSTRUCT(statistics))->stakind1;
    for (int i = 0; i < STATISTIC_NUM_SLOTS; ++i)
        replace[Anum_pg_statistic_stakind1 - 1 + i] = kinds[i] != STATISTIC_KIND_CORRELATION;
    // ANALYZE leaves the last slot of a column of UUIDs empty.
    const auto set = [&](int first_column, Datum value) {
        columns[first_column - 1 + STATISTIC_NUM_SLOTS - 1] = value;
        replace[first_column - 1 + STATISTIC_NUM_SLOTS - 1] = true;
    };
    // The server takes no slot without values.
    set(Anum_pg_statistic_stakind1, Int16GetDatum(uuids.empty() ? 0 : kind));
    set(Anum_pg_statistic_staop1, ObjectIdGetDatum(op));
    set(Anum_pg_statistic_stacoll1, ObjectIdGetDatum(InvalidOid));
    set(Anum_pg_statistic_stavalues1,
        PointerGetDatum(
            construct_array(uuids.data(), size(uuids), UUIDOID, UUID_LEN, false, TYPALIGN_CHAR)));
    set(Anum_pg_statistic_stanumbers1,
        PointerGetDatum(construct_array(numbers.data(), size(numbers), FLOAT4OID, sizeof(float4),
                                        true, TYPALIGN_INT)));
    // No lock: the columns of a catalog do not change.
    const Relation catalog = RelationIdGetRelation(StatisticRelationId);
    HeapTuple const copy =
        heap_modify_tuple(statistics, RelationGetDescr(catalog), columns, nulls, replace);
    RelationClose(catalog);
    return copy;
}

}  // namespace uuidx::pg
