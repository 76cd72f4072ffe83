# Makes pg_config.h of a server for Windows out of that of the same version for Linux. What the headers do not ask for
# stays as it is.

# long has 32 bits.
s/^#define (SIZEOF|ALIGNOF)_LONG 8/#define \1_LONG 4/
s/^#define HAVE_LONG_INT_64 1/#define HAVE_LONG_LONG_INT_64 1/
s/^(#define PG_INT64_TYPE).*/\1 long long int/
s/^(#define INT64_MODIFIER).*/\1 "ll"/
# mingw-w64 has this one.
$a #define HAVE_GETTIMEOFDAY 1
/^#define ENABLE_(GSS|NLS) /d
/^#define USE_(LDAP|LLVM|PAM|SYSTEMD|UNNAMED_POSIX_SEMAPHORES) /d
/^#define HAVE_(SYS_|NETINET_|NET_IF|IFADDRS_H|GETIFADDRS|GETRLIMIT|GETRUSAGE|LANGINFO_H|LOCALE_T|POLL|PPOLL|TERMIOS_H) ?/d
/^#define HAVE_(STRLCAT|STRLCPY|STRCHRNUL|STRSIGNAL|SETPROCTITLE|SYNC_FILE_RANGE|PREADV|PWRITEV|UUID_)/d
s/^(#define HAVE_DECL_(PREADV|PWRITEV|STRCHRNUL|STRLCAT|STRLCPY|STRSEP)) 1/\1 0/
