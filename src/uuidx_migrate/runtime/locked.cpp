// Procedures that begin and commit transactions, and the locks that they take.

#include "core/uuid.h"

#include "server/shim.h"

extern "C" {
#include "access/xact.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

namespace uuidx::pg {

namespace {

/// The lock modes, in the order of their numbers, as LOCK TABLE names them.
constexpr std::string_view lock_modes[] = {
    "ACCESS SHARE", "ROW SHARE",           "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE",
    "SHARE",        "SHARE ROW EXCLUSIVE", "EXCLUSIVE",     "ACCESS EXCLUSIVE",
};

LOCKMODE lock_mode(std::string_view name) {
    const auto* const mode = std::ranges::find(lock_modes, name);
    if (mode == std::end(lock_modes))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("lock mode \"%.*s\" does not exist", static_cast<int>(name.size()),
                               name.data())));
    return static_cast<LOCKMODE>(mode - std::begin(lock_modes) + 1);
}

/// Whoever could lock what belongs to others could keep everybody from it.
void check_may_lock(Oid relation) {
    const char* const name = get_rel_name(relation);
    if (name == nullptr)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
                        errmsg("relation with OID %u does not exist", relation)));
    if (!owns_relation(relation))
        aclcheck_error(ACLCHECK_NOT_OWNER, get_relkind_objtype(get_rel_relkind(relation)), name);
}

}  // namespace

/// uuidx_migrate_steps.in_transaction_block() returns boolean: whether the transaction goes on
/// after this statement, as after BEGIN or in a string of several statements.
UUIDX_FUNCTION(uuidx_in_transaction_block) {
    return datum(IsTransactionBlock());
}

/// uuidx_migrate_steps.lock_relation(relation oid, mode text, waits boolean) returns void: locks a
/// relation, and neither its partitions nor what it reads if it is a view, until the transaction
/// ends. LOCK TABLE would look its name up. 42501 unless the user has the rights of its owner,
/// before and after the lock is granted, 42P01 if it is gone, 22023 for an unknown mode, 55P03 if
/// the lock is not to be had at once or within lock_timeout.
UUIDX_FUNCTION(uuidx_lock_relation) {
    const Oid relation = PG_GETARG_OID(0);
    const LOCKMODE mode = lock_mode(getarg_text(fcinfo, 1));
    check_may_lock(relation);
    if (PG_GETARG_BOOL(2))
        LockRelationOid(relation, mode);
    else if (!ConditionalLockRelationOid(relation, mode))
        ereport(ERROR,
                (errcode(ERRCODE_LOCK_NOT_AVAILABLE),
                 errmsg("could not obtain lock on relation \"%s\"", get_rel_name(relation))));
    check_may_lock(relation);
    PG_RETURN_VOID();
}

}  // namespace uuidx::pg
