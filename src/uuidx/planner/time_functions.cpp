// The functions of uuidx, as the planner meets them in expressions.

#include "uuidx/planner/time_functions.h"

extern "C" {
#include "access/htup_details.h"
#include "access/sysattr.h"
#include "catalog/pg_language_d.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type_d.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace uuidx::pg {

namespace {

/// Only superusers create functions in C, so no one else's function is ever taken for one of these.
bool is_in_c(HeapTuple function) {
    return reinterpret_cast<Form_pg_proc>(GETSTRUCT(function))->prolang == ClanguageId;
}

bool is_implemented_by(HeapTuple function, const char* symbol) {
    if (!is_in_c(function))
        return false;
    bool is_null;
    const text* const source =
        DatumGetTextPP(SysCacheGetAttr(PROCOID, function, Anum_pg_proc_prosrc, &is_null));
    return std::string_view{VARDATA_ANY(source), VARSIZE_ANY_EXHDR(source)} == symbol;
}

/// Whether an expression over a single table reads this column, or the row as a whole.
bool reads(Node* expression, AttrNumber column) {
    Bitmapset* columns = nullptr;
    pull_varattnos(expression, 1, &columns);
    return bms_is_member(column - FirstLowInvalidHeapAttributeNumber, columns) ||
           bms_is_member(InvalidAttrNumber - FirstLowInvalidHeapAttributeNumber, columns);
}

bool is_or_has_time_call(Node* node, void* column) {
    if (node == nullptr)
        return false;
    const auto time = time_call(node);
    return (time && reads(time->uuid, *static_cast<const AttrNumber*>(column))) ||
           walk_expression(node, is_or_has_time_call, column);
}

bool is_leaky(Oid function, void*) {
    return !get_func_leakproof(function);
}

bool has_leaky_call(Node* node, void*) {
    if (node == nullptr)
        return false;
    return IsA(node, CoerceToDomain) || check_functions_in_node(node, is_leaky, nullptr) ||
           walk_expression(node, has_leaky_call, nullptr);
}

/// The argument of a call that takes a UUID and returns `result`; null for any other node.
Node* uuid_argument(Node* node, Oid result) {
    if (!IsA(node, FuncExpr))
        return nullptr;
    const auto* const call = reinterpret_cast<FuncExpr*>(node);
    if (call->funcresulttype != result || list_length(call->args) != 1)
        return nullptr;
    auto* const argument = static_cast<Node*>(linitial(call->args));
    return exprType(argument) == UUIDOID ? argument : nullptr;
}

}  // namespace

std::optional<TimeCall> time_call(Node* node) {
    node = without_placeholder(node);
    // A precision of microseconds changes no value.
    if (IsA(node, RelabelType) && exprType(node) == TIMESTAMPTZOID)
        return time_call(reinterpret_cast<Node*>(reinterpret_cast<RelabelType*>(node)->arg));
    Node* const uuid = uuid_argument(node, TIMESTAMPTZOID);
    if (uuid == nullptr)
        return std::nullopt;
    const Oid function = reinterpret_cast<FuncExpr*>(node)->funcid;
    if (function == server_extract_timestamp)
        return TimeCall{uuid, server_reads_version_6 ? versions_with_time : set_of(1, 7)};
    if (!is_implemented_by(function, "uuidx_time"))
        return std::nullopt;
    return TimeCall{uuid, versions_with_time};
}

bool has_time_call(Node* expression, AttrNumber column) {
    return is_or_has_time_call(expression, &column);
}

Node* argument_of_version(Node* node) {
    Node* const uuid = uuid_argument(node, INT2OID);
    if (uuid == nullptr)
        return nullptr;
    const Oid function = reinterpret_cast<FuncExpr*>(node)->funcid;
    const bool is_version =
        function == server_extract_version || is_implemented_by(function, "uuidx_version");
    return is_version ? uuid : nullptr;
}

Versions versions_tested_by(Oid function) {
    return is_implemented_by(function, "uuidx_is_v7")              ? set_of(7)
           : is_implemented_by(function, "uuidx_is_v6")            ? set_of(6)
           : is_implemented_by(function, "uuidx_v1_or_v7_recheck") ? set_of(1, 7)
                                                                   : Versions{0};
}

std::optional<VersionTest> version_test(Node* node) {
    Node* const uuid = uuid_argument(node, BOOLOID);
    if (uuid == nullptr)
        return std::nullopt;
    const Versions versions = versions_tested_by(reinterpret_cast<FuncExpr*>(node)->funcid);
    return versions != 0 ? std::optional{VersionTest{uuid, versions}} : std::nullopt;
}

std::optional<VersionTest> period_test(Node* node) {
    const auto* const call = reinterpret_cast<FuncExpr*>(node);
    if (!IsA(node, FuncExpr) || call->funcresulttype != BOOLOID || list_length(call->args) != 2)
        return std::nullopt;
    auto* const uuid = static_cast<Node*>(linitial(call->args));
    if (exprType(uuid) != UUIDOID ||
        exprType(static_cast<Node*>(lsecond(call->args))) != TSTZRANGEOID ||
        get_func_namespace(call->funcid) != schema_of_uuidx())
        return std::nullopt;
    // In our schema, no other function has the name and these types.
    const std::string_view name = get_func_name(call->funcid);
    if (name == "uuid_v7_in")
        return VersionTest{uuid, set_of(7)};
    if (name == "uuid_v6_in")
        return VersionTest{uuid, set_of(6)};
    return std::nullopt;
}

Var* column_of(Node* node) {
    while (IsA(node, RelabelType))
        node = reinterpret_cast<Node*>(reinterpret_cast<RelabelType*>(node)->arg);
    auto* const var = reinterpret_cast<Var*>(node);
    return IsA(node, Var) && var->varlevelsup == 0 && var->varattno > 0 ? var : nullptr;
}

bool is_column(Node* node, AttrNumber column) {
    const Var* const var = column_of(node);
    return var != nullptr && var->varattno == column;
}

bool is_implemented_by(Oid function, const char* symbol) {
    const HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
    if (!HeapTupleIsValid(tuple))
        return false;
    const bool result = is_implemented_by(tuple, symbol);
    ReleaseSysCache(tuple);
    return result;
}

bool may_raise_error(PlannerInfo* root, Node* value) {
    return has_leaky_call(estimate_expression_value(root, value), nullptr);
}

Node* comparison(Node* key, Oid op, Node* value) {
    auto* const condition = reinterpret_cast<OpExpr*>(
        make_opclause(op, BOOLOID, false, static_cast<Expr*>(copyObjectImpl(key)),
                      static_cast<Expr*>(copyObjectImpl(value)), InvalidOid, InvalidOid));
    set_opfuncid(condition);
    return reinterpret_cast<Node*>(condition);
}

Oid schema_of_uuidx() {
    // uuidx_migrate has some of the other functions too, in its own schema.
    CatCList* const functions =
        SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum("uuid_time_predicate"));
    Oid schema = InvalidOid;
    for (int i = 0; i < functions->n_members; ++i) {
        const HeapTuple function = &functions->members[i]->tuple;
        if (is_implemented_by(function, "uuidx_time_predicate"))
            schema = reinterpret_cast<Form_pg_proc>(GETSTRUCT(function))->pronamespace;
    }
    ReleaseSysCacheList(functions);
    return schema;
}

Oid find_function(Oid schema, const char* name, std::initializer_list<Oid> arguments) {
    // By the catalog, and not as a name in a query: reading a view takes no privilege on our
    // schema.
    const HeapTuple tuple = SearchSysCache3(
        PROCNAMEARGSNSP, CStringGetDatum(name),
        PointerGetDatum(buildoidvector(arguments.begin(), static_cast<int>(arguments.size()))),
        ObjectIdGetDatum(schema));
    if (!HeapTupleIsValid(tuple))
        return InvalidOid;
    const Oid function = reinterpret_cast<Form_pg_proc>(GETSTRUCT(tuple))->oid;
    const bool is_ours = is_in_c(tuple);
    ReleaseSysCache(tuple);
    return is_ours && may_execute(function) ? function : InvalidOid;
}

}  // namespace uuidx::pg
