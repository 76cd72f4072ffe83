// The triggers that have references looked up again whose key comes after them.

#include "uuidx_migrate/runtime/references.h"

#include "server/shim.h"

extern "C" {
#include "access/xact.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
}

namespace uuidx::pg {

namespace {

/// Runs an UPDATE that sets shadows to NULL, which has fill_reference look them up, or a query for
/// a row that it would update. Like an action of a foreign key, it also finds what a snapshot of
/// REPEATABLE READ does not show: to update that is an error (40001). Returns how many rows it
/// finds.
uint64 run(SPIPlanPtr plan, Datum* values, const char* nulls, int expected) {
    const bool is_fixed = IsolationUsesXactSnapshot();
    const bool is_update = expected == SPI_OK_UPDATE;
    CommandCounterIncrement();
    const Snapshot latest = is_fixed ? RegisterSnapshot(GetLatestSnapshot()) : InvalidSnapshot;
    const int result =
        SPI_execute_snapshot(plan, values, nulls, latest,
                             is_fixed && is_update ? GetTransactionSnapshot() : InvalidSnapshot,
                             false, true, is_update ? 0 : 1);
    if (result != expected)
        elog(ERROR, "could not look up a key again: %s", SPI_result_code_string(result));
    if (is_fixed)
        UnregisterSnapshot(latest);
    return SPI_processed;
}

/// A plan that stays as long as the memory.
SPIPlanPtr kept_plan(const char* query, Oid table, Oid parameter, MemoryContext memory) {
    const SPIPlanPtr plan = planned(query, table, 1, &parameter);
    SPI_keepplan(plan);
    auto* const callback = static_cast<MemoryContextCallback*>(
        MemoryContextAlloc(memory, sizeof(MemoryContextCallback)));
    callback->func = [](void* kept) { SPI_freeplan(static_cast<SPIPlanPtr>(kept)); };
    callback->arg = plan;
    MemoryContextRegisterResetCallback(memory, callback);
    return plan;
}

/// The arguments of refill, and its plan, for all rows of a statement.
struct Refill {
    Reference reference;
    SPIPlanPtr plan = nullptr;

    explicit Refill(const TriggerData& event) : reference{event} {}
};

/// The UPDATEs of all columns that reference the key of `reset`, as the catalogs are now:
/// REPEATABLE READ sees columns that are gone.
const SPITupleTable* reset_statements(const TriggerData& event) {
    Oid types[] = {REGCLASSOID, NAMEOID};
    NameData column;
    namestrcpy(&column, event.tg_trigger->tgargs[0]);
    Datum values[] = {ObjectIdGetDatum(RelationGetRelid(event.tg_relation)), NameGetDatum(&column)};
    PushActiveSnapshot(GetLatestSnapshot());
    SPI_execute_with_args(
        "SELECT relation, statement, query FROM uuidx_migrate_steps.reset_statements($1, $2)", 2,
        types, values, nullptr, true, 0);
    PopActiveSnapshot();
    return SPI_tuptable;
}

Oid relation_of(const SPITupleTable& statements, uint64 row) {
    bool null;
    return DatumGetObjectId(SPI_getbinval(statements.vals[row], statements.tupdesc, 1, &null));
}

/// Runs a statement in a column of these, as the owner of its table. Returns how many rows it
/// finds.
uint64 run_as_owner(const SPITupleTable& statements, uint64 row, int column, Access access,
                    Oid* types, Datum* values, const char* nulls) {
    const Oid table = relation_of(statements, row);
    const Role role = become_owner(table, access);
    const SPIPlanPtr plan =
        planned(SPI_getvalue(statements.vals[row], statements.tupdesc, column), table, 2, types);
    const uint64 rows =
        run(plan, values, nulls, access == Access::writes ? SPI_OK_UPDATE : SPI_OK_SELECT);
    restore(role);
    return rows;
}

/// Has fill_reference look up again what references a key, which `written` stands for, except where
/// the shadow is `is` already.
void look_up_all_again(const TriggerData& event, const ColumnPair& key, Datum written,
                       const Value& is) {
    Oid types[] = {key.column.type, key.shadow.type};
    Datum values[] = {written, is.value_or(Datum{0})};
    const char nulls[] = {' ', is ? ' ' : 'n', '\0'};
    SPI_connect();
    // A column may go, as its migration is finished, until its table is locked.
    const SPITupleTable* statements = reset_statements(event);
    for (uint64 i = 0; i < statements->numvals; ++i)
        LockRelationOid(relation_of(*statements, i), RowExclusiveLock);
    statements = reset_statements(event);
    // Where there is nothing to update, nothing is in the way of an UPDATE.
    for (uint64 i = 0; i < statements->numvals; ++i)
        if (run_as_owner(*statements, i, 3, Access::reads, types, values, nulls) > 0)
            run_as_owner(*statements, i, 2, Access::writes, types, values, nulls);
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
        look_up_all_again(event, key, *mark, std::nullopt);
    else
        look_up_all_again(event, key, *former, added);
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
    // As the owner of the table, which may be a partition.
    const Role role = become_owner(columns.table, Access::writes);
    SPI_connect();
    if (state.plan == nullptr || !SPI_plan_is_valid(state.plan))
        state.plan =
            kept_plan(psprintf("UPDATE ONLY %s SET %s = NULL "
                               "WHERE ctid OPERATOR(pg_catalog.=) $1",
                               quote_qualified_identifier(
                                   get_namespace_name(RelationGetNamespace(event.tg_relation)),
                                   RelationGetRelationName(event.tg_relation)),
                               quote_identifier(columns.name_of(columns.shadow))),
                      columns.table, TIDOID, fcinfo->flinfo->fn_mcxt);
    Datum row = PointerGetDatum(&tuple->t_self);
    run(state.plan, &row, nullptr, SPI_OK_UPDATE);
    SPI_finish();
    restore(role);
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
            look_up_all_again(event, key, *value, *shadow);
    }
    PG_RETURN_POINTER(NULL);
}

}  // namespace uuidx::pg
