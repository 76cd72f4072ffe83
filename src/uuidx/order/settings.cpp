// The settings of the extension.

#include "uuidx/order/settings.h"

#include <charconv>
#include <new>

#include "core/mac_address.h"
#include "uuidx/order/server_order.h"

extern "C" {
#include "access/parallel.h"
}

namespace uuidx::pg {

constinit V7Settings v7_settings;
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

// --- Settings that are never ignored ---
//
// PostgreSQL cannot check what is set before the module is loaded. When the module defines a
// setting, a value that it rejects costs a WARNING, and the default takes its place: the server
// would lose its number. These settings accept such a value, and no UUID is generated with it.

/// What the check hook of a setting passes on: what the value means, or why it cannot be used.
template <class T>
struct Checked {
    T meaning{};
    const char* objection = nullptr;
    GucSource source = PGC_S_DEFAULT;
};

template <class T>
struct Setting {
    const char* name;
    char* text = nullptr;
    Checked<T> checked{};
};

/// Whether a value is stored in a catalog, which replicas and the workers of a cluster share.
bool is_in_catalog(GucSource source) {
    return source >= PGC_S_GLOBAL && source <= PGC_S_DATABASE_USER;
}

/// Whether whoever sets the value gets an error, or the server's log a message, if it is rejected.
/// If not, a session would go on with the default.
bool can_reject(GucSource source) {
    return settings_defined && !InitializingParallelWorker && !is_in_catalog(source);
}

/// Ends a check hook: rejects the value if there is an objection, or passes both on.
template <class T>
bool end_check(void** extra, GucSource source, const T& meaning, const char* objection) {
    if (objection != nullptr && can_reject(source)) {
        GUC_check_errdetail("%s", objection);
        return false;
    }
    *extra = setting_memory(sizeof(Checked<T>));
    if (*extra != nullptr)
        new (*extra) Checked<T>{meaning, objection, source};
    return *extra != nullptr;
}

/// What has set a value of that source.
const char* name_of(GucSource source) {
    switch (source) {
        case PGC_S_ENV_VAR:
        case PGC_S_ARGV:
            return "the command that started the server";
        case PGC_S_FILE:
            return "the configuration file";
        case PGC_S_GLOBAL:
            return "ALTER ROLE ALL";
        case PGC_S_DATABASE:
            return "ALTER DATABASE";
        case PGC_S_USER:
            return "ALTER ROLE";
        case PGC_S_DATABASE_USER:
            return "ALTER ROLE IN DATABASE";
        case PGC_S_CLIENT:
            return "the client, when it connected";
        default:
            return "SET";
    }
}

/// 22023 if the value cannot be used.
template <class T>
void check_usable(const Setting<T>& setting) {
    const Checked<T>& checked = setting.checked;
    if (checked.objection != nullptr)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("cannot generate UUIDs with this value of \"%s\": \"%s\"", setting.name,
                        setting.text),
                 errdetail("%s It was set by %s.", checked.objection, name_of(checked.source))));
}

// --- The order ---

Setting<bool> server_wide{"uuidx.v7_order"};

bool check_order(char** text, void** extra, GucSource source) {
    const bool server = pg_strcasecmp(*text, "server") == 0;
    if (server && lacks_shared_memory(server_wide.name, source))
        return false;
    const bool known = server || pg_strcasecmp(*text, "session") == 0;
    return end_check(extra, source, server,
                     known ? nullptr : "It must be \"session\" or \"server\".");
}

void assign_order(const char*, void* extra) {
    server_wide.checked = *static_cast<const Checked<bool>*>(extra);
    v7_settings.order = V7Settings::Order::unchecked;
}

// --- The server's number ---

Setting<int> number{"uuidx.v7_node_id"};
constexpr int greatest_number = v7::node_id.max;

/// The number of a server whose name is a number or ends in "-" and a number, like a pod's.
std::optional<int> number_of_name(std::string_view name) {
    const std::size_t dash = name.rfind('-');
    if (dash == 0)
        return std::nullopt;
    const char* const end = name.data() + name.size();
    int value = 0;
    const auto [read, error] =
        std::from_chars(name.data() + (dash == name.npos ? 0 : dash + 1), end, value);
    if (error != std::errc{} || read != end || value < 0 || value > greatest_number)
        return std::nullopt;
    return value;
}

/// Who chooses the number can choose that of another server: it is the server's configuration.
bool check_number(char** text, void** extra, GucSource source) {
    constexpr std::string_view variable = "env:";
    int value = -1;
    const char* objection = nullptr;
    if (source > PGC_S_ARGV) {
        objection = "Only the server's configuration file can give it its number.";
    } else if (strncmp(*text, variable.data(), variable.size()) == 0) {
        const char* const name = getenv(*text + variable.size());
        const auto of_name = name == nullptr ? std::nullopt : number_of_name(name);
        value = of_name.value_or(-1);
        if (!of_name)
            objection =
                "The server's environment must have that variable, and its value must be a number "
                "from 0 to 65535 or end in \"-\" and such a number.";
    } else if (!parse_int(*text, &value, 0, nullptr) || value < -1 || value > greatest_number) {
        value = -1;
        objection =
            "It must be a number from 0 to 65535, -1 or \"env:\" and the name of an "
            "environment variable.";
    }
    return end_check(extra, source, value, objection);
}

void assign_number(const char*, void* extra) {
    number.checked = *static_cast<const Checked<int>*>(extra);
    v7_settings.order = V7Settings::Order::unchecked;
}

// --- The node ---

Setting<std::optional<NodeId>> node_setting{"uuidx.node"};

bool check_node(char** text, void** extra, GucSource source) {
    if (pg_strcasecmp(*text, "random") == 0)
        return end_check(extra, source, std::optional<NodeId>{}, nullptr);
    const bool mac = pg_strcasecmp(*text, "mac") == 0;
    const std::optional<NodeId> node = mac ? mac_address() : parse_node(*text);
    const char* objection = nullptr;
    if (!node)
        objection = mac ? "No MAC address of this machine was found."
                        : "It must be \"random\", \"mac\" or six bytes in hex, like "
                          "\"02:00:5e:10:00:00\".";
    else if (is_in_catalog(source) || source == PGC_S_TEST)
        objection =
            "Other servers can have the same catalogs, but not the same node: set it in "
            "postgresql.conf.";
    else if (lacks_shared_memory(node_setting.name, source))
        return false;
    return end_check(extra, source, node, objection);
}

/// A value that cannot be used counts as a fixed node, for which check_node_setting() is called.
void assign_node(const char*, void* extra) {
    node_setting.checked = *static_cast<const Checked<std::optional<NodeId>>*>(extra);
    fixed_node = node_setting.checked.meaning;
    if (node_setting.checked.objection != nullptr)
        fixed_node = NodeId{};
}

}  // namespace

const char* v7_method_name() {
    return method_options[method_index].name;
}

int server_number() {
    check_usable(number);
    return number.checked.meaning;
}

void check_node_setting() {
    check_usable(node_setting);
}

void check_v7_settings() {
    check_usable(server_wide);
    const bool in_server_order = server_wide.checked.meaning;
    const int node_id = server_number();
    if (method_index != 0 && (in_server_order || node_id >= 0))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("\"uuidx.v7_method\" must be \"precision\" if "
                               "\"uuidx.v7_order\" is \"server\" or \"uuidx.v7_node_id\" is set")));
    if (in_server_order && !SharedMemory<ServerOrder>::available())
        ereport(ERROR,
                (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                 errmsg(needs_shared_memory, server_wide.name), errhint("%s", preload_hint)));
    if (in_server_order)
        server_order();
    v7_settings.method = node_id >= 0 ? method::numbered(node_id) : methods[method_index];
    v7_settings.order = in_server_order ? V7Settings::Order::server : V7Settings::Order::session;
}

void define_settings() {
    DefineCustomEnumVariable(
        "uuidx.v7_method", "How uuid_generate_v7 orders UUIDs within a millisecond (RFC 9562 6.2).",
        "precision: a fraction of the millisecond, then a short counter; counter: a 26-bit "
        "counter; "
        "monotonic_random: a random number that grows by random increments.",
        &method_index, 0, method_options, PGC_USERSET, 0, nullptr, assign_v7, nullptr);
    DefineCustomStringVariable(
        server_wide.name, "Which version 7 UUIDs are in one order.",
        "session: those of each session; server: those of all sessions, also over a restart.",
        &server_wide.text, "session", PGC_USERSET, 0, check_order, assign_order, nullptr);
    // By its context, a user may set it; check_number() says that he may not.
    DefineCustomStringVariable(
        number.name, "The number of this server in its version 7 UUIDs (RFC 9562 6.4).",
        "0 to 65535, or \"env:\" and the environment variable that has it. No other server may "
        "have the same number. -1: UUIDs have no number.",
        &number.text, "-1", PGC_USERSET, 0, check_number, assign_number, nullptr);
    DefineCustomIntVariable(
        "uuidx.max_clock_ahead",
        "Warns once in a session if a generator is further ahead of the clock than this.",
        "-1 turns the warning off.", &max_clock_ahead, 10'000, -1, INT_MAX, PGC_USERSET,
        GUC_UNIT_MS, nullptr, nullptr, nullptr);
    DefineCustomStringVariable(
        node_setting.name, "The node of version 1 and 6 UUIDs.",
        "random: a new random node for each UUID; mac: a MAC address of this machine; or six "
        "bytes in hex. With the last two, no other server may have the same node.",
        &node_setting.text, "random", PGC_USERSET, 0, check_node, assign_node, nullptr);
    DefineCustomBoolVariable(
        "uuidx.time_planning", "Lets the planner use the creation time in a UUID.",
        "Indexes serve predicates on uuid_time() and sorts by it, where a CHECK constraint or an "
        "index of uuid_time_ops allows that, and ranges of UUIDs are estimated.",
        &time_planning, true, PGC_USERSET, GUC_EXPLAIN, nullptr, nullptr, nullptr);
    reserve_setting_prefix("uuidx");
    settings_defined = true;
}

}  // namespace uuidx::pg
