// The settings of the extension.

#include "pg/settings.h"

#include "core/mac_address.h"
#include "pg/server_order.h"

namespace uuidx::pg {

constinit V7Settings v7_settings;
int v7_node_id = -1;
int max_clock_ahead = 10'000;
constinit std::optional<NodeId> fixed_node;
bool time_planning = true;

namespace {

/// False while the settings are defined, which gives them values that were set before.
bool settings_defined = false;

constexpr const char* needs_shared_memory = "this value of \"%s\" needs shared memory";

/// Whether the server has no shared memory for the value that SET gives a setting, or that ALTER
/// DATABASE, ROLE or FUNCTION is about to store. A value from elsewhere is accepted: the first UUID
/// reports what is missing.
bool lacks_shared_memory(const char* setting, GucSource source) {
    const bool is_given_now = source == PGC_S_SESSION || source == PGC_S_TEST;
    if (!is_given_now || !settings_defined || SharedMemory<ServerOrder>::available())
        return false;
    GUC_check_errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE);
    GUC_check_errmsg(needs_shared_memory, setting);
    GUC_check_errhint("%s", preload_hint);
    return true;
}

// Indexed by the values in method_options.
constexpr std::array<Method, 3> methods = {method::precision, method::counter,
                                           method::monotonic_random};

const config_enum_entry method_options[] = {
    {"precision", 0, false}, {"counter", 1, false}, {"monotonic_random", 2, false}, {}};

int method_index = 0;

void assign_v7(int, void*) {
    v7_settings.order = V7Settings::Order::unchecked;
}

const config_enum_entry order_options[] = {{"session", 0, false}, {"server", 1, false}, {}};

int order_index = 0;

bool check_order(int* index, void**, GucSource source) {
    return *index == 0 || !lacks_shared_memory("uuidx.v7_order", source);
}

char* node_setting = nullptr;

/// Whether a setting comes from a catalog, which replicas and the workers of a cluster share, or
/// is about to go there.
bool is_in_catalog(GucSource source) {
    return (source >= PGC_S_GLOBAL && source <= PGC_S_DATABASE_USER) || source == PGC_S_TEST;
}

/// Passes the node on to assign_node in `extra`, which stays null if nodes are random.
bool check_node(char** value, void** extra, GucSource source) {
    if (pg_strcasecmp(*value, "random") == 0)
        return true;
    const bool mac = pg_strcasecmp(*value, "mac") == 0;
    const std::optional<NodeId> node = mac ? mac_address() : parse_node(*value);
    if (!node) {
        if (mac)
            GUC_check_errdetail("No MAC address of this machine was found.");
        else
            GUC_check_errdetail(
                "It must be \"random\", \"mac\" or six bytes in hex, like "
                "\"02:00:5e:10:00:00\".");
        return false;
    }
    if (is_in_catalog(source)) {
        GUC_check_errdetail("Other servers can have the same catalogs, but not the same node.");
        GUC_check_errhint("Set it in postgresql.conf.");
        return false;
    }
    if (lacks_shared_memory("uuidx.node", source))
        return false;
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

void check_v7_settings() {
    const bool in_server_order = order_index != 0;
    if (method_index != 0 && (in_server_order || v7_node_id >= 0))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("\"uuidx.v7_method\" must be \"precision\" if "
                               "\"uuidx.v7_order\" is \"server\" or \"uuidx.v7_node_id\" is set")));
    if (in_server_order && !SharedMemory<ServerOrder>::available())
        ereport(ERROR,
                (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                 errmsg(needs_shared_memory, "uuidx.v7_order"), errhint("%s", preload_hint)));
    if (in_server_order)
        server_order();
    v7_settings.method = v7_node_id >= 0 ? method::numbered(v7_node_id) : methods[method_index];
    v7_settings.order = in_server_order ? V7Settings::Order::server : V7Settings::Order::session;
}

void define_settings() {
    DefineCustomEnumVariable(
        "uuidx.v7_method", "How uuid_generate_v7 orders UUIDs within a millisecond (RFC 9562 6.2).",
        "precision: a fraction of the millisecond, then a short counter; counter: a 26-bit "
        "counter; "
        "monotonic_random: a random number that grows by random increments.",
        &method_index, 0, method_options, PGC_USERSET, 0, nullptr, assign_v7, nullptr);
    DefineCustomEnumVariable(
        "uuidx.v7_order", "Which version 7 UUIDs are in one order.",
        "session: those of each session; server: those of all sessions, also over a restart.",
        &order_index, 0, order_options, PGC_USERSET, 0, check_order, assign_v7, nullptr);
    DefineCustomIntVariable(
        "uuidx.v7_node_id", "The number of this server in its version 7 UUIDs (RFC 9562 6.4).",
        "No other server may have the same number. -1: UUIDs have no number.", &v7_node_id, -1, -1,
        v7::node_id.max, PGC_SIGHUP, 0, nullptr, assign_v7, nullptr);
    DefineCustomIntVariable(
        "uuidx.max_clock_ahead",
        "Warns once in a session if a generator is further ahead of the clock than this.",
        "-1 turns the warning off.", &max_clock_ahead, 10'000, -1, INT_MAX, PGC_USERSET,
        GUC_UNIT_MS, nullptr, nullptr, nullptr);
    DefineCustomStringVariable(
        "uuidx.node", "The node of version 1 and 6 UUIDs.",
        "random: a new random node for each UUID; mac: a MAC address of this machine; or six "
        "bytes in hex. With the last two, no other server may have the same node.",
        &node_setting, "random", PGC_USERSET, 0, check_node, assign_node, nullptr);
    DefineCustomBoolVariable(
        "uuidx.time_planning", "Lets the planner use the creation time in a UUID.",
        "Indexes serve predicates on uuid_time() and sorts by it, where a CHECK constraint or an "
        "index of uuid_time_ops allows that, and ranges of UUIDs are estimated.",
        &time_planning, true, PGC_USERSET, GUC_EXPLAIN, nullptr, nullptr, nullptr);
    reserve_setting_prefix("uuidx");
    settings_defined = true;
}

}  // namespace uuidx::pg
