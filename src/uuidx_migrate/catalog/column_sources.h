// Which columns of relations an expression stands for, in the query that it is in.

#pragma once

#include "server/shim.h"

namespace uuidx::pg {

/// A column of a relation; a system column has a negative number, and the row as a whole 0. Without
/// a relation, it is a value that is computed.
struct SourceColumn {
    Oid relation = InvalidOid;
    AttrNumber number = InvalidAttrNumber;
    std::string_view transition = {};  ///< "old" or "new" in a trigger, a rule or RETURNING

    bool operator==(const SourceColumn&) const = default;
};

/// Whether a column is one of these, each a SourceColumn.
bool is_among(const List* columns, const SourceColumn& column);

/// What a query returns in a column.
struct Returned {
    const Query* query;
    int column;
    List* columns;
};

/// A query, and the one around it.
struct Level {
    Query* query;
    const Level* outer;
    Oid relation;                 ///< whose OLD and NEW may occur
    List** known;                 ///< each Returned, as millions of ways may lead to a query
    Query* sub_select = nullptr;  ///< whose columns are parameters, in the comparison with it
};

/// What a Var is a column of, and the level where that is; null if it is not known.
const RangeTblEntry* entry_of(const Var* var, const Level** level);

/// The expression that a column of a join or of a grouped query stands for; null for another entry.
Node* alias_of(const RangeTblEntry* entry, AttrNumber column);

/// The columns, each a SourceColumn, whose value an expression has, whose type it takes on, or
/// whose rows; NIL if it computes the value.
List* passed(const Level* level, Node* node);

/// The same for a column that a query returns.
List* returned(Query* query, const Level* outer, int column);

/// The columns of a query in FROM, as a row.
List* row_of(Query* query, const Level* outer);

/// The rows that a join consists of, each as a whole.
List* rows_of(const Level* level, const RangeTblEntry* join);

}  // namespace uuidx::pg
