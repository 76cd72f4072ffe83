// What the catalogs tell about a column of UUIDs.

#pragma once

#include "uuidx/planner/time_functions.h"

namespace uuidx::pg {

struct ColumnFacts {
    /// Versions, no_version among them, that no CHECK constraint excludes from the table itself.
    Versions versions;
    /// The same for the rows of its children too: constraints with NO INHERIT do not count.
    Versions versions_inherited;
    /// Whether an index or the partition key has the column in the order of uuid_time_ops.
    bool in_time_order;
    /// Whether one has it in another order.
    bool in_other_order;
    /// Whether an index, the partition key or a CHECK constraint of the table has the time of a
    /// UUID in it, which the planner matches with predicates as they stand.
    bool has_time_expression;
    /// Whether the table itself has a valid NOT NULL constraint on the column.
    bool is_not_null;

    /// Whether an index or the partition key has the column.
    bool is_indexed() const { return in_time_order || in_other_order; }
};

/// The facts about a column of a table of the query that is planned. PostgreSQL gives the planner
/// the expressions of indexes and partition keys with their constant calls evaluated, and runs
/// functions of the table's owner for that: whoever does not query the table must not ask.
ColumnFacts facts_of(Oid table, AttrNumber column);

/// Those of `versions`, null_uuid among them, for which a condition on the column's table may be
/// true; a single one is left in any case.
Versions versions_left_by(Node* condition, AttrNumber column, Versions versions);

/// The versions, no_version among them, for which the condition of a CHECK constraint is false.
Versions versions_excluded_by(Node* condition, AttrNumber column);
Versions versions_excluded_by(const ConstrCheck& check, AttrNumber column);

/// Lets facts be forgotten when the table changes; called once, when the module is loaded.
void watch_tables();

}  // namespace uuidx::pg
