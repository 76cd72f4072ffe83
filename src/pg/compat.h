// What differs between the servers that uuidx runs on: here and nowhere else.

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
#error uuidx does not know this server: it was written for PostgreSQL 14 to 19
#endif

// Until PostgreSQL 16 it does not make a symbol visible that -fvisibility=hidden hides.
#if PG_VERSION_NUM < 160000
#undef PGDLLEXPORT
#define PGDLLEXPORT __attribute__((visibility("default")))
#endif

/// The magic block of a module, which since PostgreSQL 18 has a name and a version.
#ifdef PG_MODULE_MAGIC_EXT
#define UUIDX_MODULE_MAGIC(module_name, module_version) \
    PG_MODULE_MAGIC_EXT(.name = module_name, .version = module_version)
#else
#define UUIDX_MODULE_MAGIC(module_name, module_version) PG_MODULE_MAGIC
#endif

namespace uuidx::pg {

/// Refuses settings that begin with `prefix` and that the module does not define.
inline void reserve_setting_prefix(const char* prefix) {
#if PG_VERSION_NUM >= 150000
    MarkGUCPrefixReserved(prefix);
#else
    EmitWarningsOnPlaceholders(prefix);
#endif
}

/// Memory for what the check hook of a setting hands on; null if there is none.
inline void* setting_memory(std::size_t size) {
#if PG_VERSION_NUM >= 160000
    return guc_malloc(LOG, size);
#else
    return malloc(size);
#endif
}

/// Calls `walker` for each child of a node.
inline bool walk_expression(Node* node, bool (*walker)(Node*, void*), void* context) {
#if PG_VERSION_NUM >= 160000
    return expression_tree_walker(node, walker, context);
#else
    // There the type of the walker has no arguments, which in C++ means that it takes none.
    const auto untyped = reinterpret_cast<void (*)()>(walker);
    return expression_tree_walker(node, reinterpret_cast<bool (*)()>(untyped), context);
#endif
}

/// A number of this process, which may be a parallel worker, that no other process of the server
/// has at the same time.
inline std::uint64_t process_slot() {
#if PG_VERSION_NUM >= 170000
    return static_cast<std::uint64_t>(MyProcNumber);
#else
    return static_cast<std::uint64_t>(MyBackendId);
#endif
}

/// Compares abbreviated keys. The server recognizes its own function, and has a faster sort for it.
#if PG_VERSION_NUM >= 150000
inline constexpr auto* compare_unsigned_datums = ssup_datum_unsigned_cmp;
#else
inline int compare_unsigned_datums(Datum a, Datum b, SortSupport) {
    return a < b ? -1 : a > b;
}
#endif

}  // namespace uuidx::pg
