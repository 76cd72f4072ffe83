// What the extension adds to the planner.

#pragma once

namespace uuidx::pg {

/// Installs the hooks; called once, when the module is loaded.
void hook_planner();

}  // namespace uuidx::pg
