// Keys that are text: what they are as UUIDs, and the trigger that keeps a shadow of the other
// type.

#include "core/spelling.h"

#include "uuidx_migrate/runtime/shadow.h"

#include "server/shim.h"

extern "C" {
#include "access/table.h"
#include "catalog/pg_class.h"
}

namespace uuidx::pg {

namespace {

/// The UUID that a text stands for; 22P02 for any other text.
Uuid uuid_of(std::string_view text) {
    const auto uuid = from_digits_or_ulid(text);
    if (!uuid)
        ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                        errmsg("invalid UUID: \"%s\"", to_cstring(text)),
                        errdetail("It is neither a text that the type uuid reads nor a ULID.")));
    return *uuid;
}

/// A column of UUIDs and a column of texts that stand for them: one is the shadow of the other.
struct TextPair : ColumnPair {
    /// The errors of ColumnPair, and 42703 unless the columns are of these types.
    TextPair(const TriggerData& event, Relation relation, const PairNames& names)
        : ColumnPair{event, relation, names} {
        if (!(column.type == UUIDOID && is_text(shadow.type)) &&
            !(shadow.type == UUIDOID && is_text(column.type)))
            ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
                            errmsg("there are no columns \"%s\" and \"%s\", one of type uuid and "
                                   "the other one of text",
                                   name_of(column), name_of(shadow))));
    }
    explicit TextPair(const TriggerData& event)
        : TextPair{event,
                   event.tg_relation,
                   {event.tg_trigger->tgargs[0], event.tg_trigger->tgargs[1]}} {}

    bool has_text_shadow() const { return is_text(shadow.type); }
    const Column& uuid_column() const { return has_text_shadow() ? column : shadow; }
    const Column& text_column() const { return has_text_shadow() ? shadow : column; }

    std::optional<Uuid> uuid(HeapTuple tuple) const { return to_uuid(value(tuple, uuid_column())); }
    Value text(HeapTuple tuple) const { return value(tuple, text_column()); }

    std::string_view characters(Datum text) const {
        return pg::characters(text, text_column().type);
    }

    /// The text as a value of the column; 22001 if it is too long.
    Datum text_value(const char* text) const {
        const FormData_pg_attribute& column = *TupleDescAttr(row, text_column().number - 1);
        Oid input;
        Oid parameter;
        getTypeInputInfo(column.atttypid, &input, &parameter);
        return OidInputFunctionCall(input, const_cast<char*>(text), parameter, column.atttypmod);
    }
};

// --- The text of the key that a column references ---

/// The shadow of a column of a table, which the same trigger function keeps; null if no such
/// trigger keeps the column. 55000 unless the owner of the table has confirmed what the trigger
/// says.
const char* kept_shadow(const TriggerData& event, Oid table, const char* column) {
    const Relation relation = table_open(table, AccessShareLock);
    const TriggerDesc* const triggers = relation->trigdesc;
    const char* shadow = nullptr;
    for (int i = 0; triggers != nullptr && i < triggers->numtriggers; ++i) {
        const Trigger& trigger = triggers->triggers[i];
        if (trigger.tgfoid != event.tg_trigger->tgfoid || trigger.tgnargs < 4)
            continue;
        const PairNames names{pstrdup(trigger.tgargs[0]), pstrdup(trigger.tgargs[1])};
        // Of several that name a column which is no more, one may keep this one.
        const auto renamed = SPI_fnumber(RelationGetDescr(relation), names.column) > 0
                                 ? std::nullopt
                                 : confirmation(relation, names);
        if (strcmp(renamed ? renamed->names.column : names.column, column) != 0)
            continue;
        const TextPair kept{event, relation, names};
        check_referencing(RelationGetRelid(event.tg_relation), kept.table);
        shadow = pstrdup(kept.name_of(kept.shadow));
        break;
    }
    table_close(relation, NoLock);
    return shadow;
}

/// The text of the key that the new row references by this foreign key, and which a foreign key on
/// the text would compare; null if there is none.
const char* text_of_key(const TriggerData& event, const ForeignKeyCacheInfo& key,
                        const char* shadow) {
    const TupleDesc row = RelationGetDescr(event.tg_relation);
    KeyPart parts[INDEX_MAX_KEYS];
    for (int i = 0; i < key.nkeys; ++i) {
        const auto value = value_in(new_row(event), row, key.conkey[i]);
        if (!value)
            return nullptr;
        parts[i] = {key.confkey[i], *value,
                    getBaseType(TupleDescAttr(row, key.conkey[i] - 1)->atttypid)};
    }
    const AttrNumber to = get_attnum(key.confrelid, shadow);
    const Role role = become_owner(key.confrelid);
    const auto found = look_up_value({.table = key.confrelid,
                                      .key = {parts, static_cast<std::size_t>(key.nkeys)},
                                      .to = to,
                                      .type = getBaseType(get_atttype(key.confrelid, to)),
                                      .may_be_null = true});
    restore(role);
    return found ? to_cstring(characters(*found, get_atttype(key.confrelid, to))) : nullptr;
}

/// The text of the key that a column references; null if it references no key that has a text
/// already.
const char* referenced_text(const TriggerData& event, AttrNumber column) {
    // A copy, because to look a key up may make the server read the list again.
    List* const keys = list_copy_deep(RelationGetFKeyList(event.tg_relation));
    for (int n = 0; n < list_length(keys); ++n) {
        const auto& key = *static_cast<ForeignKeyCacheInfo*>(list_nth(keys, n));
        const AttrNumber* const end = key.conkey + key.nkeys;
        const AttrNumber* const found = std::find(key.conkey, end, column);
        // A foreign key to a partitioned table also has an entry for each of its partitions.
        if (found == end || get_rel_relkind(key.confrelid) == RELKIND_PARTITIONED_TABLE)
            continue;
        const char* const shadow =
            kept_shadow(event, root_of(key.confrelid),
                        get_attname(key.confrelid, key.confkey[found - key.conkey], false));
        if (shadow != nullptr)
            if (const char* const text = text_of_key(event, key, shadow))
                return text;
    }
    return nullptr;
}

// --- What a row is to hold ---

/// The column has texts, and the shadow their UUIDs.
Datum with_uuid(const TriggerData& event, const TextPair& columns) {
    const auto text = columns.text(new_row(event));
    const Value uuid = text ? Value{datum(uuid_of(columns.characters(*text)))} : std::nullopt;
    const auto given = columns.given(event);
    if (given && !columns.shadow.are_equal(given, uuid))
        columns.report_given();
    return columns.stored(event, {text, uuid});
}

/// A text for a UUID that is written: the one that was there, that a dump has, or that the key has
/// which the row references; else the canonical one, or what fits of other spellings.
Datum text_for(const TriggerData& event, const TextPair& columns, const Uuid& uuid) {
    const auto written = columns.text(new_row(event));
    Value former;
    if (TRIGGER_FIRED_BY_UPDATE(event.tg_event)) {
        if (columns.uuid(event.tg_trigtuple) == uuid)
            former = columns.text(event.tg_trigtuple);
        if (former && written)
            return *former;
    } else if (written) {
        if (from_digits_or_ulid(columns.characters(*written)) != uuid)
            columns.report_given();
        return *written;
    }
    if (const char* const text = referenced_text(event, columns.column.number))
        return columns.text_value(text);
    const auto size = static_cast<std::size_t>(pg_strtoint32(event.tg_trigger->tgargs[3]));
    return former ? *former : columns.text_value(to_cstring(to_text_of_size(uuid, size).view()));
}

/// The column has UUIDs, and the shadow their texts.
Datum with_text(const TriggerData& event, const TextPair& columns) {
    const auto uuid = columns.value(new_row(event));
    if (!uuid)
        return columns.stored(event, {});
    return columns.stored(event, {uuid, text_for(event, columns, to_uuid(*uuid))});
}

}  // namespace

/// uuidx_migrate_steps.text_to_uuid(value text) returns uuid: the UUID that a text stands for, as
/// hexadecimal digits in any way that the type uuid reads, or as a ULID. 22P02 for any other text.
UUIDX_FUNCTION(uuidx_text_to_uuid) {
    return datum(uuid_of(getarg_text(fcinfo, 0)));
}

/// uuidx_migrate_steps.uuid_to_text(id uuid) returns text: the canonical text, as the type uuid
/// writes it.
UUIDX_FUNCTION(uuidx_uuid_to_text) {
    const auto text = to_hex_and_dash(getarg_uuid(fcinfo, 0));
    return datum(std::string_view{text.data(), text.size()});
}

/// uuidx_migrate_steps.key_of_text(value text) returns uuid: the UUID that a text stands for in one
/// of the forms in which each UUID can be written; NULL for any other text.
UUIDX_FUNCTION(uuidx_key_of_text) {
    const auto spelling = spelling_of(getarg_text(fcinfo, 0));
    if (!spelling)
        PG_RETURN_NULL();
    return datum(spelling->uuid);
}

/// uuidx_migrate_steps.text_with_key(value text, key uuid) returns text, not STRICT: the key,
/// written as the one that the text stands for. The text itself if it stands for none, or without a
/// key.
UUIDX_FUNCTION(uuidx_text_with_key) {
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    if (PG_ARGISNULL(1))
        return PG_GETARG_DATUM(0);
    return Column{0, TEXTOID, InvalidOid}.with_key(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1));
}

/// uuidx_migrate_steps.is_spelled_like(a text, b text) returns boolean: whether one text is a key
/// written as the other, or both are the same.
UUIDX_FUNCTION(uuidx_is_spelled_like) {
    const auto a = getarg_text(fcinfo, 0);
    const auto b = getarg_text(fcinfo, 1);
    return datum(a == b || are_spelled_alike(a, b));
}

/// uuidx_migrate_steps.fill_text() returns trigger, BEFORE INSERT OR UPDATE FOR EACH ROW: keeps the
/// shadow of a column of texts, which has their UUIDs, or of a column of UUIDs, which has texts for
/// them. Arguments: the column, its shadow, the conversion, for shadow_conversion(), and how many
/// characters the text for a new UUID may have. 22P02 for a text that stands for no UUID; 22023 if
/// an INSERT gives the shadow column another value.
///
/// As long as a UUID does not change, neither does its text. If the text of a reference is set to
/// NULL, it is looked up again.
UUIDX_FUNCTION(uuidx_fill_text) {
    const TriggerData& event = shadow_event(fcinfo, before_write, 4);
    const auto& columns = statement_state<TextPair>(fcinfo, event);
    return columns.has_text_shadow() ? with_text(event, columns) : with_uuid(event, columns);
}

}  // namespace uuidx::pg
