// Random bits: RFC 9562 section 6.9.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace uuidx {

/// Fills `words` from OpenSSL's cryptographically secure generator, which reseeds itself after a
/// fork. Returns false if it has no entropy.
bool fill_random(std::span<std::uint64_t> words);

/// Random bits in advance. A call of OpenSSL's generator costs about the same however many bits it
/// returns, so one call fills the pool for thousands of UUIDs. draw() fills it when it is empty, in
/// the process that needs the bits, and erases each word as it returns it.
template <bool (*fill)(std::span<std::uint64_t>) = fill_random>
class RandomPool {
  public:
    static constexpr std::size_t words = 2048;

    /// 64 bits that were never returned before; nullopt if the pool is empty and cannot be filled.
    /// `process` is the caller's process ID: draw() discards a pool that another process filled
    /// before a fork.
    std::optional<std::uint64_t> draw(int process) {
        if (left_ == 0 || process != owner_) {
            if (!fill(words_))
                return std::nullopt;
            left_ = words;
            owner_ = process;
        }
        return std::exchange(words_[--left_], 0);
    }

  private:
    std::array<std::uint64_t, words> words_{};
    std::size_t left_ = 0;
    int owner_ = 0;
};

}  // namespace uuidx

#include "core/no_postgres.h"
