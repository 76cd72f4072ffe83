// Who may run a migration: the owner of the tables, in a session of that role.

#include "core/uuid.h"

#include "uuidx_migrate/runtime/owner.h"

#include "server/shim.h"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_database.h"
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
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/syscache.h"
}

namespace uuidx::pg {

namespace {

/// Code that a session of this role runs has the rights of this role, and no way to any others: a
/// role that was set can be reset.
bool is_session_of(Oid role) {
    return GetUserId() == role && GetSessionUserId() == role && GetAuthenticatedUserId() == role;
}

/// The owner of an object of any kind; InvalidOid if it is gone, or if objects of its kind have no
/// owner but that of what they belong to.
Oid owner_of_object(Oid classid, Oid objid) {
    if (!is_objectclass_supported(classid))
        return InvalidOid;
    const AttrNumber column = get_object_attnum_owner(classid);
    if (column == InvalidAttrNumber)
        return InvalidOid;
    const Relation catalog = table_open(classid, AccessShareLock);
    const HeapTuple object =
        get_catalog_object_by_oid(catalog, get_object_attnum_oid(classid), objid);
    const Oid owner = HeapTupleIsValid(object)
                          ? DatumGetObjectId(*value_in(object, RelationGetDescr(catalog), column))
                          : InvalidOid;
    table_close(catalog, AccessShareLock);
    return owner;
}

/// Whether a role need not fear whoever owns something: it is the role itself or a superuser.
bool is_safe_with(Oid owner, Oid role) {
    // The one member of this role is the owner of the database.
    if (owner == ROLE_PG_DATABASE_OWNER)
        owner = owner_of_object(DatabaseRelationId, MyDatabaseId);
    return owner == role || superuser_arg(owner);
}

/// Whoever owns a schema can give another relation the name of one that is in it.
void check_name(Oid relation) {
    const Oid schema = get_rel_namespace(relation);
    const Oid owner = owner_of_object(NamespaceRelationId, schema);
    if (!is_safe_with(owner, GetUserId()))
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("schema \"%s\" of relation \"%s\" belongs to role \"%s\"",
                               get_namespace_name(schema), get_rel_name(relation),
                               GetUserNameFromId(owner, true)),
                        errhint("Give the schema to the owner of the relation or to a superuser, "
                                "or set trust_owners => true if you trust that role with all your "
                                "rights.")));
}

bool has_privileges(Oid role, Oid referenced) {
    return pg_class_aclcheck(referenced, role, ACL_SELECT) == ACLCHECK_OK &&
           pg_class_aclcheck(referenced, role, ACL_REFERENCES) == ACLCHECK_OK;
}

/// Whether row security may hide rows from a role. A look-up would show what a foreign key does
/// not: the new key, and in it the time, for each key that one can guess.
bool is_hidden(Oid role, Oid referenced) {
    return role != owner_of(referenced) && check_enable_rls(referenced, role, true) == RLS_ENABLED;
}

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

Oid owner_of(Oid relation) {
    const HeapTuple entry = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
    if (!HeapTupleIsValid(entry))
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
                        errmsg("relation with OID %u does not exist", relation)));
    const Oid owner = reinterpret_cast<Form_pg_class>(GETSTRUCT(entry))->relowner;
    ReleaseSysCache(entry);
    return owner;
}

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

void check_referencing(Oid table, Oid referenced) {
    const Oid owner = owner_of(table);
    if (!has_privileges(owner, referenced))
        aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(referenced));
    if (is_hidden(owner, referenced))
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("row security of table \"%s\" is active for role \"%s\"",
                               get_rel_name(referenced), GetUserNameFromId(owner, false)),
                        errhint("It owns table \"%s\", which references keys that it may not see.",
                                get_rel_name(table))));
}

/// uuidx_migrate_steps.is_session_of(role oid) returns boolean: whether the role is the current
/// user, the session user and the one who was authenticated.
UUIDX_FUNCTION(uuidx_is_session_of) {
    return datum(is_session_of(PG_GETARG_OID(0)));
}

/// uuidx_migrate_steps.is_safe_with(owner oid, role oid) returns boolean: whether a role need not
/// fear what another one owns: that is the role itself, or a superuser.
UUIDX_FUNCTION(uuidx_is_safe_with) {
    return datum(is_safe_with(PG_GETARG_OID(0), PG_GETARG_OID(1)));
}

/// uuidx_migrate_steps.owner_of(classid oid, objid oid) returns oid: the owner of an object of any
/// kind; NULL if it is gone or has no owner of its own.
UUIDX_FUNCTION(uuidx_owner_of) {
    const Oid owner = owner_of_object(PG_GETARG_OID(0), PG_GETARG_OID(1));
    if (!OidIsValid(owner))
        PG_RETURN_NULL();
    return datum(owner);
}

/// uuidx_migrate_steps.may_reference(relation regclass, key_table regclass) returns boolean:
/// whether check_referencing raises no error; NULL if the relation is gone.
UUIDX_FUNCTION(uuidx_may_reference) {
    const Oid relation = PG_GETARG_OID(0);
    const Oid key_table = PG_GETARG_OID(1);
    if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relation)))
        PG_RETURN_NULL();
    const Oid owner = owner_of(relation);
    return datum(has_privileges(owner, key_table) && !is_hidden(owner, key_table));
}

/// uuidx_migrate_steps.check_owner(relations regclass[], trust_owners boolean) returns void: 42501
/// unless this is a session of the owner of the relations and all their partitions, and their
/// schemas belong to that role or to superusers; or the user trusts whoever owns them.
UUIDX_FUNCTION(uuidx_check_owner) {
    if (PG_GETARG_BOOL(1))
        PG_RETURN_VOID();
    for (const Datum relation : elements(PG_GETARG_ARRAYTYPE_P(0), REGCLASSOID)) {
        List* const members = find_all_inheritors(DatumGetObjectId(relation), NoLock, nullptr);
        for (int n = 0; n < list_length(members); ++n) {
            const Oid member = list_nth_oid(members, n);
            const Oid owner = owner_of(member);
            if (!is_session_of(owner))
                ereport(ERROR,
                        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                         errmsg("this is not a session of the owner of relation \"%s\"",
                                get_rel_name(member)),
                         errhint("Connect as role \"%s\", or set trust_owners => true if you trust "
                                 "that role with all your rights.",
                                 GetUserNameFromId(owner, false))));
            check_name(member);
        }
    }
    PG_RETURN_VOID();
}

}  // namespace uuidx::pg
