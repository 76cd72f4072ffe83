// Procedures that begin and commit transactions.

#include "core/uuid.h"

#include "pg/shim.h"

extern "C" {
#include "access/xact.h"
}

namespace uuidx::pg {

/// uuidx_migrate_steps.in_transaction_block() returns boolean: whether the transaction goes on
/// after this statement, as after BEGIN or in a string of several statements.
UUIDX_FUNCTION(uuidx_in_transaction_block) {
    return datum(IsTransactionBlock());
}

}  // namespace uuidx::pg
