// RFC 9562 section 6.1: the system clock. test/t/core/faults.pl has one that fails.

#include "core/clock.h"

#include <gtest/gtest.h>

namespace uuidx {
namespace {

using namespace std::chrono;

TEST(Clock, IsThatOfTheSystem) {
    const auto before = system_clock::now();
    const ClockReading reading = read_clock().value();
    const auto after = system_clock::now();
    const sys_time<nanoseconds> time{seconds{reading.seconds} + nanoseconds{reading.nanoseconds}};
    EXPECT_LE(before, time);
    EXPECT_LE(time, after);
    EXPECT_LT(reading.nanoseconds, 1'000'000'000);
}

}  // namespace
}  // namespace uuidx
