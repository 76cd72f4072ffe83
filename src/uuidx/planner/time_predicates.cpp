// Lets indexes serve plain predicates on the creation time: replaces a comparison of
// uuid_time(column) by comparisons of the column, in the hook that the planner calls for each table
// once it has read what the catalogs say of it.
//
// At that moment the conditions of the query are still in its join tree, and those of a parent have
// not come to its children. Everything that follows (estimates, indexes, partition pruning,
// row-level security) treats the new conditions as if the user had written them.

#include "uuidx/order/settings.h"

#include "uuidx/planner/column_facts.h"
#include "uuidx/planner/expression_table.h"
#include "uuidx/planner/key_comparisons.h"
#include "uuidx/planner/key_distribution.h"
#include "uuidx/planner/query_memory.h"
#include "uuidx/planner/time_conditions.h"
#include "uuidx/planner/time_predicates.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/appendinfo.h"
#include "optimizer/optimizer.h"
}

namespace uuidx::pg {

namespace {

// --- The conditions of a query ---

/// Whether an expression has a bound of a column that is not among these, the columns of a table.
bool has_other_bound(Node* node, void* columns) {
    if (node == nullptr)
        return false;
    if (const auto bound = bound_of(node))
        return !bms_is_member(bound->column->varattno, static_cast<Bitmapset*>(columns));
    return walk_expression(node, has_other_bound, columns);
}

/// The bounds that a disjunction implies, if it has none of another column; else NIL.
///
/// Partition pruning by an OR can lose the rows of a default partition, as in PostgreSQL 18.3,
/// where IS NOT NULL stands beside it; not where a bound of the key does.
List* bounds_of_each_column(PlannerInfo* root, Node* disjunction) {
    List* const bounds = bounds_of_disjunction(root, disjunction);
    Bitmapset* columns = nullptr;
    ListCell* cell;
    foreach (cell, bounds)
        columns =
            bms_add_member(columns, bound_of(static_cast<Node*>(lfirst(cell)))->column->varattno);
    return has_other_bound(disjunction, columns) ? NIL : bounds;
}

/// Replaces the predicates in conditions, which are changed in place.
class Conditions {
  public:
    /// Where a condition stands: alone, so that it holds for all rows of interest, or in an OR.
    enum class Place {
        alone,
        /// The predicates on parents are left alone: partition pruning might lose rows.
        alternative,
        /// They are replaced, and bounds will stand beside the OR.
        bounded_alternative
    };

    explicit Conditions(PlannerInfo* root, Place place = Place::alone)
        : root_{root}, place_{place} {}

    void replace_in_join_tree(Node* node) const {
        if (IsA(node, FromExpr)) {
            auto* const from = reinterpret_cast<FromExpr*>(node);
            ListCell* cell;
            foreach (cell, from->fromlist)
                replace_in_join_tree(static_cast<Node*>(lfirst(cell)));
            replace_in_list(reinterpret_cast<List**>(&from->quals));
        } else if (IsA(node, JoinExpr)) {
            auto* const join = reinterpret_cast<JoinExpr*>(node);
            replace_in_join_tree(join->larg);
            replace_in_join_tree(join->rarg);
            replace_in_list(reinterpret_cast<List**>(&join->quals));
        }
    }

    /// Of a list whose elements all hold, as the planner keeps conditions. Returns whether one has
    /// been replaced.
    bool replace_in_list(List** conditions) const {
        Bitmapset* replaced = nullptr;
        ListCell* cell;
        foreach (cell, *conditions)
            if (replace(reinterpret_cast<Node**>(&lfirst(cell))))
                replaced = bms_add_member(replaced, foreach_current_index(cell));
        if (replaced == nullptr)
            return false;
        // Two predicates may have the same comparison, which is estimated once. What the query
        // itself repeats may be volatile.
        HTAB* const known = table_of_expressions(sizeof(ExpressionKey));
        List* flat = NIL;
        foreach (cell, *conditions) {
            CHECK_FOR_INTERRUPTS();
            auto* const condition = static_cast<Expr*>(lfirst(cell));
            const bool is_new = bms_is_member(foreach_current_index(cell), replaced) &&
                                !contain_volatile_functions(reinterpret_cast<Node*>(condition));
            ListCell* part;
            foreach (part, make_ands_implicit(condition))
                if (enter(known, static_cast<Node*>(lfirst(part))) || !is_new)
                    flat = lappend(flat, lfirst(part));
        }
        *conditions = flat;
        return true;
    }

    /// Whether another node has taken the place of the condition.
    bool replace(Node** condition) const {
        if (IsA(*condition, BoolExpr))
            return replace_in_arguments(condition);
        Node* comparisons = comparisons_of_alternatives(*condition);
        if (comparisons == nullptr)
            comparisons = comparisons_of_moments(*condition);
        if (comparisons == nullptr)
            comparisons = comparisons_of(*condition);
        if (comparisons == nullptr)
            return false;
        *condition = comparisons;
        return true;
    }

  private:
    Node* comparisons_of(Node* condition) const {
        auto predicate = time_predicate(condition);
        if (!predicate || (place_ == Place::alternative && has_children(predicate->column)))
            return nullptr;
        const bool is_list = IsA(condition, ScalarArrayOpExpr) && place_ == Place::alone;
        if (is_list && !may_add_bounds(predicate->column))
            return nullptr;
        // Children have bounds of each element of a list, and parents those of all.
        if (List* const arms = has_children(predicate->column) ? alternatives(condition) : NIL;
            list_length(arms) > 1)
            predicate->implied_by = reinterpret_cast<Node*>(make_orclause(arms));
        return key_comparisons(root_, *predicate);
    }

    bool has_children(const Var* column) const {
        return root_->simple_rte_array[column->varno]->inh;
    }

    /// Whether a condition is on a single table, which has children.
    bool is_on_parent(Node* condition) const {
        int table;
        return bms_get_singleton_member(pull_varnos(root_, condition), &table) &&
               root_->simple_rte_array[table]->inh;
    }

    Conditions in_disjunction(bool is_bounded) const {
        return Conditions{root_, place_ != Place::alone ? place_
                                 : is_bounded           ? Place::bounded_alternative
                                                        : Place::alternative};
    }

    /// Whether so many more arms of an OR may be made of the lists on a table: the planner tries
    /// the conditions on the table with each.
    bool may_add_arms(int arms, const Var* column) const {
        constexpr int most_arms = 1000;
        return (added_to(root_, static_cast<Index>(column->varno)).arms += arms) <= most_arms;
    }

    /// Whether bounds may stand beside one more list or OR on a table: the planner compares each of
    /// them with each, for each arm of all of these.
    bool may_add_bounds(const Var* column) const {
        constexpr int most_bounds = 32;
        return ++added_to(root_, static_cast<Index>(column->varno)).bounds <= most_bounds;
    }

    /// A disjunction of comparisons, for a condition that is a disjunction of predicates.
    Node* comparisons_of_alternatives(Node* condition) const {
        const List* const arms = alternatives(condition);
        const auto predicate = arms != NIL ? time_predicate(condition) : std::nullopt;
        if (!predicate || !may_add_arms(list_length(arms), predicate->column))
            return nullptr;
        List* disjunction = NIL;
        ListCell* cell;
        foreach (cell, arms) {
            CHECK_FOR_INTERRUPTS();
            Node* const comparisons =
                in_disjunction(true).comparisons_of(static_cast<Node*>(lfirst(cell)));
            if (comparisons == nullptr)
                return nullptr;
            disjunction = lappend(disjunction, comparisons);
        }
        if (list_length(disjunction) < 2)
            return disjunction != NIL ? static_cast<Node*>(linitial(disjunction)) : nullptr;
        auto* const comparisons = reinterpret_cast<Node*>(make_orclause(disjunction));
        return place_ == Place::alone && is_on_parent(condition) ? with_bounds(comparisons)
                                                                 : comparisons;
    }

    /// Of a long list of moments, a disjunction of comparisons with ranges of them, and the list,
    /// to be tested where ranges have other moments. Rows between two moments are read where that
    /// costs less than another range; null if that is so of all.
    Node* comparisons_of_moments(Node* condition) const {
        const std::span<TimestampTz> moments = moments_of(condition);
        const auto predicate = time_predicate(condition);
        if (place_ != Place::alone || moments.size() < 2 || !predicate ||
            predicate->function.functions != NIL)
            return nullptr;
        List* const ranges = ranges_of_moments(condition, moments, *predicate);
        if (list_length(ranges) < 2 || !may_add_arms(list_length(ranges), predicate->column))
            return nullptr;
        auto* const disjunction = reinterpret_cast<Node*>(make_orclause(ranges));
        if (!in_disjunction(true).replace_arms(disjunction))
            return nullptr;
        Node* const served = is_on_parent(condition) ? with_bounds(disjunction) : disjunction;
        const bool is_exact = static_cast<std::size_t>(list_length(ranges)) == moments.size();
        if (served == nullptr || is_exact)
            return served;
        List* const conditions = make_ands_implicit(reinterpret_cast<Expr*>(served));
        return reinterpret_cast<Node*>(make_ands_explicit(lappend(conditions, condition)));
    }

    /// NIL if the catalogs do not say how many rows lie between the moments.
    List* ranges_of_moments(Node* condition, std::span<const TimestampTz> moments,
                            const TimePredicate& of_all) const {
        constexpr double rows_for_a_range = 200;
        constexpr int most_ranges = 1000;
        auto* const bounds = reinterpret_cast<Expr*>(key_comparisons(root_, of_all));
        const auto rows = bounds != nullptr
                              ? rows_within(root_, *root_->simple_rte_array[of_all.column->varno],
                                            of_all.column->varattno, make_ands_implicit(bounds))
                              : std::nullopt;
        if (!rows)
            return NIL;
        double between =
            (static_cast<double>(moments.back()) - static_cast<double>(moments.front())) *
            rows_for_a_range / Max(*rows, 1);
        const auto& list = *reinterpret_cast<ScalarArrayOpExpr*>(condition);
        List* ranges = conditions_of_moments(list, moments, between);
        while (list_length(ranges) > most_ranges)
            ranges = conditions_of_moments(list, moments, between *= 2);
        return ranges;
    }

    /// A disjunction on a parent, and the bounds that it implies; null if there are none.
    Node* with_bounds(Node* disjunction) const {
        List* const bounds = bounds_of_each_column(root_, disjunction);
        return bounds != NIL &&
                       may_add_bounds(bound_of(static_cast<Node*>(linitial(bounds)))->column)
                   ? reinterpret_cast<Node*>(make_ands_explicit(lappend(bounds, disjunction)))
                   : nullptr;
    }

    bool replace_in_arguments(Node** condition) const {
        auto* const expression = reinterpret_cast<BoolExpr*>(*condition);
        if (expression->boolop == OR_EXPR)
            return replace_in_disjunction(condition);
        if (expression->boolop != AND_EXPR)
            return false;
        const bool is_changed = replace_in_list(&expression->args);
        // An AND has two arguments at least.
        *condition = reinterpret_cast<Node*>(make_ands_explicit(expression->args));
        return is_changed;
    }

    bool replace_in_disjunction(Node** condition) const {
        if (place_ == Place::alone && is_on_parent(*condition)) {
            auto* const copy = static_cast<Node*>(copyObjectImpl(*condition));
            Node* const bounded =
                in_disjunction(true).replace_arms(copy) ? with_bounds(copy) : nullptr;
            if (bounded != nullptr) {
                *condition = bounded;
                return true;
            }
        }
        if (!in_disjunction(false).replace_arms(*condition))
            return false;
        List* const bounds =
            place_ == Place::alone ? bounds_of_disjunction(root_, *condition) : NIL;
        // Where there are both, the arms alone serve better.
        if (list_length(bounds) == 1 &&
            may_add_bounds(bound_of(static_cast<Node*>(linitial(bounds)))->column))
            *condition = reinterpret_cast<Node*>(make_ands_explicit(lappend(bounds, *condition)));
        return true;
    }

    /// Of a disjunction, whose arms have their place in it.
    bool replace_arms(Node* disjunction) const {
        List*& arms = reinterpret_cast<BoolExpr*>(disjunction)->args;
        bool is_changed = false;
        List* flat = NIL;
        ListCell* cell;
        foreach (cell, arms) {
            CHECK_FOR_INTERRUPTS();
            auto* arm = static_cast<Node*>(lfirst(cell));
            is_changed |= replace(&arm);
            // Those of a list of times are arms of this disjunction.
            flat = is_orclause(arm) ? list_concat(flat, reinterpret_cast<BoolExpr*>(arm)->args)
                                    : lappend(flat, arm);
        }
        arms = flat;
        return is_changed;
    }

    PlannerInfo* root_;
    Place place_;
};

// --- Children: partitions, tables that inherit, and branches of UNION ALL ---

/// Whether a bound of a column is among these conditions.
bool has_bound(const List* conditions, const Var* column) {
    ListCell* cell;
    foreach (cell, conditions) {
        const auto bound = bound_of(static_cast<Node*>(lfirst(cell)));
        if (bound && equal(bound->column, column))
            return true;
    }
    return false;
}

/// Whether something can take the place of a condition on a parent, or of a part of it, in a child.
/// Of a part, `beside` are the conditions in an AND with it.
bool can_be_replaced_in(PlannerInfo* root, AppendRelInfo* child, Node* condition,
                        bool is_part = false, const List* beside = NIL) {
    if (is_orclause(condition) || is_andclause(condition)) {
        const List* const parts = reinterpret_cast<BoolExpr*>(condition)->args;
        ListCell* cell;
        if (is_tested_unless_exact(condition))
            return false;
        foreach (cell, parts)
            if (can_be_replaced_in(root, child, static_cast<Node*>(lfirst(cell)), true,
                                   is_andclause(condition) ? parts : NIL))
                return true;
        return false;
    }
    const RangeTblEntry& parent = *root->simple_rte_array[child->parent_relid];
    if (parent.rtekind == RTE_RELATION) {
        const auto predicate = time_predicate(condition);
        // A parent that is partitioned by the time needs the predicate for pruning.
        if (!predicate || facts_of(parent.relid, predicate->column->varattno).has_time_expression)
            return false;
        // Comparisons stand beside such a one already.
        if (predicate->implied_by != nullptr && can_compare_keys(root, *predicate) &&
            (!is_part || has_bound(beside, predicate->column)))
            return false;
    } else if (!IsA(condition, OpExpr) && !IsA(condition, RowCompareExpr) &&
               !IsA(condition, ScalarArrayOpExpr)) {
        return false;
    }
    const auto predicate = time_predicate(adjust_appendrel_attrs(root, condition, 1, &child));
    return predicate && can_compare_keys(root, *predicate);
}

/// Has the conditions on a parent carry over to a child as that child needs them: the planner
/// translates them for each child, and asks uuid_time_predicate() for what takes its place there.
void carry_to(PlannerInfo* root, AppendRelInfo* child) {
    ListCell* cell;
    foreach (cell, root->simple_rel_array[child->parent_relid]->baserestrictinfo) {
        const auto* const condition = static_cast<RestrictInfo*>(lfirst(cell));
        if (!can_be_replaced_in(root, child, reinterpret_cast<Node*>(condition->clause)))
            continue;
        const Oid carrier = find_function(schema_of_uuidx(), "uuid_time_predicate", {BOOLOID});
        if (!OidIsValid(carrier))
            return;
        auto* const carried = makeNode(RestrictInfo);
        *carried = *condition;
        carried->clause =
            reinterpret_cast<Expr*>(makeFuncExpr(carrier, BOOLOID, lappend(NIL, condition->clause),
                                                 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
        lfirst(cell) = carried;
    }
}

}  // namespace

void replace_predicates_on(PlannerInfo* root, RelOptInfo* table) {
    ListCell* cell;
    foreach (cell, root->simple_rte_array[table->relid]->securityQuals)
        Conditions{root}.replace_in_list(reinterpret_cast<List**>(&lfirst(cell)));
    if (table->reloptkind == RELOPT_OTHER_MEMBER_REL)
        carry_to(root, root->append_rel_array[table->relid]);
}

void take_back_carriers(const RelOptInfo* parent) {
    ListCell* cell;
    foreach (cell, parent->baserestrictinfo) {
        auto* const condition = static_cast<RestrictInfo*>(lfirst(cell));
        const auto* const carrier = reinterpret_cast<FuncExpr*>(condition->clause);
        if (IsA(carrier, FuncExpr) && is_implemented_by(carrier->funcid, "uuidx_time_predicate"))
            condition->clause = static_cast<Expr*>(linitial(carrier->args));
    }
}

void replace_predicates_in_query(PlannerInfo* root) {
    Conditions{root}.replace_in_join_tree(reinterpret_cast<Node*>(root->parse->jointree));
}

/// Planner support for uuid_time() and uuid_extract_timestamp(). It answers no request: that the
/// planner calls it has loaded the library before the hook is needed.
UUIDX_FUNCTION(uuidx_time_support) {
    return Datum{0};
}

/// uuid_time_predicate(boolean) returns boolean: its argument.
UUIDX_FUNCTION(uuidx_time_predicate) {
    PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/// Planner support for uuid_time_predicate: what takes the place of its argument, or the argument.
UUIDX_FUNCTION(uuidx_time_predicate_support) {
    auto* const request = reinterpret_cast<SupportRequestSimplify*>(PG_GETARG_POINTER(0));
    if (!IsA(request, SupportRequestSimplify))
        return Datum{0};
    auto* condition = static_cast<Node*>(linitial(request->fcall->args));
    PlannerInfo* const root = request->root;
    int table;
    // Only a child has a condition that carry_to() made; in a CHECK constraint, whose columns do
    // not say yet which table of the query has them, a user wrote the call.
    if (time_planning && root != nullptr && root->append_rel_array != nullptr &&
        bms_get_singleton_member(pull_varnos(root, condition), &table) &&
        table < root->simple_rel_array_size && root->append_rel_array[table] != nullptr)
        Conditions{root}.replace(&condition);
    PG_RETURN_POINTER(condition);
}

}  // namespace uuidx::pg
