// Conditions on functions of a time, and on sets of times.

#include "uuidx/planner/time_conditions.h"

#include <algorithm>

extern "C" {
#include "access/stratnum.h"
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

/// An array that a condition with ANY or IN has as a constant; null if it has none.
ArrayType* constant_array(const ScalarArrayOpExpr& condition) {
    const Const* const array = constant_of(static_cast<Node*>(lsecond(condition.args)));
    return array != nullptr && condition.useOr ? DatumGetArrayTypeP(array->constvalue) : nullptr;
}

/// The elements of an array but for NULLs.
struct Elements {
    Oid type;
    int16 length;
    bool by_value;
    std::span<Datum> values;
};

Elements elements_of(ArrayType* array) {
    Elements elements{ARR_ELEMTYPE(array), 0, false, {}};
    char alignment;
    get_typlenbyvalalign(elements.type, &elements.length, &elements.by_value, &alignment);
    Datum* values;
    bool* nulls;
    int count;
    deconstruct_array(array, elements.type, elements.length, elements.by_value, alignment, &values,
                      &nulls, &count);
    std::size_t kept = 0;
    for (int i = 0; i < count; ++i)
        if (!nulls[i])
            values[kept++] = values[i];
    elements.values = {values, kept};
    return elements;
}

/// `left op value`, for the left side of a condition with ANY or IN.
Expr* comparison_with(const ScalarArrayOpExpr& condition, Oid op, Const* value) {
    return make_opclause(op, BOOLOID, false, static_cast<Expr*>(linitial(condition.args)),
                         reinterpret_cast<Expr*>(value), InvalidOid, condition.inputcollid);
}

/// The comparisons with the elements of an array, but for NULLs.
List* alternatives_of_array(const ScalarArrayOpExpr& condition) {
    ArrayType* const array = constant_array(condition);
    if (array == nullptr || ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) > most_alternatives)
        return NIL;
    const Elements elements = elements_of(array);
    const Oid collation = exprCollation(static_cast<Node*>(lsecond(condition.args)));
    List* comparisons = NIL;
    for (const Datum value : elements.values)
        comparisons = lappend(
            comparisons, comparison_with(condition, condition.opno,
                                         makeConst(elements.type, -1, collation, elements.length,
                                                   value, false, elements.by_value)));
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

std::span<TimestampTz> moments_of(Node* node) {
    const auto& condition = *reinterpret_cast<ScalarArrayOpExpr*>(node);
    ArrayType* const array = IsA(node, ScalarArrayOpExpr) ? constant_array(condition) : nullptr;
    if (array == nullptr || ARR_ELEMTYPE(array) != TIMESTAMPTZOID ||
        get_op_opfamily_strategy(condition.opno, datetime_ops) != BTEqualStrategyNumber)
        return {};
    const std::span<Datum> values = elements_of(array).values;
    auto* const moments =
        static_cast<TimestampTz*>(palloc(sizeof(TimestampTz) * (values.size() + 1)));
    std::transform(values.begin(), values.end(), moments,
                   [](Datum value) { return DatumGetTimestampTz(value); });
    std::sort(moments, moments + values.size());
    return {moments, std::unique(moments, moments + values.size())};
}

List* conditions_of_moments(const ScalarArrayOpExpr& condition,
                            std::span<const TimestampTz> moments, double most_between) {
    const auto compare = [&](int strategy, TimestampTz moment) {
        return comparison_with(condition, with_strategy(condition.opno, strategy),
                               makeConst(TIMESTAMPTZOID, -1, InvalidOid, sizeof(TimestampTz),
                                         TimestampTzGetDatum(moment), false, FLOAT8PASSBYVAL));
    };
    List* conditions = NIL;
    for (std::size_t first = 0, end; first < moments.size(); first = end) {
        CHECK_FOR_INTERRUPTS();
        end = first + 1;
        while (end < moments.size() &&
               static_cast<double>(moments[end]) - static_cast<double>(moments[end - 1]) <=
                   most_between)
            ++end;
        conditions = lappend(
            conditions,
            end == first + 1
                ? compare(BTEqualStrategyNumber, moments[first])
                : make_andclause(list_make2(compare(BTGreaterEqualStrategyNumber, moments[first]),
                                            compare(BTLessEqualStrategyNumber, moments[end - 1]))));
    }
    return conditions;
}

}  // namespace uuidx::pg
