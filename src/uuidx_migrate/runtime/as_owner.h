// What runs as the owner of a table for another role.

#pragma once

#include "uuidx_migrate/runtime/owner.h"

extern "C" {
#include "executor/spi.h"
}

namespace uuidx::pg {

/// A role, its restrictions and the nest level of its settings, to go back to. An error resets them
/// by itself.
struct Role {
    Oid user;
    int context;
    int settings;
};

/// Goes on as the owner of a table, without row-level security, as the server does to check foreign
/// keys; returns the role before. What reads is restricted as maintenance commands are: code of the
/// owner leaves nothing behind in the session, not even a setting, and no trigger for the end of
/// the transaction, and finds nothing by the search_path of the role before. What updates the table
/// runs as the action of a foreign key does, but that search_path is left without the schemas in
/// which others than the owner and superusers could put something.
enum class Access : bool { reads, writes };
Role become_owner(Oid table, Access access = Access::reads);
void restore(const Role& role);

/// A plan of a query that names this table alone. 55000 if it names another relation: whoever owns
/// the schema can give the name to a table of his own, whose triggers and indexes run code.
SPIPlanPtr planned(const char* query, Oid table, int count = 0, Oid* parameters = nullptr);

}  // namespace uuidx::pg
