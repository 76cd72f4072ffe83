// The server's functions of a time that follow its order, and what their values tell about it.

#pragma once

#include "server/shim.h"

namespace uuidx::pg {

/// An argument of one of these functions, on which its order does not depend.
struct Argument {
    Oid type;
    Datum value;
};

/// A function that, as one of its arguments goes on in time, never decreases, or never increases,
/// but for the days on which the clock of a zone is set back and for the ends of months.
struct Monotone {
    Oid function;
    /// The argument that is the time.
    int time;
    /// The argument that has the zone, or one of these:
    static constexpr int no_zone = -1;
    static constexpr int zone_of_session = -2;
    int zone = no_zone;
    /// Whether the function never increases.
    bool is_falling = false;
    /// Whether its first argument is the name of a field, which only if it is that of years, or of
    /// what has no end, has values that never decrease.
    bool reads_field = false;
};

/// The function, if it is monotone in this argument; else null.
const Monotone* monotone(Oid function, int argument);

/// Whether the values of a field never decrease: those of the year do not, those of the month do.
bool is_monotone_field(const text* field);

/// The strategy of an operator in the b-tree order of its left type; 0 if it has none.
int strategy_of(Oid op, Oid left);

/// The operator of another strategy in that order, between the same types.
Oid with_strategy(Oid op, int strategy);

/// A moment by which the times are bounded whose values, by monotone functions, satisfy a
/// comparison.
struct TimeBound {
    TimestampTz moment;
    /// Whether all times up to the moment, or from it on, satisfy it.
    bool is_exact;
};

/// The bound for `functions(time) op value`, where op is one of < <= > >=: a moment which no such
/// time is later than, or earlier. If the value is an array, one of its elements has to satisfy the
/// comparison; nullopt if it has none but NULLs.
///
/// The functions are listed from the outermost to the one that takes the time, each with its
/// arguments, among which an argument of type regprocedure stands in the place of the time.
/// It raises no error: where a function would, the bound is infinite.
std::optional<TimeBound> time_bound(Oid op, Argument value, std::span<const Argument> functions);

/// The strategy of an operator between a value that the functions return, the time if there are
/// none, and another type or the elements of an array; 0 if it has none, or if there are no such
/// functions.
int strategy_of(Oid op, Oid type, std::span<const Argument> functions);

/// Whether the bound is the same in all sessions.
bool is_independent_of_session(Oid op, std::span<const Argument> functions);

/// Whether no time has a greater value by the functions than a later one, whatever the session.
bool keep_order(std::span<const Argument> functions);

}  // namespace uuidx::pg
