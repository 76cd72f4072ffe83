// What the hooks remember of a query and its tables while the planner is at work on it.
//
// Extensions may append tables to a query at any time, put others in the place of those that it
// has, and plan queries of their own meanwhile. So memory belongs to a query and to a RelOptInfo,
// whose number in the range table only says where to look for it, and whoever remembers what
// depends on the size of a table remembers that size, too.

#pragma once

#include <optional>

#include "server/shim.h"

extern "C" {
#include "nodes/pathnodes.h"
}

namespace uuidx::pg {

/// The statistics of a column that the planner gets in place of its own.
struct Answer {
    AttrNumber column;
    /// Null if there are none.
    HeapTuple statistics;
    bool acl_ok = false;
};

/// Null if there is none for the column.
const Answer* find_answer(const List* answers, AttrNumber column);

/// A table with columns within bounds: see range_estimates.cpp.
struct Range {
    /// The size of the table when the rest was found out, except what is determined.
    double of_rows = -1;
    double of_tuples = -1;
    Bitmapset* columns = nullptr;
    /// Conditions on other columns, which those within bounds determine.
    List* determined = NIL;
    /// The table with the rows within all these bounds alone. estimate_num_groups() takes columns
    /// for those of one table only if they have the same pointer. Null while it is computed.
    RelOptInfo* rows = nullptr;
    List* answers = NIL;
    bool is_asking = false;
};

struct TableMemory {
    const RelOptInfo* table;
    /// The answers while the planner estimates the rows of the table: see row_estimates.cpp.
    List* answers = NIL;
    /// Null if nobody has asked for it.
    Range* range = nullptr;
};

/// What has been added to the conditions on a table, which may have no RelOptInfo yet.
struct Added {
    /// Arms of an OR made of lists.
    int arms = 0;
    /// How often bounds have been put beside a list or an OR.
    int bounds = 0;
};

struct QueryMemory {
    const PlannerInfo* root;
    /// Whether tables have ranges that are of use; nullopt if nobody has asked.
    std::optional<bool> has_ranges;
    /// By their numbers, as far as there were so many tables; null for those of which nothing is
    /// remembered.
    TableMemory** tables;
    Index size;
    /// By the numbers of tables, too.
    Added* added;
    Index size_of_added;
    QueryMemory* next;
    MemoryContextCallback forget;
};

/// The memory of a query, which lasts as long as what the planner makes of it.
QueryMemory& memory_of(PlannerInfo* root);

/// What has been added to a table of a query.
Added& added_to(PlannerInfo* root, Index table);

/// The memory of a table of a query.
TableMemory& memory_of(PlannerInfo* root, const RelOptInfo* table);

}  // namespace uuidx::pg
