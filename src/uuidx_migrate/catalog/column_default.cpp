// Says what the default of a column is.

#include "core/uuid.h"

#include "server/shim.h"

extern "C" {
#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_type_d.h"
#include "nodes/parsenodes.h"
#include "nodes/primnodes.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
}

namespace uuidx::pg {

namespace {

/// The default of a column; null if it has none.
Node* default_of(Oid relation, AttrNumber column) {
    const Relation catalog = table_open(AttrDefaultRelationId, AccessShareLock);
    ScanKeyData keys[2];
    ScanKeyInit(&keys[0], Anum_pg_attrdef_adrelid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(relation));
    ScanKeyInit(&keys[1], Anum_pg_attrdef_adnum, BTEqualStrategyNumber, F_INT2EQ,
                Int16GetDatum(column));
    const SysScanDesc scan =
        systable_beginscan(catalog, AttrDefaultIndexId, true, nullptr, 2, keys);
    Node* expression = nullptr;
    if (const HeapTuple row = systable_getnext(scan); HeapTupleIsValid(row)) {
        const Datum tree = *value_in(row, RelationGetDescr(catalog), Anum_pg_attrdef_adbin);
        expression = static_cast<Node*>(stringToNode(TextDatumGetCString(tree)));
    }
    systable_endscan(scan);
    table_close(catalog, AccessShareLock);
    return expression;
}

/// An expression without the casts around it.
Node* without_casts(Node* node) {
    for (;;) {
        if (IsA(node, RelabelType)) {
            node = reinterpret_cast<Node*>(reinterpret_cast<RelabelType*>(node)->arg);
        } else if (IsA(node, CoerceViaIO)) {
            node = reinterpret_cast<Node*>(reinterpret_cast<CoerceViaIO*>(node)->arg);
        } else if (IsA(node, FuncExpr)) {
            const auto* const call = reinterpret_cast<FuncExpr*>(node);
            if (call->funcformat == COERCE_EXPLICIT_CALL || call->args == NIL)
                return node;
            node = static_cast<Node*>(linitial(call->args));
        } else {
            return node;
        }
    }
}

/// The expression in CASE WHEN false THEN ... END; null if it is another one.
Node* unused(Node* node) {
    const auto* const cases = reinterpret_cast<CaseExpr*>(without_casts(node));
    if (!IsA(cases, CaseExpr) || cases->arg != nullptr || list_length(cases->args) != 1)
        return nullptr;
    const auto* const only = linitial_node(CaseWhen, cases->args);
    const auto* const condition = reinterpret_cast<Const*>(only->expr);
    if (!IsA(condition, Const) || condition->consttype != BOOLOID || condition->constisnull ||
        DatumGetBool(condition->constvalue))
        return nullptr;
    return reinterpret_cast<Node*>(only->result);
}

}  // namespace

/// uuidx_migrate_steps.default_of(relation oid, attnum smallint) returns column_default: the
/// default of a column, as an expression; whether it is one that is never evaluated, CASE WHEN
/// false THEN expression END; the function, if the expression is its call without arguments; the
/// text of the value, if it is a constant; and whether that is NULL. Casts may be around these.
/// NULL if the column has no default.
UUIDX_FUNCTION(uuidx_default_of) {
    Node* expression = default_of(PG_GETARG_OID(0), PG_GETARG_INT16(1));
    if (expression == nullptr)
        PG_RETURN_NULL();
    Node* const former = unused(expression);
    if (former != nullptr)
        expression = former;
    Node* const core = without_casts(expression);
    const auto* const call = IsA(core, FuncExpr) ? reinterpret_cast<FuncExpr*>(core) : nullptr;
    const auto* const constant = IsA(core, Const) ? reinterpret_cast<Const*>(core) : nullptr;
    std::optional<std::string_view> value;
    if (constant != nullptr && !constant->constisnull)
        value = text_of(constant->constvalue, constant->consttype);
    return row<std::string_view, bool, Oid, std::string_view, bool>(
        fcinfo, deparse_expression(expression, NIL, false, false), former != nullptr,
        call != nullptr && call->args == NIL ? std::optional{call->funcid} : std::nullopt, value,
        constant != nullptr && constant->constisnull);
}

}  // namespace uuidx::pg
