// The generators of this process.

#include "uuidx/order/generators.h"

#include "uuidx/order/server_order.h"

namespace uuidx::pg {

constinit RandomPool<> pool;
constinit Generator<PreciseUnixTime> v7_generator;
constinit Generator<GregorianTime> gregorian_generator;

void report(Failure failure, int version) {
    if (failure == Failure::clock)
        ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR), errmsg("could not read the clock: %m")));
    if (failure == Failure::randomness)
        ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR), errmsg("could not generate random values")));
    ereport(ERROR, (errcode(ERRCODE_DATETIME_FIELD_OVERFLOW),
                    errmsg("the system's clock is out of range for version %d UUIDs", version),
                    errdetail_internal("%s", range_detail(version))));
}

void warn_of_clock(Microseconds last, int version) {
    static bool warned = false;
    if (warned)
        return;
    warned = true;
    ereport(WARNING, (errmsg("version %d UUIDs are ahead of the system's clock by more than "
                             "\"uuidx.max_clock_ahead\"",
                             version),
                      errdetail("Their time stays at %s until the clock has passed it.",
                                timestamptz_to_str(timestamptz(last))),
                      errhint("If the clock was wrong before and is right now, call "
                              "uuid_generator_reset().")));
}

namespace {

/// By how much a reset changes the clock sequence, and each promotion by one: so the reset of a
/// primary and the promotion of its standby do not lead to the same one.
constexpr std::uint32_t reset_step = 8;

/// The next UUID with a fixed node. Its clock sequence is one of this server, which a reset
/// changes, and differs from that of the primary it was a standby of.
Uuid next_of_node(const NodeId& node, int version) {
    check_node_setting();
    if (RecoveryInProgress())
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("cannot generate UUIDs with a fixed node during recovery"),
                        errdetail("The primary server may generate UUIDs with the same node.")));
    ServerOrder& order = server_order();
    for (;;) {
        CHECK_FOR_INTERRUPTS();
        const auto resets = order.gregorian.resets();
        if (!resets)
            continue;
        const std::uint32_t clock_seq = *resets * reset_step + timeline();
        Uuid uuid;
        const Failure failure = gregorian_generator.next(
            method::fixed_node(node_number(node), clock_seq), read_clock,
            [] { return std::optional<std::uint64_t>{0}; },
            [&](std::uint64_t from, std::uint64_t count) {
                return take(order, order.gregorian, from, count);
            },
            std::span{&uuid, 1});
        if (failure != Failure::none)
            report(failure, version);
        if (order.gregorian.resets() == resets) {
            check_clock(gregorian_generator, version);
            return uuid;
        }
    }
}

}  // namespace

Uuid next_gregorian(int version) {
    if (fixed_node)
        return next_of_node(*fixed_node, version);
    return next(gregorian_generator, method::random_node, read_clock, version);
}

}  // namespace uuidx::pg
