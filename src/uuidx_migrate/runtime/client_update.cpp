// What a client whose statement writes a key, or a reference before its key, updates itself.

#include "core/uuid.h"

#include "uuidx_migrate/runtime/client_update.h"

#include "server/shim.h"

extern "C" {
#include "catalog/pg_attribute.h"
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

/// Whether the access control list of a catalog's row gives a privilege to nobody but a role,
/// superusers and the current user, who fears nothing of its own.
bool gives_only(int cache, HeapTuple entry, AttrNumber list_column, AclMode privileges, Oid role) {
    bool null;
    const Datum list = SysCacheGetAttr(cache, entry, list_column, &null);
    if (null)
        return true;
    const Acl* const acl = DatumGetAclP(list);
    for (int i = 0; i < ACL_NUM(acl); ++i)
        if (const AclItem& item = ACL_DAT(acl)[i]; (ACLITEM_GET_PRIVS(item) & privileges) != 0 &&
                                                   item.ai_grantee != GetUserId() &&
                                                   !is_safe_with(item.ai_grantee, role))
            return false;
    return true;
}

/// Whether nobody else may create foreign keys to single columns of a table.
bool gives_no_column(Oid table, int count, Oid role) {
    bool is_safe = true;
    for (int n = 1; n <= count && is_safe; ++n) {
        const HeapTuple entry = SearchSysCache2(ATTNUM, ObjectIdGetDatum(table), Int16GetDatum(n));
        if (!HeapTupleIsValid(entry))
            continue;
        is_safe = gives_only(ATTNUM, entry, Anum_pg_attribute_attacl, ACL_REFERENCES, role);
        ReleaseSysCache(entry);
    }
    return is_safe;
}

/// Whether a table belongs to a role or a superuser, and nobody else may create triggers or foreign
/// keys.
bool is_table_of(Oid table, Oid role) {
    const HeapTuple entry = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
    if (!HeapTupleIsValid(entry))
        return false;
    const auto& form = *reinterpret_cast<Form_pg_class>(GETSTRUCT(entry));
    const bool is_safe =
        is_safe_with(form.relowner, role) &&
        gives_only(RELOID, entry, Anum_pg_class_relacl, ACL_TRIGGER | ACL_REFERENCES, role) &&
        gives_no_column(table, form.relnatts, role);
    ReleaseSysCache(entry);
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
