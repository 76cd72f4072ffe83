// The machine's own node: RFC 9562 section 5.1. Section 8 advises against it, as it tells where a
// UUID was made.

#pragma once

#include <optional>

#include "core/node.h"

namespace uuidx {

/// The MAC address of one of this machine's network interfaces; none if no interface has one, or
/// none can be read. Any will do where there are several (RFC 4122 4.1.6): it is one that a
/// manufacturer has given, if there is one, and one whose interface is up.
std::optional<NodeId> mac_address();

}  // namespace uuidx

#include "core/no_postgres.h"
