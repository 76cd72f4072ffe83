// Hides the differences between PostgreSQL versions. No other file tests PG_VERSION_NUM, except for
// includes.

#pragma once

#include <optional>
#include <string_view>

extern "C" {
#include "postgres.h"

#include "access/genam.h"
#include "access/stratnum.h"
#include "access/tableam.h"
#include "access/tupdesc.h"
#include "access/xlog.h"
#if PG_VERSION_NUM >= 150000
#include "access/xlogrecovery.h"
#endif
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#if PG_VERSION_NUM >= 190000
#include "nodes/miscnodes.h"
#else
#include "optimizer/plancat.h"
#endif
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/prep.h"
#include "partitioning/partbounds.h"
#if PG_VERSION_NUM >= 170000
#include "storage/dsm_registry.h"
#endif
#include "parser/scansup.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/selfuncs.h"
#include "utils/sortsupport.h"
#include "utils/timestamp.h"
}

#if PG_VERSION_NUM < 140000
#error uuidx needs PostgreSQL 14 or newer
#endif
#if PG_VERSION_NUM >= 210000
#error uuidx supports PostgreSQL 14 to 19, and builds on 20devel of August 2026
#endif

// For Windows, that of older minor releases is no C++: its `?:` has void on one side, and a number
// on the other.
#ifdef WIN32
#undef INTERRUPTS_PENDING_CONDITION
#define INTERRUPTS_PENDING_CONDITION()                                                \
    (unlikely(UNBLOCKED_SIGNAL_QUEUE()) ? pgwin32_dispatch_queued_signals() : void(), \
     unlikely(InterruptPending))
#endif

// Before PostgreSQL 16, PGDLLEXPORT does not export what -fvisibility=hidden hides.
#if PG_VERSION_NUM < 160000 && !defined(WIN32)
#undef PGDLLEXPORT
#define PGDLLEXPORT __attribute__((visibility("default")))
#endif

/// The magic block of a module; from PostgreSQL 18 on, it has a name and a version.
#ifdef PG_MODULE_MAGIC_EXT
#define UUIDX_MODULE_MAGIC(module_name, module_version) \
    PG_MODULE_MAGIC_EXT(.name = module_name, .version = module_version)
#else
#define UUIDX_MODULE_MAGIC(module_name, module_version) PG_MODULE_MAGIC
#endif

namespace uuidx::pg {

// --- Settings ---

/// Reserves `prefix` for the module's settings: PostgreSQL 14 warns about any other setting with
/// it, and newer servers reject it.
inline void reserve_setting_prefix(const char* prefix) {
#if PG_VERSION_NUM >= 150000
    MarkGUCPrefixReserved(prefix);
#else
    EmitWarningsOnPlaceholders(prefix);
#endif
}

/// Allocates what a check hook passes on as `extra`; null if there is no memory.
inline void* setting_memory(std::size_t size) {
#if PG_VERSION_NUM >= 160000
    return guc_malloc(LOG, size);
#else
    return malloc(size);
#endif
}

// --- Expressions and queries ---

/// expression_tree_walker(): calls `walker` for each child of a node.
inline bool walk_expression(Node* node, bool (*walker)(Node*, void*), void* context) {
#if PG_VERSION_NUM >= 160000
    return expression_tree_walker(node, walker, context);
#else
    // The parameter is declared as bool (*)(), which in C++ takes no arguments.
    const auto untyped = reinterpret_cast<void (*)()>(walker);
    return expression_tree_walker(node, reinterpret_cast<bool (*)()>(untyped), context);
#endif
}

/// expression_tree_mutator(): a copy of a node, each child of which `mutator` has replaced.
inline Node* mutate_expression(Node* node, Node* (*mutator)(Node*, void*), void* context) {
#if PG_VERSION_NUM >= 160000
    return expression_tree_mutator(node, mutator, context);
#else
    const auto untyped = reinterpret_cast<void (*)()>(mutator);
    return expression_tree_mutator(node, reinterpret_cast<Node* (*)()>(untyped), context);
#endif
}

/// query_tree_walker(): calls `walker` for each child of a query.
inline bool walk_query(Query* query, bool (*walker)(Node*, void*), void* context, int flags) {
#if PG_VERSION_NUM >= 160000
    return query_tree_walker(query, walker, context, flags);
#else
    const auto untyped = reinterpret_cast<void (*)()>(walker);
    return query_tree_walker(query, reinterpret_cast<bool (*)()>(untyped), context, flags);
#endif
}

/// What a placeholder stands for, if no outer join can have put NULL in its place; another node as
/// it is. Placeholders of servers before PostgreSQL 16 do not say whether one can.
inline Node* without_placeholder(Node* node) {
#if PG_VERSION_NUM >= 160000
    const auto* const placeholder = reinterpret_cast<PlaceHolderVar*>(node);
    if (IsA(node, PlaceHolderVar) && placeholder->phlevelsup == 0 &&
        bms_is_empty(placeholder->phnullingrels))
        return reinterpret_cast<Node*>(placeholder->phexpr);
#endif
    return node;
}

/// Whether a node that PostgreSQL 14 did not have reads nothing but what it has in it.
inline bool is_plain_newer_node([[maybe_unused]] const Node* node) {
#if PG_VERSION_NUM >= 150000
    if (IsA(node, MergeAction))
        return true;
#endif
#if PG_VERSION_NUM >= 160000
    if (IsA(node, JsonConstructorExpr) || IsA(node, JsonIsPredicate) || IsA(node, JsonValueExpr))
        return true;
#endif
#if PG_VERSION_NUM >= 170000
    if (IsA(node, JsonBehavior) || IsA(node, JsonExpr) || IsA(node, MergeSupportFunc))
        return true;
#endif
    return false;
}

/// The expressions by which a query groups, for which the other columns of this entry of its range
/// table stand; before PostgreSQL 18, the query names the expressions themselves.
inline const List* grouped_expressions([[maybe_unused]] const RangeTblEntry* entry) {
#if PG_VERSION_NUM >= 180000
    return entry->groupexprs;
#else
    return NIL;
#endif
}

/// The flag of query_tree_walker() that leaves them out.
#if PG_VERSION_NUM >= 180000
constexpr int ignore_grouped_expressions = QTW_IGNORE_GROUPEXPRS;
#else
constexpr int ignore_grouped_expressions = 0;
#endif

/// "old" or "new" for a column of that row in RETURNING, which PostgreSQL 18 and newer have.
inline std::string_view returned_row([[maybe_unused]] const Var* var) {
#if PG_VERSION_NUM >= 180000
    if (var->varreturningtype == VAR_RETURNING_OLD)
        return "old";
    if (var->varreturningtype == VAR_RETURNING_NEW)
        return "new";
#endif
    return {};
}

/// Whether a comparison of rows is with < or <=, and not with > or >=.
inline bool is_less_than(const RowCompareExpr* rows) {
#if PG_VERSION_NUM >= 180000
    return rows->cmptype == COMPARE_LT || rows->cmptype == COMPARE_LE;
#else
    return rows->rctype == ROWCOMPARE_LT || rows->rctype == ROWCOMPARE_LE;
#endif
}

// --- Rights and constraints ---

/// Whether the current user has the rights of a relation's owner.
inline bool owns_relation(Oid relation) {
#if PG_VERSION_NUM >= 160000
    return object_ownercheck(RelationRelationId, relation, GetUserId());
#else
    return pg_class_ownercheck(relation, GetUserId());
#endif
}

/// Whether the current user may execute a function.
inline bool may_execute(Oid function) {
#if PG_VERSION_NUM >= 160000
    return object_aclcheck(ProcedureRelationId, function, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK;
#else
    return pg_proc_aclcheck(function, GetUserId(), ACL_EXECUTE) == ACLCHECK_OK;
#endif
}

/// Whether the current user may name objects of a schema.
inline bool may_use_schema(Oid schema) {
#if PG_VERSION_NUM >= 160000
    return object_aclcheck(NamespaceRelationId, schema, GetUserId(), ACL_USAGE) == ACLCHECK_OK;
#else
    return pg_namespace_aclcheck(schema, GetUserId(), ACL_USAGE) == ACLCHECK_OK;
#endif
}

/// Whether every row satisfies a CHECK constraint, unless it evaluates to NULL.
inline bool holds(const ConstrCheck& check) {
#if PG_VERSION_NUM >= 180000
    return check.ccvalid && check.ccenforced;
#else
    return check.ccvalid;
#endif
}

/// Whether ALTER TABLE ... VALIDATE CONSTRAINT would check that every row satisfies it.
inline bool can_be_validated(const ConstrCheck& check) {
#if PG_VERSION_NUM >= 180000
    return !check.ccvalid && check.ccenforced;
#else
    return !check.ccvalid;
#endif
}

/// Whether a column of a table has a NOT NULL constraint that every row satisfies.
inline bool is_not_null(TupleDesc columns, AttrNumber column) {
#if PG_VERSION_NUM >= 180000
    return TupleDescCompactAttr(columns, column - 1)->attnullability == ATTNULLABLE_VALID;
#else
    return TupleDescAttr(columns, column - 1)->attnotnull;
#endif
}

// --- What the planner knows ---

/// From now on, the planner calls `visit` for each relation that it has read from the catalogs,
/// after the hook that was there before.
template <void (*visit)(PlannerInfo*, RelOptInfo*)>
void hook_relations() {
#if PG_VERSION_NUM >= 190000
    static build_simple_rel_hook_type previous;
    previous = build_simple_rel_hook;
    build_simple_rel_hook = [](PlannerInfo* root, RelOptInfo* relation, RangeTblEntry* entry) {
        if (previous != nullptr)
            previous(root, relation, entry);
        if (entry->rtekind == RTE_RELATION)
            visit(root, relation);
    };
#else
    static get_relation_info_hook_type previous;
    previous = get_relation_info_hook;
    get_relation_info_hook = [](PlannerInfo* root, Oid oid, bool is_parent, RelOptInfo* relation) {
        if (previous != nullptr)
            previous(root, oid, is_parent, relation);
        visit(root, relation);
    };
#endif
}

/// How many elements an array may have.
inline double array_length(PlannerInfo* root, Node* array) {
#if PG_VERSION_NUM >= 170000
    return estimate_array_length(root, array);
#else
    (void)root;
    return estimate_array_length(array);
#endif
}

/// The tables of a join tree.
inline Relids tables_of(Node* tree) {
#if PG_VERSION_NUM >= 160000
    return get_relids_in_jointree(tree, false, false);
#else
    return get_relids_in_jointree(tree, false);
#endif
}

/// Calls `visit` for each member of an equivalence class that is an expression of `relids` alone.
template <class Visit>
void for_each_member(EquivalenceClass* equivalence, Relids relids, Visit visit) {
    const auto visit_own = [&](EquivalenceMember* member) {
        if (!member->em_is_const && bms_equal(member->em_relids, relids))
            visit(member);
    };
#if PG_VERSION_NUM >= 180000
    EquivalenceMemberIterator members;
    setup_eclass_member_iterator(&members, equivalence, relids);
    while (EquivalenceMember* const member = eclass_member_iterator_next(&members))
        visit_own(member);
#else
    ListCell* cell;
    foreach (cell, equivalence->ec_members)
        visit_own(static_cast<EquivalenceMember*>(lfirst(cell)));
#endif
}

/// The conditions by which equivalence classes join two tables.
inline List* implied_equalities(PlannerInfo* root, const RelOptInfo* outer, RelOptInfo* inner) {
    const Relids both = bms_union(outer->relids, inner->relids);
#if PG_VERSION_NUM >= 160000
    return generate_join_implied_equalities(root, both, outer->relids, inner, nullptr);
#else
    return generate_join_implied_equalities(root, both, outer->relids, inner);
#endif
}

/// Whether a table has partitions by ranges of one key, which follow one another without a default.
inline bool has_ordered_ranges(const RelOptInfo* table) {
    if (table->part_scheme == nullptr || table->boundinfo == nullptr || table->nparts == 0 ||
        table->part_scheme->strategy != PARTITION_STRATEGY_RANGE ||
        table->part_scheme->partnatts != 1)
        return false;
#if PG_VERSION_NUM >= 150000
    return partitions_are_ordered(table->boundinfo, table->live_parts);
#else
    return partitions_are_ordered(table->boundinfo, table->nparts);
#endif
}

/// Whether a sort key is descending.
inline bool is_descending(const PathKey* key) {
#if PG_VERSION_NUM >= 180000
    return key->pk_cmptype == COMPARE_GT;
#else
    return key->pk_strategy == BTGreaterStrategyNumber;
#endif
}

/// A path that runs these one after the other, and returns rows in this order.
inline Path* make_append(PlannerInfo* root, RelOptInfo* table, List* paths, List* order) {
#if PG_VERSION_NUM >= 190000
    const AppendPathInput input{paths, NIL, NIL};
    return &create_append_path(root, table, input, order, nullptr, 0, false, -1)->path;
#else
    return &create_append_path(root, table, paths, NIL, order, nullptr, 0, false, -1)->path;
#endif
}

// --- Times ---

/// The server's own uuid_extract_timestamp(uuid), where it reads versions 1 and 7; that of
/// PostgreSQL 17 reads version 1 alone.
inline constexpr Oid server_extract_timestamp =
#if PG_VERSION_NUM >= 180000
    F_UUID_EXTRACT_TIMESTAMP;
#else
    InvalidOid;
#endif

/// Whether that function reads version 6, too.
inline constexpr bool server_reads_version_6 = PG_VERSION_NUM >= 200000;

/// The server's own uuid_extract_version(uuid).
inline constexpr Oid server_extract_version =
#if PG_VERSION_NUM >= 170000
    F_UUID_EXTRACT_VERSION;
#else
    InvalidOid;
#endif

/// timezone(timestamptz), which is AT LOCAL.
inline constexpr Oid timezone_of_session =
#if PG_VERSION_NUM >= 170000
    F_TIMEZONE_TIMESTAMPTZ;
#else
    InvalidOid;
#endif

/// The zone of which timezone() reads an offset for this name, if that changes; null if there is
/// none of this name.
inline const pg_tz* zone_named(const text* name) {
    char* const chars = text_to_cstring(name);
    char* const lower = downcase_truncate_identifier(chars, static_cast<int>(strlen(chars)), false);
    int type;
    int offset;
    pg_tz* zone;
#if PG_VERSION_NUM >= 160000
    DateTimeErrorExtra extra;
    if (DecodeTimezoneAbbrev(0, lower, &type, &offset, &zone, &extra) != 0)
        return nullptr;
#else
    type = DecodeTimezoneAbbrev(0, lower, &offset, &zone);
#endif
    if (type == TZ || type == DTZ)
        return pg_tzset_offset(-offset);
    return type == DYNTZ ? zone : pg_tzset(chars);
}

/// The moments of a date and of a timestamp in the session's time zone; infinite if no timestamptz
/// is that early or late.
inline TimestampTz clamped_timestamptz(DateADT date) {
#if PG_VERSION_NUM >= 190000
    ErrorSaveContext out_of_range = {T_ErrorSaveContext, false, false, nullptr};
    return date2timestamptz_safe(date, reinterpret_cast<Node*>(&out_of_range));
#else
    int out_of_range;
    return date2timestamptz_opt_overflow(date, &out_of_range);
#endif
}
inline TimestampTz clamped_timestamptz(Timestamp timestamp) {
#if PG_VERSION_NUM >= 190000
    ErrorSaveContext out_of_range = {T_ErrorSaveContext, false, false, nullptr};
    return timestamp2timestamptz_safe(timestamp, reinterpret_cast<Node*>(&out_of_range));
#else
    int out_of_range;
    return timestamp2timestamptz_opt_overflow(timestamp, &out_of_range);
#endif
}

// --- Rows and statistics ---

/// The value in a column of a row; nullopt for NULL. heap_getattr() is part of the module, and
/// calls heap_datum_check() in minor versions since 2026, which a server of an earlier one does not
/// have.
inline std::optional<Datum> value_in(HeapTuple row, TupleDesc columns, int column) {
    bool null;
    const Datum value = SPI_getbinval(row, columns, column, &null);
    return null ? std::nullopt : std::optional{value};
}

/// index_beginscan(), without ORDER BY operators.
inline IndexScanDesc begin_index_scan(Relation table, Relation index, Snapshot snapshot, int keys) {
#if PG_VERSION_NUM >= 190000
    return index_beginscan(table, index, snapshot, nullptr, keys, 0, SO_NONE);
#elif PG_VERSION_NUM >= 180000
    return index_beginscan(table, index, snapshot, nullptr, keys, 0);
#else
    return index_beginscan(table, index, snapshot, keys, 0);
#endif
}

/// table_beginscan(), without keys.
inline TableScanDesc begin_table_scan(Relation table, Snapshot snapshot) {
#if PG_VERSION_NUM >= 190000
    return table_beginscan(table, snapshot, 0, nullptr, SO_NONE);
#else
    return table_beginscan(table, snapshot, 0, nullptr);
#endif
}

/// table_beginscan_tidrange(): a scan of the rows from one place in a table to another.
inline TableScanDesc begin_range_scan(Relation table, Snapshot snapshot, ItemPointer first,
                                      ItemPointer last) {
#if PG_VERSION_NUM >= 190000
    return table_beginscan_tidrange(table, snapshot, first, last, SO_NONE);
#else
    return table_beginscan_tidrange(table, snapshot, first, last);
#endif
}

/// Compares abbreviated keys. From PostgreSQL 15 on, it is the server's own function, for which the
/// server has a faster sort.
#if PG_VERSION_NUM >= 200000
inline constexpr auto* compare_unsigned_datums = ssup_datum_uint64_cmp;
#elif PG_VERSION_NUM >= 150000
inline constexpr auto* compare_unsigned_datums = ssup_datum_unsigned_cmp;
#else
inline int compare_unsigned_datums(Datum a, Datum b, SortSupport) {
    return a < b ? -1 : a > b;
}
#endif

/// The rows of a table that have changed since its last ANALYZE. nullopt where that is not known:
/// servers in recovery do not count them, and PostgreSQL 14 would read them from a file.
inline std::optional<double> changes_since_analyze([[maybe_unused]] Oid table) {
#if PG_VERSION_NUM >= 150000
    if (!pgstat_track_counts || RecoveryInProgress())
        return std::nullopt;
    const auto* const counts = pgstat_fetch_stat_tabentry(table);
    if (counts == nullptr)
        return std::nullopt;
#if PG_VERSION_NUM >= 160000
    return static_cast<double>(counts->mod_since_analyze);
#else
    return static_cast<double>(counts->changes_since_analyze);
#endif
#else
    return std::nullopt;
#endif
}

/// What the n-th session, from 1 on, shows of what it does: as it was when the transaction first
/// asked.
inline const PgBackendStatus& session_status(int n) {
#if PG_VERSION_NUM >= 160000
    return pgstat_get_local_beentry_by_index(n)->backendStatus;
#else
    return pgstat_fetch_stat_local_beentry(n)->backendStatus;
#endif
}

// --- What processes share ---

/// The server's timeline, which each promotion changes; not to be called during recovery.
inline TimeLineID timeline() {
#if PG_VERSION_NUM >= 150000
    return GetWALInsertionTimeLine();
#else
    return ThisTimeLineID;
#endif
}

/// A T in the server's shared memory, made by T::initialize(void*) when the first process needs it,
/// and again after a crash. T::shared_name should change with T's layout. From PostgreSQL 17 on,
/// any process can attach it; older servers set it aside when they start, if the module is
/// preloaded.
#if PG_VERSION_NUM >= 170000
template <class T>
struct SharedMemory {
    static void request() {}
    static bool available() { return true; }

    static T* attach() {
        bool found;
#if PG_VERSION_NUM >= 190000
        const auto initialize = [](void* memory, void*) { T::initialize(memory); };
        return static_cast<T*>(
            GetNamedDSMSegment(T::shared_name, sizeof(T), initialize, &found, nullptr));
#else
        return static_cast<T*>(
            GetNamedDSMSegment(T::shared_name, sizeof(T), T::initialize, &found));
#endif
    }
};
#else
template <class T>
struct SharedMemory {
    /// Sets the memory aside; called when the module is loaded.
    static void request() {
        if (!process_shared_preload_libraries_in_progress)
            return;
#if PG_VERSION_NUM >= 150000
        next_request = shmem_request_hook;
        shmem_request_hook = [] {
            if (next_request != nullptr)
                next_request();
            RequestAddinShmemSpace(sizeof(T));
        };
#else
        RequestAddinShmemSpace(sizeof(T));
#endif
        next_startup = shmem_startup_hook;
        shmem_startup_hook = startup;
    }

    static bool available() {
        return memory != nullptr;
    }
    static T* attach() {
        return memory;
    }

  private:
    static void startup() {
        if (next_startup != nullptr)
            next_startup();
        bool found;
        LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
        memory = static_cast<T*>(ShmemInitStruct(T::shared_name, sizeof(T), &found));
        if (!found)
            T::initialize(memory);
        LWLockRelease(AddinShmemInitLock);
    }

    static inline T* memory = nullptr;
#if PG_VERSION_NUM >= 150000
    static inline shmem_request_hook_type next_request = nullptr;
#endif
    static inline shmem_startup_hook_type next_startup = nullptr;
};
#endif

/// Where a server has no shared memory for the module.
inline constexpr const char* preload_hint =
    "On PostgreSQL 14 to 16, add \"uuidx\" to shared_preload_libraries, and restart the server.";

/// Initializes a lock in shared memory, which pg_stat_activity calls `name`.
inline void initialize_lock(LWLock* lock, [[maybe_unused]] const char* name) {
#if PG_VERSION_NUM >= 190000
    LWLockInitialize(lock, LWLockNewTrancheId(name));
#else
    LWLockInitialize(lock, LWLockNewTrancheId());
#endif
}

/// Tells this process the lock's name.
inline void name_lock([[maybe_unused]] const LWLock* lock, [[maybe_unused]] const char* name) {
#if PG_VERSION_NUM < 190000
    LWLockRegisterTranche(lock->tranche, name);
#endif
}

}  // namespace uuidx::pg
