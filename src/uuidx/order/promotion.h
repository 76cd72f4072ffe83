// A standby's order, which goes on behind what the server has replayed of its primary's.

#pragma once

#include "uuidx/order/server_order.h"

namespace uuidx::pg {

/// Lets the order go on behind what the server has replayed. The caller has the lock.
///
/// If another server was promoted meanwhile, its keys can be ahead of its commits, for its clock
/// may be behind. They begin where the order of this standby was then.
void go_on_behind_replay(ServerOrder& order, TimestampTz replayed);

/// Lets the order go on behind the last commit that the server replayed, by the clock of the server
/// that it was a standby of, unless that is done. The first key stores the mark.
void follow_primary(ServerOrder& order);

}  // namespace uuidx::pg
