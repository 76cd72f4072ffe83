// Lets indexes serve plain predicates on the creation time.

#pragma once

#include "pg/shim.h"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace uuidx::pg {

/// Replaces the predicates on the time of a table's columns by comparisons of the columns.
void replace_time_predicates(PlannerInfo* root, RelOptInfo* table);

}  // namespace uuidx::pg
