// Layouts: the fields of a UUID are all of it, conversions keep them, and libuuid reads the same
// times. The time order is an order, and it is that of the times.

#include <sys/time.h>
#include <uuid/uuid.h>

#include <cassert>

#include "core/inspect.h"
#include "core/time_order.h"

using namespace uuidx;

namespace {

Uuid remade(const Uuid& uuid) {
    switch (version(uuid).value_or(0)) {
        case 1:
            return v1::make(v1::timestamp(uuid), v1::clock_seq.of(uuid), v1::node.of(uuid));
        case 6:
            return v6::make(v6::timestamp(uuid), v6::clock_seq.of(uuid), v6::node.of(uuid));
        case 7:
            return v7::make(v7::precise_timestamp(uuid), v7::rand_b.of(uuid));
        case 8:
            return v8::make(v8::timestamp(uuid), v8::custom_c.of(uuid));
        default:
            return uuid;
    }
}

/// libuuid reads version 1, from 1970 on.
void check_time(const Uuid& uuid) {
    const auto time = timestamp(uuid);
    if (!is_version(uuid, 1) || *time < Microseconds{})
        return;
    timeval by_libuuid;
    ::uuid_time(uuid.octets.data(), &by_libuuid);
    const std::chrono::seconds seconds{by_libuuid.tv_sec};
    assert(*time == Microseconds{seconds + std::chrono::microseconds{by_libuuid.tv_usec}});
}

void check_order(const Uuid& a, const Uuid& b) {
    const auto order = compare_by_time(a, b);
    assert((order == 0) == (a == b));
    assert((order < 0) == (compare_by_time(b, a) > 0));
    const auto time_of_a = timestamp(a);
    const auto time_of_b = timestamp(b);
    if (time_of_a && time_of_b && *time_of_a != *time_of_b)
        assert((order < 0) == (*time_of_a < *time_of_b));
    else if (time_of_a.has_value() != time_of_b.has_value())
        assert((order < 0) == time_of_a.has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2 * Uuid::size)
        return 0;
    Uuid a;
    Uuid b;
    std::copy_n(data, Uuid::size, a.octets.begin());
    std::copy_n(data + Uuid::size, Uuid::size, b.octets.begin());
    assert(remade(a) == a);
    if (const auto v6 = v1_to_v6(a)) {
        assert(v6_to_v1(*v6) == a);
        assert(timestamp(*v6) == timestamp(a));
    }
    check_time(a);
    check_order(a, b);
    return 0;
}
