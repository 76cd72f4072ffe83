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

}  // namespace

MarkReading read_mark(Mark& mark) {
    const int file = open_file(mark_path, O_RDONLY);
    if (file < 0)
        return errno == ENOENT ? MarkReading::absent : MarkReading::failed;
    Mark contents;
    const ssize_t size = read(file, &contents, sizeof(contents));
    const int error = errno;
    close(file);
    errno = error;
    if (size < 0)
        return MarkReading::failed;
    if (size != sizeof(contents) || !is_valid(contents))
        return MarkReading::corrupted;
    mark = contents;
    return MarkReading::done;
}

bool write_mark(Mark mark) {
    mark.checksum = computed_checksum(mark);
    const int file = open_file(temporary_path, O_WRONLY | O_CREAT | O_TRUNC);
    if (file < 0)
        return false;
    errno = 0;
    const bool written = write(file, &mark, sizeof(mark)) == sizeof(mark);
    const int error = errno == 0 ? ENOSPC : errno;
    const bool closed = close(file) == 0;
    if (!written)
        errno = error;
    return written && closed && durable_rename(temporary_path, mark_path, LOG) == 0;
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
                 errhint("Remove it, and call uuid_generator_advance() with the greatest UUID that "
                         "this server has generated.")));
}

void report_unwritten() {
    ereport(ERROR,
            (errcode_for_file_access(), errmsg("could not write file \"%s\": %m", mark_path)));
}

}  // namespace uuidx::pg
