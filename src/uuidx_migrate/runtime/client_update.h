// What a client whose statement writes a key, or a reference before its key, updates itself.

#pragma once

#include "uuidx_migrate/runtime/owner.h"

extern "C" {
#include "executor/spi.h"
}

namespace uuidx::pg {

/// Whether the current user can update a row of a table that a client has written before its key,
/// as the one whose statement this is, and with the privileges that it has anyway: it may read and
/// update all rows, and no function with the rights of its owner is at work.
bool may_update(Oid table);

/// Whether an UPDATE of a table and its partitions runs no code but that of a migration, whose
/// trigger functions are in a schema, and what a role or superusers have written into constraints,
/// indexes and defaults. They belong to that role or to superusers, have no other triggers, and no
/// table references them.
bool is_plain(Oid table, Oid owner, Oid schema);

/// A plan of an UPDATE that names this table alone. 55000 if it names another relation: whoever
/// owns the schema can give the name to a table of his own, whose triggers and indexes run code.
SPIPlanPtr planned(const char* update, Oid table, int count, Oid* parameters);

}  // namespace uuidx::pg
