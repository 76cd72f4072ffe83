// The published test vectors: RFC 9562 appendices A and B.

#pragma once

#include "core/text.h"

namespace uuidx::vectors {

// A.1, A.5: 2022-02-22 19:22:22 UTC
inline constexpr Uuid v1 = parse("C232AB00-9414-11EC-B3C8-9F6BDECED846");
inline constexpr Uuid v6 = parse("1EC9414C-232A-6B00-B3C8-9F6BDECED846");
inline constexpr std::uint64_t gregorian_100ns = 0x1EC9414C232AB00;

// A.2, A.4, B.2: www.example.com in the DNS namespace
inline constexpr Uuid ns_dns = parse("6ba7b810-9dad-11d1-80b4-00c04fd430c8");
inline constexpr Uuid v3 = parse("5df41881-3aed-3515-88a7-2f4a814cf09e");
inline constexpr Uuid v5 = parse("2ed6657d-e927-568b-95e1-2665a8aea6a2");
inline constexpr Uuid v8_name = parse("5c146b14-3c52-8afd-938a-375d0df1fbf6");
// the first 16 octets of their hashes
inline constexpr Uuid md5_digest = parse("5df41881-3aed-0515-48a7-2f4a814cf09e");
inline constexpr Uuid sha1_digest = parse("2ed6657d-e927-468b-55e1-2665a8aea6a2");
inline constexpr Uuid sha256_digest = parse("5c146b14-3c52-4afd-938a-375d0df1fbf6");

// A.3
inline constexpr Uuid v4 = parse("919108f7-52d1-4320-9bac-f847db4148a8");

// A.6: 2022-02-22 19:22:22 UTC
inline constexpr Uuid v7 = parse("017F22E2-79B0-7CC3-98C4-DC0C0C07398F");
inline constexpr std::uint64_t unix_ts_ms = 0x17F22E279B0;

// B.1: 2022-02-22 19:22:22 UTC in units of 10 ns since 1970, without custom_c
inline constexpr Uuid v8_time = parse("2489E9AD-2EE2-8E00-8EC9-32D5F69181C0");

}  // namespace uuidx::vectors

#include "core/no_postgres.h"
