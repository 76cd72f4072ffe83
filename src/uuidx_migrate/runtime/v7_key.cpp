// Version 7 keys in the place of other keys: what a key becomes, and the trigger that keeps the
// shadow of a key.

#include "core/name_based.h"
#include "uuidx_migrate/runtime/creation_time.h"
#include "uuidx_migrate/runtime/shadow.h"

#include "server/shim.h"

extern "C" {
#include "utils/acl.h"
}

namespace uuidx::pg {

namespace {

/// A version 7 key itself; for any other key the version 7 UUID of its creation time, by default
/// the one inside a key of version 1 or 6.
Uuid rekeyed(const Uuid& key, std::optional<TimestampTz> created, const TimePolicy& policy) {
    if (is_version(key, 7))
        return key;
    const auto uuid =
        v7_of(timestamp_at<PreciseUnixTime>(key_time(created, policy, datum(key), UUIDOID)), key);
    if (!uuid)
        report_no_hash(sha256.algorithm);
    return *uuid;
}

std::optional<TimestampTz> time_inside(const Uuid& key) {
    const auto time = timestamp(key);
    return time ? std::optional{timestamptz(*time)} : std::nullopt;
}

/// The arguments of fill_key.
struct Key {
    TimePolicy policy;
    ColumnPair columns;
    CreationTime created;

    explicit Key(const TriggerData& event)
        : policy{time_policy(event.tg_trigger->tgargs[3], event.tg_trigger->tgargs[4])},
          columns{event, UUIDOID},
          created{event.tg_trigger->tgargs[2]} {}
};

/// Whether the current user may read a column: where a row violates a constraint, the error shows
/// what is to be in it, also what a client did not write.
bool may_see(Oid table, AttrNumber column) {
    return pg_class_aclcheck(table, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
           pg_attribute_aclcheck(table, column, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

/// After the cutover, the shadow of a key is the former key, an alias. A client that still writes
/// that means the row that had it; nullopt if there is none, or if the client may not see its key.
std::optional<Uuid> aliased(const ColumnPair& columns, const Uuid& written) {
    if (!columns.is_cut_over || is_version(written, 7) ||
        !may_see(columns.table, columns.column.number))
        return std::nullopt;
    const KeyPart alias = columns.shadow.is(datum(written));
    const Role role = become_owner(columns.table);
    const auto key = to_uuid(
        look_up_value({columns.table, {&alias, 1}, columns.column.number, columns.column.type}));
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
    const TimePolicy policy = getarg_time_policy(fcinfo, 2);
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
    if (!key && is_version(written, 7))
        key = written;
    if (!key) {
        const auto time =
            state.created ? state.created.of(event, fcinfo->flinfo->fn_mcxt) : time_inside(written);
        key = rekeyed(written, time,
                      policy_for(event, columns.column.is(*value), time, state.policy));
    }
    const Value made = datum(*key);
    const Pair pair = columns.is_cut_over ? Pair{made, value} : Pair{value, made};
    const auto given = columns.given(event);
    if (given && !columns.shadow.are_equal(given, pair.shadow))
        columns.report_given();
    return columns.stored(event, pair);
}

}  // namespace uuidx::pg
