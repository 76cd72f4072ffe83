// Reads a UUID whose version is not known.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "core/draft01.h"
#include "core/layouts.h"
#include "core/node.h"

namespace uuidx {

/// The timestamp of a version 1, 6 or 7 UUID, rounded down to microseconds; nullopt for any other.
constexpr std::optional<Microseconds> timestamp(const Uuid& uuid) {
    switch (version(uuid).value_or(0)) {
        case 1:
            return to_microseconds(v1::timestamp(uuid));
        case 6:
            return to_microseconds(v6::timestamp(uuid));
        case 7:
            return to_microseconds(v7::timestamp(uuid));
        default:
            return std::nullopt;
    }
}

/// The timestamp of a version 7 UUID in microseconds, with rand_a as the fraction of the
/// millisecond (RFC 9562 6.2 method 3); nullopt for any other. Nothing in a UUID says whether
/// rand_a is that fraction.
constexpr std::optional<Microseconds> v7_time_us(const Uuid& uuid) {
    if (!is_version(uuid, 7))
        return std::nullopt;
    return to_microseconds(v7::precise_timestamp(uuid));
}

/// The timestamp of a version 8 UUID with the layout of RFC 9562 B.1, rounded down to microseconds;
/// nullopt for any other version. Nothing in a UUID says whether it has that layout.
constexpr std::optional<Microseconds> v8_time(const Uuid& uuid) {
    if (!is_version(uuid, 8))
        return std::nullopt;
    return to_microseconds(v8::timestamp(uuid));
}

/// The timestamp, in microseconds, of a version 7 UUID with the layout of draft01.h; nullopt for
/// any other version. Nothing in a UUID says whether it has that layout.
constexpr std::optional<Microseconds> draft01_time(const Uuid& uuid) {
    if (!is_version(uuid, 7))
        return std::nullopt;
    return draft01::v7::timestamp(uuid);
}

/// The number of the server in a version 7 UUID (RFC 9562 6.4); nullopt for other versions.
/// Meaningful only if its generator had a number.
constexpr std::optional<std::int32_t> v7_node_id(const Uuid& uuid) {
    if (!is_version(uuid, 7))
        return std::nullopt;
    return static_cast<std::int32_t>(v7::node_id.of(uuid));
}

/// True for versions 1 and 6, which have clock_seq and node (RFC 9562 5.1, 5.6).
constexpr bool has_node(const Uuid& uuid) {
    return is_version(uuid, 1) || is_version(uuid, 6);
}

// Versions 1 and 6 have clock_seq and node in the same bits.
static_assert(v1::clock_seq.first == v6::clock_seq.first && v1::node.first == v6::node.first);

/// The 14-bit clock_seq of a version 1 or 6 UUID; nullopt for any other.
constexpr std::optional<std::uint16_t> clock_seq(const Uuid& uuid) {
    if (!has_node(uuid))
        return std::nullopt;
    return static_cast<std::uint16_t>(v1::clock_seq.of(uuid));
}

/// The node of a version 1 or 6 UUID; nullopt for any other.
constexpr std::optional<NodeId> node(const Uuid& uuid) {
    if (!has_node(uuid))
        return std::nullopt;
    NodeId node;
    std::copy_n(uuid.octets.begin() + v1::node.first / 8, node.size(), node.begin());
    return node;
}

/// Whether the node of a version 1 or 6 UUID is random (RFC 9562 6.10); nullopt for any other.
constexpr std::optional<bool> node_is_random(const Uuid& uuid) {
    const auto octets = node(uuid);
    if (!octets)
        return std::nullopt;
    return is_random(*octets);
}

/// Describes the UUID in a line, in the words of RFC 9562 (4.1, 4.2, 5.9, 5.10).
constexpr const char* description(const Uuid& uuid) {
    if (uuid == nil_uuid)
        return "Nil UUID";
    if (uuid == max_uuid)
        return "Max UUID";
    switch (variant(uuid)) {
        case Variant::ncs:
            return "reserved, NCS backward compatibility";
        case Variant::microsoft:
            return "reserved, Microsoft backward compatibility";
        case Variant::future:
            return "reserved for future definition";
        case Variant::rfc9562:
            break;
    }
    constexpr std::array<const char*, 9> of_version = {
        "unused version",
        "Gregorian time-based",
        "DCE Security",
        "name-based, MD5",
        "random",
        "name-based, SHA-1",
        "reordered Gregorian time-based",
        "Unix Epoch time-based",
        "custom",
    };
    const std::size_t number = *version(uuid);
    if (number < of_version.size())
        return of_version[number];
    return "version reserved for future definition";
}

}  // namespace uuidx

#include "core/no_postgres.h"
