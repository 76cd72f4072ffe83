// What a client whose statement writes a key, or a reference before its key, updates itself.

#include "core/uuid.h"

#include "uuidx_migrate/runtime/client_update.h"

#include "server/shim.h"

extern "C" {
#include "catalog/pg_inherits.h"
#include "commands/trigger.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rls.h"
}

namespace uuidx::pg {

namespace {

/// Whether a trigger runs code of a role, a superuser or the current user, who fears nothing of its
/// own. The action of a foreign key runs the triggers of the table that references the key.
bool runs_code_of(const FormData_pg_trigger& trigger, Oid role) {
    if (RI_FKey_trigger_type(trigger.tgfoid) == RI_TRIGGER_PK)
        return OidIsValid(trigger.tgconstrrelid) &&
               is_safe_with(owner_of(trigger.tgconstrrelid), role);
    return !OidIsValid(code_of_others(trigger.oid, role, GetUserId()).classId);
}

bool has_code_of_one(Oid table, Oid owner) {
    bool is_safe = is_safe_with(owner_of(table), owner);
    ListCell* cell;
    foreach (cell, triggers_of(table))
        is_safe = is_safe && runs_code_of(*static_cast<Form_pg_trigger>(lfirst(cell)), owner);
    return is_safe;
}

}  // namespace

bool may_update(Oid table) {
    constexpr AclMode privileges = ACL_SELECT | ACL_UPDATE;
    return !InLocalUserIdChange() &&
           pg_class_aclmask(table, GetUserId(), privileges, ACLMASK_ALL) == privileges &&
           may_use_schema(get_rel_namespace(table)) &&
           check_enable_rls(table, InvalidOid, true) != RLS_ENABLED;
}

bool has_code_of(Oid table, Oid owner) {
    ListCell* cell;
    // With this lock, nobody creates a trigger or a foreign key until the transaction ends.
    foreach (cell, find_all_inheritors(table, RowExclusiveLock, nullptr))
        if (!has_code_of_one(lfirst_oid(cell), owner))
            return false;
    return true;
}

SPIPlanPtr planned(const char* update, Oid table, int count, Oid* parameters) {
    const SPIPlanPtr plan = SPI_prepare(update, count, parameters);
    const auto* const source =
        static_cast<CachedPlanSource*>(linitial(SPI_plan_get_plan_sources(plan)));
    bool is_other = source->relationOids == NIL;
    for (int i = 0; i < list_length(source->relationOids); ++i)
        is_other |= list_nth_oid(source->relationOids, i) != table;
    if (is_other)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("table \"%s\" has another name by now", get_rel_name(table))));
    return plan;
}

}  // namespace uuidx::pg
