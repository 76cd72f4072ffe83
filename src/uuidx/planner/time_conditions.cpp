// Conditions on functions of a time, and on sets of times.

#include "uuidx/planner/time_conditions.h"

extern "C" {
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type_d.h"
#include "nodes/makefuncs.h"
#include "utils/lsyscache.h"
#include "utils/multirangetypes.h"
#include "utils/rangetypes.h"
#include "utils/typcache.h"
}

namespace uuidx::pg {

namespace {

// --- Functions of a time ---

/// The function that a node calls, and its arguments.
struct Call {
    Oid function = InvalidOid;
    List* arguments = NIL;
};

Call call_of(Node* node) {
    if (IsA(node, FuncExpr)) {
        const auto* const call = reinterpret_cast<FuncExpr*>(node);
        return {call->funcid, call->args};
    }
    if (IsA(node, OpExpr)) {
        const auto* const call = reinterpret_cast<OpExpr*>(node);
        return {get_opcode(call->opno), call->args};
    }
    return {};
}

/// The arguments of a call, with the function in the place of the one that is the time.
List* with_function(const Call& call, int time) {
    List* const arguments = list_copy(call.arguments);
    lfirst(list_nth_cell(arguments, time)) = makeConst(
        REGPROCEDUREOID, -1, InvalidOid, sizeof(Oid), ObjectIdGetDatum(call.function), false, true);
    return arguments;
}

/// The values of a list of constants; nullopt if one is not, or is NULL.
std::optional<std::span<const Argument>> values_of(const List* list) {
    const auto count = static_cast<std::size_t>(list_length(list));
    auto* const arguments = static_cast<Argument*>(palloc(sizeof(Argument) * (count + 1)));
    std::size_t i = 0;
    ListCell* cell;
    foreach (cell, list) {
        const auto* const constant = static_cast<Const*>(lfirst(cell));
        if (!IsA(constant, Const) || constant->constisnull)
            return std::nullopt;
        arguments[i++] = {constant->consttype, constant->constvalue};
    }
    return std::span{arguments, count};
}

// --- Sets of times ---

constexpr int most_alternatives = 32;

Const* constant_of(Node* node) {
    auto* const constant = reinterpret_cast<Const*>(node);
    return IsA(node, Const) && !constant->constisnull ? constant : nullptr;
}

/// The comparisons with the elements of an array, but for NULLs.
List* alternatives_of_array(const ScalarArrayOpExpr& condition) {
    const Const* const array = constant_of(static_cast<Node*>(lsecond(condition.args)));
    if (array == nullptr || !condition.useOr)
        return NIL;
    ArrayType* const elements = DatumGetArrayTypeP(array->constvalue);
    if (ArrayGetNItems(ARR_NDIM(elements), ARR_DIMS(elements)) > most_alternatives)
        return NIL;
    const Oid type = ARR_ELEMTYPE(elements);
    int16 length;
    bool by_value;
    char alignment;
    get_typlenbyvalalign(type, &length, &by_value, &alignment);
    Datum* values;
    bool* nulls;
    int count;
    deconstruct_array(elements, type, length, by_value, alignment, &values, &nulls, &count);
    List* comparisons = NIL;
    for (int i = 0; i < count; ++i) {
        if (nulls[i])
            continue;
        auto* const value = reinterpret_cast<Expr*>(
            makeConst(type, -1, array->constcollid, length, values[i], false, by_value));
        comparisons =
            lappend(comparisons, make_opclause(condition.opno, BOOLOID, false,
                                               static_cast<Expr*>(linitial(condition.args)), value,
                                               InvalidOid, condition.inputcollid));
    }
    return comparisons;
}

/// The comparisons with the ranges of a multirange.
List* alternatives_of_multirange(const OpExpr& condition) {
    const bool is_commuted = condition.opno == OID_MULTIRANGE_CONTAINS_ELEM_OP;
    if (!is_commuted && condition.opno != OID_MULTIRANGE_ELEM_CONTAINED_OP)
        return NIL;
    auto* const time = static_cast<Expr*>(list_nth(condition.args, is_commuted ? 1 : 0));
    const Const* const set =
        constant_of(static_cast<Node*>(list_nth(condition.args, is_commuted ? 0 : 1)));
    if (set == nullptr || set->consttype != TSTZMULTIRANGEOID)
        return NIL;
    TypeCacheEntry* const type = lookup_type_cache(TSTZRANGEOID, TYPECACHE_RANGE_INFO);
    int32 count;
    RangeType** ranges;
    multirange_deserialize(type, DatumGetMultirangeTypeP(set->constvalue), &count, &ranges);
    if (count > most_alternatives)
        return NIL;
    List* comparisons = NIL;
    for (int i = 0; i < count; ++i) {
        auto* const range = reinterpret_cast<Expr*>(makeConst(
            TSTZRANGEOID, -1, InvalidOid, -1, RangeTypePGetDatum(ranges[i]), false, false));
        comparisons =
            lappend(comparisons, make_opclause(OID_RANGE_ELEM_CONTAINED_OP, BOOLOID, false, time,
                                               range, InvalidOid, InvalidOid));
    }
    return comparisons;
}

}  // namespace

std::optional<FunctionOfTime> function_of_time(Node* node) {
    if (const auto time = time_call(node))
        return FunctionOfTime{*time};
    const Call call = call_of(without_placeholder(node));
    const int count = list_length(call.arguments);
    for (int i = 0; i < count; ++i) {
        const Monotone* const outer = monotone(call.function, i);
        if (outer == nullptr)
            continue;
        if (outer->reads_field) {
            const Const* const field = constant_of(static_cast<Node*>(linitial(call.arguments)));
            if (field == nullptr || !is_monotone_field(DatumGetTextPP(field->constvalue)))
                return std::nullopt;
        }
        auto inner = function_of_time(static_cast<Node*>(list_nth(call.arguments, i)));
        if (!inner)
            continue;
        inner->functions = list_concat(with_function(call, i), inner->functions);
        inner->is_falling ^= outer->is_falling;
        return inner;
    }
    return std::nullopt;
}

std::optional<TimeCall> time_in_order(Node* node) {
    const Oid type = exprType(node);
    if (type != TIMESTAMPTZOID && type != TIMESTAMPOID && type != DATEOID)
        return std::nullopt;
    const auto function = function_of_time(node);
    const auto arguments = function ? values_of(function->functions) : std::nullopt;
    return arguments && keep_order(*arguments) ? std::optional{function->time} : std::nullopt;
}

Moment moment_of(Oid op, Oid of_condition, Node* value, List* functions) {
    const auto arguments = values_of(lcons(value, list_copy(functions)));
    if (arguments && is_independent_of_session(op, arguments->subspan(1))) {
        const auto bound = time_bound(op, arguments->front(), arguments->subspan(1));
        return {
            reinterpret_cast<Node*>(makeConst(TIMESTAMPTZOID, -1, InvalidOid, sizeof(TimestampTz),
                                              bound ? TimestampTzGetDatum(bound->moment) : Datum{0},
                                              !bound, FLOAT8PASSBYVAL)),
            bound && bound->is_exact ? makeBoolConst(true, false) : nullptr};
    }
    const auto call = [&](const char* name, Oid type, Oid with) -> Node* {
        const Oid function = find_function(schema_of_uuidx(), name, {REGOPERATOROID, ANYOID});
        if (!OidIsValid(function) || list_length(functions) + 2 > FUNC_MAX_ARGS)
            return nullptr;
        Const* const first = makeConst(REGOPERATOROID, -1, InvalidOid, sizeof(Oid),
                                       ObjectIdGetDatum(with), false, true);
        auto* const all =
            static_cast<List*>(copyObjectImpl(lcons(first, lcons(value, list_copy(functions)))));
        return reinterpret_cast<Node*>(
            makeFuncExpr(function, type, all, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
    };
    return {call("uuid_time_bound", TIMESTAMPTZOID, op),
            call("uuid_time_bounds_are_exact", BOOLOID, of_condition)};
}

List* alternatives(Node* condition) {
    if (IsA(condition, ScalarArrayOpExpr))
        return alternatives_of_array(*reinterpret_cast<ScalarArrayOpExpr*>(condition));
    if (IsA(condition, OpExpr))
        return alternatives_of_multirange(*reinterpret_cast<OpExpr*>(condition));
    return NIL;
}

}  // namespace uuidx::pg
