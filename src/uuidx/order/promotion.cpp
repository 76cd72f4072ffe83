// The order of a server that was a standby, or is one.

#include "core/bounds.h"

#include "uuidx/order/promotion.h"
#include "uuidx/order/settings.h"

namespace uuidx::pg {

namespace {

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

void go_on_behind(ServerOrder& order, Microseconds passed) {
    order.v7.take(position_of(first_after<UnixTime>(passed)).prefix(), 1);
    order.gregorian.take(position_of(first_after<GregorianTime>(passed)).prefix(), 1);
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
        ereport(WARNING,
                (errmsg("file \"%s\" may be older than the UUIDs of this server", mark_path),
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

}  // namespace

void go_on_behind_replay(ServerOrder& order, TimestampTz replayed) {
    TimeLineID replayed_timeline;
    GetXLogReplayRecPtr(&replayed_timeline);
    const std::uint64_t last = order.v7.last();
    if (order.followed && order.timeline != replayed_timeline && last != 0)
        go_on_behind(order,
                     to_microseconds(prefix_time<PreciseUnixTime>(last)) + margin_of_promotion);
    if (replayed != 0 && !is_wrong(replayed))
        go_on_behind(order, clamped_moment(replayed) + margin_of_commits);
    order.timeline = replayed_timeline;
}

void follow_primary(ServerOrder& order) {
    const TimestampTz replayed = GetLatestXTime();
    order.mutex().lock();
    const bool first = order.may_be_behind_primary;
    const bool mark_may_be_old =
        replayed == 0 && !order.followed && order.timeline != 0 && order.timeline != timeline();
    if (first)
        go_on_behind_replay(order, replayed);
    order.timeline = timeline();
    order.may_be_behind_primary = false;
    order.mutex().unlock();
    if (first)
        report_promotion(
            replayed, timestamptz(to_microseconds(prefix_time<PreciseUnixTime>(order.v7.last()))),
            mark_may_be_old);
}

}  // namespace uuidx::pg
