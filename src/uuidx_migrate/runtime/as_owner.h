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

/// Whether the current user can update a row of a table that a client has written before its key,
/// as the one whose statement this is, and with the privileges that it has anyway: it may read and
/// update all rows, and no function with the rights of its owner is at work.
bool may_update(Oid table);

/// Whether the code that an UPDATE of a table and its partitions runs is that of a role whose code
/// the statement of the client runs anyway, by writing to another table: their owners are that
/// role or superusers, and have let nobody else create triggers or foreign keys.
bool has_code_of(Oid table, Oid owner);

/// A plan of an UPDATE that names this table alone. 55000 if it names another relation: whoever
/// owns the schema can give the name to a table of his own, whose triggers and indexes run code.
SPIPlanPtr planned(const char* update, Oid table, int count, Oid* parameters);

}  // namespace uuidx::pg
