// The settings of the extension.

#pragma once

#include "core/generator.h"

namespace uuidx::pg {

/// How uuid_generate_v7 generates, by uuidx.v7_method, uuidx.v7_order and uuidx.v7_node_id.
struct V7Settings {
    enum class Order : std::uint8_t {
        unchecked,  ///< one of the settings has changed: call check_v7_settings()
        session,    ///< each process orders its own UUIDs
        server,     ///< the server orders those of all processes
    };

    Method method = method::precision;
    Order order = Order::unchecked;
};
extern V7Settings v7_settings;

/// Puts changed settings into effect; 22023 if they contradict each other or one cannot be used,
/// and the errors of server_order().
void check_v7_settings();

/// uuidx.v7_node_id: the number of the server in its version 7 UUIDs; negative if it has none.
/// 22023 if it cannot be used.
int server_number();

/// uuidx.max_clock_ahead, in milliseconds; negative if it is off.
extern int max_clock_ahead;

/// The value of uuidx.v7_method.
const char* v7_method_name();

/// uuidx.node: the node of versions 1 and 6; nullopt if nodes are random.
extern std::optional<NodeId> fixed_node;

/// To be called before fixed_node is used as a node; 22023 if uuidx.node cannot be used.
void check_node_setting();

/// uuidx.time_planning: whether the planner uses the creation time in UUIDs.
extern bool time_planning;

/// Defines the settings; called once, when the module is loaded.
void define_settings();

}  // namespace uuidx::pg
