// Who may run a migration: the owner of the tables, in a session of that role.

#include "core/uuid.h"

#include "uuidx_migrate/runtime/owner.h"

#include "server/catalog_row.h"
#include "server/shim.h"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_database.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_index.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_trigger.h"
#include "nodes/nodeFuncs.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
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

/// The fixed parts of the rows that an index of a catalog finds by OIDs.
template <class Row>
List* rows_by(Oid catalog, Oid index, std::initializer_list<std::pair<AttrNumber, Oid>> columns) {
    ScanKeyData keys[2];
    int count = 0;
    for (const auto& [column, oid] : columns)
        ScanKeyInit(&keys[count++], column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(oid));
    const Relation table = table_open(catalog, AccessShareLock);
    const SysScanDesc scan = systable_beginscan(table, index, true, nullptr, count, keys);
    List* rows = NIL;
    for (HeapTuple row; (row = systable_getnext(scan)) != nullptr;)
        rows =
            lappend(rows, new (palloc(sizeof(Row))) Row{*reinterpret_cast<Row*>(GETSTRUCT(row))});
    systable_endscan(scan);
    table_close(table, AccessShareLock);
    return rows;
}

/// With arguments, a function that is not IMMUTABLE may run what a text or an OID names, as
/// query_to_xml and the input of domains do.
bool may_run_anything(Oid function, void*) {
    return func_volatile(function) != PROVOLATILE_IMMUTABLE && get_func_nargs(function) > 0;
}

bool calls_anything(Node* node, void* context) {
    return node != nullptr && (check_functions_in_node(node, may_run_anything, context) ||
                               walk_expression(node, calls_anything, context));
}

/// Whether the condition of a trigger, which its creator has written, may run code of anybody.
bool has_open_condition(Oid trigger) {
    const auto row = catalog_row(TriggerRelationId, trigger);
    return row && calls_anything(reinterpret_cast<Node*>(row->trees), nullptr);
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

/// 42501 if a trigger that an UPDATE of a table could fire runs code of a role that is neither the
/// current user nor a superuser nor trusted. A row may come into another partition by it, as if it
/// were deleted and inserted.
void check_triggers_of(Oid table, Oid trusted) {
    constexpr int16 writes = TRIGGER_TYPE_INSERT | TRIGGER_TYPE_UPDATE | TRIGGER_TYPE_DELETE;
    ListCell* cell;
    foreach (cell, triggers_of(table)) {
        const auto& trigger = *static_cast<Form_pg_trigger>(lfirst(cell));
        if (trigger.tgenabled == TRIGGER_DISABLED || (trigger.tgtype & writes) == 0)
            continue;
        const ObjectAddress code =
            code_of_others({TriggerRelationId, trigger.oid, 0}, GetUserId(), trusted);
        if (code.classId == TriggerRelationId)
            ereport(
                ERROR,
                (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                 errmsg("the condition of trigger \"%s\" of table \"%s\" calls a function that is "
                        "not IMMUTABLE, and may run any code",
                        NameStr(trigger.tgname), get_rel_name(table)),
                 errhint("Write the condition into the function of the trigger, or disable the "
                         "trigger until the migration is finished.")));
        if (OidIsValid(code.classId))
            ereport(
                ERROR,
                (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                 errmsg("trigger \"%s\" of table \"%s\" calls %s, which belongs to role \"%s\"",
                        NameStr(trigger.tgname), get_rel_name(table),
                        getObjectDescription(&code, false),
                        GetUserNameFromId(owner_of_object(code.classId, code.objectId), true)),
                 errhint("Disable the trigger until the migration is finished, or have it call "
                         "a function that the owner of the table or a superuser has written: an "
                         "UPDATE would run it with all your rights.")));
    }
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

List* triggers_of(Oid relation) {
    return rows_by<FormData_pg_trigger>(TriggerRelationId, TriggerRelidNameIndexId,
                                        {{Anum_pg_trigger_tgrelid, relation}});
}

List* evaluated_objects(Oid table) {
    List* objects = NIL;
    const auto add = [&](Oid catalog, Oid oid) {
        objects =
            lappend(objects, new (palloc(sizeof(ObjectAddress))) ObjectAddress{catalog, oid, 0});
    };
    add(RelationRelationId, table);
    ListCell* cell;
    foreach (cell,
             rows_by<FormData_pg_constraint>(ConstraintRelationId, ConstraintRelidTypidNameIndexId,
                                             {{Anum_pg_constraint_conrelid, table}}))
        add(ConstraintRelationId, static_cast<Form_pg_constraint>(lfirst(cell))->oid);
    foreach (cell, rows_by<FormData_pg_index>(IndexRelationId, IndexIndrelidIndexId,
                                              {{Anum_pg_index_indrelid, table}}))
        add(RelationRelationId, static_cast<Form_pg_index>(lfirst(cell))->indexrelid);
    foreach (cell, rows_by<FormData_pg_attrdef>(AttrDefaultRelationId, AttrDefaultIndexId,
                                                {{Anum_pg_attrdef_adrelid, table}}))
        add(AttrDefaultRelationId, static_cast<Form_pg_attrdef>(lfirst(cell))->oid);
    return objects;
}

ObjectAddress code_of_others(const ObjectAddress& object, Oid role, Oid trusted) {
    if (object.classId == TriggerRelationId && has_open_condition(object.objectId))
        return object;
    ObjectAddress found = InvalidObjectAddress;
    ListCell* cell;
    foreach (cell, rows_by<FormData_pg_depend>(DependRelationId, DependDependerIndexId,
                                               {{Anum_pg_depend_classid, object.classId},
                                                {Anum_pg_depend_objid, object.objectId}})) {
        const auto& entry = *static_cast<Form_pg_depend>(lfirst(cell));
        if (entry.refclassid == RelationRelationId)
            continue;
        const Oid owner = owner_of_object(entry.refclassid, entry.refobjid);
        // That of a partition has its condition from that of the partitioned table.
        if (entry.refclassid == TriggerRelationId)
            found = code_of_others({TriggerRelationId, entry.refobjid, 0}, role, trusted);
        else if (OidIsValid(owner) && owner != trusted && !is_safe_with(owner, role))
            ObjectAddressSet(found, entry.refclassid, entry.refobjid);
        if (OidIsValid(found.classId))
            break;
    }
    return found;
}

bool is_safe_with(Oid owner, Oid role) {
    // The one member of this role is the owner of the database.
    if (owner == ROLE_PG_DATABASE_OWNER)
        owner = owner_of_object(DatabaseRelationId, MyDatabaseId);
    return owner == role || superuser_arg(owner);
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

/// uuidx_migrate_steps.has_open_condition(trigger oid) returns boolean: whether the condition of a
/// trigger calls a function with arguments that is not IMMUTABLE.
UUIDX_FUNCTION(uuidx_has_open_condition) {
    return datum(has_open_condition(PG_GETARG_OID(0)));
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
        owner_of(DatumGetObjectId(relation));
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

/// uuidx_migrate_steps.check_triggers(relation oid, trust_owners boolean) returns void: 42501
/// unless what the triggers of a table run belongs to the user, to superusers or, if that is
/// trusted, to the owner of the table. Nothing for a view. A lock that writers take keeps others
/// from creating triggers.
UUIDX_FUNCTION(uuidx_check_triggers) {
    const Oid relation = PG_GETARG_OID(0);
    const char kind = get_rel_relkind(relation);
    if (kind == RELKIND_RELATION || kind == RELKIND_PARTITIONED_TABLE)
        check_triggers_of(relation, PG_GETARG_BOOL(1) ? owner_of(relation) : InvalidOid);
    PG_RETURN_VOID();
}

}  // namespace uuidx::pg
