// The text of an expression over a row of a table.

#pragma once

#include "server/shim.h"

extern "C" {
#include "utils/rel.h"
}

namespace uuidx::pg {

/// Opens a table, whose lock stays until the transaction ends. 42501 for a user without any
/// privilege on the table, who must not keep a lock on it.
Relation open_with_privilege(Oid relation);

/// The expression over a row of the table, which it may call by the name `row`, that `query`
/// selects, which is SELECT and the text. 42601 unless that is one expression and nothing else; and
/// the errors for index expressions.
Node* expression_over(Relation table, const char* row, const char* query, const char* text);

}  // namespace uuidx::pg
