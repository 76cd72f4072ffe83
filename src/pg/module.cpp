// The module as PostgreSQL loads it.

#include "pg/settings.h"

#include "pg/pg.h"

extern "C" {
PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);
void _PG_init(void) {
    uuidx::pg::define_settings();
}
}
