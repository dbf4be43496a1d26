#!/bin/sh
# What must never lose a model, in full: failing allocations and system calls. torture.sh BUILD; the part of it that
# `make test` runs is drawn from the same cases.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build/release}
export PYTHONDONTWRITEBYTECODE=1
failed=0
for test in fault_injection; do
    echo "== $test"
    python3 tests/torture/$test.py --sluice "$build/bin/sluice" --shim "$build/lib/fault_shim.so" || failed=1
done
exit $failed
