// Says whether a view, policy or function only passes on keys, and which columns of a view are
// keys.

#include "server/catalog_row.h"
#include "server/shim.h"

extern "C" {
#include "catalog/pg_rewrite.h"
#include "nodes/makefuncs.h"
#include "nodes/parsenodes.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
}

namespace uuidx::pg {

namespace {

/// The columns of tables and views that hold keys.
struct Keys {
    std::span<const Datum> relations;
    std::span<const Datum> columns;

    bool has(Oid relation, AttrNumber column) const {
        for (std::size_t i = 0; i < std::min(relations.size(), columns.size()); ++i)
            if (DatumGetObjectId(relations[i]) == relation &&
                (column == InvalidAttrNumber || DatumGetInt16(columns[i]) == column))
                return true;
        return false;
    }
};

/// A query, and the one around it.
struct Level {
    Query* query;
    const Level* outer;
};

struct Search {
    const Keys* keys;
    const Level* level;
    const Level* sub_select;  ///< of the comparison with a sub-select that is being searched
};

const Level* outer_level(const Level* level, Index up) {
    for (; up > 0 && level != nullptr; --up)
        level = level->outer;
    return level;
}

bool is_key(const Search& search, Node* node);

/// Whether a column that a query returns is a key. Each part of a UNION would have to return it.
bool returns_key(const Search& search, Query* query, const Level* outer, AttrNumber column) {
    const TargetEntry* const entry = get_tle_by_resno(query->targetList, column);
    const Level level{query, outer};
    return query->setOperations == nullptr && entry != nullptr &&
           is_key({search.keys, &level, nullptr}, reinterpret_cast<Node*>(entry->expr));
}

/// Whether a query returns a key at all.
bool returns_any_key(const Search& search, Query* query, const Level* outer) {
    for (int column = 1; column <= list_length(query->targetList); ++column)
        if (returns_key(search, query, outer, static_cast<AttrNumber>(column)))
            return true;
    return false;
}

/// Whether a column that a WITH query returns is a key.
bool with_query_returns_key(const Search& search, const RangeTblEntry* entry, const Level* level,
                            AttrNumber column) {
    level = outer_level(level, entry->ctelevelsup);
    ListCell* cell;
    if (level != nullptr)
        foreach (cell, level->query->cteList)
            if (auto* const with = lfirst_node(CommonTableExpr, cell);
                strcmp(with->ctename, entry->ctename) == 0 && IsA(with->ctequery, Query))
                return returns_key(search, castNode(Query, with->ctequery), level, column);
    return false;
}

/// The relation in FROM that has a column, and the query in which it is; null if there is none.
const RangeTblEntry* entry_of(const Search& search, const Var* var, const Level** level) {
    *level = outer_level(search.level, var->varlevelsup);
    const int number = static_cast<int>(var->varno);
    if (*level == nullptr || number < 1 || number > list_length((*level)->query->rtable))
        return nullptr;
    return rt_fetch(number, (*level)->query->rtable);
}

/// Whether a column of a join is a key, or merged of keys. What USING casts it casts to another
/// type then.
bool is_joined_key(const Search& search, const RangeTblEntry* join, AttrNumber column) {
    if (column > list_length(join->joinaliasvars))
        return false;
    Node* const value =
        strip_implicit_coercions(static_cast<Node*>(list_nth(join->joinaliasvars, column - 1)));
    if (value == nullptr || !IsA(value, CoalesceExpr))
        return is_key(search, value);
    ListCell* cell;
    foreach (cell, castNode(CoalesceExpr, value)->args)
        if (!is_key(search, strip_implicit_coercions(static_cast<Node*>(lfirst(cell)))))
            return false;
    return true;
}

bool is_key_column(const Search& search, const Var* var) {
    const Level* level;
    const RangeTblEntry* const entry = entry_of(search, var, &level);
    const AttrNumber column = var->varattno;
    if (entry == nullptr || column < 1)
        return false;
    if (entry->rtekind == RTE_RELATION)
        return search.keys->has(entry->relid, column);
    if (entry->rtekind == RTE_SUBQUERY)
        return returns_key(search, entry->subquery, level, column);
    if (entry->rtekind == RTE_CTE)
        return with_query_returns_key(search, entry, level, column);
    if (entry->rtekind == RTE_JOIN)
        return is_joined_key({search.keys, level, nullptr}, entry, column);
    const List* const grouped = grouped_expressions(entry);
    return column <= list_length(grouped) &&
           is_key({search.keys, level, nullptr}, static_cast<Node*>(list_nth(grouped, column - 1)));
}

/// Whether a row is read as a whole that may have a key in it.
bool is_row_with_key(const Search& search, const Var* var) {
    const Level* level;
    const RangeTblEntry* const entry = entry_of(search, var, &level);
    if (entry == nullptr || var->varattno != InvalidAttrNumber)
        return false;
    if (entry->rtekind == RTE_RELATION)
        return search.keys->has(entry->relid, InvalidAttrNumber);
    return entry->rtekind != RTE_SUBQUERY || returns_any_key(search, entry->subquery, level);
}

/// Whether an expression has the value of a key, and takes on its type.
bool is_key(const Search& search, Node* node) {
    if (node == nullptr)
        return false;
    if (IsA(node, Var))
        return is_key_column(search, castNode(Var, node));
    if (IsA(node, Param))
        return castNode(Param, node)->paramkind == PARAM_SUBLINK && search.sub_select != nullptr &&
               returns_key(search, search.sub_select->query, search.level,
                           static_cast<AttrNumber>(castNode(Param, node)->paramid));
    if (IsA(node, SubLink))
        return castNode(SubLink, node)->subLinkType == EXPR_SUBLINK &&
               returns_key(search, castNode(Query, castNode(SubLink, node)->subselect),
                           search.level, 1);
    if (!IsA(node, CoalesceExpr))
        return false;
    ListCell* cell;
    foreach (cell, castNode(CoalesceExpr, node)->args)
        if (!is_key(search, static_cast<Node*>(lfirst(cell))))
            return false;
    return true;
}

// --- What is done with keys ---

/// Whether an operator compares two values of any type that has an order.
bool is_comparison(Oid oid) {
    constexpr std::string_view names[] = {"=", "<>", "<", "<=", ">", ">="};
    const char* const name = get_opname(oid);
    return oid < FirstNormalObjectId && name != nullptr &&
           std::ranges::find(names, std::string_view{name}) != std::end(names);
}

bool needs_type(Node* node, void* context);

/// Whether a key has to be of its present type in a place where one of any type may be.
bool needs_type_inside(Search& search, Node* node) {
    if (!is_key(search, node))
        return needs_type(node, &search);
    if (IsA(node, SubLink))
        return needs_type(castNode(SubLink, node)->subselect, &search);
    ListCell* cell;
    if (IsA(node, CoalesceExpr))
        foreach (cell, castNode(CoalesceExpr, node)->args)
            if (needs_type_inside(search, static_cast<Node*>(lfirst(cell))))
                return true;
    return false;
}

bool needs_type_in_aggregate(Search& search, Aggref* aggregate) {
    ListCell* cell;
    foreach (cell, aggregate->args) {
        auto* const argument = reinterpret_cast<Node*>(lfirst_node(TargetEntry, cell)->expr);
        if (aggregate->aggfnoid == F_COUNT_ANY ? needs_type_inside(search, argument)
                                               : needs_type(argument, &search))
            return true;
    }
    return needs_type(reinterpret_cast<Node*>(aggregate->aggdirectargs), &search) ||
           needs_type(reinterpret_cast<Node*>(aggregate->aggfilter), &search);
}

bool needs_type_in_sub_select(Search& search, SubLink* link) {
    auto* const query = castNode(Query, link->subselect);
    const Level level{query, search.level};
    Search test{search.keys, search.level, &level};
    const bool is_value = link->subLinkType != EXISTS_SUBLINK && link->subLinkType != ANY_SUBLINK &&
                          link->subLinkType != ALL_SUBLINK;
    return (is_value && returns_any_key(search, query, search.level)) ||
           needs_type(link->testexpr, &test) || needs_type(link->subselect, &search);
}

bool needs_type_in_query(Search& search, Query* query) {
    if (query->commandType != CMD_SELECT)
        return true;
    const Level level{query, search.level};
    Search inner{search.keys, &level, nullptr};
    ListCell* cell;
    ListCell* part;
    foreach (cell, query->rtable) {
        const auto* const entry = lfirst_node(RangeTblEntry, cell);
        if (query->setOperations != nullptr && entry->rtekind == RTE_SUBQUERY &&
            returns_any_key(search, entry->subquery, search.level))
            return true;
        foreach (part, grouped_expressions(entry))
            if (needs_type_inside(inner, static_cast<Node*>(lfirst(part))))
                return true;
    }
    foreach (cell, query->windowClause)
        if (const auto* const window = lfirst_node(WindowClause, cell);
            OidIsValid(window->startInRangeFunc) || OidIsValid(window->endInRangeFunc))
            return true;
    return walk_query(query, needs_type, &inner,
                      QTW_IGNORE_JOINALIASES | ignore_grouped_expressions);
}

/// Whether a key in a node has to be of its present type. What a query returns, groups or sorts by
/// takes on another one, and so do keys that are compared with one another.
bool needs_type(Node* node, void* context) {
    auto& search = *static_cast<Search*>(context);
    if (node == nullptr)
        return false;
    switch (nodeTag(node)) {
        case T_Query:
            return needs_type_in_query(search, castNode(Query, node));
        case T_TargetEntry:
            return needs_type_inside(search,
                                     reinterpret_cast<Node*>(castNode(TargetEntry, node)->expr));
        case T_NullTest:
            return needs_type_inside(search,
                                     reinterpret_cast<Node*>(castNode(NullTest, node)->arg));
        case T_OpExpr:
        case T_DistinctExpr: {
            const auto* const operation = reinterpret_cast<OpExpr*>(node);
            if (!is_comparison(operation->opno) || list_length(operation->args) != 2)
                break;
            auto* const left = static_cast<Node*>(linitial(operation->args));
            auto* const right = static_cast<Node*>(lsecond(operation->args));
            if (is_key(search, left) && is_key(search, right))
                return needs_type_inside(search, left) || needs_type_inside(search, right);
            break;
        }
        case T_SubLink:
            return needs_type_in_sub_select(search, castNode(SubLink, node));
        case T_Aggref:
            return needs_type_in_aggregate(search, castNode(Aggref, node));
        case T_Var:
            return is_key(search, node) || is_row_with_key(search, castNode(Var, node));
        default:
            if (is_key(search, node))
                return true;
    }
    return walk_expression(node, needs_type, context);
}

/// Whether what a policy or function has needs the type of a key. Functions do not return them, as
/// the types of their results stay.
bool needs_type_in_tree(Search& search, Node* tree) {
    ListCell* cell;
    if (tree == nullptr || !(IsA(tree, List) || IsA(tree, Query)))
        return needs_type(tree, &search);
    if (IsA(tree, Query))
        return needs_type(tree, &search) ||
               returns_any_key(search, castNode(Query, tree), search.level);
    foreach (cell, castNode(List, tree))
        if (needs_type_in_tree(search, static_cast<Node*>(lfirst(cell))))
            return true;
    return false;
}

/// The query of a view, which is the only action of its rule; null for other rules.
Query* query_of_view(const CatalogRow& rule) {
    ListCell* cell;
    foreach (cell, rule.trees)
        if (auto* const tree = static_cast<Node*>(lfirst(cell)); tree != nullptr && IsA(tree, List))
            if (auto* const query = linitial_node(Query, castNode(List, tree));
                query->commandType == CMD_SELECT)
                return query;
    return nullptr;
}

}  // namespace

/// uuidx_migrate_steps.passed_columns(classid oid, objid oid, relations oid[], columns smallint[])
/// returns smallint[]: if a row of pg_rewrite, pg_policy or pg_proc only passes on the columns of
/// these relations, the columns of its view that they are; none for policies and functions. NULL if
/// it is gone, or if it does more with one of these columns than return it, as a view may, compare
/// it with another of them, count it, test it for NULL, and group or sort by it.
UUIDX_FUNCTION(uuidx_passed_columns) {
    const auto row = catalog_row(PG_GETARG_OID(0), PG_GETARG_OID(1));
    if (!row)
        PG_RETURN_NULL();
    const Keys keys{elements(PG_GETARG_ARRAYTYPE_P(2), OIDOID),
                    elements(PG_GETARG_ARRAYTYPE_P(3), INT2OID)};
    auto* const around = makeNode(Query);
    around->rtable = row->relations;
    const Level level{around, nullptr};
    Search search{&keys, &level, nullptr};
    Query* const view = PG_GETARG_OID(0) == RewriteRelationId ? query_of_view(*row) : nullptr;
    if (view != nullptr ? needs_type_in_query(search, view)
                        : needs_type_in_tree(search, reinterpret_cast<Node*>(row->trees)))
        PG_RETURN_NULL();

    const int length = view == nullptr ? 0 : list_length(view->targetList);
    auto* const passed = static_cast<Datum*>(palloc((length + 1) * sizeof(Datum)));
    int count = 0;
    for (int column = 1; column <= length; ++column)
        if (returns_key(search, view, &level, static_cast<AttrNumber>(column)))
            passed[count++] = Int16GetDatum(column);
    PG_RETURN_ARRAYTYPE_P(
        construct_array(passed, count, INT2OID, sizeof(int16), true, TYPALIGN_SHORT));
}

}  // namespace uuidx::pg
