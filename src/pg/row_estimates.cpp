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

#include "core/time_order.h"

#include <compare>

#include "pg/settings.h"

#include "pg/column_facts.h"
#include "pg/key_comparisons.h"
#include "pg/row_estimates.h"

extern "C" {
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "catalog/pg_class.h"
#include "catalog/pg_operator_d.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type_d.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"
}

namespace uuidx::pg {

namespace {

// Of PostgreSQL's catalogs, which name no symbols for them
constexpr Oid uuid_eq = 2972;
constexpr Oid uuid_lt = 2974;
constexpr Oid uuid_ops = 2968;

// --- Orders of UUIDs ---

/// An unsigned number of 128 bits, which compilers for 32-bit machines do not have.
struct Number {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    constexpr auto operator<=>(const Number&) const = default;
    constexpr explicit operator double() const {
        return static_cast<double>(high) * 0x1p64 + static_cast<double>(low);
    }
};

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

struct Order {
    /// A number that sorts as the UUID does, and whose differences are distances.
    Number (*number)(const Uuid& uuid);
    /// A UUID before all with the same number, and after any that is noticeably less.
    Uuid (*before)(const Uuid& uuid);
    /// From this number on, UUIDs have no place among the others.
    Number end;
};

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

/// The order that an operator compares UUIDs in; null if it does not.
const Order* order_of(Oid op) {
    if (const int strategy = get_op_opfamily_strategy(op, uuid_ops); strategy != 0)
        return strategy != BTEqualStrategyNumber ? &octets_order : nullptr;
    const Oid function = get_opcode(op);
    for (const char* const symbol :
         {"uuidx_time_lt", "uuidx_time_le", "uuidx_time_ge", "uuidx_time_gt"})
        if (is_implemented_by(function, symbol))
            return &time_order;
    return nullptr;
}

/// a / b, for a <= b.
double ratio(Number a, Number b) {
    return b == Number{} ? 0.5 : static_cast<double>(a) / static_cast<double>(b);
}

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
    // The planner compares each of them with each.
    if (list_length(named.uuids) > 100)
        named.uuids = NIL;
    return named;
}

/// Has the planner take comparisons of rows for true, beside which stand those of the column that
/// they imply: hardly any row between satisfies only the one.
void estimate_row_comparisons(PlannerInfo* root, const RelOptInfo* table) {
    ListCell* cell;
    foreach (cell, table->baserestrictinfo) {
        auto* const condition = static_cast<RestrictInfo*>(lfirst(cell));
        const auto predicate = time_predicate(reinterpret_cast<Node*>(condition->clause));
        if (predicate && predicate->rows != nullptr && can_compare_keys(root, *predicate))
            condition->norm_selec = 1;
    }
}

// --- Tuples of pg_statistic ---

/// A copy of a column's statistics with one slot: values, and numbers if there are any.
HeapTuple with_slot(HeapTuple statistics, int16 kind, Oid op, std::span<Datum> uuids,
                    std::span<Datum> numbers) {
    const auto size = [](std::span<Datum> values) { return static_cast<int>(values.size()); };
    Datum columns[Natts_pg_statistic]{};
    bool nulls[Natts_pg_statistic]{};
    bool replace[Natts_pg_statistic]{};
    for (int i = 0; i < STATISTIC_NUM_SLOTS; ++i)
        replace[Anum_pg_statistic_stakind1 - 1 + i] = true;
    const auto set = [&](int column, Datum value) {
        columns[column - 1] = value;
        replace[column - 1] = true;
    };
    set(Anum_pg_statistic_stakind1, Int16GetDatum(kind));
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

/// Frees nothing: what the planner allocates goes when it has planned.
void keep(HeapTuple) {}

// --- The distribution of a column ---

/// Where the UUIDs of a column are, in an order. Memory is the planner's.
struct Distribution {
    const Order& order;
    /// UUIDs between which equally many rows have theirs.
    std::span<Datum> bounds{};
    /// Common UUIDs, and the fraction of rows that each of them has.
    std::span<Datum> common{};
    float4* frequencies = nullptr;
    /// The fraction of rows with other UUIDs that have a place in the order.
    double others = 0;
    /// In place of the first and the last bound.
    Number first{};
    Number last_bound{};
    /// Rows beyond the last bound, as a fraction of those up to it, and the last of them.
    double beyond = 0;
    Number last{};

    Number number(Datum uuid) const { return order.number(to_uuid(uuid)); }

    Number bound(std::size_t i) const {
        return i == 0 ? first : i + 1 == bounds.size() ? last_bound : number(bounds[i]);
    }

    /// The fraction of the other UUIDs that are less.
    double others_below(Number n) const {
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

    /// The fraction of all rows that are less.
    double below(Number n) const {
        double sum = others * others_below(n);
        for (std::size_t i = 0; i < common.size(); ++i)
            sum += number(common[i]) < n ? frequencies[i] : 0;
        return sum;
    }
};

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

// --- The statistics in place of the column's own ---

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
double equal(VariableStatData* data, const Distribution& column, Number n) {
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
        const double here = Min(equal(data, column, n), all - sum - before);
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

/// What with_named_values() returns for the conditions on a column; null if the statistics do not
/// tell.
HeapTuple statistics_for(PlannerInfo* root, VariableStatData* data, Oid oid, const Named& named) {
    Distribution column{*named.order};
    VariableStatData of_time{};
    Node* const time =
        named.order == &time_order ? time_with_statistics(data->rel, named.column) : nullptr;
    if (time != nullptr)
        examine_variable(root, time, 0, &of_time);
    const bool is_known = read_statistics(
        HeapTupleIsValid(of_time.statsTuple) ? of_time.statsTuple : data->statsTuple, column);
    ReleaseVariableStats(of_time);
    if (!is_known)
        return nullptr;
    const std::span uuids = sorted(named.uuids, column);
    if (column.number(uuids.front()) < column.bound(1))
        column.first = Min(actual_end(root, *data, column, named.column, false), column.bound(1));
    if (column.number(uuids.back()) > column.bound(column.bounds.size() - 2))
        extend(data->rel, oid, named.column, actual_end(root, *data, column, named.column, true),
               column);
    return with_named_values(data, column, uuids);
}

// --- What the planner asks for ---

/// The table of an entry, if the planner estimates its rows at the moment; else null.
const RelOptInfo* table_to_size(const PlannerInfo* root, const RangeTblEntry* entry) {
    // Children follow one another. brincostestimate() leaves VariableStatData.rel uninitialized.
    static int last = 0;
    const int size = root->simple_rel_array_size;
    for (int n = 0; n < size && entry->rtekind == RTE_RELATION; ++n) {
        const int i = (last + n) % size;
        if (root->simple_rte_array[i] != entry)
            continue;
        last = i;
        const RelOptInfo* const table = root->simple_rel_array[i];
        // Foreign tables have a default, in place of which their wrapper puts its estimate.
        const bool is_foreign = table != nullptr && table->fdwroutine != nullptr;
        const bool is_to_size =
            table != nullptr && (is_foreign ? table->pathlist == NIL : table->rows == 0);
        return is_to_size ? table : nullptr;
    }
    return nullptr;
}

/// What the planner gets for a column. It asks with each comparison of it: a range has two, a list
/// of keys has thousands.
struct Answer {
    const RelOptInfo* table;
    AttrNumber column;
    /// Null if the server's own statistics are as good.
    HeapTuple statistics;
    const Answer* next;
    MemoryContextCallback forget;
};

/// The answers for one table, for as long as their memory lasts.
const Answer* answers = nullptr;

const Answer* find_answer(const RelOptInfo* table, AttrNumber column) {
    const Answer* answer = answers;
    while (answer != nullptr && (answer->table != table || answer->column != column))
        answer = answer->next;
    return answer;
}

const Answer* remember(const RelOptInfo* table, AttrNumber column, HeapTuple statistics) {
    const bool is_of_same_table = answers != nullptr && answers->table == table;
    auto* const answer = static_cast<Answer*>(palloc(sizeof(Answer)));
    *answer = {table, column, statistics, is_of_same_table ? answers : nullptr, {}};
    answer->forget.func = [](void*) { answers = nullptr; };
    MemoryContextRegisterResetCallback(CurrentMemoryContext, &answer->forget);
    return answers = answer;
}

/// The statistics to be used in place of a column's own; null if there are none.
HeapTuple statistics_in_place(PlannerInfo* root, const RangeTblEntry* entry,
                              const RelOptInfo* table, AttrNumber column, VariableStatData* data) {
    estimate_row_comparisons(root, table);
    const Named named = read_conditions(root, table, column);
    if (named.uuids == NIL)
        return nullptr;
    const HeapTuple statistics = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(entry->relid),
                                                 Int16GetDatum(column), BoolGetDatum(entry->inh));
    if (!HeapTupleIsValid(statistics))
        return nullptr;
    data->statsTuple = statistics;
    HeapTuple const in_place = statistics_for(root, data, entry->relid, named);
    data->statsTuple = nullptr;
    ReleaseSysCache(statistics);
    return in_place;
}

}  // namespace

bool estimate_rows(PlannerInfo* root, RangeTblEntry* entry, AttrNumber column,
                   VariableStatData* data) {
    // Most questions come later, when joins are estimated: all tables have their size then.
    if (!time_planning || root->total_table_pages > 0)
        return false;
    const RelOptInfo* const table = table_to_size(root, entry);
    if (table == nullptr || table != data->rel || data->vartype != UUIDOID || column <= 0)
        return false;
    const Answer* answer = find_answer(table, column);
    if (answer == nullptr)
        answer = remember(table, column, statistics_in_place(root, entry, table, column, data));
    if (answer->statistics == nullptr)
        return false;
    data->statsTuple = answer->statistics;
    data->freefunc = keep;
    return true;
}

}  // namespace uuidx::pg
