// Looks keys up in a table by a unique index, as the server does to check foreign keys.

#include "pg/lookup.h"
#include "pg/trigger.h"

#include "pg/shim.h"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_index.h"
#include "nodes/nodes.h"
#include "nodes/primnodes.h"
#include "utils/guc.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
}

namespace uuidx::pg {

namespace {

/// 42501 unless the current user may read all rows of the table.
void check_readable(Relation table) {
    const Oid relation = RelationGetRelid(table);
    const char* const name = RelationGetRelationName(table);
    const AclResult access = pg_class_aclcheck(relation, GetUserId(), ACL_SELECT);
    if (access != ACLCHECK_OK)
        aclcheck_error(access, OBJECT_TABLE, name);
    if (check_enable_rls(relation, InvalidOid, false) == RLS_ENABLED)
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("row security of table \"%s\" is active for you", name)));
}

/// Whether an index has every row in which a column is not null. The predicate is read as it is
/// stored: to simplify it could run code of the table's owner.
bool has_all_of(Relation index, AttrNumber column) {
    bool null;
    const Datum predicate =
        SysCacheGetAttr(INDEXRELID, index->rd_indextuple, Anum_pg_index_indpred, &null);
    if (null)
        return true;
    const auto* const test = static_cast<NullTest*>(stringToNode(TextDatumGetCString(predicate)));
    return IsA(test, NullTest) && test->nulltesttype == IS_NOT_NULL && IsA(test->arg, Var) &&
           reinterpret_cast<Var*>(test->arg)->varattno == column;
}

/// Whether an index finds every row by this column alone. A snapshot may be too old for an index,
/// as for the planner.
bool finds_by(Relation index, AttrNumber column) {
    const FormData_pg_index& form = *index->rd_index;
    if (index->rd_rel->relkind != RELKIND_INDEX || !form.indisunique || !form.indimmediate ||
        !form.indisvalid || form.indnkeyatts != 1 || form.indkey.values[0] != column ||
        index->rd_opfamily[0] != lookup_type_cache(UUIDOID, TYPECACHE_BTREE_OPFAMILY)->btree_opf)
        return false;
    if (form.indcheckxmin &&
        !TransactionIdPrecedes(HeapTupleHeaderGetXmin(index->rd_indextuple->t_data),
                               TransactionXmin))
        return false;
    return has_all_of(index, column);
}

/// The unique index that finds rows by this column; InvalidOid if there is none.
Oid index_on(Relation table, AttrNumber column) {
    List* const indexes = RelationGetIndexList(table);
    Oid found = InvalidOid;
    for (int i = 0; i < list_length(indexes) && !OidIsValid(found); ++i) {
        const Relation index = index_open(list_nth_oid(indexes, i), AccessShareLock);
        if (finds_by(index, column))
            found = RelationGetRelid(index);
        index_close(index, NoLock);
    }
    return found;
}

/// Locks a row FOR KEY SHARE. Returns its last version; null if it was deleted. 40001 if it was
/// changed since the snapshot of the transaction.
HeapTuple locked(Relation table, HeapTuple row, Snapshot snapshot) {
    const bool is_fixed = IsolationUsesXactSnapshot();
    TupleTableSlot* const slot = table_slot_create(table, nullptr);
    TM_FailureData failure;
    const TM_Result result =
        table_tuple_lock(table, &row->t_self, snapshot, slot, GetCurrentCommandId(false),
                         LockTupleKeyShare, LockWaitBlock,
                         TUPLE_LOCK_FLAG_LOCK_UPDATE_IN_PROGRESS |
                             (is_fixed ? 0 : TUPLE_LOCK_FLAG_FIND_LAST_VERSION),
                         &failure);
    if (is_fixed && (result == TM_Updated || result == TM_Deleted))
        ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
                        errmsg("could not serialize access due to concurrent update")));
    if (result != TM_Ok && result != TM_Deleted)
        elog(ERROR, "unexpected result of locking a row: %d", result);
    const HeapTuple last = result == TM_Ok ? ExecCopySlotHeapTuple(slot) : nullptr;
    ExecDropSingleTupleTableSlot(slot);
    return last;
}

/// Where rows are found, and whether to lock them.
struct Path {
    Relation table;
    Oid index;
    AttrNumber column;
    bool lock;
};

/// The row with a key; null if there is none. Sets `lost` if other transactions have deleted it or
/// changed its key until it could be locked: a new snapshot may show another row with the key.
///
/// A lock is for what is there now, and for what this statement itself has written.
HeapTuple row_of(const Path& path, const Uuid& key, bool* lost) {
    if (path.lock)
        CommandCounterIncrement();
    const Snapshot snapshot =
        RegisterSnapshot(path.lock ? GetTransactionSnapshot() : GetActiveSnapshot());
    ScanKeyData condition;
    ScanKeyInit(&condition, path.column, BTEqualStrategyNumber, F_UUID_EQ, datum(key));
    const SysScanDesc scan =
        systable_beginscan(path.table, path.index, true, snapshot, 1, &condition);
    const HeapTuple seen = systable_getnext(scan);
    HeapTuple row = nullptr;
    if (seen != nullptr)
        row = path.lock ? locked(path.table, seen, snapshot) : heap_copytuple(seen);
    if (row != nullptr && uuid_in(row, RelationGetDescr(path.table), path.column) != key)
        row = nullptr;
    *lost = seen != nullptr && row == nullptr;
    systable_endscan(scan);
    UnregisterSnapshot(snapshot);
    return row;
}

[[noreturn]] void report_no_index(const Lookup& columns) {
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("no unique index is on column \"%s\" of table \"%s\" alone",
                           columns.from, get_rel_name(columns.table))));
}

[[noreturn]] void report_unfilled(const Lookup& columns, const Uuid& key) {
    ereport(ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("column \"%s\" of table \"%s\" is not filled", columns.to,
                    get_rel_name(columns.table)),
             errdetail("Its value is NULL where %s is \"%s\".", columns.from, to_cstring(key))));
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
    return before;
}

void restore(const Role& role) {
    AtEOXact_GUC(false, role.settings);
    SetUserIdAndSecContext(role.user, role.context);
}

void check_referencing(Oid table, Oid referenced) {
    for (const AclMode privilege : {ACL_SELECT, ACL_REFERENCES}) {
        const AclResult access = pg_class_aclcheck(referenced, owner_of(table), privilege);
        if (access != ACLCHECK_OK)
            aclcheck_error(access, OBJECT_TABLE, get_rel_name(referenced));
    }
}

bool is_indexed(const Lookup& columns) {
    const Relation table = table_open(columns.table, AccessShareLock);
    const Oid index = index_on(table, uuid_column(RelationGetDescr(table), columns.from));
    table_close(table, NoLock);
    return OidIsValid(index);
}

std::optional<Uuid> look_up(const Lookup& columns, const Uuid& key) {
    const Relation table = table_open(columns.table, columns.lock ? RowShareLock : AccessShareLock);
    check_readable(table);
    const int from = uuid_column(RelationGetDescr(table), columns.from);
    const int to = uuid_column(RelationGetDescr(table), columns.to);
    const Path path{table, index_on(table, from), static_cast<AttrNumber>(from), columns.lock};
    if (!OidIsValid(path.index))
        report_no_index(columns);
    HeapTuple row;
    bool lost;
    do {
        CHECK_FOR_INTERRUPTS();
        row = row_of(path, key, &lost);
    } while (lost);
    std::optional<Uuid> found;
    if (row != nullptr) {
        found = uuid_in(row, RelationGetDescr(table), to);
        if (!found)
            report_unfilled(columns, key);
    }
    table_close(table, NoLock);
    return found;
}

/// uuidx_migrate_steps.lookup(map regclass, from_column name, to_column name, key uuid) returns uuid: the
/// value of to_column in the row of a table in which from_column is the key; the key itself if
/// there is none. The errors of look_up.
UUIDX_FUNCTION(uuidx_lookup) {
    const Lookup columns{PG_GETARG_OID(0), NameStr(*PG_GETARG_NAME(1)),
                         NameStr(*PG_GETARG_NAME(2))};
    const Uuid key = getarg_uuid(fcinfo, 3);
    return datum(look_up(columns, key).value_or(key));
}

}  // namespace uuidx::pg
