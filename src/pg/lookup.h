// Looks keys up in a table, with plans that are saved for the session.

#pragma once

#include "pg/datum.h"

extern "C" {
#include "executor/spi.h"
}

namespace uuidx::pg {

/// A role and its restrictions, to go back to. An error resets them by itself.
struct Role {
    Oid user;
    int context;
};

/// Goes on as the owner of a table, without row-level security, as the server does to check foreign
/// keys; `context` adds restrictions. Returns the role before.
Role become_owner(Oid table, int context = 0);
void restore(const Role& role);

/// The name of a table with its schema, quoted.
const char* qualified_name(Oid table);

/// What a saved plan does.
enum class Purpose : std::int32_t { look_up, look_up_locked, refill };

/// Where the plan for this purpose, table and column is saved; null if there is none, or none that
/// is still valid. Inside of SPI_connect().
SPIPlanPtr& saved_plan(Purpose purpose, Oid table, const char* column);

/// A plan that can be saved, for a query with one parameter.
SPIPlanPtr prepared(const char* query, Oid parameter);

/// Two columns of a table, and whether to lock a row FOR KEY SHARE.
struct Lookup {
    Oid table;
    const char* from;
    const char* to;
    bool lock = false;
};

/// The value of `to` in the row in which `from` is `key`; nullopt if there is none. 55000 if that
/// value is NULL.
std::optional<Uuid> look_up(const Lookup& columns, const Uuid& key);

}  // namespace uuidx::pg
