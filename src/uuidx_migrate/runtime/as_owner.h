// What runs as another role than the one whose statement it is part of.
//
// Code in a procedural language never does: no search_path and no restriction covers what a session
// keeps, such as the types that PL/pgSQL has looked up for the variables of a function.

#pragma once

#include "uuidx_migrate/runtime/owner.h"

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

}  // namespace uuidx::pg
