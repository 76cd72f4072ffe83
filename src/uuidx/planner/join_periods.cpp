// Lets a period of a key be one of every column that is joined to it: a bound of a column is one of
// each column that the rows in question have equal to it. PostgreSQL's equivalence classes carry
// constants, but no ranges.
//
// The bounds are added to the join tree, beside the equality that implies them, before the planner
// assigns conditions to tables and joins. Everything that follows treats them as if the user had
// written them. range_estimates.cpp has the planner count once what the bounds of both sides
// select.

#include "uuidx/planner/join_periods.h"

#include "uuidx/planner/join_facts.h"

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

/// The sides of an equality of UUIDs; NIL for another condition.
List* equated(Node* condition) {
    const auto* const comparison = reinterpret_cast<OpExpr*>(condition);
    const bool is_equality =
        IsA(condition, OpExpr) && list_length(comparison->args) == 2 &&
        get_op_opfamily_strategy(comparison->opno, uuid_ops) == BTEqualStrategyNumber;
    return is_equality ? comparison->args : NIL;
}

// --- Where a bound of a column is of use ---

/// What a bound of a column has to be of use for.
struct Wanted {
    const Bound& bound;
    /// What holds for the rows of the table that has the column; null if nothing is known.
    JoinFacts* facts;
};

/// Whether a column is the first key, or comes after keys that are the same in all rows.
bool leads(const Wanted& wanted, Oid table, Var* column, const AttrNumber* keys,
           const Oid* families, int count) {
    for (int i = 0; i < count && keys[i] != 0; ++i) {
        if (keys[i] == column->varattno)
            return op_in_opfamily(wanted.bound.op, families[i]);
        Var* const key = static_cast<Var*>(copyObjectImpl(column));
        key->varattno = keys[i];
        get_atttypetypmodcoll(table, keys[i], &key->vartype, &key->vartypmod, &key->varcollid);
        if (wanted.facts == nullptr || !wanted.facts->is_fixed(key, families[i]))
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
    if (predicate == NIL || wanted.facts == nullptr)
        return predicate == NIL;
    ChangeVarNodes(reinterpret_cast<Node*>(predicate), 1, column->varno, 0);
    auto* const conditions =
        const_cast<List*>(wanted.facts->conditions_on(static_cast<Index>(column->varno)));
    return predicate_implied_by(predicate, conditions, false);
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
    const Wanted below{wanted.bound, nullptr};
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

/// The part of a join tree whose conditions hold for the same rows: inner joins, and what outer
/// joins preserve.
struct Part {
    List* conditions = NIL;
    /// The tables whose rows may not be in those: an outer join may have put NULLs in their place.
    /// What conditions say of them is left out; if an operator says it, which no NULL satisfies,
    /// the planner has made the join an inner one.
    Relids nullable = nullptr;
    /// The other tables.
    Relids tables = nullptr;

    /// Adds the conditions of a node, those of a join before those of its inputs.
    void add(Node* node) {
        check_stack_depth();
        const auto join = join_of(node);
        if (!join)
            return;
        if (join->is_outer()) {
            nullable = bms_join(nullable, tables_of(join->nullable()));
            return add(static_cast<Node*>(linitial(join->inputs)));
        }
        if (!join->is_inner()) {
            nullable = bms_join(nullable, tables_of(node));
            return;
        }
        conditions = list_concat(conditions, *join->conditions);
        ListCell* cell;
        foreach (cell, join->inputs)
            add(static_cast<Node*>(lfirst(cell)));
    }

    /// The conditions that name no nullable table.
    List* facts(PlannerInfo* root) const {
        if (bms_is_empty(nullable))
            return conditions;
        List* left = NIL;
        ListCell* cell;
        foreach (cell, conditions)
            if (!bms_overlap(pull_varnos(root, static_cast<Node*>(lfirst(cell))), nullable))
                left = lappend(left, lfirst(cell));
        return left;
    }
};

/// Outer joins within the inputs that outer joins do not preserve: a part deeper in such a tree has
/// all the facts of those around it to look through.
constexpr int most_parts_around = 16;

/// So many columns may get bounds: for each, its indexes and statistics are read.
constexpr int most_columns = 1000;

class JoinTree {
  public:
    explicit JoinTree(PlannerInfo* root) : root_{root} {}

    /// Adds bounds to the conditions of the part that a node is the top of. If the node is the
    /// input that an outer join does not preserve, `joining` are the conditions of the join, and
    /// `around` what holds for the rows that they are tested for.
    void add_bounds(Node* node, List** joining = nullptr, JoinFacts* around = nullptr,
                    int depth = 0) {
        if (depth > most_parts_around)
            return;
        Part part{joining != nullptr ? list_copy(*joining) : NIL};
        part.add(node);
        part.tables = bms_difference(tables_of(node), part.nullable);
        JoinFacts facts{root_, around, part.facts(root_)};
        add_bounds_within(node, part, facts, depth);
        if (joining != nullptr)
            add_bounds_to(joining, facts, part.tables);
    }

  private:
    /// Adds bounds to the conditions of a node of a part, those of the inputs first.
    void add_bounds_within(Node* node, const Part& part, JoinFacts& facts, int depth) {
        const auto join = join_of(node);
        if (!join)
            return;
        if (join->is_outer()) {
            add_bounds_within(static_cast<Node*>(linitial(join->inputs)), part, facts, depth);
            return add_bounds(join->nullable(), join->conditions, &facts, depth + 1);
        }
        ListCell* cell;
        foreach (cell, join->inputs) {
            auto* const input = static_cast<Node*>(lfirst(cell));
            if (join->is_inner())
                add_bounds_within(input, part, facts, depth);
            else
                add_bounds(input);
        }
        if (join->is_inner())
            add_bounds_to(join->conditions, facts, part.tables);
    }

    /// Adds to a list of conditions the bounds of the columns of these tables that they equate.
    void add_bounds_to(List** conditions, JoinFacts& facts, Relids tables) {
        const int count = list_length(*conditions);
        for (int i = 0; i < count; ++i) {
            CHECK_FOR_INTERRUPTS();
            ListCell* cell;
            foreach (cell, equated(static_cast<Node*>(list_nth(*conditions, i)))) {
                auto* const key = static_cast<Node*>(lfirst(cell));
                Var* const column = column_of(key);
                if (column != nullptr && bms_is_member(column->varno, tables) &&
                    facts.is_new(column))
                    *conditions = list_concat(*conditions, implied_bounds(key, facts));
            }
        }
    }

    /// The bounds that a column has because it is equal to others, and not in these facts; NIL if
    /// they are not worth being added.
    List* implied_bounds(Node* key, JoinFacts& facts) {
        List* all = NIL;
        List* implied = NIL;
        ListCell* cell;
        foreach (cell, facts.bounds_of(column_of(key))) {
            auto* const bound = static_cast<Bound*>(palloc(sizeof(Bound)));
            *bound = *static_cast<Bound*>(lfirst(cell));
            bound->column = column_of(key);
            const bool is_known = facts.has(*bound);
            if (!is_known && may_raise_error(root_, bound->value))
                continue;
            all = lappend(all, bound);
            if (!is_known)
                implied = lappend(implied, comparison(key, bound->op, bound->value));
        }
        if (implied == NIL || ++columns_ > most_columns)
            return NIL;
        const Wanted wanted{*static_cast<Bound*>(linitial(all)), &facts};
        return are_useful(root_, wanted, all) ? implied : NIL;
    }

    PlannerInfo* root_;
    int columns_ = 0;
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
        JoinTree{root}.add_bounds(node);
}

}  // namespace uuidx::pg
