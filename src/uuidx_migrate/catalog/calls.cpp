// What a node of an expression calls, without what is in it.

#include "core/uuid.h"

#include "uuidx_migrate/catalog/calls.h"

extern "C" {
#include "nodes/makefuncs.h"
#include "utils/typcache.h"
}

namespace uuidx::pg {

namespace {

/// The operators of some conditions, from one on.
List* operators_of_all(const List* conditions, int first = 0) {
    List* operators = NIL;
    for (int i = first; i < list_length(conditions); ++i)
        operators =
            list_concat(operators, operators_of(static_cast<Node*>(list_nth(conditions, i))));
    return operators;
}

/// The operators that compare the argument of CASE.
List* operators_of_case(const CaseExpr* cases) {
    List* operators = NIL;
    ListCell* cell;
    if (cases->arg != nullptr)
        foreach (cell, cases->args)
            operators = list_concat(
                operators,
                operators_of(reinterpret_cast<Node*>(lfirst_node(CaseWhen, cell)->expr)));
    return operators;
}

}  // namespace

List* functions_of(Node* node) {
    const auto add = [](Oid function, void* functions) {
        auto*& list = *static_cast<List**>(functions);
        list = lappend_oid(list, function);
        return false;
    };
    List* functions = NIL;
    if (IsA(node, Aggref) || IsA(node, CoerceViaIO) || IsA(node, FuncExpr) || IsA(node, WindowFunc))
        check_functions_in_node(node, add, &functions);
    return functions;
}

List* operators_of(Node* node) {
    switch (nodeTag(node)) {
        case T_OpExpr:
        case T_DistinctExpr:
        case T_NullIfExpr:
            return list_make1_oid(reinterpret_cast<OpExpr*>(node)->opno);
        case T_ScalarArrayOpExpr:
            return list_make1_oid(reinterpret_cast<ScalarArrayOpExpr*>(node)->opno);
        case T_RowCompareExpr:
            return list_copy(reinterpret_cast<RowCompareExpr*>(node)->opnos);
        case T_MinMaxExpr: {  // GREATEST and LEAST
            const Oid less = lookup_type_cache(exprType(node), TYPECACHE_LT_OPR)->lt_opr;
            return OidIsValid(less) ? list_make1_oid(less) : NIL;
        }
        default:
            return NIL;
    }
}

List* unnamed_operators_of(Node* node) {
    switch (nodeTag(node)) {
        case T_DistinctExpr:
        case T_NullIfExpr:
            return operators_of(node);
        case T_CaseExpr:
            return operators_of_case(reinterpret_cast<CaseExpr*>(node));
        case T_JoinExpr:
            return reinterpret_cast<JoinExpr*>(node)->usingClause == NIL
                       ? NIL
                       : operators_of_all(make_ands_implicit(
                             reinterpret_cast<Expr*>(reinterpret_cast<JoinExpr*>(node)->quals)));
        case T_RowCompareExpr:
            return list_copy_tail(reinterpret_cast<RowCompareExpr*>(node)->opnos, 1);
        case T_SubLink: {
            Node* const test = reinterpret_cast<SubLink*>(node)->testexpr;
            return test != nullptr && IsA(test, BoolExpr)
                       ? operators_of_all(reinterpret_cast<BoolExpr*>(test)->args, 1)
                       : NIL;
        }
        default:
            return NIL;
    }
}

}  // namespace uuidx::pg
