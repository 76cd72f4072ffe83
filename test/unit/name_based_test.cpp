// RFC 9562 sections 5.3, 5.5 and 6.5, and appendix B.2.

#include "core/name_based.h"

#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <string_view>

#include "core/vectors.h"

namespace uuidx {
namespace {

Octets octets(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(NameBased, IsTheVectorOfItsVersion) {
    const Octets name = octets("www.example.com");
    EXPECT_EQ(from_name(md5, vectors::ns_dns, name), vectors::v3);
    EXPECT_EQ(from_name(sha1, vectors::ns_dns, name), vectors::v5);
    EXPECT_EQ(from_name(sha256, vectors::ns_dns, name), vectors::v8_name);
}

TEST(NameBased, TakesAnEmptyNameAndZeroOctets) {
    // From Python: uuid.uuid5(uuid.NAMESPACE_DNS, ''), uuid.uuid5(uuid.NAMESPACE_DNS, 'a\0b')
    EXPECT_EQ(from_name(sha1, vectors::ns_dns, {}), parse("4ebd0208-8328-5d69-8c44-ec50939c0967"));
    EXPECT_EQ(from_name(sha1, vectors::ns_dns, octets({"a\0b", 3})),
              parse("0a63f66b-e02f-5d2d-9fd4-aad819cf5352"));
}

TEST(NameBased, SaysWhenThereIsNoSuchHashAndLeavesNoErrorBehind) {
    constexpr NameHash unknown{"no such hash", 8};
    EXPECT_EQ(from_name(unknown, vectors::ns_dns, octets("x")), std::nullopt);
    EVP_set_default_properties(nullptr, "provider=none");
    EXPECT_EQ(from_name(md5, vectors::ns_dns, octets("x")), std::nullopt);
    EVP_set_default_properties(nullptr, "");
    EXPECT_EQ(ERR_peek_error(), 0u);
    EXPECT_TRUE(from_name(md5, vectors::ns_dns, octets("x")));
}

}  // namespace
}  // namespace uuidx
