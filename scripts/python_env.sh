#!/bin/sh
# Makes an environment of Python tests, and prints the path of its interpreter last; nothing if it cannot be made.
#   python_env.sh         build/python-env: numpy, pytest and what the package works with
#   python_env.sh spark   build/spark-env: pyspark and what it needs; Java 17 or later must be there
# What cannot be had is told by name: `skipped: NAME (reason)`.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/pythons.sh
case "${1:-}" in
    spark)
        env=$PWD/build/spark-env
        title="all Spark tests"
        needed="cmake numpy pytest pyspark==4.2.0 pandas<3 pyarrow"
        optional=""
        ;;
    *)
        env=$PWD/build/python-env
        title="all Python tests"
        needed="cmake numpy pytest"
        optional="pytest-xdist scikit-learn scipy river pandas polars pyarrow matplotlib mkdocs-material mkdocstrings-python black mypy"
        ;;
esac
stamp=$env/installed
log=$env.log

skip() { echo "skipped: $1 ($2)" >&2; }
none() {
    skip "$title" "$1"
    exit 0
}
pip() { "$env/bin/python" -m pip install -q --disable-pip-version-check --prefer-binary "$@" >"$log" 2>&1; }

mkdir -p build
if [ "${1:-}" = spark ]; then
    java=$(java -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p')
    [ "${java:-0}" -ge 17 ] || none "Java 17 or later was not found; Debian: openjdk-17-jre-headless"
fi
if [ ! -x "$env/bin/python" ]; then
    python=$(find_pythons 3.11 3.12 3.13 3.10 | head -n 1 | cut -d ' ' -f 2)
    [ -n "$python" ] || none "no Python from 3.10 to 3.13 with venv and pip was found; Debian: python3-venv"
    "$python" -m venv "$env" >"$log" 2>&1 || none "$python -m venv failed: $log"
fi
if [ "$(cat "$stamp" 2>/dev/null)" != "$needed $optional" ]; then
    # shellcheck disable=SC2086
    pip $needed || none "pip cannot install $needed: no network? $log"
    # all at once is quicker; where one is missing, one by one
    # shellcheck disable=SC2086
    if [ -z "$optional" ] || pip $optional; then
        echo "$needed $optional" >"$stamp"
    else
        for name in $optional; do
            pip "$name" || skip "Python tests with $name" "pip cannot install it: $(tail -n 1 "$log")"
        done
    fi
fi
echo "$env/bin/python"
