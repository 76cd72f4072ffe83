// Who may run a migration: the owner of the tables, in a session of that role.

#include "core/uuid.h"

#include "pg/lookup.h"

#include "pg/shim.h"

extern "C" {
#include "catalog/pg_inherits.h"
}

namespace uuidx::pg {

namespace {

/// Code that a session of this role runs has the rights of this role, and no way to any others: a
/// role that was set can be reset.
bool is_session_of(Oid role) {
    return GetUserId() == role && GetSessionUserId() == role && GetAuthenticatedUserId() == role;
}

}  // namespace

/// uuidx_migrate_steps.is_session_of(role oid) returns boolean: whether the role is the current
/// user, the session user and the one who was authenticated.
UUIDX_FUNCTION(uuidx_is_session_of) {
    return datum(is_session_of(PG_GETARG_OID(0)));
}

/// uuidx_migrate_steps.check_owner(relations regclass[], trust_owners boolean) returns void: 42501
/// unless this is a session of the owner of the relations and all their partitions, or the user
/// trusts whoever owns them.
UUIDX_FUNCTION(uuidx_check_owner) {
    if (PG_GETARG_BOOL(1))
        PG_RETURN_VOID();
    for (const Datum relation : elements(PG_GETARG_ARRAYTYPE_P(0), REGCLASSOID)) {
        List* const members = find_all_inheritors(DatumGetObjectId(relation), NoLock, nullptr);
        for (int n = 0; n < list_length(members); ++n) {
            const Oid member = list_nth_oid(members, n);
            const Oid owner = owner_of(member);
            if (!is_session_of(owner))
                ereport(ERROR,
                        (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                         errmsg("this is not a session of the owner of relation \"%s\"",
                                get_rel_name(member)),
                         errhint("Connect as role \"%s\", or set trust_owners => true if you trust "
                                 "that role with all your rights.",
                                 GetUserNameFromId(owner, false))));
        }
    }
    PG_RETURN_VOID();
}

}  // namespace uuidx::pg
