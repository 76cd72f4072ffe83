// What the conditions of a join say of its columns: which are equal to others, and which have
// bounds.

#include "uuidx/planner/join_facts.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
}

namespace uuidx::pg {

namespace {

Node* condition_of(const Bound& bound) {
    return comparison(reinterpret_cast<Node*>(bound.column), bound.op, bound.value);
}

/// An entry of the conditions on a table.
struct OfTable {
    int table;
    List* conditions;
};

}  // namespace

// --- Classes ---

struct Term {
    ExpressionKey key;
    /// Another member, whose class this has become; null if this one stands for its class.
    Term* parent;
    int size;
    bool is_fixed;
    /// Each operator and value once; more than most_bounds are not looked at.
    List* bounds;
};

namespace {

/// A period has two bounds. Each bound is compared with each, and written for each column.
constexpr int most_bounds = 32;

void add(Term& to, Bound* bound) {
    ListCell* cell;
    foreach (cell, to.bounds) {
        const auto& known = *static_cast<Bound*>(lfirst(cell));
        if (known.op == bound->op && equal(known.value, bound->value))
            return;
    }
    if (list_length(to.bounds) <= most_bounds)
        to.bounds = lappend(to.bounds, bound);
}

void merge(Term* a, Term* b) {
    if (a == b)
        return;
    if (a->size < b->size)
        std::swap(a, b);
    b->parent = a;
    a->size += b->size;
    a->is_fixed |= b->is_fixed;
    ListCell* cell;
    foreach (cell, b->bounds)
        add(*a, static_cast<Bound*>(lfirst(cell)));
}

}  // namespace

JoinFacts::JoinFacts(PlannerInfo* root, JoinFacts* around, const List* conditions)
    : root_{root},
      around_{around},
      conditions_{conditions},
      terms_{table_of_expressions(sizeof(Term))},
      bounds_{table_of_expressions(sizeof(ExpressionKey))},
      asked_{table_of_expressions(sizeof(ExpressionKey))} {
    ListCell* cell;
    foreach (cell, conditions)
        equate(static_cast<Node*>(lfirst(cell)));
    foreach (cell, conditions)
        add_bound(static_cast<Node*>(lfirst(cell)));
}

/// What is volatile has another value wherever it stands.
void JoinFacts::equate(Node* condition) {
    CHECK_FOR_INTERRUPTS();
    const auto* const comparison = reinterpret_cast<OpExpr*>(condition);
    if (!IsA(condition, OpExpr) || list_length(comparison->args) != 2)
        return;
    Node* const left = bare(static_cast<Node*>(linitial(comparison->args)));
    Node* const right = bare(static_cast<Node*>(lsecond(comparison->args)));
    List* const families = get_mergejoin_opfamilies(comparison->opno);
    if (families == NIL || contain_volatile_functions(left) || contain_volatile_functions(right))
        return;
    ListCell* cell;
    foreach (cell, families)
        merge(class_of(lfirst_oid(cell), left), class_of(lfirst_oid(cell), right));
}

void JoinFacts::add_bound(Node* condition) {
    const auto bound = bound_of(condition);
    if (!bound)
        return;
    auto* const added = static_cast<Bound*>(palloc(sizeof(Bound)));
    *added = *bound;
    add(*class_of(uuid_ops, reinterpret_cast<Node*>(bound->column)), added);
    enter(bounds_, condition_of(*bound));
}

/// The member that stands for the class of an expression. A class of the facts around is a single
/// member here.
Term* JoinFacts::class_of(Oid family, Node* expression) {
    const Term* const outer = around_ != nullptr ? around_->class_of(family, expression) : nullptr;
    const ExpressionKey key{family, outer != nullptr ? outer->key.expression : expression};
    bool is_found;
    auto* term = static_cast<Term*>(hash_search(terms_, &key, HASH_ENTER, &is_found));
    if (!is_found) {
        term->parent = nullptr;
        term->size = 1;
        term->is_fixed = outer != nullptr ? outer->is_fixed : !contain_var_clause(expression);
        term->bounds = outer != nullptr ? list_copy(outer->bounds) : NIL;
    }
    while (term->parent != nullptr)
        term = term->parent;
    return term;
}

const List* JoinFacts::bounds_of(Var* column) {
    const List* const bounds = class_of(uuid_ops, reinterpret_cast<Node*>(column))->bounds;
    return list_length(bounds) <= most_bounds ? bounds : NIL;
}

bool JoinFacts::has(const Bound& bound) const {
    const ExpressionKey key{InvalidOid, condition_of(bound)};
    return hash_search(bounds_, &key, HASH_FIND, nullptr) != nullptr ||
           (around_ != nullptr && around_->has(bound));
}

bool JoinFacts::is_fixed(Var* column, Oid family) {
    return class_of(family, reinterpret_cast<Node*>(column))->is_fixed;
}

void JoinFacts::group_by_tables() {
    HASHCTL control{};
    control.keysize = sizeof(int);
    control.entrysize = sizeof(OfTable);
    control.hcxt = CurrentMemoryContext;
    by_table_ =
        hash_create("uuidx conditions", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
    ListCell* cell;
    foreach (cell, conditions_) {
        const Relids tables = pull_varnos(root_, static_cast<Node*>(lfirst(cell)));
        for (int i = -1; (i = bms_next_member(tables, i)) >= 0;) {
            bool is_found;
            auto* const entry =
                static_cast<OfTable*>(hash_search(by_table_, &i, HASH_ENTER, &is_found));
            entry->conditions = lappend(is_found ? entry->conditions : NIL, lfirst(cell));
        }
    }
}

const List* JoinFacts::conditions_on(Index table) {
    if (by_table_ == nullptr)
        group_by_tables();
    const auto* const entry =
        static_cast<OfTable*>(hash_search(by_table_, &table, HASH_FIND, nullptr));
    const List* const here = entry != nullptr ? entry->conditions : NIL;
    return around_ != nullptr ? list_concat_copy(around_->conditions_on(table), here) : here;
}

bool JoinFacts::is_new(Var* column) {
    return enter(asked_, reinterpret_cast<Node*>(column));
}

Node* bare(Node* node) {
    while (IsA(node, RelabelType))
        node = reinterpret_cast<Node*>(reinterpret_cast<RelabelType*>(node)->arg);
    return node;
}

}  // namespace uuidx::pg
