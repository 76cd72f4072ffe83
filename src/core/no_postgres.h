// Keeps PostgreSQL's macros (and its longjmp) out of the core. Each header of the core ends by
// including this file, which does not compile after a PostgreSQL header: a shim includes the core
// first and PostgreSQL after it.
//
// There is no include guard, so the check runs at every include.

#ifdef PG_VERSION_NUM
static_assert(false, "include the headers of src/core before postgres.h");
#endif
