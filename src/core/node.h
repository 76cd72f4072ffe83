// The node of versions 1 and 6: RFC 9562 sections 5.1, 5.6 and 6.10.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace uuidx {

/// The octets of an IEEE 802 MAC address, or of a number in its place, in the order in which they
/// are written.
using NodeId = std::array<std::uint8_t, 6>;

/// True for a node that is no network card's MAC address but a random number: its multicast bit,
/// the least significant bit of the first octet, is set (6.10).
constexpr bool is_random(const NodeId& node) {
    return (node[0] & 1) != 0;
}

/// True for an address that no manufacturer has given: its local bit, the second least significant
/// of the first octet, is set.
constexpr bool is_local(const NodeId& node) {
    return (node[0] & 2) != 0;
}

/// The node as the 48-bit number that a UUID stores.
constexpr std::uint64_t number(const NodeId& node) {
    std::uint64_t number = 0;
    for (const std::uint8_t octet : node)
        number = number << 8 | octet;
    return number;
}

/// The node that `text` gives as twelve hex digits, two for an octet, all or none of which are
/// separated by a colon or a hyphen; none for any other text.
constexpr std::optional<NodeId> parse_node(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef0123456789ABCDEF";
    const bool separated = text.size() == 17;
    if (!separated && text.size() != 12)
        return std::nullopt;
    const std::size_t stride = separated ? 3 : 2;
    NodeId node;
    for (std::size_t i = 0; i < node.size(); ++i) {
        const std::size_t at = i * stride;
        const std::size_t high = digits.find(text[at]);
        const std::size_t low = digits.find(text[at + 1]);
        const bool joined =
            !separated || i == 0 || ((text[2] == ':' || text[2] == '-') && text[at - 1] == text[2]);
        if (high == digits.npos || low == digits.npos || !joined)
            return std::nullopt;
        node[i] = static_cast<std::uint8_t>((high % 16) << 4 | low % 16);
    }
    return node;
}

}  // namespace uuidx

#include "core/no_postgres.h"
