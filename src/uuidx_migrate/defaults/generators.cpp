// Rewrites column defaults that call other generators.

#include "core/uuid.h"

#include "server/shim.h"

extern "C" {
#include "catalog/pg_type_d.h"
#include "utils/ruleutils.h"
}

namespace uuidx::pg {

namespace {

/// Functions, and their counterparts; 0 for none.
struct Replacement {
    std::span<const Datum> from;
    std::span<const Datum> to;
    bool found = false;
};

/// Replaces the calls of functions in `from`, in place, by calls of their counterparts in `to`.
bool replace_calls(Node* node, void* context) {
    if (node == nullptr)
        return false;
    auto& replacement = *static_cast<Replacement*>(context);
    if (IsA(node, FuncExpr)) {
        auto* const call = reinterpret_cast<FuncExpr*>(node);
        const auto found = std::ranges::find(replacement.from, ObjectIdGetDatum(call->funcid));
        const auto n = static_cast<std::size_t>(found - replacement.from.begin());
        if (n < std::min(replacement.from.size(), replacement.to.size()) &&
            replacement.to[n] != 0) {
            call->funcid = DatumGetObjectId(replacement.to[n]);
            // The call may have been a cast, which the new function does not define.
            call->funcformat = COERCE_EXPLICIT_CALL;
            replacement.found = true;
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
    Replacement replacement{elements(PG_GETARG_ARRAYTYPE_P(1), REGPROCEDUREOID),
                            elements(PG_GETARG_ARRAYTYPE_P(2), REGPROCEDUREOID)};
    replace_calls(expression, &replacement);
    if (!replacement.found)
        PG_RETURN_NULL();
    return datum(std::string_view{deparse_expression(expression, NIL, false, false)});
}

}  // namespace uuidx::pg
