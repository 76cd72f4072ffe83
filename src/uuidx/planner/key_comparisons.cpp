// A comparison of a column's time, and the comparisons of its UUIDs that can take its place.
//
// They are right where every UUID of the column is of a version that sorts by time, as CHECK
// constraints prove, or where they compare in the order of uuid_time_ops.

#include "core/time_order.h"

#include "uuidx/planner/column_facts.h"
#include "uuidx/planner/key_comparisons.h"

extern "C" {
#include "access/stratnum.h"
#include "catalog/pg_class_d.h"
#include "catalog/pg_namespace_d.h"
#include "catalog/pg_operator_d.h"
#include "catalog/pg_proc_d.h"
#include "catalog/pg_type_d.h"
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace uuidx::pg {

namespace {

// --- Predicates ---

/// Stands beside the strategy numbers of b-trees: the moment is a range, and the time is in it.
constexpr int in_range = BTMaxStrategyNumber + 1;

bool is_greater(int strategy) {
    return strategy >= BTGreaterEqualStrategyNumber;
}

/// The comparison of their first members that a comparison of rows implies.
OpExpr* implied_by(RowCompareExpr* rows) {
    const bool is_less = is_less_than(rows);
    auto* const left = static_cast<Expr*>(linitial(rows->largs));
    auto* const right = static_cast<Expr*>(linitial(rows->rargs));
    const Oid comparison =
        get_opfamily_member(linitial_oid(rows->opfamilies), exprType(reinterpret_cast<Node*>(left)),
                            exprType(reinterpret_cast<Node*>(right)),
                            is_less ? BTLessEqualStrategyNumber : BTGreaterEqualStrategyNumber);
    return reinterpret_cast<OpExpr*>(
        make_opclause(comparison, BOOLOID, false, left, right, InvalidOid, InvalidOid));
}

/// `time op range`, and the same with a multirange, as a predicate.
std::optional<TimePredicate> predicate_of_range(Node* node, Oid op, const TimeCall& time,
                                                Var* column, Node* set, bool is_commuted) {
    if (op == (is_commuted ? OID_RANGE_CONTAINS_ELEM_OP : OID_RANGE_ELEM_CONTAINED_OP) &&
        exprType(set) == TSTZRANGEOID)
        return TimePredicate{time, column, in_range, set, TSTZRANGEOID};
    if (op == (is_commuted ? OID_MULTIRANGE_CONTAINS_ELEM_OP : OID_MULTIRANGE_ELEM_CONTAINED_OP) &&
        exprType(set) == TSTZMULTIRANGEOID && may_execute(F_RANGE_MERGE_ANYMULTIRANGE))
        return TimePredicate{time,
                             column,
                             in_range,
                             reinterpret_cast<Node*>(makeFuncExpr(
                                 F_RANGE_MERGE_ANYMULTIRANGE, TSTZRANGEOID, lappend(NIL, set),
                                 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL)),
                             TSTZRANGEOID,
                             node};
    return std::nullopt;
}

/// Whether an expression calls nothing, as most that are compared do.
bool is_leaf(const void* node) {
    return IsA(node, Var) || IsA(node, Const) || IsA(node, Param);
}

/// A condition `left op right` as a predicate, if its left operand is the time or a function of it;
/// if it `is_commuted`, its right operand.
std::optional<TimePredicate> predicate_of(Node* node, Oid op, List* operands, bool is_commuted) {
    auto* const operand = static_cast<Node*>(list_nth(operands, is_commuted ? 1 : 0));
    auto* const value = static_cast<Node*>(list_nth(operands, is_commuted ? 0 : 1));
    const auto function = function_of_time(operand);
    Var* const column = function ? column_of(function->time.uuid) : nullptr;
    if (column == nullptr)
        return std::nullopt;
    const TimeCall& time = function->time;
    const bool is_time = function->functions == NIL;
    if (auto predicate = predicate_of_range(node, op, time, column, value, is_commuted);
        predicate && is_time)
        return predicate;
    if (is_commuted)
        op = get_commutator(op);
    const Oid type = exprType(operand);
    const int strategy = OidIsValid(op) ? strategy_of(op, type) : 0;
    if (strategy == 0)
        return std::nullopt;
    const Oid type_of_value = exprType(value);
    if (is_time && IsA(node, OpExpr))
        return TimePredicate{time, column, strategy, value, type_of_value};
    // A timestamptz that a local time is converted to need not follow its order, which is that of
    // the function's values, or of the elements of an array.
    const bool has_local_times = type != TIMESTAMPTZOID || IsA(node, ScalarArrayOpExpr);
    if (has_local_times && func_volatile(get_opcode(op)) != PROVOLATILE_IMMUTABLE)
        return std::nullopt;
    const int strategy_of_time = strategy == BTEqualStrategyNumber ? BTEqualStrategyNumber
                                 : is_greater(strategy) != function->is_falling
                                     ? BTGreaterEqualStrategyNumber
                                     : BTLessEqualStrategyNumber;
    return TimePredicate{time, column, strategy_of_time, value, TIMESTAMPTZOID,
                         node, op,     *function};
}

// --- Comparisons of UUIDs ---

/// An order in which the UUIDs of a period follow one another.
struct KeyOrder {
    /// As in uuid_v7_from, uuid_v7_after, uuid_v7_lower and uuid_v7_upper.
    const char* name;
    const char* less;
    const char* less_equal;
    const char* greater_equal;
    /// Tests what the comparisons leave open; null if they leave nothing open.
    const char* recheck;
    /// Whether it is that of uuid_time_ops.
    bool is_of_time = false;
};

constexpr KeyOrder version_6{"v6", "<", "<=", ">=", "uuid_is_v6"};
constexpr KeyOrder version_7{"v7", "<", "<=", ">=", "uuid_is_v7"};
constexpr KeyOrder version_6_alone{"v6", "<", "<=", ">=", nullptr};
constexpr KeyOrder version_7_alone{"v7", "<", "<=", ">=", nullptr};
constexpr KeyOrder time_order{"time", "<~", "<=~", ">=~", nullptr, true};
constexpr KeyOrder time_order_of_1_and_7{"time", "<~", "<=~", ">=~", "uuid_v1_or_v7_recheck", true};

/// Writes what takes the place of a predicate, if the extension has all functions for it.
class Comparisons {
  public:
    Comparisons(const TimePredicate& predicate, const KeyOrder& order)
        : predicate_{predicate}, order_{order}, schema_{schema_of_uuidx()} {}

    /// The conjunction of comparisons and recheck; null if a function is missing.
    Node* write() {
        switch (predicate_.strategy) {
            case in_range:
                compare(order_.greater_equal, bound("lower"));
                compare(order_.less_equal, bound("upper"));
                break;
            case BTLessStrategyNumber:
                compare(order_.less, bound("from"));
                break;
            case BTLessEqualStrategyNumber:
                compare(order_.less, bound("after"));
                break;
            case BTEqualStrategyNumber:
                compare(order_.greater_equal, bound("from"));
                compare(order_.less, bound("after"));
                break;
            case BTGreaterEqualStrategyNumber:
                compare(order_.greater_equal, bound("from"));
                exclude_without_time();
                break;
            case BTGreaterStrategyNumber:
                compare(order_.greater_equal, bound("after"));
                exclude_without_time();
                break;
        }
        if (order_.recheck != nullptr)
            add(call(order_.recheck, UUIDOID, BOOLOID, predicate_.time.uuid));
        add_condition();
        return is_complete_ ? reinterpret_cast<Node*>(make_ands_explicit(conditions_)) : nullptr;
    }

  private:
    void add(Node* condition) {
        is_complete_ &= condition != nullptr;
        conditions_ = lappend(conditions_, condition);
    }

    void compare(const char* name, Node* bound) {
        const Oid schema = order_.is_of_time ? schema_ : Oid{PG_CATALOG_NAMESPACE};
        const Oid op = GetSysCacheOid4(OPERNAMENSP, Anum_pg_operator_oid, CStringGetDatum(name),
                                       ObjectIdGetDatum(UUIDOID), ObjectIdGetDatum(UUIDOID),
                                       ObjectIdGetDatum(schema));
        if (bound == nullptr || !OidIsValid(op) || !may_execute(get_opcode(op)))
            return add(nullptr);
        add(comparison(predicate_.time.uuid, op, bound));
    }

    /// In the order of time, UUIDs without a time come after all others.
    void exclude_without_time() {
        if (order_.is_of_time)
            compare(order_.less,
                    reinterpret_cast<Node*>(makeConst(UUIDOID, -1, InvalidOid, UUID_LEN,
                                                      datum(first_without_time), false, false)));
    }

    /// Adds the condition that implies the predicate, but not where the bounds are exact. If that
    /// is known only when the plan runs, the condition is not tested if they are.
    void add_condition() {
        Node* const condition = predicate_.implied_by;
        const bool is_spared = is_exact_ != nullptr && IsA(is_exact_, Const);
        if (condition == nullptr || is_spared)
            return;
        add(is_exact_ == nullptr
                ? condition
                : reinterpret_cast<Node*>(make_orclause(list_make2(is_exact_, condition))));
    }

    /// What the time is compared with, as a lower or an upper bound.
    Node* moment(bool is_lower) {
        if (!OidIsValid(predicate_.op))
            return predicate_.moment;
        const auto& [time, functions, is_falling] = predicate_.function;
        Oid op = predicate_.op;
        if (predicate_.strategy == BTEqualStrategyNumber)
            op = with_strategy(op, is_lower != is_falling ? BTGreaterEqualStrategyNumber
                                                          : BTLessEqualStrategyNumber);
        const Moment bound = moment_of(op, predicate_.op, predicate_.moment, functions);
        // An array has other elements, and a row other members.
        const bool may_be_exact =
            IsA(predicate_.implied_by, OpExpr) && (conditions_ == NIL || is_exact_ != nullptr);
        is_exact_ = may_be_exact ? bound.is_exact : nullptr;
        return bound.moment;
    }

    Node* bound(const char* which) {
        Node* moment = this->moment(which == std::string_view{"from"});
        Oid type = predicate_.type_of_moment;
        if (type == DATEOID || type == TIMESTAMPOID) {
            moment = call("uuid_timestamptz", type, TIMESTAMPTZOID, moment);
            type = TIMESTAMPTZOID;
        }
        return value(call(psprintf("uuid_%s_%s", order_.name, which), type, UUIDOID, moment));
    }

    /// That of a bound's call with a constant, for which the planner would start the executor.
    static Node* value(Node* bound) {
        const auto* const call = reinterpret_cast<FuncExpr*>(bound);
        const auto* const moment =
            call != nullptr ? static_cast<Const*>(linitial(call->args)) : nullptr;
        if (moment == nullptr || !IsA(moment, Const))
            return bound;
        const bool is_null = moment->constisnull;
        return reinterpret_cast<Node*>(
            makeConst(UUIDOID, -1, InvalidOid, UUID_LEN,
                      is_null ? Datum{0} : OidFunctionCall1(call->funcid, moment->constvalue),
                      is_null, false));
    }

    /// Null if there is no such function, or no argument.
    Node* call(const char* name, Oid argument_type, Oid result_type, Node* argument) {
        const Oid function = find_function(schema_, name, {argument_type});
        if (!OidIsValid(function) || argument == nullptr)
            return nullptr;
        return reinterpret_cast<Node*>(makeFuncExpr(function, result_type,
                                                    lappend(NIL, copyObjectImpl(argument)),
                                                    InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
    }

    const TimePredicate& predicate_;
    const KeyOrder& order_;
    Oid schema_;
    List* conditions_ = NIL;
    bool is_complete_ = true;
    /// What is true if the comparisons hold for no other rows than the condition that implies them;
    /// null if they do.
    Node* is_exact_ = nullptr;
};

/// The order by which the UUIDs of a column can be compared in place of their times; null if there
/// is none, or if the planner needs the predicate as it stands.
const KeyOrder* order_of(const TimePredicate& predicate, const RangeTblEntry& table) {
    if (table.rtekind != RTE_RELATION)
        return nullptr;
    const ColumnFacts facts = facts_of(table.relid, predicate.column->varattno);
    if (facts.has_time_expression)
        return nullptr;
    const bool can_be_by_time =
        facts.in_time_order && (!table.inh || table.relkind == RELKIND_PARTITIONED_TABLE);
    const Versions in_column = table.inh ? facts.versions_inherited : facts.versions;
    // Where nothing has the column in the order of the server, that of time serves.
    if (!can_be_by_time || facts.in_other_order)
        switch (in_column & predicate.time.versions) {
            case set_of(6):
                return in_column == set_of(6) ? &version_6_alone : &version_6;
            case set_of(7):
                return in_column == set_of(7) ? &version_7_alone : &version_7;
        }
    if (!can_be_by_time)
        return nullptr;
    return predicate.time.versions == versions_with_time ? &time_order : &time_order_of_1_and_7;
}

/// Whether comparisons with bounds can take the place of the predicate, in whatever order.
bool can_be_replaced(PlannerInfo* root, const TimePredicate& predicate,
                     const RangeTblEntry& table) {
    Node* const compared =
        reinterpret_cast<Node*>(lcons(predicate.moment, list_copy(predicate.function.functions)));
    if (contain_volatile_functions(compared))
        return false;
    const Relids others = pull_varnos(root, compared);
    if (bms_is_member(predicate.column->varno, others))
        return false;
    // Hash and merge joins need equality.
    if (predicate.strategy == BTEqualStrategyNumber && !bms_is_empty(others))
        return false;
    // Both bounds, or the bound and the condition, would run the subplan.
    if ((predicate.strategy == BTEqualStrategyNumber || predicate.strategy == in_range ||
         predicate.implied_by != nullptr) &&
        contain_subplans(compared))
        return false;
    // Bounds that do not spare the condition have to spare rows.
    if (OidIsValid(predicate.op) &&
        (!bms_is_empty(others) || !facts_of(table.relid, predicate.column->varattno).is_indexed()))
        return false;
    // Each child decides for itself, and may be excluded by a CHECK constraint on the time.
    const bool is_plain_parent = table.inh && table.relkind != RELKIND_PARTITIONED_TABLE;
    return !is_plain_parent || !bms_is_empty(others);
}

/// The order of the comparisons that can take the place of the predicate; null if none can.
const KeyOrder* order_for(PlannerInfo* root, const TimePredicate& predicate) {
    const RangeTblEntry& table = *root->simple_rte_array[predicate.column->varno];
    const KeyOrder* const order = order_of(predicate, table);
    return order != nullptr && can_be_replaced(root, predicate, table) ? order : nullptr;
}

}  // namespace

std::optional<TimePredicate> time_predicate(Node* node) {
    if (IsA(node, RowCompareExpr)) {
        OpExpr* const implied = implied_by(reinterpret_cast<RowCompareExpr*>(node));
        auto predicate = time_predicate(reinterpret_cast<Node*>(implied));
        if (predicate)
            predicate->implied_by = node;
        return predicate;
    }
    if (IsA(node, ScalarArrayOpExpr)) {
        const auto* const comparison = reinterpret_cast<ScalarArrayOpExpr*>(node);
        return comparison->useOr ? predicate_of(node, comparison->opno, comparison->args, false)
                                 : std::nullopt;
    }
    const auto* const comparison = reinterpret_cast<OpExpr*>(node);
    if (!IsA(node, OpExpr) || list_length(comparison->args) != 2 ||
        (is_leaf(linitial(comparison->args)) && is_leaf(lsecond(comparison->args))))
        return std::nullopt;
    auto predicate = predicate_of(node, comparison->opno, comparison->args, false);
    return predicate ? predicate : predicate_of(node, comparison->opno, comparison->args, true);
}

bool can_compare_keys(PlannerInfo* root, const TimePredicate& predicate) {
    return order_for(root, predicate) != nullptr;
}

Node* key_comparisons(PlannerInfo* root, const TimePredicate& predicate) {
    const KeyOrder* const order = order_for(root, predicate);
    if (order == nullptr)
        return nullptr;
    // The plan calls functions that this user may execute; for another user, it is made anew.
    root->glob->dependsOnRole = true;
    return Comparisons{predicate, *order}.write();
}

bool is_tested_unless_exact(Node* condition) {
    if (!is_orclause(condition))
        return false;
    const auto* const arm =
        static_cast<FuncExpr*>(linitial(reinterpret_cast<BoolExpr*>(condition)->args));
    return IsA(arm, FuncExpr) && is_implemented_by(arm->funcid, "uuidx_time_bounds_are_exact");
}

}  // namespace uuidx::pg
