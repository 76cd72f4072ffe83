// The worker that follows the replay, so that the mark of a standby is as new as what it has
// replayed.

#include "core/bounds.h"

#include "uuidx/order/promotion.h"

extern "C" {
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/latch.h"
}

namespace uuidx::pg {

namespace {

void follow_replay(ServerOrder& order) {
    order.mutex().lock();
    order.followed = true;
    go_on_behind_replay(order, GetLatestXTime());
    order.mutex().unlock();
}

template <class Time>
void cover_last(Sequence<Time>& sequence) {
    if (const std::uint64_t last = sequence.last(); last != 0 && sequence.is_due(last))
        cover(sequence, last);
}

/// Stores the timeline, of which the mark is now.
void store_timeline(ServerOrder& order) {
    order.mutex().lock();
    const bool written = order.store(order.next_mark());
    order.mutex().unlock();
    if (!written)
        report_unwritten();
}

/// Follows the replay once; returns false if there is none to come.
bool follow() {
    const bool in_recovery = RecoveryInProgress();
    ServerOrder& order = server_order();
    if (in_recovery)
        follow_replay(order);
    if (!order.followed && GetLatestXTime() == 0)
        return false;
    cover_last(order.v7);
    cover_last(order.gregorian);
    if (!in_recovery)
        store_timeline(order);
    return in_recovery;
}

}  // namespace

extern "C" {
/// Stores the mark every second of recovery, and once after it: the order goes on even if the
/// server is stopped before its first key. Ends then.
PGDLLEXPORT void uuidx_follow(Datum);
void uuidx_follow(Datum) {
    pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
    BackgroundWorkerUnblockSignals();
    while (follow()) {
        // Status 0 would end it for good.
        if (ShutdownRequestPending)
            proc_exit(1);
        WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, 1000,
                  PG_WAIT_EXTENSION);
        ResetLatch(MyLatch);
        CHECK_FOR_INTERRUPTS();
    }
}
}

void register_worker() {
    if (!process_shared_preload_libraries_in_progress)
        return;
    BackgroundWorker worker{};
    worker.bgw_flags = BGWORKER_SHMEM_ACCESS;
    worker.bgw_start_time = BgWorkerStart_ConsistentState;
    worker.bgw_restart_time = 10;
    strlcpy(worker.bgw_name, "uuidx order", BGW_MAXLEN);
    strlcpy(worker.bgw_type, worker.bgw_name, BGW_MAXLEN);
    strlcpy(worker.bgw_library_name, "uuidx", BGW_MAXLEN);
    strlcpy(worker.bgw_function_name, "uuidx_follow", BGW_MAXLEN);
    RegisterBackgroundWorker(&worker);
}

}  // namespace uuidx::pg
