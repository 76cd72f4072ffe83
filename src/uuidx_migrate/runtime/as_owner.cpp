// What runs as another role than the one whose statement it is part of.

#include "core/uuid.h"

#include "uuidx_migrate/runtime/as_owner.h"

#include "server/shim.h"

namespace uuidx::pg {

Role become_owner(Oid table) {
    Role before;
    GetUserIdAndSecContext(&before.user, &before.context);
    SetUserIdAndSecContext(owner_of(table), before.context | SECURITY_RESTRICTED_OPERATION |
                                                SECURITY_LOCAL_USERID_CHANGE |
                                                SECURITY_NOFORCE_RLS);
    return before;
}

void restore(const Role& role) {
    SetUserIdAndSecContext(role.user, role.context);
}

}  // namespace uuidx::pg
