// Masks: unmasking is the inverse, whatever the key, the tweak and the version; another tweak gives
// another mask.

#include <fuzzer/FuzzedDataProvider.h>

#include <cassert>

#include "core/mask.h"

using namespace uuidx;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider input{data, size};
    Uuid uuid;
    input.ConsumeData(uuid.octets.data(), Uuid::size);
    const auto version = input.ConsumeIntegralInRange(0u, 15u);
    const auto key = input.ConsumeBytes<std::uint8_t>(input.ConsumeIntegralInRange(0, 40));
    const auto tweak = input.ConsumeRemainingBytes<std::uint8_t>();

    static Aes aes;
    const bool is_key = key.size() == 16 || key.size() == 24 || key.size() == 32;
    assert(aes.set_key(key) == is_key);
    const auto masked = mask(uuid, aes, tweak);
    assert(masked.has_value() == is_key);
    if (!masked)
        return 0;
    assert(is_version(*masked, 4));
    assert(unmask(*masked, aes, tweak, version) == with_version(uuid, version));
    auto longer = tweak;
    longer.push_back(0);
    assert(mask(uuid, aes, longer) != masked);
    return 0;
}
