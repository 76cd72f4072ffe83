// uuid_time_ops: orders UUIDs of all versions by the time in them.

#include "core/time_order.h"

#include "server/shim.h"

namespace uuidx::pg {

namespace {

std::strong_ordering compare_arguments(FunctionCallInfo fcinfo) {
    return compare_by_time(getarg_uuid(fcinfo, 0), getarg_uuid(fcinfo, 1));
}

int three_way(std::strong_ordering order) {
    return order < 0 ? -1 : order > 0;
}

int compare_datums(Datum a, Datum b, SortSupport) {
    return three_way(compare_by_time(to_uuid(a), to_uuid(b)));
}

/// The first bits of the key, as many as a Datum has.
Datum abbreviate(Datum uuid, SortSupport) {
    return static_cast<Datum>(time_key(to_uuid(uuid)) >> (64 - 8 * sizeof(Datum)));
}

/// Computing a key costs next to nothing, so giving up would save little.
bool never_abort(int, SortSupport) {
    return false;
}

}  // namespace

/// Operators <~ <=~ >=~ >~ (uuid, uuid) return boolean: compare by the time in the UUIDs (to 100
/// ns), then by octets. UUIDs without a time come last.
UUIDX_FUNCTION(uuidx_time_lt) {
    return datum(compare_arguments(fcinfo) < 0);
}
UUIDX_FUNCTION(uuidx_time_le) {
    return datum(compare_arguments(fcinfo) <= 0);
}
UUIDX_FUNCTION(uuidx_time_ge) {
    return datum(compare_arguments(fcinfo) >= 0);
}
UUIDX_FUNCTION(uuidx_time_gt) {
    return datum(compare_arguments(fcinfo) > 0);
}

/// uuid_time_cmp(uuid, uuid) returns integer: -1, 0 or 1. B-tree support function 1.
UUIDX_FUNCTION(uuidx_time_cmp) {
    PG_RETURN_INT32(three_way(compare_arguments(fcinfo)));
}

/// uuid_time_sortsupport(internal) returns void. B-tree support function 2.
UUIDX_FUNCTION(uuidx_time_sortsupport) {
    auto* const support = reinterpret_cast<SortSupport>(PG_GETARG_POINTER(0));
    support->comparator = compare_datums;
    if (support->abbreviate) {
        support->comparator = compare_unsigned_datums;
        support->abbrev_converter = abbreviate;
        support->abbrev_abort = never_abort;
        support->abbrev_full_comparator = compare_datums;
    }
    PG_RETURN_VOID();
}

}  // namespace uuidx::pg
