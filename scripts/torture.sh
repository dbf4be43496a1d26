#!/bin/sh
# What must never lose or damage a file, in full: failing allocations and system calls, kills, power failures; then the
# memory and time of hostile input. torture.sh BUILD; `make test` runs a part that is drawn from the same cases.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build/release}
export PYTHONDONTWRITEBYTECODE=1
failed=0
for test in fault_injection crash_test power_failure; do
    echo "== $test"
    python3 tests/torture/$test.py --sluice "$build/bin/sluice" --shim "$build/lib/fault_shim.so" || failed=1
done
echo "== hostile_input"
python3 tests/torture/hostile_input.py --sluice "$build/bin/sluice" || failed=1
echo "== hostile models and bin files with correct checksums"
(cd "$build" && bin/mutate_models -n 1000000 "$OLDPWD/tests/compat" "$OLDPWD/tests/fuzz/corpus/model" &&
    bin/mutate_models -b -n 1000000 "$OLDPWD/tests/fuzz/corpus/bin") || failed=1
echo "== how other programs read text"
sh scripts/peers.sh "$build" || failed=1
exit $failed
