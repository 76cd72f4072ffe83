// Version 7 keys in the place of other keys: what a key becomes, and the trigger that keeps the
// shadow of a key.

#include "core/name_based.h"
#include "pg/shadow.h"

#include "pg/shim.h"

extern "C" {
#include "catalog/pg_proc.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace uuidx::pg {

namespace {

/// What becomes of rows without a creation time that a version 7 UUID can hold, and of times to
/// come.
struct TimePolicy {
    enum class Future : std::uint8_t { error, epoch, keep };
    bool epoch_without_time;
    Future future;
};

/// 22023 unless the texts are error or epoch, and error, epoch or keep.
TimePolicy time_policy(std::string_view without_time, std::string_view future) {
    constexpr std::string_view futures[] = {"error", "epoch", "keep"};
    const auto* const found = std::ranges::find(futures, future);
    if ((without_time != "error" && without_time != "epoch") || found == std::end(futures))
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("rows_without_time must be error or epoch, and future_rows error, epoch or "
                        "keep")));
    return {without_time == "epoch", static_cast<TimePolicy::Future>(found - futures)};
}

/// Reports 22008: the policy does not allow the creation time of the row with this key.
[[noreturn]] void report_time(const Uuid& key, std::optional<TimestampTz> created,
                              const char* argument) {
    ereport(ERROR, (errcode(ERRCODE_DATETIME_FIELD_OVERFLOW),
                    errmsg("row with the key \"%s\" has no creation time for a version 7 UUID",
                           to_cstring(key)),
                    created ? errdetail("It is \"%s\".", timestamptz_to_str(*created))
                            : errdetail("It is null."),
                    errhint("With %s => 'epoch', such rows get the time 1970-01-01.", argument)));
}

/// The time that a key gets: the creation time, or the epoch where the policy says so; 22008 where
/// it says that this is an error.
TimestampTz key_time(const Uuid& key, std::optional<TimestampTz> created,
                     const TimePolicy& policy) {
    const TimestampTz epoch = timestamptz(Microseconds{});
    if (!created || *created < epoch) {
        if (!policy.epoch_without_time)
            report_time(key, created, "rows_without_time");
        return epoch;
    }
    if (policy.future != TimePolicy::Future::keep && *created > GetCurrentTimestamp()) {
        if (policy.future == TimePolicy::Future::error)
            report_time(key, created, "future_rows");
        return epoch;
    }
    return *created;
}

/// A version 7 key itself; for any other key the version 7 UUID of its creation time, by default
/// the one inside a key of version 1 or 6.
Uuid rekeyed(const Uuid& key, std::optional<TimestampTz> created, const TimePolicy& policy) {
    if (is_version(key, 7))
        return key;
    const auto uuid = v7_of(timestamp_at<PreciseUnixTime>(key_time(key, created, policy)), key);
    if (!uuid)
        report_no_hash(sha256.algorithm);
    return *uuid;
}

std::optional<TimestampTz> time_inside(const Uuid& key) {
    const auto time = timestamp(key);
    return time ? std::optional{timestamptz(*time)} : std::nullopt;
}

// --- The creation time of a row ---

/// The function in the schema of a table that has this name and takes a row of the table. It is
/// called as the owner of the table, so that role or a superuser must own it. 42883 if there is
/// none.
Oid created_function(Relation table, const char* name) {
    const Oid row = RelationGetForm(table)->reltype;
    const oidvector* const parameters = buildoidvector(&row, 1);
    const HeapTuple entry =
        SearchSysCache3(PROCNAMEARGSNSP, CStringGetDatum(name), PointerGetDatum(parameters),
                        ObjectIdGetDatum(RelationGetNamespace(table)));
    Oid function = InvalidOid;
    if (HeapTupleIsValid(entry)) {
        const auto* const proc = reinterpret_cast<Form_pg_proc>(GETSTRUCT(entry));
        if ((proc->proowner == RelationGetForm(table)->relowner || superuser_arg(proc->proowner)) &&
            proc->prorettype == TIMESTAMPTZOID && proc->prokind == PROKIND_FUNCTION &&
            !proc->proretset)
            function = proc->oid;
        ReleaseSysCache(entry);
    }
    if (!OidIsValid(function))
        ereport(ERROR,
                (errcode(ERRCODE_UNDEFINED_FUNCTION),
                 errmsg("table \"%s\" has no function \"%s\" of its owner for the creation time of "
                        "a row",
                        RelationGetRelationName(table), name)));
    return function;
}

/// The arguments of fill_key, and what evaluates the creation time.
struct Key {
    TimePolicy policy;
    ColumnPair columns;
    const char* function;
    ExprState* created = nullptr;  // with the first row that needs it
    ExprContext* context = nullptr;

    explicit Key(const TriggerData& event)
        : policy{time_policy(event.tg_trigger->tgargs[3], event.tg_trigger->tgargs[4])},
          columns{event, UUIDOID},
          function{event.tg_trigger->tgargs[2]} {}
};

/// Has the planner put the expression that the function consists of in the place of a call, over
/// the columns of the table.
void prepare_created(Key& key, Relation table) {
    const Oid function = created_function(table, key.function);
    Var* const row =
        makeVar(1, InvalidAttrNumber, RelationGetForm(table)->reltype, -1, InvalidOid, 0);
    FuncExpr* const call = makeFuncExpr(function, TIMESTAMPTZOID, list_make1(row), InvalidOid,
                                        InvalidOid, COERCE_EXPLICIT_CALL);
    key.context = CreateStandaloneExprContext();
    key.created = ExecInitExpr(expression_planner(reinterpret_cast<Expr*>(call)), nullptr);
}

/// Calls the function for the creation time of the new row, as the owner of the table, who wrote
/// it. `memory` outlasts the row.
std::optional<TimestampTz> created(Key& key, const TriggerData& event, MemoryContext memory) {
    const Role role = become_owner(key.columns.table);
    if (key.created == nullptr) {
        const MemoryContext of_the_row = MemoryContextSwitchTo(memory);
        prepare_created(key, event.tg_relation);
        MemoryContextSwitchTo(of_the_row);
    }
    ResetExprContext(key.context);
    key.context->ecxt_scantuple =
        TRIGGER_FIRED_BY_UPDATE(event.tg_event) ? event.tg_newslot : event.tg_trigslot;
    bool null;
    const Datum time = ExecEvalExprSwitchContext(key.created, key.context, &null);
    restore(role);
    return null ? std::nullopt : std::optional{DatumGetTimestampTz(time)};
}

/// After the exchange, the shadow of a key is the former key, an alias. A client that still writes
/// that means the row that had it; nullopt if there is none.
std::optional<Uuid> aliased(const ColumnPair& columns, const Uuid& written) {
    if (!columns.is_exchanged || is_version(written, 7))
        return std::nullopt;
    const KeyPart alias = columns.shadow.is(datum(written));
    const Role role = become_owner(columns.table);
    const auto key = to_uuid(
        look_up_filled({columns.table, {&alias, 1}, columns.column.number, columns.column.type}));
    restore(role);
    return key;
}

}  // namespace

/// uuidx_migrate_steps.v7_key(key uuid, created timestamptz, without_time text, future text)
/// returns uuid, not STRICT: a version 7 key itself; for any other, the version 7 UUID of the
/// creation time, in which rand_b says which key it was (uuid_v7_of). NULL for a NULL key. Without
/// a time of 1970 or later, and for one to come: 22008 or that of the epoch, as the texts say.
/// 22023 for other texts.
UUIDX_FUNCTION(uuidx_v7_key) {
    if (PG_ARGISNULL(2) || PG_ARGISNULL(3))
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                        errmsg("rows_without_time and future_rows must not be null")));
    const TimePolicy policy = time_policy(getarg_text(fcinfo, 2), getarg_text(fcinfo, 3));
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    const auto time = PG_ARGISNULL(1) ? std::nullopt : std::optional{PG_GETARG_TIMESTAMPTZ(1)};
    return datum(rekeyed(getarg_uuid(fcinfo, 0), time, policy));
}

/// uuidx_migrate_steps.pending_key(key uuid) returns uuid: what the shadow of a reference holds
/// while there is no such key: the key itself, which is as unique as that. NULL for a version 7
/// key, which is its own shadow for good.
UUIDX_FUNCTION(uuidx_pending_key) {
    if (is_version(getarg_uuid(fcinfo, 0), 7))
        PG_RETURN_NULL();
    return PG_GETARG_DATUM(0);
}

/// uuidx_migrate_steps.fill_key() returns trigger, BEFORE INSERT OR UPDATE FOR EACH ROW: keeps the
/// shadow of a key that becomes one of version 7. Arguments: the column, its shadow, the name of
/// the function for the creation time of a row ('' for the time inside the key), and what to do
/// with rows without a time and times to come, as for `rekeyed`. 22023 if an INSERT gives the
/// shadow column another value.
///
/// As long as the key does not change, neither does its shadow, even if the creation time does:
/// references rely on that.
UUIDX_FUNCTION(uuidx_fill_key) {
    const TriggerData& event = shadow_event(fcinfo, before_write, 5);
    auto& state = statement_state<Key>(fcinfo, event);
    const ColumnPair& columns = state.columns;
    const auto value = columns.value(new_row(event));
    if (!value)
        return columns.stored(event, {});
    if (columns.is_unchanged(event))
        if (const auto shadow = columns.shadow_value(event.tg_trigtuple))
            return columns.stored(event, {value, shadow});
    const Uuid written = to_uuid(*value);
    auto key = aliased(columns, written);
    if (!key)
        key = rekeyed(written,
                      is_version(written, 7)    ? std::nullopt
                      : *state.function == '\0' ? time_inside(written)
                                                : created(state, event, fcinfo->flinfo->fn_mcxt),
                      state.policy);
    const Value made = datum(*key);
    const Pair pair = columns.is_exchanged ? Pair{made, value} : Pair{value, made};
    const auto given = columns.given(event);
    if (given && !columns.shadow.are_equal(given, pair.shadow))
        columns.report_given();
    return columns.stored(event, pair);
}

}  // namespace uuidx::pg
