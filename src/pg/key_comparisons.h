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
    /// The comparison of rows that implies this one, and says more; null if there is none.
    Node* rows = nullptr;
};

/// A condition as such a comparison; nullopt if it is another. A comparison of rows whose first
/// member is the time implies one.
std::optional<TimePredicate> time_predicate(Node* node);

/// Whether comparisons of the column can take the place of a predicate, if the current user may
/// execute what they call.
bool can_compare_keys(PlannerInfo* root, const TimePredicate& predicate);

/// Comparisons of the column that hold for the rows for which a predicate holds, and the comparison
/// of rows that implies it; null if there are none, or if the planner needs the predicate as it
/// stands.
Node* key_comparisons(PlannerInfo* root, const TimePredicate& predicate);

}  // namespace uuidx::pg
