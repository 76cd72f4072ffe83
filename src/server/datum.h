// Converts SQL values to values of the core, and back.

#pragma once

#include <algorithm>
#include <concepts>
#include <span>
#include <string_view>

#include "core/inspect.h"

extern "C" {
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/inet.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"
#include "utils/uuid.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif
}

namespace uuidx::pg {

// --- Moments ---

/// From the epoch of Microseconds, 1970-01-01, to PostgreSQL's, 2000-01-01.
inline constexpr std::chrono::days epochs_apart{POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE};

/// Farther from 2000 than the time of any UUID; computing with it does not overflow.
inline constexpr std::chrono::years beyond_all{18'000};

/// The moment of a timestamptz; nullopt for infinity and for times later than any UUID's. (The
/// earliest timestamptz, in 4714 BC, is within beyond_all.)
inline std::optional<Microseconds> moment(TimestampTz time) {
    if (TIMESTAMP_NOT_FINITE(time) || std::chrono::microseconds{time} > beyond_all)
        return std::nullopt;
    return Microseconds{std::chrono::microseconds{time}} + epochs_apart;
}

/// The same, but clamps infinity and times too far away to times that are still beyond all UUIDs.
inline Microseconds clamped_moment(TimestampTz time) {
    const std::chrono::microseconds since_epoch{time};
    return Microseconds{
               std::clamp<std::chrono::microseconds>(since_epoch, -beyond_all, beyond_all)} +
           epochs_apart;
}

/// The timestamptz of a moment; valid for every moment that a UUID can hold.
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

/// The octets of a bytea, or of a text in the database's encoding; valid during the call.
inline std::span<const std::uint8_t> getarg_octets(FunctionCallInfo fcinfo, int n) {
    const varlena* const value = PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(n));
    return {reinterpret_cast<const std::uint8_t*>(VARDATA_ANY(value)), VARSIZE_ANY_EXHDR(value)};
}

/// The characters of a text; valid during the call.
inline std::string_view getarg_text(FunctionCallInfo fcinfo, int n) {
    const auto octets = getarg_octets(fcinfo, n);
    return {reinterpret_cast<const char*>(octets.data()), octets.size()};
}

/// The elements of an array of this type; 0 for NULL.
inline std::span<const Datum> elements(ArrayType* array, Oid type) {
    int16 length;
    bool by_value;
    char alignment;
    get_typlenbyvalalign(type, &length, &by_value, &alignment);
    Datum* values;
    bool* nulls;
    int count;
    deconstruct_array(array, type, length, by_value, alignment, &values, &nulls, &count);
    return {values, static_cast<std::size_t>(count)};
}

/// The text of a value of this type.
inline char* text_of(Datum value, Oid type) {
    Oid output;
    bool is_varlena;
    getTypeOutputInfo(type, &output, &is_varlena);
    return OidOutputFunctionCall(output, value);
}

// --- Results: the C++ type determines the SQL type ---

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

/// integer
inline Datum datum(std::int32_t number) {
    return Int32GetDatum(number);
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

/// oid, and types such as regclass
inline Datum datum(std::uint32_t oid) {
    return ObjectIdGetDatum(oid);
}

/// boolean; a template, because a pointer would convert to a plain bool
inline Datum datum(std::same_as<bool> auto value) {
    return BoolGetDatum(value);
}

/// text
inline Datum datum(std::string_view text) {
    return PointerGetDatum(cstring_to_text_with_len(text.data(), static_cast<int>(text.size())));
}

/// The value, or NULL for nullopt.
template <class T>
Datum result(FunctionCallInfo fcinfo, const std::optional<T>& value) {
    if (!value)
        PG_RETURN_NULL();
    return datum(*value);
}

/// One row: the values of the function's OUT parameters in order, with NULL for nullopt.
template <class... T>
Datum row(FunctionCallInfo fcinfo, const std::optional<T>&... columns) {
    TupleDesc descriptor;
    if (get_call_result_type(fcinfo, nullptr, &descriptor) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "return type must be a row type");
    Datum values[] = {(columns ? datum(*columns) : Datum{0})...};
    bool nulls[] = {!columns...};
    return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}

/// The rows of a function that returns a set; on disk if they exceed work_mem. The caller has to
/// take them so, as FROM does.
class Rows {
  public:
    explicit Rows(FunctionCallInfo fcinfo) {
        auto* const result = reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo);
        const MemoryContext before = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
        const bool random_access = (result->allowedModes & SFRM_Materialize_Random) != 0;
        result->returnMode = SFRM_Materialize;
        result->setResult = store_ = tuplestore_begin_heap(random_access, false, work_mem);
        MemoryContextSwitchTo(before);
        columns_ = result->expectedDesc;
    }

    template <std::size_t count>
    void add(Datum (&values)[count], bool (&nulls)[count]) const {
        tuplestore_putvalues(store_, columns_, values, nulls);
    }

    template <std::size_t count>
    void add(Datum (&values)[count]) const {
        bool nulls[count] = {};
        add(values, nulls);
    }

  private:
    Tuplestorestate* store_;
    TupleDesc columns_;
};

}  // namespace uuidx::pg
