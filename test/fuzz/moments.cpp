// Bounds: a UUID lies between the bounds of a period if, and only if, its time is in the period.

#include <fuzzer/FuzzedDataProvider.h>

#include <cassert>

#include "core/inspect.h"
#include "core/time_order.h"

using namespace uuidx;

namespace {

constexpr std::int64_t far = 20'000LL * 365 * 86'400 * 1'000'000;

/// Near the time of the UUID in half of the cases, where mistakes are.
Microseconds moment(FuzzedDataProvider& input, const Uuid& uuid) {
    const auto time = timestamp(uuid);
    if (time && input.ConsumeBool())
        return *time + std::chrono::microseconds{input.ConsumeIntegralInRange(-2, 2)};
    return Microseconds{std::chrono::microseconds{input.ConsumeIntegralInRange(-far, far)}};
}

bool octets_before(const Uuid& a, const Uuid& b) {
    return a < b;
}

bool time_before(const Uuid& a, const Uuid& b) {
    return compare_by_time(a, b) < 0;
}

template <class Before>
bool contains(const std::optional<Bounds>& bounds, const Uuid& uuid, Before before) {
    return bounds && !before(uuid, bounds->first) && !before(bounds->last, uuid);
}

template <class Time>
void check_version(Moments period, const Uuid& uuid, bool in_period) {
    assert(contains(bounds_of<Time>(period), uuid, octets_before) == in_period);
    const auto time = *timestamp(uuid);
    assert(octets_before(uuid, first_from<Time>(period.first)) == (time < period.first));
    assert(octets_before(uuid, first_after<Time>(period.first)) == (time <= period.first));
}

/// A moment that a timestamp was made for is read from it.
template <class Time>
void check_round_trip(Microseconds moment) {
    if (const auto time = from_microseconds<Time>(moment))
        assert(to_microseconds(*time) == moment);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider input{data, size};
    Uuid uuid;
    input.ConsumeData(uuid.octets.data(), Uuid::size);
    if (const auto version = input.ConsumeIntegralInRange(0, 15); version != 0)
        uuid = with_version(uuid, version);
    const Moments period{moment(input, uuid), moment(input, uuid)};

    const auto time = timestamp(uuid);
    const bool in_period = time && *time >= period.first && *time <= period.last;
    assert(contains(bounds_by_time(period), uuid, time_before) == in_period);
    assert(time_before(uuid, first_by_time(period.first)) == (time && *time < period.first));
    if (is_version(uuid, 6))
        check_version<GregorianTime>(period, uuid, in_period);
    if (is_version(uuid, 7))
        check_version<UnixTime>(period, uuid, in_period);
    check_round_trip<GregorianTime>(period.first);
    check_round_trip<PreciseUnixTime>(period.first);
    check_round_trip<UnixTime10ns>(period.first);
    return 0;
}
