// Lets indexes serve plain predicates on the creation time.

#pragma once

#include "server/shim.h"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace uuidx::pg {

/// Replaces predicates on the time of columns by comparisons of the columns, in the policies of a
/// table or in the conditions that a child has of its parent.
void replace_predicates_on(PlannerInfo* root, RelOptInfo* table);

/// The same in the conditions of the query.
void replace_predicates_in_query(PlannerInfo* root);

/// Puts the conditions on a parent back as they were, once its children have theirs: by these the
/// plan finds, when it runs, which children it needs.
void take_back_carriers(const RelOptInfo* parent);

}  // namespace uuidx::pg
