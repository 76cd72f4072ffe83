// Hash tables of expressions, for queries that have thousands.

#include "uuidx/planner/expression_table.h"

extern "C" {
#include "common/hashfn.h"
#include "utils/datum.h"
}

namespace uuidx::pg {

namespace {

/// Equal expressions have the same hash.
bool hash_expression(Node* node, void* context) {
    if (node == nullptr)
        return false;
    auto& hash = *static_cast<uint32*>(context);
    const auto add = [&](auto number) {
        hash = hash_combine(hash, murmurhash32(static_cast<uint32>(number)));
    };
    add(nodeTag(node));
    if (const auto* const var = reinterpret_cast<Var*>(node); IsA(node, Var)) {
        add(var->varno);
        add(var->varattno);
    } else if (const auto* const constant = reinterpret_cast<Const*>(node);
               IsA(node, Const) && !constant->constisnull) {
        add(datum_image_hash(constant->constvalue, constant->constbyval, constant->constlen));
    } else if (IsA(node, Param)) {
        add(reinterpret_cast<Param*>(node)->paramid);
    } else if (IsA(node, OpExpr)) {
        add(reinterpret_cast<OpExpr*>(node)->opno);
    } else if (IsA(node, FuncExpr)) {
        add(reinterpret_cast<FuncExpr*>(node)->funcid);
    }
    return walk_expression(node, hash_expression, context);
}

uint32 hash_of(const void* key, Size) {
    const auto& [family, expression] = *static_cast<const ExpressionKey*>(key);
    uint32 hash = family;
    hash_expression(expression, &hash);
    return hash;
}

int compare(const void* a, const void* b, Size) {
    const auto& [family, expression] = *static_cast<const ExpressionKey*>(a);
    const auto& other = *static_cast<const ExpressionKey*>(b);
    return family == other.family && equal(expression, other.expression) ? 0 : 1;
}

}  // namespace

HTAB* table_of_expressions(Size entry) {
    HASHCTL control{};
    control.keysize = sizeof(ExpressionKey);
    control.entrysize = entry;
    control.hash = hash_of;
    control.match = compare;
    control.hcxt = CurrentMemoryContext;
    return hash_create("uuidx expressions", 16, &control,
                       HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
}

bool enter(HTAB* table, Node* expression) {
    const ExpressionKey key{InvalidOid, expression};
    bool is_found;
    hash_search(table, &key, HASH_ENTER, &is_found);
    return !is_found;
}

}  // namespace uuidx::pg
