// What a referencing column and its shadow hold: the key is looked up in the row that is
// referenced, or is pending.

#pragma once

#include "uuidx_migrate/runtime/shadow.h"

namespace uuidx::pg {

/// What the shadow of a reference holds while no key has the value that is written: the mark that a
/// function of the conversion makes of it. Between columns of one type, that is the value itself.
/// Without a mark, the value is its own shadow, or there is none if that is of another type.
class Mark {
  public:
    /// `argument` is the number of the trigger's argument that names the function. 42804 if one of
    /// the columns is of texts, and the other one is not.
    Mark(const TriggerData& event, const ColumnPair& columns, int argument);

    /// Of a value of the former column.
    Value of(Datum value) const;

    /// What a row holds with a value for which there is no key.
    Pair unresolved(const ColumnPair& columns, Datum written) const;

    bool is_pending(const ColumnPair& columns, const Pair& pair) const;

  private:
    bool has_one_type() const { return former_.type == added_.type; }
    Oid function_oid() const;

    Column former_;
    Column added_;
    Oid schema_;
    char* name_;  // null stands for the value itself
};

/// A referencing column and its shadow, and the key and its shadow.
struct Reference {
    ColumnPair columns;
    ColumnPair key;
    Mark mark;

    /// The owner of the table has confirmed which table is referenced, and the owner of that one
    /// which column is the shadow of its key. 42804 unless their types are those of a reference:
    /// whoever owns both tables can name any columns.
    explicit Reference(const TriggerData& event);

    /// What a row is to hold that references `written`: a key, or the former or future value of
    /// one. nullopt if there is none.
    std::optional<Pair> looked_up(Datum written, bool lock) const;

    /// The same in a row that references itself, and which no other can find yet: a CHECK
    /// constraint may ask whether it does. The trigger of the key, if it comes later, has still to
    /// fill the shadow.
    std::optional<Pair> found_in_row(const TriggerData& event, Datum written) const;
};

}  // namespace uuidx::pg
