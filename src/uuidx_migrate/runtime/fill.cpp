// The trigger that keeps a shadow column.

#include "uuidx/convert.h"
#include "uuidx_migrate/runtime/shadow.h"

#include "server/shim.h"

namespace uuidx::pg {

namespace {

/// Converts UUIDs of version `from`; 22023 for any other.
struct Direction {
    unsigned from;
    Uuid (*convert)(const Uuid&);
};
constexpr Direction from_v1{1, convert_v1_to_v6};
constexpr Direction from_v6{6, convert_v6_to_v1};

/// The functions are named here, and not in the trigger's arguments: whoever has the privilege
/// TRIGGER on a table can create this trigger with arguments of his own, and a function that they
/// name would run with the rights of whoever changes the table.
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
    const Conversion* conversion;
    bool keep;  // UUIDs of other versions, and texts that stand for none
    ColumnPair columns;

    /// 22023 for arguments that the trigger does not know; 42703 unless the columns are of UUIDs or
    /// texts.
    explicit Arguments(const TriggerData& event)
        : conversion{std::ranges::find(conversions, std::string_view{event.tg_trigger->tgargs[2]},
                                       &Conversion::name)},
          keep{is_kept(event, event.tg_trigger->tgargs[3])},
          columns{event, type_of(event)} {}

  private:
    /// That of the column, or if it has another name by now, of its shadow.
    static Oid type_of(const TriggerData& event) {
        const TupleDesc row = RelationGetDescr(event.tg_relation);
        const int number = SPI_fnumber(row, event.tg_trigger->tgargs[0]);
        const Oid type = getBaseType(SPI_gettypeid(
            row, number > 0 ? number : column_number(row, event.tg_trigger->tgargs[1])));
        return is_text(type) ? type : UUIDOID;
    }

    bool is_kept(const TriggerData& event, std::string_view others) const {
        if (conversion == std::end(conversions) || (others != "error" && others != "keep"))
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("trigger \"%s\" has an argument that is none of: v1_to_v6, "
                                   "v6_to_v1; error, keep",
                                   event.tg_trigger->tgname)));
        return others == "keep";
    }
};

/// A UUID in the column and one in the shadow.
struct Uuids {
    Uuid column;
    Uuid shadow;
};

/// The UUID, converted. If it does not have the version that converts: 22023, or with `keep` the
/// UUID itself.
Uuid converted(const Uuid& uuid, const Direction& direction, bool keep) {
    return keep && !is_version(uuid, direction.from) ? uuid : direction.convert(uuid);
}

/// 22P02: the text stands for no UUID, or in a form that not every UUID has.
[[noreturn]] void report_text(Datum written) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                    errmsg("no UUID can take the place of \"%s\"", TextDatumGetCString(written)),
                    errdetail("It is no text of a UUID in one case.")));
}

/// Before the cutover, the shadow gets the new version of what is written into the column.
Uuids before_cutover(const Uuid& written, const Arguments& arguments) {
    const Conversion& conversion = *arguments.conversion;
    if (!arguments.keep && is_version(written, conversion.inverse.from))
        return {conversion.inverse.convert(written), written};
    return {written, converted(written, conversion.forward, arguments.keep)};
}

/// After the cutover, the column has the new version, also if a client still writes the old one.
/// The shadow gets the old version, which an undo needs.
Uuids after_cutover(const Uuid& written, const Arguments& arguments) {
    const Conversion& conversion = *arguments.conversion;
    if (is_version(written, conversion.forward.from))
        return {conversion.forward.convert(written), written};
    return {written, converted(written, conversion.inverse, arguments.keep)};
}

/// What a row is to hold for what is written into the column. 22P02 for a text in another form,
/// which `keep` leaves as it is.
Pair converted(Datum written, const Arguments& arguments) {
    const Column& column = arguments.columns.column;
    const auto uuid = to_uuid(column.key_in(written));
    if (!uuid && !arguments.keep)
        report_text(written);
    if (!uuid)
        return {written, written};
    const Uuids uuids = arguments.columns.is_cut_over ? after_cutover(*uuid, arguments)
                                                      : before_cutover(*uuid, arguments);
    return {column.with_key(written, datum(uuids.column)),
            column.with_key(written, datum(uuids.shadow))};
}

}  // namespace

/// uuidx_migrate_steps.fill() returns trigger, BEFORE INSERT OR UPDATE FOR EACH ROW: keeps a shadow
/// column of UUIDs, or of texts that stand for them, for the whole migration. Arguments: the
/// column, the shadow column, 'v1_to_v6' or 'v6_to_v1', and what to do with UUIDs of other versions
/// (22023) and other texts (22P02): 'error' or 'keep'. 22023 too if an INSERT gives the shadow
/// column another value.
UUIDX_FUNCTION(uuidx_fill) {
    const TriggerData& event = shadow_event(fcinfo, before_write, 4);
    const auto& arguments = statement_state<Arguments>(fcinfo, event);
    const ColumnPair& columns = arguments.columns;
    const auto written = columns.value(new_row(event));
    if (!written)
        return columns.stored(event, {});
    // A UUID that had the target version before the migration was kept in both columns. While the
    // column does not change, neither does the shadow: its inverse conversion is another UUID.
    const Value old_shadow = columns.is_cut_over && columns.is_unchanged(event)
                                 ? columns.shadow_value(event.tg_trigtuple)
                                 : std::nullopt;
    Pair pair = old_shadow ? Pair{written, old_shadow} : converted(*written, arguments);
    const auto given = columns.given(event);
    if (given && !columns.shadow.are_equal(given, pair.shadow)) {
        if (!(columns.is_cut_over && arguments.keep && columns.column.are_equal(given, written)))
            columns.report_given();
        pair.shadow = given;
    }
    return columns.stored(event, pair);
}

}  // namespace uuidx::pg
