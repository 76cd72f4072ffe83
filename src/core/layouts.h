// The layouts of UUIDs: RFC 9562 section 5, in its order and with its field names. A field is given
// by its first and last bit, as in the RFC's text ("Occupies bits 0 through 47").

#pragma once

#include "core/timestamp.h"
#include "core/uuid.h"

namespace uuidx {

/// True if the fields, in this order, cover bits 0 to 127 without gaps or overlaps.
template <class... Fields>
consteval bool tile_a_uuid(Fields...) {
    unsigned next = 0;
    const bool adjacent = ((Fields::first == next && (next = Fields::last + 1, true)) && ...);
    return adjacent && next == 128;
}

/// Joins several fields, the most significant first, into one number.
template <class... Fields>
constexpr std::uint64_t join(const Uuid& uuid, Fields... fields) {
    std::uint64_t number = 0;
    ((number = number << Fields::width | fields.of(uuid)), ...);
    return number;
}

/// Splits `number` over several fields, the most significant first.
template <class... Fields>
constexpr void split(Uuid& uuid, std::uint64_t number, Fields... fields) {
    unsigned below = (0 + ... + Fields::width);
    ((below -= Fields::width, fields.set(uuid, number >> below)), ...);
}

/// 5.1. UUID Version 1: the Gregorian timestamp, with its least significant bits first.
namespace v1 {

inline constexpr Bits<0, 31> time_low;
inline constexpr Bits<32, 47> time_mid;
inline constexpr Bits<52, 63> time_high;
inline constexpr Bits<66, 79> clock_seq;
inline constexpr Bits<80, 127> node;
static_assert(tile_a_uuid(time_low, time_mid, ver, time_high, var, clock_seq, node));

constexpr GregorianTime timestamp(const Uuid& uuid) {
    return gregorian_time(join(uuid, time_high, time_mid, time_low));
}

constexpr Uuid make(GregorianTime timestamp, std::uint64_t clock_sequence, std::uint64_t node_id) {
    Uuid uuid;
    split(uuid, timestamp_bits(timestamp), time_high, time_mid, time_low);
    clock_seq.set(uuid, clock_sequence);
    node.set(uuid, node_id);
    return with_version(uuid, 1);
}

}  // namespace v1

// 5.2. UUID Version 2: DCE Security, which is outside the scope of the RFC.

/// 5.3. UUID Version 3: the MD5 hash of a name.
namespace v3 {

inline constexpr Bits<0, 47> md5_high;
inline constexpr Bits<52, 63> md5_mid;
inline constexpr Bits<66, 127> md5_low;
static_assert(tile_a_uuid(md5_high, ver, md5_mid, var, md5_low));

}  // namespace v3

/// 5.4. UUID Version 4: random.
namespace v4 {

inline constexpr Bits<0, 47> random_a;
inline constexpr Bits<52, 63> random_b;
inline constexpr Bits<66, 127> random_c;
static_assert(tile_a_uuid(random_a, ver, random_b, var, random_c));

/// Keeps 122 of these 128 random bits.
constexpr Uuid make(std::uint64_t high, std::uint64_t low) {
    Uuid uuid;
    uuid.set_word(0, high);
    uuid.set_word(1, low);
    return with_version(uuid, 4);
}

}  // namespace v4

/// 5.5. UUID Version 5: the SHA-1 hash of a name.
namespace v5 {

inline constexpr Bits<0, 47> sha1_high;
inline constexpr Bits<52, 63> sha1_mid;
inline constexpr Bits<66, 127> sha1_low;
static_assert(tile_a_uuid(sha1_high, ver, sha1_mid, var, sha1_low));

}  // namespace v5

/// 5.6. UUID Version 6: version 1 with the timestamp's most significant bits first.
namespace v6 {

inline constexpr Bits<0, 31> time_high;
inline constexpr Bits<32, 47> time_mid;
inline constexpr Bits<52, 63> time_low;
inline constexpr Bits<66, 79> clock_seq;
inline constexpr Bits<80, 127> node;
static_assert(tile_a_uuid(time_high, time_mid, ver, time_low, var, clock_seq, node));

constexpr GregorianTime timestamp(const Uuid& uuid) {
    return gregorian_time(join(uuid, time_high, time_mid, time_low));
}

constexpr Uuid make(GregorianTime timestamp, std::uint64_t clock_sequence, std::uint64_t node_id) {
    Uuid uuid;
    split(uuid, timestamp_bits(timestamp), time_high, time_mid, time_low);
    clock_seq.set(uuid, clock_sequence);
    node.set(uuid, node_id);
    return with_version(uuid, 6);
}

}  // namespace v6

/// 5.7. UUID Version 7: the Unix Epoch timestamp in milliseconds, then 74 bits that the generator
/// chooses.
namespace v7 {

inline constexpr Bits<0, 47> unix_ts_ms;
inline constexpr Bits<52, 63> rand_a;
inline constexpr Bits<66, 127> rand_b;
static_assert(tile_a_uuid(unix_ts_ms, ver, rand_a, var, rand_b));

/// rand_b as a server with a number divides it (6.4): a counter, the number, and random bits.
inline constexpr Bits<66, 69> counter;
inline constexpr Bits<70, 85> node_id;
inline constexpr Bits<86, 127> after_node_id;
static_assert(tile_a_uuid(unix_ts_ms, ver, rand_a, var, counter, node_id, after_node_id));

constexpr UnixTime timestamp(const Uuid& uuid) {
    return unix_time(unix_ts_ms.of(uuid));
}

/// The timestamp with rand_a as the fraction of the millisecond (6.2 method 3).
constexpr PreciseUnixTime precise_timestamp(const Uuid& uuid) {
    return precise_unix_time(join(uuid, unix_ts_ms, rand_a));
}

/// Puts the timestamp's fraction of the millisecond into rand_a (6.2 method 3), and `b` into
/// rand_b.
constexpr Uuid make(PreciseUnixTime timestamp, std::uint64_t b) {
    Uuid uuid;
    split(uuid, timestamp_bits(timestamp), unix_ts_ms, rand_a);
    rand_b.set(uuid, b);
    return with_version(uuid, 7);
}

/// Shifts the timestamp, including the fraction in rand_a (6.1, "Altering, Fuzzing, or Smearing");
/// nullopt if version 7 cannot hold the result.
constexpr std::optional<Uuid> shifted(const Uuid& uuid, std::chrono::microseconds by) {
    const PreciseUnixTime time = precise_timestamp(uuid) + in_4096ths(by);
    if (time < PreciseUnixTime{} || timestamp_bits(time) >> (unix_ts_ms.width + rand_a.width) != 0)
        return std::nullopt;
    return make(time, rand_b.of(uuid));
}

}  // namespace v7

/// 5.8. UUID Version 8: a layout that the generator defines.
namespace v8 {

inline constexpr Bits<0, 47> custom_a;
inline constexpr Bits<52, 63> custom_b;
inline constexpr Bits<66, 127> custom_c;
static_assert(tile_a_uuid(custom_a, ver, custom_b, var, custom_c));

/// The timestamp in the layout of appendix B.1. Only the generator knows whether a UUID has it.
constexpr UnixTime10ns timestamp(const Uuid& uuid) {
    return unix_time_10ns(join(uuid, custom_a, custom_b));
}

constexpr Uuid make(UnixTime10ns timestamp, std::uint64_t c) {
    Uuid uuid;
    split(uuid, timestamp_bits(timestamp), custom_a, custom_b);
    custom_c.set(uuid, c);
    return with_version(uuid, 8);
}

}  // namespace v8

/// 5.9. Nil UUID
inline constexpr Uuid nil_uuid{};

/// 5.10. Max UUID
inline constexpr Uuid max_uuid = [] {
    Uuid uuid;
    uuid.octets.fill(0xFF);
    return uuid;
}();

}  // namespace uuidx

#include "core/no_postgres.h"
