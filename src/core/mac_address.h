// The machine's MAC address as a node: RFC 9562 section 5.1. Section 8 advises against it, because
// it reveals where a UUID was generated.

#pragma once

#include <optional>

#include "core/node.h"

namespace uuidx {

/// The MAC address of one of this machine's network interfaces; nullopt if none has one, if they
/// cannot be listed, and on other systems than Linux. Any of them would do (RFC 4122 4.1.6): this
/// prefers an address that a manufacturer assigned, then an interface that is up.
std::optional<NodeId> mac_address();

}  // namespace uuidx

#include "core/no_postgres.h"
