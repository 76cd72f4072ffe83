// The settings of the extension.

#pragma once

#include "core/generator.h"

namespace uuidx::pg {

/// uuidx.v7_method: how uuid_generate_v7 orders the UUIDs of a millisecond.
extern Method v7_method;

/// The value of the setting.
const char* v7_method_name();

/// uuidx.node: with which node this process makes UUIDs of versions 1 and 6.
Method gregorian_method();

/// Defines the settings. To be called once, when the module is loaded.
void define_settings();

}  // namespace uuidx::pg
