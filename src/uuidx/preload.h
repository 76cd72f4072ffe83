// Whether new sessions load the library when they begin.

#pragma once

#include "server/shim.h"

namespace uuidx::pg {

/// The statement with which new sessions of the current user in this database load the library
/// before a query calls it; null if they do already.
const char* preload_statement();

}  // namespace uuidx::pg
