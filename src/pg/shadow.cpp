// What the owner of a table has confirmed of its shadow columns.

#include "core/uuid.h"

#include "pg/shadow.h"

#include "pg/shim.h"

extern "C" {
#include "access/sysattr.h"
#include "access/transam.h"
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

/// 55000 unless the owner of the table has confirmed the columns. Returns the table that the
/// constraint names.
Oid confirm(const TriggerData& event, Relation table, const ColumnPair& columns) {
    const char* const name = psprintf("zzz_%s", columns.name_of(columns.shadow));
    Node* const check = check_named(columns.row, name);
    Bitmapset* read = nullptr;
    if (check != nullptr)
        pull_varattnos(check, 1, &read);
    const int offset = FirstLowInvalidHeapAttributeNumber;
    if (bms_num_members(read) != 2 || !bms_is_member(columns.column.number - offset, read) ||
        !bms_is_member(columns.shadow.number - offset, read))
        ereport(ERROR,
                (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                 errmsg("no constraint confirms the arguments of trigger \"%s\"",
                        event.tg_trigger->tgname),
                 errdetail("A constraint CHECK \"%s\" of table \"%s\" must read the columns \"%s\" "
                           "and \"%s\".",
                           name, RelationGetRelationName(table), columns.name_of(columns.column),
                           columns.name_of(columns.shadow))));
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

bool Column::are_equal(Datum a, Datum b) const {
    const TypeCacheEntry* const entry = lookup_type_cache(type, TYPECACHE_EQ_OPR_FINFO);
    if (!OidIsValid(entry->eq_opr) || entry->eq_opr >= FirstNormalObjectId)
        ereport(ERROR,
                (errcode(ERRCODE_UNDEFINED_FUNCTION),
                 errmsg("type %s has no equality operator of PostgreSQL", format_type_be(type))));
    return DatumGetBool(
        FunctionCall2Coll(const_cast<FmgrInfo*>(&entry->eq_opr_finfo), collation, a, b));
}

ColumnPair::ColumnPair(const TriggerData& event, Relation relation, const char* column_name,
                       const char* shadow_name, Oid type)
    : row{RelationGetDescr(relation)},
      table{RelationGetRelid(relation)},
      column{column_named(row, column_name, type)},
      shadow{column_named(row, shadow_name, type)} {
    referenced = confirm(event, relation, *this);
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
