// lookup(): what it found for one call of a statement, and the values that it keeps, hold for the
// next ones.

#include "server/trigger.h"
#include "uuidx_migrate/runtime/index_lookup.h"
#include "uuidx_migrate/runtime/kept_values.h"

#include "server/shim.h"

extern "C" {
#include "access/parallel.h"
#include "access/table.h"
#include "access/xact.h"
#include "storage/bufmgr.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
}

namespace uuidx::pg {

namespace {

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
    KeyIndex index{};

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
    map.index = key_index(table, {&key, 1});
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
    return look_up({map.table, {&part, 1}, map.to_column, map.type}, table, map.index);
}

}  // namespace

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
