// Definitions of objects over the shadow columns.

#include "core/uuid.h"

#include "server/shim.h"

extern "C" {
#include "catalog/pg_type_d.h"
#include "nodes/bitmapset.h"
#include "nodes/makefuncs.h"
#include "nodes/plannodes.h"
#include "utils/ruleutils.h"
}

namespace uuidx::pg {

namespace {

using Elements = std::span<const Datum>;

/// The elements of an array; 22023 if one is NULL.
Elements not_null(ArrayType* array, Oid type) {
    if (array_contains_nulls(array))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("columns and shadows must not contain nulls")));
    return elements(array, type);
}

/// Adds the columns of an expression to a Bitmapset. True if the expression has more than columns
/// of one table: a whole row, another relation or a subquery.
bool find_columns(Node* node, void* columns) {
    if (node == nullptr)
        return false;
    if (!IsA(node, Var))
        return IsA(node, SubLink) || IsA(node, Query) ||
               walk_expression(node, find_columns, columns);
    const auto* const var = reinterpret_cast<Var*>(node);
    if (var->varno != 1 || var->varlevelsup != 0 || var->varattno == InvalidAttrNumber)
        return true;
    auto*& numbers = *static_cast<Bitmapset**>(columns);
    // A system column has a negative number, and its name does not change.
    if (var->varattno > 0)
        numbers = bms_add_member(numbers, var->varattno);
    return false;
}

/// The name under which a column is shown.
char* shown_name(Oid relation, AttrNumber column, Elements columns, Elements shadows) {
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (DatumGetInt16(columns[i]) == column)
            return NameStr(*DatumGetName(shadows[i]));
    return get_attname(relation, column, false);
}

/// The context that deparses expressions over a table with `columns` under the names in `shadows`.
/// `used` has the columns in the expressions. NIL if two of these would have the same name.
List* naming_context(Oid relation, const Bitmapset* used, Elements columns, Elements shadows) {
    // A column that is not used has the empty name, as if it were dropped: deparsing gives columns
    // of the same name other names, and a shadow column may exist already.
    List* names = NIL;
    for (int column = 1, last = bms_prev_member(used, -1); column <= last; ++column) {
        auto* const name =
            makeString(bms_is_member(column, used)
                           ? shown_name(relation, static_cast<AttrNumber>(column), columns, shadows)
                           : pstrdup(""));
        if (*strVal(name) != '\0' && list_member(names, name))
            return NIL;
        names = lappend(names, name);
    }
    auto* const table = makeNode(RangeTblEntry);
    auto* const statement = makeNode(PlannedStmt);
    table->eref = makeAlias("", names);
    statement->rtable = list_make1(table);
    // The catalog has the names of a table's columns, but those of a CTE's are in `eref`. Once they
    // have been read, it is a table again, which has system columns.
    table->rtekind = RTE_CTE;
    List* const context = deparse_context_for_plan_tree(statement, list_make1(nullptr));
    table->rtekind = RTE_RELATION;
    table->relid = relation;
    return context;
}

}  // namespace

/// uuidx_migrate_steps.on_shadows(expression pg_node_tree, relation regclass, columns smallint[],
/// shadows name[]) returns text[]: an expression over one table, or each expression of a list, as
/// pg_get_expr() shows it, but with the columns of these numbers under the names of their shadows,
/// which need not exist. NULL for an expression with a whole row, another relation or a subquery,
/// and if two of its columns would have the same name. 22023 for a NULL in an array and for arrays
/// of different lengths.
UUIDX_FUNCTION(uuidx_on_shadows) {
    auto* const tree = static_cast<Node*>(stringToNode(TextDatumGetCString(PG_GETARG_DATUM(0))));
    const Oid relation = PG_GETARG_OID(1);
    const Elements columns = not_null(PG_GETARG_ARRAYTYPE_P(2), INT2OID);
    const Elements shadows = not_null(PG_GETARG_ARRAYTYPE_P(3), NAMEOID);
    if (columns.size() != shadows.size())
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("columns and shadows must have the same number of elements")));
    Bitmapset* used = nullptr;
    // A rule without a condition has an empty tree.
    if (tree == nullptr || find_columns(tree, &used))
        PG_RETURN_NULL();
    List* const context = naming_context(relation, used, columns, shadows);
    if (context == NIL)
        PG_RETURN_NULL();

    List* const expressions = IsA(tree, List) ? reinterpret_cast<List*>(tree) : list_make1(tree);
    const int count = list_length(expressions);
    auto* const texts = static_cast<Datum*>(palloc(sizeof(Datum) * count));
    for (int i = 0; i < count; ++i) {
        auto* const expression = static_cast<Node*>(list_nth(expressions, i));
        texts[i] = datum(std::string_view{deparse_expression(expression, context, false, false)});
    }
    return PointerGetDatum(construct_array(texts, count, TEXTOID, -1, false, TYPALIGN_INT));
}

}  // namespace uuidx::pg
