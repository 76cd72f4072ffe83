// RFC 9562 sections 6.2 and 6.3: a sequence that several threads share, as processes do, with a
// scripted clock, and with crashes.

#include "core/sequence.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace uuidx {
namespace {

using V7Sequence = Sequence<PreciseUnixTime>;
using Covered = V7Sequence::Covered;

constexpr std::uint64_t start = std::uint64_t{1} << 63;
constexpr std::uint64_t margin = V7Sequence::margin;

TEST(Prefix, IsATimestampAndACounterOf4Bits) {
    EXPECT_EQ(first_prefix(precise_unix_time(3)), 0x30u);
    EXPECT_EQ(prefix_time<PreciseUnixTime>(0x3F), precise_unix_time(3));
    EXPECT_EQ(margin, first_prefix(precise_unix_time(4'096'000))) << "a second";
}

TEST(Sequence, IsEmptyAtFirst) {
    V7Sequence sequence;
    EXPECT_EQ(sequence.last(), 0u);
    EXPECT_EQ(sequence.mark(), 0u);
    EXPECT_EQ(sequence.resets(), 0u);
}

TEST(Sequence, FollowsTheClockAndCountsOn) {
    V7Sequence sequence;
    EXPECT_EQ(sequence.take(start, 1), start);
    EXPECT_EQ(sequence.take(start, 1), start + 1) << "the clock stands still";
    EXPECT_EQ(sequence.take(start - margin, 3), start + 2) << "it was set back";
    EXPECT_EQ(sequence.take(start, 1), start + 5) << "behind the stretch";
    EXPECT_EQ(sequence.take(start + margin, 1), start + margin) << "it went on";
    EXPECT_EQ(sequence.last(), start + margin);
}

TEST(Sequence, Ends) {
    V7Sequence sequence;
    EXPECT_EQ(sequence.take(V7Sequence::end - 3, 4), std::nullopt);
    EXPECT_EQ(sequence.take(V7Sequence::end - 3, 3), V7Sequence::end - 3);
    EXPECT_EQ(sequence.take(0, 1), std::nullopt);
    EXPECT_EQ(sequence.take(start, 1), std::nullopt) << "and does not start again";
}

/// What a thread of a scripted interleaving does between another one's load and compare-and-swap,
/// once, and before and after each of its stores.
std::function<void()> meanwhile;
std::function<void()> around_stores;

template <class T>
struct Interrupted : std::atomic<T> {
    using std::atomic<T>::atomic;

    bool compare_exchange_weak(T& expected, T desired) {
        if (const auto interrupt = std::exchange(meanwhile, nullptr))
            interrupt();
        return std::atomic<T>::compare_exchange_strong(expected, desired);
    }

    void store(T value) {
        if (around_stores)
            around_stores();
        std::atomic<T>::store(value);
        if (around_stores)
            around_stores();
    }
};

TEST(Sequence, GivesNoPrefixTwice) {
    Sequence<PreciseUnixTime, Interrupted> sequence;
    std::optional<std::uint64_t> others;
    meanwhile = [&] { others = sequence.take(start, 5); };
    const auto mine = sequence.take(start, 1);
    EXPECT_EQ(others, start);
    EXPECT_EQ(mine, start + 5);
}

// --- The mark ---

/// Stable storage that remembers all marks, and can fail.
struct Store {
    std::vector<std::uint64_t> marks;
    bool fails = false;

    bool operator()(std::uint64_t mark) {
        if (!fails)
            marks.push_back(mark);
        return !fails;
    }
};

TEST(Mark, IsStoredAheadOfTimeAndRenewedAtHalfTheMargin) {
    V7Sequence sequence;
    std::mutex mutex;
    Store store;
    const std::uint64_t first = *sequence.take(start, 1);
    EXPECT_TRUE(sequence.is_due(first));
    EXPECT_EQ(sequence.cover(first, mutex, store), Covered::yes);
    EXPECT_EQ(store.marks, std::vector{start + margin});
    EXPECT_EQ(sequence.mark(), start + margin);

    EXPECT_FALSE(sequence.is_due(*sequence.take(start + margin / 2, 1)));
    const std::uint64_t half = *sequence.take(0, 1);
    EXPECT_TRUE(sequence.is_due(half));
    mutex.lock();
    EXPECT_EQ(sequence.cover(half, mutex, store), Covered::yes) << "another process stores a mark";
    EXPECT_EQ(store.marks.size(), 1u);
    mutex.unlock();
    EXPECT_EQ(sequence.cover(half, mutex, store), Covered::yes);
    EXPECT_EQ(store.marks.back(), half + margin);
    EXPECT_EQ(sequence.cover(half, mutex, store), Covered::yes);
    EXPECT_EQ(store.marks.size(), 2u) << "none is due";
}

/// A mutex that tells whether it is locked.
struct CheckedMutex {
    bool locked = false;

    void lock() { EXPECT_FALSE(std::exchange(locked, true)); }
    bool try_lock() { return !std::exchange(locked, true); }
    void unlock() { EXPECT_TRUE(std::exchange(locked, false)); }
};

TEST(Mark, IsStoredWithTheLock) {
    V7Sequence sequence;
    CheckedMutex mutex;
    int stores = 0;
    const auto store = [&](std::uint64_t) {
        EXPECT_TRUE(mutex.locked);
        ++stores;
        return true;
    };
    EXPECT_EQ(sequence.cover(*sequence.take(start, 1), mutex, store), Covered::yes);
    EXPECT_EQ(sequence.cover(*sequence.take(start + margin, 1), mutex, store), Covered::yes);
    EXPECT_EQ(stores, 2) << "beyond the mark, and before it";
    EXPECT_FALSE(mutex.locked);
}

TEST(Mark, CoversEachProcessThatWaited) {
    V7Sequence sequence;
    std::mutex mutex;
    Store store;
    const std::uint64_t one = *sequence.take(start, 1);
    const std::uint64_t other = *sequence.take(start + 2 * margin, 1);
    EXPECT_EQ(sequence.cover(one, mutex, store), Covered::yes);
    EXPECT_FALSE(sequence.is_due(other)) << "it covers the last prefix, not only its own";
}

TEST(Mark, StaysIfItCannotBeStored) {
    V7Sequence sequence;
    std::mutex mutex;
    Store store;
    store.fails = true;
    const std::uint64_t first = *sequence.take(start, 1);
    EXPECT_EQ(sequence.cover(first, mutex, store), Covered::failed);
    EXPECT_TRUE(sequence.is_due(first));
    EXPECT_FALSE(sequence.reset(start - margin, store));
    EXPECT_EQ(sequence.last(), first);
    EXPECT_TRUE(mutex.try_lock()) << "nobody has the lock";
    mutex.unlock();
}

TEST(Mark, IsWhereARestartGoesOn) {
    V7Sequence sequence;
    sequence.restore(start);
    EXPECT_EQ(sequence.mark(), start);
    EXPECT_EQ(sequence.resets(), 0u);
    const std::uint64_t first = *sequence.take(start - margin, 1);
    EXPECT_EQ(first, start + 1);
    EXPECT_TRUE(sequence.is_due(first));
    sequence.restore(start, 7);
    EXPECT_EQ(sequence.resets(), 7u);
}

TEST(Mark, EndsWithTheSequence) {
    V7Sequence sequence;
    std::mutex mutex;
    Store store;
    EXPECT_EQ(sequence.cover(*sequence.take(V7Sequence::end - 2, 1), mutex, store), Covered::yes);
    EXPECT_EQ(sequence.mark(), V7Sequence::end - 1);
    sequence.restore(sequence.mark());
    EXPECT_EQ(sequence.take(0, 1), std::nullopt);
}

/// A UUID with a fixed node has the prefix and, in its clock sequence, the number of resets.
TEST(Mark, TheSamePrefixHasAnotherNumberOfResets) {
    Sequence<PreciseUnixTime, Interrupted> sequence;
    Store store;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> taken;
    const auto take = [&] {
        const auto resets = sequence.resets();
        const auto prefix = sequence.take(start, 1);
        if (resets && sequence.resets() == resets)
            taken.emplace_back(*resets, *prefix);
    };
    take();
    around_stores = take;
    EXPECT_TRUE(sequence.reset(start, store));
    around_stores = nullptr;
    for (int i = 0; i < 10; ++i)
        take();
    EXPECT_EQ(taken.back().first, 1u);
    std::sort(taken.begin(), taken.end());
    EXPECT_EQ(std::adjacent_find(taken.begin(), taken.end()), taken.end());
}

TEST(Mark, ForgetsAWrongClockWhenTheSequenceIsReset) {
    V7Sequence sequence;
    std::mutex mutex;
    Store store;
    const std::uint64_t wrong = *sequence.take(start + 1000 * margin, 1);
    EXPECT_TRUE(sequence.reset(start, store));
    EXPECT_EQ(store.marks, std::vector{start + margin});
    EXPECT_EQ(sequence.cover(wrong, mutex, store), Covered::reset);
    EXPECT_EQ(store.marks.size(), 1u) << "a prefix from before does not bring it back";
    EXPECT_EQ(sequence.take(start, 1), start + 1);
}

// --- Threads ---

/// What processes share, and what outlasts them.
struct Server {
    V7Sequence sequence;
    std::mutex mutex;
    std::atomic<std::uint64_t> clock = start;
    std::atomic<std::uint64_t> stored = 0;

    /// Takes prefixes that the stored mark covers, as a process of the server does.
    std::uint64_t take(std::uint64_t count) {
        for (;;) {
            const std::uint64_t first = *sequence.take(clock.load(), count);
            const std::uint64_t last = first + count - 1;
            const auto store = [this](std::uint64_t mark) {
                stored = mark;
                return true;
            };
            if (!sequence.is_due(last) || sequence.cover(last, mutex, store) == Covered::yes) {
                EXPECT_LE(last, stored);
                return first;
            }
        }
    }

    /// Restarts after a crash, with the clock set back.
    void restart() {
        clock = start;
        sequence.restore(stored);
    }
};

constexpr int rounds = 20;
constexpr int prefixes = 5000;

TEST(Threads, TakeEachPrefixOnceAndInOrderOverCrashes) {
    Server server;
    std::uint64_t last = 0;
    for (int round = 0; round < rounds; ++round) {
        std::array<std::vector<std::uint64_t>, 2> taken;
        std::atomic<int> running = 0;
        const auto run = [&](std::vector<std::uint64_t>& mine, std::uint64_t count) {
            for (++running; running < 2;)
                std::this_thread::yield();
            for (int i = 0; i < prefixes; ++i) {
                const std::uint64_t first = server.take(count);
                for (std::uint64_t n = 0; n < count; ++n)
                    mine.push_back(first + n);
                // The clock goes on by a second in some 50 steps, or stands still.
                if (i % 3 == 0)
                    server.clock += margin / 50;
            }
        };
        std::thread other{run, std::ref(taken[1]), 3};
        run(taken[0], 1);
        other.join();

        for (const auto& mine : taken) {
            EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
            EXPECT_GT(mine.front(), last) << "after all prefixes from before the crash";
        }
        std::vector<std::uint64_t> all = taken[0];
        all.insert(all.end(), taken[1].begin(), taken[1].end());
        std::sort(all.begin(), all.end());
        EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
        last = all.back();
        server.restart();
    }
}

/// What one thread has taken before it tells another one is less than what that one takes then.
TEST(Threads, TakeTurns) {
    Server server;
    std::atomic<std::uint64_t> told = 0;
    std::atomic<int> turn = 0;
    const auto run = [&](int me) {
        for (int i = 0; i < prefixes; ++i) {
            while (turn != me)
                std::this_thread::yield();
            const std::uint64_t mine = server.take(1);
            EXPECT_GT(mine, told.load(std::memory_order_relaxed));
            told.store(mine, std::memory_order_relaxed);
            server.clock += i % 2 == 0 ? margin / 100 : 0;
            turn = 1 - me;
        }
    };
    std::thread other{run, 1};
    run(0);
    other.join();
}

}  // namespace
}  // namespace uuidx
