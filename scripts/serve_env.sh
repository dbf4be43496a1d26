#!/bin/sh
# The environment of the tests that ask `sluice serve` with the clients of others: build/serve-env, with tritonclient,
# schemathesis and prometheus_client.
#   serve_env.sh                       makes it
#   serve_env.sh SCRIPT [ARGUMENT...]  runs a script of Python in it
# What cannot be had is told by name: `skipped: NAME (reason)`; the status is 77 then.
set -u
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
env=$root/build/serve-env
log=$root/build/serve-env.log
packages="tritonclient[http] schemathesis prometheus_client"
stamp=$env/installed

skip() {
    echo "skipped: $1 ($2)"
    exit 77
}
if [ $# != 0 ]; then
    [ -x "$env/bin/python" ] || skip "$(basename "$1" .py)" "it runs in build/serve-env, which could not be made"
    PYTHONDONTWRITEBYTECODE=1 exec "$env/bin/python" "$@"
fi

. "$root/scripts/pythons.sh"
pip() { "$env/bin/python" -m pip install -q --disable-pip-version-check --prefer-binary "$@" >"$log" 2>&1; }

mkdir -p "$root/build"
[ "$(cat "$stamp" 2>/dev/null)" != "$packages" ] || exit 0
if [ ! -x "$env/bin/python" ]; then
    python=$(find_pythons 3.11 3.12 3.13 3.10 | head -n 1 | cut -d ' ' -f 2)
    [ -n "$python" ] || skip "clients of sluice serve" "no Python from 3.10 to 3.13 with venv and pip was found; Debian: python3-venv"
    "$python" -m venv "$env" >"$log" 2>&1 || skip "clients of sluice serve" "$python -m venv failed: $log"
fi
# all at once is quicker; where one is missing, one by one: a test without its package says so
# shellcheck disable=SC2086
if pip $packages; then
    echo "$packages" >"$stamp"
    exit 0
fi
status=0
for name in $packages; do
    pip "$name" || {
        echo "skipped: tests with $name (pip cannot install it: $(tail -n 1 "$log"))"
        status=77
    }
done
exit $status
