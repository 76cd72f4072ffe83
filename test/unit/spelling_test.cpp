// The spellings of UUIDs in texts.

#include "core/spelling.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "samples.h"

namespace uuidx {
namespace {

TEST(Spelling, FitsASize) {
    constexpr Uuid uuid = parse("01563e3a-b5d3-d676-4c61-efb99302bd5b");
    for (std::size_t size = 0; size < 40; ++size) {
        const std::string_view expected = size < 32   ? "01ARZ3NDEKTSV4RRFFQ69G5FAV"
                                          : size < 36 ? "01563e3ab5d3d6764c61efb99302bd5b"
                                                      : "01563e3a-b5d3-d676-4c61-efb99302bd5b";
        const EncodedText text = to_text_of_size(uuid, size);
        EXPECT_EQ(text.view(), expected) << size;
        EXPECT_EQ(from_digits_or_ulid(text.view()), uuid);
    }
    EXPECT_EQ(from_digits_or_ulid("01ARZ3NDEKTSV4RRFFQ69G5FAVA"), std::nullopt);
}

TEST(Spelling, WritesAUuidAsAnotherIsWritten) {
    constexpr Uuid uuid = parse("01563e3a-b5d3-d676-4c61-efb99302bd5b");
    constexpr Uuid other = parse("f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
    constexpr std::string_view around[][2] = {{"", ""}, {"{", "}"}, {"urn:uuid:", ""}};
    const auto text = [](const Uuid& of, std::size_t size, auto to_case, auto& parts) {
        std::string digits{to_text_of_size(of, size).view()};
        std::ranges::transform(digits, digits.begin(), to_case);
        return std::string{parts[0]} + digits + std::string{parts[1]};
    };
    std::set<std::string> texts;
    for (const auto& parts : around)
        for (const std::size_t size : {36, 32, 26})
            for (char (*to_case)(char) : {upper_case, lower_case}) {
                const std::string written = text(uuid, size, to_case, parts);
                const std::string replaced = text(other, size, to_case, parts);
                const auto spelling = spelling_of(written);
                ASSERT_TRUE(spelling) << written;
                EXPECT_EQ(spelling->uuid, uuid);
                std::string result = written;
                std::ranges::copy(spelling->digits_of(other).view(),
                                  result.begin() + static_cast<long>(spelling->begin));
                EXPECT_EQ(result, replaced);
                EXPECT_TRUE(are_spelled_alike(written, replaced)) << written;
                for (const std::string& different : texts)
                    EXPECT_FALSE(are_spelled_alike(written, different)) << different;
                texts.insert(written);
            }
    for (const char* text :
         {"01563E3a-b5d3-d676-4c61-efb99302bd5b", "01563e3ab5d3-d676-4c61-efb99302bd5b", "",
          "0l563e3a-b5d3-d676-4c61-efb99302bd5b", "{", "{}",
          "urn:uuid:", "O1ARZ3NDEKTSV4RRFFQ69G5FAV", "{01563e3a-b5d3-d676-4c61-efb99302bd5b"})
        EXPECT_FALSE(spelling_of(text)) << text;
    EXPECT_TRUE(are_spelled_alike("11111111-1111-4111-8111-111111111111",
                                  "01563E3A-B5D3-D676-4C61-EFB99302BD5B"));
}

}  // namespace
}  // namespace uuidx
