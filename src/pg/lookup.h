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

/// Goes on as the owner of a table, without row-level security, as the server does to check foreign
/// keys. With SECURITY_RESTRICTED_OPERATION in `context`, code of an owner who is another role
/// leaves nothing behind in the session, not even a setting. Returns the role before.
Role become_owner(Oid table, int context = 0);
void restore(const Role& role);

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
