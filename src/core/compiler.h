// What the compiler has to know, in each file of the module before all else.

#if __cplusplus < 202002L
#error uuidx needs C++20: install g++ 11, clang 14 or newer, and set CXX to it if make takes another
#endif

#if __has_include(<openssl/opensslv.h>)
#include <openssl/opensslv.h>
#endif
#if !defined(OPENSSL_VERSION_NUMBER) || OPENSSL_VERSION_NUMBER < 0x10101000L
#error uuidx needs OpenSSL 1.1.1 or newer with its headers (Debian: libssl-dev)
#endif

// With these assertions, which some distributions turn on, and g++ 15 without optimization, the
// headers of the C++ library call the library itself, and the server need not have it in its
// process.
#undef _GLIBCXX_ASSERTIONS
#define _GLIBCXX_NO_ASSERTIONS
