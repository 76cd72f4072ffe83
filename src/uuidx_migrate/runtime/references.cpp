// The triggers that keep the shadows of referencing columns: their values are looked up in the row
// that is referenced.

#include "uuidx_migrate/runtime/shadow.h"

#include "server/shim.h"

extern "C" {
#include "access/table.h"
#include "access/xact.h"
#include "parser/parse_func.h"
#include "parser/parsetree.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/snapmgr.h"
}

namespace uuidx::pg {

namespace {

// --- What is pending ---

/// What the shadow of a reference holds while no key has the value that is written: the mark that a
/// function of the conversion makes of it. Between columns of one type, that is the value itself.
/// Without a mark, the value is its own shadow, or there is none if that is of another type.
class Mark {
  public:
    Mark(const TriggerData& event, const ColumnPair& columns, int argument)
        : former_{columns.former()},
          added_{columns.added()},
          schema_{get_func_namespace(event.tg_trigger->tgfoid)},
          name_{event.tg_trigger->tgnargs > argument ? event.tg_trigger->tgargs[argument]
                                                     : nullptr} {}

    /// Of a value of the former column.
    Value of(Datum value) const {
        const Value key = former_.key_in(value);
        if (!key || name_ == nullptr)
            return key && has_one_type() ? Value{value} : std::nullopt;
        FmgrInfo function;
        fmgr_info(function_oid(), &function);
        LOCAL_FCINFO(call, 1);
        InitFunctionCallInfoData(*call, &function, 1, InvalidOid, nullptr, nullptr);
        call->args[0] = {*key, false};
        const Datum mark = FunctionCallInvoke(call);
        return call->isnull ? std::nullopt : Value{added_.with_key(value, mark)};
    }

    /// What a row holds with a value for which there is no key.
    Pair unresolved(const ColumnPair& columns, Datum written) const {
        Value shadow = columns.is_cut_over ? std::nullopt : of(written);
        if (!shadow && has_one_type())
            shadow = written;
        return {written, shadow};
    }

    bool is_pending(const ColumnPair& columns, const Pair& pair) const {
        const Value& former = columns.is_cut_over ? pair.shadow : pair.column;
        const Value& added = columns.is_cut_over ? pair.column : pair.shadow;
        if (!former || !added)
            return former || added;
        if (has_one_type() && !columns.added().are_equal(former, added))
            return false;
        const Value mark = of(*former);
        return mark && columns.added().are_equal(mark, added);
    }

  private:
    bool has_one_type() const { return former_.type == added_.type; }

    /// A function of the schema that the trigger function is in, and with it of the extension's, so
    /// that nobody else can have made it.
    Oid function_oid() const {
        List* const name = list_make2(makeString(get_namespace_name(schema_)), makeString(name_));
        const Oid from = former_.key_type();
        const Oid function = LookupFuncName(name, 1, &from, false);
        if (get_func_rettype(function) != added_.key_type())
            ereport(ERROR, (errcode(ERRCODE_INVALID_FUNCTION_DEFINITION),
                            errmsg("function %s does not return type %s", NameListToString(name),
                                   format_type_be(added_.key_type()))));
        return function;
    }

    Column former_;
    Column added_;
    Oid schema_;
    char* name_;  // null stands for the value itself
};

// --- What is looked up ---

/// A referencing column and its shadow, and the key and its shadow.
struct Reference {
    ColumnPair columns;
    ColumnPair key;
    Mark mark;

    /// The owner of the table has confirmed which table is referenced, and the owner of that one
    /// which column is the shadow of its key.
    explicit Reference(const TriggerData& event)
        : columns{event}, key{key_of(event, columns.referenced)}, mark{event, columns, 5} {
        check_referencing(columns.table, columns.referenced);
    }

    /// What a row is to hold that references `written`: a key, or the former or future value of
    /// one. nullopt if there is none.
    std::optional<Pair> looked_up(Datum written, bool lock) const {
        const Value meant = columns.column.key_in(written);
        if (!meant)
            return std::nullopt;
        const KeyPart by_key{key.column.number, *meant, columns.column.key_type()};
        const KeyPart by_shadow{key.shadow.number, *meant, columns.column.key_type()};
        const Role role = become_owner(key.table);
        const auto shadow = look_up({key.table,
                                     {&by_key, 1},
                                     key.shadow.number,
                                     key.shadow.type,
                                     lock,
                                     key.may_lack_shadow()});
        const Value found =
            !shadow && is_indexed(key.table, {&by_shadow, 1})
                ? look_up_value(
                      {key.table, {&by_shadow, 1}, key.column.number, key.column.type, lock})
                : std::nullopt;
        restore(role);
        // The types are those of the referencing table, whose owner must not run code as another.
        if (shadow)
            return Pair{written,
                        *shadow ? Value{converted(written, **shadow, key.shadow, columns.shadow)}
                                : std::nullopt};
        if (found)
            return Pair{converted(written, *found, key.column, columns.column),
                        converted(written, *meant, columns.column, columns.shadow)};
        return std::nullopt;
    }

    /// The same in a row that references itself, and which no other can find yet: a CHECK
    /// constraint may ask whether it does. The trigger of the key, if it comes later, has still to
    /// fill the shadow.
    std::optional<Pair> found_in_row(const TriggerData& event, Datum written) const {
        const char* const of_key = psprintf("zzz_%s", event.tg_trigger->tgargs[3]);
        if (root_of(columns.table) != key.table || strcmp(event.tg_trigger->tgname, of_key) < 0)
            return std::nullopt;
        // A partition may have its columns in another order.
        const auto value_of = [&](const Column& column) {
            const char* const name = get_attname(key.table, column.number, false);
            return value_in(new_row(event), columns.row, SPI_fnumber(columns.row, name));
        };
        const Value value = value_of(key.column);
        const Value shadow = value_of(key.shadow);
        const Value meant = columns.column.key_in(written);
        // A reference may have another type than the key. A key has one text in all of them.
        const auto is_meant = [&](const Column& column, Datum is) {
            return strcmp(text_of(is, column.type), text_of(*meant, columns.column.key_type())) ==
                   0;
        };
        if (!value || !shadow || !meant)
            return std::nullopt;
        if (is_meant(key.column, *value))
            return Pair{written, converted(written, *shadow, key.shadow, columns.shadow)};
        if (is_meant(key.shadow, *shadow))
            return Pair{converted(written, *value, key.column, columns.column),
                        converted(written, *meant, columns.column, columns.shadow)};
        return std::nullopt;
    }

  private:
    static ColumnPair key_of(const TriggerData& event, Oid root) {
        const Relation table = table_open(root, AccessShareLock);
        const ColumnPair key{
            event, table, {event.tg_trigger->tgargs[2], event.tg_trigger->tgargs[3]}};
        table_close(table, NoLock);
        return key;
    }

    /// A key as a value of a column that references it, which may have another type: by its text,
    /// or where that of the key stood in the text that was written.
    static Datum converted(Datum written, Datum value, const Column& from, const Column& to) {
        if (from.type == to.type || is_text(to.type))
            return to.with_key(written, value);
        Oid input;
        Oid parameter;
        getTypeInputInfo(to.type, &input, &parameter);
        return OidInputFunctionCall(input, text_of(value, from.type), parameter, -1);
    }
};

// --- What is looked up again ---

/// Runs an UPDATE that sets shadows to NULL, which has fill_reference look them up. Like an action
/// of a foreign key, it also finds what a snapshot of REPEATABLE READ does not show: that is an
/// error (40001).
void run_update(SPIPlanPtr plan, Datum* values, const char* nulls) {
    const bool is_fixed = IsolationUsesXactSnapshot();
    CommandCounterIncrement();
    const Snapshot latest = is_fixed ? RegisterSnapshot(GetLatestSnapshot()) : InvalidSnapshot;
    if (SPI_execute_snapshot(plan, values, nulls, latest,
                             is_fixed ? GetTransactionSnapshot() : InvalidSnapshot, false, true,
                             0) != SPI_OK_UPDATE)
        elog(ERROR, "could not look up a key again: %s", SPI_result_code_string(SPI_result));
    if (is_fixed)
        UnregisterSnapshot(latest);
}

/// A plan of an UPDATE of this table. 55000 if another relation has its name: the code of that one
/// would run as the owner of the table. Whoever owns the schema can give its name to another.
SPIPlanPtr planned(const char* query, Oid table, int count, Oid* parameters) {
    const SPIPlanPtr plan = SPI_prepare(query, count, parameters);
    const auto* const source =
        static_cast<CachedPlanSource*>(linitial(SPI_plan_get_plan_sources(plan)));
    // What the statement names comes first, also if the server has put a view's table in its place.
    const auto* const update =
        source->query_list == NIL ? nullptr : linitial_node(Query, source->query_list);
    if (update == nullptr || rt_fetch(1, update->rtable)->relid != table)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("table \"%s\" has another name by now", get_rel_name(table))));
    return plan;
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
        "SELECT relation, statement FROM uuidx_migrate_steps.reset_statements($1, $2)", 2, types,
        values, nullptr, true, 0);
    PopActiveSnapshot();
    return SPI_tuptable;
}

Oid relation_of(const SPITupleTable& statements, uint64 row) {
    bool null;
    return DatumGetObjectId(SPI_getbinval(statements.vals[row], statements.tupdesc, 1, &null));
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
    for (uint64 i = 0; i < statements->numvals; ++i) {
        const Oid table = relation_of(*statements, i);
        const Role role = become_owner(table, Access::writes);
        const SPIPlanPtr plan =
            planned(SPI_getvalue(statements->vals[i], statements->tupdesc, 2), table, 2, types);
        run_update(plan, values, nulls);
        restore(role);
    }
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

/// uuidx_migrate_steps.fill_reference() returns trigger, BEFORE INSERT OR UPDATE FOR EACH ROW:
/// keeps the shadow of a referencing column, before and after the cutover. Arguments: the column,
/// its shadow, the key and its shadow, the conversion, and the function that marks what is pending.
/// 22023 if an INSERT gives the shadow column another value.
///
/// As long as the column does not change, neither does its shadow, unless it is set to NULL. Its
/// value is then looked up without a lock on the row that is referenced: who deletes that row or
/// changes its key waits for this one, in `reset`. A text stands for a key. Keys do not find it, so
/// `reset` leaves texts to look_up_again.
UUIDX_FUNCTION(uuidx_fill_reference) {
    const TriggerData& event = shadow_event(fcinfo, before_write, 4);
    const auto& reference = statement_state<Reference>(fcinfo, event);
    const ColumnPair& columns = reference.columns;
    const auto written = columns.value(new_row(event));
    if (!written)
        return columns.stored(event, {});
    const bool is_unchanged = columns.is_unchanged(event);
    if (is_unchanged && columns.shadow_value(event.tg_newtuple)) {
        const Pair before{written, columns.shadow_value(event.tg_trigtuple)};
        if (before.shadow && !reference.mark.is_pending(columns, before))
            return columns.stored(event, before);
    }
    auto found = reference.looked_up(*written, !is_unchanged);
    if (!found)
        found = reference.found_in_row(event, *written);
    const Pair pair = found ? *found : reference.mark.unresolved(columns, *written);
    const auto given = columns.given(event);
    // A dump may have a pending row whose key is there by now.
    if (given && !columns.shadow.are_equal(given, pair.shadow) &&
        !columns.shadow.are_equal(given, reference.mark.unresolved(columns, *written).shadow))
        columns.report_given();
    return columns.stored(event, pair);
}

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
    run_update(state.plan, &row, nullptr);
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
