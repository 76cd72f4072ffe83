// The order of UUIDs over all processes of the server.

#include "core/bounds.h"

#include "uuidx/order/promotion.h"

#include <new>

namespace uuidx::pg {

namespace {

ServerOrder* joined = nullptr;

bool store(const Sequence<PreciseUnixTime>&, std::uint64_t v7_mark) {
    Mark mark = joined->next_mark();
    mark.v7_mark = v7_mark;
    return joined->store(mark);
}

bool store(const Sequence<GregorianTime>&, std::uint64_t gregorian_mark) {
    Mark mark = joined->next_mark();
    mark.gregorian_mark = gregorian_mark;
    return joined->store(mark);
}

/// Restores the order from the file if no process has done so since the server started.
MarkReading restore(ServerOrder& order) {
    Mark mark;
    if (!pg_strong_random(&mark.resets, sizeof(mark.resets)))
        return MarkReading::no_randomness;
    const MarkReading reading = read_mark(mark);
    if (reading == MarkReading::done || reading == MarkReading::absent) {
        order.v7.restore(mark.v7_mark);
        order.gregorian.restore(mark.gregorian_mark, mark.resets);
        order.timeline = mark.timeline;
        order.writes = mark.writes;
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
    return {.timeline = timeline,
            .v7_mark = v7.mark(),
            .gregorian_mark = gregorian.mark(),
            .writes = writes + 1,
            .resets = *gregorian.resets()};
}

bool ServerOrder::store(const Mark& mark) {
    if (!write_mark(mark))
        return false;
    writes = mark.writes;
    return true;
}

ServerOrder& server_order() {
    if (unlikely(joined == nullptr))
        join_server_order();
    if (unlikely(joined->may_be_behind_primary.load(std::memory_order_acquire)) &&
        !RecoveryInProgress())
        follow_primary(*joined);
    return *joined;
}

void reset_server_order(PreciseUnixTime v7, GregorianTime gregorian) {
    ServerOrder& order = server_order();
    const auto store_v7 = [&](std::uint64_t mark) { return store(order.v7, mark); };
    // UUIDs with a fixed node may get the same timestamps again: they need another clock sequence.
    const auto store_gregorian = [&](std::uint64_t mark) {
        Mark now = order.next_mark();
        now.gregorian_mark = mark;
        ++now.resets;
        return order.store(now);
    };
    order.mutex().lock();
    const bool done = order.v7.reset(first_prefix(v7), store_v7) &&
                      order.gregorian.reset(first_prefix(gregorian), store_gregorian);
    order.mutex().unlock();
    if (!done)
        report_unwritten();
}

template <class Time>
bool cover(Sequence<Time>& sequence, std::uint64_t prefix) {
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
