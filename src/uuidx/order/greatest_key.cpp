// The greatest version 7 key in the tables of a database.

#include "uuidx/order/greatest_key.h"

#include "uuidx/planner/column_facts.h"

extern "C" {
#include "access/genam.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/partition.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "rewrite/rewriteHandler.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/snapmgr.h"
}

namespace uuidx::pg {

namespace {

/// Opens a table; null if it is gone. No role keeps others waiting by a lock on what it owns.
Relation open_unlocked(Oid oid) {
    if (!ConditionalLockRelationOid(oid, AccessShareLock)) {
        if (const char* const name = get_rel_name(oid); name != nullptr)
            ereport(WARNING,
                    (errmsg("keys of table \"%s\" are not read", name),
                     errdetail("Another session has locked the table."),
                     errhint("Call uuid_generator_advance_all() again when it is not locked.")));
        return nullptr;
    }
    const Relation table = try_relation_open(oid, NoLock);
    if (table == nullptr)
        UnlockRelationOid(oid, AccessShareLock);
    return table;
}

/// Whether CHECK constraints leave no version with a time but 7. Not facts_of(): it reads the
/// expressions of indexes, and PostgreSQL runs functions in these.
bool has_v7_alone(Relation table, AttrNumber column) {
    Versions versions = versions_with_time;
    const TupleConstr* const constraints = RelationGetDescr(table)->constr;
    for (int i = 0; constraints != nullptr && i < constraints->num_check; ++i)
        if (holds(constraints->check[i]))
            versions &= ~versions_excluded_by(constraints->check[i], column);
    return versions == set_of(7);
}

bool generates_v7(Node* node, void*) {
    if (node == nullptr)
        return false;
    return (IsA(node, FuncExpr) &&
            is_implemented_by(reinterpret_cast<FuncExpr*>(node)->funcid, "uuidx_generate_v7")) ||
           walk_expression(node, generates_v7, nullptr);
}

/// Whether its default, or that of its domain, is a key of uuidx.
bool has_v7_default(Relation table, AttrNumber column) {
    return generates_v7(build_column_default(table, column), nullptr);
}

bool is_v7_column(Relation table, AttrNumber column) {
    const Form_pg_attribute attribute = TupleDescAttr(RelationGetDescr(table), column - 1);
    if (attribute->attisdropped || getBaseType(attribute->atttypid) != UUIDOID)
        return false;
    if (has_v7_alone(table, column) || has_v7_default(table, column))
        return true;
    // The default of a partitioned table is that of the rows that are inserted into it.
    ListCell* cell;
    foreach (cell, table->rd_rel->relispartition ? get_partition_ancestors(table->rd_id) : NIL) {
        const Relation ancestor = open_unlocked(lfirst_oid(cell));
        if (ancestor == nullptr)
            continue;
        const AttrNumber of_ancestor = get_attnum(ancestor->rd_id, NameStr(attribute->attname));
        const bool has_default = of_ancestor != 0 && has_v7_default(ancestor, of_ancestor);
        relation_close(ancestor, AccessShareLock);
        if (has_default)
            return true;
    }
    return false;
}

/// Whether an index has all keys of a column in their order.
bool is_ordered_by(Relation index, AttrNumber column) {
    return index->rd_rel->relam == BTREE_AM_OID && index->rd_index->indisvalid &&
           index->rd_index->indkey.values[0] == column && index->rd_opfamily[0] == uuid_ops &&
           heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, nullptr);
}

/// The last version 7 key before `end` in an index, from the index alone.
std::optional<Uuid> last_before(Relation table, Relation index, const Uuid& end) {
    const bool descending = (index->rd_indoption[0] & INDOPTION_DESC) != 0;
    const ScanDirection direction = descending ? ForwardScanDirection : BackwardScanDirection;
    ScanKeyData before;
    ScanKeyInit(&before, 1, BTLessStrategyNumber, F_UUID_LT, datum(end));
    const IndexScanDesc scan = begin_index_scan(table, index, SnapshotAny, 1);
    scan->xs_want_itup = true;
    index_rescan(scan, &before, 1, nullptr, 0);
    std::optional<Uuid> last;
    while (!last && index_getnext_tid(scan, direction) != nullptr) {
        CHECK_FOR_INTERRUPTS();
        bool null;
        const Uuid key = to_uuid(index_getattr(scan->xs_itup, 1, scan->xs_itupdesc, &null));
        if (is_version(key, 7))
            last = key;
    }
    index_endscan(scan);
    return last;
}

/// The last version 7 key of a column, and the last before a UUID.
struct LastKeys {
    std::optional<Uuid> of_all;
    std::optional<Uuid> before_end;
};

LastKeys read_index(Relation table, Relation index, const Uuid& end) {
    const auto last = last_before(table, index, max_uuid);
    return {last, last && *last >= end ? last_before(table, index, end) : last};
}

/// Reads all rows, and runs no code of the table's owner, as a query would.
LastKeys read_rows(Relation table, AttrNumber column, const Uuid& end) {
    LastKeys last;
    TupleTableSlot* const slot = table_slot_create(table, nullptr);
    const TableScanDesc scan = begin_table_scan(table, SnapshotAny);
    while (table_scan_getnextslot(scan, ForwardScanDirection, slot)) {
        CHECK_FOR_INTERRUPTS();
        bool null;
        const Datum value = slot_getattr(slot, column, &null);
        if (null || !is_version(to_uuid(value), 7))
            continue;
        const std::optional<Uuid> key = to_uuid(value);
        last.of_all = std::max(last.of_all, key);
        if (*key < end)
            last.before_end = std::max(last.before_end, key);
    }
    table_endscan(scan);
    ExecDropSingleTupleTableSlot(slot);
    return last;
}

/// Opens an index that has all keys of a column in their order; null if there is none, or another
/// session has locked it.
Relation open_index(Relation table, AttrNumber column) {
    ListCell* cell;
    foreach (cell, RelationGetIndexList(table)) {
        if (!ConditionalLockRelationOid(lfirst_oid(cell), AccessShareLock))
            continue;
        const Relation index = index_open(lfirst_oid(cell), NoLock);
        if (is_ordered_by(index, column))
            return index;
        index_close(index, AccessShareLock);
    }
    return nullptr;
}

std::optional<Uuid> last_of_column(Relation table, AttrNumber column, const Uuid& end,
                                   bool read_tables) {
    const char* const name = RelationGetRelationName(table);
    const Relation index = open_index(table, column);
    LastKeys last;
    if (index != nullptr) {
        last = read_index(table, index, end);
        index_close(index, AccessShareLock);
    } else if (read_tables) {
        last = read_rows(table, column, end);
    } else {
        ereport(WARNING,
                (errmsg("keys in column \"%s\" of table \"%s\" are not read",
                        NameStr(TupleDescAttr(RelationGetDescr(table), column - 1)->attname), name),
                 errdetail("No index begins with the column, or another session has locked it."),
                 errhint("To read the whole table, call uuid_generator_advance_all() with "
                         "read_tables => true.")));
    }
    if (last.of_all && *last.of_all >= end)
        ereport(WARNING,
                (errmsg("keys of table \"%s\" that are more than a day ahead of the system's "
                        "clock are ignored",
                        name),
                 errhint("To advance the generator behind them all the same, call "
                         "uuid_generator_advance_all() with force => true.")));
    return last.before_end;
}

/// Whether the table has pages, and this session can read them.
bool is_readable(Relation table) {
    return table->rd_rel->relkind == RELKIND_RELATION &&
           (RelationIsPermanent(table) || !RecoveryInProgress()) &&
           RelationGetNumberOfBlocks(table) > 0;
}

std::optional<Uuid> last_of_table(Oid oid, const Uuid& end, bool read_tables) {
    std::optional<Uuid> greatest;
    const Relation table = open_unlocked(oid);
    if (table == nullptr)
        return greatest;
    const MemoryContext scratch = AllocSetContextCreate(
        CurrentMemoryContext, "constraints and defaults", ALLOCSET_DEFAULT_SIZES);
    const MemoryContext before = MemoryContextSwitchTo(scratch);
    for (AttrNumber column = is_readable(table) ? RelationGetNumberOfAttributes(table) : 0;
         column > 0; --column) {
        CHECK_FOR_INTERRUPTS();
        if (is_v7_column(table, column))
            greatest = std::max(greatest, last_of_column(table, column, end, read_tables));
        MemoryContextReset(scratch);
    }
    MemoryContextSwitchTo(before);
    MemoryContextDelete(scratch);
    relation_close(table, AccessShareLock);
    return greatest;
}

/// The tables that have a column of UUIDs, or of a domain, which may be one of them: its type can
/// be asked for when the table is locked.
List* tables_with_uuids() {
    List* tables = NIL;
    const Relation catalog = table_open(AttributeRelationId, AccessShareLock);
    const SysScanDesc scan = systable_beginscan(catalog, InvalidOid, false, nullptr, 0, nullptr);
    while (const HeapTuple row = systable_getnext(scan)) {
        const auto* const column = reinterpret_cast<Form_pg_attribute>(GETSTRUCT(row));
        const bool may_be_uuid =
            column->atttypid == UUIDOID || get_typtype(column->atttypid) == TYPTYPE_DOMAIN;
        if (may_be_uuid && get_rel_relkind(column->attrelid) == RELKIND_RELATION &&
            !isOtherTempNamespace(get_rel_namespace(column->attrelid)))
            tables = lappend_oid(tables, column->attrelid);
    }
    systable_endscan(scan);
    table_close(catalog, AccessShareLock);
    list_sort(tables, list_oid_cmp);
    list_deduplicate_oid(tables);
    return tables;
}

}  // namespace

std::optional<Uuid> greatest_v7_key(const Uuid& end, bool read_tables) {
    std::optional<Uuid> greatest;
    ListCell* cell;
    foreach (cell, tables_with_uuids())
        greatest = std::max(greatest, last_of_table(lfirst_oid(cell), end, read_tables));
    return greatest;
}

}  // namespace uuidx::pg
