// Where the UUIDs of a column are, by its statistics and by what has come since ANALYZE.

#pragma once

#include <compare>
#include <optional>

#include "uuidx/planner/time_functions.h"

extern "C" {
#include "nodes/pathnodes.h"
#include "utils/selfuncs.h"
}

namespace uuidx::pg {

// --- Orders of UUIDs ---

/// An unsigned number of 128 bits, which compilers for 32-bit machines do not have.
struct Number {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    constexpr auto operator<=>(const Number&) const = default;
    constexpr explicit operator double() const {
        return static_cast<double>(high) * 0x1p64 + static_cast<double>(low);
    }
};

struct Order {
    /// A number that sorts as the UUID does, and whose differences are distances.
    Number (*number)(const Uuid& uuid);
    /// A UUID before all with the same number, and after any that is noticeably less.
    Uuid (*before)(const Uuid& uuid);
    /// From this number on, UUIDs have no place among the others.
    Number end;
};

/// The order that an operator compares UUIDs in; null if it does not.
const Order* order_of(Oid op);

/// A comparison of a column with what is the same for a whole scan: `column op value`, where `op`
/// is < or the like in an order of UUIDs.
struct Bound {
    Var* column;
    Oid op;
    Node* value;
};

/// A condition as such a comparison; nullopt if it is another.
std::optional<Bound> bound_of(Node* condition);

/// Whether the operator of a bound compares with an upper one.
bool is_upper(Oid op);

/// The bounds that a disjunction of conditions on one table implies, in the order of the server:
/// the greatest of upper bounds of all its arms, and the least of lower ones.
List* bounds_of_disjunction(PlannerInfo* root, Node* condition);

/// Whether a disjunction of conditions on one table implies a bound in the order of the server, as
/// far as is known: each arm has one in its direction, and no constant is beyond it.
bool disjunction_implies(Expr* disjunction, const Bound& bound);

// --- The distribution of a column ---

/// Where the UUIDs of a column are, in an order. Memory is the planner's.
struct Distribution {
    const Order& order;
    /// UUIDs between which equally many rows have theirs.
    std::span<Datum> bounds{};
    /// Common UUIDs, and the fraction of rows that each of them has.
    std::span<Datum> common{};
    float4* frequencies = nullptr;
    /// The fraction of rows with other UUIDs that have a place in the order.
    double others = 0;
    /// In place of the first and the last bound.
    Number first{};
    Number last_bound{};
    /// Rows beyond the last bound, as a fraction of those up to it, and the last of them.
    double beyond = 0;
    Number last{};

    Number number(Datum uuid) const { return order.number(to_uuid(uuid)); }

    Number bound(std::size_t i) const {
        return i == 0 ? first : i + 1 == bounds.size() ? last_bound : number(bounds[i]);
    }

    /// The fraction of all rows that are less.
    double below(Number n) const;

  private:
    double others_below(Number n) const;
};

/// What a column's statistics tell; nullopt if they have no histogram.
std::optional<Distribution> read_distribution(PlannerInfo* root, VariableStatData* data,
                                              AttrNumber attribute, const Order& order);

/// The part of the rows of a table, or of its children too, in which a column is within all of
/// these bounds; nullopt if its statistics, or the values of the bounds, are not known.
std::optional<double> part_within(PlannerInfo* root, Oid table, bool is_parent, AttrNumber column,
                                  const List* bounds);

/// The rows of a table, or of its children too, in which a column is within the bounds of it among
/// these conditions; nullopt if it has none, or as above.
std::optional<double> rows_within(PlannerInfo* root, const RangeTblEntry& table, AttrNumber column,
                                  const List* conditions);

/// The rows that a table had when it was last vacuumed or analyzed; of a partitioned table, those
/// of its partitions.
double rows_when_analyzed(Oid table);

/// Moves the ends, where the UUIDs from `first` to `last` come near them, to where they have got
/// since ANALYZE.
void extend_to(PlannerInfo* root, const VariableStatData& data, Oid oid, AttrNumber attribute,
               Number first, Number last, Distribution& column);

/// A copy of a column's statistics with one slot, values and numbers if there are any, beside the
/// correlation, by which the planner estimates the cost of an index scan.
HeapTuple with_slot(HeapTuple statistics, int16 kind, Oid op, std::span<Datum> uuids,
                    std::span<Datum> numbers);

/// Frees nothing: what the planner allocates goes when it has planned.
inline void keep(HeapTuple) {}

}  // namespace uuidx::pg
