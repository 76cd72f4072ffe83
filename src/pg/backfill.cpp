// The trigger that keeps a shadow column.

#include "pg/convert.h"

#include "pg/shim.h"
#include "pg/trigger.h"

namespace uuidx::pg {

namespace {

/// Converts UUIDs of version `from`; 22023 for any other.
struct Direction {
    unsigned from;
    Uuid (*convert)(const Uuid&);
};
constexpr Direction from_v1{1, convert_v1_to_v6};
constexpr Direction from_v6{6, convert_v6_to_v1};

struct Conversion {
    std::string_view name;
    Direction forward;
    Direction inverse;
};
constexpr Conversion conversions[] = {
    {"v1_to_v6", from_v1, from_v6},
    {"v6_to_v1", from_v6, from_v1},
};

/// The trigger's arguments.
struct Arguments {
    std::string_view column;
    std::string_view shadow;
    const Conversion* conversion;
    bool keep;  // UUIDs of other versions
};

/// 22023 for arguments that the trigger does not know.
Arguments arguments_of(const Trigger& trigger) {
    if (trigger.tgnargs != 4)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("trigger \"%s\" needs four arguments", trigger.tgname)));
    char** const texts = trigger.tgargs;
    const std::string_view others = texts[3];
    const auto* const conversion =
        std::ranges::find(conversions, std::string_view{texts[2]}, &Conversion::name);
    if (conversion == std::end(conversions) || (others != "error" && others != "keep"))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("trigger \"%s\" has an argument that is none of: v1_to_v6, "
                               "v6_to_v1; error, keep",
                               trigger.tgname)));
    return {texts[0], texts[1], conversion, others == "keep"};
}

/// The UUID, converted. If it does not have the version that converts: 22023, or with `keep` the
/// UUID itself.
Uuid converted(const Uuid& uuid, const Direction& direction, bool keep) {
    return keep && !is_version(uuid, direction.from) ? uuid : direction.convert(uuid);
}

/// What a row is to hold.
struct Pair {
    std::optional<Uuid> column;
    std::optional<Uuid> shadow;
};

/// Before the exchange, the shadow gets the new version of what is written into the column.
Pair before_exchange(const Uuid& written, const Arguments& arguments) {
    const Conversion& conversion = *arguments.conversion;
    if (!arguments.keep && is_version(written, conversion.inverse.from))
        return {conversion.inverse.convert(written), written};
    return {written, converted(written, conversion.forward, arguments.keep)};
}

/// After the exchange, the column has the new version, also if a client still writes the old one.
/// The shadow gets the old version, which an undo needs.
Pair after_exchange(const Uuid& written, const Arguments& arguments) {
    const Conversion& conversion = *arguments.conversion;
    if (is_version(written, conversion.forward.from))
        return {conversion.forward.convert(written), written};
    return {written, converted(written, conversion.inverse, arguments.keep)};
}

/// Reports 22023: an INSERT without a column list put a value into the shadow column.
[[noreturn]] void report_given(const Arguments& arguments) {
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("column \"%s\" is kept by a trigger and cannot be given another value",
                    arguments.shadow.data()),
             errhint("Name the columns that are inserted. The values are those of column \"%s\".",
                     arguments.column.data())));
}

}  // namespace

/// uuidx_migrate.fill() returns trigger, BEFORE INSERT OR UPDATE FOR EACH ROW: keeps a shadow
/// column for the whole migration. Arguments: the column, the shadow column, 'v1_to_v6' or
/// 'v6_to_v1', and what to do with UUIDs of other versions: 'error' (22023) or 'keep'. 22023 too if
/// an INSERT gives the shadow column another value.
///
/// The exchange exchanges only the names of the two columns: from then on, the column is the one
/// with the higher number.
UUIDX_FUNCTION(uuidx_fill) {
    const TriggerData& event = before_row(fcinfo);
    const TupleDesc row = RelationGetDescr(event.tg_relation);
    const Arguments arguments = arguments_of(*event.tg_trigger);
    const bool is_update = TRIGGER_FIRED_BY_UPDATE(event.tg_event);
    const HeapTuple tuple = new_row(event);
    const int column = uuid_column(row, arguments.column.data());
    const int shadow = uuid_column(row, arguments.shadow.data());
    const bool is_exchanged = column > shadow;

    const auto written = uuid_in(tuple, row, column);
    // A UUID that had the target version before the migration was kept in both columns. While the
    // column does not change, neither does the shadow: its inverse conversion is another UUID.
    const auto old_shadow =
        is_update && is_exchanged && written == uuid_in(event.tg_trigtuple, row, column)
            ? uuid_in(event.tg_trigtuple, row, shadow)
            : std::nullopt;
    Pair pair;
    if (written && old_shadow)
        pair = {written, old_shadow};
    else if (written)
        pair = is_exchanged ? after_exchange(*written, arguments)
                            : before_exchange(*written, arguments);

    const auto given = is_update ? std::nullopt : uuid_in(tuple, row, shadow);
    if (given && given != pair.shadow) {
        if (!(is_exchanged && arguments.keep && given == written))
            report_given(arguments);
        pair.shadow = given;
    }

    int columns[] = {column, shadow};
    Datum values[] = {pair.column ? datum(*pair.column) : Datum{0},
                      pair.shadow ? datum(*pair.shadow) : Datum{0}};
    bool nulls[] = {!pair.column, !pair.shadow};
    return PointerGetDatum(heap_modify_tuple_by_cols(tuple, row, 2, columns, values, nulls));
}

}  // namespace uuidx::pg
