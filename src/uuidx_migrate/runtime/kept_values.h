// The values of a column by those of another one, which are read into memory.

#pragma once

#include "server/datum.h"

extern "C" {
#include "access/relation.h"
#include "utils/snapshot.h"
}

namespace uuidx::pg {

/// A UUID, or an integer of any length.
using Word = std::array<std::uint64_t, 2>;

/// A hash table with open addressing, which never grows. Its values go with their memory, or with
/// drop().
struct KeptValues {
    struct Entry {
        Word key;
        Word value;
    };
    Entry* entries = nullptr;  // zeros where there is none
    std::size_t capacity = 0;
    bool has_all = false;  // else other keys may be in the table
};

/// Whether values of these types are kept, and can be compared.
bool can_keep(Oid key, Oid column_of_key, Oid value);

/// Reads as many rows of a table as fit into what all values that are kept leave of
/// maintenance_work_mem. 70 % of the entries are for the rows that the table is estimated to have.
void keep(KeptValues& values, MemoryContext memory, Relation table, AttrNumber key,
          AttrNumber value, Snapshot snapshot);

/// The value of a key; nullopt if it is not kept.
std::optional<Datum> find(const KeptValues& values, Datum key, Oid key_type, Oid value_type);

/// Frees the values, or says that their memory is gone.
void drop(KeptValues& values);
void forget(KeptValues& values);

}  // namespace uuidx::pg
