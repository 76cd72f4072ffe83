// The trigger that fills a shadow column.

#include "pg/convert.h"

#include "pg/shim.h"

extern "C" {
#include "catalog/pg_type_d.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "utils/rel.h"
}

namespace uuidx::pg {

namespace {

/// The trigger's arguments.
struct Arguments {
    std::string_view from;
    std::string_view to;
    std::string_view direction;
    std::string_view others;
};

Arguments arguments_of(const Trigger& trigger) {
    if (trigger.tgnargs != 4)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("trigger \"%s\" needs four arguments", trigger.tgname)));
    char** const texts = trigger.tgargs;
    const Arguments arguments{texts[0], texts[1], texts[2], texts[3]};
    if ((arguments.direction != "v1_to_v6" && arguments.direction != "v6_to_v1") ||
        (arguments.others != "error" && arguments.others != "keep" && arguments.others != "kept"))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("trigger \"%s\" has an argument that is none of: v1_to_v6, "
                               "v6_to_v1; error, keep, kept",
                               trigger.tgname)));
    return arguments;
}

/// The number of a column of type uuid; 42703 if there is none with this name.
int uuid_column(TupleDesc row, std::string_view name) {
    const int number = SPI_fnumber(row, name.data());
    if (number <= 0 || SPI_gettypeid(row, number) != UUIDOID)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
                        errmsg("there is no column \"%s\" of type uuid", name.data())));
    return number;
}

/// The UUID in a column of a row; nullopt for NULL.
std::optional<Uuid> uuid_in(HeapTuple tuple, TupleDesc row, int column) {
    bool null;
    const Datum value = heap_getattr(tuple, column, row, &null);
    if (null)
        return std::nullopt;
    return to_uuid(value);
}

Uuid converted(const Uuid& uuid, const Arguments& arguments) {
    const bool to_v6 = arguments.direction == "v1_to_v6";
    if (arguments.others != "error" && !is_version(uuid, to_v6 ? 1 : 6))
        return uuid;
    return to_v6 ? convert_v1_to_v6(uuid) : convert_v6_to_v1(uuid);
}

/// Reports 22023: an INSERT without a column list put a value into the shadow column.
[[noreturn]] void report_given(const Arguments& arguments) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("column \"%s\" is kept by a trigger and cannot be given another value",
                    arguments.to.data()),
             errhint("Name the columns that are inserted. The values are those of column \"%s\".",
                     arguments.from.data())));
}

}  // namespace

/// uuidx_migrate.fill() returns trigger, BEFORE INSERT OR UPDATE FOR EACH ROW: writes the converted
/// value of a column into its shadow column. Arguments: the column, the shadow column, 'v1_to_v6'
/// or 'v6_to_v1', and what to do with UUIDs of another version: 'error' (22023), 'keep', or 'kept',
/// which also leaves the shadow column alone while the column does not change. 22023 too if an
/// INSERT gives the shadow column another value.
UUIDX_FUNCTION(uuidx_fill) {
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
    const Arguments arguments = arguments_of(*event->tg_trigger);
    const bool is_update = TRIGGER_FIRED_BY_UPDATE(event->tg_event);
    const HeapTuple tuple = is_update ? event->tg_newtuple : event->tg_trigtuple;
    const int from = uuid_column(row, arguments.from);
    int to = uuid_column(row, arguments.to);

    const auto uuid = uuid_in(tuple, row, from);
    auto shadow = uuid ? std::optional{converted(*uuid, arguments)} : std::nullopt;
    const bool kept = arguments.others == "kept";
    if (is_update) {
        const auto old_shadow = uuid_in(event->tg_trigtuple, row, to);
        if (kept && old_shadow && uuid_in(event->tg_trigtuple, row, from) == uuid)
            shadow = old_shadow;
    } else if (const auto given = uuid_in(tuple, row, to)) {
        if (given != shadow && !(kept && given == uuid))
            report_given(arguments);
        shadow = given;
    }
    Datum value = shadow ? datum(*shadow) : Datum{0};
    bool null = !shadow;
    return PointerGetDatum(heap_modify_tuple_by_cols(tuple, row, 1, &to, &value, &null));
}

}  // namespace uuidx::pg
