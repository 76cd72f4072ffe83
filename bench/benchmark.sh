# Sourced by the benchmarks: a throwaway server with uuidx and the functions that it is compared with, on which
# bench/NAME.sql runs.
#
#   bench/NAME [ROUNDS [SCALE]]   a scale of 0.1 is a tenth of the UUIDs or rows
#   PG_CONFIG=... chooses the server

. "$(dirname "${BASH_SOURCE[0]}")/../scripts/throwaway.sh"
settings=('shared_buffers = 2GB' 'work_mem = 256MB' 'maintenance_work_mem = 1GB' 'max_wal_size = 16GB'
    'max_parallel_maintenance_workers = 0' 'autovacuum = off' 'jit = off')

as_psql() { as_user psql --quiet --no-psqlrc --set=ON_ERROR_STOP=1 "$@"; }

# benchmark ROUNDS SCALE [PACKAGE...]: runs the SQL file of this script.
benchmark() {
    throwaway_server "${@:3}"
    as_user make --silent all install >"$work/build.log" 2>&1 || die "the build failed: $(cat "$work/build.log")"
    as_user make --silent --directory=bench/peers all install >"$work/build.log" 2>&1 ||
        die "the build of the peers failed: $(cat "$work/build.log")"
    start_server "${settings[@]}"
    rounds=$1
    arguments="$1 $2"
    say "$("$PG_CONFIG" --version), $(nproc) cores, $rounds rounds ..."
    as_psql --set=rounds="$rounds" --set=scale="$2" --file="$source/bench/rounds.sql" \
        --file="$source/bench/$(basename "$0").sql"
}

query() { as_psql --no-align --tuples-only --field-separator=$'\t' --command="$1"; }

# Lines of values with tabs between them, as the rows of a table of Markdown.
rows() { sed 's/\t/ | /g; s/.*/| & |/'; }

# When, how and where it was measured.
place() {
    printf 'Measured on %s by [`bench/%s`](method.md#bench%s)\non PostgreSQL %s: %s, %s cores, %s GB of memory, %s.\n' "$(date --utc '+%-d %B %Y')" \
        "$(basename "$0") $arguments" "$(basename "$0")" "$(query "SELECT split_part(current_setting('server_version'), ' ', 1)")" \
        "$(lscpu | sed -n 's/^Model name: *//p' | head -n 1)" "$(nproc)" \
        "$(awk '/^MemTotal/ { printf "%.0f", $2 / 1024 ^ 2 }' /proc/meminfo)" \
        "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)"
}

# section TITLE: puts what it reads in the place of this section of the page of benchmarks.
section() {
    local page=$project/docs/benchmarks/README.md
    grep --quiet --line-regexp --fixed-strings "## $1" "$page" || die "docs/benchmarks/README.md has no section $1"
    { printf '## %s\n\n' "$1" && cat && echo; } >"$work/section"
    awk -v title="## $1" -v section="$work/section" '
        /^## / { mine = $0 == title; if (mine) while ((getline line < section) > 0) print line }
        !mine' "$page" | sed '${/^$/d}' >"$work/page" && cat "$work/page" >"$page"
}

# Prints how the goals were met, and fails if one was not.
goals() {
    as_psql --command='SELECT * FROM goals'
    [ "$(query "SELECT count(*) FROM goals WHERE verdict <> 'met'")" -eq 0 ]
}
