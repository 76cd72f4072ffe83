// The system clock: RFC 9562 section 6.1.

#pragma once

#include <time.h>

#include <optional>

#include "core/timestamp.h"

namespace uuidx {

/// Reads the system clock; nullopt if that fails.
inline std::optional<ClockReading> read_clock() {
#ifdef _WIN32
    const auto now = windows::unix_time();
    return ClockReading{now / 10'000'000, now % 10'000'000 * 100};
#else
    timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return std::nullopt;
    return ClockReading{now.tv_sec, now.tv_nsec};
#endif
}

}  // namespace uuidx

#include "core/no_postgres.h"
