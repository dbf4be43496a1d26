#!/bin/sh
# The long run of CI, after `make test`: other C libraries, other processors, no optional library, every kernel.
# ci-long.sh [bare] [kernels] [python] [musl] [aarch64] runs some of the parts; without arguments all.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/runs.sh
[ $# -gt 0 ] || set -- bare kernels python musl aarch64

for part in "$@"; do
    case $part in
    bare) # without any optional library: all tests that do not need one
        build bare
        tests bare "without optional libraries" -LE "numpy|browser|release"
        ;;
    kernels)
        for compiler in release clang; do
            build $compiler
            for kernels in portable avx2 avx512; do
                SLUICE_CPU=$kernels tests $compiler "with SLUICE_CPU=$kernels" -L kernels
            done
        done
        ;;
    python) # a million calls
        for preset in release asan tsan; do
            build $preset
        done
        python_sanitizers 1000000 100
        ;;
    musl)
        build musl
        tests musl "(musl)" -L kernels
        ;;
    aarch64)
        build aarch64
        tests aarch64 "(qemu)" -L kernels
        ;;
    *)
        echo "ci-long.sh: no part called $part" >&2
        exit 2
        ;;
    esac
done
finish
