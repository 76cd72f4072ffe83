// The functions of uuidx, as the planner meets them in expressions.

#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "server/shim.h"

namespace uuidx::pg {

// Of PostgreSQL's catalogs, which name no symbols for them: operators, and families of b-tree
// operators.
inline constexpr Oid uuid_eq = 2972;
inline constexpr Oid uuid_lt = 2974;
inline constexpr Oid timestamptz_lt = 1322;
inline constexpr Oid uuid_ops = 2968;
inline constexpr Oid datetime_ops = 434;

/// A set of versions: bit n stands for version n.
using Versions = std::uint32_t;

/// Stands beside the versions 0 to 15: the UUID is of another variant and has none.
inline constexpr int no_version = 16;

/// Stands beside them: NULL is in place of a UUID.
inline constexpr int null_uuid = no_version + 1;

constexpr Versions set_of(std::same_as<int> auto... versions) {
    return static_cast<Versions>(((1U << versions) | ...));
}

/// Every version, and no_version.
inline constexpr Versions all_versions = set_of(no_version + 1) - 1;

/// The versions that have a time.
inline constexpr Versions versions_with_time = set_of(1, 6, 7);

/// A call that returns the time of a UUID.
struct TimeCall {
    Node* uuid;
    /// The versions for which the function returns a time, and not NULL.
    Versions versions;
};

/// uuid_time(), or one of the functions uuid_extract_timestamp(), perhaps in a placeholder, as the
/// planner keeps what a query with grouping sets groups by; nullopt for any other node.
std::optional<TimeCall> time_call(Node* node);

/// Whether an expression over a single table has such a call in it that reads this column.
bool has_time_call(Node* expression, AttrNumber column);

/// The argument of uuid_version(), or of the server's own function; null for any other node.
Node* argument_of_version(Node* node);

/// The versions for which a function returns true: uuid_is_v6, uuid_is_v7, or what the planner adds
/// to comparisons; none for another function.
Versions versions_tested_by(Oid function);

/// A call that returns whether a UUID has one of these versions, and NULL for NULL.
struct VersionTest {
    Node* uuid;
    Versions versions;
};

/// uuid_is_v6() or uuid_is_v7(), or what the planner adds to comparisons; nullopt for any other
/// node.
std::optional<VersionTest> version_test(Node* node);

/// A call of uuid_v7_in or uuid_v6_in, which is false for all other versions.
std::optional<VersionTest> period_test(Node* node);

/// The column of the query itself that `node` is, perhaps with another type that has the same
/// bytes; null if it is anything else.
Var* column_of(Node* node);

/// Whether `node` is this column, as column_of() sees it.
bool is_column(Node* node, AttrNumber column);

/// Whether an expression without columns may raise an error, which it would where the query might
/// not have come to it. Functions that are leakproof raise none.
bool may_raise_error(PlannerInfo* root, Node* value);

/// The condition `key op value`, of copies of both.
Node* comparison(Node* key, Oid op, Node* value);

/// Whether `function` is the function of uuidx that `symbol` implements, whatever its name.
bool is_implemented_by(Oid function, const char* symbol);

/// The schema of uuidx; InvalidOid if the extension is missing or older than the library.
Oid schema_of_uuidx();

/// A function of uuidx; InvalidOid if there is none, or the current user may not execute it.
Oid find_function(Oid schema, const char* name, std::initializer_list<Oid> arguments);

}  // namespace uuidx::pg
