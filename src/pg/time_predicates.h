// Lets indexes serve plain predicates on the creation time.

#pragma once

namespace uuidx::pg {

/// Has the planner replace predicates on uuid_time(column) by comparisons of the column; called
/// once, when the module is loaded.
void plan_time_predicates();

}  // namespace uuidx::pg
