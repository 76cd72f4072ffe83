// What each file of the module includes before all else. The Makefile compiles it once.

#include "core/compiler.h"
#include "core/windows.h"

#include "core/inspect.h"
