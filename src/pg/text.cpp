// UUIDs as URNs and ULIDs.

#include "core/text.h"

#include "pg/pg.h"

namespace uuidx::pg {

namespace {

/// text
template <std::size_t size>
Datum text_datum(const std::array<char, size>& characters) {
    return PointerGetDatum(cstring_to_text_with_len(characters.data(), size));
}

/// The characters of a text argument, which lives as long as the call.
std::string_view getarg_text(FunctionCallInfo fcinfo, int n) {
    const text* const argument = PG_GETARG_TEXT_PP(n);
    return {VARDATA_ANY(argument), static_cast<std::size_t>(VARSIZE_ANY_EXHDR(argument))};
}

/// 22P02: `given` is not the form of a UUID that `form` names.
[[noreturn]] void report_invalid(const char* form, std::string_view given, const char* detail) {
    ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                    errmsg("invalid %s: \"%s\"", form, pnstrdup(given.data(), given.size())),
                    errdetail_internal("%s", detail)));
}

}  // namespace

/// uuid_to_urn(uuid) returns text: RFC 9562 4, "urn:uuid:" and lower-case digits.
UUIDX_FUNCTION(uuidx_to_urn) {
    return text_datum(to_urn(getarg_uuid(fcinfo, 0)));
}

/// uuid_from_urn(text) returns uuid: the same in any case (RFC 8141 3.1). 22P02 for another text.
UUIDX_FUNCTION(uuidx_from_urn) {
    const std::string_view given = getarg_text(fcinfo, 0);
    const auto uuid = from_urn(given);
    if (!uuid)
        report_invalid("URN of a UUID", given,
                       "It is to be \"urn:uuid:\" and a UUID of 32 digits and four dashes.");
    return datum(*uuid);
}

/// uuid_to_ulid(uuid) returns text: the 128 bits as 26 digits of Crockford's base 32.
UUIDX_FUNCTION(uuidx_to_ulid) {
    return text_datum(to_ulid(getarg_uuid(fcinfo, 0)));
}

/// uuid_from_ulid(text) returns uuid: the inverse, in any case, with I and L read as 1 and O as 0.
/// 22P02 for another length, another character, and more than 128 bits.
UUIDX_FUNCTION(uuidx_from_ulid) {
    const std::string_view given = getarg_text(fcinfo, 0);
    const auto uuid = from_ulid(given);
    if (!uuid)
        report_invalid(
            "ULID", given,
            "It is to be 26 digits of Crockford's base 32, the first of them at most 7.");
    return datum(*uuid);
}

}  // namespace uuidx::pg
