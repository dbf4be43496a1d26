#!/bin/sh
# Builds and runs all tests three times: as released, with Address- and UndefinedBehaviorSanitizer, with ThreadSanitizer.
# The numpy comparison runs on the release build alone: it asks about arithmetic, not about memory.
set -u
cd "$(dirname "$0")/.."
jobs=$(nproc 2>/dev/null || echo 2)
werror=OFF
[ -z "${CI:-}" ] || werror=ON
passed=0
failed=0

run() { # preset, ctest options...
    preset=$1
    shift
    echo "== $preset"
    cmake --preset "$preset" -DSLUICE_WERROR=$werror >/dev/null && MAKEFLAGS= cmake --build --preset "$preset" -j "$jobs" >build/"$preset".log 2>&1 || {
        tail -n 40 build/"$preset".log
        echo "== the $preset build failed"
        exit 1
    }
    ctest --test-dir build/"$preset" -j "$jobs" --timeout 300 --output-on-failure "$@" 2>&1 | tee build/"$preset"-tests.log | grep -v 'Start '
    counts=$(sed -n 's/.*tests passed, \([0-9]*\) tests failed out of \([0-9]*\)$/\1 \2/p' build/"$preset"-tests.log)
    [ -n "$counts" ] || exit 1
    failed=$((failed + ${counts% *}))
    passed=$((passed + ${counts#* } - ${counts% *}))
}

mkdir -p build
run release
run asan -LE "numpy|release"
run tsan -LE "numpy|release"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
