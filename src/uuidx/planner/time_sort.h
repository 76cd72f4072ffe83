// Lets indexes serve sorts by the creation time.

#pragma once

#include "server/shim.h"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace uuidx::pg {

/// Adds to a table's paths those that its indexes, or its partitions, have in the order of a time
/// that the query sorts, groups or joins by. For set_rel_pathlist_hook.
void add_paths_sorted_by_time(PlannerInfo* root, RelOptInfo* table, const RangeTblEntry& entry);

/// Adds to the sorted rows of a query a path that reads the partitions of the one table that it
/// reads in their order: the planner has made the table's paths anew since. For
/// create_upper_paths_hook, when it is called for UPPERREL_ORDERED.
void add_result_sorted_by_time(PlannerInfo* root, RelOptInfo* table, RelOptInfo* sorted);

}  // namespace uuidx::pg
