// The order of UUIDs over all processes of the server.

#include "core/bounds.h"

#include "uuidx/order/server_order.h"
#include "uuidx/order/settings.h"

#include <cstddef>
#include <new>
#include <type_traits>

extern "C" {
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "port/pg_crc32c.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/fd.h"
#include "storage/latch.h"
}

namespace uuidx::pg {

namespace {

ServerOrder* joined = nullptr;

/// The lock of the server's order, as a mutex of the core.
struct Lock {
    void lock() { LWLockAcquire(&joined->lock, LW_EXCLUSIVE); }
    bool try_lock() { return LWLockConditionalAcquire(&joined->lock, LW_EXCLUSIVE); }
    void unlock() { LWLockRelease(&joined->lock); }
};

// --- The file ---

constexpr const char* path = "uuidx.mark";
constexpr const char* temporary_path = "uuidx.mark.tmp";

/// The contents of the file, in the machine's byte order.
struct Stored {
    /// To be changed with the layout.
    static constexpr std::uint32_t current_magic = 0x7575'6902;

    std::uint32_t magic = current_magic;
    std::uint32_t timeline = 0;
    std::uint64_t v7_mark = 0;
    std::uint64_t gregorian_mark = 0;
    std::uint32_t resets = 0;
    pg_crc32c checksum = 0;

    pg_crc32c computed_checksum() const {
        pg_crc32c crc;
        INIT_CRC32C(crc);
        COMP_CRC32C(crc, this, offsetof(Stored, checksum));
        FIN_CRC32C(crc);
        return crc;
    }

    bool is_valid() const { return magic == current_magic && checksum == computed_checksum(); }
};
static_assert(std::has_unique_object_representations_v<Stored>);

enum class Reading : std::uint8_t { done, absent, failed, corrupted, no_randomness };

/// Opens a regular file, and never waits: to open a FIFO would, with the lock held. -1, and errno,
/// if that fails.
int open_file(const char* name, int flags) {
    const int file = BasicOpenFile(name, flags | O_NONBLOCK | PG_BINARY);
    struct stat status;
    if (file < 0 || (fstat(file, &status) == 0 && S_ISREG(status.st_mode)))
        return file;
    close(file);
    errno = EINVAL;
    return -1;
}

/// Reads the file; sets errno if that fails.
Reading read_file(Stored& stored) {
    const int file = open_file(path, O_RDONLY);
    if (file < 0)
        return errno == ENOENT ? Reading::absent : Reading::failed;
    Stored contents;
    const ssize_t size = read(file, &contents, sizeof(contents));
    const int error = errno;
    close(file);
    errno = error;
    if (size < 0)
        return Reading::failed;
    if (size != sizeof(contents) || !contents.is_valid())
        return Reading::corrupted;
    stored = contents;
    return Reading::done;
}

/// Replaces the file by one that is on disk when this returns true; sets errno if it returns false.
/// Raises no error: the caller has the lock.
bool write_file(Stored stored) {
    stored.checksum = stored.computed_checksum();
    const int file = open_file(temporary_path, O_WRONLY | O_CREAT | O_TRUNC);
    if (file < 0)
        return false;
    errno = 0;
    const bool written = write(file, &stored, sizeof(stored)) == sizeof(stored);
    const int error = errno == 0 ? ENOSPC : errno;
    const bool closed = close(file) == 0;
    if (!written)
        errno = error;
    return written && closed && durable_rename(temporary_path, path, LOG) == 0;
}

/// What the file has to hold now, for the process that holds the lock.
Stored stored() {
    return {.timeline = joined->timeline,
            .v7_mark = joined->v7.mark(),
            .gregorian_mark = joined->gregorian.mark(),
            .resets = *joined->gregorian.resets()};
}

bool store(const Sequence<PreciseUnixTime>&, std::uint64_t mark) {
    Stored now = stored();
    now.v7_mark = mark;
    return write_file(now);
}

bool store(const Sequence<GregorianTime>&, std::uint64_t mark) {
    Stored now = stored();
    now.gregorian_mark = mark;
    return write_file(now);
}

[[noreturn]] void report_unwritten() {
    ereport(ERROR, (errcode_for_file_access(), errmsg("could not write file \"%s\": %m", path)));
}

// --- The beginning ---

/// Restores the order from the file if no process has done so since the server started.
Reading restore(ServerOrder& order) {
    Stored stored;
    if (!pg_strong_random(&stored.resets, sizeof(stored.resets)))
        return Reading::no_randomness;
    const Reading reading = read_file(stored);
    if (reading == Reading::done || reading == Reading::absent) {
        order.v7.restore(stored.v7_mark);
        order.gregorian.restore(stored.gregorian_mark, stored.resets);
        order.timeline = stored.timeline;
        order.restored = true;
    }
    return reading;
}

void report_unread(Reading reading) {
    if (reading == Reading::no_randomness)
        ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR), errmsg("could not generate random values")));
    if (reading == Reading::failed)
        ereport(ERROR, (errcode_for_file_access(), errmsg("could not read file \"%s\": %m", path)));
    if (reading == Reading::corrupted)
        ereport(ERROR,
                (errcode(ERRCODE_DATA_CORRUPTED), errmsg("file \"%s\" is corrupted", path),
                 errhint("Remove it, and call uuid_generator_advance() with the greatest UUID that "
                         "this server has generated.")));
}

// --- The promotion ---

/// How far the keys of the primary can be ahead of the commit that the server replayed last: by a
/// second after a restart, where they go on behind the mark, and by as much as commits are logged
/// in another order than that of their times.
constexpr std::chrono::seconds margin_of_commits{2};

/// How far the keys of a server that has been promoted can be ahead of the order of a standby that
/// looked at the replay a second ago: by that second, and by a second for each restart.
constexpr std::chrono::seconds margin_of_promotion{5};

/// The clock of a primary that is further ahead than this was wrong: no failover manager tolerates
/// as much, and the order of all later keys would be ahead, too.
constexpr std::chrono::microseconds greatest_difference = std::chrono::hours{1};

/// Whether the clock of the primary, or of this server, is wrong.
bool is_wrong(TimestampTz replayed) {
    return replayed > GetCurrentTimestamp() + greatest_difference.count();
}

void go_on_behind(Microseconds passed) {
    joined->v7.take(position_of(first_after<UnixTime>(passed)).prefix(), 1);
    joined->gregorian.take(position_of(first_after<GregorianTime>(passed)).prefix(), 1);
}

/// Lets the order go on behind what the server has replayed. The caller has the lock.
///
/// If another server was promoted meanwhile, its keys can be ahead of its commits, for its clock
/// may be behind. They begin where the order of this standby was then.
void go_on_behind_replay(TimestampTz replayed) {
    TimeLineID replayed_timeline;
    GetXLogReplayRecPtr(&replayed_timeline);
    const std::uint64_t last = joined->v7.last();
    if (joined->followed && joined->timeline != replayed_timeline && last != 0)
        go_on_behind(to_microseconds(prefix_time<PreciseUnixTime>(last)) + margin_of_promotion);
    if (replayed != 0 && !is_wrong(replayed))
        go_on_behind(clamped_moment(replayed) + margin_of_commits);
    joined->timeline = replayed_timeline;
}

/// Says so if the order goes on somewhere else than at the system's clock, or should.
void report_promotion(TimestampTz replayed, TimestampTz last, bool mark_may_be_old) {
    if (is_wrong(replayed))
        ereport(WARNING,
                (errmsg("the last commit that this server replayed is more than an hour ahead of "
                        "the system's clock"),
                 errdetail("It has the time %s. UUIDs go on at the clock.",
                           timestamptz_to_str(replayed)),
                 errhint("If that time is right, call uuid_generator_advance() with the greatest "
                         "UUID.")));
    else if (mark_may_be_old)
        ereport(WARNING, (errmsg("file \"%s\" may be older than the UUIDs of this server", path),
                          errdetail("This server was promoted after the file had been written."),
                          errhint("If the system's clock may be behind, call "
                                  "uuid_generator_advance() with the greatest UUID.")));
    else if (replayed != 0 && max_clock_ahead >= 0 &&
             last > GetCurrentTimestamp() + max_clock_ahead * INT64CONST(1000))
        ereport(LOG, (errmsg("UUIDs in server-wide order are ahead of the system's clock by "
                             "more than \"uuidx.max_clock_ahead\""),
                      errdetail("They go on at %s, behind what this server has replayed.",
                                timestamptz_to_str(last))));
}

/// Lets the order go on behind the last commit that the server replayed, by the clock of the server
/// that it was a standby of, unless that is done. The first key stores the mark.
void follow_primary() {
    const TimestampTz replayed = GetLatestXTime();
    Lock{}.lock();
    const bool first = joined->may_be_behind_primary;
    const bool mark_may_be_old = replayed == 0 && !joined->followed && joined->timeline != 0 &&
                                 joined->timeline != timeline();
    if (first)
        go_on_behind_replay(replayed);
    joined->timeline = timeline();
    joined->may_be_behind_primary = false;
    Lock{}.unlock();
    if (first)
        report_promotion(
            replayed, timestamptz(to_microseconds(prefix_time<PreciseUnixTime>(joined->v7.last()))),
            mark_may_be_old);
}

}  // namespace

void ServerOrder::initialize(void* memory) {
    auto* const order = new (memory) ServerOrder;
    initialize_lock(&order->lock, "uuidx");
}

namespace {

void join_server_order() {
    ServerOrder* const order = SharedMemory<ServerOrder>::attach();
    if (order == nullptr)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("uuidx has no shared memory"), errhint("%s", preload_hint)));
    name_lock(&order->lock, "uuidx");
    LWLockAcquire(&order->lock, LW_EXCLUSIVE);
    const Reading reading = order->restored ? Reading::done : restore(*order);
    LWLockRelease(&order->lock);
    report_unread(reading);
    joined = order;
}

}  // namespace

ServerOrder& server_order() {
    if (unlikely(joined == nullptr))
        join_server_order();
    if (unlikely(joined->may_be_behind_primary.load(std::memory_order_acquire)) &&
        !RecoveryInProgress())
        follow_primary();
    return *joined;
}

void reset_server_order(PreciseUnixTime v7, GregorianTime gregorian) {
    ServerOrder& order = server_order();
    const auto store_v7 = [&](std::uint64_t mark) { return store(order.v7, mark); };
    // UUIDs with a fixed node may get the same timestamps again: they need another clock sequence.
    const auto store_gregorian = [&](std::uint64_t mark) {
        Stored now = stored();
        now.gregorian_mark = mark;
        ++now.resets;
        return write_file(now);
    };
    Lock{}.lock();
    const bool done = order.v7.reset(first_prefix(v7), store_v7) &&
                      order.gregorian.reset(first_prefix(gregorian), store_gregorian);
    Lock{}.unlock();
    if (!done)
        report_unwritten();
}

template <class Time>
bool cover(Sequence<Time>& sequence, std::uint64_t prefix) {
    using Covered = typename Sequence<Time>::Covered;
    const auto covered =
        sequence.cover(prefix, Lock{}, [&](std::uint64_t mark) { return store(sequence, mark); });
    if (covered == Covered::failed)
        report_unwritten();
    return covered == Covered::yes;
}
template bool cover(Sequence<PreciseUnixTime>&, std::uint64_t);
template bool cover(Sequence<GregorianTime>&, std::uint64_t);

namespace {

// --- The worker that follows the replay ---

void follow_replay() {
    Lock{}.lock();
    joined->followed = true;
    go_on_behind_replay(GetLatestXTime());
    Lock{}.unlock();
}

template <class Time>
void cover_last(Sequence<Time>& sequence) {
    if (const std::uint64_t last = sequence.last(); last != 0 && sequence.is_due(last))
        cover(sequence, last);
}

/// Stores the timeline, of which the mark is now.
void store_timeline() {
    Lock{}.lock();
    const bool written = write_file(stored());
    Lock{}.unlock();
    if (!written)
        report_unwritten();
}

/// Follows the replay once; returns false if there is none to come.
bool follow() {
    const bool in_recovery = RecoveryInProgress();
    ServerOrder& order = server_order();
    if (in_recovery)
        follow_replay();
    if (!order.followed && GetLatestXTime() == 0)
        return false;
    cover_last(order.v7);
    cover_last(order.gregorian);
    if (!in_recovery)
        store_timeline();
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
