// The text of an expression over a row of a table.

#pragma once

#include "server/shim.h"

extern "C" {
#include "utils/rel.h"
}

namespace uuidx::pg {

/// The expression that `query` selects, which is SELECT and the text. 42601 unless that is one
/// expression and nothing else.
Node* parsed(const char* query, const char* text);

/// That expression over a row of the table, which it may call by the name `row`. The errors for
/// index expressions.
Node* analyzed(Relation table, Node* expression, const char* row);

}  // namespace uuidx::pg
