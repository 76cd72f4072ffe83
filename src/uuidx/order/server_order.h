// The order of UUIDs over all processes of the server: shared memory, the file that outlasts it,
// and the mark of each database, which reaches standbys.

#pragma once

#include <atomic>

#include "core/sequence.h"

#include "uuidx/order/database_mark.h"
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
    Start start{};

    static void initialize(void* memory);

    Mutex mutex() { return {&lock}; }
    /// What the file has to hold next, for the process that holds the lock.
    Mark next_mark() const;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free,
              "processes cannot share atomic 64-bit numbers on this machine");

/// This server's order, restored from the file. 55000 unless the server has shared memory for it,
/// XX001 and the errors of files if the file cannot be read.
ServerOrder& server_order();

/// Lets the order go on behind these times, also that of the standbys, by the mark of this
/// database. The errors of files if the file cannot be written, and those of cover_in_database().
void reset_server_order(PreciseUnixTime v7, GregorianTime gregorian);

/// Makes the mark in the file cover `prefix`; nothing during recovery. Returns false if the
/// sequence was reset meanwhile. The errors of files if the file cannot be written.
template <class Time>
bool cover(Sequence<Time>& sequence, std::uint64_t prefix);

/// Sequence::take, of prefixes that the marks of the file and of the database cover; errors as
/// above, and those of cover_in_database().
template <class Time>
std::optional<std::uint64_t> take(ServerOrder& order, Sequence<Time>& sequence, std::uint64_t from,
                                  std::uint64_t count) {
    for (;;) {
        const auto first = sequence.take(from, count);
        if (!first)
            return std::nullopt;
        const std::uint64_t last = *first + count - 1;
        if (unlikely(sequence.is_due(last)) && !cover(sequence, last))
            continue;
        if (likely(is_covered_in_database(sequence, last)) ||
            cover_in_database(sequence, order.start, last))
            return first;
    }
}

}  // namespace uuidx::pg
