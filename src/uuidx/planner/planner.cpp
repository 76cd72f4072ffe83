// What the extension adds to the planner: each subject is a file, and this one installs the hooks.

#include "uuidx/planner/planner.h"

#include "uuidx/order/settings.h"

#include "uuidx/planner/column_facts.h"
#include "uuidx/planner/join_periods.h"
#include "uuidx/planner/range_estimates.h"
#include "uuidx/planner/row_estimates.h"
#include "uuidx/planner/time_predicates.h"
#include "uuidx/planner/time_sort.h"

extern "C" {
#include "optimizer/paths.h"
#include "optimizer/planner.h"
}

namespace uuidx::pg {

namespace {

/// The last table of a node in the order in which the planner reads them; 0 if it has none.
Index last_table(const PlannerInfo* root, Node* node) {
    if (IsA(node, RangeTblRef)) {
        const int i = reinterpret_cast<RangeTblRef*>(node)->rtindex;
        return root->simple_rte_array[i]->rtekind == RTE_RELATION ? static_cast<Index>(i) : 0;
    }
    if (IsA(node, JoinExpr)) {
        const auto* const join = reinterpret_cast<JoinExpr*>(node);
        const Index last = last_table(root, join->rarg);
        return last != 0 ? last : last_table(root, join->larg);
    }
    const List* const inputs = reinterpret_cast<FromExpr*>(node)->fromlist;
    Index last = 0;
    for (int i = list_length(inputs); i-- > 0 && last == 0;)
        last = last_table(root, static_cast<Node*>(list_nth(inputs, i)));
    return last;
}

/// Whether the planner still reads the tables of a query, so that it has estimated none.
bool reads_tables(const PlannerInfo* root) {
    int i = 1;
    while (i < root->simple_rel_array_size && root->simple_rel_array[i] == nullptr)
        ++i;
    return i >= root->simple_rel_array_size ||
           (root->simple_rel_array[i]->rows == 0 && root->simple_rel_array[i]->pathlist == NIL);
}

/// query_planner() calls add_base_rels_to_query(), which comes here for each table of the query,
/// before deconstruct_jointree(), which assigns the conditions to tables and joins, and makes
/// equivalence classes of them: until then they can be replaced in the join tree, which is done
/// when all tables are known. Children come here much later, from add_other_rels_to_query(), but
/// before their parents' conditions are translated for them. What other extensions append later is
/// not among what the join tree is read for.
void visit_table(PlannerInfo* root, RelOptInfo* table) {
    // Not every PlannerInfo is of a query: CREATE INDEX has the planner count its workers.
    if (!time_planning || root->parse->jointree == nullptr)
        return;
    replace_predicates_on(root, table);
    auto* const tree = reinterpret_cast<Node*>(root->parse->jointree);
    if (table->reloptkind == RELOPT_BASEREL && reads_tables(root) &&
        last_table(root, tree) == table->relid) {
        replace_predicates_in_query(root);
        follow_joins(root);
    }
}

set_rel_pathlist_hook_type previous_of_paths;

/// make_one_rel() comes here for each table and child when it has made its paths, before it makes
/// those of joins, or of the parent, from them.
void visit_paths(PlannerInfo* root, RelOptInfo* table, Index number, RangeTblEntry* entry) {
    // Before another extension appends tables
    if (time_planning)
        prepare_range_estimates(root);
    if (previous_of_paths != nullptr)
        previous_of_paths(root, table, number, entry);
    if (!time_planning)
        return;
    if (entry->inh)
        take_back_carriers(table);
    add_paths_sorted_by_time(root, table, *entry);
}

create_upper_paths_hook_type previous_of_result;

/// grouping_planner() comes here when it has made the paths that sort what joins, groups and
/// windows return. It has made those of a partitioned table that it reads alone anew.
void visit_result(PlannerInfo* root, UpperRelationKind stage, RelOptInfo* input, RelOptInfo* output,
                  void* extra) {
    if (previous_of_result != nullptr)
        previous_of_result(root, stage, input, output, extra);
    if (time_planning && stage == UPPERREL_ORDERED)
        add_result_sorted_by_time(root, input, output);
}

get_relation_stats_hook_type previous_stats_hook = nullptr;

/// The planner comes here whenever it estimates by a column's statistics.
bool find_statistics(PlannerInfo* root, RangeTblEntry* entry, AttrNumber column,
                     VariableStatData* data) {
    if (time_planning && estimate_range(root, entry, column, data))
        return true;
    const bool is_found =
        previous_stats_hook != nullptr && previous_stats_hook(root, entry, column, data);
    return is_found || (time_planning && estimate_rows(root, entry, column, data));
}

}  // namespace

void hook_planner() {
    watch_tables();
    hook_relations<visit_table>();
    previous_of_paths = set_rel_pathlist_hook;
    set_rel_pathlist_hook = visit_paths;
    previous_of_result = create_upper_paths_hook;
    create_upper_paths_hook = visit_result;
    previous_stats_hook = get_relation_stats_hook;
    get_relation_stats_hook = find_statistics;
}

}  // namespace uuidx::pg
