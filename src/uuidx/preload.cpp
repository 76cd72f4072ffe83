// Whether new sessions load the library when they begin.

#include "core/uuid.h"

#include "uuidx/preload.h"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_authid_d.h"
#include "catalog/pg_db_role_setting.h"
#include "catalog/pg_type_d.h"
#include "commands/dbcommands.h"
#include "lib/stringinfo.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/varlena.h"
}

namespace uuidx::pg {

namespace {

/// The libraries that a setting names. SET ... = '' stores an empty name.
List* libraries_in(const char* setting) {
    List* libraries = NIL;
    if (setting != nullptr && !SplitDirectoriesString(pstrdup(setting), ',', &libraries))
        return NIL;
    ListCell* cell;
    foreach (cell, libraries)
        if (*static_cast<const char*>(lfirst(cell)) == '\0')
            libraries = foreach_delete_current(libraries, cell);
    return libraries;
}

/// Whether this library is among them: by its name or by its file.
bool has_this(List* libraries) {
    ListCell* cell;
    foreach (cell, libraries) {
        std::string_view name = static_cast<const char*>(lfirst(cell));
        name.remove_prefix(name.find_last_of("/\\") + 1);
        if (name == "uuidx" || name == "uuidx.so" || name == "uuidx.dylib" || name == "uuidx.dll")
            return true;
    }
    return false;
}

/// The value of session_preload_libraries for a role in a database; either may be InvalidOid, for
/// all. Null if there is none.
const char* setting_for(Relation settings, Oid database, Oid role) {
    constexpr std::string_view prefix = "session_preload_libraries=";
    ScanKeyData keys[2];
    ScanKeyInit(&keys[0], Anum_pg_db_role_setting_setdatabase, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(database));
    ScanKeyInit(&keys[1], Anum_pg_db_role_setting_setrole, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(role));
    const SysScanDesc scan =
        systable_beginscan(settings, DbRoleSettingDatidRolidIndexId, true, nullptr, 2, keys);
    const char* value = nullptr;
    if (const HeapTuple row = systable_getnext(scan); HeapTupleIsValid(row)) {
        if (const auto list =
                value_in(row, RelationGetDescr(settings), Anum_pg_db_role_setting_setconfig))
            for (const Datum item : elements(DatumGetArrayTypePCopy(*list), TEXTOID))
                if (const char* const setting = TextDatumGetCString(item);
                    strncmp(setting, prefix.data(), prefix.size()) == 0)
                    value = setting + prefix.size();
    }
    systable_endscan(scan);
    return value;
}

/// The value for new sessions of the current user. `command` becomes what changes it.
const char* setting_for_user(const char** command) {
    const char* const role = quote_identifier(GetUserNameFromId(GetUserId(), false));
    const char* const database = quote_identifier(get_database_name(MyDatabaseId));
    const char* const for_database = psprintf("ALTER DATABASE %s", database);
    const Relation settings = table_open(DbRoleSettingRelationId, AccessShareLock);
    const struct {
        Oid database, role;
        const char* command;
    } levels[] = {
        {MyDatabaseId, GetUserId(), psprintf("ALTER ROLE %s IN DATABASE %s", role, database)},
        {InvalidOid, GetUserId(), psprintf("ALTER ROLE %s", role)},
        {MyDatabaseId, InvalidOid, for_database},
        {InvalidOid, InvalidOid, for_database},
    };
    const char* value = nullptr;
    for (const auto& level : levels)
        if (value == nullptr) {
            value = setting_for(settings, level.database, level.role);
            *command = level.command;
        }
    table_close(settings, AccessShareLock);
    // Without a setting of its own, a new session begins as this one did.
    return value != nullptr ? value : session_preload_libraries_string;
}

}  // namespace

const char* preload_statement() {
    const char* command;
    List* const libraries = libraries_in(setting_for_user(&command));
    if (has_this(libraries) || has_this(libraries_in(shared_preload_libraries_string)))
        return nullptr;
    StringInfoData statement;
    initStringInfo(&statement);
    appendStringInfo(&statement, "%s SET session_preload_libraries = ", command);
    // Who may not read the setting learns only that it has others.
    if (libraries != NIL && !has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_SETTINGS))
        appendStringInfoString(&statement, "..., ");
    else
        for (int i = 0; i < list_length(libraries); ++i)
            appendStringInfo(&statement, "%s, ",
                             quote_literal_cstr(static_cast<const char*>(list_nth(libraries, i))));
    appendStringInfoString(&statement, "'uuidx'");
    return statement.data;
}

}  // namespace uuidx::pg
