// The time at which a row was created, from which its key becomes one of version 7.

#include "core/timestamp.h"

#include "uuidx_migrate/runtime/creation_time.h"

#include "server/shim.h"

extern "C" {
#include "catalog/pg_proc.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace uuidx::pg {

namespace {

constexpr TimePolicy no_error{true, TimePolicy::Future::keep};

/// Whether a version 7 UUID can hold the creation time.
bool is_time(std::optional<TimestampTz> created) {
    return created && *created >= timestamptz(Microseconds{});
}

/// The argument by which the policy makes an error of the creation time; null if none does.
const char* refusal(std::optional<TimestampTz> created, const TimePolicy& policy) {
    if (!is_time(created))
        return policy.epoch_without_time ? nullptr : "rows_without_time";
    return policy.future == TimePolicy::Future::error && *created > GetCurrentTimestamp()
               ? "future_rows"
               : nullptr;
}

/// Reports 22008: the policy does not allow the creation time of the row with this key.
[[noreturn]] void report_time(std::optional<TimestampTz> created, const char* argument, Datum key,
                              Oid type) {
    ereport(ERROR, (errcode(ERRCODE_DATETIME_FIELD_OVERFLOW),
                    errmsg("row with the key \"%s\" has no creation time for a version 7 UUID",
                           text_of(key, type)),
                    created ? errdetail("It is \"%s\".", timestamptz_to_str(*created))
                            : errdetail("It is null."),
                    errhint("With %s => 'epoch', such rows get the time 1970-01-01.", argument)));
}

/// The function in the schema of a table that has this name and takes a row of the table. Whoever
/// writes to the table runs it, as all its expressions, so the table's owner or a superuser must
/// own it. 42883 if there is none.
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
                        RelationGetRelationName(table), name),
                 errhint("Until its migration is finished, leave the table in its schema and with "
                         "its owner.")));
    return function;
}

}  // namespace

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

TimePolicy getarg_time_policy(FunctionCallInfo fcinfo, int first) {
    if (PG_ARGISNULL(first) || PG_ARGISNULL(first + 1))
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                        errmsg("rows_without_time and future_rows must not be null")));
    return time_policy(getarg_text(fcinfo, first), getarg_text(fcinfo, first + 1));
}

TimestampTz key_time(std::optional<TimestampTz> created, const TimePolicy& policy, Datum key,
                     Oid type) {
    if (const char* const argument = refusal(created, policy))
        report_time(created, argument, key, type);
    const bool is_epoch = !is_time(created) || (policy.future == TimePolicy::Future::epoch &&
                                                *created > GetCurrentTimestamp());
    return is_epoch ? timestamptz(Microseconds{}) : *created;
}

TimePolicy policy_for(const TriggerData& event, const KeyPart& key,
                      std::optional<TimestampTz> created, const TimePolicy& policy) {
    if (!TRIGGER_FIRED_BY_INSERT(event.tg_event) || refusal(created, policy) == nullptr)
        return policy;
    const Oid table = RelationGetRelid(event.tg_relation);
    const Role role = become_owner(table);
    const bool is_taken = look_up({table, {&key, 1}, key.column, key.type, true}).has_value();
    restore(role);
    return is_taken ? no_error : policy;
}

/// Has the planner put the expression that the function consists of in the place of a call, over
/// the columns of the table.
void CreationTime::prepare(Relation table) {
    const Oid function = created_function(table, function_);
    Var* const row =
        makeVar(1, InvalidAttrNumber, RelationGetForm(table)->reltype, -1, InvalidOid, 0);
    FuncExpr* const call = makeFuncExpr(function, TIMESTAMPTZOID, list_make1(row), InvalidOid,
                                        InvalidOid, COERCE_EXPLICIT_CALL);
    context_ = CreateStandaloneExprContext();
    state_ = ExecInitExpr(expression_planner(reinterpret_cast<Expr*>(call)), nullptr);
}

std::optional<TimestampTz> CreationTime::of(const TriggerData& event, MemoryContext memory) {
    const int settings = NewGUCNestLevel();
    set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
                      GUC_ACTION_SAVE, true, 0, false);
    if (state_ == nullptr) {
        const MemoryContext of_the_row = MemoryContextSwitchTo(memory);
        prepare(event.tg_relation);
        MemoryContextSwitchTo(of_the_row);
    }
    ResetExprContext(context_);
    context_->ecxt_scantuple =
        TRIGGER_FIRED_BY_UPDATE(event.tg_event) ? event.tg_newslot : event.tg_trigslot;
    bool null;
    const Datum time = ExecEvalExprSwitchContext(state_, context_, &null);
    AtEOXact_GUC(false, settings);
    return null ? std::nullopt : std::optional{DatumGetTimestampTz(time)};
}

}  // namespace uuidx::pg
