// The bounds that conditions on functions of the time imply, as a plan computes them when it runs.

#include "uuidx/planner/monotone.h"

extern "C" {
#include "access/stratnum.h"
#include "pgtime.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
}

namespace uuidx::pg {

namespace {

/// The arguments of a call that may be others in the next one, and what it returned. Arguments of
/// types that are not passed by value are compared as they are, and not detoasted.
struct Kept {
    const pg_tz* zone;
    std::optional<TimeBound> bound;
    int count;
    struct {
        int number;
        Datum value;
        int16 length;
        bool by_value;
    } arguments[FLEXIBLE_ARRAY_MEMBER];

    bool is_of(FunctionCallInfo fcinfo) const {
        for (int i = 0; i < count; ++i) {
            const auto& [number, value, length, by_value] = arguments[i];
            if (!datumIsEqual(value, PG_GETARG_DATUM(number), by_value, length))
                return false;
        }
        return zone == session_timezone;
    }
};

/// Not get_fn_expr_arg_stable(): PL/pgSQL calls with other parameters in the same place.
bool is_constant(FunctionCallInfo fcinfo, int argument) {
    const auto* const call = reinterpret_cast<FuncExpr*>(fcinfo->flinfo->fn_expr);
    return call != nullptr && IsA(call, FuncExpr) && IsA(list_nth(call->args, argument), Const);
}

Kept* keep(FunctionCallInfo fcinfo, const std::optional<TimeBound>& bound) {
    const MemoryContext before = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
    auto* const kept = static_cast<Kept*>(
        palloc(sizeof(Kept) + sizeof(Kept::arguments[0]) * static_cast<std::size_t>(PG_NARGS())));
    kept->zone = session_timezone;
    kept->bound = bound;
    kept->count = 0;
    for (int i = 0; i < PG_NARGS(); ++i) {
        if (is_constant(fcinfo, i))
            continue;
        auto& [number, value, length, by_value] = kept->arguments[kept->count++];
        number = i;
        get_typlenbyval(get_fn_expr_argtype(fcinfo->flinfo, i), &length, &by_value);
        value = datumCopy(PG_GETARG_DATUM(i), by_value, length);
    }
    MemoryContextSwitchTo(before);
    return kept;
}

/// Both bounds of an equality, which is that of < <= > >= too.
std::optional<TimeBound> bound_of_equality(Oid op, Argument value,
                                           std::span<const Argument> functions) {
    Oid left;
    Oid right;
    op_input_types(op, &left, &right);
    const auto a = time_bound(with_strategy(op, BTGreaterEqualStrategyNumber), value, functions);
    const auto b = time_bound(with_strategy(op, BTLessEqualStrategyNumber), value, functions);
    // Between the elements of an array are others.
    const bool has_elements = value.type != right;
    return a && b ? std::optional{TimeBound{Min(a->moment, b->moment),
                                            a->is_exact && b->is_exact && !has_elements}}
                  : std::nullopt;
}

/// What time_bound() returns for a call whose arguments are the operator, the value, and those of
/// the functions; for =, the first moment, and whether it and the last one are exact. A filter has
/// the same arguments in each row, so the call keeps what it returned first. The functions are
/// LEAKPROOF: nullopt, and no error, if the arguments are others.
std::optional<TimeBound> compute_bound(FunctionCallInfo fcinfo) {
    auto*& kept = reinterpret_cast<Kept*&>(fcinfo->flinfo->fn_extra);
    const int count = PG_NARGS();
    auto* const arguments =
        static_cast<Argument*>(palloc(sizeof(Argument) * static_cast<std::size_t>(count)));
    for (int i = 0; i < count; ++i)
        arguments[i] = {get_fn_expr_argtype(fcinfo->flinfo, i), PG_GETARG_DATUM(i)};
    const std::span all{arguments, static_cast<std::size_t>(count)};
    const Oid op = PG_GETARG_OID(0);
    const int strategy = count < 2 ? 0 : strategy_of(op, arguments[1].type, all.subspan(2));
    std::optional<TimeBound> bound;
    if (strategy == BTEqualStrategyNumber)
        bound = bound_of_equality(op, arguments[1], all.subspan(2));
    else if (strategy != 0)
        bound = time_bound(op, arguments[1], all.subspan(2));
    if (kept == nullptr)
        kept = keep(fcinfo, bound);
    return bound;
}

std::optional<TimeBound> bound_of_call(FunctionCallInfo fcinfo) {
    const auto* const kept = static_cast<const Kept*>(fcinfo->flinfo->fn_extra);
    return kept != nullptr && kept->is_of(fcinfo) ? kept->bound : compute_bound(fcinfo);
}

}  // namespace

/// uuid_time_bound(regoperator, variadic "any") returns timestamptz: for a condition `f(time) op
/// value`, a moment that no such time is earlier than, or later. NULL if the value is an array of
/// NULLs, or if there are no such functions.
UUIDX_FUNCTION(uuidx_time_bound) {
    const auto bound = bound_of_call(fcinfo);
    if (!bound)
        PG_RETURN_NULL();
    PG_RETURN_TIMESTAMPTZ(bound->moment);
}

/// uuid_time_bounds_are_exact(regoperator, variadic "any") returns boolean: whether all times up to
/// that moment, from it on, or, for =, from the first to the last, satisfy the condition.
UUIDX_FUNCTION(uuidx_time_bounds_are_exact) {
    const auto bound = bound_of_call(fcinfo);
    PG_RETURN_BOOL(bound && bound->is_exact);
}

}  // namespace uuidx::pg
