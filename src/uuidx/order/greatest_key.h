// The greatest version 7 key in the tables of a database.

#pragma once

#include "core/uuid.h"

#include "server/shim.h"

namespace uuidx::pg {

/// The greatest version 7 key that any column of the database has, of those whose default calls
/// uuid_generate_v7() or which a CHECK constraint proves to have no other time-ordered version.
/// Whether a transaction has committed it makes no difference, nor whether the user may read the
/// table. Runs no code of the tables' owners, and waits for no lock. Warns of tables that another
/// session has locked, of columns with which no index begins, unless it is to read their tables as
/// a whole, and of tables that have keys from `end` on, and ignores these.
std::optional<Uuid> greatest_v7_key(const Uuid& end, bool read_tables);

}  // namespace uuidx::pg
