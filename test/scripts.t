#!/usr/bin/env bash
# scripts/demo as a person runs it: in a terminal of 80 columns. Prints TAP.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
output=$(mktemp)
trap 'rm -f "$output"' EXIT
tests=0 failures=0

check() {
    local what=$1 result=ok
    shift
    "$@" || result='not ok'
    tests=$((tests + 1))
    echo "$result $tests - $what"
    if [ "$result" != ok ]; then
        failures=$((failures + 1))
        sed 's/^/# /' "$output"
    fi
}

in_terminal() {
    TERM=xterm timeout 300 script --quiet --return --command "stty cols 80 rows 24; $1" /dev/null \
        </dev/null >"$output" 2>&1
}

folders() { find /tmp -maxdepth 1 -name 'uuidx.*' | sort; }

# The events table at the end, by the times inside its keys.
is_chronological() {
    sed -n '/^4\. /,$p' "$output" | grep -oE '[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:.]+\+00' >"$output.times"
    [ "$(wc -l <"$output.times")" -eq 7 ] && sort --check "$output.times"
}

before=$(folders)
check 'scripts/demo ends well in a terminal' in_terminal scripts/demo
check 'it shows seven version 1 keys in chronological order as version 6' is_chronological
check 'scripts/demo --psql leaves one in psql' in_terminal "echo 'SELECT uuid_version(uuid_generate_v7());' | scripts/demo --psql"
check 'where uuidx is installed' grep -qE '^ +7' "$output"
check 'nothing is left behind' test "$(folders)" = "$before"
rm -f "$output.times"

echo "1..$tests"
exit $((failures > 0))
