#!/bin/sh
# Fuzzes every reader of bytes for so many seconds each (libFuzzer, with the sanitizers); new finds stay in build/fuzz/corpus.
set -eu
cd "$(dirname "$0")/.." || exit 1
seconds=$1
sh scripts/setup.sh fuzz
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz -j "$(nproc)" >/dev/null
for target in libsvm ways vw jsonl csv text url bin model; do
    corpus=build/fuzz/corpus/$target
    mkdir -p "$corpus"
    seeds=tests/fuzz/corpus/$target
    [ "$target" != ways ] || seeds=tests/fuzz/corpus/libsvm
    echo "== $target, $seconds s"
    build/fuzz/bin/fuzz_$target -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix=build/fuzz/ "$corpus" "$seeds" 2>build/fuzz/$target.log || {
        tail -n 40 build/fuzz/$target.log
        exit 1
    }
    grep -E 'stat::number_of_executed_units|DONE' build/fuzz/$target.log
done
