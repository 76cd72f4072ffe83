// The trigger that keeps the shadows of referencing columns: their values are looked up in the row
// that is referenced.

#include "uuidx_migrate/runtime/references.h"

#include "server/shim.h"

extern "C" {
#include "access/table.h"
#include "parser/parse_func.h"
}

namespace uuidx::pg {

namespace {

/// The key and its shadow, which two arguments of the trigger name.
ColumnPair key_of(const TriggerData& event, Oid root) {
    const Relation table = table_open(root, AccessShareLock);
    const ColumnPair key{event, table, {event.tg_trigger->tgargs[2], event.tg_trigger->tgargs[3]}};
    table_close(table, NoLock);
    return key;
}

/// 42804 unless a key can take the place of the one in a value of a column, for its shadow: a text
/// is changed where the key stands in it, and another value is the key itself.
void check_types(const TriggerData& event, const Column& value, const Column& changed) {
    if (is_text(value.type) == is_text(changed.type))
        return;
    ereport(ERROR,
            (errcode(ERRCODE_DATATYPE_MISMATCH),
             errmsg("trigger \"%s\" names columns of types %s and %s", event.tg_trigger->tgname,
                    format_type_be(value.type), format_type_be(changed.type)),
             errdetail("Both, or neither, must be of texts.")));
}

/// 42804 if texts reference keys that are no UUIDs.
void check_key_types(const TriggerData& event, const ColumnPair& columns, const ColumnPair& key) {
    if (!is_text(columns.column.type) || (key.column.type == UUIDOID && key.shadow.type == UUIDOID))
        return;
    ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                    errmsg("trigger \"%s\" is of texts, and references keys of types %s and %s",
                           event.tg_trigger->tgname, format_type_be(key.column.type),
                           format_type_be(key.shadow.type)),
                    errdetail("Texts stand for UUIDs.")));
}

/// A key as a value of a column that references it, which may have another type: by its text, or
/// where that of the key stood in the text that was written.
Datum converted(Datum written, Datum value, const Column& from, const Column& to) {
    if (from.type == to.type || is_text(to.type))
        return to.with_key(written, value);
    Oid input;
    Oid parameter;
    getTypeInputInfo(to.type, &input, &parameter);
    return OidInputFunctionCall(input, text_of(value, from.type), parameter, -1);
}

}  // namespace

// --- What is pending ---

Mark::Mark(const TriggerData& event, const ColumnPair& columns, int argument)
    : former_{columns.former()},
      added_{columns.added()},
      schema_{get_func_namespace(event.tg_trigger->tgfoid)},
      name_{event.tg_trigger->tgnargs > argument ? event.tg_trigger->tgargs[argument] : nullptr} {
    check_types(event, former_, added_);
}

Value Mark::of(Datum value) const {
    const Value key = former_.key_in(value);
    if (!key || name_ == nullptr)
        return key && has_one_type() ? Value{value} : std::nullopt;
    FmgrInfo function;
    fmgr_info(function_oid(), &function);
    LOCAL_FCINFO(call, 1);
    InitFunctionCallInfoData(*call, &function, 1, InvalidOid, nullptr, nullptr);
    call->args[0] = {*key, false};
    const Datum mark = FunctionCallInvoke(call);
    return call->isnull ? std::nullopt : Value{added_.with_key(value, mark)};
}

Pair Mark::unresolved(const ColumnPair& columns, Datum written) const {
    Value shadow = columns.is_cut_over ? std::nullopt : of(written);
    if (!shadow && has_one_type())
        shadow = written;
    return {written, shadow};
}

bool Mark::is_pending(const ColumnPair& columns, const Pair& pair) const {
    const Value& former = columns.is_cut_over ? pair.shadow : pair.column;
    const Value& added = columns.is_cut_over ? pair.column : pair.shadow;
    if (!former || !added)
        return former || added;
    if (has_one_type() && !columns.added().are_equal(former, added))
        return false;
    const Value mark = of(*former);
    return mark && columns.added().are_equal(mark, added);
}

/// A function of the schema that the trigger function is in, and with it of the extension's, so
/// that nobody else can have made it.
Oid Mark::function_oid() const {
    List* const name = list_make2(makeString(get_namespace_name(schema_)), makeString(name_));
    const Oid from = former_.key_type();
    const Oid function = LookupFuncName(name, 1, &from, false);
    if (get_func_rettype(function) != added_.key_type())
        ereport(ERROR, (errcode(ERRCODE_INVALID_FUNCTION_DEFINITION),
                        errmsg("function %s does not return type %s", NameListToString(name),
                               format_type_be(added_.key_type()))));
    return function;
}

// --- What is looked up ---

Reference::Reference(const TriggerData& event)
    : columns{event}, key{key_of(event, columns.referenced)}, mark{event, columns, 5} {
    check_key_types(event, columns, key);
    check_referencing(columns.table, columns.referenced);
}

std::optional<Pair> Reference::looked_up(Datum written, bool lock) const {
    const Value meant = columns.column.key_in(written);
    if (!meant)
        return std::nullopt;
    const KeyPart by_key{key.column.number, *meant, columns.column.key_type()};
    const KeyPart by_shadow{key.shadow.number, *meant, columns.column.key_type()};
    const Role role = become_owner(key.table);
    const auto shadow = look_up(
        {key.table, {&by_key, 1}, key.shadow.number, key.shadow.type, lock, key.may_lack_shadow()});
    const Value found =
        !shadow && is_indexed(key.table, {&by_shadow, 1})
            ? look_up_value({key.table, {&by_shadow, 1}, key.column.number, key.column.type, lock})
            : std::nullopt;
    restore(role);
    // The types are those of the referencing table, whose owner must not run code as another.
    if (shadow)
        return Pair{written, *shadow
                                 ? Value{converted(written, **shadow, key.shadow, columns.shadow)}
                                 : std::nullopt};
    if (found)
        return Pair{converted(written, *found, key.column, columns.column),
                    converted(written, *meant, columns.column, columns.shadow)};
    return std::nullopt;
}

std::optional<Pair> Reference::found_in_row(const TriggerData& event, Datum written) const {
    const char* const of_key = psprintf("zzz_%s", event.tg_trigger->tgargs[3]);
    if (root_of(columns.table) != key.table || strcmp(event.tg_trigger->tgname, of_key) < 0)
        return std::nullopt;
    // A partition may have its columns in another order.
    const auto value_of = [&](const Column& column) {
        const char* const name = get_attname(key.table, column.number, false);
        return value_in(new_row(event), columns.row, SPI_fnumber(columns.row, name));
    };
    const Value value = value_of(key.column);
    const Value shadow = value_of(key.shadow);
    const Value meant = columns.column.key_in(written);
    // A reference may have another type than the key. A key has one text in all of them.
    const auto is_meant = [&](const Column& column, Datum is) {
        return strcmp(text_of(is, column.type), text_of(*meant, columns.column.key_type())) == 0;
    };
    if (!value || !shadow || !meant)
        return std::nullopt;
    if (is_meant(key.column, *value))
        return Pair{written, converted(written, *shadow, key.shadow, columns.shadow)};
    if (is_meant(key.shadow, *shadow))
        return Pair{converted(written, *value, key.column, columns.column),
                    converted(written, *meant, columns.column, columns.shadow)};
    return std::nullopt;
}

/// uuidx_migrate_steps.fill_reference() returns trigger, BEFORE INSERT OR UPDATE FOR EACH ROW:
/// keeps the shadow of a referencing column, before and after the cutover. Arguments: the column,
/// its shadow, the key and its shadow, the conversion, and the function that marks what is pending.
/// 22023 if an INSERT gives the shadow column another value.
///
/// As long as the column does not change, neither does its shadow, unless it is set to NULL. Its
/// value is then looked up without a lock on the row that is referenced: who deletes that row or
/// changes its key waits for this one, in `reset`. A text stands for a key. Keys do not find it, so
/// `reset` leaves texts to look_up_again.
UUIDX_FUNCTION(uuidx_fill_reference) {
    const TriggerData& event = shadow_event(fcinfo, before_write, 4);
    const auto& reference = statement_state<Reference>(fcinfo, event);
    const ColumnPair& columns = reference.columns;
    const auto written = columns.value(new_row(event));
    if (!written)
        return columns.stored(event, {});
    const bool is_unchanged = columns.is_unchanged(event);
    if (is_unchanged && columns.shadow_value(event.tg_newtuple)) {
        const Pair before{written, columns.shadow_value(event.tg_trigtuple)};
        if (before.shadow && !reference.mark.is_pending(columns, before))
            return columns.stored(event, before);
    }
    auto found = reference.looked_up(*written, !is_unchanged);
    if (!found)
        found = reference.found_in_row(event, *written);
    const Pair pair = found ? *found : reference.mark.unresolved(columns, *written);
    const auto given = columns.given(event);
    // A dump may have a pending row whose key is there by now.
    if (given && !columns.shadow.are_equal(given, pair.shadow) &&
        !columns.shadow.are_equal(given, reference.mark.unresolved(columns, *written).shadow))
        columns.report_given();
    return columns.stored(event, pair);
}

}  // namespace uuidx::pg
