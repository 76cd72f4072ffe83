// What the trigger functions share.

#pragma once

#include "pg/datum.h"

extern "C" {
#include "catalog/pg_type_d.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

namespace uuidx::pg {

/// When a trigger function may be called.
struct Timing {
    bool (*test)(TriggerEvent);
    const char* text;
};
inline constexpr Timing before_write{
    [](TriggerEvent e) { return TRIGGER_FIRED_BEFORE(e) && !TRIGGER_FIRED_BY_DELETE(e); },
    "BEFORE INSERT OR UPDATE FOR EACH ROW"};
inline constexpr Timing after_write{
    [](TriggerEvent e) { return TRIGGER_FIRED_AFTER(e) && !TRIGGER_FIRED_BY_DELETE(e); },
    "AFTER INSERT OR UPDATE FOR EACH ROW"};
inline constexpr Timing after_change{[](TriggerEvent e) { return TRIGGER_FIRED_AFTER(e) != 0; },
                                     "AFTER INSERT, UPDATE OR DELETE FOR EACH ROW"};

/// The event that fired a trigger FOR EACH ROW; 39P01 unless it is one of those of `timing`.
inline const TriggerData& row_event(FunctionCallInfo fcinfo, const Timing& timing) {
    if (!CALLED_AS_TRIGGER(fcinfo))
        ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
                        errmsg("function was not called by trigger manager")));
    const auto& event = *reinterpret_cast<TriggerData*>(fcinfo->context);
    if (!TRIGGER_FIRED_FOR_ROW(event.tg_event) || !timing.test(event.tg_event))
        ereport(ERROR,
                (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
                 errmsg("trigger \"%s\" must be fired %s", event.tg_trigger->tgname, timing.text)));
    return event;
}

inline const TriggerData& before_row(FunctionCallInfo fcinfo) {
    return row_event(fcinfo, before_write);
}

/// The row as it is to be stored, or was stored.
inline HeapTuple new_row(const TriggerData& event) {
    return TRIGGER_FIRED_BY_UPDATE(event.tg_event) ? event.tg_newtuple : event.tg_trigtuple;
}

/// The number of a column of type uuid or of a domain over it; 42703 if there is none with this
/// name.
inline int uuid_column(TupleDesc row, const char* name) {
    const int number = SPI_fnumber(row, name);
    if (number <= 0 || getBaseType(SPI_gettypeid(row, number)) != UUIDOID)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
                        errmsg("there is no column \"%s\" of type uuid", name)));
    return number;
}

/// The UUID in a column of a row; nullopt for NULL.
inline std::optional<Uuid> uuid_in(HeapTuple tuple, TupleDesc row, int column) {
    bool null;
    const Datum value = heap_getattr(tuple, column, row, &null);
    if (null)
        return std::nullopt;
    return to_uuid(value);
}

}  // namespace uuidx::pg
