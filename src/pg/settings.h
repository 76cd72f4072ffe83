// The settings of the extension.

#pragma once

#include "core/generator.h"

namespace uuidx::pg {

/// uuidx.v7_method: how uuid_generate_v7 orders UUIDs within a millisecond.
extern Method v7_method;

/// The value of uuidx.v7_method.
const char* v7_method_name();

/// uuidx.node: how this process generates versions 1 and 6.
Method gregorian_method();

/// uuidx.time_predicates: whether the planner lets an index serve predicates on uuid_time().
extern bool time_predicates;

/// Defines the settings; called once, when the module is loaded.
void define_settings();

}  // namespace uuidx::pg
