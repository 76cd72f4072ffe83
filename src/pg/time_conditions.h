// Conditions on functions of a time, and on sets of times.

#pragma once

#include "pg/monotone.h"
#include "pg/time_functions.h"

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

/// A moment, as an expression.
struct Moment {
    Node* node;
    bool is_exact;
};

/// What time_bound() returns for these arguments: a constant if it is the same whenever the plan
/// runs; else a call, or null where the extension has no such function for the current user.
Moment moment_of(Oid op, Node* value, List* functions);

/// The conditions of which a comparison with an array or a multirange that are constants is the
/// disjunction; NIL if there are too many, and for any other node.
List* alternatives(Node* condition);

}  // namespace uuidx::pg
