// The file in the data directory that outlasts the server: how far the order of UUIDs may have
// come.

#pragma once

#include "server/shim.h"

namespace uuidx::pg {

inline constexpr const char* mark_path = "uuidx.mark";

/// What a slot of the file has, in the machine's byte order.
struct Mark {
    /// To be changed with the layout.
    static constexpr std::uint32_t current_magic = 0x7575'6903;

    std::uint32_t magic = current_magic;
    /// The server's, which each promotion changes.
    std::uint32_t timeline = 0;
    std::uint64_t v7_mark = 0;
    std::uint64_t gregorian_mark = 0;
    /// How often the file has been written.
    std::uint64_t writes = 0;
    std::uint32_t resets = 0;
    std::uint32_t checksum = 0;
};

enum class MarkReading : std::uint8_t { done, absent, failed, corrupted, no_randomness };

/// Reads the file; sets errno if that fails.
MarkReading read_mark(Mark& mark);

/// Writes the next mark, which is on disk when this returns true, into the slot that does not have
/// the last one; sets errno if it returns false. Once the file exists, that needs no room on the
/// disk. Raises an error only if the server has no file descriptor left. The checksum is computed
/// here.
bool write_mark(Mark mark);

/// The errors of files, and XX001, unless the file was read or there is none.
void report_unread(MarkReading reading);

/// The error of a file that could not be written.
[[noreturn]] void report_unwritten();

}  // namespace uuidx::pg
