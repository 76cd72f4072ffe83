// Generates UUIDs.

#include <algorithm>

#include "core/name_based.h"
#include "uuidx/order/generators.h"
#include "uuidx/order/server_order.h"

#include "server/shim.h"
#include "uuidx/name_based.h"

extern "C" {
#include "miscadmin.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
}

namespace uuidx::pg {

namespace {

/// Fills `made` with the next version 7 UUIDs, which share a reading of the clock (RFC 9562 6.2:
/// "Take care to ensure UUIDs generated in batches are also monotonic").
void next_v7(std::span<Uuid> made) {
    if (unlikely(v7_settings.order == V7Settings::Order::unchecked))
        check_v7_settings();
    if (v7_settings.order == V7Settings::Order::server) {
        ServerOrder& order = server_order();
        const auto take_covered = [&](std::uint64_t from, std::uint64_t count) {
            return take(order, order.v7, from, count);
        };
        const Failure failure =
            v7_generator.next(v7_settings.method, read_clock, draw, take_covered, made);
        if (unlikely(failure != Failure::none))
            report(failure, 7);
        check_clock(v7_generator, 7);
        return;
    }
    const auto reading = read_clock();
    for (Uuid& uuid : made)
        uuid = next(v7_generator, v7_settings.method, [&] { return reading; });
}

Uuid next_v7() {
    Uuid uuid;
    next_v7(std::span{&uuid, 1});
    return uuid;
}

/// Stores the next `count` version 7 UUIDs as the function's result, on disk if they exceed
/// work_mem.
void store_batch(FunctionCallInfo fcinfo, int32 count) {
    std::array<Uuid, 16> made;
    const Rows rows{fcinfo};
    for (int32 left = count; left > 0;) {
        CHECK_FOR_INTERRUPTS();
        const std::size_t now = std::min<std::size_t>(made.size(), left);
        next_v7(std::span{made}.first(now));
        for (std::size_t i = 0; i < now; ++i) {
            Datum values[] = {PointerGetDatum(made[i].octets.data())};
            rows.add(values);
        }
        left -= static_cast<int32>(now);
    }
}

/// Shifts the timestamp of `uuid`, which uuidx.v7_method generated; by whole milliseconds if that
/// method stores no fraction in rand_a.
std::optional<Uuid> shifted_v7(const Uuid& uuid, std::chrono::microseconds by) {
    if (v7_settings.method.counter_in_upper != 0)
        by = std::chrono::floor<std::chrono::milliseconds>(by);
    return v7::shifted(uuid, by);
}

}  // namespace

Uuid v7_at(PreciseUnixTime time) {
    const int node_id = server_number();
    const Method method = node_id >= 0 ? method::numbered(node_id) : method::precision;
    return make_uuid(time, method.lower(random_bits()));
}

Uuid v7_at(TimestampTz time) {
    return v7_at(timestamp_at<PreciseUnixTime>(time));
}

/// uuid_generate_v7() returns uuid: RFC 9562 5.7 and 6.2, greater than every one before it in this
/// backend, whatever uuidx.v7_method was. 58000 if the clock cannot be read or there is no
/// randomness, 22008 if the clock is outside 1970 to 10889.
UUIDX_FUNCTION(uuidx_generate_v7) {
    return datum(next_v7());
}

/// uuid_generate_v7(shift interval) returns uuid: the next one with its timestamp shifted (RFC 9562
/// 6.1, "Altering, Fuzzing, or Smearing"). 22008 if the result is infinite or outside 1970 to
/// 10889.
UUIDX_FUNCTION(uuidx_generate_v7_shift) {
    const Uuid uuid = next_v7();
    const Microseconds from = to_microseconds(v7::timestamp(uuid));
    const TimestampTz to = DatumGetTimestampTz(
        DirectFunctionCall2(timestamptz_pl_interval, datum(from), PG_GETARG_DATUM(0)));
    const auto shifted_to = moment(to);
    const auto shifted = shifted_to ? shifted_v7(uuid, *shifted_to - from) : std::nullopt;
    if (!shifted)
        report_out_of_range(to, 7);
    return datum(*shifted);
}

/// uuid_generate_v7_at(timestamptz) returns uuid: version 7 for that time, with the fraction of the
/// millisecond in rand_a (RFC 9562 6.2 method 3) and rand_b random, except for the server's number.
/// 22008 outside 1970 to 10889, 22023 if the number cannot be used.
UUIDX_FUNCTION(uuidx_generate_v7_at) {
    return datum(v7_at(PG_GETARG_TIMESTAMPTZ(0)));
}

/// uuid_v7_of(created timestamptz, id uuid) returns uuid: version 7 for that time, with the
/// fraction of the millisecond in rand_a (RFC 9562 6.2 method 3). rand_b has the last 62 bits of a
/// version 4 UUID, or 62 bits of SHA-256 over the octets of any other. 22008 outside 1970 to 10889,
/// 58000 if OpenSSL cannot compute SHA-256.
UUIDX_FUNCTION(uuidx_v7_of) {
    const auto timestamp = timestamp_at<PreciseUnixTime>(PG_GETARG_TIMESTAMPTZ(0));
    const auto uuid = v7_of(timestamp, getarg_uuid(fcinfo, 1));
    if (!uuid)
        report_no_hash(sha256.algorithm);
    return datum(*uuid);
}

/// uuid_v7_of_name(created timestamptz, name text) returns uuid: the same with rand_b from SHA-256
/// over the name in the database's encoding.
UUIDX_FUNCTION(uuidx_v7_of_name) {
    const auto timestamp = timestamp_at<PreciseUnixTime>(PG_GETARG_TIMESTAMPTZ(0));
    const auto uuid = v7_of(timestamp, getarg_octets(fcinfo, 1));
    if (!uuid)
        report_no_hash(sha256.algorithm);
    return datum(*uuid);
}

/// uuid_generate_v7_batch(count integer) returns setof uuid: the results of `count` calls of
/// uuid_generate_v7(). In FROM, where PostgreSQL stores all rows before it uses the first, they are
/// generated at once; elsewhere one by one, as they are requested. 22023 if count is negative.
UUIDX_FUNCTION(uuidx_generate_v7_batch) {
    auto* const result = reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo);
    if (SRF_IS_FIRSTCALL()) {
        const int32 count = PG_GETARG_INT32(0);
        if (count < 0)
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("count of UUIDs must not be negative: \"%d\"", count)));
        if (result != nullptr && IsA(result, ReturnSetInfo) &&
            (result->allowedModes & SFRM_Materialize_Preferred) != 0) {
            store_batch(fcinfo, count);
            PG_RETURN_NULL();
        }
        SRF_FIRSTCALL_INIT()->max_calls = static_cast<uint64>(count);
    }
    FuncCallContext* const call = SRF_PERCALL_SETUP();
    if (call->call_cntr >= call->max_calls)
        SRF_RETURN_DONE(call);
    SRF_RETURN_NEXT(call, datum(next_v7()));
}

/// Planner support for uuid_generate_v7_batch: the number of rows, if count is a constant.
UUIDX_FUNCTION(uuidx_generate_v7_batch_support) {
    auto* const request = reinterpret_cast<SupportRequestRows*>(PG_GETARG_POINTER(0));
    if (!IsA(request, SupportRequestRows) || !is_funcclause(request->node))
        return Datum{0};
    List* const arguments = reinterpret_cast<FuncExpr*>(request->node)->args;
    const Node* const count =
        estimate_expression_value(request->root, static_cast<Node*>(linitial(arguments)));
    if (!IsA(count, Const) || reinterpret_cast<const Const*>(count)->constisnull)
        return Datum{0};
    request->rows = Max(DatumGetInt32(reinterpret_cast<const Const*>(count)->constvalue), 0);
    PG_RETURN_POINTER(request);
}

/// uuid_generate_v6() returns uuid: RFC 9562 5.6 and 6.2, greater than every one before it in this
/// backend. 58000 as for version 7, 22008 if the clock is outside 1582 to 5236.
UUIDX_FUNCTION(uuidx_generate_v6) {
    return datum(next_gregorian());
}

/// uuid_generate_v6_at(timestamptz) returns uuid: version 6 for that time. clock_seq and node are
/// random whatever uuidx.node is: only they tell UUIDs for the same time apart. 22008 outside 1582
/// to 5236.
UUIDX_FUNCTION(uuidx_generate_v6_at) {
    const auto timestamp = timestamp_at<GregorianTime>(PG_GETARG_TIMESTAMPTZ(0));
    return datum(make_uuid(timestamp, method::random_node.lower(random_bits())));
}

/// uuid_generate_v8(namespace uuid, name text) returns uuid: RFC 9562 B.2, SHA-256 over the
/// namespace's octets and the name in the database's encoding. 58000 if OpenSSL cannot compute
/// SHA-256.
UUIDX_FUNCTION(uuidx_generate_v8_name) {
    return uuid_of_name(fcinfo, sha256);
}

/// uuid_generate_v8(custom bytea) returns uuid: RFC 9562 5.8, the given octets with version and
/// variant set. 22023 unless there are 16.
UUIDX_FUNCTION(uuidx_generate_v8_custom) {
    const Octets custom = getarg_octets(fcinfo, 0);
    if (custom.size() != Uuid::size)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg_plural("cannot make a version 8 UUID of %zu byte",
                                      "cannot make a version 8 UUID of %zu bytes", custom.size(),
                                      custom.size()),
                        errdetail("A version 8 UUID is made of exactly 16 bytes.")));
    return datum(from_octets(custom, 8));
}

/// uuid_generate_v8_at(timestamptz) returns uuid: the layout of RFC 9562 B.1, with a count of 10 ns
/// in custom_a and custom_b, and custom_c random. 22008 outside 1970 to 2335.
UUIDX_FUNCTION(uuidx_generate_v8_at) {
    const auto timestamp = timestamp_at<UnixTime10ns>(PG_GETARG_TIMESTAMPTZ(0));
    return datum(v8::make(timestamp, random_bits()));
}

/// uuid_max() returns uuid: RFC 9562 5.10.
UUIDX_FUNCTION(uuidx_max) {
    return datum(max_uuid);
}

}  // namespace uuidx::pg
