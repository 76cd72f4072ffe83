// The error of a moment that a version cannot hold, and its words.

#pragma once

#include "pg/pg.h"

namespace uuidx::pg {

/// The version that has this timestamp and whose UUIDs uuidx makes.
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
            return "The 60 bits of 10 ns in version 8 UUIDs hold times from 1970-01-01 to "
                   "2335-05-07 (UTC).";
    }
}

/// 22008: no UUID of this version can hold `time`.
[[noreturn]] inline void report_out_of_range(TimestampTz time, int version) {
    ereport(ERROR, (errcode(ERRCODE_DATETIME_FIELD_OVERFLOW),
                    errmsg("timestamp out of range for version %d UUIDs: \"%s\"", version,
                           timestamptz_to_str(time)),
                    errdetail_internal("%s", range_detail(version))));
}

}  // namespace uuidx::pg
