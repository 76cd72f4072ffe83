// The order of UUIDs over all processes of the server: shared memory, and the file that outlasts
// it.

#pragma once

#include <atomic>

#include "core/sequence.h"

#include "uuidx/order/mark_file.h"

namespace uuidx::pg {

/// A lock of the server, as a mutex of the core.
struct Mutex {
    LWLock* of;

    void lock() { LWLockAcquire(of, LW_EXCLUSIVE); }
    bool try_lock() { return LWLockConditionalAcquire(of, LW_EXCLUSIVE); }
    void unlock() { LWLockRelease(of); }
};

/// What the processes of the server share.
struct ServerOrder {
    static constexpr const char* shared_name = "uuidx order 4";

    alignas(PG_CACHE_LINE_SIZE) Sequence<PreciseUnixTime> v7;
    alignas(PG_CACHE_LINE_SIZE) Sequence<GregorianTime> gregorian;
    /// The process that holds this lock writes the file and the members below.
    alignas(PG_CACHE_LINE_SIZE) LWLock lock;
    bool restored = false;
    /// How often the file has been written.
    std::uint64_t writes = 0;
    /// The timeline to which the mark belongs; 0 if there is none. A standby's is the primary's.
    std::uint32_t timeline = 0;
    /// Whether a worker has followed the replay, so that the mark is as new as what was replayed.
    bool followed = false;
    /// True until the order has gone on behind what the server replayed, once recovery has ended.
    alignas(PG_CACHE_LINE_SIZE) std::atomic<bool> may_be_behind_primary{true};

    static void initialize(void* memory);

    Mutex mutex() { return {&lock}; }
    /// What the file has to hold next, and writes it, for the process that holds the lock.
    Mark next_mark() const;
    bool store(const Mark& mark);
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free,
              "processes cannot share atomic 64-bit numbers on this machine");

/// This server's order, restored from the file and, after a promotion, behind the last commit that
/// the server replayed. 55000 unless the server has shared memory for it, XX001 and the errors of
/// files if the file cannot be read.
ServerOrder& server_order();

/// Registers the worker that follows the replay, if the module is preloaded; called once.
void register_worker();

/// Lets the order go on behind these times; the errors of files if the file cannot be written.
void reset_server_order(PreciseUnixTime v7, GregorianTime gregorian);

/// Makes the stored mark cover `prefix`. Returns false if the sequence was reset meanwhile. The
/// errors of files if the file cannot be written.
template <class Time>
bool cover(Sequence<Time>& sequence, std::uint64_t prefix);

/// Sequence::take, of prefixes that the stored mark covers; errors as above.
template <class Time>
std::optional<std::uint64_t> take(Sequence<Time>& sequence, std::uint64_t from,
                                  std::uint64_t count) {
    for (;;) {
        const auto first = sequence.take(from, count);
        if (!first || likely(!sequence.is_due(*first + count - 1)) ||
            cover(sequence, *first + count - 1))
            return first;
    }
}

}  // namespace uuidx::pg
