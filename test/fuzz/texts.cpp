// Texts: each decoder agrees with libuuid or with OpenSSL's arithmetic, and reads what its encoder
// writes.

#include <openssl/bn.h>
#include <uuid/uuid.h>

#include <cassert>
#include <string>

#include "core/encoding.h"
#include "core/node.h"

using namespace uuidx;

namespace {

/// The UUID whose number, times 2^spare, these digits stand for.
template <class DigitOf>
std::optional<Uuid> by_openssl(std::string_view text, unsigned radix, unsigned spare,
                               DigitOf&& digit_of) {
    BIGNUM* const number = BN_new();
    BN_zero(number);
    bool valid = true;
    for (const char c : text) {
        const auto digit = digit_of(c);
        valid = valid && digit != std::string_view::npos && BN_mul_word(number, radix) &&
                BN_add_word(number, digit);
    }
    for (unsigned bit = 0; bit < spare; ++bit)
        valid = valid && !BN_is_bit_set(number, static_cast<int>(bit));
    BN_rshift(number, number, static_cast<int>(spare));
    Uuid uuid;
    valid = valid && BN_bn2binpad(number, uuid.octets.data(), Uuid::size) == Uuid::size;
    BN_free(number);
    return valid ? std::optional{uuid} : std::nullopt;
}

constexpr std::string_view crockford = "0123456789abcdefghjkmnpqrstvwxyz";

std::size_t ulid_digit(char c) {
    if (c == 'I' || c == 'i' || c == 'L' || c == 'l')
        return 1;
    if (c == 'O' || c == 'o')
        return 0;
    return crockford.find(c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c);
}

std::size_t base32hex_digit(char c) {
    return std::string_view{"0123456789abcdefghijklmnopqrstuv"}.find(
        c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c);
}

std::size_t base64url_digit(char c) {
    return std::string_view{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"}
        .find(c);
}

std::size_t base58_digit(char c) {
    return std::string_view{"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"}.find(c);
}

std::optional<Uuid> base58_by_openssl(std::string_view text) {
    const auto uuid = by_openssl(text, 58, 0, base58_digit);
    std::size_t zeros = 0;
    while (uuid && zeros < Uuid::size && uuid->octets[zeros] == 0)
        ++zeros;
    return text.find_first_not_of('1') == zeros || (text.size() == zeros && zeros == Uuid::size)
               ? uuid
               : std::nullopt;
}

std::optional<Uuid> by_libuuid(std::string_view text) {
    Uuid uuid;
    if (uuid_parse(std::string{text}.c_str(), uuid.octets.data()) != 0 ||
        text.size() != hex_and_dash_size)
        return std::nullopt;
    return uuid;
}

std::optional<Uuid> by_others(std::string_view name, std::string_view text) {
    if (name == "urn")
        return has_urn_prefix(text) ? by_libuuid(text.substr(urn_prefix.size())) : std::nullopt;
    if (name == "ulid" && text.size() == 26)
        return by_openssl(text, 32, 0, ulid_digit);
    if (name == "base32hex" && text.size() == 26)
        return by_openssl(text, 32, 2, base32hex_digit);
    if (name == "base64url" && text.size() == 22)
        return by_openssl(text, 64, 4, base64url_digit);
    if (name == "base58" && text.size() <= 22)
        return base58_by_openssl(text);
    return std::nullopt;
}

void check_typeid(std::string_view text) {
    const auto id = from_typeid(text);
    if (!id)
        return;
    assert(to_typeid(*id).view() == text);
    const auto suffix = text.substr(text.size() - typeid_suffix.size);
    assert(by_openssl(suffix, 32, 0, [](char c) { return crockford.find(c); }) == id->uuid);
}

void check_node(std::string_view text) {
    const auto node = parse_node(text);
    std::string digits;
    for (const char c : text)
        if (c != ':' && c != '-')
            digits += c;
    if (node)
        assert(node_number(*node) == std::stoull(digits, nullptr, 16));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    assert(from_hex_and_dash(text) == by_libuuid(text));
    for (const Encoding& encoding : encodings) {
        const auto uuid = encoding.decode(text);
        assert(uuid == by_others(encoding.name, text));
        if (uuid)
            assert(encoding.decode(encoding.encode(*uuid).view()) == uuid);
    }
    check_typeid(text);
    check_node(text);

    Uuid uuid;
    std::copy_n(data, std::min(size, Uuid::size), uuid.octets.begin());
    for (const Encoding& encoding : encodings)
        assert(by_others(encoding.name, encoding.encode(uuid).view()) == uuid);
    return 0;
}
