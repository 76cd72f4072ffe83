// The settings of the extension.

#include "pg/settings.h"

#include "core/node.h"
#include "pg/pg.h"

namespace uuidx::pg {

namespace {

// What the setting's enumeration values index.
constexpr std::array<Method, 3> methods = {method::precision, method::counter,
                                           method::monotonic_random};

const config_enum_entry method_options[] = {
    {"precision", 0, false}, {"counter", 1, false}, {"monotonic_random", 2, false}, {}};

int method_index = 0;

char* node_setting = nullptr;
constinit Method node_method = method::random_node;

/// The method of a value of uuidx.node; none for one that is not valid.
std::optional<Method> method_of_node(const char* value) {
    if (pg_strcasecmp(value, "random") == 0)
        return method::random_node;
    const auto node = parse_node(value);
    if (!node)
        return std::nullopt;
    return method::fixed_node(number(*node));
}

bool check_node(char** value, void**, GucSource) {
    if (method_of_node(*value))
        return true;
    GUC_check_errdetail("It must be \"random\" or six octets in hex, like \"02:00:5e:10:00:00\".");
    return false;
}

void assign_node(const char* value, void*) {
    node_method = *method_of_node(value);
}

}  // namespace

const Method& v7_method() {
    return methods[method_index];
}

const char* v7_method_name() {
    return method_options[method_index].name;
}

const Method& v6_method() {
    return node_method;
}

void define_settings() {
    DefineCustomEnumVariable(
        "uuidx.v7_method", "How uuid_generate_v7 orders the UUIDs of a millisecond (RFC 9562 6.2).",
        "precision: a fraction of the millisecond, then a short counter; counter: a counter of 26 "
        "bits; monotonic_random: a random number that grows by random numbers.",
        &method_index, 0, method_options, PGC_USERSET, 0, nullptr, nullptr, nullptr);
    DefineCustomStringVariable(
        "uuidx.node", "The node of version 6 UUIDs.",
        "random: a random one for each UUID; or six octets in hex, the node of them all.",
        &node_setting, "random", PGC_USERSET, 0, check_node, assign_node, nullptr);
    reserve_setting_prefix("uuidx");
}

}  // namespace uuidx::pg
