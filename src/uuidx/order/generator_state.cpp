// Shows and changes where the generators are.

#include "core/bounds.h"
#include "core/convert.h"
#include "uuidx/order/generators.h"

#include "uuidx/order/greatest_key.h"
#include "uuidx/order/server_order.h"

namespace uuidx::pg {

namespace {

/// The time of the clock; 58000 and 22008 as for a generator.
template <class Time>
Time now() {
    const auto reading = read_clock();
    if (!reading)
        report(Failure::clock);
    const auto time = from_clock<Time>(*reading);
    if (!time)
        report(Failure::range, version_of<Time>);
    return *time;
}

/// The time of a prefix of the server's; nullopt if there was none yet.
template <class Time>
std::optional<Microseconds> moment_of(std::uint64_t prefix) {
    if (prefix == 0)
        return std::nullopt;
    return to_microseconds(prefix_time<Time>(prefix));
}

/// The row that uuid_generator_state returns for a generator, and for the sequence that it takes
/// its UUIDs from, if there is one.
template <class Time>
Datum state(FunctionCallInfo fcinfo, const char* method, const Generator<Time>& generator,
            const Sequence<Time>* sequence) {
    std::optional<Microseconds> last;
    std::optional<Microseconds> mark;
    std::optional<Uuid> last_uuid;
    if (sequence != nullptr) {
        const std::uint64_t prefix = sequence->last();
        last = moment_of<Time>(prefix);
        mark = moment_of<Time>(sequence->mark());
        if (last)
            last_uuid = uuid_at<Time>(method::precision.at(prefix, Position::lower_max));
    } else if (generator.made() > 0) {
        last = to_microseconds(generator.last());
    }
    const Microseconds clock = to_microseconds(now<Time>());
    return row(fcinfo, std::optional{std::string_view{method}}, last,
               std::optional{std::max(last.value_or(clock), clock) - clock},
               std::optional{static_cast<std::int64_t>(generator.made())},
               std::optional{std::string_view{sequence == nullptr ? "session" : "server"}}, mark,
               last_uuid);
}

/// Reports 22023 if `prefix` is more than a day ahead of the clock.
template <class Time>
void check_advance(std::uint64_t prefix, const char* argument) {
    if (prefix > first_prefix(now<Time>() + std::chrono::days{1}))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("more than a day ahead of the system's clock: \"%s\"", argument),
                        errhint("To advance the generator all the same, call "
                                "uuid_generator_advance() with force => true.")));
}

/// Lets the server go on behind `prefix`, and a standby after its promotion.
template <class Time>
void advance(Sequence<Time>& sequence, std::uint64_t prefix) {
    if (!take(server_order(), sequence, prefix, 1))
        report(Failure::range, version_of<Time>);
}

/// Lets the server go on behind a moment.
void advance_to(TimestampTz time, bool force) {
    const Uuid after_v7 = first_after<UnixTime>(clamped_moment(time));
    const Uuid after_v6 = first_after<GregorianTime>(clamped_moment(time));
    // Version 6 ends first.
    if (after_v6 == max_uuid)
        report_out_of_range(time, after_v7 == max_uuid ? 7 : 6);
    const std::uint64_t v7 = position_of(after_v7).prefix();
    if (!force)
        check_advance<PreciseUnixTime>(v7, timestamptz_to_str(time));
    advance(server_order().v7, v7);
    advance(server_order().gregorian, position_of(after_v6).prefix());
}

}  // namespace

/// uuid_generator_state(version integer) returns one row: the state of the generator of that
/// version; versions 1 and 6 share one. 22023 unless version is 1, 6 or 7; errors of the settings
/// as when it generates.
UUIDX_FUNCTION(uuidx_generator_state) {
    const int32 version = PG_GETARG_INT32(0);
    switch (version) {
        case 1:
        case 6:
            check_node_setting();
            return state(fcinfo, "counter", gregorian_generator,
                         fixed_node ? &server_order().gregorian : nullptr);
        case 7:
            check_v7_settings();
            return state(
                fcinfo, v7_method_name(), v7_generator,
                v7_settings.order == V7Settings::Order::server ? &server_order().v7 : nullptr);
        default:
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("there is no generator of version \"%d\"", version),
                            errdetail("Generators are of version 1, 6 or 7.")));
    }
}

/// uuid_generator_advance(uuid, force boolean) returns void: no UUID that the server orders will be
/// at or before this one, of version 7, or of version 1 or 6. 22023 for other versions, and without
/// `force` for one that is more than a day ahead of the clock; errors of server_order().
UUIDX_FUNCTION(uuidx_generator_advance) {
    const Uuid uuid = getarg_uuid(fcinfo, 0);
    const bool force = PG_GETARG_BOOL(1);
    const Uuid sortable = v1_to_v6(uuid).value_or(uuid);
    const std::uint64_t prefix = position_of(sortable).prefix();
    if (is_version(sortable, 7)) {
        if (!force)
            check_advance<PreciseUnixTime>(prefix, to_cstring(uuid));
        advance(server_order().v7, prefix);
    } else if (is_version(sortable, 6)) {
        if (!force)
            check_advance<GregorianTime>(prefix, to_cstring(uuid));
        advance(server_order().gregorian, prefix);
    } else {
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("there is no generator of UUIDs like \"%s\"", to_cstring(uuid)),
                        errdetail("Generators are of version 1, 6 or 7.")));
    }
    PG_RETURN_VOID();
}

/// uuid_generator_advance(timestamptz, force boolean) returns void: the same for all versions, with
/// the time of the UUID. 22008 for a moment that one of them cannot hold.
UUIDX_FUNCTION(uuidx_generator_advance_to_time) {
    advance_to(PG_GETARG_TIMESTAMPTZ(0), PG_GETARG_BOOL(1));
    PG_RETURN_VOID();
}

/// uuid_generator_advance_all(margin interval, force boolean, read_tables boolean) returns
/// timestamptz: the same with the time of the greatest version 7 key in the database's columns that
/// CHECK constraints prove, and the margin after it. Returns that moment; NULL if there is no such
/// key. What does not count, with a WARNING: without `force`, keys more than a day ahead of the
/// clock; without `read_tables`, those that no index begins with.
UUIDX_FUNCTION(uuidx_generator_advance_all) {
    const bool force = PG_GETARG_BOOL(1);
    const Microseconds in_a_day = to_microseconds(now<PreciseUnixTime>()) + std::chrono::days{1};
    const auto greatest =
        greatest_v7_key(force ? max_uuid : first_after<UnixTime>(in_a_day), PG_GETARG_BOOL(2));
    if (!greatest)
        PG_RETURN_NULL();
    const Datum moment = DirectFunctionCall2(
        timestamptz_pl_interval, datum(to_microseconds(v7::precise_timestamp(*greatest))),
        PG_GETARG_DATUM(0));
    advance_to(DatumGetTimestampTz(moment), true);
    return moment;
}

/// uuid_generator_reset() returns void: the generators of this session, and the server's order if
/// there is one, go on at the time of the clock. Errors of files if the stored mark cannot be read
/// or written.
UUIDX_FUNCTION(uuidx_generator_reset) {
    const auto v7 = now<PreciseUnixTime>();
    const auto gregorian = now<GregorianTime>();
    if (SharedMemory<ServerOrder>::available())
        reset_server_order(v7, gregorian);
    v7_generator.reset();
    gregorian_generator.reset();
    PG_RETURN_VOID();
}

}  // namespace uuidx::pg
