// The module as PostgreSQL loads it.

#include "pg/pg.h"

extern "C" {
PG_MODULE_MAGIC;
}
