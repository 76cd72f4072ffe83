// What runs as another role than the one whose statement it is part of.

#include "core/uuid.h"

#include "uuidx_migrate/runtime/as_owner.h"

#include "server/shim.h"

extern "C" {
#include "catalog/pg_inherits.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
}

namespace uuidx::pg {

namespace {

Role become(Oid user, int restrictions) {
    Role before;
    GetUserIdAndSecContext(&before.user, &before.context);
    SetUserIdAndSecContext(user, before.context | restrictions);
    return before;
}

/// Whether all triggers and expressions of a table and its partitions are code of a role whose code
/// the client's statement runs anyway.
bool has_code_of(Oid table, Oid owner) {
    bool is_safe = true;
    ListCell* cell;
    foreach (cell, find_all_inheritors(table, AccessShareLock, nullptr))
        is_safe &= is_safe_with(owner_of(lfirst_oid(cell)), owner);
    return is_safe;
}

/// Whether the current user may read and update all rows of a table, which a statement names.
bool may_update(Oid table) {
    constexpr AclMode privileges = ACL_SELECT | ACL_UPDATE;
    return pg_class_aclmask(table, GetUserId(), privileges, ACLMASK_ALL) == privileges &&
           may_use_schema(get_rel_namespace(table)) &&
           check_enable_rls(table, InvalidOid, true) != RLS_ENABLED;
}

}  // namespace

Role become_owner(Oid table) {
    return become(owner_of(table), SECURITY_RESTRICTED_OPERATION | SECURITY_LOCAL_USERID_CHANGE |
                                       SECURITY_NOFORCE_RLS);
}

void restore(const Role& role) {
    SetUserIdAndSecContext(role.user, role.context);
}

std::optional<Role> become_updater(Oid table, Oid written) {
    if (may_update(table) && has_code_of(table, owner_of(written)))
        return become(GetUserId(), 0);
    if (procedural_code(table) != nullptr)
        return std::nullopt;
    return become(owner_of(table), SECURITY_LOCAL_USERID_CHANGE | SECURITY_NOFORCE_RLS);
}

const char* procedural_code(Oid table) {
    Oid type = REGCLASSOID;
    Datum argument = ObjectIdGetDatum(table);
    // As the catalogs are now: REPEATABLE READ may not see a trigger that fires.
    PushActiveSnapshot(GetLatestSnapshot());
    SPI_execute_with_args("SELECT c FROM uuidx_migrate_steps.procedural_code($1) AS c LIMIT 1", 1,
                          &type, &argument, nullptr, true, 0);
    PopActiveSnapshot();
    return SPI_processed == 0 ? nullptr
                              : SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
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
