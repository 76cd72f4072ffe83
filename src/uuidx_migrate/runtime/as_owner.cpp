// What runs as another role than the one whose statement it is part of.

#include "core/uuid.h"

#include "uuidx_migrate/runtime/as_owner.h"

#include "server/shim.h"

extern "C" {
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rls.h"
#include "utils/syscache.h"
}

namespace uuidx::pg {

namespace {

/// Whether an access control list gives a privilege to nobody but a role, superusers and the
/// current user, who fears nothing of its own.
bool gives_only(Datum list, AclMode privileges, Oid role) {
    const Acl* const acl = DatumGetAclP(list);
    for (int i = 0; i < ACL_NUM(acl); ++i)
        if (const AclItem& item = ACL_DAT(acl)[i]; (ACLITEM_GET_PRIVS(item) & privileges) != 0 &&
                                                   item.ai_grantee != GetUserId() &&
                                                   !is_safe_with(item.ai_grantee, role))
            return false;
    return true;
}

/// Whether a table belongs to a role or a superuser, and nobody else may create triggers or foreign
/// keys.
bool is_table_of(Oid table, Oid role) {
    const HeapTuple entry = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
    if (!HeapTupleIsValid(entry))
        return false;
    bool null;
    const Datum list = SysCacheGetAttr(RELOID, entry, Anum_pg_class_relacl, &null);
    const bool is_safe =
        is_safe_with(reinterpret_cast<Form_pg_class>(GETSTRUCT(entry))->relowner, role) &&
        (null || gives_only(list, ACL_TRIGGER | ACL_REFERENCES, role));
    ReleaseSysCache(entry);
    return is_safe;
}

}  // namespace

Role become_owner(Oid table) {
    Role before;
    GetUserIdAndSecContext(&before.user, &before.context);
    SetUserIdAndSecContext(owner_of(table), before.context | SECURITY_RESTRICTED_OPERATION |
                                                SECURITY_LOCAL_USERID_CHANGE |
                                                SECURITY_NOFORCE_RLS);
    return before;
}

void restore(const Role& role) {
    SetUserIdAndSecContext(role.user, role.context);
}

bool may_update(Oid table) {
    constexpr AclMode privileges = ACL_SELECT | ACL_UPDATE;
    return !InLocalUserIdChange() &&
           pg_class_aclmask(table, GetUserId(), privileges, ACLMASK_ALL) == privileges &&
           may_use_schema(get_rel_namespace(table)) &&
           check_enable_rls(table, InvalidOid, true) != RLS_ENABLED;
}

bool has_code_of(Oid table, Oid owner) {
    ListCell* cell;
    // With this lock, nobody creates a trigger until the transaction ends.
    foreach (cell, find_all_inheritors(table, RowExclusiveLock, nullptr))
        if (!is_table_of(lfirst_oid(cell), owner))
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
