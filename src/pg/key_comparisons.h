// A comparison of a column's time, and the comparisons of its UUIDs that can take its place.

#pragma once

#include <optional>

#include "pg/time_functions.h"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace uuidx::pg {

/// A comparison of a column's time with a moment: `time strategy moment`.
struct TimePredicate {
    TimeCall time;
    Var* column;
    int strategy;
    Node* moment;
    Oid type_of_moment;
};

/// A condition as such a comparison; nullopt if it is another.
std::optional<TimePredicate> time_predicate(Node* node);

/// Comparisons of the column that hold for the rows for which a predicate holds; null if there are
/// none, or if the planner needs the predicate as it stands.
Node* key_comparisons(PlannerInfo* root, const TimePredicate& predicate);

}  // namespace uuidx::pg
