#!/bin/sh
# Runs the tests in a build that counts, and prints lines and branches per folder. Fails below the limits, which are
# environment variables: LINES_LIMIT (per cent, all of src and cli), BRANCHES_LIMIT (src/io and src/file).
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/runs.sh
build coverage
find build/coverage -name '*.gcda' -delete
tests coverage "" -LE "browser|release|numpy"
gcovr --root . --object-directory build/coverage --filter 'src/' --filter 'cli/' --exclude-throw-branches \
    --json-summary build/coverage/summary.json --html-details build/coverage/report.html -j "$jobs" >build/coverage/gcovr.log 2>&1 || {
    tail -n 20 build/coverage/gcovr.log
    exit 1
}
python3 scripts/coverage_table.py build/coverage/summary.json "${LINES_LIMIT:-0}" "${BRANCHES_LIMIT:-0}" || failed=$((failed + 1))
echo "the report: build/coverage/report.html"
finish
