// The values of a column by those of another one, which are read into memory.

#include "uuidx_migrate/runtime/kept_values.h"

#include "server/shim.h"

extern "C" {
#include "access/htup_details.h"
#include "access/tableam.h"
#include "catalog/pg_type_d.h"
#include "common/hashfn.h"
#include "utils/memutils.h"
#include "utils/rel.h"
}

namespace uuidx::pg {

namespace {

/// What all entries of this process take.
std::size_t size_of_all = 0;

bool is_integer(Oid type) {
    return type == INT2OID || type == INT4OID || type == INT8OID;
}

Word word(Datum value, Oid type) {
    Word word{};
    switch (type) {
        case INT2OID:
            word[0] = static_cast<std::uint64_t>(DatumGetInt16(value));
            break;
        case INT4OID:
            word[0] = static_cast<std::uint64_t>(DatumGetInt32(value));
            break;
        case INT8OID:
            word[0] = static_cast<std::uint64_t>(DatumGetInt64(value));
            break;
        default:
            memcpy(word.data(), DatumGetUUIDP(value)->data, sizeof(word));
    }
    return word;
}

Datum value_of(const Word& word, Oid type) {
    switch (type) {
        case INT2OID:
            return Int16GetDatum(static_cast<std::int16_t>(word[0]));
        case INT4OID:
            return Int32GetDatum(static_cast<std::int32_t>(word[0]));
        case INT8OID:
            return Int64GetDatum(static_cast<std::int64_t>(word[0]));
        default:
            Uuid uuid;
            memcpy(uuid.octets.data(), word.data(), sizeof(word));
            return datum(uuid);
    }
}

bool is_free(const KeptValues::Entry& entry) {
    return entry.key == Word{} && entry.value == Word{};
}

/// The entry of a key, or the free one in which it belongs.
KeptValues::Entry& entry_of(const KeptValues& values, const Word& key) {
    const std::uint64_t hash =
        hash_bytes(reinterpret_cast<const unsigned char*>(key.data()), sizeof(key));
    auto* entry = &values.entries[hash * values.capacity >> 32];
    while (entry->key != key && !is_free(*entry))
        if (++entry == values.entries + values.capacity)
            entry = values.entries;
    return *entry;
}

/// Makes room for the rows that a table is estimated to have, as far as there is memory. Statistics
/// can say anything: no more rows than its pages can hold.
bool allocate(KeptValues& values, MemoryContext memory, Relation table) {
    constexpr double entries_per_row = 1 / 0.7;
    constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();  // the hash has 32 bits
    BlockNumber pages;
    double rows;
    double visible;
    table_relation_estimate_size(table, nullptr, &pages, &rows, &visible);
    rows = std::min(static_cast<double>(pages) * MaxHeapTuplesPerPage, std::max(0.0, rows));
    const std::size_t limit = std::size_t{1024} * static_cast<std::size_t>(maintenance_work_mem);
    const std::size_t left = limit - std::min(limit, size_of_all);
    values.capacity = static_cast<std::size_t>(std::min<double>(
        rows * entries_per_row + 16, std::min(most, left / sizeof(KeptValues::Entry))));
    if (values.capacity < 16)
        return false;
    const std::size_t size = values.capacity * sizeof(KeptValues::Entry);
    values.entries = static_cast<KeptValues::Entry*>(MemoryContextAllocExtended(
        memory, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM | MCXT_ALLOC_ZERO));
    if (values.entries == nullptr)
        return false;
    size_of_all += size;
    return true;
}

}  // namespace

bool can_keep(Oid key, Oid column_of_key, Oid value) {
    return (value == UUIDOID || is_integer(value)) &&
           ((key == UUIDOID && column_of_key == UUIDOID) ||
            (is_integer(key) && is_integer(column_of_key)));
}

void keep(KeptValues& values, MemoryContext memory, Relation table, AttrNumber key,
          AttrNumber value, Snapshot snapshot) {
    if (!allocate(values, memory, table))
        return;
    const auto type_of = [&](AttrNumber column) {
        return getBaseType(TupleDescAttr(RelationGetDescr(table), column - 1)->atttypid);
    };
    const Oid key_type = type_of(key);
    const Oid value_type = type_of(value);
    std::size_t left = values.capacity - values.capacity / 5;  // beyond that, look-ups get slow
    values.has_all = true;
    TupleTableSlot* const row = table_slot_create(table, nullptr);
    const TableScanDesc scan = begin_table_scan(table, snapshot);
    while (left > 0 && table_scan_getnextslot(scan, ForwardScanDirection, row)) {
        CHECK_FOR_INTERRUPTS();
        bool no_key;
        bool no_value;
        const Datum of_key = slot_getattr(row, key, &no_key);
        const Datum of_value = slot_getattr(row, value, &no_value);
        if (no_key)
            continue;
        const KeptValues::Entry entry{word(of_key, key_type),
                                      no_value ? Word{} : word(of_value, value_type)};
        if (no_value || is_free(entry)) {
            values.has_all = false;
        } else {
            entry_of(values, entry.key) = entry;
            --left;
        }
    }
    values.has_all &= left > 0;
    table_endscan(scan);
    ExecDropSingleTupleTableSlot(row);
}

std::optional<Datum> find(const KeptValues& values, Datum key, Oid key_type, Oid value_type) {
    const KeptValues::Entry& entry = entry_of(values, word(key, key_type));
    return is_free(entry) ? std::nullopt : std::optional{value_of(entry.value, value_type)};
}

void forget(KeptValues& values) {
    if (values.entries != nullptr)
        size_of_all -= values.capacity * sizeof(KeptValues::Entry);
    values = {};
}

void drop(KeptValues& values) {
    if (values.entries != nullptr)
        pfree(values.entries);
    forget(values);
}

}  // namespace uuidx::pg
