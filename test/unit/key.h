// The key of NIST's samples for FF1.

#pragma once

#include <gtest/gtest.h>

#include "core/aes.h"
#include "octets.h"

namespace uuidx {

/// AES with the first 16 or 24 octets of the key, or all 32, for a scope.
struct Key {
    static constexpr std::uint8_t all[] = {0x2B, 0x7E, 0x15, 0x16, 0x28, 0xAE, 0xD2, 0xA6,
                                           0xAB, 0xF7, 0x15, 0x88, 0x09, 0xCF, 0x4F, 0x3C,
                                           0xEF, 0x43, 0x59, 0xD8, 0xD5, 0x80, 0xAA, 0x4F,
                                           0x7F, 0x03, 0x6D, 0x6F, 0x04, 0xFC, 0x6A, 0x94};

    explicit Key(std::size_t size) { EXPECT_TRUE(aes.set_key({all, size})); }
    ~Key() { aes.clear(); }
    Key(const Key&) = delete;

    Aes aes;
};

}  // namespace uuidx
