// The trigger that guards the keys of a table.

#include "core/inspect.h"

#include "server/shim.h"
#include "server/trigger.h"

extern "C" {
#include "utils/fmgrprotos.h"
}

namespace uuidx::pg {

namespace {

/// The trigger's arguments, which are the same for all rows of a statement.
struct Guard {
    AttrNumber column;
    Datum ahead;  // how far in the future a key may be, an interval

    /// 22023 for another number of arguments, 42703 if there is no such column, 42P17 if it is
    /// generated, and an error of interval_in() for the interval.
    explicit Guard(const TriggerData& event) {
        const Trigger& trigger = *event.tg_trigger;
        if (trigger.tgnargs != 2)
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("trigger \"%s\" needs two arguments", trigger.tgname),
                            errhint("They are a column and an interval, as in uuid_guard('id', '5 "
                                    "minutes').")));
        const TupleDesc row = RelationGetDescr(event.tg_relation);
        column = column_number(row, trigger.tgargs[0], UUIDOID);
        if (TupleDescAttr(row, column - 1)->attgenerated != '\0')
            ereport(ERROR, (errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
                            errmsg("trigger \"%s\" cannot guard generated column \"%s\"",
                                   trigger.tgname, trigger.tgargs[0]),
                            errdetail("The column is generated after the trigger is fired.")));
        ahead = DirectFunctionCall3(interval_in, CStringGetDatum(trigger.tgargs[1]),
                                    ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
    }
};

/// Reports 23514 for a UUID of another version.
[[noreturn]] void report_version(const TriggerData& event, const Guard& guard, const Uuid& key) {
    ereport(
        ERROR,
        (errcode(ERRCODE_CHECK_VIOLATION),
         errmsg("new value for column \"%s\" of relation \"%s\" is not a version 7 UUID: \"%s\"",
                event.tg_trigger->tgargs[0], RelationGetRelationName(event.tg_relation),
                to_cstring(key)),
         errdetail("Trigger \"%s\" refuses other UUIDs.", event.tg_trigger->tgname),
         errtablecol(event.tg_relation, guard.column)));
}

/// Reports 23514 for a UUID whose time is later than `latest`.
[[noreturn]] void report_future(const TriggerData& event, const Guard& guard, const Uuid& key,
                                TimestampTz latest) {
    const char* const of_key = pstrdup(timestamptz_to_str(timestamptz(*timestamp(key))));
    ereport(
        ERROR,
        (errcode(ERRCODE_CHECK_VIOLATION),
         errmsg("new value for column \"%s\" of relation \"%s\" is too far in the future: \"%s\"",
                event.tg_trigger->tgargs[0], RelationGetRelationName(event.tg_relation),
                to_cstring(key)),
         errdetail("Its time is %s; the latest that trigger \"%s\" allows now is %s.", of_key,
                   event.tg_trigger->tgname, timestamptz_to_str(latest)),
         errhint("Check the clock of the machine that generated the key."),
         errtablecol(event.tg_relation, guard.column)));
}

}  // namespace

/// uuid_guard() returns trigger, BEFORE INSERT OR UPDATE FOR EACH ROW: refuses (23514) a key that
/// is not a version 7 UUID, or whose time is too far in the future. Arguments: the column, and an
/// interval. NULL passes, and so does a key that an UPDATE does not change.
UUIDX_FUNCTION(uuidx_guard) {
    const TriggerData& event = row_event(fcinfo, before_write);
    const auto& guard = statement_state<Guard>(fcinfo, event);
    const TupleDesc row = RelationGetDescr(event.tg_relation);
    const HeapTuple tuple = new_row(event);
    const auto key = to_uuid(value_in(tuple, row, guard.column));
    if (!key || (TRIGGER_FIRED_BY_UPDATE(event.tg_event) &&
                 key == to_uuid(value_in(event.tg_trigtuple, row, guard.column))))
        return PointerGetDatum(tuple);
    if (!is_version(*key, 7))
        report_version(event, guard, *key);
    const auto latest = DatumGetTimestampTz(DirectFunctionCall2(
        timestamptz_pl_interval, TimestampTzGetDatum(GetCurrentTimestamp()), guard.ahead));
    if (timestamptz(*timestamp(*key)) > latest)
        report_future(event, guard, *key, latest);
    return PointerGetDatum(tuple);
}

}  // namespace uuidx::pg
