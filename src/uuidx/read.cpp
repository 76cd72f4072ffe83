// Reads the fields of a UUID.

#include "core/inspect.h"

#include "server/shim.h"

namespace uuidx::pg {

namespace {

std::string_view variant_name(Variant variant) {
    switch (variant) {
        case Variant::ncs:
            return "ncs";
        case Variant::rfc9562:
            return "rfc9562";
        case Variant::microsoft:
            return "microsoft";
        case Variant::future:
            return "future";
    }
    pg_unreachable();
}

}  // namespace

/// uuid_version(uuid) returns smallint: RFC 9562 4.2. NULL unless the variant is RFC 9562's.
UUIDX_FUNCTION(uuidx_version) {
    return result(fcinfo, version(getarg_uuid(fcinfo, 0)));
}

/// uuid_variant(uuid) returns text: RFC 9562 4.1.
UUIDX_FUNCTION(uuidx_variant) {
    return datum(variant_name(variant(getarg_uuid(fcinfo, 0))));
}

/// uuid_is_v6(uuid), uuid_is_v7(uuid) return boolean: whether the UUID has RFC 9562's variant and
/// that version.
UUIDX_FUNCTION(uuidx_is_v6) {
    return datum(is_version(getarg_uuid(fcinfo, 0), 6));
}
UUIDX_FUNCTION(uuidx_is_v7) {
    return datum(is_version(getarg_uuid(fcinfo, 0), 7));
}

/// uuid_extract_timestamp(uuid) and uuid_time(uuid) return timestamptz: RFC 9562 5.1, 5.6, 5.7, to
/// the microsecond (version 7: millisecond), rounded down. NULL for any other version or variant.
UUIDX_FUNCTION(uuidx_time) {
    return result(fcinfo, timestamp(getarg_uuid(fcinfo, 0)));
}

/// uuid_v7_time_us(uuid) returns timestamptz: RFC 9562 6.2 method 3. NULL unless version 7.
UUIDX_FUNCTION(uuidx_v7_time_us) {
    return result(fcinfo, v7_time_us(getarg_uuid(fcinfo, 0)));
}

/// uuid_v7_node_id(uuid) returns integer, 0 to 65535: the number that uuidx.v7_node_id was (RFC
/// 9562 6.4). NULL unless version 7.
UUIDX_FUNCTION(uuidx_v7_node_id) {
    return result(fcinfo, v7_node_id(getarg_uuid(fcinfo, 0)));
}

/// uuid_v8_time(uuid) returns timestamptz: RFC 9562 B.1, to the microsecond, rounded down.
/// NULL unless version 8.
UUIDX_FUNCTION(uuidx_v8_time) {
    return result(fcinfo, v8_time(getarg_uuid(fcinfo, 0)));
}

/// uuid_draft01_time(uuid) returns timestamptz, to the microsecond: the layout of
/// draft-peabody-dispatch-new-uuid-format-01 4.4. NULL unless version 7.
UUIDX_FUNCTION(uuidx_draft01_time) {
    return result(fcinfo, draft01_time(getarg_uuid(fcinfo, 0)));
}

/// uuid_extract_clock_seq(uuid) returns smallint, 0 to 16383: RFC 9562 5.1, 5.6. NULL unless
/// version 1 or 6.
UUIDX_FUNCTION(uuidx_extract_clock_seq) {
    return result(fcinfo, clock_seq(getarg_uuid(fcinfo, 0)));
}

/// uuid_extract_node(uuid) returns macaddr: RFC 9562 5.1, 5.6. NULL unless version 1 or 6.
UUIDX_FUNCTION(uuidx_extract_node) {
    return result(fcinfo, node(getarg_uuid(fcinfo, 0)));
}

/// uuid_inspect(uuid) returns one row: the results of the functions above, whether the node is
/// random (RFC 9562 6.10), and a description of the UUID.
UUIDX_FUNCTION(uuidx_inspect) {
    const Uuid uuid = getarg_uuid(fcinfo, 0);
    return row(fcinfo, version(uuid), std::optional{variant_name(variant(uuid))}, timestamp(uuid),
               clock_seq(uuid), node(uuid), node_is_random(uuid),
               std::optional{std::string_view{description(uuid)}});
}

}  // namespace uuidx::pg
