// A part of a text.

#pragma once

#include <algorithm>
#include <string_view>

namespace uuidx {

/// The characters of `text` from `begin` on that stand before `end`. A position after the end of
/// the text stands for its end: std::string_view::substr() would call the C++ library to throw.
constexpr std::string_view slice(std::string_view text, std::size_t begin,
                                 std::size_t end = std::string_view::npos) {
    end = std::min(end, text.size());
    begin = std::min(begin, end);
    return {text.data() + begin, end - begin};
}

}  // namespace uuidx

#include "core/no_postgres.h"
