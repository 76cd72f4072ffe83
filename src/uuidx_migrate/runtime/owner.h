// Who owns a table, and what that role may do.

#pragma once

#include "server/datum.h"

namespace uuidx::pg {

/// The owner of a relation; 42P01 if there is no such relation.
Oid owner_of(Oid relation);

/// Whether a role need not fear whoever owns something: it is the role itself or a superuser.
bool is_safe_with(Oid owner, Oid role);

/// 42501 unless the owner of the table may read all rows of the other one, and reference it.
void check_referencing(Oid table, Oid referenced);

}  // namespace uuidx::pg
