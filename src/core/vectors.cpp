// If a layout differs from the published test vectors, the module does not compile.

#include "core/vectors.h"

#include "core/convert.h"
#include "core/inspect.h"
#include "core/name_based.h"

namespace uuidx {

using std::chrono::February;
using namespace std::chrono_literals;

constexpr Microseconds moment = std::chrono::sys_days{2022y / February / 22} + 19h + 22min + 22s;

// 4. and 6.11
static_assert(nil_uuid < vectors::v1 && vectors::v1 < max_uuid);

// 5.9 and 5.10
static_assert(variant(nil_uuid) == Variant::ncs && !version(nil_uuid));
static_assert(variant(max_uuid) == Variant::future && !version(max_uuid));

// A.1
static_assert(version(vectors::v1) == 1);
static_assert(v1::time_low.of(vectors::v1) == 0xC232AB00);
static_assert(v1::time_mid.of(vectors::v1) == 0x9414);
static_assert(v1::time_high.of(vectors::v1) == 0x1EC);
static_assert(v1::clock_seq.of(vectors::v1) == 0x33C8);
static_assert(v1::node.of(vectors::v1) == 0x9F6BDECED846);
static_assert(v1::timestamp(vectors::v1) == gregorian_time(vectors::gregorian_100ns));
static_assert(timestamp(vectors::v1) == moment);
static_assert(v1::make(gregorian_time(vectors::gregorian_100ns), 0x33C8, 0x9F6BDECED846) ==
              vectors::v1);

// A.2
static_assert(name_space::dns == vectors::ns_dns);
static_assert(version(vectors::v3) == 3);
static_assert(v3::md5_high.of(vectors::v3) == 0x5DF418813AED);
static_assert(v3::md5_mid.of(vectors::v3) == 0x515);
static_assert(v3::md5_low.of(vectors::v3) == 0x08A72F4A814CF09E);
static_assert(from_octets(vectors::md5_digest.octets, md5.version) == vectors::v3);

// A.3
static_assert(version(vectors::v4) == 4);
static_assert(v4::random_a.of(vectors::v4) == 0x919108F752D1);
static_assert(v4::random_b.of(vectors::v4) == 0x320);
static_assert(v4::random_c.of(vectors::v4) == 0x1BACF847DB4148A8);

// A.4
static_assert(version(vectors::v5) == 5);
static_assert(v5::sha1_high.of(vectors::v5) == 0x2ED6657DE927);
static_assert(v5::sha1_mid.of(vectors::v5) == 0x68B);
static_assert(v5::sha1_low.of(vectors::v5) == 0x15E12665A8AEA6A2);
static_assert(from_octets(vectors::sha1_digest.octets, sha1.version) == vectors::v5);

// A.5
static_assert(version(vectors::v6) == 6);
static_assert(v6::time_high.of(vectors::v6) == 0x1EC9414C);
static_assert(v6::time_mid.of(vectors::v6) == 0x232A);
static_assert(v6::time_low.of(vectors::v6) == 0xB00);
static_assert(v6::clock_seq.of(vectors::v6) == 0x33C8);
static_assert(v6::node.of(vectors::v6) == 0x9F6BDECED846);
static_assert(timestamp(vectors::v6) == moment);
static_assert(v1_to_v6(vectors::v1) == vectors::v6 && v6_to_v1(vectors::v6) == vectors::v1);

// A.6
static_assert(version(vectors::v7) == 7);
static_assert(v7::unix_ts_ms.of(vectors::v7) == vectors::unix_ts_ms);
static_assert(v7::rand_a.of(vectors::v7) == 0xCC3);
static_assert(v7::rand_b.of(vectors::v7) == 0x18C4DC0C0C07398F);
static_assert(timestamp(vectors::v7) == moment);

// 6.2 method 3: 0.4567 ms is 0x74E in 12 bits
static_assert((timestamp_bits(*from_clock<PreciseUnixTime>({1'672'576'496, 123'456'700})) &
               0xFFF) == 0x74E);

// B.1
static_assert(version(vectors::v8_time) == 8);
static_assert(v8::custom_a.of(vectors::v8_time) == 0x2489E9AD2EE2);
static_assert(v8::custom_b.of(vectors::v8_time) == 0xE00);
static_assert(v8::custom_c.of(vectors::v8_time) == 0xEC932D5F69181C0);
static_assert(v8_time(vectors::v8_time) == moment);
static_assert(v8::make(unix_time_10ns(0x2489E9AD2EE2E00), 0xEC932D5F69181C0) == vectors::v8_time);

// B.2
static_assert(version(vectors::v8_name) == 8);
static_assert(v8::custom_a.of(vectors::v8_name) == 0x5C146B143C52);
static_assert(v8::custom_b.of(vectors::v8_name) == 0xAFD);
static_assert(v8::custom_c.of(vectors::v8_name) == 0x138A375D0DF1FBF6);
static_assert(from_octets(vectors::sha256_digest.octets, sha256.version) == vectors::v8_name);

}  // namespace uuidx
