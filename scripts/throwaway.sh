# Sourced by the commands of this folder and of bench/: a machine that has what they need, and a
# throwaway copy of a server that uuidx is built for, installed into and tried on. Nothing of it is
# outside one temporary folder, which goes when the command ends.
#
# After `throwaway_server`:
#   $work        the temporary folder
#   $source      a copy of the project in it
#   $PG_CONFIG   the pg_config of the copied server
#   as_user      runs a command as somebody who may run a server
# With KEEP=1 the folder stays, for a look at what a test left.

set -euo pipefail
umask 022
export LC_ALL=C.UTF-8 TZ=UTC PATH=/usr/lib/ccache:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
debian_packages_to_build=(g++ make libssl-dev)
debian_packages_of_server=(postgresql-15 postgresql-server-dev-15)

say() { printf '%s\n' "$*" >&2; }

die() {
    say "$(basename "$0"): $*"
    exit 1
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        command -v sudo >/dev/null || die "needs root or sudo to install packages: $*"
        sudo "$@"
    fi
}

# need_packages PACKAGE...: installs those that this Debian machine lacks. A PG_CONFIG from outside
# stands for a server that is there already, with its development files.
need_packages() {
    local missing=() package
    for package in "${debian_packages_to_build[@]}" "$@"; do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
            missing+=("$package")
    done
    [ "${#missing[@]}" -gt 0 ] || return 0
    say "Installing ${missing[*]} ..."
    as_root "$project/scripts/install-packages" "${missing[@]}"
}

as_user() {
    if [ "$(id -u)" -eq 0 ]; then
        runuser -u "$unprivileged" -- "$@"
    else
        "$@"
    fi
}

# copy_server PG_CONFIG: copies the server that PG_CONFIG belongs to. PostgreSQL finds its files
# relative to its binaries; so those are copied, and the rest is links, beside which `make install`
# puts what it installs. A uuidx that the server has is left out. The copy of a copy has the same places
# in its folder: ccache then finds what was compiled for the first.
copy_server() {
    local option directory copy
    for option in --pkglibdir --sharedir --includedir --includedir-server; do
        directory=$("$1" "$option")
        [ -d "$directory" ] ||
            die "$("$1" --version) lacks $directory: install its development files"
        copy=$work/server${directory#"$UUIDX_FOLDERS"/uuidx.??????/server}
        mkdir --parents "$copy"
        cp --recursive --symbolic-link --no-clobber "$directory/." "$copy"
    done
    directory=$("$1" --bindir)
    copy=$work/server${directory#"$UUIDX_FOLDERS"/uuidx.??????/server}
    mkdir --parents "$copy"
    cp --dereference "$directory"/* "$copy"
    find "$work/server" \( -path '*/extension/uuidx*' -o -path '*/bitcode/uuidx*' -o -name 'uuidx*.so' \) \
        -prune -exec rm -r {} +
    export PG_CONFIG=$copy/pg_config
}

# throwaway_server [PACKAGE...]: installs what is missing, the packages given among it, and sets up
# the temporary folder.
throwaway_server() {
    local from=${PG_CONFIG:-} found
    unset "${!PG@}" MAKELEVEL
    # The compilers of the caller, where there are any, and not those that the server was built with.
    export MAKEFLAGS="--jobs=$(nproc) ${CC:+CC=$CC} ${CXX:+CXX=$CXX}"
    if [ -n "$from" ]; then
        need_packages "$@"
    else
        need_packages "${debian_packages_of_server[@]}" "$@"
        from=/usr/lib/postgresql/15/bin/pg_config
    fi
    found=$(command -v "$from") || die "there is no PG_CONFIG=$from"

    # Not in TMPDIR: the path of a socket must be short, and another user has to get there.
    export UUIDX_FOLDERS=${UUIDX_FOLDERS:-/tmp}
    work=$(mktemp --directory "$UUIDX_FOLDERS/uuidx.XXXXXX")
    trap clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    export HOME=$work/home TMPDIR=$work/tmp PSQL_HISTORY=/dev/null PSQLRC=/dev/null
    # Where ccache is installed, one that runs inside another finds what that has compiled.
    export UUIDX_CCACHE=${UUIDX_CCACHE:-$work/ccache}
    export CCACHE_DIR=$UUIDX_CCACHE CCACHE_BASEDIR=$UUIDX_FOLDERS CCACHE_NOHASHDIR=1
    export CCACHE_SLOPPINESS=pch_defines,time_macros  # without these, ccache does not serve files with a precompiled header
    source=$work/uuidx
    mkdir "$source" "$HOME" "$TMPDIR"
    tar --create --directory="$project" --exclude=./.git . | tar --extract --directory="$source"
    copy_server "$found"
    if [ "$(id -u)" -eq 0 ]; then
        unprivileged=postgres
        id postgres >/dev/null 2>&1 || unprivileged=nobody
        chown --recursive "$unprivileged" "$work"
    fi
    cd "$source"
    as_user make --silent clean
}

# Ends every server that runs in the temporary folder, those of an interrupted test among them, and
# removes it; what an interrupted test still writes there may need another try.
clean_up() {
    trap '' INT TERM HUP
    cd /
    for _ in 1 2 3; do
        find "$work" -name postmaster.pid -exec head --quiet --lines=1 {} + 2>/dev/null |
            xargs --no-run-if-empty kill -QUIT 2>/dev/null || true
        if [ -n "${KEEP:-}" ]; then
            say "KEEP is set: see $work"
            break
        fi
        ! rm -rf "$work" 2>/dev/null || break
        sleep 1
    done
}

# start_server [CONFIGURATION...]: a server on the Unix socket of $work alone, with these lines in
# its configuration; psql and the like find it.
start_server() {
    local bin
    bin=$("$PG_CONFIG" --bindir)
    as_user mkdir "$work/socket"
    as_user "$bin/initdb" --pgdata="$work/data" --username=postgres --auth=trust --encoding=UTF8 \
        --no-sync >"$work/initdb.log" 2>&1 || die "initdb failed: $(cat "$work/initdb.log")"
    printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$work/socket'" \
        "fsync = off" "$@" | as_user tee -a "$work/data/postgresql.conf" >/dev/null
    as_user "$bin/pg_ctl" --pgdata="$work/data" --log="$work/server.log" --silent --wait start ||
        die "the server did not start: $(cat "$work/server.log")"
    export PGHOST=$work/socket PGPORT=5432 PGUSER=postgres PGDATABASE=postgres PATH=$bin:$PATH
}
