// Conditions on functions of a time, and on sets of times.

#pragma once

#include "uuidx/planner/monotone.h"
#include "uuidx/planner/time_functions.h"

namespace uuidx::pg {

/// A function of the time of a UUID that follows its order.
struct FunctionOfTime {
    TimeCall time;
    /// The functions that are called one with the result of the other, from the outermost on: their
    /// arguments, with a constant of type regprocedure in the place of the time.
    List* functions = NIL;
    /// Whether the result decreases as the time increases.
    bool is_falling = false;
};

/// nullopt for any other node. The time itself is such a function, with no functions in the list.
std::optional<FunctionOfTime> function_of_time(Node* node);

/// The time of which a node is a time, too, that changes the order of no two of them.
std::optional<TimeCall> time_in_order(Node* node);

/// A TimeBound, as expressions.
struct Moment {
    Node* moment;
    /// Null if it is not exact.
    Node* is_exact;
};

/// What time_bound() returns for these arguments: constants if it is the same whenever the plan
/// runs; else calls, or null where the extension has no such function for the current user. `op` is
/// that of a condition, or follows from it if that is =, which the call for `is_exact` is told.
Moment moment_of(Oid op, Oid of_condition, Node* value, List* functions);

/// The conditions of which a comparison with an array or a multirange that are constants is the
/// disjunction; NIL if there are too many, and for any other node.
List* alternatives(Node* condition);

/// The moments of a constant array of which a condition is true for one, sorted, each once; empty
/// for any other node.
std::span<TimestampTz> moments_of(Node* condition);

/// Conditions on times whose disjunction such a condition implies: one of them has all moments
/// between which no more than so many microseconds lie. Some of these moments are those of
/// `moments` alone; the conditions are exact if all are.
List* conditions_of_moments(const ScalarArrayOpExpr& condition,
                            std::span<const TimestampTz> moments, double most_between);

}  // namespace uuidx::pg
