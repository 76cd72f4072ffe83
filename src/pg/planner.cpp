// What the extension adds to the planner: each subject is a file, and this one installs its hook.

#include "pg/planner.h"

#include "pg/settings.h"

#include "pg/column_facts.h"
#include "pg/row_estimates.h"
#include "pg/time_predicates.h"

namespace uuidx::pg {

namespace {

/// query_planner() calls add_base_rels_to_query(), which comes here for each table of the query,
/// before deconstruct_jointree(), which assigns the conditions to tables and joins, and makes
/// equivalence classes of them: until then they can be replaced in the join tree. Children come
/// here much later, from add_other_rels_to_query(), but before their parents' conditions are
/// translated for them.
void visit_table(PlannerInfo* root, RelOptInfo* table) {
    // Not every PlannerInfo is of a query: CREATE INDEX has the planner count its workers.
    if (time_planning && root->parse->jointree != nullptr)
        replace_time_predicates(root, table);
}

get_relation_stats_hook_type previous_stats_hook = nullptr;

/// The planner comes here whenever it estimates by a column's statistics.
bool find_statistics(PlannerInfo* root, RangeTblEntry* entry, AttrNumber column,
                     VariableStatData* data) {
    const bool is_found =
        previous_stats_hook != nullptr && previous_stats_hook(root, entry, column, data);
    return is_found || estimate_rows(root, entry, column, data);
}

}  // namespace

void hook_planner() {
    watch_tables();
    hook_relations<visit_table>();
    previous_stats_hook = get_relation_stats_hook;
    get_relation_stats_hook = find_statistics;
}

}  // namespace uuidx::pg
