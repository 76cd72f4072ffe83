// Rewrites column defaults that call other generators.

#include "core/uuid.h"

#include "pg/shim.h"

extern "C" {
#include "catalog/pg_type_d.h"
#include "utils/array.h"
#include "utils/ruleutils.h"
}

namespace uuidx::pg {

namespace {

/// The elements of a regprocedure[]; InvalidOid for NULL.
struct Functions {
    Datum* oids;
    bool* nulls;
    int count;

    explicit Functions(ArrayType* array) {
        deconstruct_array(array, REGPROCEDUREOID, sizeof(Oid), true, TYPALIGN_INT, &oids, &nulls,
                          &count);
    }

    Oid operator[](int i) const {
        return i >= count || nulls[i] ? InvalidOid : DatumGetObjectId(oids[i]);
    }
};

struct Replacement {
    const Functions& from;
    const Functions& to;
    bool found = false;
};

/// Replaces the calls of functions in `from`, in place, by calls of their counterparts in `to`.
bool replace_calls(Node* node, void* context) {
    if (node == nullptr)
        return false;
    auto& replacement = *static_cast<Replacement*>(context);
    if (IsA(node, FuncExpr)) {
        auto* const call = reinterpret_cast<FuncExpr*>(node);
        for (int i = 0; i < replacement.from.count; ++i) {
            if (call->funcid == replacement.from[i] && OidIsValid(replacement.to[i])) {
                call->funcid = replacement.to[i];
                // The call may have been a cast, which the new function does not define.
                call->funcformat = COERCE_EXPLICIT_CALL;
                replacement.found = true;
                break;
            }
        }
    }
    return walk_expression(node, replace_calls, context);
}

}  // namespace

/// uuidx_migrate_steps.default_repointed(expression pg_node_tree, from_functions regprocedure[],
/// to_functions regprocedure[]) returns text: the expression, which must not contain columns, with
/// calls of functions in the first array replaced by calls of their counterparts in the second.
/// NULL if there are no such calls.
UUIDX_FUNCTION(uuidx_default_repointed) {
    auto* const expression =
        static_cast<Node*>(stringToNode(TextDatumGetCString(PG_GETARG_DATUM(0))));
    const Functions from{PG_GETARG_ARRAYTYPE_P(1)};
    const Functions to{PG_GETARG_ARRAYTYPE_P(2)};
    Replacement replacement{from, to};
    replace_calls(expression, &replacement);
    if (!replacement.found)
        PG_RETURN_NULL();
    return datum(std::string_view{deparse_expression(expression, NIL, false, false)});
}

}  // namespace uuidx::pg
