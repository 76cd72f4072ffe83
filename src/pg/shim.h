// What a shim is made with: the border between the core and PostgreSQL. A shim includes the headers
// of the core that it needs, and then this file.
//
// ereport(ERROR) is a longjmp: no object with a non-trivial destructor may be alive where it, or
// any function of PostgreSQL, is called. What crosses the border is plain data: Uuid, numbers,
// std::chrono's time points, views, std::array and std::optional of such.

#pragma once

#include "pg/datum.h"

#include "pg/compat.h"
#include "pg/error.h"

/// Defines the C function behind an SQL function.
#define UUIDX_FUNCTION(name)   \
    extern "C" {               \
    PG_FUNCTION_INFO_V1(name); \
    }                          \
    extern "C" PGDLLEXPORT Datum name([[maybe_unused]] PG_FUNCTION_ARGS)
