// Looks keys up in a table by a unique index, as the server does to check foreign keys.

#include "uuidx_migrate/runtime/lookup.h"
#include "server/trigger.h"
#include "uuidx_migrate/runtime/kept_values.h"

#include "server/shim.h"

extern "C" {
#include "access/genam.h"
#include "access/parallel.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_index.h"
#include "nodes/nodes.h"
#include "nodes/primnodes.h"
#include "parser/parse_coerce.h"
#include "storage/bufmgr.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
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

const KeyPart* part_of(std::span<const KeyPart> key, AttrNumber column) {
    const auto part = std::ranges::find(key, column, &KeyPart::column);
    return part == key.end() ? nullptr : &*part;
}

/// Whether an index finds every row by these columns alone. A snapshot may be too old for an index,
/// as for the planner.
bool finds_by(Relation index, std::span<const KeyPart> key) {
    const FormData_pg_index& form = *index->rd_index;
    if (index->rd_rel->relkind != RELKIND_INDEX || !form.indisunique || !form.indimmediate ||
        !form.indisvalid || form.indnkeyatts != static_cast<int>(key.size()))
        return false;
    for (int i = 0; i < form.indnkeyatts; ++i) {
        const KeyPart* const part = part_of(key, form.indkey.values[i]);
        const TypeCacheEntry* const column =
            lookup_type_cache(index->rd_opcintype[i], TYPECACHE_BTREE_OPFAMILY);
        if (part == nullptr || index->rd_opfamily[i] != column->btree_opf ||
            !OidIsValid(equality(index, i, part->type)))
            return false;
    }
    if (form.indcheckxmin &&
        !TransactionIdPrecedes(HeapTupleHeaderGetXmin(index->rd_indextuple->t_data),
                               TransactionXmin))
        return false;
    return has_all_of(index, key.front().column);
}

/// How an index finds a row: conditions on the columns of the table, which lack the values.
struct Path {
    Oid index;
    int count;
    ScanKeyData conditions[INDEX_MAX_KEYS];
};

Path path_of(Relation index, std::span<const KeyPart> key) {
    Path path{RelationGetRelid(index), index->rd_index->indnkeyatts, {}};
    for (int i = 0; i < path.count; ++i) {
        const KeyPart& part = *part_of(key, index->rd_index->indkey.values[i]);
        ScanKeyEntryInitialize(
            &path.conditions[i], 0, part.column, BTEqualStrategyNumber,
            IsBinaryCoercible(part.type, index->rd_opcintype[i]) ? InvalidOid : part.type,
            index->rd_indcollation[i], equality(index, i, part.type), Datum{0});
    }
    return path;
}

/// How a unique index finds a row by these columns; nullopt if there is none.
std::optional<Path> path_by(Relation table, std::span<const KeyPart> key) {
    std::optional<Path> path;
    List* const indexes = RelationGetIndexList(table);
    for (int i = 0; i < list_length(indexes) && !path; ++i) {
        const Relation index = index_open(list_nth_oid(indexes, i), AccessShareLock);
        if (finds_by(index, key))
            path = path_of(index, key);
        index_close(index, NoLock);
    }
    return path;
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
HeapTuple row_of(const Lookup& lookup, Relation table, const Path& path, bool* lost) {
    if (lookup.lock)
        CommandCounterIncrement();
    const Snapshot snapshot =
        RegisterSnapshot(lookup.lock ? GetTransactionSnapshot() : GetActiveSnapshot());
    ScanKeyData conditions[INDEX_MAX_KEYS];
    std::copy_n(path.conditions, path.count, conditions);
    for (int i = 0; i < path.count; ++i) {
        conditions[i].sk_func.fn_mcxt = CurrentMemoryContext;
        conditions[i].sk_argument = part_of(lookup.key, conditions[i].sk_attno)->value;
    }
    ScanKeyData searched[INDEX_MAX_KEYS];  // the scan numbers the columns as the index does
    std::copy_n(conditions, path.count, searched);
    const SysScanDesc scan =
        systable_beginscan(table, path.index, true, snapshot, path.count, searched);
    const HeapTuple seen = systable_getnext(scan);
    HeapTuple row = nullptr;
    if (seen != nullptr)
        row = lookup.lock ? locked(table, seen, snapshot) : heap_copytuple(seen);
    if (row != nullptr && lookup.lock &&
        !has_key(row, RelationGetDescr(table), {conditions, conditions + path.count}))
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

/// The same, where there has to be one.
Path necessary_path(Relation table, std::span<const KeyPart> key) {
    const std::optional<Path> path = path_by(table, key);
    if (!path)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("no unique index is on column \"%s\" of table \"%s\" alone",
                               get_attname(RelationGetRelid(table), key.front().column, false),
                               RelationGetRelationName(table))));
    return *path;
}

/// Looks up by the index, and closes the table.
std::optional<Value> look_up(const Lookup& lookup, Relation table, const Path& path) {
    HeapTuple row;
    bool lost;
    do {
        CHECK_FOR_INTERRUPTS();
        row = row_of(lookup, table, path, &lost);
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
        ereport(ERROR,
                (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                 errmsg("column \"%s\" of table \"%s\" is not filled",
                        get_attname(lookup.table, lookup.to, false), get_rel_name(lookup.table)),
                 errdetail("Its value is NULL where %s is \"%s\".",
                           get_attname(lookup.table, key.column, false),
                           text_of(key.value, key.type))));
    }
    return found;
}

/// What decides which tables may be read.
struct Session {
    Oid user = InvalidOid;
    int restrictions = 0;

    bool operator==(const Session&) const = default;
};

Session session() {
    Session now;
    GetUserIdAndSecContext(&now.user, &now.restrictions);
    return now;
}

/// What is visible. A subtransaction that is aborted takes back what it has written.
struct Moment {
    SubTransactionId subtransaction = InvalidSubTransactionId;
    SnapshotData snapshot{};
};

bool is_same(const TransactionId* a, const TransactionId* b, std::size_t count) {
    return count == 0 || memcmp(a, b, count * sizeof(TransactionId)) == 0;
}

bool is_now(const Moment& moment) {
    const SnapshotData& now = *GetActiveSnapshot();
    const SnapshotData& then = moment.snapshot;
    return moment.subtransaction == GetCurrentSubTransactionId() && then.curcid == now.curcid &&
           then.xmin == now.xmin && then.xmax == now.xmax && then.xcnt == now.xcnt &&
           then.subxcnt == now.subxcnt && then.suboverflowed == now.suboverflowed &&
           is_same(then.xip, now.xip, then.xcnt) &&
           is_same(then.subxip, now.subxip, static_cast<std::size_t>(then.subxcnt));
}

/// The same transactions, in memory of their own, which takes the place of what was copied before.
void copy(TransactionId*& copied, const TransactionId* ids, std::size_t count,
          MemoryContext memory) {
    auto* const fresh =
        static_cast<TransactionId*>(MemoryContextAlloc(memory, (count + 1) * sizeof(*ids)));
    std::copy_n(ids, count, fresh);
    if (copied != nullptr)
        pfree(copied);
    copied = fresh;
}

/// If memory runs out, the moment still has what it can free.
void set_to_now(Moment& moment, MemoryContext memory) {
    const SnapshotData& now = *GetActiveSnapshot();
    moment.subtransaction = InvalidSubTransactionId;
    copy(moment.snapshot.xip, now.xip, now.xcnt, memory);
    copy(moment.snapshot.subxip, now.subxip, static_cast<std::size_t>(now.subxcnt), memory);
    TransactionId* const running = moment.snapshot.xip;
    TransactionId* const subtransactions = moment.snapshot.subxip;
    moment = {GetCurrentSubTransactionId(), now};
    moment.snapshot.xip = running;
    moment.snapshot.subxip = subtransactions;
}

/// A table in which lookup() finds values, for all calls of a statement that name the same columns.
struct Map {
    const MemoryContext memory;
    const Oid table;
    const NameData from;
    const NameData to;
    const Oid type_of_key;  // these two as they are declared
    const Oid type_of_value;

    // What was found for the first call, and holds for the same user until the table or a role
    // changes.
    Session found_for{};
    bool is_changed = true;
    AttrNumber from_column = InvalidAttrNumber;
    AttrNumber to_column = InvalidAttrNumber;
    Oid key_type = InvalidOid;
    Oid type = InvalidOid;
    Path path{};

    // After some look-ups by the index, the values that they would find: those of one moment.
    bool can_keep = false;
    Moment moment{};
    std::uint64_t look_ups = 0;  // before they are kept
    KeptValues values{};

    Map* next;
    MemoryContextCallback forget{};
};

/// Those of statements that run.
Map* maps = nullptr;

void table_changed(Datum, Oid table) {
    for (Map* map = maps; map != nullptr; map = map->next)
        if (!OidIsValid(table) || table == map->table)
            map->is_changed = true;
}

/// Calls it when a table changes, and for all tables when a role may have lost the right to read
/// some.
void watch_tables() {
    static bool is_watching = false;
    if (is_watching)
        return;
    is_watching = true;
    CacheRegisterRelcacheCallback(table_changed, Datum{0});
    for (const auto roles : {AUTHOID, AUTHMEMROLEMEM})
        CacheRegisterSyscacheCallback(
            roles, [](Datum, auto, std::uint32_t) { table_changed(Datum{0}, InvalidOid); },
            Datum{0});
}

void forget(void* map) {
    forget(static_cast<Map*>(map)->values);
    for (Map** link = &maps; *link != nullptr; link = &(*link)->next)
        if (*link == map) {
            *link = (*link)->next;
            return;
        }
}

/// The map of a call. It lives as long as the executor that evaluates the expression, in whose
/// memory is that of the row: no longer than the transaction. A rewriting ALTER TABLE has one for
/// all of its columns, and ends it before it builds indexes.
Map& map_of(FunctionCallInfo fcinfo) {
    const MemoryContext memory = MemoryContextGetParent(CurrentMemoryContext);
    const Oid table = PG_GETARG_OID(0);
    const NameData& from = *PG_GETARG_NAME(1);
    const NameData& to = *PG_GETARG_NAME(2);
    const Oid key_type = get_fn_expr_argtype(fcinfo->flinfo, 3);
    const Oid type = get_fn_expr_argtype(fcinfo->flinfo, 4);
    for (Map* map = maps; map != nullptr; map = map->next)
        if (map->memory == memory && map->table == table && map->type_of_key == key_type &&
            map->type_of_value == type && strcmp(NameStr(map->from), NameStr(from)) == 0 &&
            strcmp(NameStr(map->to), NameStr(to)) == 0)
            return *map;
    watch_tables();
    maps = new (MemoryContextAlloc(memory, sizeof(Map))) Map{.memory = memory,
                                                             .table = table,
                                                             .from = from,
                                                             .to = to,
                                                             .type_of_key = key_type,
                                                             .type_of_value = type,
                                                             .next = maps};
    maps->forget.func = forget;
    maps->forget.arg = maps;
    MemoryContextRegisterResetCallback(memory, &maps->forget);
    return *maps;
}

/// Whether the columns and the index that were found are those of this call.
bool is_current(const Map& map) {
    return !map.is_changed && map.found_for == session();
}

/// Finds the columns and the index.
void resolve(Map& map, Relation table) {
    map.found_for = {};
    map.is_changed = false;  // the locks that follow may say otherwise
    map.moment.subtransaction = InvalidSubTransactionId;
    const TupleDesc columns = RelationGetDescr(table);
    map.key_type = getBaseType(map.type_of_key);
    map.type = getBaseType(map.type_of_value);
    map.from_column = column_number(columns, NameStr(map.from));
    map.to_column = column_number(columns, NameStr(map.to), map.type);
    check_readable(table);
    const KeyPart key{map.from_column, Datum{0}, map.key_type};
    map.path = necessary_path(table, {&key, 1});
    map.can_keep = can_keep(
        map.key_type, getBaseType(TupleDescAttr(columns, map.from_column - 1)->atttypid), map.type);
    map.found_for = session();
}

/// Keeps the values of the table once look-ups by the index have taken about as long as to read it:
/// then both never take more than twice the time of the better way, however many look-ups come.
/// Parallel workers would each keep their own.
void keep_if_it_pays(Map& map, Relation table) {
    constexpr std::uint64_t look_ups_per_page = 4;
    if (!map.can_keep || IsParallelWorker())
        return;
    if (!is_now(map.moment)) {
        drop(map.values);
        set_to_now(map.moment, map.memory);
        map.look_ups = look_ups_per_page * RelationGetNumberOfBlocks(table);
    }
    if (map.look_ups-- != 0)
        return;
    const Snapshot snapshot = RegisterSnapshot(GetActiveSnapshot());
    keep(map.values, map.memory, table, map.from_column, map.to_column, snapshot);
    UnregisterSnapshot(snapshot);
}

/// The value in the row with the key; nullopt if there is no such row.
std::optional<Value> look_up(Map& map, Datum key) {
    if (is_current(map) && map.values.entries != nullptr && is_now(map.moment)) {
        const std::optional<Datum> value = find(map.values, key, map.key_type, map.type);
        if (value)
            return Value{*value};
        if (map.values.has_all)
            return std::nullopt;
    }
    const Relation table = table_open(map.table, AccessShareLock);
    if (!is_current(map))
        resolve(map, table);
    keep_if_it_pays(map, table);
    const KeyPart part{map.from_column, key, map.key_type};
    return look_up({map.table, {&part, 1}, map.to_column, map.type}, table, map.path);
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

char* text_of(Datum value, Oid type) {
    Oid output;
    bool is_varlena;
    getTypeOutputInfo(type, &output, &is_varlena);
    return OidOutputFunctionCall(output, value);
}

bool is_indexed(Oid relation, std::span<const KeyPart> key) {
    const Relation table = table_open(relation, AccessShareLock);
    const bool is_found = path_by(table, key).has_value();
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
    return look_up(lookup, table, necessary_path(table, lookup.key));
}

Value look_up_value(const Lookup& lookup) {
    return look_up(lookup).value_or(std::nullopt);
}

/// uuidx_migrate_steps.lookup(map regclass, from_column name, to_column name, key anycompatible,
/// missing anyelement) returns anyelement, not STRICT: the value of to_column in the row of a table
/// in which from_column is the key; `missing` if there is none. The errors of look_up, and 42703
/// unless the table has these columns, the second one of the type of `missing`.
UUIDX_FUNCTION(uuidx_lookup) {
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3))
        PG_RETURN_NULL();
    if (const auto found = look_up(map_of(fcinfo), PG_GETARG_DATUM(3)))
        return **found;
    if (PG_ARGISNULL(4))
        PG_RETURN_NULL();
    return PG_GETARG_DATUM(4);
}

}  // namespace uuidx::pg
