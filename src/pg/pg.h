// The border between the core and PostgreSQL. A shim includes the headers of the core, then this
// file; no other file includes a PostgreSQL header.
//
// ereport(ERROR) is a longjmp: no object with a non-trivial destructor may be alive where it, or
// any function of PostgreSQL, is called. What crosses the border is plain data: Uuid, numbers,
// std::chrono's time points, std::array and std::optional of such.

#pragma once

#include <algorithm>

#include "core/inspect.h"

extern "C" {
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type_d.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#if PG_VERSION_NUM >= 170000
#include "storage/procnumber.h"
#else
#include "storage/backendid.h"
#endif
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/inet.h"
#include "utils/rangetypes.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
#include "utils/sortsupport.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"
#include "utils/uuid.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif
}

// Differences between the versions of PostgreSQL: here and nowhere else.
#if PG_VERSION_NUM < 140000
#error uuidx needs PostgreSQL 14 or newer
#endif
#if PG_VERSION_NUM < 160000
#undef PGDLLEXPORT
#define PGDLLEXPORT __attribute__((visibility("default")))
#endif

namespace uuidx::pg {

/// Refuses settings that begin with `prefix` and that the module does not define.
inline void reserve_setting_prefix(const char* prefix) {
#if PG_VERSION_NUM >= 150000
    MarkGUCPrefixReserved(prefix);
#else
    EmitWarningsOnPlaceholders(prefix);
#endif
}

/// Memory for what the check hook of a setting hands on; null if there is none.
inline void* setting_memory(std::size_t size) {
#if PG_VERSION_NUM >= 160000
    return guc_malloc(LOG, size);
#else
    return malloc(size);
#endif
}

/// Calls `walker` for each child of a node.
inline bool walk_expression(Node* node, bool (*walker)(Node*, void*), void* context) {
#if PG_VERSION_NUM >= 160000
    return expression_tree_walker(node, walker, context);
#else
    // There the type of the walker has no arguments, which in C++ means that it takes none.
    const auto untyped = reinterpret_cast<void (*)()>(walker);
    return expression_tree_walker(node, reinterpret_cast<bool (*)()>(untyped), context);
#endif
}

/// The number of this process, a parallel worker among them, that no other one of this server has.
inline std::uint64_t process_slot() {
#if PG_VERSION_NUM >= 170000
    return static_cast<std::uint64_t>(MyProcNumber);
#else
    return static_cast<std::uint64_t>(MyBackendId);
#endif
}

/// Compares abbreviated keys. The server knows its own function, and has a sort for it.
#if PG_VERSION_NUM >= 150000
inline constexpr auto* compare_unsigned_datums = ssup_datum_unsigned_cmp;
#else
inline int compare_unsigned_datums(Datum a, Datum b, SortSupport) {
    return a < b ? -1 : a > b;
}
#endif

}  // namespace uuidx::pg

/// Defines the C function behind an SQL function.
#define UUIDX_FUNCTION(name)   \
    extern "C" {               \
    PG_FUNCTION_INFO_V1(name); \
    }                          \
    extern "C" PGDLLEXPORT Datum name([[maybe_unused]] PG_FUNCTION_ARGS)

namespace uuidx::pg {

// --- Moments ---

/// Between PostgreSQL's epoch, 2000-01-01, and that of Microseconds.
inline constexpr std::chrono::days epochs_apart{POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE};

/// No UUID holds a time that is so long before or after 2000; to compute with one does not
/// overflow.
inline constexpr std::chrono::years beyond_all{18'000};

/// The moment of a timestamptz; none for infinity and for times later than any UUID's. (The
/// earliest of PostgreSQL's, in 4714 BC, is within beyond_all.)
inline std::optional<Microseconds> moment(TimestampTz time) {
    if (TIMESTAMP_NOT_FINITE(time) || std::chrono::microseconds{time} > beyond_all)
        return std::nullopt;
    return Microseconds{std::chrono::microseconds{time}} + epochs_apart;
}

/// The same, with infinity and what is too far away moved to where it is still beyond all UUIDs.
inline Microseconds clamped_moment(TimestampTz time) {
    const std::chrono::microseconds since_epoch{time};
    return Microseconds{
               std::clamp<std::chrono::microseconds>(since_epoch, -beyond_all, beyond_all)} +
           epochs_apart;
}

/// The timestamptz of a moment. Every one that a UUID can hold is valid.
inline TimestampTz timestamptz(Microseconds moment) {
    return (moment - epochs_apart).time_since_epoch().count();
}

// --- Arguments ---

inline Uuid to_uuid(Datum datum) {
    Uuid uuid;
    memcpy(uuid.octets.data(), DatumGetUUIDP(datum)->data, Uuid::size);
    return uuid;
}

inline Uuid getarg_uuid(FunctionCallInfo fcinfo, int n) {
    return to_uuid(PG_GETARG_DATUM(n));
}

// --- Results: the SQL type goes by the C++ type ---

/// uuid
inline Datum datum(const Uuid& uuid) {
    auto* const result = static_cast<pg_uuid_t*>(palloc(sizeof(pg_uuid_t)));
    memcpy(result->data, uuid.octets.data(), Uuid::size);
    return UUIDPGetDatum(result);
}

/// timestamptz
inline Datum datum(Microseconds moment) {
    return TimestampTzGetDatum(timestamptz(moment));
}

/// interval
inline Datum datum(std::chrono::microseconds duration) {
    auto* const result = static_cast<Interval*>(palloc0(sizeof(Interval)));
    result->time = duration.count();
    return IntervalPGetDatum(result);
}

/// bigint
inline Datum datum(std::int64_t number) {
    return Int64GetDatum(number);
}

/// macaddr
inline Datum datum(const NodeId& node) {
    static_assert(sizeof(macaddr) == sizeof(NodeId));
    auto* const result = static_cast<macaddr*>(palloc(sizeof(macaddr)));
    memcpy(result, node.data(), sizeof(NodeId));
    return MacaddrPGetDatum(result);
}

/// smallint
inline Datum datum(std::uint8_t number) {
    return Int16GetDatum(number);
}
inline Datum datum(std::uint16_t number) {
    return Int16GetDatum(static_cast<int16>(number));
}

/// boolean
inline Datum datum(bool value) {
    return BoolGetDatum(value);
}

/// text
inline Datum datum(const char* text) {
    return CStringGetTextDatum(text);
}

/// The value, or NULL where there is none.
template <class T>
Datum result(FunctionCallInfo fcinfo, const std::optional<T>& value) {
    if (!value)
        PG_RETURN_NULL();
    return datum(*value);
}

/// One row of the function's OUT parameters, which `columns` give in their order.
template <class... T>
Datum row(FunctionCallInfo fcinfo, const std::optional<T>&... columns) {
    TupleDesc descriptor;
    if (get_call_result_type(fcinfo, nullptr, &descriptor) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "return type must be a row type");
    Datum values[] = {(columns ? datum(*columns) : Datum{0})...};
    bool nulls[] = {!columns...};
    return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}

// --- Messages ---

/// `uuid` in PostgreSQL's text form, palloc'd.
inline const char* to_cstring(const Uuid& uuid) {
    return DatumGetCString(DirectFunctionCall1(uuid_out, datum(uuid)));
}

}  // namespace uuidx::pg
