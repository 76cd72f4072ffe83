// UUIDs as text other than hex-and-dash.

#include "core/encoding.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/layouts.h"
#include "samples.h"

namespace uuidx {
namespace {

const Encoding& named(std::string_view name) {
    return *encoding_named(name);
}

std::string encoded(const Uuid& uuid, std::string_view name) {
    return std::string{named(name).encode(uuid).view()};
}

TEST(Encoding, MatchesOtherImplementations) {
    // From Python: base64.b32hexencode, base64.urlsafe_b64encode, and the number in base 58.
    struct {
        const char* uuid;
        const char* base32hex;
        const char* base58;
        const char* base64url;
    } constexpr vectors[] = {
        {"017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "05VI5OJPM1UC7664RG60O1PPHS",
         "BihbxwwQ4NZZpKRH9JDCz", "AX8i4nmwfMOYxNwMDAc5jw"},
        {"f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "V0EKVBJTTG8T19R502GCI7JBUO",
         "Xe22UfxT3rxcKJEAfL5373", "-B1Prn3sEdCnZQCgyR5r9g"},
        {"00000000-0000-0000-0000-000000000001", "00000000000000000000000004", "1111111111111112",
         "AAAAAAAAAAAAAAAAAAAAAQ"},
        {"0000ffff-0000-0000-0000-000000000000", "000FVVO0000000000000000000",
         "112d7Ygh7uK3Z6x4EWCxdu", "AAD__wAAAAAAAAAAAAAAAA"},
    };
    for (const auto& vector : vectors) {
        const Uuid uuid = *from_hex_and_dash(vector.uuid);
        EXPECT_EQ(encoded(uuid, "base32hex"), vector.base32hex);
        EXPECT_EQ(encoded(uuid, "base58"), vector.base58);
        EXPECT_EQ(encoded(uuid, "base64url"), vector.base64url);
    }
    // The URN is in RFC 9562 4; the ULID has the bits of RFC 9562 A.6.
    EXPECT_EQ(encoded(parse("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"), "urn"),
              "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
    EXPECT_EQ(encoded(parse("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"), "ulid"),
              "01FWHE4YDGFK1SHH6W1G60EECF");
}

TEST(Encoding, DecodesWhatItEncodes) {
    Samples samples;
    for (const Encoding& encoding : encodings) {
        for (int i = sample_count(10'000, 50'000); i > 0; --i) {
            Uuid uuid = samples.any();
            // Up to 16 leading zero octets, each of which is a 1 in base58
            std::fill_n(uuid.octets.begin(), i % 17, std::uint8_t{0});
            EXPECT_EQ(encoding.decode(encoding.encode(uuid).view()), uuid) << encoding.name;
        }
    }
}

TEST(Encoding, AcceptsOneTextPerUuidExceptForCase) {
    // If a changed text decodes, the UUID encodes to that text, except for case.
    Samples samples;
    for (const Encoding& encoding : encodings) {
        const bool any_case = encoding.decode != from_base58 && encoding.name != "base64url";
        for (int i = 0; i < 1000; ++i) {
            const std::string text = encoded(samples.any(), encoding.name);
            for (std::size_t at = 0; at < text.size(); ++at) {
                std::string other = text;
                other[at] = static_cast<char>(samples.number());
                const auto uuid = encoding.decode(other);
                if (!uuid)
                    continue;
                std::string again = encoded(*uuid, encoding.name);
                if (any_case)
                    for (std::string* s : {&again, &other})
                        std::transform(s->begin(), s->end(), s->begin(), upper_case);
                if (encoding.name == "ulid")
                    std::transform(other.begin(), other.end(), other.begin(), crockford_digit);
                EXPECT_EQ(again, other);
            }
        }
    }
}

/// The characters that `encoding` accepts at position `at` of `text`.
std::set<char> taken_at(std::string_view encoding, std::string text, std::size_t at) {
    std::set<char> taken;
    for (int c = -128; c < 128; ++c) {
        text[at] = static_cast<char>(c);
        if (named(encoding).decode(text))
            taken.insert(text[at]);
    }
    return taken;
}

std::set<char> characters(std::string_view text) {
    return {text.begin(), text.end()};
}

TEST(Encoding, AcceptsTheCharactersOfItsAlphabet) {
    EXPECT_EQ(taken_at("ulid", "01FWHE4YDGFK1SHH6W1G60EECF", 7),
              characters("0123456789ABCDEFGHIJKLMNOPQRSTVWXYZabcdefghijklmnopqrstvwxyz"));
    EXPECT_EQ(taken_at("ulid", "01FWHE4YDGFK1SHH6W1G60EECF", 0), characters("01234567IiLlOo"));
    EXPECT_EQ(taken_at("base32hex", "05VI5OJPM1UC7664RG60O1PPHS", 7),
              characters("0123456789ABCDEFGHIJKLMNOPQRSTUVabcdefghijklmnopqrstuv"));
    EXPECT_EQ(taken_at("base32hex", "05VI5OJPM1UC7664RG60O1PPHS", 25), characters("048CGKOScgkos"));
    EXPECT_EQ(taken_at("base58", "BihbxwwQ4NZZpKRH9JDCz", 7), characters(base58::digits));
    EXPECT_EQ(taken_at("base64url", "AX8i4nmwfMOYxNwMDAc5jw", 7), characters(base64url.digits));
    EXPECT_EQ(taken_at("base64url", "AX8i4nmwfMOYxNwMDAc5jw", 21), characters("AQgw"));
}

TEST(Encoding, RejectsOtherLengthsExceptInBase58) {
    for (const Encoding& encoding : encodings) {
        if (encoding.decode == from_base58)
            continue;
        const std::string text =
            encoded(parse("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"), encoding.name);
        const std::string longer = text + std::string(60, '1');
        for (std::size_t size = 0; size < longer.size(); ++size)
            EXPECT_EQ(encoding.decode(longer.substr(0, size)).has_value(), size == text.size())
                << longer.substr(0, size);
    }
}

TEST(Base58, RequiresSixteenOctets) {
    EXPECT_EQ(from_base58("YcVfxkQb6JRzqk5kF2tNLv"), max_uuid);
    EXPECT_EQ(from_base58("YcVfxkQb6JRzqk5kF2tNLw"), std::nullopt) << "more than 128 bits";
    EXPECT_EQ(from_base58(std::string(16, '1')), nil_uuid);
    EXPECT_EQ(from_base58(std::string(15, '1')), std::nullopt);
    EXPECT_EQ(from_base58(std::string(17, '1')), std::nullopt);
    EXPECT_EQ(from_base58("1BihbxwwQ4NZZpKRH9JDCz"), std::nullopt) << "17 octets";
}

TEST(Encoding, SortsAsTheUuidsDoInBase32) {
    Samples samples;
    for (const char* name : {"ulid", "base32hex"})
        for (int i = 0; i < 10'000; ++i) {
            const Uuid a = samples.any();
            const Uuid b = samples.any();
            EXPECT_EQ(encoded(a, name) < encoded(b, name), a < b);
        }
}

TEST(Encoding, IsFoundByItsName) {
    for (const char* name : {"urn", "ulid", "base32hex", "base58", "base64url"})
        EXPECT_EQ(named(name).name, name);
    for (const char* name : {"", "URN", "ur", "base64", "base64url "})
        EXPECT_EQ(encoding_named(name), nullptr);
}

// spec/valid.yml of the specification
TEST(TypeId, MatchesTheValidExamples) {
    struct {
        const char* text;
        const char* prefix;
        Uuid uuid;
    } constexpr examples[] = {
        {"00000000000000000000000000", "", nil_uuid},
        {"00000000000000000000000001", "", parse("00000000-0000-0000-0000-000000000001")},
        {"0000000000000000000000000a", "", parse("00000000-0000-0000-0000-00000000000a")},
        {"0000000000000000000000000g", "", parse("00000000-0000-0000-0000-000000000010")},
        {"00000000000000000000000010", "", parse("00000000-0000-0000-0000-000000000020")},
        {"7zzzzzzzzzzzzzzzzzzzzzzzzz", "", max_uuid},
        {"prefix_0123456789abcdefghjkmnpqrs", "prefix",
         parse("0110c853-1d09-52d8-d73e-1194e95b5f19")},
        {"prefix_01h455vb4pex5vsknk084sn02q", "prefix",
         parse("01890a5d-ac96-774b-bcce-b302099a8057")},
        {"pre_fix_00000000000000000000000000", "pre_fix", nil_uuid},
    };
    for (const auto& example : examples) {
        EXPECT_EQ(to_typeid({example.prefix, example.uuid}).view(), example.text);
        const auto id = from_typeid(example.text);
        ASSERT_TRUE(id) << example.text;
        EXPECT_EQ(id->prefix, example.prefix);
        EXPECT_EQ(id->uuid, example.uuid);
    }
}

// spec/invalid.yml of the specification
TEST(TypeId, RejectsTheInvalidExamples) {
    for (const char* text : {"PREFIX_00000000000000000000000000",
                             "12345_00000000000000000000000000",
                             "pre.fix_00000000000000000000000000",
                             "préfix_00000000000000000000000000",
                             "  prefix_00000000000000000000000000",
                             "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl_"
                             "00000000000000000000000000",
                             "_00000000000000000000000000",
                             "_",
                             "prefix_1234567890123456789012345",
                             "prefix_123456789012345678901234567",
                             "prefix_1234567890123456789012345 ",
                             "prefix_0123456789ABCDEFGHJKMNPQRS",
                             "prefix_123456789-123456789-123456",
                             "prefix_ooooooiiiiiiuuuuuuulllllll",
                             "prefix_i23456789ol23456789oi23456",
                             "prefix_123456789-0123456789-0123456",
                             "prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz",
                             "_prefix_00000000000000000000000000",
                             "prefix__00000000000000000000000000",
                             "",
                             "prefix_"})
        EXPECT_FALSE(from_typeid(text)) << text;
}

TEST(TypeId, HasAPrefixOfUpTo63LettersAndUnderscores) {
    for (const std::string prefix : {"a", "a_b", "a__b", "abcdefghijklmnopqrstuvwxyz"})
        EXPECT_TRUE(is_typeid_prefix(prefix)) << prefix;
    EXPECT_TRUE(is_typeid_prefix(std::string(63, 'z')));
    EXPECT_FALSE(is_typeid_prefix(std::string(64, 'z')));
    for (const char* prefix : {"_", "_a", "a_", "A", "a1", "a-b", " a", "a ", "\xE9"})
        EXPECT_FALSE(is_typeid_prefix(prefix)) << prefix;
    EXPECT_FALSE(is_typeid_prefix({"a\0b", 3}));
    EXPECT_EQ(to_typeid({std::string(63, 'z'), max_uuid}).view().size(), 90u);
}

TEST(TypeId, DecodesWhatItEncodesAndSortsAsTheUuidsDo) {
    Samples samples;
    const std::string prefix(63, 'z');
    const int count = sample_count(50'000, 1'000'000);
    for (int i = 0; i < count; ++i) {
        const TypeId a{std::string_view{prefix}.substr(i % 64), samples.any()};
        const TypeId b{a.prefix, samples.any()};
        const auto text = to_typeid(a);
        const auto decoded = from_typeid(text.view());
        ASSERT_TRUE(decoded && decoded->prefix == a.prefix && decoded->uuid == a.uuid);
        EXPECT_EQ(text.view() < to_typeid(b).view(), a.uuid < b.uuid);
    }
}

}  // namespace
}  // namespace uuidx
