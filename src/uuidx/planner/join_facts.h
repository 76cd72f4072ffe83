// What the conditions of a join say of its columns: which are equal to others, and which have
// bounds.

#pragma once

#include "uuidx/planner/expression_table.h"
#include "uuidx/planner/key_distribution.h"

namespace uuidx::pg {

/// An expression as a member of its class: of what is equal to it by a family of operators.
struct Term;

/// The facts that hold for the rows of a part of a join tree. Each is read once, and what asks for
/// one looks it up: a query may have thousands of conditions on one key.
class JoinFacts {
  public:
    /// The facts of `around`, if it is not null, hold too; they are complete by then.
    JoinFacts(PlannerInfo* root, JoinFacts* around, const List* conditions);

    /// The bounds of all columns that are equal to this one; NIL if there are too many.
    const List* bounds_of(Var* column);

    /// Whether a bound of a column is among the conditions.
    bool has(const Bound& bound) const;

    /// Whether a column is equal, by a family of operators, to what is the same for a whole scan.
    bool is_fixed(Var* column, Oid family);

    /// The conditions that name a table of the query.
    const List* conditions_on(Index table);

    /// Whether nobody has asked this for a column before.
    bool is_new(Var* column);

  private:
    void equate(Node* condition);
    void add_bound(Node* condition);
    Term* class_of(Oid family, Node* expression);
    void group_by_tables();

    PlannerInfo* root_;
    JoinFacts* around_;
    const List* conditions_;
    HTAB* terms_;
    HTAB* bounds_;
    HTAB* asked_;
    /// The conditions by the table that they name; null if nobody has asked.
    HTAB* by_table_ = nullptr;
};

/// An expression without the changes of its type that leave its bytes as they are.
Node* bare(Node* node);

}  // namespace uuidx::pg
