// The machine's MAC address, with scripted network interfaces.

#include "core/mac_address.h"

#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netpacket/packet.h>

#include <algorithm>
#include <vector>

namespace uuidx {
namespace {

/// A network interface, as getifaddrs lists it.
struct Interface {
    NodeId address;
    unsigned flags;
    unsigned char octets = 6;
    sa_family_t family = AF_PACKET;
};

/// The interfaces of the machine; getifaddrs fails if this is nullopt.
std::optional<std::vector<Interface>> machine;
int lists = 0;

struct Entry {
    ifaddrs interface;
    sockaddr_ll link;
};

std::optional<NodeId> mac_address_of(std::vector<Interface> interfaces) {
    machine = std::move(interfaces);
    const auto address = mac_address();
    EXPECT_EQ(lists, 0) << "the list of getifaddrs was not freed";
    return address;
}

constexpr NodeId zero{};
constexpr NodeId universal{0x00, 0xC0, 0x4F, 0xD4, 0x30, 0xC8};
constexpr NodeId another{0x00, 0xC0, 0x4F, 0x00, 0x00, 0x01};
constexpr NodeId local{0x02, 0x42, 0xAC, 0x11, 0x00, 0x02};
constexpr NodeId multicast{0x9F, 0x6B, 0xDE, 0xCE, 0xD8, 0x46};

}  // namespace
}  // namespace uuidx

// Replace the C library's functions.
extern "C" int getifaddrs(ifaddrs** interfaces) noexcept {
    using namespace uuidx;
    if (!machine)
        return -1;
    *interfaces = nullptr;
    for (auto i = machine->rbegin(); i != machine->rend(); ++i) {
        auto* const entry = new Entry{};
        entry->link.sll_family = i->family;
        entry->link.sll_halen = i->octets;
        std::copy(i->address.begin(), i->address.end(), entry->link.sll_addr);
        entry->interface.ifa_addr = reinterpret_cast<sockaddr*>(&entry->link);
        entry->interface.ifa_flags = i->flags;
        entry->interface.ifa_next = *interfaces;
        *interfaces = &entry->interface;
    }
    ++lists;
    return 0;
}

extern "C" void freeifaddrs(ifaddrs* interface) noexcept {
    while (interface != nullptr) {
        auto* const entry = reinterpret_cast<uuidx::Entry*>(interface);
        interface = interface->ifa_next;
        delete entry;
    }
    --uuidx::lists;
}

namespace uuidx {
namespace {

TEST(MacAddress, ComesFromAnInterface) {
    EXPECT_EQ(mac_address_of({{zero, IFF_LOOPBACK | IFF_UP}, {universal, IFF_UP}}), universal);
    EXPECT_EQ(mac_address_of({{universal, IFF_UP}, {another, IFF_UP}}), universal) << "the first";
}

TEST(MacAddress, PrefersAManufacturersAddress) {
    EXPECT_EQ(mac_address_of({{local, IFF_UP}, {universal, 0}}), universal);
    EXPECT_EQ(mac_address_of({{universal, 0}, {local, IFF_UP}}), universal);
    EXPECT_EQ(mac_address_of({{universal, 0}, {another, IFF_UP}}), another) << "the one that is up";
    EXPECT_EQ(mac_address_of({{local, 0}}), local);
    EXPECT_EQ(mac_address_of({{universal, IFF_UP, 6, AF_INET}, {local, 0}}), local) << "any one";
}

TEST(MacAddress, IsNulloptIfNoInterfaceHasOne) {
    EXPECT_EQ(mac_address_of({}), std::nullopt);
    EXPECT_EQ(mac_address_of({{universal, IFF_LOOPBACK | IFF_UP}}), std::nullopt);
    EXPECT_EQ(mac_address_of({{zero, IFF_UP}}), std::nullopt);
    EXPECT_EQ(mac_address_of({{multicast, IFF_UP}}), std::nullopt);
    EXPECT_EQ(mac_address_of({{universal, IFF_UP, 8}}), std::nullopt) << "eight octets";
    EXPECT_EQ(mac_address_of({{universal, IFF_UP, 6, AF_INET}}), std::nullopt);
}

TEST(MacAddress, IsNulloptIfInterfacesCannotBeListed) {
    machine.reset();
    EXPECT_EQ(mac_address(), std::nullopt);
    EXPECT_EQ(lists, 0) << "there is nothing to free";
}

}  // namespace
}  // namespace uuidx
