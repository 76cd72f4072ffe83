// Hash tables of expressions, for queries that have thousands.

#pragma once

#include "server/shim.h"

extern "C" {
#include "utils/hsearch.h"
}

namespace uuidx::pg {

struct ExpressionKey {
    Oid family;
    Node* expression;
};

/// A table whose entries, of this size, begin with an ExpressionKey. It is in the memory of whoever
/// calls this.
HTAB* table_of_expressions(Size entry);

/// Enters an expression of no family. Returns whether it was not yet in the table.
bool enter(HTAB* table, Node* expression);

}  // namespace uuidx::pg
