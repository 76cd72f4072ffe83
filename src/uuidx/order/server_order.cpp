// The order of UUIDs over all processes of the server.

#include "core/bounds.h"

#include "uuidx/order/server_order.h"

#include <new>

namespace uuidx::pg {

namespace {

ServerOrder* joined = nullptr;

/// During recovery, nothing is stored: what a standby generates, no transaction of it can commit.
bool store(const Mark& mark) {
    if (RecoveryInProgress())
        return true;
    if (!write_mark(mark))
        return false;
    joined->writes = mark.writes;
    return true;
}

bool store(const Sequence<PreciseUnixTime>&, std::uint64_t v7_mark) {
    Mark mark = joined->next_mark();
    mark.v7_mark = v7_mark;
    return store(mark);
}

bool store(const Sequence<GregorianTime>&, std::uint64_t gregorian_mark) {
    Mark mark = joined->next_mark();
    mark.gregorian_mark = gregorian_mark;
    return store(mark);
}

/// Restores the order from the file if no process has done so since the server started. After a
/// promotion, the databases have all marks that count: those in the file may be from before a reset
/// of the old primary.
MarkReading restore(ServerOrder& order) {
    Mark mark;
    std::uint64_t random;
    if (!pg_strong_random(&mark.resets, sizeof(mark.resets)) ||
        !pg_strong_random(&random, sizeof(random)))
        return MarkReading::no_randomness;
    const MarkReading reading = read_mark(mark);
    if (reading == MarkReading::done || reading == MarkReading::absent) {
        const bool counts = !RecoveryInProgress() && mark.timeline == timeline();
        order.v7.restore(counts ? mark.v7_mark : 0);
        order.gregorian.restore(counts ? mark.gregorian_mark : 0, mark.resets);
        order.writes = mark.writes;
        order.start = Start{random >> 17 | 1};
        order.restored = true;
    }
    return reading;
}

void join_server_order() {
    ServerOrder* const order = SharedMemory<ServerOrder>::attach();
    if (order == nullptr)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("uuidx has no shared memory"), errhint("%s", preload_hint)));
    name_lock(&order->lock, "uuidx");
    LWLockAcquire(&order->lock, LW_EXCLUSIVE);
    const MarkReading reading = order->restored ? MarkReading::done : restore(*order);
    LWLockRelease(&order->lock);
    report_unread(reading);
    joined = order;
}

}  // namespace

void ServerOrder::initialize(void* memory) {
    auto* const order = new (memory) ServerOrder;
    initialize_lock(&order->lock, "uuidx");
}

Mark ServerOrder::next_mark() const {
    return {.timeline = RecoveryInProgress() ? 0 : timeline(),
            .v7_mark = v7.mark(),
            .gregorian_mark = gregorian.mark(),
            .writes = writes + 1,
            .resets = *gregorian.resets()};
}

ServerOrder& server_order() {
    if (unlikely(joined == nullptr))
        join_server_order();
    return *joined;
}

namespace {

void cover_last_in_database(ServerOrder& order) {
    cover_in_database(order.v7, order.start, order.v7.last());
    cover_in_database(order.gregorian, order.start, order.gregorian.last());
}

}  // namespace

void reset_server_order(PreciseUnixTime v7, GregorianTime gregorian) {
    ServerOrder& order = server_order();
    // What the database has from another start of a server would be inherited after the reset.
    cover_last_in_database(order);
    const auto store_v7 = [&](std::uint64_t mark) { return store(order.v7, mark); };
    // UUIDs with a fixed node may get the same timestamps again: they need another clock sequence.
    const auto store_gregorian = [&](std::uint64_t gregorian_mark) {
        Mark mark = order.next_mark();
        mark.gregorian_mark = gregorian_mark;
        ++mark.resets;
        return store(mark);
    };
    order.mutex().lock();
    const bool done = order.v7.reset(first_prefix(v7), store_v7) &&
                      order.gregorian.reset(first_prefix(gregorian), store_gregorian);
    order.mutex().unlock();
    if (!done)
        report_unwritten();
    cover_last_in_database(order);
}

template <class Time>
bool cover(Sequence<Time>& sequence, std::uint64_t prefix) {
    if (RecoveryInProgress())
        return true;
    using Covered = typename Sequence<Time>::Covered;
    const auto covered = sequence.cover(prefix, joined->mutex(),
                                        [&](std::uint64_t mark) { return store(sequence, mark); });
    if (covered == Covered::failed)
        report_unwritten();
    return covered == Covered::yes;
}
template bool cover(Sequence<PreciseUnixTime>&, std::uint64_t);
template bool cover(Sequence<GregorianTime>&, std::uint64_t);

}  // namespace uuidx::pg
