// What runs as another role than the one whose statement it is part of.
//
// Code in a procedural language never does: no search_path and no restriction covers what a session
// keeps, such as the types that PL/pgSQL has looked up for the variables of a function.

#pragma once

#include "uuidx_migrate/runtime/owner.h"

extern "C" {
#include "executor/spi.h"
}

namespace uuidx::pg {

/// A role and its restrictions, to go back to. An error does so by itself.
struct Role {
    Oid user;
    int context;
};

/// Goes on as the owner of a table, to look rows up by an index: no query is planned and no
/// expression evaluated until `restore`. Row-level security does not apply, as when the server
/// checks a foreign key. Returns the role before.
Role become_owner(Oid table);
void restore(const Role& role);

/// Goes on as a role that can update rows of a table which a client has written before their keys:
/// the current user, who may do so with the privileges of a client, or the owner of the table,
/// unless code in a procedural language would run. `written` is the table that the client's
/// statement writes to, and whose owner's code it runs. nullopt if neither can.
std::optional<Role> become_updater(Oid table, Oid written);

/// Code that an UPDATE of a table as its owner would run, in words; null if it is none but
/// PostgreSQL's own and ours.
const char* procedural_code(Oid table);

/// A plan of an UPDATE that names this table alone. 55000 if it names another relation: whoever
/// owns the schema can give the name to a table of his own, whose triggers and indexes run code.
SPIPlanPtr planned(const char* update, Oid table, int count, Oid* parameters);

}  // namespace uuidx::pg
