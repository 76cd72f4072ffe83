// The node of versions 1 and 6: RFC 9562 sections 5.1, 5.6 and 6.10.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/hex.h"

namespace uuidx {

/// The octets of an IEEE 802 MAC address, or of a number in its place, in the order of its text.
using NodeId = std::array<std::uint8_t, 6>;

/// Marks a multicast address: the least significant bit of the first octet. No network card has
/// such an address, so RFC 9562 sets this bit in a random node (6.10).
inline constexpr std::uint64_t multicast_bit = std::uint64_t{1} << 40;

/// Marks a locally administered address, which no manufacturer assigned: the second least
/// significant bit of the first octet.
inline constexpr std::uint64_t local_bit = std::uint64_t{1} << 41;

/// The node as the 48-bit number that a UUID stores.
constexpr std::uint64_t node_number(const NodeId& node) {
    std::uint64_t number = 0;
    for (const std::uint8_t octet : node)
        number = number << 8 | octet;
    return number;
}

/// True for a random node, as opposed to a network card's MAC address (6.10).
constexpr bool is_random(const NodeId& node) {
    return (node_number(node) & multicast_bit) != 0;
}

/// True for a locally administered address.
constexpr bool is_local(const NodeId& node) {
    return (node_number(node) & local_bit) != 0;
}

/// Reads twelve hex digits, either without separators or with a colon or a hyphen (the same
/// everywhere) between two octets; nullopt for any other text.
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
