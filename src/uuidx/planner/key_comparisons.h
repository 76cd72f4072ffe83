// A comparison of a column's time, and the comparisons of its UUIDs that can take its place.

#pragma once

#include <optional>

#include "uuidx/planner/time_conditions.h"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace uuidx::pg {

/// A comparison of a column's time with a moment: `time strategy moment`. If a condition implies
/// it, the moment may be earlier or later than it has to be, and the condition has to be tested
/// too.
struct TimePredicate {
    TimeCall time;
    Var* column;
    int strategy;
    Node* moment;
    Oid type_of_moment;
    /// The condition that implies this one; null if it is this one.
    Node* implied_by = nullptr;
    /// If that compares a function of the time, or is true if one of several comparisons is: the
    /// operator, and the functions. The moment is the value then, and moment_of() returns the
    /// moment.
    Oid op = InvalidOid;
    FunctionOfTime function{};
};

/// A condition as such a comparison; nullopt if it is another. A comparison of rows whose first
/// member is the time implies one, and so does a comparison of a function of the time, one with an
/// array, and one with a multirange.
std::optional<TimePredicate> time_predicate(Node* node);

/// Whether comparisons of the column can take the place of a predicate, if the current user may
/// execute what they call.
bool can_compare_keys(PlannerInfo* root, const TimePredicate& predicate);

/// Comparisons of the column that hold for the rows for which a predicate holds, and the condition
/// that implies it, unless they are the same; null if there are none, or if the planner needs the
/// predicate as it stands.
Node* key_comparisons(PlannerInfo* root, const TimePredicate& predicate);

/// Whether a condition stands beside such comparisons, to be tested unless they are exact.
bool is_tested_unless_exact(Node* condition);

}  // namespace uuidx::pg
