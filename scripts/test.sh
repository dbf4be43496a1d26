#!/bin/sh
# Builds and runs all tests: as released, with Address- and UndefinedBehaviorSanitizer, with ThreadSanitizer; then, of those
# that depend on the compiler or on machine-specific code, again with clang and with other kernels (SLUICE_CPU).
# The tests of the Python package run once, with the library as released.
# The numpy comparison runs on the release build alone: it asks about arithmetic, not about memory.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/runs.sh

build release -DSLUICE_BENCH=ON # the benchmarks compile
tests release ""
python_tests release
spark_tests release
run asan -LE "numpy|release"
run tsan -LE "numpy|release|untsan"
python_sanitizers 100000 10
if command -v clang >/dev/null; then
    run clang -L "kernels" # unit tests and conformance
else
    echo "== clang is missing: its build is left out"
fi
for kernels in portable avx2; do
    SLUICE_CPU=$kernels tests release "with SLUICE_CPU=$kernels" -L kernels
done
finish
