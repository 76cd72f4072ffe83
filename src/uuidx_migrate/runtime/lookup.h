// Looks keys up in a table by a unique index, as the server does to check foreign keys.

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
/// keys. Code of the owner leaves nothing behind in the session, not even a setting, and no trigger
/// for the end of the transaction; only an UPDATE of the table does, as that of a foreign key.
/// Returns the role before.
enum class Access : bool { reads, writes };
Role become_owner(Oid table, Access access = Access::reads);
void restore(const Role& role);

/// 42501 unless the owner of the table may read the other one, and reference it.
void check_referencing(Oid table, Oid referenced);

/// A value, NULL as nullopt.
using Value = std::optional<Datum>;

/// A column of a key, and the value of its type, or of another one of the same operator family,
/// that a row has in it.
struct KeyPart {
    AttrNumber column;
    Datum value;
    Oid type;
};

/// The row of a table with this key; its column `to`, and the type that the caller knows it to
/// have, which is not a domain; whether to lock it FOR KEY SHARE; and whether the column may be
/// NULL there.
struct Lookup {
    Oid table;
    std::span<const KeyPart> key;
    AttrNumber to;
    Oid type;
    bool lock = false;
    bool may_be_null = false;
};

/// The text of a value of this type.
char* text_of(Datum value, Oid type);

/// Whether a unique index finds rows by these columns.
bool is_indexed(Oid table, std::span<const KeyPart> key);

/// The value of the column `to` in the row with the key; nullopt if there is no such row. Without a
/// lock, as the snapshot of the statement shows it. 42501 if the user may not read the table or row
/// security is active, 55000 without a unique index or if the column is NULL and may not be, 42804
/// if the column has another type by now.
std::optional<Value> look_up(const Lookup& lookup);

/// The same where it does not matter whether there is no row, or no value.
Value look_up_value(const Lookup& lookup);

}  // namespace uuidx::pg
