// Errors that more than one file reports.

#pragma once

#include "server/datum.h"

namespace uuidx::pg {

/// `uuid` in PostgreSQL's text form, palloc'd.
inline const char* to_cstring(const Uuid& uuid) {
    return DatumGetCString(DirectFunctionCall1(uuid_out, datum(uuid)));
}

/// A text for an error, palloc'd.
inline const char* to_cstring(std::string_view text) {
    return pnstrdup(text.data(), text.size());
}

/// The version that errors name for this type of timestamp.
template <class Time>
inline constexpr int version_of = 7;
template <>
inline constexpr int version_of<GregorianTime> = 6;
template <>
inline constexpr int version_of<UnixTime10ns> = 8;

inline const char* range_detail(int version) {
    switch (version) {
        case 1:
            return "Version 1 UUIDs hold times from 1582-10-15 to 5236-03-31 (UTC).";
        case 6:
            return "Version 6 UUIDs hold times from 1582-10-15 to 5236-03-31 (UTC).";
        case 7:
            return "Version 7 UUIDs hold times from 1970-01-01 to 10889-08-02 (UTC).";
        default:
            return "The 60-bit count of 10 ns in version 8 UUIDs holds times from 1970-01-01 to "
                   "2335-05-07 (UTC).";
    }
}

/// Reports 22008: UUIDs of this version cannot hold `time`.
[[noreturn]] inline void report_out_of_range(TimestampTz time, int version) {
    ereport(ERROR, (errcode(ERRCODE_DATETIME_FIELD_OVERFLOW),
                    errmsg("timestamp out of range for version %d UUIDs: \"%s\"", version,
                           timestamptz_to_str(time)),
                    errdetail_internal("%s", range_detail(version))));
}

/// Reports 58000: OpenSSL cannot compute a hash, such as MD5 under FIPS 140.
[[noreturn]] inline void report_no_hash(const char* algorithm) {
    ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR), errmsg("could not compute %s hash", algorithm)));
}

/// A UUID's timestamp for this time; 22008 if the version cannot hold it.
template <class Time>
Time timestamp_at(TimestampTz time) {
    const auto since_1970 = moment(time);
    const auto timestamp = since_1970 ? from_microseconds<Time>(*since_1970) : std::nullopt;
    if (!timestamp)
        report_out_of_range(time, version_of<Time>);
    return *timestamp;
}

}  // namespace uuidx::pg
