// Samples columns that may hold keys of a table, and asks which keys the table has.

#include "core/uuid.h"

#include "uuidx_migrate/catalog/readable_column.h"
#include "uuidx_migrate/runtime/index_lookup.h"

#include "server/shim.h"

extern "C" {
#include "access/detoast.h"
#include "access/genam.h"
#include "access/nbtree.h"
#include "storage/bufmgr.h"
#include "utils/array.h"
#include "utils/snapmgr.h"
}

namespace uuidx::pg {

namespace {

// --- Samples ---

constexpr double most_values = 1000;

/// How much of a table is read: each page that is so many after the one before, and of it so many
/// values.
struct SampleSizes {
    double step;
    int values;
};

SampleSizes sample_sizes(const ReadableColumn& column) {
    constexpr double most_pages = 100;
    double all = 0;
    column.for_each_table(
        [&](Relation table, AttrNumber) { all += RelationGetNumberOfBlocks(table); });
    const double pages = std::clamp(all, 1.0, most_pages);
    return {std::max(all, 1.0) / pages, static_cast<int>(most_values / pages)};
}

/// Whether a value is too long to be a key, or to be searched for one.
bool is_long(Datum value, Oid type) {
    constexpr Size longest = 64 * 1024;
    return get_typlen(type) == -1 && toast_raw_datum_size(value) > longest;
}

/// Adds some of the texts, as far from one another as can be.
void add_some(const Rows& rows, const List* texts, int count) {
    const int added = std::min(list_length(texts), count);
    for (int n = 0; n < added; ++n) {
        const auto* const text =
            static_cast<const char*>(list_nth(texts, n * list_length(texts) / added));
        Datum values[] = {datum(std::string_view{text})};
        rows.add(values);
    }
}

/// Adds some values of a scan, which reads no more than a few thousand.
void sample_scan(const Rows& rows, TableScanDesc scan, bool is_of_range, AttrNumber column,
                 Oid type, int count) {
    constexpr int most_read = 4000;
    TupleTableSlot* const slot = table_slot_create(scan->rs_rd, nullptr);
    List* texts = NIL;
    while (list_length(texts) < most_read &&
           (is_of_range ? table_scan_getnextslot_tidrange(scan, ForwardScanDirection, slot)
                        : table_scan_getnextslot(scan, ForwardScanDirection, slot))) {
        CHECK_FOR_INTERRUPTS();
        bool null;
        const Datum value = slot_getattr(slot, column, &null);
        if (!null && !is_long(value, type))
            texts = lappend(texts, text_of(value, type));
    }
    table_endscan(scan);
    ExecDropSingleTupleTableSlot(slot);
    add_some(rows, texts, count);
}

/// Adds some values of some pages of a table; of the first rows, if its access method cannot begin
/// at a page.
void sample_table(const Rows& rows, Relation table, AttrNumber column, Oid type,
                  const SampleSizes& sizes) {
    const Snapshot snapshot = GetActiveSnapshot();
    const BlockNumber all = RelationGetNumberOfBlocks(table);
    if (table->rd_tableam->scan_set_tidrange == nullptr)
        return sample_scan(rows, begin_table_scan(table, snapshot), false, column, type,
                           static_cast<int>(most_values));
    for (double page = 0; page < all; page += sizes.step) {
        ItemPointerData first;
        ItemPointerData last;
        ItemPointerSet(&first, static_cast<BlockNumber>(page), FirstOffsetNumber);
        ItemPointerSet(&last, static_cast<BlockNumber>(page), MaxOffsetNumber);
        sample_scan(rows, begin_range_scan(table, snapshot, &first, &last), true, column, type,
                    sizes.values);
    }
}

// --- Keys ---

/// A value that may be a key.
struct Candidate {
    Datum value;
    bool is_found;
};

void find_by_index(std::span<Candidate> candidates, Relation table, AttrNumber column,
                   const Comparison& comparison, Oid index) {
    for (Candidate& candidate : candidates) {
        CHECK_FOR_INTERRUPTS();
        if (candidate.is_found)
            continue;
        ScanKeyData is_value = comparison.is(column, candidate.value);
        const SysScanDesc scan =
            systable_beginscan(table, index, true, GetActiveSnapshot(), 1, &is_value);
        candidate.is_found = HeapTupleIsValid(systable_getnext(scan));
        systable_endscan(scan);
    }
}

void find_in_rows(std::span<Candidate> candidates, Relation table, AttrNumber column,
                  const Comparison& comparison) {
    const auto sign = [&](FmgrInfo& function, Datum a, Datum b) {
        return DatumGetInt32(FunctionCall2Coll(&function, comparison.collation, a, b));
    };
    FmgrInfo order = comparison.order(comparison.type);
    FmgrInfo with_column = comparison.order(comparison.input);
    std::ranges::sort(
        candidates, [&](Datum a, Datum b) { return sign(order, a, b) < 0; }, &Candidate::value);
    TupleTableSlot* const slot = table_slot_create(table, nullptr);
    const TableScanDesc scan = begin_table_scan(table, GetActiveSnapshot());
    while (table_scan_getnextslot(scan, ForwardScanDirection, slot)) {
        CHECK_FOR_INTERRUPTS();
        bool null;
        const Datum value = slot_getattr(slot, column, &null);
        if (null)
            continue;
        const auto found = std::ranges::partition_point(
            candidates, [&](Datum candidate) { return sign(with_column, candidate, value) < 0; },
            &Candidate::value);
        if (found != candidates.end() && sign(with_column, found->value, value) == 0)
            found->is_found = true;
    }
    table_endscan(scan);
    ExecDropSingleTupleTableSlot(slot);
}

/// Finds values in a column, by an index if there is one.
void find(std::span<Candidate> candidates, Oid type, Relation table, AttrNumber column) {
    const Comparison comparison{*TupleDescAttr(RelationGetDescr(table), column - 1), type};
    const Oid index = index_by(table, column, comparison);
    if (OidIsValid(index))
        find_by_index(candidates, table, column, comparison, index);
    else
        find_in_rows(candidates, table, column, comparison);
}

}  // namespace

/// uuidx_migrate_steps.sampled_values(relation regclass, column_name name) returns setof text:
/// about 1,000 values of a column, of about 100 pages all over the table. The errors of
/// ReadableColumn.
UUIDX_FUNCTION(uuidx_sampled_values) {
    const Rows rows{fcinfo};
    const ReadableColumn column{PG_GETARG_OID(0), NameStr(*PG_GETARG_NAME(1))};
    const SampleSizes sizes = sample_sizes(column);
    column.for_each_table([&](Relation table, AttrNumber number) {
        sample_table(rows, table, number, column.type(), sizes);
    });
    column.unlock();
    PG_RETURN_NULL();
}

/// uuidx_migrate_steps.values_found(relation regclass, column_name name, candidates anyarray)
/// returns anyarray: those of some values that a column has. 22004 if one is NULL; and the errors
/// of ReadableColumn and Comparison.
UUIDX_FUNCTION(uuidx_values_found) {
    const ReadableColumn column{PG_GETARG_OID(0), NameStr(*PG_GETARG_NAME(1))};
    ArrayType* const array = PG_GETARG_ARRAYTYPE_P(2);
    const Oid type = ARR_ELEMTYPE(array);
    if (array_contains_nulls(array))
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                        errmsg("candidates must not contain nulls")));
    const std::span<const Datum> values = elements(array, type);
    auto* const all = static_cast<Candidate*>(palloc((values.size() + 1) * sizeof(Candidate)));
    const std::span<Candidate> candidates{all, values.size()};
    std::ranges::transform(values, all, [](Datum value) { return Candidate{value, false}; });
    column.for_each_table(
        [&](Relation table, AttrNumber number) { find(candidates, type, table, number); });
    column.unlock();
    ArrayBuildState* found = initArrayResult(type, CurrentMemoryContext, false);
    for (const Candidate& candidate : candidates)
        if (candidate.is_found)
            found = accumArrayResult(found, candidate.value, false, type, CurrentMemoryContext);
    return makeArrayResult(found, CurrentMemoryContext);
}

}  // namespace uuidx::pg
