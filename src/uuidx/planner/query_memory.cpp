// What the hooks remember of a query and its tables while the planner is at work on it.

#include "uuidx/planner/query_memory.h"

namespace uuidx::pg {

namespace {

/// Of the queries that are planned, the one that was asked for last first: a function that the
/// planner calls, or another extension, may plan queries in the meantime.
QueryMemory* queries = nullptr;

/// Takes the memory of a query out of the list; null if it has none.
QueryMemory* take(const PlannerInfo* root) {
    QueryMemory** link = &queries;
    while (*link != nullptr && (*link)->root != root)
        link = &(*link)->next;
    QueryMemory* const query = *link;
    if (query != nullptr)
        *link = query->next;
    return query;
}

void forget(void* query) {
    take(static_cast<QueryMemory*>(query)->root);
}

/// Makes room for the numbers that the tables of a query have now.
void grow(QueryMemory& query, Index tables) {
    const Index size = Max(tables, 2 * query.size);
    auto** const grown = static_cast<TableMemory**>(palloc0(size * sizeof(TableMemory*)));
    std::copy(query.tables, query.tables + query.size, grown);
    query.tables = grown;
    query.size = size;
}

}  // namespace

const Answer* find_answer(const List* answers, AttrNumber column) {
    ListCell* cell;
    foreach (cell, answers)
        if (const auto* const answer = static_cast<Answer*>(lfirst(cell)); answer->column == column)
            return answer;
    return nullptr;
}

QueryMemory& memory_of(PlannerInfo* root) {
    QueryMemory* query = take(root);
    if (query == nullptr) {
        query =
            static_cast<QueryMemory*>(MemoryContextAlloc(root->planner_cxt, sizeof(QueryMemory)));
        *query = {root, std::nullopt, nullptr, 0, nullptr, 0, nullptr, {forget, query, nullptr}};
        MemoryContextRegisterResetCallback(root->planner_cxt, &query->forget);
    }
    query->next = queries;
    return *(queries = query);
}

Added& added_to(PlannerInfo* root, Index table) {
    QueryMemory& query = memory_of(root);
    if (table >= query.size_of_added) {
        const Index size = Max(static_cast<Index>(root->simple_rel_array_size), table + 1);
        auto* const grown =
            static_cast<Added*>(MemoryContextAllocZero(root->planner_cxt, size * sizeof(Added)));
        std::copy(query.added, query.added + query.size_of_added, grown);
        query.added = grown;
        query.size_of_added = size;
    }
    return query.added[table];
}

TableMemory& memory_of(PlannerInfo* root, const RelOptInfo* table) {
    QueryMemory& query = memory_of(root);
    // GEQO plans in a context that it resets.
    MemoryContext const before = MemoryContextSwitchTo(root->planner_cxt);
    if (table->relid >= query.size)
        grow(query, static_cast<Index>(root->simple_rel_array_size));
    TableMemory*& of_table = query.tables[table->relid];
    if (of_table == nullptr || of_table->table != table) {
        of_table = static_cast<TableMemory*>(palloc(sizeof(TableMemory)));
        *of_table = {table};
    }
    MemoryContextSwitchTo(before);
    return *of_table;
}

}  // namespace uuidx::pg
