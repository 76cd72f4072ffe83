// UUIDs from names: RFC 9562 sections 5.3, 5.5, 6.5 and 6.6, and appendix B.2; and version 7 UUIDs
// with bits of existing data in place of random ones.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/layouts.h"
#include "core/text.h"

namespace uuidx {

/// A hash for names: OpenSSL's name for it, and the version of the UUIDs that it makes.
struct NameHash {
    const char* algorithm;
    unsigned version;
};

inline constexpr NameHash md5{"MD5", 3};        // 5.3
inline constexpr NameHash sha1{"SHA1", 5};      // 5.5
inline constexpr NameHash sha256{"SHA256", 8};  // B.2, an example of version 8

/// The IDs of common namespaces (6.6, table 3).
namespace name_space {

inline constexpr Uuid dns = parse("6ba7b810-9dad-11d1-80b4-00c04fd430c8");
inline constexpr Uuid url = parse("6ba7b811-9dad-11d1-80b4-00c04fd430c8");
inline constexpr Uuid oid = parse("6ba7b812-9dad-11d1-80b4-00c04fd430c8");
inline constexpr Uuid x500 = parse("6ba7b814-9dad-11d1-80b4-00c04fd430c8");

}  // namespace name_space

/// The first 16 of `octets`, such as a digest, with version and variant set (RFC 9562 6.5, 5.8).
constexpr Uuid from_octets(Octets octets, unsigned version) {
    Uuid uuid;
    std::copy_n(octets.begin(), Uuid::size, uuid.octets.begin());
    return with_version(uuid, version);
}

/// The UUID of `name` in `name_space`, from the hash of the namespace's octets followed by the
/// name's. Returns nullopt if OpenSSL cannot compute the hash (MD5 under FIPS 140) or is out of
/// memory.
std::optional<Uuid> from_name(NameHash hash, const Uuid& name_space, Octets name);

/// The version 7 UUID with this timestamp and, in rand_b, the 62 bits of the SHA-256 of `name` that
/// B.2 puts into custom_c. Returns nullopt if OpenSSL cannot compute SHA-256.
std::optional<Uuid> v7_of(PreciseUnixTime timestamp, Octets name);

/// The same with the SHA-256 of a UUID's octets. A version 4 UUID is not hashed: rand_b becomes its
/// random_c.
std::optional<Uuid> v7_of(PreciseUnixTime timestamp, const Uuid& uuid);

}  // namespace uuidx

#include "core/no_postgres.h"
