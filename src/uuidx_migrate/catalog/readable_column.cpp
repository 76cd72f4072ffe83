// A column whose values the current user may read, in a table and its partitions.

#include "core/uuid.h"

#include "uuidx_migrate/catalog/readable_column.h"

#include "server/shim.h"

extern "C" {
#include "catalog/pg_inherits.h"
#include "utils/rls.h"
#include "utils/syscache.h"
}

namespace uuidx::pg {

namespace {

/// 42501 unless the current user may read all values of a column.
void check_readable(Relation table, AttrNumber column) {
    const Oid relation = RelationGetRelid(table);
    if (pg_class_aclcheck(relation, GetUserId(), ACL_SELECT) != ACLCHECK_OK &&
        pg_attribute_aclcheck(relation, column, GetUserId(), ACL_SELECT) != ACLCHECK_OK)
        aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, RelationGetRelationName(table));
    if (check_enable_rls(relation, InvalidOid, true) == RLS_ENABLED)
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("row security of table \"%s\" is active for you",
                               RelationGetRelationName(table))));
}

/// Locks a table. 55P03 if another session has locked it: no role keeps others waiting by a lock on
/// what it owns. 42P01 if it is gone.
void lock(Oid table) {
    if (!ConditionalLockRelationOid(table, AccessShareLock))
        ereport(ERROR, (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
                        errmsg("another session has locked table \"%s\"", get_rel_name(table))));
    if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(table)))
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
                        errmsg("relation with OID %u does not exist", table)));
}

}  // namespace

ReadableColumn::ReadableColumn(Oid relation, const char* name) : name_{pstrdup(name)} {
    lock(relation);
    const Relation table = table_open(relation, NoLock);
    const TupleDesc columns = RelationGetDescr(table);
    const AttrNumber number = column_number(columns, name);
    check_readable(table, number);
    type_ = getBaseType(TupleDescAttr(columns, number - 1)->atttypid);
    tables_ = RelationGetForm(table)->relkind == RELKIND_PARTITIONED_TABLE
                  ? find_all_inheritors(relation, NoLock, nullptr)
                  : list_make1_oid(relation);
    ListCell* cell;
    foreach (cell, tables_)
        if (lfirst_oid(cell) != relation)
            lock(lfirst_oid(cell));
    table_close(table, NoLock);
}

Relation ReadableColumn::open(Oid oid) {
    const Relation table = table_open(oid, NoLock);
    const char kind = RelationGetForm(table)->relkind;
    if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
        ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
                        errmsg("\"%s\" is not a table", RelationGetRelationName(table))));
    return table;
}

void ReadableColumn::unlock() const {
    ListCell* cell;
    foreach (cell, tables_)
        UnlockRelationOid(lfirst_oid(cell), AccessShareLock);
}

}  // namespace uuidx::pg
