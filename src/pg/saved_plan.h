// Plans that a session keeps for the queries of its triggers.

#pragma once

#include <span>

#include "pg/datum.h"

extern "C" {
#include "executor/spi.h"
}

namespace uuidx::pg {

/// The plan for a query, inside of SPI_connect(). Queries with parameters of other types must have
/// other texts.
///
/// A trigger that the query fires may need the same plan, so only the server makes it anew: from
/// the names in the query, which are those that the caller sees now.
SPIPlanPtr saved_plan(const char* query, std::span<const Oid> parameters);

/// The name of a table with its schema, quoted.
const char* qualified_name(Oid table);

}  // namespace uuidx::pg
