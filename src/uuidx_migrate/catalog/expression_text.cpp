// Reads the text of an expression over a row of a table.

#include "core/uuid.h"

#include "uuidx_migrate/catalog/expression_text.h"

#include "server/catalog_row.h"

extern "C" {
#include "access/table.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_constraint.h"
#include "nodes/makefuncs.h"
#include "nodes/nodes.h"
#include "nodes/parsenodes.h"
#include "parser/parse_collate.h"
#include "parser/parse_expr.h"
#include "parser/parse_relation.h"
#include "parser/parser.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace uuidx::pg {

namespace {

/// The expression that `query` selects. 42601 unless that is one expression and nothing else.
Node* parsed(const char* query, const char* text) {
    List* const statements = raw_parser(query, RAW_PARSE_DEFAULT);
    auto* const statement =
        list_length(statements) == 1 ? linitial_node(RawStmt, statements)->stmt : nullptr;
    if (statement != nullptr && IsA(statement, SelectStmt)) {
        auto* const select = reinterpret_cast<SelectStmt*>(statement);
        auto* const plain = makeNode(SelectStmt);
        plain->targetList = select->targetList;
        if (list_length(select->targetList) == 1 && equal(select, plain)) {
            auto* const target = linitial_node(ResTarget, select->targetList);
            // The parser takes `*` for a column, and its analysis expects that it was expanded.
            const bool is_star =
                IsA(target->val, ColumnRef) &&
                IsA(llast(reinterpret_cast<ColumnRef*>(target->val)->fields), A_Star);
            if (target->name == nullptr && !is_star)
                return target->val;
        }
    }
    ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
                    errmsg("\"%s\" is not an expression over a row", text)));
}

}  // namespace

Relation open_with_privilege(Oid relation) {
    const Oid user = GetUserId();
    if (pg_class_aclcheck(relation, user, ACL_ALL_RIGHTS_RELATION) != ACLCHECK_OK &&
        pg_attribute_aclcheck_all(relation, user, ACL_ALL_RIGHTS_COLUMN, ACLMASK_ANY) !=
            ACLCHECK_OK &&
        !owns_relation(relation))
        aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(get_rel_relkind(relation)),
                       get_rel_name(relation));
    return table_open(relation, AccessShareLock);
}

Node* expression_over(Relation table, const char* row, const char* query, const char* text) {
    Node* const expression = parsed(query, text);
    ParseState* const state = make_parsestate(nullptr);
    ParseNamespaceItem* const columns = addRangeTableEntryForRelation(
        state, table, AccessShareLock, makeAlias(row, NIL), false, true);
    addNSItemToQuery(state, columns, false, true, true);
    return transformExpr(state, expression, EXPR_KIND_INDEX_EXPRESSION);
}

/// uuidx_migrate_steps.has_condition("constraint" oid, condition text) returns boolean: whether a
/// CHECK constraint has this condition, which is compared as the server has read it. 42501 if the
/// user may not read the catalog, or has no privilege on the table; the errors for index
/// expressions.
UUIDX_FUNCTION(uuidx_has_condition) {
    const char* const source = TextDatumGetCString(PG_GETARG_DATUM(1));
    const auto row = catalog_row(ConstraintRelationId, PG_GETARG_OID(0));
    if (!row || row->trees == NIL || !OidIsValid(row->relation))
        PG_RETURN_BOOL(false);
    const Relation table = open_with_privilege(row->relation);
    Node* const condition = expression_over(table, RelationGetRelationName(table),
                                            psprintf("SELECT %s", source), source);
    table_close(table, NoLock);
    assign_expr_collations(nullptr, condition);
    PG_RETURN_BOOL(equal(condition, linitial(row->trees)));
}

}  // namespace uuidx::pg
