// Estimates joins and groups of the rows that have UUIDs of a range, in the hook by which the
// planner looks up the statistics of a column.
//
// PostgreSQL assumes that a condition leaves as many different values of a column as there are in
// the whole table. If the keys of both tables of a join are within the same bounds, it counts these
// twice: a hundredth of each table joins to a ten thousandth of the rows. Here, when the planner
// has estimated the rows of all tables, a column within bounds has the statistics of its range, and
// the table has the rows of that range. Foreign keys between two such columns are left out: the
// planner takes them for a join with the whole referenced table.

#include "uuidx/planner/range_estimates.h"

#include "uuidx/planner/key_distribution.h"
#include "uuidx/planner/query_memory.h"
#include "uuidx/planner/row_estimates.h"
#include "uuidx/planner/time_functions.h"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace uuidx::pg {

namespace {

// --- What the conditions on a table leave ---

/// The bounds of a table's columns among the conditions on it; of `column`, if it is not 0.
List* bounds_of(const RelOptInfo* table, AttrNumber column) {
    List* bounds = NIL;
    ListCell* cell;
    foreach (cell, table->baserestrictinfo) {
        const auto bound =
            bound_of(reinterpret_cast<Node*>(static_cast<RestrictInfo*>(lfirst(cell))->clause));
        if (bound && static_cast<Index>(bound->column->varno) == table->relid &&
            (column == 0 || bound->column->varattno == column))
            bounds = lappend(bounds, lfirst(cell));
    }
    return bounds;
}

Bound bound_in(const void* condition) {
    return *bound_of(reinterpret_cast<Node*>(static_cast<const RestrictInfo*>(condition)->clause));
}

/// The columns that have bounds.
Bitmapset* bounded_columns(const RelOptInfo* table) {
    Bitmapset* columns = nullptr;
    ListCell* cell;
    foreach (cell, bounds_of(table, 0))
        columns = bms_add_member(columns, bound_in(lfirst(cell)).column->varattno);
    return columns;
}

double selectivity(PlannerInfo* root, List* conditions) {
    return conditions != NIL ? clauselist_selectivity(root, conditions, 0, JOIN_INNER, nullptr) : 1;
}

/// How many rows a table has, and how many of them are within the bounds of a column.
struct Count {
    double all = 0;
    double within = 0;
};

/// Of a parent, those in the children that are left.
Count count(PlannerInfo* root, const RelOptInfo* table, AttrNumber column) {
    if (!root->simple_rte_array[table->relid]->inh)
        return {table->tuples, table->tuples * selectivity(root, bounds_of(table, column))};
    Count sum;
    for (int i = 1; i < root->simple_rel_array_size && root->append_rel_array != nullptr; ++i) {
        const AppendRelInfo* const info = root->append_rel_array[i];
        RelOptInfo* const child = root->simple_rel_array[i];
        if (info == nullptr || info->parent_relid != table->relid || child == nullptr ||
            IS_DUMMY_REL(child))
            continue;
        const auto* const var = static_cast<Var*>(list_nth(info->translated_vars, column - 1));
        const Count of_child = count(root, child, var->varattno);
        sum = {sum.all + of_child.all, sum.within + of_child.within};
    }
    return sum;
}

// --- The tables of a query ---

/// The range of a table; null if it has no column within bounds.
Range* range_of(PlannerInfo* root, const RelOptInfo* table) {
    TableMemory& memory = memory_of(root, table);
    if (memory.range == nullptr) {
        // Of a foreign table that is appended later, only paths show that it has its size.
        if (table->fdwroutine != nullptr && table->pathlist == NIL && memory_of(root).has_ranges)
            return nullptr;
        memory.range = static_cast<Range*>(palloc(sizeof(Range)));
        *memory.range = {};
    }
    Range& range = *memory.range;
    if (range.of_rows != table->rows || range.of_tuples != table->tuples) {
        range.of_rows = table->rows;
        range.of_tuples = table->tuples;
        range.columns = bounded_columns(table);
        range.rows = nullptr;
        range.answers = NIL;
    }
    return range.columns != nullptr ? &range : nullptr;
}

// --- Foreign keys ---

/// Which of the columns of a foreign key is within bounds on both sides; -1 if none is.
int bounded_key(const ForeignKeyOptInfo& key, const Range* referencing, const Range* referenced) {
    if (referencing != nullptr && referenced != nullptr)
        for (int i = 0; i < key.nkeys; ++i)
            if (bms_is_member(key.conkey[i], referencing->columns) &&
                bms_is_member(key.confkey[i], referenced->columns))
                return i;
    return -1;
}

void select_all(const List* conditions, const EquivalenceClass* of) {
    ListCell* cell;
    foreach (cell, conditions) {
        auto* const condition = static_cast<RestrictInfo*>(lfirst(cell));
        if (of == nullptr || condition->parent_ec == of)
            condition->norm_selec = condition->outer_selec = 1;
    }
}

/// Lets a column of a foreign key count no more beside one within bounds: rows that are joined by
/// the latter have the former in common.
void let_be_determined(PlannerInfo* root, const ForeignKeyOptInfo& key, int i) {
    const EquivalenceClass* const equivalence = key.eclass[i];
    RelOptInfo* const tables[] = {root->simple_rel_array[key.con_relid],
                                  root->simple_rel_array[key.ref_relid]};
    if (equivalence == nullptr)
        return select_all(key.rinfos[i], nullptr);
    if (!equivalence->ec_has_const) {
        select_all(implied_equalities(root, tables[0], tables[1]), equivalence);
        return select_all(implied_equalities(root, tables[1], tables[0]), equivalence);
    }
    for (const RelOptInfo* const table : tables) {
        Range& range = *range_of(root, table);
        ListCell* cell;
        foreach (cell, table->baserestrictinfo)
            if (static_cast<RestrictInfo*>(lfirst(cell))->left_ec == equivalence)
                range.determined = list_append_unique_ptr(range.determined, lfirst(cell));
    }
}

void leave_out_foreign_keys(PlannerInfo* root) {
    List* kept = NIL;
    ListCell* cell;
    foreach (cell, root->fkey_list) {
        const auto& key = *static_cast<ForeignKeyOptInfo*>(lfirst(cell));
        const int bounded = bounded_key(key, range_of(root, root->simple_rel_array[key.con_relid]),
                                        range_of(root, root->simple_rel_array[key.ref_relid]));
        if (bounded < 0)
            kept = lappend(kept, lfirst(cell));
        for (int i = 0; i < key.nkeys && bounded >= 0; ++i)
            if (i != bounded)
                let_be_determined(root, key, i);
    }
    root->fkey_list = kept;
}

/// Whether the planner estimates a join, or how many groups a table has: to group, to sort rows
/// that are partly sorted, and for the query around it, which may be UNION, INTERSECT or EXCEPT.
bool joins_or_groups(const PlannerInfo* root) {
    return bms_membership(root->all_baserels) == BMS_MULTIPLE || root->query_pathkeys != NIL ||
           root->parent_root != nullptr;
}

/// Whether a table of a query has a range.
bool find_ranges(PlannerInfo* root) {
    bool found = false;
    // Children have the bounds of their parents, and come after them.
    for (int i = 1; i < root->simple_rel_array_size; ++i) {
        const RelOptInfo* const table = root->simple_rel_array[i];
        if (table != nullptr && (found || table->reloptkind == RELOPT_BASEREL))
            found |= range_of(root, table) != nullptr;
    }
    return found;
}

/// Finds the ranges of a query, once its tables have their size. Returns whether they are of use.
bool prepare(PlannerInfo* root) {
    QueryMemory& query = memory_of(root);
    if (query.has_ranges)
        return *query.has_ranges;
    // GEQO plans in a context that it resets.
    MemoryContext const before = MemoryContextSwitchTo(root->planner_cxt);
    const bool found = joins_or_groups(root) && find_ranges(root);
    query.has_ranges = found;
    if (found)
        leave_out_foreign_keys(root);
    MemoryContextSwitchTo(before);
    return found;
}

// --- Statistics ---

/// Whether a UUID is within bounds; nullopt if they are not all known.
std::optional<bool> is_within(PlannerInfo* root, Datum uuid, const List* bounds) {
    ListCell* cell;
    foreach (cell, bounds) {
        const Bound bound = bound_in(lfirst(cell));
        const auto* const value =
            reinterpret_cast<Const*>(estimate_expression_value(root, bound.value));
        if (!IsA(value, Const))
            return std::nullopt;
        if (value->constisnull ||
            !DatumGetBool(OidFunctionCall2(get_opcode(bound.op), uuid, value->constvalue)))
            return false;
    }
    return true;
}

/// A copy of a column's statistics with the common values that are within bounds, and no histogram:
/// that of the range would tell no more than that all of it is within the bounds.
HeapTuple within_bounds(PlannerInfo* root, HeapTuple statistics, const List* bounds, double part) {
    AttStatsSlot slot;
    if (!get_attstatsslot(&slot, statistics, STATISTIC_KIND_MCV, InvalidOid,
                          ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
        return with_slot(statistics, 0, InvalidOid, {}, {});
    const auto size = static_cast<Size>(slot.nvalues);
    const std::span frequencies{static_cast<Datum*>(palloc(size * sizeof(Datum))), size};
    std::size_t count = 0;
    for (Size i = 0; i < size; ++i) {
        if (!is_within(root, slot.values[i], bounds).value_or(false))
            continue;
        slot.values[count] = slot.values[i];
        frequencies[count++] = Float4GetDatum(static_cast<float4>(Min(slot.numbers[i] / part, 1)));
    }
    return with_slot(statistics, STATISTIC_KIND_MCV, uuid_eq, {slot.values, count},
                     frequencies.first(count));
}

/// How many different values a column has in so many rows of its table.
double distinct_values(const RangeTblEntry& entry, const FormData_pg_statistic& statistics,
                       double all, double rows) {
    // Those in partitions that are not read count, too.
    if (entry.inh && statistics.stadistinct > 0)
        all = Max(all, rows_when_analyzed(entry.relid));
    const double of_all =
        statistics.stadistinct < 0 ? -statistics.stadistinct * all : statistics.stadistinct;
    const double values = all * (1 - statistics.stanullfrac);
    return std::clamp(values > 0 ? of_all / values * rows : rows, 1.0, Max(rows, 1));
}

/// A table with the rows of its range alone.
RelOptInfo* rows_of(PlannerInfo* root, const RelOptInfo* table, const Range& range) {
    double all = 0;
    double part = selectivity(root, range.determined);
    for (int column = -1; (column = bms_next_member(range.columns, column)) >= 0;) {
        const Count counted = count(root, table, static_cast<AttrNumber>(column));
        all = counted.all;
        part *= all > 0 ? counted.within / all : 1;
    }
    auto* const rows = static_cast<RelOptInfo*>(palloc(sizeof(RelOptInfo)));
    *rows = *table;
    rows->tuples = Max(all * part, 1);
    return rows;
}

/// The statistics of a column for the rows of a range.
HeapTuple statistics_of(PlannerInfo* root, VariableStatData& data, const RangeTblEntry& entry,
                        const Range& range, AttrNumber column) {
    HeapTuple in_range;
    double distinct;
    if (bms_is_member(column, range.columns)) {
        const Count counted = count(root, data.rel, column);
        const double rows = counted.within * selectivity(root, range.determined);
        distinct =
            distinct_values(entry, *reinterpret_cast<Form_pg_statistic>(GETSTRUCT(data.statsTuple)),
                            counted.all, rows);
        in_range = within_bounds(root, data.statsTuple, bounds_of(data.rel, column),
                                 counted.all > 0 ? counted.within / counted.all : 1);
        reinterpret_cast<Form_pg_statistic>(GETSTRUCT(in_range))->stanullfrac = 0;
    } else {
        // As in the whole table, with whose rows another table may be joined by this column.
        bool is_default;
        distinct = get_variable_numdistinct(&data, &is_default);
        in_range = heap_copytuple(data.statsTuple);
    }
    reinterpret_cast<Form_pg_statistic>(GETSTRUCT(in_range))->stadistinct =
        static_cast<float4>(distinct);
    return in_range;
}

/// What the planner itself finds for a column, as it is for the rows of a range.
const Answer* answer_for(PlannerInfo* root, const RangeTblEntry& entry, RelOptInfo* table,
                         Range& range, AttrNumber column, const VariableStatData& asked) {
    if (const Answer* const answer = find_answer(range.answers, column); answer != nullptr)
        return answer;
    range.is_asking = true;
    if (range.rows == nullptr)
        range.rows = rows_of(root, table, range);
    VariableStatData data;
    Var* const var = makeVar(static_cast<int>(table->relid), column, asked.atttype, asked.atttypmod,
                             InvalidOid, 0);
    examine_variable(root, reinterpret_cast<Node*>(var), 0, &data);
    auto* const answer = static_cast<Answer*>(palloc(sizeof(Answer)));
    *answer = {column, nullptr, data.acl_ok};
    if (HeapTupleIsValid(data.statsTuple))
        answer->statistics = statistics_of(root, data, entry, range, column);
    ReleaseVariableStats(data);
    range.answers = lappend(range.answers, answer);
    range.is_asking = false;
    return answer;
}

}  // namespace

void prepare_range_estimates(PlannerInfo* root) {
    prepare(root);
}

bool estimate_range(PlannerInfo* root, const RangeTblEntry* entry, AttrNumber column,
                    VariableStatData* data) {
    if (root->total_table_pages <= 0 || !prepare(root))
        return false;
    RelOptInfo* const table = table_of(root, entry);
    // brincostestimate() leaves VariableStatData.rel uninitialized. A table that has no size yet is
    // for row_estimates.cpp.
    if (table == nullptr || table != data->rel || is_to_size(root, table))
        return false;
    MemoryContext const before = MemoryContextSwitchTo(root->planner_cxt);
    Range* const range = range_of(root, table);
    const bool has_answer = range != nullptr && !range->is_asking;
    if (has_answer) {
        const Answer& answer = *answer_for(root, *entry, table, *range, column, *data);
        data->rel = range->rows;
        data->statsTuple = answer.statistics;
        data->freefunc = keep;
        data->acl_ok = answer.acl_ok;
        // The statistics say so, where there are any.
        data->isunique &= answer.statistics == nullptr;
    }
    MemoryContextSwitchTo(before);
    return has_answer;
}

}  // namespace uuidx::pg
