// Looks keys up in a table by a unique index, as the server does to check foreign keys.

#pragma once

#include "uuidx_migrate/runtime/as_owner.h"

extern "C" {
#include "access/skey.h"
#include "utils/relcache.h"
}

namespace uuidx::pg {

/// A value, NULL as nullopt.
using Value = std::optional<Datum>;

/// A column of a key, and the value of its type, or of another one of the same operator family,
/// that a row has in it.
struct KeyPart {
    AttrNumber column;
    Datum value;
    Oid type;
};

/// The row of a table with this key; its column `to`, and the type that the caller knows it to
/// have, which is not a domain; whether to lock it FOR KEY SHARE; and whether the column may be
/// NULL there.
struct Lookup {
    Oid table;
    std::span<const KeyPart> key;
    AttrNumber to;
    Oid type;
    bool lock = false;
    bool may_be_null = false;
};

/// Whether a unique index finds rows by these columns.
bool is_indexed(Oid table, std::span<const KeyPart> key);

/// The value of the column `to` in the row with the key; nullopt if there is no such row. Without a
/// lock, as the snapshot of the statement shows it. 42501 if the user may not read the table or row
/// security is active, 55000 without a unique index or if the column is NULL and may not be, 42804
/// if the column has another type by now.
std::optional<Value> look_up(const Lookup& lookup);

/// The same where it does not matter whether there is no row, or no value.
Value look_up_value(const Lookup& lookup);

/// How an index finds a row: conditions on the columns of the table, which lack the values.
struct KeyIndex {
    Oid oid;
    int count;
    ScanKeyData conditions[INDEX_MAX_KEYS];
};

/// The parts of look_up, for callers who look up more than once: 42501 unless the current user may
/// read all rows of the table; how a unique index finds a row by these columns, 55000 if there is
/// none; and the look-up, which closes the table.
void check_readable(Relation table);
KeyIndex key_index(Relation table, std::span<const KeyPart> key);
std::optional<Value> look_up(const Lookup& lookup, Relation table, const KeyIndex& index);

/// How the values of a column compare with those of another type, by PostgreSQL's own code.
struct Comparison {
    Oid family;  ///< of b-tree operators
    Oid input;   ///< the type that the family has for the column's
    Oid type;    ///< the type that it has for the other values
    Oid collation;

    /// 42883 if the server has no such comparison.
    Comparison(const FormData_pg_attribute& column, Oid type);

    /// The condition that the column has this value.
    ScanKeyData is(AttrNumber column, Datum value) const;

    /// The function that compares the other values with those of a type, which is one of the two.
    FmgrInfo order(Oid with) const;
};

/// The index that finds all rows by the value of a column, which is its first one; InvalidOid if
/// there is none.
Oid index_by(Relation table, AttrNumber column, const Comparison& comparison);

}  // namespace uuidx::pg
