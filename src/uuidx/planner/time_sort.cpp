// Lets indexes serve sorts by the creation time: ORDER BY, GROUP BY, DISTINCT, window functions,
// min(), max() and merge joins on uuid_time(column).
//
// Where the rows that a scan returns have UUIDs of one version alone, an index on the column has
// them in the order of their times, and an index of uuid_time_ops has them so for all versions. The
// planner knows orders by the expressions that indexes have as keys. So, when it has made the paths
// of a table, it makes them once more from a copy of such an index which has the time as its key;
// those that are sorted get the index itself back, and are added. The query's own equivalence
// classes say what is sorted by, and none is added or changed.

#include "uuidx/planner/time_sort.h"

#include "uuidx/planner/column_facts.h"
#include "uuidx/planner/time_conditions.h"

extern "C" {
#include "access/nbtree.h"
#include "catalog/pg_am_d.h"
#include "nodes/makefuncs.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "utils/index_selfuncs.h"
#include "utils/lsyscache.h"
}

namespace uuidx::pg {

namespace {

/// A time of one of the table's columns that the query sorts, groups or joins by.
struct TimeKey {
    EquivalenceClass* equivalence;
    Expr* time;
    AttrNumber column;
    /// Those for which the time is not NULL.
    Versions versions;
};

// --- What is known of the rows ---

/// Those of the versions, null_uuid among them, that the query's conditions on a table leave.
Versions versions_left_by_query(const RelOptInfo* table, AttrNumber column, Versions versions) {
    ListCell* cell;
    foreach (cell, table->baserestrictinfo) {
        const auto* const condition = static_cast<RestrictInfo*>(lfirst(cell));
        versions = versions_left_by(reinterpret_cast<Node*>(condition->clause), column, versions);
    }
    return versions;
}

/// The versions that a column may have in the rows that the query's conditions on a table leave.
Versions versions_in_rows(const RelOptInfo* table, Oid oid, AttrNumber column) {
    const ColumnFacts facts = facts_of(oid, column);
    const Versions in_table = facts.versions | (facts.is_not_null ? 0 : set_of(null_uuid));
    return versions_left_by_query(table, column, in_table);
}

/// An order of UUIDs: that of an index's key, or of a partition key.
struct UuidOrder {
    Oid family;
    Oid type;
    bool descending;
    bool nulls_first;
};

/// Whether the query wants NULLs first where it wants times in this direction.
bool wants_nulls_first(const PlannerInfo* root, const TimeKey& key, bool descending) {
    ListCell* cell;
    foreach (cell, root->query_pathkeys) {
        const auto* const wanted = static_cast<PathKey*>(lfirst(cell));
        if (wanted->pk_eclass == key.equivalence)
            return wanted->pk_nulls_first == (is_descending(wanted) == descending);
    }
    return descending;
}

/// Whether UUIDs of these versions, when they are in this order, have NULL times first; nullopt if
/// their times are not in order. If there are no NULLs, they are where the query wants them.
std::optional<bool> has_null_times_first(const PlannerInfo* root, const TimeKey& key,
                                         const UuidOrder& order, Versions versions) {
    const Oid comparison = get_opfamily_proc(order.family, order.type, order.type, BTORDER_PROC);
    const Versions timed = versions & key.versions;
    const Versions untimed = versions & ~key.versions;
    const Versions null = untimed & set_of(null_uuid);
    if (order.family == uuid_ops) {
        if (untimed != null || (timed != set_of(6) && timed != set_of(7)))
            return std::nullopt;
    } else if (!is_implemented_by(comparison, "uuidx_time_cmp") ||
               (untimed & versions_with_time) != 0) {
        return std::nullopt;
    }
    if (untimed == 0)
        return wants_nulls_first(root, key, order.descending);
    if (untimed == null)
        return order.nulls_first;
    // UUIDs without a time come after all others.
    if (null == 0 || order.nulls_first == order.descending)
        return order.descending;
    return std::nullopt;
}

// --- Paths of one table ---

template <class T>
T* copy_with(const T* array, int size, int i, T value) {
    auto* const copy = static_cast<T*>(palloc(sizeof(T) * static_cast<Size>(size)));
    memcpy(copy, array, sizeof(T) * static_cast<Size>(size));
    copy[i] = value;
    return copy;
}

/// A copy of an index whose key is the time.
struct TimeIndex : IndexOptInfo {
    IndexOptInfo* original;
};

/// Gives a path of the copy the index itself, and estimates its cost by that: the statistics tell
/// how far the table is in the order of the column.
void estimate_cost(PlannerInfo* root, IndexPath* path, double loops, Cost* startup, Cost* total,
                   Selectivity* selectivity, double* correlation, double* pages) {
    path->indexinfo = static_cast<TimeIndex*>(path->indexinfo)->original;
    btcostestimate(root, path, loops, startup, total, selectivity, correlation, pages);
}

/// A copy of an index whose key `i` is the time for who asks for its order, and the column as
/// before for who looks for conditions that it serves. Of the order, nothing follows the time: the
/// keys after the column sort the rows with the same UUID.
TimeIndex* with_time_as_key(IndexOptInfo* index, int i, const TimeKey& key, bool nulls_first) {
    auto* const copy = static_cast<TimeIndex*>(palloc(sizeof(TimeIndex)));
    static_cast<IndexOptInfo&>(*copy) = *index;
    copy->original = index;
    copy->amcostestimate = reinterpret_cast<decltype(copy->amcostestimate)>(estimate_cost);
    const int keys = index->nkeycolumns;
    copy->indextlist =
        lappend(list_truncate(list_copy(index->indextlist), i),
                makeTargetEntry(key.time, static_cast<AttrNumber>(i + 1), nullptr, false));
    copy->sortopfamily = copy_with(index->sortopfamily, keys, i, datetime_ops);
    copy->opcintype =
        copy_with(index->opcintype, keys, i, exprType(reinterpret_cast<Node*>(key.time)));
    copy->nulls_first = copy_with(index->nulls_first, keys, i, nulls_first);
    // A bitmap has no order.
    copy->amhasgetbitmap = false;
    return copy;
}

bool has_equivalence(List* keys, const EquivalenceClass* equivalence) {
    ListCell* cell;
    foreach (cell, keys)
        if (static_cast<PathKey*>(lfirst(cell))->pk_eclass == equivalence)
            return true;
    return false;
}

/// The order of a path of the index itself: rows of the same time are in the order of the column,
/// and those of the same UUID in that of the keys after it.
List* whole_order(PlannerInfo* root, RelOptInfo* table, const IndexPath* path, const TimeKey& key) {
    List* order = path->path.pathkeys;
    if (static_cast<PathKey*>(llast(order))->pk_eclass != key.equivalence)
        return order;
    order = list_copy(order);
    ListCell* cell;
    foreach (cell, build_index_pathkeys(root, path->indexinfo, path->indexscandir)) {
        auto* const next = static_cast<PathKey*>(lfirst(cell));
        if (!has_equivalence(order, next->pk_eclass))
            order = lappend(order, next);
    }
    return truncate_useless_pathkeys(root, table, order);
}

/// Has the planner make paths of a copy of the index, and adds those that are sorted.
void add_paths(PlannerInfo* root, RelOptInfo* table, TimeIndex* copy, const TimeKey& key) {
    const RelOptInfo before = *table;
    table->pathlist = NIL;
    table->partial_pathlist = NIL;
    table->indexlist = lappend(NIL, copy);
    create_index_paths(root, table);
    List* const paths = table->pathlist;
    List* const partial_paths = table->partial_pathlist;
    *table = before;

    const auto add = [&](const List* made, auto* add_to) {
        ListCell* cell;
        foreach (cell, made) {
            auto* const path = static_cast<IndexPath*>(lfirst(cell));
            // The index itself has the paths for each row of another table.
            if (path->path.pathkeys == NIL || path->path.param_info != nullptr)
                continue;
            path->path.pathkeys = whole_order(root, table, path, key);
            add_to(table, &path->path);
        }
    };
    add(paths, add_path);
    add(partial_paths, add_partial_path);
}

/// `versions` are those in the rows that the table's constraints and the query's conditions leave.
void add_paths_of(PlannerInfo* root, RelOptInfo* table, IndexOptInfo* index, const TimeKey& key,
                  Versions versions) {
    if (index->relam != BTREE_AM_OID)
        return;
    int i = 0;
    while (i < index->nkeycolumns && index->indexkeys[i] != key.column)
        ++i;
    if (i == index->nkeycolumns)
        return;
    ListCell* cell;
    foreach (cell, index->indpred)
        versions = versions_left_by(static_cast<Node*>(lfirst(cell)), key.column, versions);
    const UuidOrder order{index->opfamily[i], index->opcintype[i], index->reverse_sort[i],
                          index->nulls_first[i]};
    const auto nulls_first = has_null_times_first(root, key, order, versions);
    if (nulls_first)
        add_paths(root, table, with_time_as_key(index, i, key, *nulls_first), key);
}

bool has_placeholder(Node* node, void*) {
    return node != nullptr &&
           (IsA(node, PlaceHolderVar) || walk_expression(node, has_placeholder, nullptr));
}

/// Whether PostgreSQL may leave out a default partition among those that have this one: 18.3 does
/// so where IS NOT NULL, as min() and max() add it to a query that has a sorted path, stands beside
/// an OR of conditions on the partition key. A key that is a column is not the time that they are
/// of.
bool may_lose_default(const PlannerInfo* root, const RelOptInfo* child) {
    const AppendRelInfo* const info = root->append_rel_array[child->relid];
    const RelOptInfo* const parent = root->simple_rel_array[info->parent_relid];
    if (parent->part_scheme != nullptr && partition_bound_has_default(parent->boundinfo) &&
        column_of(static_cast<Node*>(linitial(parent->partexprs[0]))) == nullptr) {
        ListCell* cell;
        foreach (cell, parent->baserestrictinfo)
            if (static_cast<RestrictInfo*>(lfirst(cell))->orclause != nullptr)
                return true;
    }
    return parent->reloptkind == RELOPT_OTHER_MEMBER_REL && may_lose_default(root, parent);
}

/// Calls `visit` for each time of the table's columns that the query sorts, groups or joins by. A
/// placeholder in a child is equal to its parent's, whatever both stand for: a plan that sorts by
/// one may read the columns of the other.
template <class Visit>
void for_each_time_key(PlannerInfo* root, RelOptInfo* table, Visit visit) {
    const bool is_child = table->reloptkind == RELOPT_OTHER_MEMBER_REL;
    ListCell* cell;
    foreach (cell, root->eq_classes) {
        auto* const equivalence = static_cast<EquivalenceClass*>(lfirst(cell));
        for_each_member(equivalence, table->relids, [&](const EquivalenceMember* member) {
            auto* const expression = reinterpret_cast<Node*>(member->em_expr);
            const auto time = time_in_order(expression);
            const Var* const column = time ? column_of(time->uuid) : nullptr;
            const bool is_of_parent = is_child && has_placeholder(expression, nullptr);
            if (column != nullptr && !is_of_parent)
                visit({equivalence, member->em_expr, column->varattno, time->versions});
        });
    }
}

// --- Partitions ---

bool has_column(EquivalenceClass* equivalence, RelOptInfo* table, AttrNumber column) {
    bool found = false;
    for_each_member(equivalence, table->relids, [&](const EquivalenceMember* member) {
        const Var* const var = column_of(reinterpret_cast<Node*>(member->em_expr));
        found |= var != nullptr && var->varattno == column;
    });
    return found;
}

/// Whether the partitions of a table, one after the other, are in the order that the query wants:
/// by the time of the partition key, then perhaps by the key itself, then by anything. Rows of the
/// same time may be in two partitions, but not rows with the same key.
bool are_in_order(PlannerInfo* root, RelOptInfo* table, Oid oid, const TimeKey& key, List* order) {
    const auto* const first = static_cast<PathKey*>(linitial(order));
    const Var* const column = column_of(static_cast<Node*>(linitial(table->partexprs[0])));
    if (first->pk_eclass != key.equivalence || column == nullptr || column->varattno != key.column)
        return false;
    // Only a default partition has NULLs.
    const Versions versions =
        versions_left_by_query(table, key.column, facts_of(oid, key.column).versions_inherited);
    const UuidOrder of_partitions{table->part_scheme->partopfamily[0],
                                  table->part_scheme->partopcintype[0], false, false};
    const auto nulls_first = has_null_times_first(root, key, of_partitions, versions);
    const bool descending = is_descending(first);
    if (!nulls_first || first->pk_nulls_first != (*nulls_first != descending))
        return false;
    if (list_length(order) == 1)
        return true;
    const auto* const second = static_cast<PathKey*>(lsecond(order));
    return second->pk_opfamily == of_partitions.family && is_descending(second) == descending &&
           has_column(second->pk_eclass, table, key.column);
}

/// Sorted paths of the partitions, in their order; NIL if a partition has none.
List* paths_of_partitions(const PlannerInfo* root, const RelOptInfo* table, List* order) {
    const bool descending = is_descending(static_cast<PathKey*>(linitial(order)));
    List* paths = NIL;
    for (int i = 0; i < table->nparts; ++i) {
        RelOptInfo* const part = table->part_rels[descending ? table->nparts - 1 - i : i];
        if (part == nullptr || IS_DUMMY_REL(part))
            continue;
        Path* const path = get_cheapest_path_for_pathkeys(
            part->pathlist, order, nullptr, root->tuple_fraction > 0 ? STARTUP_COST : TOTAL_COST,
            false);
        if (path == nullptr)
            return NIL;
        paths = lappend(paths, path);
    }
    return paths;
}

/// A path that reads the partitions of a table one after the other, in the order that the query
/// wants; null if there is none. The planner itself has them merged, which begins with all of them.
Path* path_by_partitions(PlannerInfo* root, RelOptInfo* table, Oid oid, List* order) {
    if (!has_ordered_ranges(table) || order == NIL)
        return nullptr;
    bool in_order = false;
    for_each_time_key(root, table, [&](const TimeKey& key) {
        in_order |= are_in_order(root, table, oid, key, order);
    });
    List* const paths = in_order ? paths_of_partitions(root, table, order) : NIL;
    return paths != NIL ? make_append(root, table, paths, order) : nullptr;
}

}  // namespace

void add_paths_sorted_by_time(PlannerInfo* root, RelOptInfo* table, const RangeTblEntry& entry) {
    if (entry.rtekind != RTE_RELATION || entry.tablesample != nullptr || IS_DUMMY_REL(table) ||
        !has_useful_pathkeys(root, table))
        return;
    if (table->reloptkind == RELOPT_OTHER_MEMBER_REL && may_lose_default(root, table))
        return;
    if (entry.inh) {
        Path* const path = path_by_partitions(root, table, entry.relid, root->query_pathkeys);
        if (path != nullptr)
            add_path(table, path);
        return;
    }
    for_each_time_key(root, table, [&](const TimeKey& key) {
        const Versions versions = versions_in_rows(table, entry.relid, key.column);
        ListCell* index;
        foreach (index, table->indexlist)
            add_paths_of(root, table, static_cast<IndexOptInfo*>(lfirst(index)), key, versions);
    });
}

void add_result_sorted_by_time(PlannerInfo* root, RelOptInfo* table, RelOptInfo* sorted) {
    if (table->reloptkind != RELOPT_BASEREL)
        return;
    const RangeTblEntry& entry = *root->simple_rte_array[table->relid];
    Path* path = path_by_partitions(root, table, entry.relid, root->sort_pathkeys);
    if (path == nullptr)
        return;
    PathTarget* const result = static_cast<Path*>(linitial(sorted->pathlist))->pathtarget;
    if (!equal(path->pathtarget->exprs, result->exprs))
        path = apply_projection_to_path(root, sorted, path, result);
    add_path(sorted, path);
}

}  // namespace uuidx::pg
