#!/usr/bin/env bash
# What the build promises, each with a build of its own. Prints TAP.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
PG_CONFIG=${PG_CONFIG:-pg_config}
scratch=$(mktemp --directory)
trap 'rm -rf "$scratch"' EXIT
tests=0 failures=0

# check WHAT COMMAND...: a test that passes if the command does; what it prints is shown if not.
check() {
    local what=$1 result=ok
    shift
    "$@" >"$scratch/output" 2>&1 || result='not ok'
    tests=$((tests + 1))
    echo "$result $tests - $what"
    if [ "$result" != ok ]; then
        failures=$((failures + 1))
        sed 's/^/# /' "$scratch/output"
    fi
}

build() {
    local copy=$scratch/$1
    shift
    mkdir "$copy"
    tar --create --exclude=./.git --exclude='*.o' --exclude='*.bc' --exclude='*.so' . |
        tar --extract --directory="$copy"
    make --silent --directory="$copy" WERROR=-Werror PG_CONFIG="$PG_CONFIG" "$@"
}

needs_no_libstdcxx() {
    readelf --dynamic "$1" | tee "$scratch/dynamic" | grep NEEDED
    grep -q 'NEEDED.*libcrypto' "$scratch/dynamic" && ! grep -q 'NEEDED.*libstdc++' "$scratch/dynamic"
}

exports_functions_only() {
    nm --dynamic --defined-only "$1" | awk '$3 !~ /^(pg_finfo_)?uuidx_|^Pg_magic_func$|^_PG_init$/ { print; bad = 1 }
                                            END { exit bad }'
}

has_bitcode() {
    local object
    for object in "$scratch"/gcc/src/*/*.o; do
        test -s "${object%.o}.bc" || { echo "no ${object%.o}.bc"; return 1; }
    done
}

# stops_with SENTENCE MAKE-ARGUMENT...: make fails, and what it prints is this sentence in one line.
stops_with() {
    local sentence=$1
    shift
    make --silent "$@" >"$scratch/make" 2>&1 && { echo 'make does not fail'; return 1; }
    cat "$scratch/make"
    [ "$(wc -l <"$scratch/make")" -eq 1 ] && grep -qF -- "$sentence" "$scratch/make"
}

formatted() {
    find src test bench -name '*.cpp' -o -name '*.h' -o -name '*.c' | sort |
        xargs clang-format --dry-run --Werror
}

no_server_headers=$scratch/pg_config
cat >"$no_server_headers" <<'SH'
#!/bin/sh
case $1 in
    --version) echo PostgreSQL 15.0 ;;
    *) echo /nowhere ;;
esac
SH
chmod +x "$no_server_headers"

check 'g++ builds it without a warning' build gcc CXX=g++
check 'clang++ builds it without a warning' build clang CXX=clang++ CC=clang
for compiler in gcc clang; do
    check "built by $compiler, it does not need libstdc++" needs_no_libstdcxx "$scratch/$compiler/uuidx.so"
    check "built by $compiler, it exports its SQL functions only" exports_functions_only "$scratch/$compiler/uuidx.so"
done
if grep -q '^with_llvm[[:space:]]*=[[:space:]]*yes' "$(dirname "$("$PG_CONFIG" --pgxs)")/../Makefile.global"; then
    check 'there is LLVM bitcode for each object' has_bitcode
fi
check 'without pg_config, make says what to install' \
    stops_with 'install PostgreSQL 14 or newer' PG_CONFIG=/nowhere/pg_config
check 'without the headers of the server, make says what to install' \
    stops_with 'the development files of PostgreSQL 15.0 are missing: install them' PG_CONFIG="$no_server_headers"
check 'without a compiler, make says what to install' \
    stops_with 'install it (Debian: g++)' PG_CONFIG="$PG_CONFIG" CXX=/nowhere/g++
check 'without the headers of OpenSSL, make says what to install' \
    stops_with 'install them (Debian: libssl-dev)' PG_CONFIG="$PG_CONFIG" CXX='g++ -nostdinc'
check 'the sources are formatted by .clang-format' formatted

echo "1..$tests"
exit $((failures > 0))
