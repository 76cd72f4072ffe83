// Estimates how many rows have UUIDs of a range.

#pragma once

#include "server/shim.h"

extern "C" {
#include "nodes/pathnodes.h"
#include "utils/selfuncs.h"
}

namespace uuidx::pg {

/// The table of an entry of the query's range table; null if there is none.
RelOptInfo* table_of(const PlannerInfo* root, const RangeTblEntry* entry);

/// Whether the planner estimates the rows of a table at the moment. Extensions may append a table
/// when all others have their size.
bool is_to_size(const PlannerInfo* root, const RelOptInfo* table);

/// For get_relation_stats_hook: whether it has set the statistics of a column of UUIDs, by which
/// the planner estimates how many rows satisfy the conditions on its table.
bool estimate_rows(PlannerInfo* root, RangeTblEntry* entry, AttrNumber column,
                   VariableStatData* data);

}  // namespace uuidx::pg
