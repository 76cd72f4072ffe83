// The source of timestamps: RFC 9562 section 6.1.

#pragma once

#include <time.h>

#include <optional>

#include "core/timestamp.h"

namespace uuidx {

/// What the system's clock reads; none if it cannot be read.
inline std::optional<ClockReading> read_clock() {
    timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return std::nullopt;
    return ClockReading{now.tv_sec, now.tv_nsec};
}

}  // namespace uuidx

#include "core/no_postgres.h"
