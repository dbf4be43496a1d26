#!/bin/sh
# Read by test.sh and ci-long.sh: builds, runs of ctest, and their count.
#   build PRESET [cmake options...]      configures and builds; exits if that fails
#   tests PRESET TITLE [ctest options]   runs tests of a build and counts them
#   run PRESET [ctest options]           both
#   finish                               prints the counts; the status says whether all passed
jobs=$(nproc 2>/dev/null || echo 2)
passed=0
failed=0
werror=OFF
[ -z "${CI:-}" ] || werror=ON
mkdir -p build

build() {
    preset=$1
    shift
    { cmake --preset "$preset" -DSLUICE_WERROR=$werror "$@" >build/"$preset".log &&
        MAKEFLAGS='' cmake --build --preset "$preset" -j "$jobs" >>build/"$preset".log 2>&1; } || {
        tail -n 40 build/"$preset".log
        echo "== the $preset build failed"
        exit 1
    }
}

# The limit of half an hour is there to end what hangs; no test needs it on a machine that is merely busy.
tests() {
    folder=$1
    echo "== $1 $2"
    shift 2
    ctest --test-dir build/"$folder" -j "$jobs" --timeout 1800 --output-on-failure "$@" 2>&1 | tee build/"$folder"-tests.log | grep -v 'Start '
    counts=$(sed -n 's/.*tests passed, \([0-9]*\) tests failed out of \([0-9]*\)$/\1 \2/p' build/"$folder"-tests.log)
    if [ -z "$counts" ]; then
        echo "== no tests were run"
        exit 1
    fi
    failed=$((failed + ${counts% *}))
    passed=$((passed + ${counts#* } - ${counts% *}))
}

run() {
    name=$1
    shift
    build "$name"
    tests "$name" "" "$@"
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}
