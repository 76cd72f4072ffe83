// The border between the core and PostgreSQL. Each shim, the C function behind an SQL function, is
// in a file that includes the headers of the core first and then this one.
//
// ereport(ERROR) is a longjmp: no object with a non-trivial destructor may be alive when it, or any
// function of PostgreSQL, is called. Only plain data crosses the border: Uuid, numbers, time points
// of std::chrono, views, and std::array and std::optional of these.

#pragma once

#include "server/datum.h"

#include "server/compat.h"
#include "server/error.h"

/// Defines the C function behind an SQL function.
#define UUIDX_FUNCTION(name)   \
    extern "C" {               \
    PG_FUNCTION_INFO_V1(name); \
    }                          \
    extern "C" PGDLLEXPORT Datum name([[maybe_unused]] PG_FUNCTION_ARGS)
