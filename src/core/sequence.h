// One order of UUIDs for all processes of a server, and over its restarts: RFC 9562 sections 6.2
// and 6.3.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>

#include "core/generator.h"

namespace uuidx {

/// The first prefix with this timestamp.
template <class Time>
constexpr std::uint64_t first_prefix(Time time) {
    return timestamp_bits(time) << Position::order_counter_width;
}

/// The timestamp of a prefix.
template <class Time>
constexpr Time prefix_time(std::uint64_t prefix) {
    return from_timestamp_bits<Time>(prefix >> Position::order_counter_width);
}

/// Hands out the prefixes of UUIDs (Position::prefix) in increasing order to processes that share
/// it. It is one number, the last prefix, which a process moves on by a compare-and-swap.
///
/// Stable storage has the mark: no prefix beyond it may become a UUID, and after a restart the
/// sequence goes on behind it. So a process stores the next mark ahead of time, for a second in
/// advance, and the order outlasts a crash even if the clock is set back meanwhile.
template <class Time, template <class> class Atomic = std::atomic>
class Sequence {
  public:
    static constexpr std::uint64_t margin = first_prefix(Time{} + std::chrono::seconds{1});
    static constexpr std::uint64_t end = std::numeric_limits<std::uint64_t>::max();

    /// Takes `count` prefixes in a row, the first at least `from`, all greater than those taken
    /// before. Returns the first; nullopt if there are not so many before `end`.
    std::optional<std::uint64_t> take(std::uint64_t from, std::uint64_t count) {
        std::uint64_t last = last_.load();
        std::uint64_t first;
        do {
            first = std::max(from, last + 1);
            if (first > end - count)
                return std::nullopt;
        } while (!last_.compare_exchange_weak(last, first + count - 1));
        return first;
    }

    /// True if a mark should be stored before `prefix` becomes a UUID: less than half the margin is
    /// left.
    bool is_due(std::uint64_t prefix) const {
        const std::uint64_t mark = mark_.load();
        return prefix > mark || mark - prefix < margin / 2;
    }

    /// What cover() has done.
    enum class Covered : std::uint8_t {
        yes,     ///< the mark covers the prefix
        failed,  ///< the mark could not be stored
        reset,   ///< the sequence was reset after the prefix was taken: take another one
    };

    /// Makes the mark cover `prefix`, for which one is due. One process stores a mark, while others
    /// wait for it only if the last one does not cover their prefix. `mutex` is like a std::mutex;
    /// `store` stores a mark, and returns false if that fails.
    template <class Mutex, class Store>
    Covered cover(std::uint64_t prefix, Mutex&& mutex, Store&& store) {
        if (prefix > mark_.load())
            mutex.lock();
        else if (!mutex.try_lock())
            return Covered::yes;
        Covered covered = Covered::yes;
        if (last_.load() < prefix)
            covered = Covered::reset;
        else if (is_due(prefix))
            covered = store_mark(last_.load(), store) ? Covered::yes : Covered::failed;
        mutex.unlock();
        return covered;
    }

    /// The mark to store when `last` is the last prefix: a margin ahead of it.
    static constexpr std::uint64_t mark_after(std::uint64_t last) {
        return last + std::min(margin, end - 1 - last);
    }

    /// Begins behind a stored mark. Only for a process that no other one disturbs.
    void restore(std::uint64_t mark, std::uint32_t resets = 0) {
        last_.store(mark);
        mark_.store(mark);
        resets_twice_.store(2 * resets);
    }

    /// Goes on behind `prefix`, even if that is earlier than UUIDs that exist. The caller has
    /// locked the mutex. Returns false, and changes nothing, if the mark cannot be stored.
    template <class Store>
    bool reset(std::uint64_t prefix, Store&& store) {
        if (!store_mark(prefix, store))
            return false;
        ++resets_twice_;
        last_.store(prefix);
        ++resets_twice_;
        return true;
    }

    /// The number of resets, counted on from restore(); nullopt while there is one. After a reset,
    /// the same prefixes come again: one belongs to this number if that is the same before it is
    /// taken and afterwards.
    std::optional<std::uint32_t> resets() const {
        const std::uint32_t twice = resets_twice_.load();
        return twice % 2 == 0 ? std::optional{twice / 2} : std::nullopt;
    }

    /// The last prefix that was taken.
    std::uint64_t last() const { return last_.load(); }

    std::uint64_t mark() const { return mark_.load(); }

  private:
    template <class Store>
    bool store_mark(std::uint64_t last, Store&& store) {
        const std::uint64_t mark = mark_after(last);
        if (!store(mark))
            return false;
        mark_.store(mark);
        return true;
    }

    Atomic<std::uint64_t> last_{0};
    Atomic<std::uint64_t> mark_{0};
    Atomic<std::uint32_t> resets_twice_{0};
};

}  // namespace uuidx

#include "core/no_postgres.h"
