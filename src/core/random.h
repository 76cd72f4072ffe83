// Randomness: RFC 9562 section 6.9.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace uuidx {

/// Fills `words` from OpenSSL's cryptographically secure generator, which seeds itself anew after a
/// fork. False when it has no entropy to give.
bool fill_random(std::span<std::uint64_t> words);

/// Random bits in advance: one call of the generator, whose cost hardly depends on how much it is
/// asked for, fills the pool for thousands of UUIDs. It is filled on demand, whole, by the process
/// that draws from it, and each word is erased when it is handed out.
template <bool (*fill)(std::span<std::uint64_t>) = fill_random>
class RandomPool {
  public:
    static constexpr std::size_t words = 2048;

    /// 64 bits that nobody got before; none if the pool is empty and cannot be filled. `process` is
    /// the number of the process that asks: what another one has filled, from which this one was
    /// forked, is thrown away.
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
