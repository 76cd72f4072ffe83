// Who owns a table, and what runs as its owner.

#pragma once

#include "server/datum.h"

namespace uuidx::pg {

/// A role, its restrictions and the nest level of its settings, to go back to. An error resets them
/// by itself.
struct Role {
    Oid user;
    int context;
    int settings;
};

/// The owner of a relation; 42P01 if there is no such relation.
Oid owner_of(Oid relation);

/// Goes on as the owner of a table, without row-level security, as the server does to check foreign
/// keys; returns the role before. What reads is restricted as maintenance commands are: code of the
/// owner leaves nothing behind in the session, not even a setting, and no trigger for the end of
/// the transaction, and finds nothing by the search_path of the role before. What updates the table
/// runs as the action of a foreign key does, but that search_path is left without the schemas in
/// which others than the owner and superusers could put something.
enum class Access : bool { reads, writes };
Role become_owner(Oid table, Access access = Access::reads);
void restore(const Role& role);

/// 42501 unless the owner of the table may read all rows of the other one, and reference it.
void check_referencing(Oid table, Oid referenced);

}  // namespace uuidx::pg
