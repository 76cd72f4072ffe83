#include "core/mac_address.h"

#ifdef _WIN32
std::optional<uuidx::NodeId> uuidx::mac_address() {
    return std::nullopt;
}
#else

#include <ifaddrs.h>
#include <net/if.h>

#include <algorithm>

#ifdef __linux__
#include <netpacket/packet.h>
#endif

namespace uuidx {

namespace {

/// The MAC address in an entry of getifaddrs(); nullopt if it has none, or the system is not Linux.
std::optional<NodeId> address_of(const ifaddrs& interface) {
#ifdef __linux__
    if (interface.ifa_addr != nullptr && interface.ifa_addr->sa_family == AF_PACKET) {
        const auto& link = *reinterpret_cast<const sockaddr_ll*>(interface.ifa_addr);
        NodeId address;
        if (link.sll_halen == address.size()) {
            std::copy_n(link.sll_addr, address.size(), address.begin());
            return address;
        }
    }
#endif
    return std::nullopt;
}

/// Ranks an address as the node of this machine; 0 means unsuitable.
int suitability(const NodeId& address, unsigned flags) {
    if ((flags & IFF_LOOPBACK) != 0 || node_number(address) == 0 || is_random(address))
        return 0;
    return 1 + ((flags & IFF_UP) != 0 ? 1 : 0) + (is_local(address) ? 0 : 2);
}

}  // namespace

std::optional<NodeId> mac_address() {
    ifaddrs* interfaces = nullptr;
    if (getifaddrs(&interfaces) != 0)
        return std::nullopt;
    std::optional<NodeId> best;
    int best_suitability = 0;
    for (const ifaddrs* interface = interfaces; interface != nullptr;
         interface = interface->ifa_next) {
        const auto address = address_of(*interface);
        const int suits = address ? suitability(*address, interface->ifa_flags) : 0;
        if (suits > best_suitability) {
            best = address;
            best_suitability = suits;
        }
    }
    freeifaddrs(interfaces);
    return best;
}

}  // namespace uuidx

#endif
