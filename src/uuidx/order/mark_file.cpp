// The file in the data directory that outlasts the server.

#include "core/uuid.h"

#include "uuidx/order/mark_file.h"

#include <cstddef>
#include <type_traits>

extern "C" {
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "port/pg_crc32c.h"
#include "storage/fd.h"
}

namespace uuidx::pg {

namespace {

constexpr const char* temporary_path = "uuidx.mark.tmp";

/// The file has two slots, each in a block of its own: if a write of one is cut off, the other one
/// counts, and no UUID was generated beyond its mark.
constexpr std::size_t slot_size = 4096;

static_assert(std::has_unique_object_representations_v<Mark>);

pg_crc32c computed_checksum(const Mark& mark) {
    pg_crc32c crc;
    INIT_CRC32C(crc);
    COMP_CRC32C(crc, &mark, offsetof(Mark, checksum));
    FIN_CRC32C(crc);
    return crc;
}

bool is_valid(const Mark& mark) {
    return mark.magic == Mark::current_magic && mark.checksum == computed_checksum(mark);
}

/// Opens a regular file, and never waits: to open a FIFO would, with the lock held. -1, and errno,
/// if that fails.
int open_file(const char* name, int flags) {
    const int file = BasicOpenFile(name, flags | O_NONBLOCK | PG_BINARY);
    struct stat status;
    if (file < 0 || (fstat(file, &status) == 0 && S_ISREG(status.st_mode)))
        return file;
    close(file);
    errno = EINVAL;
    return -1;
}

/// Closes a file; keeps errno unless that fails.
bool close_file(int file) {
    const int error = errno;
    const bool closed = close(file) == 0;
    if (closed)
        errno = error;
    return closed;
}

bool write_all(int file, const void* data, std::size_t size, off_t offset) {
    errno = 0;
    if (pg_pwrite(file, data, size, offset) == static_cast<ssize_t>(size))
        return true;
    if (errno == 0)
        errno = ENOSPC;
    return false;
}

/// Creates the file, with all the room that it will need.
bool create_file(const Mark& mark) {
    const int file = open_file(temporary_path, O_WRONLY | O_CREAT | O_TRUNC);
    if (file < 0)
        return false;
    char contents[2 * slot_size] = {};
    memcpy(contents + mark.writes % 2 * slot_size, &mark, sizeof(mark));
    const bool written = write_all(file, contents, sizeof(contents), 0);
    return close_file(file) && written && durable_rename(temporary_path, mark_path, LOG) == 0;
}

}  // namespace

MarkReading read_mark(Mark& mark) {
    const int file = open_file(mark_path, O_RDONLY);
    if (file < 0)
        return errno == ENOENT ? MarkReading::absent : MarkReading::failed;
    MarkReading reading = MarkReading::corrupted;
    std::uint64_t writes = 0;
    for (int slot = 0; slot < 2 && reading != MarkReading::failed; ++slot) {
        Mark contents;
        const ssize_t size = pg_pread(file, &contents, sizeof(contents), slot * slot_size);
        if (size < 0)
            reading = MarkReading::failed;
        else if (size == sizeof(contents) && is_valid(contents) && contents.writes > writes) {
            mark = contents;
            writes = contents.writes;
            reading = MarkReading::done;
        }
    }
    close_file(file);
    return reading;
}

bool write_mark(Mark mark) {
    mark.checksum = computed_checksum(mark);
    const int file = open_file(mark_path, O_WRONLY);
    if (file < 0)
        return errno == ENOENT && create_file(mark);
    const bool written =
        write_all(file, &mark, sizeof(mark), mark.writes % 2 * slot_size) && pg_fsync(file) == 0;
    return close_file(file) && written;
}

void report_unread(MarkReading reading) {
    if (reading == MarkReading::no_randomness)
        ereport(ERROR, (errcode(ERRCODE_SYSTEM_ERROR), errmsg("could not generate random values")));
    if (reading == MarkReading::failed)
        ereport(ERROR,
                (errcode_for_file_access(), errmsg("could not read file \"%s\": %m", mark_path)));
    if (reading == MarkReading::corrupted)
        ereport(ERROR,
                (errcode(ERRCODE_DATA_CORRUPTED), errmsg("file \"%s\" is corrupted", mark_path),
                 errhint("Remove it: UUIDs go on behind the mark of each database.")));
}

void report_unwritten() {
    ereport(ERROR,
            (errcode_for_file_access(), errmsg("could not write file \"%s\": %m", mark_path)));
}

}  // namespace uuidx::pg
