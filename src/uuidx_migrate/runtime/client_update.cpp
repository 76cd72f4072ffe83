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

/// Whether a trigger is one of the migration's, whose functions are in a schema of the extension,
/// or looks up the key that a row references. One that is the action of a foreign key would change
/// the rows of another table, with the triggers of that.
bool is_of_migration(const FormData_pg_trigger& trigger, Oid schema) {
    return get_func_namespace(trigger.tgfoid) == schema ||
           (OidIsValid(trigger.tgconstraint) &&
            RI_FKey_trigger_type(trigger.tgfoid) == RI_TRIGGER_FK);
}

bool is_plain_table(Oid table, Oid owner, Oid schema) {
    if (!is_safe_with(owner_of(table), owner))
        return false;
    List* objects = evaluated_objects(table);
    ListCell* cell;
    foreach (cell, triggers_of(table)) {
        const auto& trigger = *static_cast<Form_pg_trigger>(lfirst(cell));
        if (!is_of_migration(trigger, schema))
            return false;
        objects = lappend(objects, new (palloc(sizeof(ObjectAddress)))
                                       ObjectAddress{TriggerRelationId, trigger.oid, 0});
    }
    foreach (cell, objects) {
        const auto& object = *static_cast<ObjectAddress*>(lfirst(cell));
        if (OidIsValid(code_of_others(object, owner, InvalidOid).classId))
            return false;
    }
    return true;
}

}  // namespace

bool may_update(Oid table) {
    constexpr AclMode privileges = ACL_SELECT | ACL_UPDATE;
    return !InLocalUserIdChange() &&
           pg_class_aclmask(table, GetUserId(), privileges, ACLMASK_ALL) == privileges &&
           may_use_schema(get_rel_namespace(table)) &&
           check_enable_rls(table, InvalidOid, true) != RLS_ENABLED;
}

bool is_plain(Oid table, Oid owner, Oid schema) {
    ListCell* cell;
    // With this lock, nobody creates a trigger or a foreign key until the transaction ends.
    foreach (cell, find_all_inheritors(table, RowExclusiveLock, nullptr))
        if (!is_plain_table(lfirst_oid(cell), owner, schema))
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
