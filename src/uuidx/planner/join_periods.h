// Lets a period of a key be one of every column that is joined to it.

#pragma once

#include "server/shim.h"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace uuidx::pg {

/// Adds to the conditions of the query the bounds of its columns of UUIDs that joins imply, when
/// the planner has read all of its tables from the catalogs.
void follow_joins(PlannerInfo* root);

}  // namespace uuidx::pg
