// A column and its shadow, in the rows that a trigger sees.

#pragma once

#include "server/trigger.h"
#include "uuidx_migrate/runtime/index_lookup.h"

namespace uuidx::pg {

/// The event that fired a trigger of a shadow column; 22023 if the trigger has fewer arguments. It
/// may have more, from a script of another version.
inline const TriggerData& shadow_event(FunctionCallInfo fcinfo, const Timing& timing,
                                       int arguments) {
    const TriggerData& event = row_event(fcinfo, timing);
    if (event.tg_trigger->tgnargs < arguments)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("trigger \"%s\" needs %d arguments", event.tg_trigger->tgname, arguments)));
    return event;
}

/// The topmost table of which a table is a partition, or the table itself.
Oid root_of(Oid table);

/// Whether texts are of this type.
inline bool is_text(Oid type) {
    return type == TEXTOID || type == VARCHAROID || type == BPCHAROID;
}

/// The characters of a text; of a char(n), those before the blanks at the end.
std::string_view characters(Datum text, Oid type);

/// A column, and how its values are compared.
struct Column {
    AttrNumber number;
    Oid type;  ///< not a domain
    Oid collation;

    /// By the default equality of the type; 42883 if there is none of PostgreSQL's own.
    bool are_equal(Datum a, Datum b) const;
    bool are_equal(const Value& a, const Value& b) const {
        return a && b ? are_equal(*a, *b) : !a && !b;
    }

    KeyPart is(Datum value) const { return {number, value, type}; }

    /// Of the keys that its values are, or stand for as texts.
    Oid key_type() const { return is_text(type) ? UUIDOID : type; }

    /// The key that a value is or stands for; nullopt for a text in which no key can be replaced.
    Value key_in(Datum value) const;

    /// A key, as a value is written: it takes the place of the key that a text stands for.
    Datum with_key(Datum value, Datum key) const;
};

/// What a row has, or is to have, in a column and its shadow.
struct Pair {
    Value column;
    Value shadow;
};

/// What a column and its shadow are called.
struct PairNames {
    const char* column;
    const char* shadow;
};

/// What the owner of a table has confirmed: a column and its shadow, by the names that they have
/// now, and the table that the constraint names.
struct Confirmed {
    PairNames names;
    Oid referenced = InvalidOid;
};

/// What the owner of a table has confirmed by the constraint for the shadow of a pair that had
/// these names when the migration began; nullopt if nothing.
std::optional<Confirmed> confirmation(Relation table, const PairNames& names);

/// A column and its shadow.
///
/// The owner of the table has confirmed them: a CHECK constraint with the name of the shadow reads
/// both, and nothing else. Whoever may create triggers on the table could name any columns. For a
/// partition that was attached without the constraint, that of another one of this owner does.
struct ColumnPair {
    TupleDesc row;
    Oid table;
    Oid referenced;  ///< the table that the constraint names, whose keys the column references; by
                     ///< default the table itself
    bool is_cut_over;
    Column column;
    Column shadow;

    /// Those that had these names when the migration began: one of them may have been renamed
    /// since. 42703 unless the table has them, of a type if one is given; 55000 unless they are
    /// confirmed.
    ColumnPair(const TriggerData& event, Relation relation, const PairNames& names,
               Oid type = InvalidOid);

    /// Those that the first two arguments of a trigger name.
    explicit ColumnPair(const TriggerData& event, Oid type = InvalidOid)
        : ColumnPair{event,
                     event.tg_relation,
                     {event.tg_trigger->tgargs[0], event.tg_trigger->tgargs[1]},
                     type} {}

    const char* name_of(const Column& member) const {
        return NameStr(TupleDescAttr(row, member.number - 1)->attname);
    }

    /// Whether a row may lack the value of the shadow: a former key of another type, which nobody
    /// has to write any more.
    bool may_lack_shadow() const { return is_cut_over && column.type != shadow.type; }

    /// The column that was there first, and the one that the migration has added.
    const Column& former() const { return is_cut_over ? shadow : column; }
    const Column& added() const { return is_cut_over ? column : shadow; }

    Value value(HeapTuple tuple, const Column& member) const {
        return value_in(tuple, row, member.number);
    }
    Value value(HeapTuple tuple) const { return value(tuple, column); }
    Value shadow_value(HeapTuple tuple) const { return value(tuple, shadow); }

    bool is_unchanged(const TriggerData& event) const {
        return TRIGGER_FIRED_BY_UPDATE(event.tg_event) &&
               column.are_equal(value(event.tg_newtuple), value(event.tg_trigtuple));
    }

    /// What an INSERT without a column list put into the shadow column.
    Value given(const TriggerData& event) const {
        return TRIGGER_FIRED_BY_INSERT(event.tg_event) ? shadow_value(event.tg_trigtuple)
                                                       : std::nullopt;
    }

    /// Reports 22023: such a value does not belong there.
    [[noreturn]] void report_given() const;

    /// The row that the trigger returns. 22023 if an INSERT gave the shadow column alone a value,
    /// which would be lost.
    Datum stored(const TriggerData& event, const Pair& pair) const;

  private:
    ColumnPair(Relation relation, const Confirmed& confirmed, Oid type);
};

}  // namespace uuidx::pg
