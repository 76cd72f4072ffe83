// Which columns of relations an expression stands for, in the query that it is in.

#include "core/uuid.h"

#include "uuidx_migrate/catalog/column_sources.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "nodes/parsenodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
}

namespace uuidx::pg {

namespace {

const Level* around(const Level* level, Index up) {
    for (; up > 0 && level != nullptr; --up)
        level = level->outer;
    return level;
}

/// A sub-query in FROM or WITH, and the level where it is; null for another entry.
Query* query_of(const RangeTblEntry* entry, const Level** level) {
    if (entry->rtekind != RTE_CTE)
        return entry->rtekind == RTE_SUBQUERY ? entry->subquery : nullptr;
    *level = around(*level, entry->ctelevelsup);
    ListCell* cell;
    if (*level != nullptr)
        foreach (cell, (*level)->query->cteList)
            if (auto* const with = lfirst_node(CommonTableExpr, cell);
                strcmp(with->ctename, entry->ctename) == 0)
                return castNode(Query, with->ctequery);
    return nullptr;
}

List* one(const SourceColumn& column) {
    return list_make1(new (palloc(sizeof(SourceColumn))) SourceColumn{column});
}

List* column_of(const Level* level, const RangeTblEntry* entry, SourceColumn column) {
    if (column.transition.empty() && entry->relid == level->relation && !entry->inFromCl &&
        entry->alias != nullptr)
        for (const std::string_view row : {"old", "new"})
            if (entry->alias->aliasname == row)
                column.transition = row;
    return one(column);
}

/// Columns, and those of others that are not among them.
List* united(List* columns, const List* others) {
    ListCell* cell;
    foreach (cell, others)
        if (!is_among(columns, *static_cast<SourceColumn*>(lfirst(cell))))
            columns = lappend(columns, lfirst(cell));
    return columns;
}

/// The columns that are merged into one; NIL if one of the expressions computes a value.
List* merged(const Level* level, const List* expressions, bool by_join) {
    List* columns = NIL;
    ListCell* cell;
    foreach (cell, expressions) {
        auto* const node = static_cast<Node*>(lfirst(cell));
        List* const more = passed(level, by_join ? strip_implicit_coercions(node) : node);
        if (more == NIL)
            return NIL;
        columns = united(columns, more);
    }
    return columns;
}

List* passed_by_var(const Level* level, const Var* var) {
    const RangeTblEntry* const entry = entry_of(var, &level);
    const AttrNumber column = var->varattno;
    if (entry == nullptr)
        return NIL;
    if (entry->rtekind == RTE_RELATION)
        return column_of(level, entry, {entry->relid, column, returned_row(var)});
    if (Query* const query = query_of(entry, &level); query != nullptr)
        return column == InvalidAttrNumber ? row_of(query, level) : returned(query, level, column);
    if (entry->rtekind == RTE_JOIN && column == InvalidAttrNumber)
        return rows_of(level, entry);
    // What USING casts it casts to another type then.
    Node* const alias = strip_implicit_coercions(alias_of(entry, column));
    if (entry->rtekind == RTE_JOIN && alias != nullptr && IsA(alias, CoalesceExpr))
        return merged(level, castNode(CoalesceExpr, alias)->args, true);
    return passed(level, alias);
}

}  // namespace

bool is_among(const List* columns, const SourceColumn& column) {
    ListCell* cell;
    foreach (cell, columns)
        if (*static_cast<SourceColumn*>(lfirst(cell)) == column)
            return true;
    return false;
}

const RangeTblEntry* entry_of(const Var* var, const Level** level) {
    *level = around(*level, var->varlevelsup);
    const int number = static_cast<int>(var->varno);
    if (*level == nullptr || number < 1 || number > list_length((*level)->query->rtable))
        return nullptr;
    return rt_fetch(number, (*level)->query->rtable);
}

Node* alias_of(const RangeTblEntry* entry, AttrNumber column) {
    const List* const aliases =
        entry->rtekind == RTE_JOIN ? entry->joinaliasvars : grouped_expressions(entry);
    if (column < 1 || column > list_length(aliases))
        return nullptr;
    return static_cast<Node*>(list_nth(aliases, column - 1));
}

List* passed(const Level* level, Node* node) {
    // In WITH, thousands of queries may each pass on what the one before returns.
    check_stack_depth();
    CHECK_FOR_INTERRUPTS();
    if (node == nullptr)
        return NIL;
    if (IsA(node, Var))
        return passed_by_var(level, castNode(Var, node));
    if (IsA(node, Param) && castNode(Param, node)->paramkind == PARAM_SUBLINK)
        return level->sub_select == nullptr
                   ? NIL
                   : returned(level->sub_select, level, castNode(Param, node)->paramid);
    if (IsA(node, SubLink) && castNode(SubLink, node)->subLinkType == EXPR_SUBLINK)
        return returned(castNode(Query, castNode(SubLink, node)->subselect), level, 1);
    if (IsA(node, CoalesceExpr))
        return merged(level, castNode(CoalesceExpr, node)->args, false);
    return NIL;
}

List* returned(Query* query, const Level* outer, int column) {
    ListCell* cell;
    foreach (cell, *outer->known)
        if (const auto& known = *static_cast<Returned*>(lfirst(cell));
            known.query == query && known.column == column)
            return list_copy(known.columns);
    const TargetEntry* const entry =
        get_tle_by_resno(query->targetList, static_cast<AttrNumber>(column));
    if (query->commandType != CMD_SELECT || query->setOperations != nullptr || entry == nullptr)
        return NIL;
    const Level level{query, outer, outer->relation, outer->known};
    List* const columns = passed(&level, reinterpret_cast<Node*>(entry->expr));
    *outer->known =
        lappend(*outer->known, new (palloc(sizeof(Returned))) Returned{query, column, columns});
    return list_copy(columns);
}

List* row_of(Query* query, const Level* outer) {
    List* columns = one({});
    for (int column = 1; column <= list_length(query->targetList); ++column)
        columns = united(columns, returned(query, outer, column));
    return columns;
}

List* rows_of(const Level* level, const RangeTblEntry* join) {
    List* rows = NIL;
    ListCell* cell;
    foreach (cell, pull_var_clause(reinterpret_cast<Node*>(join->joinaliasvars), 0)) {
        Var row = *lfirst_node(Var, cell);
        row.varattno = InvalidAttrNumber;
        rows = list_concat(rows, passed(level, reinterpret_cast<Node*>(&row)));
    }
    return rows;
}

}  // namespace uuidx::pg
