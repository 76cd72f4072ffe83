// Lets a period of a key be one of every column that is joined to it: a bound of a column is one of
// each column that the rows in question have equal to it. PostgreSQL's equivalence classes carry
// constants, but no ranges.
//
// The bounds are added to the join tree, beside the equality that implies them, before the planner
// assigns conditions to tables and joins. Everything that follows treats them as if the user had
// written them. range_estimates.cpp has the planner count once what the bounds of both sides
// select.

#include "uuidx/planner/join_periods.h"

#include "uuidx/planner/key_distribution.h"
#include "uuidx/planner/time_functions.h"

extern "C" {
#include "access/genam.h"
#include "access/nbtree.h"
#include "access/table.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_class_d.h"
#include "catalog/pg_inherits.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/partcache.h"
#include "utils/rel.h"
}

namespace uuidx::pg {

namespace {

/// A larger part of a table is read as a whole, and its bounds would only be computed for each row.
constexpr double largest_part = 1.0 / 3;

// --- What conditions say ---

/// An expression without the changes of its type that leave its bytes as they are.
Node* bare(Node* node) {
    while (IsA(node, RelabelType))
        node = reinterpret_cast<Node*>(reinterpret_cast<RelabelType*>(node)->arg);
    return node;
}

/// The sides of an equality of a family of operators; NIL for another condition.
List* equated(Node* condition, Oid family) {
    const auto* const comparison = reinterpret_cast<OpExpr*>(condition);
    const bool is_equality =
        IsA(condition, OpExpr) && list_length(comparison->args) == 2 &&
        get_op_opfamily_strategy(comparison->opno, family) == BTEqualStrategyNumber;
    return is_equality ? comparison->args : NIL;
}

/// A column, and all that is equal to it where these conditions hold. What is volatile has another
/// value wherever it stands.
List* all_equal_to(Var* column, const List* conditions, Oid family) {
    List* members = lappend(NIL, column);
    for (int i = 0; i < list_length(members); ++i) {
        ListCell* cell;
        foreach (cell, conditions) {
            const List* const sides = equated(static_cast<Node*>(lfirst(cell)), family);
            for (int side = 0; side < list_length(sides); ++side) {
                Node* const other = bare(static_cast<Node*>(list_nth(sides, 1 - side)));
                if (equal(bare(static_cast<Node*>(list_nth(sides, side))), list_nth(members, i)) &&
                    !contain_volatile_functions(other))
                    members = list_append_unique(members, other);
            }
        }
    }
    return members;
}

// --- Where a bound of a column is of use ---

/// What a bound of a column has to be of use for.
struct Wanted {
    const Bound& bound;
    /// What holds for the rows of the table that has the column.
    List* conditions;
};

/// Whether the conditions equate a column with what is the same for a whole scan.
bool is_fixed(Var* column, List* conditions, Oid family) {
    ListCell* cell;
    foreach (cell, all_equal_to(column, conditions, family))
        if (!contain_var_clause(static_cast<Node*>(lfirst(cell))))
            return true;
    return false;
}

/// Whether a column is the first key, or comes after keys that are the same in all rows.
bool leads(const Wanted& wanted, Oid table, Var* column, const AttrNumber* keys,
           const Oid* families, int count) {
    for (int i = 0; i < count && keys[i] != 0; ++i) {
        if (keys[i] == column->varattno)
            return op_in_opfamily(wanted.bound.op, families[i]);
        Var* const key = static_cast<Var*>(copyObjectImpl(column));
        key->varattno = keys[i];
        get_atttypetypmodcoll(table, keys[i], &key->vartype, &key->vartypmod, &key->varcollid);
        if (!is_fixed(key, wanted.conditions, families[i]))
            return false;
    }
    return false;
}

bool is_led(const Wanted& wanted, Relation index, Var* column) {
    const FormData_pg_index& form = *index->rd_index;
    if (index->rd_rel->relam != BTREE_AM_OID || !form.indisvalid ||
        !leads(wanted, form.indrelid, column, form.indkey.values, index->rd_opfamily,
               form.indnkeyatts))
        return false;
    List* const predicate = RelationGetIndexPredicate(index);
    ChangeVarNodes(reinterpret_cast<Node*>(predicate), 1, column->varno, 0);
    return predicate_implied_by(predicate, wanted.conditions, false);
}

/// Whether an index, or the partition key, serves a bound of a table's column. The planner has not
/// read the indexes of parents, before PostgreSQL 16 not even those of partitioned tables.
bool has_keys(const Wanted& wanted, Oid oid, Var* column) {
    const Relation table = table_open(oid, NoLock);
    bool found = false;
    if (table->rd_rel->relkind == RELKIND_PARTITIONED_TABLE) {
        const PartitionKeyData& key = *RelationGetPartitionKey(table);
        found = key.strategy != PARTITION_STRATEGY_HASH &&
                leads(wanted, oid, column, key.partattrs, key.partopfamily, key.partnatts);
    }
    ListCell* cell;
    foreach (cell, RelationGetIndexList(table)) {
        if (found)
            break;
        Relation index = index_open(lfirst_oid(cell), AccessShareLock);
        found = is_led(wanted, index, column);
        index_close(index, AccessShareLock);
    }
    table_close(table, NoLock);
    return found;
}

/// A column of a table, perhaps below subqueries.
struct Column {
    const RangeTblEntry* table;
    AttrNumber number;
};

/// The column for which a bound of `node` is of use; nullopt if there is none.
std::optional<Column> served_column(const Wanted& wanted, const PlannerInfo* root, List* tables,
                                    Node* node);

/// Of an entry with the rows of others, the column of one of them for which it is.
std::optional<Column> column_of_child(const Wanted& wanted, const PlannerInfo* root,
                                      const Var* column) {
    ListCell* cell;
    foreach (cell, root->append_rel_list) {
        const auto& child = *static_cast<AppendRelInfo*>(lfirst(cell));
        if (child.parent_relid != static_cast<Index>(column->varno))
            continue;
        auto* const expression =
            static_cast<Node*>(list_nth(child.translated_vars, column->varattno - 1));
        if (const auto served = served_column(wanted, root, root->parse->rtable, expression))
            return served;
    }
    return std::nullopt;
}

std::optional<Column> served_column(const Wanted& wanted, const PlannerInfo* root, List* tables,
                                    Node* node) {
    Var* const column = node != nullptr ? column_of(node) : nullptr;
    if (column == nullptr)
        return std::nullopt;
    const RangeTblEntry& entry = *rt_fetch(column->varno, tables);
    const int i = column->varattno - 1;
    const Wanted below{wanted.bound, NIL};
    switch (entry.rtekind) {
        case RTE_RELATION: {
            // What cannot be sent to another server would keep joins from being sent.
            const bool is_served =
                entry.relkind == RELKIND_FOREIGN_TABLE
                    ? IsA(wanted.bound.value, Const) && wanted.bound.op < FirstNormalObjectId
                    : entry.tablesample == nullptr && has_keys(wanted, entry.relid, column);
            return is_served ? std::optional{Column{&entry, column->varattno}} : std::nullopt;
        }
        case RTE_SUBQUERY: {
            if (entry.inh)
                return column_of_child(below, root, column);
            const Query& query = *entry.subquery;
            if (query.limitOffset != nullptr || query.limitCount != nullptr)
                return std::nullopt;
            auto* const target = get_tle_by_resno(query.targetList, column->varattno);
            return served_column(below, root, query.rtable, reinterpret_cast<Node*>(target->expr));
        }
        case RTE_JOIN:
            return served_column(below, root, tables,
                                 static_cast<Node*>(list_nth(entry.joinaliasvars, i)));
        default: {
            const List* const grouped = grouped_expressions(&entry);
            return grouped != NIL ? served_column(below, root, tables,
                                                  static_cast<Node*>(list_nth(grouped, i)))
                                  : std::nullopt;
        }
    }
}

/// Whether the bounds of a column, all of which `wanted` is one of, are worth being added.
bool are_useful(PlannerInfo* root, const Wanted& wanted, const List* bounds) {
    const auto served = served_column(wanted, root, root->parse->rtable,
                                      reinterpret_cast<Node*>(wanted.bound.column));
    if (!served)
        return false;
    // In a subquery, every table may still have children.
    const Oid table = served->table->relid;
    const bool is_parent = served->table->inh && has_subclass(table);
    return part_within(root, table, is_parent, served->number, bounds).value_or(0) <= largest_part;
}

// --- Join trees ---

/// A FROM list, or a join, whose kind says which of its conditions hold where.
struct Join {
    JoinType type;
    List* inputs;
    List** conditions;

    bool is_inner() const { return type == JOIN_INNER || type == JOIN_SEMI; }
    /// Whether the rows of the second input that satisfy the conditions are of interest, and no
    /// others, for every row of the first.
    bool is_outer() const { return type == JOIN_LEFT || type == JOIN_ANTI; }
    Node* nullable() const { return static_cast<Node*>(lsecond(inputs)); }
};

/// nullopt for a table.
std::optional<Join> join_of(Node* node) {
    if (IsA(node, FromExpr)) {
        auto* const from = reinterpret_cast<FromExpr*>(node);
        return Join{JOIN_INNER, from->fromlist, reinterpret_cast<List**>(&from->quals)};
    }
    if (!IsA(node, JoinExpr))
        return std::nullopt;
    auto* const join = reinterpret_cast<JoinExpr*>(node);
    return Join{join->jointype, list_make2(join->larg, join->rarg),
                reinterpret_cast<List**>(&join->quals)};
}

/// The conditions that hold for the rows of a node.
List* conditions_within(Node* node) {
    const auto join = join_of(node);
    if (!join)
        return NIL;
    if (join->is_outer())
        return conditions_within(static_cast<Node*>(linitial(join->inputs)));
    List* conditions = NIL;
    if (join->is_inner()) {
        conditions = list_copy(*join->conditions);
        ListCell* cell;
        foreach (cell, join->inputs)
            conditions =
                list_concat(conditions, conditions_within(static_cast<Node*>(lfirst(cell))));
    }
    return conditions;
}

class JoinTree {
  public:
    explicit JoinTree(PlannerInfo* root) : root_{root} {}

    /// `above` are the conditions on the rows that are of interest of those of a node.
    void add_bounds(Node* node, List* above) const {
        const auto join = join_of(node);
        if (!join)
            return;
        ListCell* input;
        if (!join->is_inner() && !join->is_outer()) {
            foreach (input, join->inputs)
                add_bounds(static_cast<Node*>(lfirst(input)), NIL);
            return;
        }
        Relids nullable = nullptr;
        if (join->is_outer()) {
            nullable = tables_of(join->nullable());
            above = without(above, nullable);
        }
        List* const here = list_concat_copy(above, *join->conditions);
        foreach (input, join->inputs) {
            const bool is_preserved = join->is_outer() && lfirst(input) != join->nullable();
            add_bounds(static_cast<Node*>(lfirst(input)),
                       is_preserved ? above : with_inputs(here, *join, input));
        }
        add_bounds(join->conditions, with_inputs(here, *join, nullptr), nullable);
    }

  private:
    /// Conditions, and those within the inputs of a join but one.
    static List* with_inputs(List* conditions, const Join& join, const ListCell* but) {
        conditions = list_copy(conditions);
        ListCell* input;
        foreach (input, join.inputs)
            if (input != but)
                conditions =
                    list_concat(conditions, conditions_within(static_cast<Node*>(lfirst(input))));
        return conditions;
    }

    /// Conditions but those that name one of these tables: they speak of its rows after an outer
    /// join, which may have put NULLs in their place.
    List* without(List* conditions, Relids tables) const {
        List* left = NIL;
        ListCell* cell;
        foreach (cell, conditions)
            if (!bms_overlap(pull_varnos(root_, static_cast<Node*>(lfirst(cell))), tables))
                left = lappend(left, lfirst(cell));
        return left;
    }

    /// Adds to a list of conditions the bounds of the columns that they equate: of those of `to`,
    /// unless it is empty.
    void add_bounds(List** conditions, List* facts, Relids to) const {
        const int count = list_length(*conditions);
        for (int i = 0; i < count; ++i) {
            ListCell* cell;
            foreach (cell, equated(static_cast<Node*>(list_nth(*conditions, i)), uuid_ops)) {
                auto* const key = static_cast<Node*>(lfirst(cell));
                const Var* const column = column_of(key);
                if (column == nullptr || (to != nullptr && !bms_is_member(column->varno, to)))
                    continue;
                List* const bounds = implied_bounds(key, facts);
                *conditions = list_concat(*conditions, bounds);
                facts = list_concat(facts, bounds);
            }
        }
    }

    /// The bounds that a column has because it is equal to others, and not in these conditions; NIL
    /// if they are not worth being added.
    List* implied_bounds(Node* key, List* facts) const {
        Var* const column = column_of(key);
        const List* const columns = all_equal_to(column, facts, uuid_ops);
        List* all = NIL;
        List* implied = NIL;
        ListCell* cell;
        foreach (cell, facts) {
            auto bound = bound_of(static_cast<Node*>(lfirst(cell)));
            if (!bound || !list_member(columns, bound->column))
                continue;
            Node* const condition = comparison(key, bound->op, bound->value);
            const bool is_known = list_member(facts, condition);
            if (!is_known && may_raise_error(root_, bound->value))
                continue;
            bound->column = column;
            auto* const of_column = static_cast<Bound*>(palloc(sizeof(Bound)));
            *of_column = *bound;
            all = lappend(all, of_column);
            if (!is_known)
                implied = list_append_unique(implied, condition);
        }
        if (implied == NIL)
            return NIL;
        const Wanted wanted{*static_cast<Bound*>(linitial(all)), facts};
        return are_useful(root_, wanted, all) ? implied : NIL;
    }

    PlannerInfo* root_;
};

bool has_bounds(Node* node) {
    const auto join = join_of(node);
    if (!join)
        return false;
    ListCell* cell;
    foreach (cell, *join->conditions)
        if (bound_of(static_cast<Node*>(lfirst(cell))))
            return true;
    foreach (cell, join->inputs)
        if (has_bounds(static_cast<Node*>(lfirst(cell))))
            return true;
    return false;
}

}  // namespace

void follow_joins(PlannerInfo* root) {
    FromExpr* const tree = root->parse->jointree;
    auto* const node = reinterpret_cast<Node*>(tree);
    const bool is_join =
        list_length(tree->fromlist) > 1 || !IsA(linitial(tree->fromlist), RangeTblRef);
    if (is_join && has_bounds(node))
        JoinTree{root}.add_bounds(node, NIL);
}

}  // namespace uuidx::pg
