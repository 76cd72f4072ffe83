// Errors of SQL functions, for the user who called them.

#include "server/shim.h"

extern "C" {
#include "utils/builtins.h"
}

namespace uuidx::pg {

/// uuidx_migrate_steps.raise(sqlstate text, message text, detail text, hint text): this error,
/// without the context lines of the functions that found it: they say nothing to whoever made the
/// mistake. Detail and hint may be NULL. 22023 if the others are not what their names say.
UUIDX_FUNCTION(uuidx_raise) {
    const auto argument = [&](int n) {
        return PG_ARGISNULL(n) ? nullptr : TextDatumGetCString(PG_GETARG_DATUM(n));
    };
    const char* const sqlstate = argument(0);
    const char* const message = argument(1);
    const char* const detail = argument(2);
    const char* const hint = argument(3);
    if (sqlstate == nullptr || strlen(sqlstate) != 5 || message == nullptr ||
        strspn(sqlstate, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") != 5)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("an error needs a SQLSTATE of five digits and upper-case letters, "
                               "and a message")));
    // Whoever catches the error restores this, as after any other one.
    error_context_stack = nullptr;
    ereport(
        ERROR,
        (errcode(MAKE_SQLSTATE(sqlstate[0], sqlstate[1], sqlstate[2], sqlstate[3], sqlstate[4])),
         errmsg_internal("%s", message), detail ? errdetail_internal("%s", detail) : 0,
         hint ? errhint("%s", hint) : 0));
}

}  // namespace uuidx::pg
