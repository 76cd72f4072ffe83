// Reads the expression that says when a row was created.

#include "core/uuid.h"

#include "uuidx_migrate/catalog/calls.h"
#include "uuidx_migrate/catalog/expression_text.h"

#include "server/shim.h"

extern "C" {
#include "access/htup_details.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/bitmapset.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_collate.h"
#include "utils/array.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"
}

namespace uuidx::pg {

namespace {

/// The name of the row in the expression.
constexpr char row_name[] = "r";

/// The context of errors: an error of the parser shows where in `query` it is. Nothing shows the
/// functions that have the expression read, which say nothing to whoever wrote it.
void show_query(void* query) {
    if (const int position = geterrposition(); position > 0) {
        errposition(0);
        internalerrposition(position);
        internalerrquery(static_cast<const char*>(query));
    }
}

/// Whether an expression reads what has no value yet when a BEFORE trigger fires: a generated or
/// system column, or the row as a whole.
bool reads_generated(Node* node, void* context) {
    if (node == nullptr)
        return false;
    if (!IsA(node, Var))
        return walk_expression(node, reads_generated, context);
    const auto* const var = reinterpret_cast<Var*>(node);
    const auto row = static_cast<TupleDesc>(context);
    return var->varattno <= 0 || TupleDescAttr(row, var->varattno - 1)->attgenerated != '\0';
}

void add_object(const Rows& objects, Oid classid, Oid objid) {
    Datum values[] = {ObjectIdGetDatum(classid), ObjectIdGetDatum(objid)};
    objects.add(values);
}

bool add_function(Oid function, void* objects) {
    add_object(*static_cast<const Rows*>(objects), ProcedureRelationId, function);
    return false;
}

/// Adds what an expression calls, also behind operators, and its types.
bool find_objects(Node* node, void* context) {
    if (node == nullptr)
        return false;
    const auto& objects = *static_cast<const Rows*>(context);
    check_functions_in_node(node, add_function, context);
    ListCell* cell;
    foreach (cell, operators_of(node))
        add_object(objects, OperatorRelationId, lfirst_oid(cell));
    if (!IsA(node, List) && !IsA(node, CaseWhen))
        add_object(objects, TypeRelationId, exprType(node));
    return walk_expression(node, find_objects, context);
}

/// The text of an expression over a row of the table, whatever the settings of the session are.
char* deparsed(Oid relation, Node* expression) {
    const int level = NewGUCNestLevel();
    const char* const settings[][2] = {
        {"datestyle", "ISO"}, {"timezone", "UTC"}, {"intervalstyle", "postgres"}};
    for (const auto& [name, value] : settings)
        set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
    char* const text =
        deparse_expression(expression, deparse_context_for(row_name, relation), true, false);
    AtEOXact_GUC(true, level);
    return text;
}

/// The expression as one of type timestamptz.
Node* as_time(Node* expression, const char* text) {
    Node* const time =
        coerce_to_target_type(nullptr, expression, exprType(expression), TIMESTAMPTZOID, -1,
                              COERCION_ASSIGNMENT, COERCE_EXPLICIT_CAST, -1);
    if (time == nullptr)
        ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                        errmsg("\"%s\" is of type %s", text, format_type_be(exprType(expression))),
                        errdetail("A creation time is of type timestamp with time zone.")));
    assign_expr_collations(nullptr, time);
    return time;
}

/// The arguments relation regclass and expression text: an expression over a row of the table.
/// 42501 for a user without any privilege on the table, 42601 for what is no expression, 42804
/// unless its type is timestamptz, 42P17 if it is not immutable, 0A000 if it reads a generated or
/// system column or the whole row; and the errors for index expressions.
Node* creation_time(FunctionCallInfo fcinfo) {
    const char* const source = TextDatumGetCString(PG_GETARG_DATUM(1));
    const Relation table = open_with_privilege(PG_GETARG_OID(0));
    char* const query = psprintf("SELECT %s", source);
    ErrorContextCallback* const callers = error_context_stack;
    ErrorContextCallback shown = {nullptr, show_query, query};
    error_context_stack = &shown;
    Node* const expression = as_time(expression_over(table, row_name, query, source), source);
    if (reads_generated(expression, RelationGetDescr(table)))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("\"%s\" reads a column that a BEFORE trigger cannot read", source),
                        errdetail("It may not read generated columns, system columns and the row "
                                  "as a whole.")));
    if (contain_mutable_functions(expression))
        ereport(
            ERROR,
            (errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
             errmsg("functions in \"%s\" must be marked IMMUTABLE", source),
             errhint("The result must not depend on a setting such as TimeZone: a timestamp "
                     "without time zone needs AT TIME ZONE, with the zone in which it was written, "
                     "as in \"created_at AT TIME ZONE 'UTC'\"; a timestamp with time zone must not "
                     "have it.")));
    table_close(table, NoLock);
    error_context_stack = callers;
    return expression;
}

}  // namespace

/// uuidx_migrate_steps.created_expression(relation regclass, expression text) returns text: the
/// expression as the body of a function of a row `r` has it. Errors: as creation_time.
UUIDX_FUNCTION(uuidx_created_expression) {
    return datum(std::string_view{deparsed(PG_GETARG_OID(0), creation_time(fcinfo))});
}

/// uuidx_migrate_steps.created_columns(relation regclass, expression text) returns smallint[]: the
/// numbers of the columns that the expression reads. Errors: as creation_time.
UUIDX_FUNCTION(uuidx_created_columns) {
    Bitmapset* read = nullptr;
    pull_varattnos(creation_time(fcinfo), 1, &read);
    Datum numbers[MaxHeapAttributeNumber];
    int count = 0;
    for (int i = -1; (i = bms_next_member(read, i)) >= 0;)
        numbers[count++] = Int16GetDatum(i + FirstLowInvalidHeapAttributeNumber);
    return PointerGetDatum(
        construct_array(numbers, count, INT2OID, sizeof(int16), true, TYPALIGN_SHORT));
}

/// uuidx_migrate_steps.created_objects(relation regclass, expression text) returns table (classid
/// oid, objid oid): the functions that the expression calls, also behind operators, the operators
/// and the types; some more than once. Errors: as creation_time.
UUIDX_FUNCTION(uuidx_created_objects) {
    Rows objects{fcinfo};
    find_objects(creation_time(fcinfo), &objects);
    PG_RETURN_NULL();
}

}  // namespace uuidx::pg
