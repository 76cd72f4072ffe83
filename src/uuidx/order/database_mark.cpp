// The mark that a database has: two sequences of the extension, which nobody calls nextval() for.
//
// Standbys, backups and pg_upgrade have them by themselves. The record of a mark is in the WAL
// before any commit or PREPARE TRANSACTION of a UUID that it covers, so a server that has the
// transaction has the mark. It is not transactional: a rollback leaves it.
//
// last_value is the mark, log_cnt the run: of which start of a server the mark is, and after how
// many resets of the sequence. A run of another start is inherited: this server was a standby then,
// is a copy, or was started again. The order goes on behind its mark before the first UUID.

#include "core/bounds.h"

#include "uuidx/order/database_mark.h"
#include "uuidx/order/settings.h"

extern "C" {
#include "access/generic_xlog.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_extension.h"
#include "commands/extension.h"
#include "commands/sequence.h"
#include "storage/bufmgr.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
}

namespace uuidx::pg {

namespace {

/// The run of a start after so many resets of the sequence; 0 is that of a sequence which CREATE or
/// ALTER SEQUENCE has made, setval() or a subscription has set.
constexpr std::uint64_t run_of(Start start, std::uint32_t resets) {
    return static_cast<std::uint64_t>(start) << 16 | (resets & 0xFFFF);
}

constexpr Start start_of(std::uint64_t run) {
    return Start{run >> 16};
}

// --- The sequences ---

template <class Time>
constexpr const char* mark_name = version_of<Time> == 7 ? "uuid_v7_mark" : "uuid_v6_mark";

/// The sequence, if this process has found it.
template <class Time>
constinit Oid found = InvalidOid;

template <class Time>
void forget(Oid relation) {
    if (relation != InvalidOid && relation != found<Time>)
        return;
    found<Time> = InvalidOid;
    known_mark<Time> = {};
}

/// From now on, a process forgets what another one drops, creates or alters.
void watch() {
    static bool watched = false;
    if (watched)
        return;
    CacheRegisterRelcacheCallback(
        [](Datum, Oid relation) {
            forget<PreciseUnixTime>(relation);
            forget<GregorianTime>(relation);
        },
        Datum{0});
    watched = true;
}

/// Whether a relation is a logged sequence of this name, and a superuser's: anyone else could move
/// the order of the server on.
bool is_mark(Oid oid, const char* name) {
    const HeapTuple row = SearchSysCache1(RELOID, ObjectIdGetDatum(oid));
    if (!HeapTupleIsValid(row))
        return false;
    const auto* const relation = reinterpret_cast<Form_pg_class>(GETSTRUCT(row));
    const bool is =
        strcmp(NameStr(relation->relname), name) == 0 && relation->relkind == RELKIND_SEQUENCE &&
        relation->relpersistence == RELPERSISTENCE_PERMANENT && superuser_arg(relation->relowner);
    ReleaseSysCache(row);
    return is;
}

/// The member of the extension that is the mark of this name; InvalidOid if there is none.
Oid find_mark(Oid extension, const char* name) {
    const Relation members = table_open(DependRelationId, AccessShareLock);
    ScanKeyData keys[2];
    ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(ExtensionRelationId));
    ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(extension));
    const SysScanDesc scan =
        systable_beginscan(members, DependReferenceIndexId, true, nullptr, 2, keys);
    Oid mark = InvalidOid;
    while (mark == InvalidOid) {
        const HeapTuple row = systable_getnext(scan);
        if (!HeapTupleIsValid(row))
            break;
        const auto* const member = reinterpret_cast<Form_pg_depend>(GETSTRUCT(row));
        if (member->classid == RelationRelationId && member->deptype == DEPENDENCY_EXTENSION &&
            is_mark(member->objid, name))
            mark = member->objid;
    }
    systable_endscan(scan);
    table_close(members, AccessShareLock);
    return mark;
}

/// The OID of the sequence; InvalidOid if the database has no extension, and none is needed.
template <class Time>
Oid mark_of_database() {
    const Oid extension = get_extension_oid("uuidx", true);
    if (extension == InvalidOid && std::is_same_v<Time, GregorianTime>)
        return InvalidOid;
    const Oid mark = extension == InvalidOid ? InvalidOid : find_mark(extension, mark_name<Time>);
    if (mark == InvalidOid)
        ereport(ERROR,
                (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                 errmsg("server-wide order needs sequence \"%s\" of extension \"uuidx\"",
                        mark_name<Time>),
                 errhint("Create the extension in this database; if it lacks the sequence, drop it "
                         "first.")));
    return mark;
}

/// Opens the sequence, with the lock of nextval(); null if none is needed.
template <class Time>
Relation open_mark() {
    watch();
    if (found<Time> == InvalidOid)
        found<Time> = mark_of_database<Time>();
    return found<Time> == InvalidOid ? nullptr : relation_open(found<Time>, RowExclusiveLock);
}

// --- Their rows ---

Form_pg_sequence_data row_on(Page page) {
    const auto row = reinterpret_cast<HeapTupleHeader>(
        PageGetItem(page, PageGetItemId(page, FirstOffsetNumber)));
    return reinterpret_cast<Form_pg_sequence_data>(reinterpret_cast<char*>(row) + row->t_hoff);
}

/// Writes the mark and its run. The caller has locked the buffer.
void write_row(Relation relation, Buffer buffer, std::uint64_t mark, std::uint64_t run) {
    GenericXLogState* const record = GenericXLogStart(relation);
    const Form_pg_sequence_data row = row_on(GenericXLogRegisterBuffer(record, buffer, 0));
    row->last_value = static_cast<int64>(mark);
    row->log_cnt = static_cast<int64>(run);
    GenericXLogFinish(record);
}

/// Says so if the order goes on far ahead of the clock: this server's or that of the other start is
/// wrong, or uuid_generator_advance() was called.
template <class Time>
void report_inherited(std::uint64_t mark) {
    const TimestampTz time = timestamptz(to_microseconds(prefix_time<Time>(mark)));
    if (max_clock_ahead >= 0 && time > GetCurrentTimestamp() + max_clock_ahead * INT64CONST(1000))
        ereport(LOG, (errmsg("version %d UUIDs are ahead of the system's clock by more than "
                             "\"uuidx.max_clock_ahead\"",
                             version_of<Time>),
                      errdetail("They go on at %s, behind those of this database before the server "
                                "was started or promoted.",
                                timestamptz_to_str(time))));
}

}  // namespace

template <class Time>
bool cover_in_database(Sequence<Time>& sequence, Start start, std::uint64_t prefix) {
    if (RecoveryInProgress())
        return true;
    const Relation relation = open_mark<Time>();
    if (relation == nullptr) {
        // Looks again in a second.
        known_mark<Time> = {sequence.mark_after(prefix), sequence.resets().value_or(0)};
        return true;
    }
    const Buffer buffer = ReadBuffer(relation, 0);
    LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
    const FormData_pg_sequence_data stored = *row_on(BufferGetPage(buffer));
    const auto run = static_cast<std::uint64_t>(stored.log_cnt);
    const auto mark = static_cast<std::uint64_t>(stored.last_value);
    // Another process may have inherited the mark since this one took its first prefix.
    const bool is_first_look = known_mark<Time>.mark == 0;
    const bool inherits = start_of(run) != start && mark >= prefix;
    if (inherits)
        sequence.take(mark, 1);
    const auto resets = sequence.resets();
    const std::uint64_t last = sequence.last();
    const bool is_reset = !resets || last < prefix;
    if (!is_reset) {
        const bool covers = run == run_of(start, *resets) && mark >= prefix;
        const std::uint64_t next = covers ? mark : sequence.mark_after(last);
        if (!covers)
            write_row(relation, buffer, next, run_of(start, *resets));
        known_mark<Time> = {next, *resets};
    }
    UnlockReleaseBuffer(buffer);
    relation_close(relation, RowExclusiveLock);
    if (inherits)
        report_inherited<Time>(mark);
    return !is_reset && !inherits && !is_first_look;
}
template bool cover_in_database(Sequence<PreciseUnixTime>&, Start, std::uint64_t);
template bool cover_in_database(Sequence<GregorianTime>&, Start, std::uint64_t);

}  // namespace uuidx::pg
