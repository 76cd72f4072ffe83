// Estimates joins and groups of the rows that have UUIDs of a range.

#pragma once

#include "server/shim.h"

extern "C" {
#include "nodes/pathnodes.h"
#include "utils/selfuncs.h"
}

namespace uuidx::pg {

/// For set_rel_pathlist_hook: to be called when the planner has estimated the rows of all tables,
/// before it estimates those of joins.
void prepare_range_estimates(PlannerInfo* root);

/// For get_relation_stats_hook: whether it has set the statistics of a column of a table which has
/// a column of UUIDs within bounds, by which the planner estimates joins and groups.
bool estimate_range(PlannerInfo* root, const RangeTblEntry* entry, AttrNumber column,
                    VariableStatData* data);

}  // namespace uuidx::pg
