// What a transaction remembers of the dependencies of objects that it creates again.

#include "core/uuid.h"

#include "server/shim.h"

extern "C" {
#include "utils/datum.h"
#include "utils/memutils.h"
}

namespace uuidx::pg {

namespace {

/// In the transaction's memory, with which it goes. A setting would be for everybody to change.
ArrayType* noted = nullptr;

void forget(void*) {
    noted = nullptr;
}

}  // namespace

/// uuidx_migrate_steps.note(dependencies dependency[]) returns void: keeps them until the
/// transaction ends, in the place of those before.
UUIDX_FUNCTION(uuidx_note) {
    const MemoryContext before = MemoryContextSwitchTo(TopTransactionContext);
    ArrayType* const dependencies = PG_GETARG_ARRAYTYPE_P_COPY(0);
    if (noted == nullptr) {
        auto* const end =
            static_cast<MemoryContextCallback*>(palloc0(sizeof(MemoryContextCallback)));
        end->func = forget;
        MemoryContextRegisterResetCallback(TopTransactionContext, end);
    } else {
        pfree(noted);
    }
    noted = dependencies;
    MemoryContextSwitchTo(before);
    PG_RETURN_VOID();
}

/// uuidx_migrate_steps.noted() returns dependency[]: what the transaction has noted; 55000 if that
/// is nothing.
UUIDX_FUNCTION(uuidx_noted) {
    if (noted == nullptr)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("no dependencies were noted in this transaction"),
                        errhint("Run the script from the top.")));
    // Whoever has it may note others, which frees these.
    return datumCopy(PointerGetDatum(noted), false, -1);
}

}  // namespace uuidx::pg
