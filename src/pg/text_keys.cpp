// Keys that are text: what they are as UUIDs, and the trigger that keeps a shadow of the other
// type.

#include "core/encoding.h"

#include "pg/lookup.h"
#include "pg/saved_plan.h"
#include "pg/shadow.h"

#include "pg/shim.h"

extern "C" {
#include "access/table.h"
#include "catalog/partition.h"
#include "catalog/pg_operator.h"
#include "parser/parse_coerce.h"
#include "utils/syscache.h"
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
class TextPair : public ColumnPair {
  public:
    /// 42703 unless the table has such columns with these names.
    TextPair(Relation table, const char* column, const char* shadow)
        : ColumnPair{RelationGetDescr(table), SPI_fnumber(RelationGetDescr(table), column),
                     SPI_fnumber(RelationGetDescr(table), shadow)} {
        if (column_ <= 0 || shadow_ <= 0 || type(uuid_column()) != UUIDOID ||
            !is_text(text_column()))
            ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
                            errmsg("there are no columns \"%s\" and \"%s\", one of type uuid and "
                                   "the other one of text",
                                   column, shadow)));
    }

    bool has_text_shadow() const { return is_text(shadow_); }
    int uuid_column() const { return has_text_shadow() ? column_ : shadow_; }
    int text_column() const { return has_text_shadow() ? shadow_ : column_; }

    std::optional<Uuid> uuid(HeapTuple tuple) const { return uuid_in(tuple, row_, uuid_column()); }

    std::optional<Datum> text(HeapTuple tuple) const {
        bool null;
        const Datum value = heap_getattr(tuple, text_column(), row_, &null);
        return null ? std::nullopt : std::optional{value};
    }

    /// The characters of a text; of a char(n), those before the blanks at the end.
    std::string_view characters(Datum text) const {
        const varlena* const value = PG_DETOAST_DATUM_PACKED(text);
        const std::string_view all{VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
        return type(text_column()) == BPCHAROID ? slice(all, 0, all.find_last_not_of(' ') + 1)
                                                : all;
    }

    /// The text as a value of the column; 22001 if it is too long.
    Datum text_value(const char* text) const {
        const FormData_pg_attribute& column = attribute(text_column());
        Oid input;
        Oid parameter;
        getTypeInputInfo(column.atttypid, &input, &parameter);
        return OidInputFunctionCall(input, const_cast<char*>(text), parameter, column.atttypmod);
    }

  private:
    const FormData_pg_attribute& attribute(int column) const {
        return *TupleDescAttr(row_, column - 1);
    }
    Oid type(int column) const { return attribute(column).atttypid; }
    bool is_text(int column) const {
        return type(column) == TEXTOID || type(column) == VARCHAROID || type(column) == BPCHAROID;
    }
};

// --- The text of the key that a column references ---

/// A column of a table that the same trigger function keeps, and its shadow.
struct Kept {
    Oid table;
    const char* shadow;  // null if no such trigger keeps the column
};

/// 55000 unless the owner of the table has confirmed what the trigger says.
Kept kept(const TriggerData& event, Oid table, const char* column) {
    const Relation relation = table_open(table, AccessShareLock);
    const TriggerDesc* const triggers = relation->trigdesc;
    const char* shadow = nullptr;
    for (int i = 0; triggers != nullptr && i < triggers->numtriggers && shadow == nullptr; ++i) {
        const Trigger& trigger = triggers->triggers[i];
        if (trigger.tgfoid == event.tg_trigger->tgfoid && trigger.tgnargs == 4 &&
            strcmp(trigger.tgargs[0], column) == 0)
            shadow = pstrdup(trigger.tgargs[1]);
    }
    if (shadow != nullptr) {
        confirm(event, relation, TextPair{relation, column, shadow});
        check_referencing(RelationGetRelid(event.tg_relation), table);
    }
    table_close(relation, NoLock);
    return {table, shadow};
}

/// An operator, as OPERATOR() has it.
const char* qualified_operator(Oid oid) {
    const HeapTuple entry = SearchSysCache1(OPEROID, ObjectIdGetDatum(oid));
    if (!HeapTupleIsValid(entry))
        elog(ERROR, "cache lookup failed for operator %u", oid);
    const auto* const form = reinterpret_cast<Form_pg_operator>(GETSTRUCT(entry));
    const char* const name = psprintf(
        "%s.%s", quote_identifier(get_namespace_name(form->oprnamespace)), NameStr(form->oprname));
    ReleaseSysCache(entry);
    return name;
}

/// A query for the shadow of the key that a row references, with its parameters.
struct KeyQuery {
    Oid table;
    StringInfoData text;
    std::size_t parameters;
    Oid types[INDEX_MAX_KEYS];
    Datum values[INDEX_MAX_KEYS];
    bool has_nulls = false;
};

/// 0A000 if values of these types reach the operator through a cast that somebody may have written.
void check_no_cast(Oid equality, Oid key, Oid reference) {
    Oid left;
    Oid right;
    op_input_types(equality, &left, &right);
    for (const auto& [from, to] : {std::pair{key, left}, std::pair{reference, right}})
        if (!IsBinaryCoercible(from, to))
            ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                            errmsg("cannot look up a key that is compared by a cast from %s to %s",
                                   format_type_be(from), format_type_be(to))));
}

KeyQuery key_query(const TriggerData& event, const ForeignKeyCacheInfo& key, const Kept& to) {
    const TupleDesc row = RelationGetDescr(event.tg_relation);
    KeyQuery query;
    query.table = to.table;
    query.parameters = key.nkeys;
    initStringInfo(&query.text);
    appendStringInfo(&query.text, "SELECT k.%s::pg_catalog.text FROM %s AS k",
                     quote_identifier(to.shadow), qualified_name(to.table));
    for (int i = 0; i < key.nkeys; ++i) {
        bool null;
        query.values[i] = heap_getattr(new_row(event), key.conkey[i], row, &null);
        query.types[i] = TupleDescAttr(row, key.conkey[i] - 1)->atttypid;
        query.has_nulls |= null;
        check_no_cast(key.conpfeqop[i], get_atttype(key.confrelid, key.confkey[i]), query.types[i]);
        appendStringInfo(&query.text, " %s k.%s OPERATOR(%s) $%d /* %u */",
                         i == 0 ? "WHERE" : "AND",
                         quote_identifier(get_attname(key.confrelid, key.confkey[i], false)),
                         qualified_operator(key.conpfeqop[i]), i + 1, query.types[i]);
    }
    return query;
}

/// Runs the query as the owner of the table, as the server does to check foreign keys. Null if
/// there is no such row.
const char* key_text(const KeyQuery& query) {
    const MemoryContext outer = CurrentMemoryContext;
    const char* text = nullptr;
    const Role role = become_owner(query.table);
    SPI_connect();
    const SPIPlanPtr plan = saved_plan(query.text.data, {query.types, query.parameters});
    if (SPI_execute_plan(plan, const_cast<Datum*>(query.values), nullptr, true, 1) != SPI_OK_SELECT)
        elog(ERROR, "could not look up a key: %s", SPI_result_code_string(SPI_result));
    if (SPI_processed > 0)
        if (const char* const found = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1))
            text = MemoryContextStrdup(outer, found);
    SPI_finish();
    restore(role);
    return text;
}

/// The text that the key has which a column references, and which a foreign key on the text would
/// compare; null if the column references no key that has a text already.
const char* referenced_text(const TriggerData& event, int column) {
    // A copy, because to look a key up may make the server read the list again.
    List* const keys = list_copy_deep(RelationGetFKeyList(event.tg_relation));
    for (int n = 0; n < list_length(keys); ++n) {
        const auto& key = *static_cast<ForeignKeyCacheInfo*>(list_nth(keys, n));
        const AttrNumber* const end = key.conkey + key.nkeys;
        const AttrNumber* const found = std::find(key.conkey, end, column);
        if (found == end)
            continue;
        // A foreign key to a partitioned table also has an entry for each of its partitions.
        const Oid root = get_rel_relispartition(key.confrelid)
                             ? llast_oid(get_partition_ancestors(key.confrelid))
                             : key.confrelid;
        const Kept to =
            kept(event, root, get_attname(key.confrelid, key.confkey[found - key.conkey], false));
        if (to.shadow == nullptr)
            continue;
        const KeyQuery query = key_query(event, key, to);
        return query.has_nulls ? nullptr : key_text(query);
    }
    return nullptr;
}

// --- What a row is to hold ---

/// The column has texts, and the shadow their UUIDs.
Datum with_uuid(const TriggerData& event, const TextPair& columns) {
    const auto text = columns.text(new_row(event));
    const auto uuid = text ? std::optional{uuid_of(columns.characters(*text))} : std::nullopt;
    if (TRIGGER_FIRED_BY_INSERT(event.tg_event)) {
        const auto given = columns.uuid(event.tg_trigtuple);
        if (given && given != uuid)
            columns.report_given();
    }
    return columns.stored(event, text, uuid ? std::optional{datum(*uuid)} : std::nullopt);
}

/// A text for a UUID that is written: the one that was there, that a dump has, or that the key has
/// which the row references; else the canonical one, or what fits of other spellings.
Datum text_for(const TriggerData& event, const TextPair& columns, const Uuid& uuid) {
    const auto written = columns.text(new_row(event));
    std::optional<Datum> former;
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
    if (const char* const text = referenced_text(event, columns.uuid_column()))
        return columns.text_value(text);
    const auto size = static_cast<std::size_t>(pg_strtoint32(event.tg_trigger->tgargs[3]));
    return former ? *former : columns.text_value(to_cstring(to_text_of_size(uuid, size).view()));
}

/// The column has UUIDs, and the shadow their texts.
Datum with_text(const TriggerData& event, const TextPair& columns) {
    const auto uuid = columns.uuid(new_row(event));
    if (!uuid)
        return columns.stored(event, std::nullopt, std::nullopt);
    return columns.stored(event, datum(*uuid), text_for(event, columns, *uuid));
}

}  // namespace

/// uuidx_migrate_steps.text_to_uuid(value text) returns uuid: the UUID that a text stands for, as
/// hexadecimal digits in any way that the type uuid reads, or as a ULID. 22P02 for any other text.
UUIDX_FUNCTION(uuidx_text_to_uuid) {
    return datum(uuid_of(getarg_text(fcinfo, 0)));
}

/// uuidx_migrate.is_uuid(value text) returns boolean: whether text_to_uuid converts the text.
UUIDX_FUNCTION(uuidx_is_uuid) {
    return datum(from_digits_or_ulid(getarg_text(fcinfo, 0)).has_value());
}

/// uuidx_migrate_steps.uuid_to_text(id uuid) returns text: the canonical text, as the type uuid writes
/// it.
UUIDX_FUNCTION(uuidx_uuid_to_text) {
    const auto text = to_hex_and_dash(getarg_uuid(fcinfo, 0));
    return datum(std::string_view{text.data(), text.size()});
}

/// uuidx_migrate_steps.fill_text() returns trigger, BEFORE INSERT OR UPDATE FOR EACH ROW: keeps the
/// shadow of a column of texts, which has their UUIDs, or of a column of UUIDs, which has texts for
/// them. Arguments: the column, its shadow, how many characters the text for a new UUID may have,
/// and the conversion, for `filling`. 22P02 for a text that stands for no UUID; 22023 if an INSERT
/// gives the shadow column another value.
///
/// As long as a UUID does not change, neither does its text. If the text of a reference is set to
/// NULL, it is looked up again.
UUIDX_FUNCTION(uuidx_fill_text) {
    const TriggerData& event = shadow_event(fcinfo, before_write, 4);
    const TextPair columns{event.tg_relation, event.tg_trigger->tgargs[0],
                           event.tg_trigger->tgargs[1]};
    confirm(fcinfo, event, columns);
    return columns.has_text_shadow() ? with_text(event, columns) : with_uuid(event, columns);
}

}  // namespace uuidx::pg
