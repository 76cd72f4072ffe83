// What PostgreSQL calls when it loads the module.

#include "uuidx/order/server_order.h"
#include "uuidx/order/settings.h"
#include "uuidx/planner/planner.h"

#include "server/shim.h"

extern "C" {
UUIDX_MODULE_MAGIC("uuidx", UUIDX_VERSION);

PGDLLEXPORT void _PG_init(void);
void _PG_init(void) {
    uuidx::pg::define_settings();
    uuidx::pg::hook_planner();
    uuidx::pg::SharedMemory<uuidx::pg::ServerOrder>::request();
}
}
