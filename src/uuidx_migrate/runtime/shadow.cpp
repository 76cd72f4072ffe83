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

/// Whether an expression reads the columns with these names, and no other.
bool reads_only(Node* check, TupleDesc row, const char* column_name, const char* shadow_name) {
    const int offset = FirstLowInvalidHeapAttributeNumber;
    Bitmapset* read = nullptr;
    pull_varattnos(check, 1, &read);
    return bms_num_members(read) == 2 &&
           bms_is_member(SPI_fnumber(row, column_name) - offset, read) &&
           bms_is_member(SPI_fnumber(row, shadow_name) - offset, read);
}

/// The constraint by which the owner of a table has confirmed the columns; null if there is none.
Node* confirmation(Relation table, const char* column_name, const char* shadow_name) {
    Node* const check = check_named(RelationGetDescr(table), psprintf("zzz_%s", shadow_name));
    return check != nullptr && reads_only(check, RelationGetDescr(table), column_name, shadow_name)
               ? check
               : nullptr;
}

/// The confirmation of another partition that belongs to the same owner; null if there is none.
Node* confirmation_of_another(Relation table, const char* column_name, const char* shadow_name) {
    Node* check = nullptr;
    List* const members =
        find_all_inheritors(root_of(RelationGetRelid(table)), AccessShareLock, nullptr);
    for (int n = 0; n < list_length(members) && check == nullptr; ++n) {
        const Relation other = table_open(list_nth_oid(members, n), NoLock);
        if (RelationGetForm(other)->relowner == RelationGetForm(table)->relowner)
            check = confirmation(other, column_name, shadow_name);
        table_close(other, NoLock);
    }
    return check;
}

/// 55000 unless the owner of the table has confirmed the columns. Returns the table that the
/// constraint names.
Oid confirm(const TriggerData& event, Relation table, const char* column_name,
            const char* shadow_name) {
    Node* check = confirmation(table, column_name, shadow_name);
    if (check == nullptr && RelationGetForm(table)->relispartition)
        check = confirmation_of_another(table, column_name, shadow_name);
    if (check == nullptr)
        ereport(ERROR,
                (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                 errmsg("no constraint confirms the arguments of trigger \"%s\"",
                        event.tg_trigger->tgname),
                 errdetail("A constraint CHECK \"zzz_%s\" of table \"%s\" must read the columns "
                           "\"%s\" and \"%s\".",
                           shadow_name, RelationGetRelationName(table), column_name, shadow_name)));
    Oid referenced = RelationGetRelid(table);
    find_table(check, &referenced);
    return referenced;
}

Column column_named(TupleDesc row, const char* name, Oid type) {
    const AttrNumber number = column_number(row, name, type);
    const FormData_pg_attribute& column = *TupleDescAttr(row, number - 1);
    return {number, getBaseType(column.atttypid), column.attcollation};
}

}  // namespace

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
ColumnPair::ColumnPair(const TriggerData& event, Relation relation, const char* column_name,
                       const char* shadow_name, Oid type)
    : row{RelationGetDescr(relation)},
      table{RelationGetRelid(relation)},
      is_cut_over{get_attnum(root_of(table), column_name) >
                  get_attnum(root_of(table), shadow_name)},
      column{column_named(row, column_name, type)},
      shadow{column_named(row, shadow_name, type)} {
    referenced = confirm(event, relation, column_name, shadow_name);
}

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
