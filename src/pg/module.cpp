// What PostgreSQL calls when it loads the module.

#include "pg/planner.h"
#include "pg/server_order.h"
#include "pg/settings.h"

#include "pg/shim.h"

extern "C" {
UUIDX_MODULE_MAGIC("uuidx", UUIDX_VERSION);

PGDLLEXPORT void _PG_init(void);
void _PG_init(void) {
    uuidx::pg::define_settings();
    uuidx::pg::hook_planner();
    uuidx::pg::SharedMemory<uuidx::pg::ServerOrder>::request();
    uuidx::pg::register_worker();
}
}
