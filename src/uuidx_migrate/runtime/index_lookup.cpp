// Looks keys up in a table by a unique index, as the server does to check foreign keys.

#include "uuidx_migrate/runtime/index_lookup.h"

#include "server/trigger.h"

#include "server/shim.h"

extern "C" {
#include "access/genam.h"
#include "access/nbtree.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_index.h"
#include "nodes/nodes.h"
#include "nodes/primnodes.h"
#include "parser/parse_coerce.h"
#include "storage/bufmgr.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
}

namespace uuidx::pg {

namespace {

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

/// Compares values of a column of an index with values of another type, by PostgreSQL's own code.
/// InvalidOid if that needs a cast, which somebody may have written.
Oid equality(Relation index, int column, Oid type) {
    const Oid family = index->rd_opfamily[column];
    const Oid input = index->rd_opcintype[column];
    Oid found = get_opfamily_member(family, input, type, BTEqualStrategyNumber);
    if (!OidIsValid(found) && IsBinaryCoercible(type, input))
        found = get_opfamily_member(family, input, input, BTEqualStrategyNumber);
    const Oid function = OidIsValid(found) ? get_opcode(found) : InvalidOid;
    return function < FirstNormalObjectId ? function : InvalidOid;
}

/// Whether the transaction may use an index: a snapshot may be too old for it, as for the planner.
bool is_usable(Relation index) {
    const FormData_pg_index& form = *index->rd_index;
    return index->rd_rel->relkind == RELKIND_INDEX && form.indisvalid &&
           (!form.indcheckxmin ||
            TransactionIdPrecedes(HeapTupleHeaderGetXmin(index->rd_indextuple->t_data),
                                  TransactionXmin));
}

const KeyPart* part_of(std::span<const KeyPart> key, AttrNumber column) {
    const auto part = std::ranges::find(key, column, &KeyPart::column);
    return part == key.end() ? nullptr : &*part;
}

/// Whether an index finds every row by these columns alone.
bool finds_by(Relation index, std::span<const KeyPart> key) {
    const FormData_pg_index& form = *index->rd_index;
    if (!is_usable(index) || !form.indisunique || !form.indimmediate ||
        form.indnkeyatts != static_cast<int>(key.size()))
        return false;
    for (int i = 0; i < form.indnkeyatts; ++i) {
        const KeyPart* const part = part_of(key, form.indkey.values[i]);
        const TypeCacheEntry* const column =
            lookup_type_cache(index->rd_opcintype[i], TYPECACHE_BTREE_OPFAMILY);
        if (part == nullptr || index->rd_opfamily[i] != column->btree_opf ||
            !OidIsValid(equality(index, i, part->type)))
            return false;
    }
    return has_all_of(index, key.front().column);
}

KeyIndex key_index_of(Relation index, std::span<const KeyPart> key) {
    KeyIndex found{RelationGetRelid(index), index->rd_index->indnkeyatts, {}};
    for (int i = 0; i < found.count; ++i) {
        const KeyPart& part = *part_of(key, index->rd_index->indkey.values[i]);
        ScanKeyEntryInitialize(
            &found.conditions[i], 0, part.column, BTEqualStrategyNumber,
            IsBinaryCoercible(part.type, index->rd_opcintype[i]) ? InvalidOid : part.type,
            index->rd_indcollation[i], equality(index, i, part.type), Datum{0});
    }
    return found;
}

/// How a unique index finds a row by these columns; nullopt if there is none.
std::optional<KeyIndex> find_key_index(Relation table, std::span<const KeyPart> key) {
    std::optional<KeyIndex> found;
    List* const indexes = RelationGetIndexList(table);
    for (int i = 0; i < list_length(indexes) && !found; ++i) {
        const Relation index = index_open(list_nth_oid(indexes, i), AccessShareLock);
        if (finds_by(index, key))
            found = key_index_of(index, key);
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

/// Whether a row has the key, as far as `conditions` say. Their columns are those of the table.
bool has_key(HeapTuple row, TupleDesc columns, std::span<ScanKeyData> conditions) {
    return std::ranges::all_of(conditions, [&](ScanKeyData& condition) {
        const auto value = value_in(row, columns, condition.sk_attno);
        return value && DatumGetBool(FunctionCall2Coll(&condition.sk_func, condition.sk_collation,
                                                       *value, condition.sk_argument));
    });
}

/// The row that the index finds; null if there is none. Sets `lost` if other transactions have
/// deleted it or changed its key until it could be locked: a new snapshot may show another row with
/// the key.
///
/// A lock is for what is there now, and for what this statement itself has written.
HeapTuple row_of(const Lookup& lookup, Relation table, const KeyIndex& index, bool* lost) {
    if (lookup.lock)
        CommandCounterIncrement();
    const Snapshot snapshot =
        RegisterSnapshot(lookup.lock ? GetTransactionSnapshot() : GetActiveSnapshot());
    ScanKeyData conditions[INDEX_MAX_KEYS];
    std::copy_n(index.conditions, index.count, conditions);
    for (int i = 0; i < index.count; ++i) {
        conditions[i].sk_func.fn_mcxt = CurrentMemoryContext;
        conditions[i].sk_argument = part_of(lookup.key, conditions[i].sk_attno)->value;
    }
    ScanKeyData searched[INDEX_MAX_KEYS];  // the scan numbers the columns as the index does
    std::copy_n(conditions, index.count, searched);
    const SysScanDesc scan =
        systable_beginscan(table, index.oid, true, snapshot, index.count, searched);
    const HeapTuple seen = systable_getnext(scan);
    HeapTuple row = nullptr;
    if (seen != nullptr)
        row = lookup.lock ? locked(table, seen, snapshot) : heap_copytuple(seen);
    if (row != nullptr && lookup.lock &&
        !has_key(row, RelationGetDescr(table), {conditions, conditions + index.count}))
        row = nullptr;
    *lost = seen != nullptr && row == nullptr;
    systable_endscan(scan);
    UnregisterSnapshot(snapshot);
    return row;
}

/// The value, in memory that outlasts the table's lock.
Datum detoasted(Datum value, const FormData_pg_attribute& column) {
    return column.attlen == -1 ? PointerGetDatum(PG_DETOAST_DATUM(value)) : value;
}

}  // namespace

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

KeyIndex key_index(Relation table, std::span<const KeyPart> key) {
    const std::optional<KeyIndex> found = find_key_index(table, key);
    if (!found)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("no unique index is on column \"%s\" of table \"%s\" alone",
                               get_attname(RelationGetRelid(table), key.front().column, false),
                               RelationGetRelationName(table)),
                        errdetail("Keys are looked up by it while they are migrated."),
                        errhint("Create one that is not deferrable and has no predicate.")));
    return *found;
}

std::optional<Value> look_up(const Lookup& lookup, Relation table, const KeyIndex& index) {
    HeapTuple row;
    bool lost;
    do {
        CHECK_FOR_INTERRUPTS();
        row = row_of(lookup, table, index, &lost);
    } while (lost);
    std::optional<Value> found;
    if (row != nullptr) {
        const TupleDesc columns = RelationGetDescr(table);
        found = value_in(row, columns, lookup.to);
        if (*found)
            *found = detoasted(**found, *TupleDescAttr(columns, lookup.to - 1));
    }
    table_close(table, NoLock);
    if (found && !*found && !lookup.may_be_null) {
        const KeyPart& key = lookup.key.front();
        ereport(
            ERROR,
            (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
             errmsg("column \"%s\" of table \"%s\" is not filled",
                    get_attname(lookup.table, lookup.to, false), get_rel_name(lookup.table)),
             errdetail("Its value is NULL where %s is \"%s\".",
                       get_attname(lookup.table, key.column, false), text_of(key.value, key.type)),
             errhint("Run the script of the migration from the top.")));
    }
    return found;
}

bool is_indexed(Oid relation, std::span<const KeyPart> key) {
    const Relation table = table_open(relation, AccessShareLock);
    const bool is_found = find_key_index(table, key).has_value();
    table_close(table, NoLock);
    return is_found;
}

std::optional<Value> look_up(const Lookup& lookup) {
    const Relation table = table_open(lookup.table, lookup.lock ? RowShareLock : AccessShareLock);
    check_readable(table);
    // Code of the statement may have changed the table since its columns were looked for.
    const TupleDesc columns = RelationGetDescr(table);
    if (getBaseType(TupleDescAttr(columns, lookup.to - 1)->atttypid) != lookup.type)
        ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                        errmsg("column %d of table \"%s\" is not of type %s any more", lookup.to,
                               RelationGetRelationName(table), format_type_be(lookup.type))));
    return look_up(lookup, table, key_index(table, lookup.key));
}

Value look_up_value(const Lookup& lookup) {
    return look_up(lookup).value_or(std::nullopt);
}

Comparison::Comparison(const FormData_pg_attribute& column, Oid other)
    : type{other}, collation{column.attcollation} {
    const Oid base = getBaseType(column.atttypid);
    const TypeCacheEntry* const entry = lookup_type_cache(base, TYPECACHE_BTREE_OPFAMILY);
    family = entry->btree_opf;
    input = entry->btree_opintype;
    if (!OidIsValid(get_opfamily_member(family, input, type, BTEqualStrategyNumber)) &&
        IsBinaryCoercible(type, input))
        type = input;
    const Oid equality = get_opfamily_member(family, input, type, BTEqualStrategyNumber);
    if (!OidIsValid(equality) || get_opcode(equality) >= FirstNormalObjectId)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
                        errmsg("PostgreSQL does not compare type %s with type %s",
                               format_type_be(base), format_type_be(other))));
}

ScanKeyData Comparison::is(AttrNumber column, Datum value) const {
    ScanKeyData condition;
    ScanKeyEntryInitialize(
        &condition, 0, column, BTEqualStrategyNumber, type == input ? InvalidOid : type, collation,
        get_opcode(get_opfamily_member(family, input, type, BTEqualStrategyNumber)), value);
    return condition;
}

FmgrInfo Comparison::order(Oid with) const {
    FmgrInfo function;
    fmgr_info(get_opfamily_proc(family, type, with, BTORDER_PROC), &function);
    return function;
}

Oid index_by(Relation table, AttrNumber column, const Comparison& comparison) {
    Oid found = InvalidOid;
    ListCell* cell;
    foreach (cell, RelationGetIndexList(table)) {
        const Relation index = index_open(lfirst_oid(cell), AccessShareLock);
        if (!OidIsValid(found) && is_usable(index) && index->rd_index->indkey.values[0] == column &&
            index->rd_opfamily[0] == comparison.family &&
            index->rd_indcollation[0] == comparison.collation && has_all_of(index, column))
            found = RelationGetRelid(index);
        index_close(index, NoLock);
    }
    return found;
}

}  // namespace uuidx::pg
