// What the server refuses to a table that is published.

#include "core/uuid.h"

#include "server/shim.h"

extern "C" {
#include "access/table.h"
#include "executor/executor.h"
}

namespace uuidx::pg {

/// uuidx_migrate_steps.check_published(relation oid) returns void: the error of an UPDATE of a
/// published table that has no replica identity, or not the one that the publication needs.
UUIDX_FUNCTION(uuidx_check_published) {
    const Relation table = table_open(PG_GETARG_OID(0), AccessShareLock);
    CheckCmdReplicaIdentity(table, CMD_UPDATE);
    table_close(table, AccessShareLock);
    PG_RETURN_VOID();
}

}  // namespace uuidx::pg
