// Encodes UUIDs as text other than hex-and-dash.

#include "core/encoding.h"

#include "server/shim.h"

namespace uuidx::pg {

namespace {

/// The encoding that argument `n` names; 22023 if there is none.
const Encoding& getarg_encoding(FunctionCallInfo fcinfo, int n) {
    const std::string_view name = getarg_text(fcinfo, n);
    const Encoding* const encoding = encoding_named(name);
    if (encoding == nullptr)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("unrecognized format: \"%s\"", to_cstring(name)),
                        errhint("Formats are \"urn\", \"ulid\", \"base32hex\", \"base58\" and "
                                "\"base64url\".")));
    return *encoding;
}

}  // namespace

/// uuid_encode(id uuid, format text) returns text: the UUID as a URN (RFC 9562 4), a ULID,
/// base32hex or base64url (RFC 4648), or base58. 22023 for an unknown format.
UUIDX_FUNCTION(uuidx_encode) {
    return datum(getarg_encoding(fcinfo, 1).encode(getarg_uuid(fcinfo, 0)).view());
}

/// uuid_decode(value text, format text) returns uuid: the inverse. 22P02 if the text is invalid in
/// that format, 22023 for an unknown format.
UUIDX_FUNCTION(uuidx_decode) {
    const std::string_view text = getarg_text(fcinfo, 0);
    const Encoding& encoding = getarg_encoding(fcinfo, 1);
    const auto uuid = encoding.decode(text);
    if (!uuid)
        ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                        errmsg("invalid UUID in format \"%s\": \"%s\"", encoding.name.data(),
                               to_cstring(text)),
                        errdetail_internal("%s", encoding.form)));
    return datum(*uuid);
}

/// uuid_to_typeid(id uuid, prefix text) returns text: the UUID as a TypeID. 22023 if a TypeID
/// cannot have that prefix.
UUIDX_FUNCTION(uuidx_to_typeid) {
    const std::string_view prefix = getarg_text(fcinfo, 1);
    if (!is_typeid_prefix(prefix))
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("invalid prefix of a TypeID: \"%s\"", to_cstring(prefix)),
                 errdetail("A prefix has at most 63 letters from a to z and underscores, and "
                           "begins and ends with a letter.")));
    return datum(to_typeid({prefix, getarg_uuid(fcinfo, 0)}).view());
}

/// uuid_from_typeid(value text, prefix text) returns uuid: the UUID of a TypeID. 22P02 for any
/// other text, or if the TypeID does not have that prefix; NULL allows all prefixes.
UUIDX_FUNCTION(uuidx_from_typeid) {
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    const std::string_view text = getarg_text(fcinfo, 0);
    const auto id = from_typeid(text);
    if (!id)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                 errmsg("invalid TypeID: \"%s\"", to_cstring(text)),
                 errdetail("A TypeID has an optional prefix with an underscore, and 26 digits of "
                           "lower-case base 32, the first at most 7.")));
    if (!PG_ARGISNULL(1) && getarg_text(fcinfo, 1) != id->prefix)
        ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                        errmsg("TypeID \"%s\" has prefix \"%s\", not \"%s\"", to_cstring(text),
                               to_cstring(id->prefix), to_cstring(getarg_text(fcinfo, 1)))));
    return datum(id->uuid);
}

}  // namespace uuidx::pg
