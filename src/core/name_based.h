// UUIDs from names: RFC 9562 sections 5.3, 5.5, 6.5 and 6.6, and appendix B.2; and version 7 UUIDs
// that are made from what is there already, instead of random bits.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "core/layouts.h"
#include "core/text.h"

namespace uuidx {

/// Octets of a caller's, to read.
using Octets = std::span<const std::uint8_t>;

/// A way to make a UUID from a name: OpenSSL's name of the hash, and the version of the result.
struct NameHash {
    const char* algorithm;
    unsigned version;
};

inline constexpr NameHash md5{"MD5", 3};        // 5.3
inline constexpr NameHash sha1{"SHA1", 5};      // 5.5
inline constexpr NameHash sha256{"SHA256", 8};  // B.2, an example of version 8

/// The IDs of namespaces that are common (6.6, table 3).
namespace name_space {

inline constexpr Uuid dns = parse("6ba7b810-9dad-11d1-80b4-00c04fd430c8");
inline constexpr Uuid url = parse("6ba7b811-9dad-11d1-80b4-00c04fd430c8");
inline constexpr Uuid oid = parse("6ba7b812-9dad-11d1-80b4-00c04fd430c8");
inline constexpr Uuid x500 = parse("6ba7b814-9dad-11d1-80b4-00c04fd430c8");

}  // namespace name_space

/// The first 16 of `octets`, which may be a digest, with version and variant in their places (RFC
/// 9562 6.5, 5.8).
constexpr Uuid from_octets(Octets octets, unsigned version) {
    Uuid uuid;
    std::copy_n(octets.begin(), Uuid::size, uuid.octets.begin());
    return with_version(uuid, version);
}

/// The UUID of `name` in `name_space`: made from the hash of the namespace's octets and the name's.
/// None where OpenSSL does not compute that hash (MD5 under FIPS 140) or has no memory.
std::optional<Uuid> from_name(NameHash hash, const Uuid& name_space, Octets name);

/// The version 7 UUID of `timestamp` whose rand_b is made from `name`: the bits that B.2 would put
/// in its place, of the SHA-256 of the name's octets. None where OpenSSL does not compute SHA-256.
std::optional<Uuid> v7_of(PreciseUnixTime timestamp, Octets name);

/// The same of another UUID. A version 4 UUID keeps its last 62 bits, which are random.
std::optional<Uuid> v7_of(PreciseUnixTime timestamp, const Uuid& uuid);

}  // namespace uuidx

#include "core/no_postgres.h"
