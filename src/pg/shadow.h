// A column and its shadow, in the rows that a trigger sees.

#pragma once

#include "pg/trigger.h"

namespace uuidx::pg {

/// The event that fired a trigger of a shadow column; 22023 unless the trigger has this number of
/// arguments.
inline const TriggerData& shadow_event(FunctionCallInfo fcinfo, const Timing& timing,
                                       int arguments) {
    const TriggerData& event = row_event(fcinfo, timing);
    if (event.tg_trigger->tgnargs != arguments)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("trigger \"%s\" needs %d arguments", event.tg_trigger->tgname, arguments)));
    return event;
}

/// A column and its shadow, by their numbers.
class ColumnPair {
  public:
    ColumnPair(TupleDesc row, int column, int shadow)
        : row_{row}, column_{column}, shadow_{shadow} {}

    const char* name() const { return name_of(column_); }
    const char* shadow_name() const { return name_of(shadow_); }

    /// The exchange exchanges only the names of the two columns: from then on, the column is the
    /// one with the higher number.
    bool is_exchanged() const { return column_ > shadow_; }

    /// Reports 22023: an INSERT without a column list put a value into the shadow column that does
    /// not belong there.
    [[noreturn]] void report_given() const {
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("column \"%s\" is kept by a trigger and cannot be given another "
                               "value",
                               shadow_name()),
                        errhint("Name the columns that are inserted. The values are those of "
                                "column \"%s\".",
                                name())));
    }

    /// The row that the trigger returns. 22023 if an INSERT gave the shadow column alone a value,
    /// which would be lost.
    Datum stored(const TriggerData& event, std::optional<Datum> column,
                 std::optional<Datum> shadow) const {
        if (!column && TRIGGER_FIRED_BY_INSERT(event.tg_event) &&
            !heap_attisnull(event.tg_trigtuple, shadow_, row_))
            report_given();
        int columns[] = {column_, shadow_};
        Datum values[] = {column.value_or(Datum{0}), shadow.value_or(Datum{0})};
        bool nulls[] = {!column, !shadow};
        return PointerGetDatum(
            heap_modify_tuple_by_cols(new_row(event), row_, 2, columns, values, nulls));
    }

  protected:
    const char* name_of(int column) const {
        return NameStr(TupleDescAttr(row_, column - 1)->attname);
    }

    friend Oid confirm(const TriggerData&, Relation, const ColumnPair&);

    TupleDesc row_;
    int column_;
    int shadow_;
};

/// What a trigger keeps for the rows of a statement.
struct StatementState {
    Oid referenced;  // by the values of the column
    void* more;
};

/// 55000 unless the owner of the table has confirmed that these are a column and its shadow: a
/// CHECK constraint with the name of the shadow reads both, and nothing else. Whoever may create
/// triggers on the table could name any columns. Returns the table that the constraint names, whose
/// keys the column references; by default the table itself.
Oid confirm(const TriggerData& event, Relation table, const ColumnPair& columns);

/// The state of the statement, which begins with the confirmation of the trigger's arguments.
StatementState& statement_state(FunctionCallInfo fcinfo);
void confirm(FunctionCallInfo fcinfo, const TriggerData& event, const ColumnPair& columns);

/// What a row is to hold.
struct Pair {
    std::optional<Uuid> column;
    std::optional<Uuid> shadow;
};

/// A column of UUIDs and its shadow, of UUIDs too.
class Shadowed : public ColumnPair {
  public:
    /// 42703 unless the table has columns of type uuid with these names.
    Shadowed(Relation table, const char* column, const char* shadow)
        : ColumnPair{RelationGetDescr(table), uuid_column(RelationGetDescr(table), column),
                     uuid_column(RelationGetDescr(table), shadow)} {}

    /// Those that the first two arguments of a trigger name. 55000 unless they are confirmed.
    Shadowed(FunctionCallInfo fcinfo, const TriggerData& event)
        : Shadowed{event.tg_relation, event.tg_trigger->tgargs[0], event.tg_trigger->tgargs[1]} {
        confirm(fcinfo, event, *this);
    }

    std::optional<Uuid> value(HeapTuple tuple) const { return uuid_in(tuple, row_, column_); }
    std::optional<Uuid> shadow_value(HeapTuple tuple) const {
        return uuid_in(tuple, row_, shadow_);
    }

    bool is_unchanged(const TriggerData& event) const {
        return TRIGGER_FIRED_BY_UPDATE(event.tg_event) &&
               value(event.tg_newtuple) == value(event.tg_trigtuple);
    }

    /// What an INSERT without a column list put into the shadow column.
    std::optional<Uuid> given(const TriggerData& event) const {
        if (TRIGGER_FIRED_BY_UPDATE(event.tg_event))
            return std::nullopt;
        return shadow_value(event.tg_trigtuple);
    }

    Datum stored(const TriggerData& event, const Pair& pair) const {
        const auto datum_of = [](const std::optional<Uuid>& uuid) {
            return uuid ? std::optional{datum(*uuid)} : std::nullopt;
        };
        return ColumnPair::stored(event, datum_of(pair.column), datum_of(pair.shadow));
    }
};

}  // namespace uuidx::pg
