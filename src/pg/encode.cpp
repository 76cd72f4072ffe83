// Encodes UUIDs as text other than hex-and-dash.

#include "core/encoding.h"

#include "pg/shim.h"

namespace uuidx::pg {

namespace {

/// The encoding that argument `n` names; 22023 if there is none.
const Encoding& getarg_encoding(FunctionCallInfo fcinfo, int n) {
    const std::string_view name = getarg_text(fcinfo, n);
    const Encoding* const encoding = encoding_named(name);
    if (encoding == nullptr)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("unrecognized format: \"%s\"", pnstrdup(name.data(), name.size())),
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
                               pnstrdup(text.data(), text.size())),
                        errdetail_internal("%s", encoding.form)));
    return datum(*uuid);
}

}  // namespace uuidx::pg
