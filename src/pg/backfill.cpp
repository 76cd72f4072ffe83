// Keeping a shadow column while it is filled.

#include <string_view>

#include "pg/pg.h"

extern "C" {
Datum uuidx_v1_to_v6(PG_FUNCTION_ARGS);
Datum uuidx_v6_to_v1(PG_FUNCTION_ARGS);
}

namespace uuidx::pg {

namespace {

/// What the trigger was created with.
struct Arguments {
    std::string_view from;
    std::string_view to;
    std::string_view direction;
    std::string_view others;
};

Arguments arguments(const Trigger& trigger) {
    if (trigger.tgnargs != 4)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("trigger \"%s\" needs four arguments", trigger.tgname)));
    char** const texts = trigger.tgargs;
    const Arguments arguments{texts[0], texts[1], texts[2], texts[3]};
    if ((arguments.direction != "v1_to_v6" && arguments.direction != "v6_to_v1") ||
        (arguments.others != "error" && arguments.others != "keep"))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("trigger \"%s\" has an argument that is none of: v1_to_v6, "
                               "v6_to_v1; error, keep",
                               trigger.tgname)));
    return arguments;
}

/// The number of a column of type uuid, or an error.
int uuid_column(TupleDesc row, std::string_view name) {
    const int number = SPI_fnumber(row, name.data());
    if (number <= 0 || SPI_gettypeid(row, number) != UUIDOID)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
                        errmsg("there is no column \"%s\" of type uuid", name.data())));
    return number;
}

Datum converted(Datum value, const Arguments& arguments) {
    const bool to_v6 = arguments.direction == "v1_to_v6";
    if (arguments.others == "keep" && !is_version(to_uuid(value), to_v6 ? 1 : 6))
        return value;
    return DirectFunctionCall1(to_v6 ? uuidx_v1_to_v6 : uuidx_v6_to_v1, value);
}

}  // namespace

/// uuid_migration_fill() returns trigger, BEFORE INSERT OR UPDATE FOR EACH ROW: puts the converted
/// value of a column into another. Its arguments: the column, the other column, 'v1_to_v6' or
/// 'v6_to_v1', and 'error' (22023) or 'keep' for values of another version.
UUIDX_FUNCTION(uuidx_migration_fill) {
    if (!CALLED_AS_TRIGGER(fcinfo))
        ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
                        errmsg("function was not called by trigger manager")));
    const auto* const event = reinterpret_cast<TriggerData*>(fcinfo->context);
    if (!TRIGGER_FIRED_BEFORE(event->tg_event) || !TRIGGER_FIRED_FOR_ROW(event->tg_event) ||
        TRIGGER_FIRED_BY_DELETE(event->tg_event))
        ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
                        errmsg("trigger \"%s\" must be fired BEFORE INSERT OR UPDATE FOR EACH ROW",
                               event->tg_trigger->tgname)));

    const TupleDesc row = RelationGetDescr(event->tg_relation);
    const HeapTuple tuple =
        TRIGGER_FIRED_BY_UPDATE(event->tg_event) ? event->tg_newtuple : event->tg_trigtuple;
    const Arguments names = arguments(*event->tg_trigger);
    int to = uuid_column(row, names.to);
    bool null;
    Datum value = heap_getattr(tuple, uuid_column(row, names.from), row, &null);
    if (!null)
        value = converted(value, names);
    return PointerGetDatum(heap_modify_tuple_by_cols(tuple, row, 1, &to, &value, &null));
}

}  // namespace uuidx::pg
