// The time at which a row was created, from which its key becomes one of version 7.

#pragma once

#include "server/trigger.h"
#include "uuidx_migrate/runtime/index_lookup.h"

extern "C" {
#include "executor/executor.h"
}

namespace uuidx::pg {

/// What becomes of rows without a creation time that a version 7 UUID can hold, and of times to
/// come.
struct TimePolicy {
    enum class Future : std::uint8_t { error, epoch, keep };
    bool epoch_without_time;
    Future future;
};

/// 22023 unless the texts are error or epoch, and error, epoch or keep.
TimePolicy time_policy(std::string_view without_time, std::string_view future);

/// The policy that two arguments of a function say; 22004 if one is NULL.
TimePolicy getarg_time_policy(FunctionCallInfo fcinfo, int first);

/// The time that the new key of a row gets: the creation time, or the epoch where the policy says
/// so; 22008 where it says that this is an error. `key` is the one that the row has.
TimestampTz key_time(std::optional<TimestampTz> created, const TimePolicy& policy, Datum key,
                     Oid type);

/// The policy for the row of an event. An INSERT may bring a key that a row has already, which
/// stays there until the transaction ends: the new row is not stored, but ON CONFLICT may change
/// the other one, whose creation time the client need not know.
TimePolicy policy_for(const TriggerData& event, const KeyPart& key,
                      std::optional<TimestampTz> created, const TimePolicy& policy);

/// The function for the creation time of the rows of a table, as a trigger calls it.
class CreationTime {
  public:
    explicit CreationTime(const char* function) : function_{function} {}

    /// Whether the trigger names a function.
    explicit operator bool() const { return *function_ != '\0'; }

    /// Of the new row. The current user evaluates the owner's expression, as for a CHECK
    /// constraint, but not with the search_path of the session. `memory` outlasts the row.
    std::optional<TimestampTz> of(const TriggerData& event, MemoryContext memory);

  private:
    void prepare(Relation table);

    const char* function_;
    ExprState* state_ = nullptr;  // with the first row that needs it
    ExprContext* context_ = nullptr;
};

}  // namespace uuidx::pg
