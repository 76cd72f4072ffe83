// The border of the core. Each of its headers ends by including this file, which fails to compile
// where a PostgreSQL header came first. That keeps PostgreSQL's macros (and its longjmp) out of the
// core; a shim includes the core first and PostgreSQL after it.
//
// There is no include guard: the check is made anew at every place.

#ifdef PG_VERSION_NUM
static_assert(false, "src/core knows no PostgreSQL: include its headers before postgres.h");
#endif
