// What the owner of a table has confirmed of its shadow columns.

#include "core/uuid.h"

#include "pg/shadow.h"

#include "pg/shim.h"

extern "C" {
#include "access/sysattr.h"
#include "nodes/bitmapset.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
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

}  // namespace

Oid confirm(const TriggerData& event, Relation table, const ColumnPair& columns) {
    const char* const name = psprintf("zzz_%s", columns.shadow_name());
    Node* const check = check_named(columns.row_, name);
    Bitmapset* read = nullptr;
    if (check != nullptr)
        pull_varattnos(check, 1, &read);
    const int offset = FirstLowInvalidHeapAttributeNumber;
    if (bms_num_members(read) != 2 || !bms_is_member(columns.column_ - offset, read) ||
        !bms_is_member(columns.shadow_ - offset, read))
        ereport(ERROR,
                (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                 errmsg("no constraint confirms the arguments of trigger \"%s\"",
                        event.tg_trigger->tgname),
                 errdetail("A constraint CHECK \"%s\" of table \"%s\" must read the columns \"%s\" "
                           "and \"%s\".",
                           name, RelationGetRelationName(table), columns.name(),
                           columns.shadow_name())));
    Oid referenced = RelationGetRelid(table);
    find_table(check, &referenced);
    return referenced;
}

StatementState& statement_state(FunctionCallInfo fcinfo) {
    return *static_cast<StatementState*>(fcinfo->flinfo->fn_extra);
}

void confirm(FunctionCallInfo fcinfo, const TriggerData& event, const ColumnPair& columns) {
    if (fcinfo->flinfo->fn_extra != nullptr)
        return;
    const Oid referenced = confirm(event, event.tg_relation, columns);
    auto* const state = static_cast<StatementState*>(
        MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(StatementState)));
    state->referenced = referenced;
    fcinfo->flinfo->fn_extra = state;
}

}  // namespace uuidx::pg
