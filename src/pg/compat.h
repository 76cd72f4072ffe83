// Hides the differences between PostgreSQL versions. No other file tests PG_VERSION_NUM, except for
// includes.

#pragma once

extern "C" {
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#if PG_VERSION_NUM >= 170000
#include "storage/procnumber.h"
#else
#include "storage/backendid.h"
#endif
#include "utils/guc.h"
#include "utils/sortsupport.h"
}

#if PG_VERSION_NUM < 140000
#error uuidx needs PostgreSQL 14 or newer
#endif
#if PG_VERSION_NUM >= 200000
#error uuidx supports PostgreSQL 14 to 19
#endif

// Before PostgreSQL 16, PGDLLEXPORT does not export what -fvisibility=hidden hides.
#if PG_VERSION_NUM < 160000
#undef PGDLLEXPORT
#define PGDLLEXPORT __attribute__((visibility("default")))
#endif

/// The magic block of a module; from PostgreSQL 18 on, it has a name and a version.
#ifdef PG_MODULE_MAGIC_EXT
#define UUIDX_MODULE_MAGIC(module_name, module_version) \
    PG_MODULE_MAGIC_EXT(.name = module_name, .version = module_version)
#else
#define UUIDX_MODULE_MAGIC(module_name, module_version) PG_MODULE_MAGIC
#endif

namespace uuidx::pg {

/// Reserves `prefix` for the module's settings: PostgreSQL 14 warns about any other setting with
/// it, and newer servers reject it.
inline void reserve_setting_prefix(const char* prefix) {
#if PG_VERSION_NUM >= 150000
    MarkGUCPrefixReserved(prefix);
#else
    EmitWarningsOnPlaceholders(prefix);
#endif
}

/// Allocates what a check hook passes on as `extra`; null if there is no memory.
inline void* setting_memory(std::size_t size) {
#if PG_VERSION_NUM >= 160000
    return guc_malloc(LOG, size);
#else
    return malloc(size);
#endif
}

/// expression_tree_walker(): calls `walker` for each child of a node.
inline bool walk_expression(Node* node, bool (*walker)(Node*, void*), void* context) {
#if PG_VERSION_NUM >= 160000
    return expression_tree_walker(node, walker, context);
#else
    // The parameter is declared as bool (*)(), which in C++ takes no arguments.
    const auto untyped = reinterpret_cast<void (*)()>(walker);
    return expression_tree_walker(node, reinterpret_cast<bool (*)()>(untyped), context);
#endif
}

/// A number that no other process of the server has at the same time, parallel workers included.
inline std::uint64_t process_slot() {
#if PG_VERSION_NUM >= 170000
    return static_cast<std::uint64_t>(MyProcNumber);
#else
    return static_cast<std::uint64_t>(MyBackendId);
#endif
}

/// Compares abbreviated keys. From PostgreSQL 15 on, it is the server's own function, for which the
/// server has a faster sort.
#if PG_VERSION_NUM >= 150000
inline constexpr auto* compare_unsigned_datums = ssup_datum_unsigned_cmp;
#else
inline int compare_unsigned_datums(Datum a, Datum b, SortSupport) {
    return a < b ? -1 : a > b;
}
#endif

}  // namespace uuidx::pg
