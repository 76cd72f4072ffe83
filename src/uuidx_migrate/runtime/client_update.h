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

/// Whether the code that an UPDATE of a table and its partitions runs is that of a role whose code
/// the statement of the client runs anyway, by writing to another table: they belong to that role
/// or superusers, and so does what their triggers call, and the tables that reference them.
bool has_code_of(Oid table, Oid owner);

/// A plan of an UPDATE that names this table alone. 55000 if it names another relation: whoever
/// owns the schema can give the name to a table of his own, whose triggers and indexes run code.
SPIPlanPtr planned(const char* update, Oid table, int count, Oid* parameters);

}  // namespace uuidx::pg
