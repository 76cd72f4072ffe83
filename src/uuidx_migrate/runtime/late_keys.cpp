// The triggers that have references looked up again whose key comes after them.

#include "uuidx_migrate/runtime/client_update.h"
#include "uuidx_migrate/runtime/references.h"

#include "server/shim.h"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_inherits.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
}

namespace uuidx::pg {

namespace {

/// Runs an UPDATE that sets shadows to NULL, which has fill_reference look them up. Like an action
/// of a foreign key, it also finds what a snapshot of REPEATABLE READ does not show: to update that
/// is an error (40001).
void run(SPIPlanPtr plan, Datum* values, const char* nulls) {
    const bool is_fixed = IsolationUsesXactSnapshot();
    CommandCounterIncrement();
    const Snapshot latest = is_fixed ? RegisterSnapshot(GetLatestSnapshot()) : InvalidSnapshot;
    const int result =
        SPI_execute_snapshot(plan, values, nulls, latest,
                             is_fixed ? GetTransactionSnapshot() : InvalidSnapshot, false, true, 0);
    if (result != SPI_OK_UPDATE)
        elog(ERROR, "could not look up a key again: %s", SPI_result_code_string(result));
    if (is_fixed)
        UnregisterSnapshot(latest);
}

/// A plan of an UPDATE of a row by its place in a table, which stays as long as the memory.
SPIPlanPtr kept_plan(const char* update, Oid table, MemoryContext memory) {
    Oid types[] = {TIDOID, OIDOID};
    const SPIPlanPtr plan = planned(update, table, 2, types);
    SPI_keepplan(plan);
    auto* const callback = static_cast<MemoryContextCallback*>(
        MemoryContextAlloc(memory, sizeof(MemoryContextCallback)));
    callback->func = [](void* kept) { SPI_freeplan(static_cast<SPIPlanPtr>(kept)); };
    callback->arg = plan;
    MemoryContextRegisterResetCallback(memory, callback);
    return plan;
}

/// Whether all triggers of a table run code of one owner or of superusers.
bool has_triggers_of(Oid table, Oid owner) {
    ListCell* cell;
    foreach (cell, triggers_of(table)) {
        const Oid trigger = static_cast<Form_pg_trigger>(lfirst(cell))->oid;
        if (OidIsValid(code_of_others({TriggerRelationId, trigger, 0}, owner, owner).classId))
            return false;
    }
    return true;
}

/// The table by which the current user may update a row that its statement has written: the table
/// of the row, or the one that it is a partition of, as the privileges of one are not those of the
/// other. The triggers of that one have to be those of an owner whose code the statement runs
/// anyway. InvalidOid if there is none.
Oid updated_table(Oid table) {
    if (may_update(table))
        return table;
    const Oid root = root_of(table);
    const Oid owner = owner_of(table);
    return may_update(root) && is_safe_with(owner_of(root), owner) && has_triggers_of(root, owner)
               ? root
               : InvalidOid;
}

/// The UPDATE of the row of a table at a place, by that table or one that it is a partition of.
const char* refill_statement(const ColumnPair& columns, Oid target) {
    return psprintf(
        "UPDATE %s SET %s = NULL WHERE ctid OPERATOR(pg_catalog.=) $1 "
        "AND tableoid OPERATOR(pg_catalog.=) $2",
        quote_qualified_identifier(get_namespace_name(get_rel_namespace(target)),
                                   get_rel_name(target)),
        quote_identifier(columns.name_of(columns.shadow)));
}

/// The arguments of refill, and its plan, for all rows of a statement.
struct Refill {
    Reference reference;
    SPIPlanPtr plan = nullptr;

    explicit Refill(const TriggerData& event) : reference{event} {}
};

/// A key and its shadow as they are now, and what they were written as.
struct LateKey {
    const ColumnPair& key;
    Datum written;
    Value shadow;
};

/// Whether a table has a row that references the key, with another shadow.
bool has_wrong_row(Relation table, const PairNames& names, const LateKey& late) {
    const TupleDesc columns = RelationGetDescr(table);
    const AttrNumber column = column_number(columns, names.column);
    const AttrNumber shadow = column_number(columns, names.shadow);
    const Comparison with_key{*TupleDescAttr(columns, column - 1), late.key.column.type};
    const Comparison with_shadow{*TupleDescAttr(columns, shadow - 1), late.key.shadow.type};
    const Oid index = index_by(table, column, with_key);
    const Snapshot latest = RegisterSnapshot(GetLatestSnapshot());
    ScanKeyData references = with_key.is(column, late.written);
    ScanKeyData is_right = with_shadow.is(shadow, late.shadow.value_or(Datum{0}));
    const SysScanDesc scan =
        systable_beginscan(table, index, OidIsValid(index), latest, 1, &references);
    bool is_found = false;
    while (!is_found) {
        CHECK_FOR_INTERRUPTS();
        const HeapTuple row = systable_getnext(scan);
        if (row == nullptr)
            break;
        const Value value = value_in(row, columns, shadow);
        is_found = !late.shadow || !value ||
                   !DatumGetBool(FunctionCall2Coll(&is_right.sk_func, is_right.sk_collation, *value,
                                                   is_right.sk_argument));
    }
    systable_endscan(scan);
    UnregisterSnapshot(latest);
    return is_found;
}

/// Whether a table or one of its partitions has such a row.
bool has_wrong_rows(Oid relation, const PairNames& names, const LateKey& late) {
    bool is_found = false;
    List* const members = find_all_inheritors(relation, AccessShareLock, nullptr);
    for (int n = 0; n < list_length(members) && !is_found; ++n) {
        const Relation table = table_open(list_nth_oid(members, n), NoLock);
        is_found = RelationGetForm(table)->relkind == RELKIND_RELATION &&
                   has_wrong_row(table, names, late);
        table_close(table, NoLock);
    }
    return is_found;
}

/// Whether a foreign key of the migration already proves a shadow.
bool has_foreign_key(Oid relation, const char* shadow) {
    const Relation table = table_open(relation, AccessShareLock);
    const AttrNumber number = get_attnum(relation, shadow);
    bool is_found = false;
    ListCell* cell;
    foreach (cell, RelationGetFKeyList(table)) {
        const auto& key = *static_cast<ForeignKeyCacheInfo*>(lfirst(cell));
        is_found |= std::find(key.conkey, key.conkey + key.nkeys, number) != key.conkey + key.nkeys;
    }
    table_close(table, NoLock);
    return is_found;
}

/// A reference that the client cannot look up again waits for the script. 55000 if it cannot wait:
/// after the cutover, clients see the value; and before it, a foreign key may be there that
/// compares it.
void check_may_wait(Oid table, const PairNames& names, bool is_cut_over) {
    if (!is_cut_over && !has_foreign_key(table, names.shadow))
        return;
    ereport(
        ERROR,
        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
         errmsg("column \"%s\" of table \"%s\" was written before its key, which cannot be "
                "looked up again",
                names.column, get_rel_name(table)),
         errdetail("Role \"%s\" would have to update the table, with triggers and other code of "
                   "its owner.",
                   GetUserNameFromId(GetUserId(), false)),
         errhint("Write the key before the references.")));
}

/// The columns of a table that reference a key, and the UPDATE of all of them.
struct Reset {
    Oid table;
    std::span<const Datum> columns;
    std::span<const Datum> shadows;
    const char* statement;

    PairNames names(std::size_t n) const {
        return {NameStr(*DatumGetName(columns[n])), NameStr(*DatumGetName(shadows[n]))};
    }

    /// The names of a column that has a row to update; nullopt if none has.
    std::optional<PairNames> wrong_column(const LateKey& late) const {
        for (std::size_t n = 0; n < columns.size(); ++n)
            if (has_wrong_rows(table, names(n), late))
                return names(n);
        return std::nullopt;
    }
};

/// What `reset` has to do in each table that references its key, as the catalogs are now:
/// REPEATABLE READ sees columns that are gone.
std::span<const Reset> resets(const TriggerData& event) {
    Oid types[] = {REGCLASSOID, NAMEOID};
    NameData column;
    namestrcpy(&column, event.tg_trigger->tgargs[0]);
    Datum values[] = {ObjectIdGetDatum(RelationGetRelid(event.tg_relation)), NameGetDatum(&column)};
    PushActiveSnapshot(GetLatestSnapshot());
    SPI_execute_with_args(
        "SELECT relation, columns, shadows, statement "
        "FROM uuidx_migrate_steps.reset_statements($1, $2)",
        2, types, values, nullptr, true, 0);
    PopActiveSnapshot();
    const SPITupleTable& rows = *SPI_tuptable;
    const uint64 count = rows.numvals;
    auto* const all = static_cast<Reset*>(palloc((count + 1) * sizeof(Reset)));
    for (uint64 i = 0; i < count; ++i) {
        const auto value = [&](int number) {
            return *value_in(rows.vals[i], rows.tupdesc, number);
        };
        const auto names = [&](int number) {
            return elements(DatumGetArrayTypeP(value(number)), NAMEOID);
        };
        all[i] = {DatumGetObjectId(value(1)), names(2), names(3), TextDatumGetCString(value(4))};
    }
    return {all, count};
}

void run_reset(const Reset& reset, const TriggerData& event, const LateKey& late) {
    CommandCounterIncrement();
    const auto wrong = reset.wrong_column(late);
    if (!wrong)
        return;
    if (!may_update(reset.table) ||
        !is_plain(reset.table, RelationGetForm(event.tg_relation)->relowner,
                  get_func_namespace(event.tg_trigger->tgfoid))) {
        check_may_wait(reset.table, *wrong, late.key.is_cut_over);
        return;
    }
    Oid types[] = {late.key.column.type, late.key.shadow.type};
    Datum values[] = {late.written, late.shadow.value_or(Datum{0})};
    const char nulls[] = {' ', late.shadow ? ' ' : 'n', '\0'};
    run(planned(reset.statement, reset.table, 2, types), values, nulls);
}

/// Has fill_reference look up again what references a key, except where the shadow is right
/// already.
void look_up_all_again(const TriggerData& event, const LateKey& late) {
    SPI_connect();
    // A column may go, as its migration is finished, until its table is locked.
    for (const Reset& reset : resets(event))
        LockRelationOid(reset.table, RowExclusiveLock);
    for (const Reset& reset : resets(event))
        run_reset(reset, event, late);
    SPI_finish();
}

/// Has looked up again what a client wrote before the key of a row: the key, or after the cutover
/// its alias.
void look_up_earlier(const TriggerData& event, const ColumnPair& key) {
    const Value former = key.value(new_row(event), key.former());
    const Value added = key.value(new_row(event), key.added());
    const Value mark = former ? Mark{event, key, 2}.of(*former) : std::nullopt;
    if (!mark || !added || key.added().are_equal(mark, added))
        return;
    if (key.is_cut_over)
        look_up_all_again(event, {key, *mark, std::nullopt});
    else
        look_up_all_again(event, {key, *former, added});
}

}  // namespace

/// uuidx_migrate_steps.refill() returns trigger, AFTER INSERT OR UPDATE FOR EACH ROW: looks up
/// again what fill_reference did not find, because the row that is referenced comes later in the
/// statement or in the transaction. Arguments: as fill_reference.
UUIDX_FUNCTION(uuidx_refill) {
    const TriggerData& event = shadow_event(fcinfo, after_write, 4);
    auto& state = statement_state<Refill>(fcinfo, event);
    const ColumnPair& columns = state.reference.columns;
    const HeapTuple tuple = new_row(event);
    const Pair pair{columns.value(tuple), columns.shadow_value(tuple)};
    if (!pair.column || !state.reference.mark.is_pending(columns, pair))
        PG_RETURN_POINTER(NULL);
    const auto found = state.reference.looked_up(*pair.column, true);
    if (!found || (columns.column.are_equal(found->column, pair.column) &&
                   columns.shadow.are_equal(found->shadow, pair.shadow)))
        PG_RETURN_POINTER(NULL);
    const Oid target = updated_table(columns.table);
    if (!OidIsValid(target)) {
        check_may_wait(columns.table,
                       {columns.name_of(columns.column), columns.name_of(columns.shadow)},
                       columns.is_cut_over);
        PG_RETURN_POINTER(NULL);
    }
    SPI_connect();
    if (state.plan == nullptr || !SPI_plan_is_valid(state.plan))
        state.plan = kept_plan(refill_statement(columns, target), target, fcinfo->flinfo->fn_mcxt);
    Datum values[] = {PointerGetDatum(&tuple->t_self), ObjectIdGetDatum(columns.table)};
    run(state.plan, values, nullptr);
    SPI_finish();
    PG_RETURN_POINTER(NULL);
}

/// uuidx_migrate_steps.reset() returns trigger, AFTER INSERT, UPDATE OR DELETE FOR EACH ROW,
/// deferred: if a key that was deleted, or that another row had, is there at the end of the
/// transaction, looks up again what references it. So does a new key. Arguments: the key, its
/// shadow, and the function that marks what is pending. Only a column that no foreign key connects
/// with the key needs this after INSERT: it may have had the value before.
UUIDX_FUNCTION(uuidx_reset) {
    const TriggerData& event = shadow_event(fcinfo, after_change, 2);
    const auto& key = statement_state<ColumnPair>(fcinfo, event);
    if (key.is_unchanged(event))
        PG_RETURN_POINTER(NULL);
    if (!TRIGGER_FIRED_BY_DELETE(event.tg_event))
        look_up_earlier(event, key);
    if (TRIGGER_FIRED_BY_INSERT(event.tg_event))
        PG_RETURN_POINTER(NULL);
    for (const HeapTuple row : {event.tg_trigtuple, event.tg_newtuple}) {
        const auto value = row != nullptr ? key.value(row) : std::nullopt;
        if (!value)
            continue;
        const KeyPart by_key = key.column.is(*value);
        const Role role = become_owner(key.table);
        const auto shadow = look_up({key.table,
                                     {&by_key, 1},
                                     key.shadow.number,
                                     key.shadow.type,
                                     true,
                                     key.may_lack_shadow()});
        restore(role);
        if (shadow)
            look_up_all_again(event, {key, *value, *shadow});
    }
    PG_RETURN_POINTER(NULL);
}

}  // namespace uuidx::pg
