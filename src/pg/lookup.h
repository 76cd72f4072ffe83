// Looks keys up in a table by a unique index, as the server does to check foreign keys.

#pragma once

#include "pg/datum.h"

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
/// keys. Code of the owner leaves nothing behind in the session, not even a setting, and no trigger
/// for the end of the transaction; only an UPDATE of the table does, as that of a foreign key.
/// Returns the role before.
enum class Access : bool { reads, writes };
Role become_owner(Oid table, Access access = Access::reads);
void restore(const Role& role);

/// 42501 unless the owner of the table may read the other one, and reference it.
void check_referencing(Oid table, Oid referenced);

/// Two columns of a table, and whether to lock a row FOR KEY SHARE.
struct Lookup {
    Oid table;
    const char* from;
    const char* to;
    bool lock = false;
};

/// Whether a unique index finds rows by `from`.
bool is_indexed(const Lookup& columns);

/// The value of `to` in the row in which `from` is `key`; nullopt if there is none. Without a lock,
/// as the snapshot of the statement shows it. 42703 unless these are columns of type uuid, 42501 if
/// the user may not read the table or row security is active, 55000 without a unique index, or if
/// the value is NULL.
std::optional<Uuid> look_up(const Lookup& columns, const Uuid& key);

}  // namespace uuidx::pg
