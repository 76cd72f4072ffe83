// Reading what is inside a UUID.

#include "core/inspect.h"
#include "pg/pg.h"

namespace uuidx::pg {

namespace {

const char* name(Variant variant) {
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
    return datum(name(variant(getarg_uuid(fcinfo, 0))));
}

/// uuid_extract_timestamp(uuid) and uuid_time(uuid) return timestamptz: RFC 9562 5.1, 5.6, 5.7, to
/// the microsecond (version 7: millisecond), rounded down. NULL for any other version or variant.
UUIDX_FUNCTION(uuidx_extract_timestamp) {
    return result(fcinfo, timestamp(getarg_uuid(fcinfo, 0)));
}

/// uuid_v7_timestamp_us(uuid) returns timestamptz: RFC 9562 6.2 method 3. NULL unless version 7.
UUIDX_FUNCTION(uuidx_v7_timestamp_us) {
    return result(fcinfo, v7_timestamp_us(getarg_uuid(fcinfo, 0)));
}

/// uuid_v7_to_timestamptz(uuid) returns timestamptz: the first 48 bits as milliseconds, of any
/// UUID, as pg_uuidv7 has it.
UUIDX_FUNCTION(uuidx_v7_to_timestamptz) {
    return datum(to_microseconds(v7::timestamp(getarg_uuid(fcinfo, 0))));
}

/// uuid_v8_timestamp(uuid) returns timestamptz: RFC 9562 B.1, to the microsecond, rounded down.
/// NULL unless version 8.
UUIDX_FUNCTION(uuidx_v8_timestamp) {
    return result(fcinfo, v8_timestamp(getarg_uuid(fcinfo, 0)));
}

/// uuid_draft01_v7_timestamp(uuid) returns timestamptz, to the microsecond: the layout of
/// draft-peabody-dispatch-new-uuid-format-01 4.4. NULL unless version 7.
UUIDX_FUNCTION(uuidx_draft01_v7_timestamp) {
    return result(fcinfo, draft01_v7_timestamp(getarg_uuid(fcinfo, 0)));
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

/// uuid_inspect(uuid) returns one row: all that the functions above tell, whether the node is
/// random (RFC 9562 6.10), and the kind of UUID in words.
UUIDX_FUNCTION(uuidx_inspect) {
    const Uuid uuid = getarg_uuid(fcinfo, 0);
    return row(fcinfo, version(uuid), std::optional{name(variant(uuid))}, timestamp(uuid),
               clock_seq(uuid), node(uuid), node_is_random(uuid), std::optional{description(uuid)});
}

}  // namespace uuidx::pg
