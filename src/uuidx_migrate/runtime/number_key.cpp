// Version 7 keys in the place of numbers: what a number becomes, and the trigger that keeps the
// shadow of a key.

#include "core/name_based.h"
#include "uuidx/order/generators.h"

#include "uuidx_migrate/runtime/creation_time.h"
#include "uuidx_migrate/runtime/shadow.h"

#include "server/shim.h"

namespace uuidx::pg {

namespace {

/// The value of a column of type smallint, integer or bigint; 42804 for another type.
std::int64_t number_in(Datum value, Oid type) {
    switch (type) {
        case INT2OID:
            return DatumGetInt16(value);
        case INT4OID:
            return DatumGetInt32(value);
        case INT8OID:
            return DatumGetInt64(value);
        default:
            ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                            errmsg("type %s is none of smallint, integer and bigint",
                                   format_type_be(type))));
    }
}

/// What makes keys of numbers: without a namespace, all bits beside the time are random.
struct NumberKeys {
    TimePolicy policy;
    std::string_view name_space;

    /// The version 7 UUID of the creation time; with a namespace, that of this followed by the
    /// number, as uuid_v7_of_name makes it.
    Uuid key_of(std::int64_t number, std::optional<TimestampTz> created) const {
        const TimestampTz time = key_time(created, policy, Int64GetDatum(number), INT8OID);
        if (name_space.empty())
            return v7_at(time);
        char* const name = psprintf("%.*s" INT64_FORMAT, static_cast<int>(name_space.size()),
                                    name_space.data(), number);
        const auto uuid = v7_of(timestamp_at<PreciseUnixTime>(time),
                                {reinterpret_cast<const std::uint8_t*>(name), strlen(name)});
        if (!uuid)
            report_no_hash(sha256.algorithm);
        return *uuid;
    }
};

/// The arguments of fill_number_key.
struct Key {
    NumberKeys keys;
    ColumnPair columns;
    CreationTime created;

    explicit Key(const TriggerData& event)
        : keys{time_policy(event.tg_trigger->tgargs[3], event.tg_trigger->tgargs[4]),
               event.tg_trigger->tgargs[5]},
          columns{event},
          created{event.tg_trigger->tgargs[2]} {
        if (columns.added().type != UUIDOID)
            ereport(ERROR,
                    (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("column \"%s\" is not of type uuid",
                                                                columns.name_of(columns.added()))));
    }
};

/// A UUID of the NCS variant (RFC 9562 4.1), which no generator makes, with a number in its first
/// 64 bits: what the shadow of a reference holds while there is no key with this number.
Uuid pending(std::int64_t number) {
    constexpr char mark[] = "\0number";  // The variant is in its first bit.
    static_assert(sizeof mark == 8);
    Uuid uuid;
    for (int i = 0; i < 8; ++i) {
        uuid.octets[i] =
            static_cast<std::uint8_t>(static_cast<std::uint64_t>(number) >> (56 - 8 * i));
        uuid.octets[8 + i] = static_cast<std::uint8_t>(mark[i]);
    }
    return uuid;
}

}  // namespace

/// uuidx_migrate_steps.v7_key_of_number(number bigint, created timestamptz, without_time text,
/// future text, namespace text) returns uuid, not STRICT: the version 7 UUID of the creation time,
/// with random bits or, with a namespace, those of this followed by the number (uuid_v7_of_name).
/// NULL for a NULL number. Errors for the time: as v7_key.
UUIDX_FUNCTION(uuidx_v7_key_of_number) {
    const NumberKeys keys{getarg_time_policy(fcinfo, 2),
                          PG_ARGISNULL(4) ? std::string_view{} : getarg_text(fcinfo, 4)};
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    const auto time = PG_ARGISNULL(1) ? std::nullopt : std::optional{PG_GETARG_TIMESTAMPTZ(1)};
    return datum(keys.key_of(PG_GETARG_INT64(0), time));
}

/// uuidx_migrate_steps.pending_number(number smallint) returns uuid: what the shadow of a reference
/// holds while no key has this number; and the same for integer and bigint.
UUIDX_FUNCTION(uuidx_pending_smallint) {
    return datum(pending(PG_GETARG_INT16(0)));
}
UUIDX_FUNCTION(uuidx_pending_integer) {
    return datum(pending(PG_GETARG_INT32(0)));
}
UUIDX_FUNCTION(uuidx_pending_bigint) {
    return datum(pending(PG_GETARG_INT64(0)));
}

/// uuidx_migrate_steps.fill_number_key() returns trigger, BEFORE INSERT OR UPDATE FOR EACH ROW:
/// keeps the shadow of a number that becomes a version 7 key. Arguments: the column, its shadow,
/// the name of the function for the creation time of a row ('' if no row has one), what to do with
/// rows without a time and times to come, and the namespace ('' for random keys). 22023 if an
/// INSERT gives the shadow column a UUID of another version.
///
/// As long as the number does not change, neither does its shadow. A client may choose the version
/// 7 key of a new row, as a dump does. After the cutover, a row has the number that its identity
/// or default gives it, if any.
UUIDX_FUNCTION(uuidx_fill_number_key) {
    const TriggerData& event = shadow_event(fcinfo, before_write, 6);
    auto& state = statement_state<Key>(fcinfo, event);
    const ColumnPair& columns = state.columns;
    if (columns.is_cut_over)
        return PointerGetDatum(new_row(event));
    const auto number = columns.value(new_row(event));
    if (!number)
        return columns.stored(event, {});
    Value key = columns.is_unchanged(event) ? columns.shadow_value(event.tg_trigtuple)
                                            : columns.given(event);
    if (key && TRIGGER_FIRED_BY_INSERT(event.tg_event) && !is_version(to_uuid(*key), 7))
        columns.report_given();
    if (!key) {
        const auto time =
            state.created ? state.created.of(event, fcinfo->flinfo->fn_mcxt) : std::nullopt;
        const NumberKeys keys{
            policy_for(event, columns.column.is(*number), time, state.keys.policy),
            state.keys.name_space};
        key = datum(keys.key_of(number_in(*number, columns.column.type), time));
    }
    return columns.stored(event, {number, key});
}

}  // namespace uuidx::pg
