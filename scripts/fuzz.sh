#!/bin/sh
# Fuzzes every reader of bytes and loader, so many seconds each: with libFuzzer without sanitizers and with them, and with
# AFL++ where it is installed. Prints the executions of each; what was learned stays in build/corpus, finds in build/finds.
# fuzz.sh SECONDS [TARGET...]
set -eu
cd "$(dirname "$0")/.." || exit 1
seconds=${1:-60}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- libsvm ways vw jsonl csv text url quadratic bin packed model requests messages kept_row import label_file
sh scripts/setup.sh fuzz
builds="fuzz-fast fuzz"
command -v afl-fuzz >/dev/null 2>&1 && builds="$builds fuzz-afl"
programs=""
for target in "$@"; do programs="$programs fuzz_$target"; done
for build in $builds; do
    cmake --preset "$build" >/dev/null
    # shellcheck disable=SC2086
    AFL_QUIET=1 cmake --build --preset "$build" -j "$(nproc)" --target $programs >/dev/null
done
mkdir -p build/finds
export ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=0
export AFL_SKIP_CPUFREQ=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1

longest() { # bytes of an input: short ones are quick, and reach the same code
    case $1 in
    model) echo 4000 ;;
    bin) echo 400 ;;
    requests) echo 1500 ;;
    label_file) echo 20000 ;;
    *) echo 200 ;;
    esac
}

total=0
count() { # what, executions
    printf '%-24s %12s executions\n' "$1" "$2"
    total=$((total + $2))
}

for target in "$@"; do
    corpus=build/corpus/$target
    mkdir -p "$corpus"
    like=$target
    [ "$target" != ways ] || like=libsvm
    seeds=build/corpus/seeds-$target # inputs that once were trouble, and the least set that reaches what fuzzing has reached
    rm -rf "$seeds"
    mkdir -p "$seeds"
    cp "tests/fuzz/corpus/$like"/* "tests/fuzz/seeds/$like"/* "$seeds"
    dictionary=tests/fuzz/$target.dict
    [ -f "$dictionary" ] || dictionary=""
    for build in fuzz-fast fuzz; do
        log=build/finds/$target-$build.log
        "build/$build/bin/fuzz_$target" -max_total_time="$seconds" -max_len="$(longest "$target")" -timeout=20 -rss_limit_mb=2048 \
            -print_final_stats=1 -artifact_prefix="build/finds/$target-" ${dictionary:+"-dict=$dictionary"} "$corpus" "$seeds" \
            >"$log" 2>&1 || {
            tail -n 40 "$log"
            exit 1
        }
        count "$target $build" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
    done
    case $builds in
    *afl*)
        out=build/finds/afl-$target
        rm -rf "$out"
        afl-fuzz -i "$seeds" -o "$out" -V "$seconds" -G "$(longest "$target")" -t 5000 ${dictionary:+-x "$dictionary"} -- \
            "build/fuzz-afl/bin/fuzz_$target" \
            >"$out.log" 2>&1 || {
            tail -n 20 "$out.log"
            exit 1
        }
        count "$target fuzz-afl" "$(sed -n 's/^execs_done *: *//p' "$out/default/fuzzer_stats")"
        [ "$(find "$out/default/crashes" "$out/default/hangs" -name 'id*' | wc -l)" = 0 ] || {
            echo "AFL++ has finds: $out/default/crashes, $out/default/hangs"
            exit 1
        }
        ;;
    esac
done
echo "total: $total executions, 0 finds"
