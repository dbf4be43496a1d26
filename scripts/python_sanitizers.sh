#!/bin/sh
# The Python extension under sanitizers, on the sanitizers' builds of the library (build/asan, build/tsan), and the memory of
# the extension as released (build/release). python_sanitizers.sh PYTHON [CALLS [ROUNDS]]
# What only the interpreter or numpy did is theirs: a leak counts if a function of the extension or of the library is among
# the callers, a race if one of its accesses is in their code.
set -u
cd "$(dirname "$0")/.." || exit 1
python=$1
calls=${2:-1000000}
rounds=${3:-50}
checks=python/tests/sanitizers
failed=0
passed=0
result() { # status, title
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
        echo "      Passed: $2"
    else
        failed=$((failed + 1))
        echo "      FAILED: $2"
    fi
}
package() { # preset, cmake options...: the package in build/python-PRESET/package
    preset=$1
    shift
    PYTHON=$python SLUICE_BUILD=build/$preset TO=build/python-$preset/package sh scripts/python_build.sh "build/python-$preset" "$@"
}
preload() { ${CC:-cc} -print-file-name="$1"; }

# ---- flat memory, as released
if package release; then
    PYTHONPATH=build/python-release/package "$python" $checks/many_calls.py "$calls"
    result $? "memory stays flat over $calls calls"
else
    result 1 "the build for flat memory"
fi

# ---- AddressSanitizer, UndefinedBehaviorSanitizer and leaks
# Two runs: with plain stacks over all calls; and a short one whose stacks reach through the interpreter, so that an object
# that the interpreter made and the extension lost is seen too (unwinding for each malloc is slow).
leaks() { # title, unwinder's option, calls
    log=build/python-asan/leaks.log
    LD_PRELOAD=$(preload libasan.so) PYTHONMALLOC=malloc PYTHONPATH=build/python-asan/package \
        ASAN_OPTIONS="detect_leaks=1:quarantine_size_mb=16:$2" LSAN_OPTIONS=exitcode=0:max_leaks=0:report_objects=0 \
        UBSAN_OPTIONS=print_stacktrace=1 "$python" $checks/many_calls.py "$3" --no-memory >$log 2>&1
    status=$?
    grep ' calls, ' $log
    # records of leaks are paragraphs
    ours=$(awk -v RS= -v tree="$PWD/" '/^(Direct|Indirect) leak/ && (/_sluice\.abi3\.so/ || index($0, tree "python/ext/") || index($0, tree "src/"))' $log)
    if [ -n "$ours" ]; then
        echo "$ours" | head -n 60
        status=1
    elif [ $status != 0 ]; then
        tail -n 60 $log
    fi
    result $status "$1"
}
if package asan -DSLUICE_SANITIZE=address,undefined; then
    leaks "ASan, UBSan and leaks over $calls calls" fast_unwind_on_malloc=1 "$calls"
    leaks "leaks of the interpreter's objects" fast_unwind_on_malloc=0:malloc_context_size=12 "$((calls / 200 + 2000))"
else
    result 1 "the build with ASan"
fi

# ---- ThreadSanitizer
if package tsan -DSLUICE_SANITIZE=thread; then
    log=build/python-tsan/races.log
    LD_PRELOAD=$(preload libtsan.so) PYTHONPATH=build/python-tsan/package OPENBLAS_NUM_THREADS=1 \
        TSAN_OPTIONS="ignore_noninstrumented_modules=1:report_signal_unsafe=0:exitcode=66" \
        "$python" $checks/many_threads.py "$rounds" >$log 2>&1
    status=$?
    grep 'the same answers' $log
    [ $status = 0 ] || head -n 80 $log
    result $status "TSan: threads that predict and one that learns"
else
    result 1 "the build with TSan"
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
