// What the trigger functions share.

#pragma once

#include "server/compat.h"
#include "server/datum.h"

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

/// The row as it is to be stored, or was stored.
inline HeapTuple new_row(const TriggerData& event) {
    return TRIGGER_FIRED_BY_UPDATE(event.tg_event) ? event.tg_newtuple : event.tg_trigtuple;
}

/// What a trigger function keeps for the rows of a statement: a T, made of the event for the first
/// of them. It stays until the statement ends, so T must not need a destructor.
template <class T>
T& statement_state(FunctionCallInfo fcinfo, const TriggerData& event) {
    FmgrInfo* const function = fcinfo->flinfo;
    if (function->fn_extra == nullptr) {
        const MemoryContext of_the_row = MemoryContextSwitchTo(function->fn_mcxt);
        function->fn_extra = new (palloc(sizeof(T))) T{event};
        MemoryContextSwitchTo(of_the_row);
    }
    return *static_cast<T*>(function->fn_extra);
}

/// The number of a column; 42703 if there is none with this name, or it has another type than this
/// or a domain over it.
inline AttrNumber column_number(TupleDesc row, const char* name, Oid type = InvalidOid) {
    const int number = SPI_fnumber(row, name);
    if (number <= 0 || (OidIsValid(type) && getBaseType(SPI_gettypeid(row, number)) != type))
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
                        OidIsValid(type) ? errmsg("there is no column \"%s\" of type %s", name,
                                                  format_type_be(type))
                                         : errmsg("there is no column \"%s\"", name)));
    return static_cast<AttrNumber>(number);
}

inline std::optional<Uuid> to_uuid(const std::optional<Datum>& value) {
    return value ? std::optional{to_uuid(*value)} : std::nullopt;
}

}  // namespace uuidx::pg
