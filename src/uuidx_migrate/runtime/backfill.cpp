// The progress of a backfill: numbers in shared memory, as the server keeps those of its own
// commands. Only this session can write them, nobody can lock them, and an error ends them.

#include "core/uuid.h"

#include "server/shim.h"

extern "C" {
#include "catalog/pg_class.h"
#include "utils/syscache.h"
}

namespace uuidx::pg {

namespace {

/// In the place of the number of a command of the server, whose views each show one of these.
constexpr int command = 0x7575;

/// What a session shows of its backfill.
struct Progress {
    int64 blocks = 0;  ///< of the table, when this pass over it began
    int64 next_block = 0;
    int64 rows_filled = 0;
    int64 microseconds = 0;  ///< of work
    int64 blocks_done = 0;   ///< in this time
    int64 tables_left = 0;   ///< which the script fills afterwards
    int64 blocks_left = 0;   ///< of these
};
constexpr int numbers = sizeof(Progress) / sizeof(int64);
static_assert(numbers <= PGSTAT_NUM_PROGRESS_PARAM);

constinit Progress progress;
/// The table of these numbers; InvalidOid between two tables.
constinit Oid table = InvalidOid;

/// Code that the batch has fired may have shown a command of its own.
void show() {
    pgstat_progress_start_command(static_cast<ProgressCommandType>(command), table);
    const auto* const number = reinterpret_cast<const int64*>(&progress);
    for (int n = 0; n < numbers; ++n)
        pgstat_progress_update_param(n, number[n]);
}

/// Whether the current user has the privileges of the owner of a relation.
bool is_own(Oid relation) {
    const HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
    if (!HeapTupleIsValid(tuple))
        return false;
    const Oid owner = reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple))->relowner;
    ReleaseSysCache(tuple);
    return has_privs_of_role(GetUserId(), owner);
}

/// A number with which others can compute. Whoever looks at the progress of all tables reads what
/// any role has called these functions with.
int64 possible(int64 number) {
    return std::clamp<int64>(number, 0, std::int64_t{1} << 48);
}

}  // namespace

/// uuidx_migrate_steps.expect_backfills(tables bigint, blocks bigint) returns void: how many tables
/// this session will fill, and how many blocks they have.
UUIDX_FUNCTION(uuidx_expect_backfills) {
    table = InvalidOid;
    progress = {.tables_left = possible(PG_GETARG_INT64(0)),
                .blocks_left = possible(PG_GETARG_INT64(1))};
    PG_RETURN_VOID();
}

/// uuidx_migrate_steps.show_backfill(relation regclass, blocks bigint, next_block bigint, rows
/// bigint, began timestamptz) returns void: shows that a pass over the table has come to a block,
/// after a batch of so many rows; or that it begins there, with NULL. Nothing if the table belongs
/// to somebody else.
UUIDX_FUNCTION(uuidx_show_backfill) {
    if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
        PG_RETURN_VOID();
    const Oid relation = PG_GETARG_OID(0);
    const int64 blocks = possible(PG_GETARG_INT64(1));
    const int64 next_block = possible(PG_GETARG_INT64(2));
    if (!is_own(relation))
        PG_RETURN_VOID();
    if (relation != table)
        progress = {.tables_left = std::max<int64>(progress.tables_left - 1, 0),
                    .blocks_left = std::max<int64>(progress.blocks_left - blocks, 0)};
    table = relation;
    progress.blocks = blocks;
    if (!PG_ARGISNULL(3) && !PG_ARGISNULL(4)) {
        // -infinity is too long ago to be subtracted.
        const auto began = std::max<TimestampTz>(PG_GETARG_TIMESTAMPTZ(4), 0);
        progress.blocks_done += next_block - progress.next_block;
        progress.rows_filled = possible(progress.rows_filled + possible(PG_GETARG_INT64(3)));
        progress.microseconds = possible(progress.microseconds + GetCurrentTimestamp() - began);
    }
    progress.next_block = next_block;
    show();
    PG_RETURN_VOID();
}

/// uuidx_migrate_steps.end_backfill() returns void: shows no progress any more.
UUIDX_FUNCTION(uuidx_end_backfill) {
    table = InvalidOid;
    pgstat_progress_end_command();
    PG_RETURN_VOID();
}

/// uuidx_migrate_steps.backfills(out pid integer, out relation regclass, out blocks bigint, ...)
/// returns setof record: what all sessions show of the tables of the current user and of the roles
/// whose privileges he has.
UUIDX_FUNCTION(uuidx_backfills) {
    const Rows rows{fcinfo};
    for (int n = 1; n <= pgstat_fetch_stat_numbackends(); ++n) {
        const PgBackendStatus& session = session_status(n);
        int shown;
        static_assert(sizeof shown == sizeof session.st_progress_command);
        memcpy(&shown, &session.st_progress_command, sizeof shown);
        const Oid relation = session.st_progress_command_target;
        if (shown != command || session.st_databaseid != MyDatabaseId || !is_own(relation))
            continue;
        Datum values[2 + numbers] = {datum(session.st_procpid), datum(relation)};
        for (int i = 0; i < numbers; ++i)
            values[2 + i] = Int64GetDatum(session.st_progress_param[i]);
        rows.add(values);
    }
    return Datum{0};
}

}  // namespace uuidx::pg
