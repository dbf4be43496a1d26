#!/bin/sh
# Makes the environment of the Python tests: build/python-env, with numpy, pytest and what the package works with.
# What cannot be had is told by name: `skipped: NAME (reason)`. Prints the interpreter's path last; nothing if there is none.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/pythons.sh
env=$PWD/build/python-env
needed="cmake numpy pytest"
optional="pytest-xdist scikit-learn scipy river pandas polars pyarrow matplotlib mkdocs-material mkdocstrings-python black mypy"
stamp=$env/installed

skip() { echo "skipped: $1 ($2)" >&2; }
none() {
    skip "all Python tests" "$1"
    exit 0
}
pip() { "$env/bin/python" -m pip install -q --disable-pip-version-check --prefer-binary "$@" >build/python-env.log 2>&1; }

mkdir -p build
if [ ! -x "$env/bin/python" ]; then
    python=$(find_pythons 3.11 3.12 3.13 3.10 | head -n 1 | cut -d ' ' -f 2)
    [ -n "$python" ] || none "no Python from 3.10 to 3.13 with venv and pip was found; Debian: python3-venv"
    "$python" -m venv "$env" >build/python-env.log 2>&1 || none "$python -m venv failed: build/python-env.log"
fi
if [ "$(cat "$stamp" 2>/dev/null)" != "$needed $optional" ]; then
    # shellcheck disable=SC2086
    pip $needed || none "pip cannot install $needed: no network?"
    # all at once is quicker; where one is missing, one by one
    # shellcheck disable=SC2086
    if pip $optional; then
        echo "$needed $optional" >"$stamp"
    else
        for name in $optional; do
            pip "$name" || skip "Python tests with $name" "pip cannot install it: $(tail -n 1 build/python-env.log)"
        done
    fi
fi
echo "$env/bin/python"
