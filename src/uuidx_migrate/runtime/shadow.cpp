// What the owner of a table has confirmed of its shadow columns.

#include "core/spelling.h"

#include "uuidx_migrate/runtime/shadow.h"

#include "server/shim.h"

extern "C" {
#include "access/sysattr.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/partition.h"
#include "catalog/pg_inherits.h"
#include "nodes/bitmapset.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "utils/typcache.h"
}

namespace uuidx::pg {

namespace {

/// The CHECK constraint of this name; null if there is none.
Node* check_named(TupleDesc row, const char* name) {
    for (int i = 0; row->constr != nullptr && i < row->constr->num_check; ++i) {
        const ConstrCheck& check = row->constr->check[i];
        if (strcmp(check.ccname, name) == 0 && check.ccbin != nullptr)
            return static_cast<Node*>(stringToNode(check.ccbin));
    }
    return nullptr;
}

bool find_table(Node* node, void* table) {
    if (node == nullptr)
        return false;
    const auto* const constant = reinterpret_cast<Const*>(node);
    if (!IsA(node, Const) || constant->consttype != REGCLASSOID || constant->constisnull)
        return walk_expression(node, find_table, table);
    *static_cast<Oid*>(table) = DatumGetObjectId(constant->constvalue);
    return true;
}

bool has_column(TupleDesc row, const char* name) {
    return SPI_fnumber(row, name) > 0;
}

/// The columns that a constraint reads, by the names that they have now; nullopt unless they are a
/// pair with these names. One of the two may have been renamed since the migration began.
std::optional<PairNames> names_read(Node* check, TupleDesc row, const PairNames& names) {
    Bitmapset* read = nullptr;
    pull_varattnos(check, 1, &read);
    const char* found[] = {nullptr, nullptr};
    int count = 0;
    for (int i = -1; (i = bms_next_member(read, i)) >= 0;) {
        const int number = i + FirstLowInvalidHeapAttributeNumber;
        if (number <= 0 || count == 2)
            return std::nullopt;
        found[count++] = NameStr(TupleDescAttr(row, number - 1)->attname);
    }
    if (count != 2)
        return std::nullopt;
    const auto are = [](const char* a, const char* b) { return strcmp(a, b) == 0; };
    if (are(found[0], names.shadow) || are(found[1], names.column))
        std::swap(found[0], found[1]);
    const bool has_name = are(found[0], names.column);
    const bool has_shadow_name = are(found[1], names.shadow);
    if ((!has_name && !has_shadow_name) || (!has_name && has_column(row, names.column)) ||
        (!has_shadow_name && has_column(row, names.shadow)))
        return std::nullopt;
    return PairNames{pstrdup(found[0]), pstrdup(found[1])};
}

/// The confirmation of another partition that belongs to the same owner; nullopt if there is none.
std::optional<Confirmed> confirmation_of_another(Relation table, const PairNames& names) {
    std::optional<Confirmed> confirmed;
    List* const members =
        find_all_inheritors(root_of(RelationGetRelid(table)), AccessShareLock, nullptr);
    for (int n = 0; n < list_length(members) && !confirmed; ++n) {
        const Relation other = table_open(list_nth_oid(members, n), NoLock);
        if (RelationGetForm(other)->relowner == RelationGetForm(table)->relowner)
            confirmed = confirmation(other, names);
        table_close(other, NoLock);
    }
    return confirmed;
}

/// 42703: the table lacks a column that a trigger names. The trigger of a partition is dropped with
/// that of the topmost table.
[[noreturn]] void report_missing(const TriggerData& event, Relation table, const PairNames& names) {
    const bool is_shadow = has_column(RelationGetDescr(table), names.column);
    const char* const trigger = event.tg_trigger->tgname;
    const Oid root = root_of(RelationGetRelid(event.tg_relation));
    const char* const drop =
        psprintf("DROP TRIGGER %s ON %s", quote_identifier(trigger),
                 quote_qualified_identifier(get_namespace_name(get_rel_namespace(root)),
                                            get_rel_name(root)));
    ereport(ERROR,
            (errcode(ERRCODE_UNDEFINED_COLUMN),
             errmsg("there is no column \"%s\"", is_shadow ? names.shadow : names.column),
             errdetail("Trigger \"%s\" of table \"%s\" needs it in table \"%s\".", trigger,
                       RelationGetRelationName(event.tg_relation), RelationGetRelationName(table)),
             table != event.tg_relation
                 ? errhint("Finish the migration or, before the cutover, the one that undoes it: "
                           "uuidx_migrate.script with mode => 'finish' writes the script.")
             : is_shadow ? errhint("If it was dropped, run %s.", drop)
                         : errhint("If it was dropped, run %s, and drop column \"%s\".", drop,
                                   names.shadow)));
}

/// 42703 or 55000: the table lacks a column that a trigger names, or a constraint that confirms
/// both.
[[noreturn]] void report_unconfirmed(const TriggerData& event, Relation table,
                                     const PairNames& names, Oid type) {
    const TupleDesc row = RelationGetDescr(table);
    if (!has_column(row, names.column) || !has_column(row, names.shadow))
        report_missing(event, table, names);
    column_number(row, names.column, type);
    column_number(row, names.shadow, type);
    ereport(
        ERROR,
        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
         errmsg("no constraint confirms the arguments of trigger \"%s\"", event.tg_trigger->tgname),
         errdetail("A constraint CHECK \"zzz_%s\" of table \"%s\" must read the columns "
                   "\"%s\" and \"%s\".",
                   names.shadow, RelationGetRelationName(table), names.column, names.shadow),
         errhint("Run the script of the migration from the top.")));
}

/// What the owner of a table has confirmed; the errors of report_unconfirmed.
Confirmed confirmed(const TriggerData& event, Relation table, const PairNames& names, Oid type) {
    auto confirmed = confirmation(table, names);
    if (!confirmed && RelationGetForm(table)->relispartition)
        confirmed = confirmation_of_another(table, names);
    if (!confirmed)
        report_unconfirmed(event, table, names, type);
    return *confirmed;
}

Column column_named(TupleDesc row, const char* name, Oid type) {
    const AttrNumber number = column_number(row, name, type);
    const FormData_pg_attribute& column = *TupleDescAttr(row, number - 1);
    return {number, getBaseType(column.atttypid), column.attcollation};
}

}  // namespace

std::optional<Confirmed> confirmation(Relation table, const PairNames& names) {
    Confirmed confirmed{names};
    Node* const check = check_named(RelationGetDescr(table), psprintf("zzz_%s", names.shadow));
    const auto now =
        check != nullptr ? names_read(check, RelationGetDescr(table), names) : std::nullopt;
    if (!now)
        return std::nullopt;
    confirmed.names = *now;
    find_table(check, &confirmed.referenced);
    return confirmed;
}

Oid root_of(Oid table) {
    return get_rel_relispartition(table) ? llast_oid(get_partition_ancestors(table)) : table;
}

std::string_view characters(Datum text, Oid type) {
    const varlena* const value = PG_DETOAST_DATUM_PACKED(text);
    const std::string_view all{VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
    return type == BPCHAROID ? slice(all, 0, all.find_last_not_of(' ') + 1) : all;
}

Value Column::key_in(Datum value) const {
    if (!is_text(type))
        return value;
    const auto spelling = spelling_of(characters(value, type));
    return spelling ? Value{datum(spelling->uuid)} : std::nullopt;
}

// The text stays as long as it is, with the blanks at the end of a char(n).
Datum Column::with_key(Datum value, Datum key) const {
    if (!is_text(type))
        return key;
    const auto spelling = spelling_of(characters(value, type));
    varlena* const text = PG_DETOAST_DATUM_COPY(value);
    if (spelling)
        std::ranges::copy(spelling->digits_of(to_uuid(key)).view(),
                          VARDATA(text) + spelling->begin);
    return PointerGetDatum(text);
}

bool Column::are_equal(Datum a, Datum b) const {
    const TypeCacheEntry* const entry = lookup_type_cache(type, TYPECACHE_EQ_OPR_FINFO);
    if (!OidIsValid(entry->eq_opr) || entry->eq_opr >= FirstNormalObjectId)
        ereport(ERROR,
                (errcode(ERRCODE_UNDEFINED_FUNCTION),
                 errmsg("type %s has no equality operator of PostgreSQL", format_type_be(type))));
    return DatumGetBool(
        FunctionCall2Coll(const_cast<FmgrInfo*>(&entry->eq_opr_finfo), collation, a, b));
}

// The cutover swaps only the names of the two columns: from then on, the column is the one
// with the higher number. Those of a partition may be in another order.
ColumnPair::ColumnPair(Relation relation, const Confirmed& confirmed, Oid type)
    : row{RelationGetDescr(relation)},
      table{RelationGetRelid(relation)},
      referenced{OidIsValid(confirmed.referenced) ? confirmed.referenced : table},
      is_cut_over{get_attnum(root_of(table), confirmed.names.column) >
                  get_attnum(root_of(table), confirmed.names.shadow)},
      column{column_named(row, confirmed.names.column, type)},
      shadow{column_named(row, confirmed.names.shadow, type)} {}

ColumnPair::ColumnPair(const TriggerData& event, Relation relation, const PairNames& names,
                       Oid type)
    : ColumnPair{relation, confirmed(event, relation, names, type), type} {}

void ColumnPair::report_given() const {
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("column \"%s\" is kept by a trigger and cannot be given another value",
                           name_of(shadow)),
                    errhint("Name the columns that are inserted. The values are those of column "
                            "\"%s\".",
                            name_of(column))));
}

Datum ColumnPair::stored(const TriggerData& event, const Pair& pair) const {
    if (!pair.column && given(event))
        report_given();
    int columns[] = {column.number, shadow.number};
    Datum values[] = {pair.column.value_or(Datum{0}), pair.shadow.value_or(Datum{0})};
    bool nulls[] = {!pair.column, !pair.shadow};
    return PointerGetDatum(
        heap_modify_tuple_by_cols(new_row(event), row, 2, columns, values, nulls));
}

}  // namespace uuidx::pg
