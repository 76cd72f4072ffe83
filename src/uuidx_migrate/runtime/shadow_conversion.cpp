// How far an online migration is, as its triggers say.

#include "core/slice.h"
#include "core/uuid.h"

#include "server/shim.h"

extern "C" {
#include "catalog/pg_type_d.h"
#include "mb/pg_wchar.h"
}

namespace uuidx::pg {

/// uuidx_migrate_steps.trigger_arguments(arguments bytea) returns text[]: the arguments of a
/// trigger as pg_trigger.tgargs has them, each with a zero octet behind it. 22021 unless they are
/// in the encoding of the database.
UUIDX_FUNCTION(uuidx_trigger_arguments) {
    ArrayBuildState* const arguments = initArrayResult(TEXTOID, CurrentMemoryContext, false);
    std::string_view rest = getarg_text(fcinfo, 0);
    for (std::size_t end; (end = rest.find('\0')) != rest.npos; rest = slice(rest, end + 1)) {
        pg_verifymbstr(rest.data(), static_cast<int>(end), false);
        accumArrayResult(arguments, datum(slice(rest, 0, end)), false, TEXTOID,
                         CurrentMemoryContext);
    }
    return makeArrayResult(arguments, CurrentMemoryContext);
}

}  // namespace uuidx::pg
