// What is different on Windows. Each file has this before all else.

#pragma once

#ifdef _WIN32

// PostgreSQL's headers have a struct stat of their own. That of the C library, which a header of
// the C++ library may include first, gets the name that they give it.
#define stat microsoft_native_stat
#define fstat microsoft_native_fstat
#include <sys/stat.h>
#undef stat
#undef fstat

#include <fcntl.h>

#include <cstdint>

/// There are no FIFOs for whose other end a file would wait.
#define O_NONBLOCK 0

// As <windows.h> declares it, which defines names that others have, too
extern "C" __declspec(dllimport) void __stdcall GetSystemTimePreciseAsFileTime(struct _FILETIME*);

namespace uuidx::windows {

/// The system clock, in units of 100 ns since 1970.
inline std::int64_t unix_time() {
    std::uint32_t words[2];
    GetSystemTimePreciseAsFileTime(reinterpret_cast<struct _FILETIME*>(words));
    constexpr std::int64_t unix_epoch = 116'444'736'000'000'000;  // since 1601
    return static_cast<std::int64_t>(std::uint64_t{words[1]} << 32 | words[0]) - unix_epoch;
}

}  // namespace uuidx::windows

#endif
