// The node of versions 1 and 6: RFC 9562 sections 5.1, 5.6 and 6.10.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/hex.h"

namespace uuidx {

/// The octets of an IEEE 802 MAC address, or of a number in its place, in the order in which they
/// are written.
using NodeId = std::array<std::uint8_t, 6>;

/// The bit of a node that marks a multicast address: the least significant one of the first octet.
/// No network card has such an address, so RFC 9562 sets it in a random node (6.10).
inline constexpr std::uint64_t multicast_bit = std::uint64_t{1} << 40;

/// The bit of a node that marks an address as locally administered, and not given by a
/// manufacturer: the second least significant one of the first octet.
inline constexpr std::uint64_t local_bit = std::uint64_t{1} << 41;

/// The node as the 48-bit number that a UUID stores.
constexpr std::uint64_t node_number(const NodeId& node) {
    std::uint64_t number = 0;
    for (const std::uint8_t octet : node)
        number = number << 8 | octet;
    return number;
}

/// True for a node that is not a network card's MAC address but a random number (6.10).
constexpr bool is_random(const NodeId& node) {
    return (node_number(node) & multicast_bit) != 0;
}

/// True for an address that a manufacturer has not given.
constexpr bool is_local(const NodeId& node) {
    return (node_number(node) & local_bit) != 0;
}

/// The node that `text` gives as twelve hex digits, two for an octet, all or none of which are
/// separated by a colon or a hyphen; none for any other text.
constexpr std::optional<NodeId> parse_node(std::string_view text) {
    const bool separated = text.size() == 17;
    if (!separated && text.size() != 12)
        return std::nullopt;
    const char separator = separated ? text[2] : ':';
    if (separator != ':' && separator != '-')
        return std::nullopt;
    NodeId node;
    std::size_t at = 0;
    for (std::uint8_t& octet : node) {
        if (separated && at > 0 && text[at++] != separator)
            return std::nullopt;
        const auto value = hex_octet(text[at], text[at + 1]);
        if (!value)
            return std::nullopt;
        octet = *value;
        at += 2;
    }
    return node;
}

}  // namespace uuidx

#include "core/no_postgres.h"
