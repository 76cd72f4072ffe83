// The settings of the extension.

#include "pg/settings.h"

#include "core/mac_address.h"
#include "pg/shim.h"

namespace uuidx::pg {

constinit Method v7_method = method::precision;
bool time_predicates = true;

namespace {

// Indexed by the values in method_options.
constexpr std::array<Method, 3> methods = {method::precision, method::counter,
                                           method::monotonic_random};

const config_enum_entry method_options[] = {
    {"precision", 0, false}, {"counter", 1, false}, {"monotonic_random", 2, false}, {}};

int method_index = 0;

void assign_method(int index, void*) {
    v7_method = methods[index];
}

char* node_setting = nullptr;

/// The node that uuidx.node gives; nullopt if nodes are random.
constinit std::optional<NodeId> fixed_node;

/// Passes the node on to assign_node in `extra`, which stays null if nodes are random.
bool check_node(char** value, void** extra, GucSource) {
    if (pg_strcasecmp(*value, "random") == 0)
        return true;
    const bool mac = pg_strcasecmp(*value, "mac") == 0;
    const std::optional<NodeId> node = mac ? mac_address() : parse_node(*value);
    if (!node) {
        if (mac)
            GUC_check_errdetail("No MAC address of this machine was found.");
        else
            GUC_check_errdetail(
                "It must be \"random\", \"mac\" or six octets in hex, like "
                "\"02:00:5e:10:00:00\".");
        return false;
    }
    *extra = setting_memory(sizeof(NodeId));
    if (*extra == nullptr)
        return false;
    memcpy(*extra, node->data(), sizeof(NodeId));
    return true;
}

void assign_node(const char*, void* extra) {
    fixed_node.reset();
    if (extra != nullptr)
        fixed_node = *static_cast<const NodeId*>(extra);
}

}  // namespace

const char* v7_method_name() {
    return method_options[method_index].name;
}

Method gregorian_method() {
    if (!fixed_node)
        return method::random_node;
    return method::fixed_node(node_number(*fixed_node), process_slot());
}

void define_settings() {
    DefineCustomEnumVariable(
        "uuidx.v7_method", "How uuid_generate_v7 orders UUIDs within a millisecond (RFC 9562 6.2).",
        "precision: a fraction of the millisecond, then a short counter; counter: a 26-bit "
        "counter; "
        "monotonic_random: a random number that grows by random increments.",
        &method_index, 0, method_options, PGC_USERSET, 0, nullptr, assign_method, nullptr);
    DefineCustomStringVariable(
        "uuidx.node", "The node of version 1 and 6 UUIDs.",
        "random: a new random node for each UUID; mac: a MAC address of this machine; or six "
        "octets in hex. With the last two, no other server may have the same node.",
        &node_setting, "random", PGC_USERSET, 0, check_node, assign_node, nullptr);
    DefineCustomBoolVariable(
        "uuidx.time_predicates", "Lets an index serve predicates on uuid_time().",
        "The planner replaces them by comparisons of the UUID, where a CHECK constraint or an "
        "index of uuid_time_ops allows that.",
        &time_predicates, true, PGC_USERSET, GUC_EXPLAIN, nullptr, nullptr, nullptr);
    reserve_setting_prefix("uuidx");
}

}  // namespace uuidx::pg
