// Who owns a table, and what that role may do.

#pragma once

#include "server/datum.h"

extern "C" {
#include "catalog/objectaddress.h"
#include "catalog/pg_trigger.h"
}

namespace uuidx::pg {

/// The owner of a relation; 42P01 if there is no such relation.
Oid owner_of(Oid relation);

/// Whether a role need not fear whoever owns something: it is the role itself or a superuser.
bool is_safe_with(Oid owner, Oid role);

/// The triggers of a table, as rows of pg_trigger.
List* triggers_of(Oid table);

/// A table, with the types of its columns, and its constraints, indexes and defaults: what an
/// UPDATE may evaluate.
List* evaluated_objects(Oid table);

/// What an object depends on and calls that belongs to none of two roles and no superuser: of a
/// trigger, its function, or what is in its condition; the trigger itself if that may call
/// anything. InvalidObjectAddress if there is nothing.
ObjectAddress code_of_others(const ObjectAddress& object, Oid role, Oid other);

/// 42501 unless the owner of the table may read all rows of the other one, and reference it.
void check_referencing(Oid table, Oid referenced);

}  // namespace uuidx::pg
