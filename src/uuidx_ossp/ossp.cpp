// The functions of uuid-ossp, in the extension uuidx_ossp.

#include "core/convert.h"
#include "core/name_based.h"
#include "uuidx/order/generators.h"

#include "server/shim.h"
#include "uuidx/name_based.h"

namespace uuidx::pg {

/// uuid_nil() returns uuid: RFC 9562 5.9.
UUIDX_FUNCTION(uuidx_nil) {
    return datum(nil_uuid);
}

/// uuid_ns_dns() returns uuid: RFC 9562 6.6, like the next three.
UUIDX_FUNCTION(uuidx_ns_dns) {
    return datum(name_space::dns);
}

/// uuid_ns_url() returns uuid.
UUIDX_FUNCTION(uuidx_ns_url) {
    return datum(name_space::url);
}

/// uuid_ns_oid() returns uuid.
UUIDX_FUNCTION(uuidx_ns_oid) {
    return datum(name_space::oid);
}

/// uuid_ns_x500() returns uuid.
UUIDX_FUNCTION(uuidx_ns_x500) {
    return datum(name_space::x500);
}

/// uuid_generate_v1() returns uuid: RFC 9562 5.1 and 6.2, with a greater timestamp, or the same and
/// a greater clock_seq, than every version 1 or 6 UUID before it in this backend. 58000 if the
/// clock cannot be read or there is no randomness, 22008 if the clock is outside 1582 to 5236.
UUIDX_FUNCTION(uuidx_generate_v1) {
    return datum(*v6_to_v1(next_gregorian(1)));
}

/// uuid_generate_v1mc() returns uuid: the same with a random node (RFC 9562 6.10), its multicast
/// and local bits set, whatever uuidx.node is.
UUIDX_FUNCTION(uuidx_generate_v1mc) {
    return datum(*v6_to_v1(next(gregorian_generator, method::random_node, read_clock, 1)));
}

/// uuid_generate_v3(namespace uuid, name text) returns uuid: RFC 9562 5.3, MD5 over the namespace's
/// octets and the name in the database's encoding. 58000 if OpenSSL cannot compute MD5, as under
/// FIPS 140.
UUIDX_FUNCTION(uuidx_generate_v3) {
    return uuid_of_name(fcinfo, md5);
}

/// uuid_generate_v4() returns uuid: RFC 9562 5.4. 58000 if there is no randomness.
UUIDX_FUNCTION(uuidx_generate_v4) {
    const std::uint64_t high = random_bits();
    return datum(v4::make(high, random_bits()));
}

/// uuid_generate_v5(namespace uuid, name text) returns uuid: RFC 9562 5.5, like version 3 but with
/// SHA-1.
UUIDX_FUNCTION(uuidx_generate_v5) {
    return uuid_of_name(fcinfo, sha1);
}

}  // namespace uuidx::pg
