// What a node of an expression calls, without what is in it.

#pragma once

#include "server/shim.h"

namespace uuidx::pg {

/// The functions that a node calls, without those behind operators.
List* functions_of(Node* node);

/// The operators that a node calls, without those behind GROUP BY and ORDER BY.
List* operators_of(Node* node);

/// Those that the text of the expression does not name: search_path decides which ones of their
/// name they are. They are behind IS DISTINCT FROM, NULLIF, CASE with an argument, and USING; of a
/// comparison of rows, all but that of the first columns.
List* unnamed_operators_of(Node* node);

}  // namespace uuidx::pg
