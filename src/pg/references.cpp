// The triggers that keep the shadows of referencing columns: their values are looked up in the row
// that is referenced.

#include "pg/lookup.h"
#include "pg/saved_plan.h"
#include "pg/shadow.h"

#include "pg/shim.h"

extern "C" {
#include "access/table.h"
#include "access/xact.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
}

namespace uuidx::pg {

namespace {

/// A referencing column and its shadow, and the key and its shadow in the table `root`.
struct Reference {
    Shadowed columns;
    Oid root;
    const char* key;
    const char* key_shadow;
};

/// Whether the shadow of what was written could not be looked up: it is the written value itself,
/// which is as unique as that. A key of version 7 is its own shadow.
bool is_pending(const Uuid& written, const Uuid& shadow) {
    return shadow == written && !is_version(written, 7);
}

/// What a row is to hold that references `written`: a key, or the former or future value of one.
Pair looked_up(const Reference& reference, const Uuid& written, bool lock) {
    const Lookup by_key{reference.root, reference.key, reference.key_shadow, lock};
    const Lookup by_shadow{reference.root, reference.key_shadow, reference.key, lock};
    if (const auto shadow = look_up(by_key, written))
        return {written, shadow};
    if (is_indexed(by_shadow))
        if (const auto key = look_up(by_shadow, written))
            return {key, written};
    return {written, written};
}

/// The owner of the table has confirmed which table is referenced, and the owner of that one which
/// column is the shadow of its key.
Reference reference_of(FunctionCallInfo fcinfo, const TriggerData& event) {
    char** const texts = event.tg_trigger->tgargs;
    const Shadowed columns{fcinfo, event};
    StatementState& state = statement_state(fcinfo);
    const Oid root = state.referenced;
    if (state.more == nullptr) {
        const Relation table = table_open(root, AccessShareLock);
        confirm(event, table, Shadowed{table, texts[2], texts[3]});
        table_close(table, NoLock);
        state.more = &state;
    }
    check_referencing(RelationGetRelid(event.tg_relation), root);
    return {columns, root, texts[2], texts[3]};
}

// --- What is looked up again ---

/// As the owner of the table, which may be a partition, sets a shadow to NULL, which has
/// fill_reference look it up.
void look_up_again(Relation table, ItemPointer row, const char* shadow) {
    const Oid relation = RelationGetRelid(table);
    Datum parameter = PointerGetDatum(row);
    const Role role = become_owner(relation, Access::writes);
    SPI_connect();
    const SPIPlanPtr plan =
        saved_plan(psprintf("UPDATE ONLY %s SET %s = NULL WHERE ctid OPERATOR(pg_catalog.=) $1",
                            qualified_name(relation), quote_identifier(shadow)),
                   std::array<Oid, 1>{TIDOID});
    if (SPI_execute_plan(plan, &parameter, nullptr, false, 0) != SPI_OK_UPDATE)
        elog(ERROR, "could not look up a key again: %s", SPI_result_code_string(SPI_result));
    SPI_finish();
    restore(role);
}

/// Has fill_reference look up again what references a key, except where it has the shadow `is`
/// already. Like an action of a foreign key, it also finds what a snapshot of REPEATABLE READ does
/// not show: that is an error (40001).
void look_up_all_again(Oid root, const Uuid& key, const Uuid& is) {
    Oid types[] = {OIDOID, UUIDOID, UUIDOID};
    Datum values[] = {ObjectIdGetDatum(root), datum(key), datum(is)};
    SPI_connect();
    SPI_execute_with_args("SELECT relation, statement FROM uuidx_migrate_steps.reset_statements($1)", 1,
                          types, values, nullptr, true, 0);
    const SPITupleTable* const statements = SPI_tuptable;
    const bool is_fixed = IsolationUsesXactSnapshot();
    for (uint64 i = 0; i < statements->numvals; ++i) {
        bool null;
        const Oid table =
            DatumGetObjectId(SPI_getbinval(statements->vals[i], statements->tupdesc, 1, &null));
        const Role role = become_owner(table, Access::writes);
        const SPIPlanPtr plan =
            SPI_prepare(SPI_getvalue(statements->vals[i], statements->tupdesc, 2), 2, types + 1);
        CommandCounterIncrement();
        const Snapshot latest = is_fixed ? RegisterSnapshot(GetLatestSnapshot()) : InvalidSnapshot;
        SPI_execute_snapshot(plan, values + 1, nullptr, latest,
                             is_fixed ? GetTransactionSnapshot() : InvalidSnapshot, false, true, 0);
        if (is_fixed)
            UnregisterSnapshot(latest);
        restore(role);
    }
    SPI_finish();
}

/// Has looked up again what a client wrote before the key of a row: the key, or after the exchange
/// its alias.
void look_up_earlier(Oid root, const Shadowed& columns, HeapTuple row) {
    auto written = columns.value(row);
    auto other = columns.shadow_value(row);
    if (columns.is_exchanged())
        std::swap(written, other);
    if (written && other && written != other)
        look_up_all_again(root, *written, *other);
}

}  // namespace

/// uuidx_migrate_steps.fill_reference() returns trigger, BEFORE INSERT OR UPDATE FOR EACH ROW: keeps the
/// shadow of a referencing column, before and after the exchange. Arguments: the column, its
/// shadow, the key and its shadow. 22023 if an INSERT gives the shadow column another value.
///
/// As long as the column does not change, neither does its shadow, unless it is set to NULL. Its
/// value is then looked up without a lock on the row that is referenced: who deletes that row or
/// changes its key waits for this one, in `reset`.
UUIDX_FUNCTION(uuidx_fill_reference) {
    const TriggerData& event = shadow_event(fcinfo, before_write, 4);
    const Reference reference = reference_of(fcinfo, event);
    const Shadowed& columns = reference.columns;
    const auto written = columns.value(new_row(event));
    if (!written)
        return columns.stored(event, {});
    const bool is_unchanged = columns.is_unchanged(event);
    if (is_unchanged && columns.shadow_value(event.tg_newtuple)) {
        const auto shadow = columns.shadow_value(event.tg_trigtuple);
        if (shadow && !is_pending(*written, *shadow))
            return columns.stored(event, {written, shadow});
    }
    const Role role = become_owner(reference.root);
    const Pair pair = looked_up(reference, *written, !is_unchanged);
    restore(role);
    const auto given = columns.given(event);
    if (given && given != pair.shadow && given != written)
        columns.report_given();
    return columns.stored(event, pair);
}

/// uuidx_migrate_steps.refill() returns trigger, AFTER INSERT OR UPDATE FOR EACH ROW: looks up again what
/// fill_reference did not find, because the row that is referenced comes later in the statement or
/// in the transaction. Arguments: as fill_reference.
UUIDX_FUNCTION(uuidx_refill) {
    const TriggerData& event = shadow_event(fcinfo, after_write, 4);
    const Reference reference = reference_of(fcinfo, event);
    const HeapTuple tuple = new_row(event);
    const auto written = reference.columns.value(tuple);
    const auto shadow = reference.columns.shadow_value(tuple);
    if (!written || !shadow || !is_pending(*written, *shadow))
        PG_RETURN_POINTER(NULL);
    const Role role = become_owner(reference.root);
    const Pair pair = looked_up(reference, *written, true);
    restore(role);
    if (!is_pending(*pair.column, *pair.shadow))
        look_up_again(event.tg_relation, &tuple->t_self, reference.columns.shadow_name());
    PG_RETURN_POINTER(NULL);
}

/// uuidx_migrate_steps.reset() returns trigger, AFTER INSERT, UPDATE OR DELETE FOR EACH ROW, deferred: if
/// a key that was deleted, or that another row had, is there at the end of the transaction, looks
/// up again what references it. So does a new key. Arguments: the key and its shadow. Only a column
/// that no foreign key connects with the key needs this after INSERT: it may have had the value before.
UUIDX_FUNCTION(uuidx_reset) {
    const TriggerData& event = shadow_event(fcinfo, after_change, 2);
    const Shadowed columns{fcinfo, event};
    if (columns.is_unchanged(event))
        PG_RETURN_POINTER(NULL);
    const Oid root = RelationGetRelid(event.tg_relation);
    if (!TRIGGER_FIRED_BY_DELETE(event.tg_event))
        look_up_earlier(root, columns, new_row(event));
    if (TRIGGER_FIRED_BY_INSERT(event.tg_event))
        PG_RETURN_POINTER(NULL);
    const HeapTuple tuples[] = {event.tg_trigtuple, event.tg_newtuple};
    for (const HeapTuple tuple : tuples) {
        const auto key = tuple != nullptr ? columns.value(tuple) : std::nullopt;
        if (!key)
            continue;
        const Role role = become_owner(root);
        const auto shadow = look_up({root, columns.name(), columns.shadow_name(), true}, *key);
        restore(role);
        if (shadow)
            look_up_all_again(root, *key, *shadow);
    }
    PG_RETURN_POINTER(NULL);
}

}  // namespace uuidx::pg
