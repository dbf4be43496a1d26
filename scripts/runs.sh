#!/bin/sh
# Read by test.sh and ci-long.sh: builds, runs of ctest, and their count.
#   build PRESET [cmake options...]      configures and builds; exits if that fails
#   tests PRESET TITLE [ctest options]   runs tests of a build and counts them
#   run PRESET [ctest options]           both
#   python_tests PRESET                  the tests of the Python package with the library of a build, counted too
#   spark_tests PRESET                   the tests of sluiceway.spark, likewise
#   python_sanitizers [CALLS ROUNDS]     the Python extension on the builds release, asan and tsan, counted too
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
    if [ ! -e build/"$preset"/CMakeCache.txt ]; then # whatever there is that is quicker
        ! command -v ninja >/dev/null || set -- -G Ninja "$@"
        ! command -v ccache >/dev/null || set -- -DCMAKE_C_COMPILER_LAUNCHER=ccache "$@"
    fi
    { cmake --preset "$preset" -DSLUICE_TESTS=ON -DSLUICE_EXAMPLES=ON -DSLUICE_WERROR=$werror "$@" >build/"$preset".log &&
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
    sed -n 's/^skipped: /== tests were skipped: /p' build/"$folder"/Testing/Temporary/LastTest.log | sort -u
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

# One count for everything: status and log, whose last line has counts. A test that pytest calls an error failed.
add_counts() {
    last=$(tail -n 1 "$2")
    count() { echo "$last" | grep -oE "[0-9]+ $1" | grep -oE '^[0-9]+' || echo 0; }
    now_failed=$(($(count failed) + $(count error)))
    [ "$1" = 0 ] || [ $now_failed != 0 ] || now_failed=1 # it ended otherwise
    passed=$((passed + $(count passed)))
    failed=$((failed + now_failed))
}

python_tests() {
    python=$(sh scripts/python_env.sh)
    [ -n "$python" ] || return # it said why
    echo "== python: $("$python" --version)"
    log=build/python-tests.log
    PYTHON=$python SLUICE_BUILD=build/$1 sh scripts/python_build.sh build/python -DSLUICE_WERROR=$werror || {
        echo "== the python build failed"
        exit 1
    }
    side_by_side=""
    ! "$python" -c 'import xdist' 2>/dev/null || side_by_side="-n $jobs"
    # shellcheck disable=SC2086
    PYTHONPATH=python/src PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -q -rfEs -p no:cacheprovider $side_by_side \
        --ignore=python/tests/spark --ignore=python/src/sluiceway/spark --doctest-modules python/tests python/src >$log 2>&1
    status=$?
    grep -vE '^[.sFEx]* *\[ *[0-9]+%\]$' $log # all but the dots
    add_counts $status $log
}

spark_tests() {
    python=$(sh scripts/python_env.sh spark)
    [ -n "$python" ] || return # it said why
    echo "== spark: $("$python" -c 'import pyspark; print("pyspark", pyspark.__version__)')"
    log=$PWD/build/spark-tests.log
    PYTHON=$python SLUICE_BUILD=build/$1 sh scripts/python_build.sh build/python-spark -DSLUICE_WERROR=$werror || {
        echo "== the python build failed"
        exit 1
    }
    # one process: all tests share one session
    src=$PWD/python/src # executors have folders of their own
    (cd python/tests/spark && PYTHONPATH=$src:. PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -q -rfEs -p no:cacheprovider -p spark_session \
        . >"$log" 2>&1)
    status=$?
    grep -vE '^[.sFEx]* *\[ *[0-9]+%\]$' "$log"
    add_counts $status "$log"
}

python_sanitizers() {
    python=$(sh scripts/python_env.sh)
    [ -n "$python" ] || return
    echo "== python with sanitizers"
    log=build/python-sanitizers.log
    sh scripts/python_sanitizers.sh "$python" "$@" >$log 2>&1
    status=$?
    sed '$d' $log # all but its count
    add_counts $status $log
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}
