// What runs as the owner of a table for another role: what it could find by name.

#include "core/uuid.h"

#include "uuidx_migrate/runtime/as_owner.h"

#include "server/shim.h"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_namespace.h"
#include "commands/trigger.h"
#include "lib/stringinfo.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
}

namespace uuidx::pg {

namespace {

/// Whether a role and superusers alone can say what a name in a schema means.
bool is_safe_schema(Oid schema, Oid role) {
    const HeapTuple entry = SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(schema));
    if (!HeapTupleIsValid(entry))
        return false;
    bool is_safe =
        is_safe_with(reinterpret_cast<Form_pg_namespace>(GETSTRUCT(entry))->nspowner, role);
    bool null;
    const Datum privileges = SysCacheGetAttr(NAMESPACEOID, entry, Anum_pg_namespace_nspacl, &null);
    Acl* const acl = null ? nullptr : DatumGetAclP(privileges);
    for (int i = 0; acl != nullptr && i < ACL_NUM(acl); ++i) {
        const AclItem& item = ACL_DAT(acl)[i];
        is_safe &=
            (ACLITEM_GET_PRIVS(item) & ACL_CREATE) == 0 || is_safe_with(item.ai_grantee, role);
    }
    ReleaseSysCache(entry);
    return is_safe;
}

/// Whether the session has temporary objects.
bool has_temporary_objects() {
    Oid schema;
    Oid toast;
    GetTempNamespaceState(&schema, &toast);
    if (!OidIsValid(schema))
        return false;
    ScanKeyData keys[2];
    ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(NamespaceRelationId));
    ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(schema));
    const Relation catalog = table_open(DependRelationId, AccessShareLock);
    const SysScanDesc scan =
        systable_beginscan(catalog, DependReferenceIndexId, true, nullptr, 2, keys);
    const bool is_found = HeapTupleIsValid(systable_getnext(scan));
    systable_endscan(scan);
    table_close(catalog, AccessShareLock);
    return is_found;
}

/// Whether a table or one of its partitions has triggers but for ours and those of the server.
bool has_triggers(Oid table) {
    const Oid ours = get_namespace_oid("uuidx_migrate_steps", false);
    bool is_found = false;
    List* const members = find_all_inheritors(table, AccessShareLock, nullptr);
    for (int n = 0; n < list_length(members); ++n) {
        const Relation member = table_open(list_nth_oid(members, n), NoLock);
        const TriggerDesc* const triggers = member->trigdesc;
        for (int i = 0; triggers != nullptr && i < triggers->numtriggers; ++i)
            is_found |= !triggers->triggers[i].tgisinternal &&
                        get_func_namespace(triggers->triggers[i].tgfoid) != ours;
        table_close(member, NoLock);
    }
    return is_found;
}

/// 55000 if a name that triggers of the table do not find where their owner has meant it could be
/// that of a temporary object, which runs code of whoever has made it. No search_path is without
/// those.
void check_temporary_objects(Oid table) {
    if (has_triggers(table) && has_temporary_objects())
        ereport(ERROR,
                (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                 errmsg("triggers of table \"%s\" cannot run as its owner while the session has "
                        "temporary objects",
                        get_rel_name(table)),
                 errdetail("A reference is looked up again, as its key came later."),
                 errhint("Write the key before the reference, or drop the temporary objects.")));
}

/// What is left of the search_path for the current user, who runs code on behalf of another role:
/// that role has set it, and could put something of its own into the other schemas. What is in
/// pg_catalog comes first.
const char* safe_search_path() {
    StringInfoData path;
    initStringInfo(&path);
    List* const schemas = fetch_search_path(false);
    for (int i = 0; i < list_length(schemas); ++i) {
        const Oid schema = list_nth_oid(schemas, i);
        if (schema != PG_CATALOG_NAMESPACE && !isTempNamespace(schema) &&
            is_safe_schema(schema, GetUserId()))
            appendStringInfo(&path, "%s, ", quote_identifier(get_namespace_name(schema)));
    }
    appendStringInfoString(&path, "pg_temp");
    return path.data;
}

}  // namespace

Role become_owner(Oid table, Access access) {
    Role before;
    GetUserIdAndSecContext(&before.user, &before.context);
    const int restricted = access == Access::reads ? SECURITY_RESTRICTED_OPERATION : 0;
    SetUserIdAndSecContext(owner_of(table), before.context | restricted |
                                                SECURITY_LOCAL_USERID_CHANGE |
                                                SECURITY_NOFORCE_RLS);
    before.settings = NewGUCNestLevel();
    if (access == Access::writes && GetUserId() == before.user)
        return before;
    if (access == Access::writes)
        check_temporary_objects(table);
    set_config_option("search_path",
                      access == Access::reads ? "pg_catalog, pg_temp" : safe_search_path(),
                      PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
    return before;
}

void restore(const Role& role) {
    AtEOXact_GUC(false, role.settings);
    SetUserIdAndSecContext(role.user, role.context);
}

SPIPlanPtr planned(const char* query, Oid table, int count, Oid* parameters) {
    const SPIPlanPtr plan = SPI_prepare(query, count, parameters);
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
