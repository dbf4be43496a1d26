#!/bin/sh
# Compares the library that is built in build/release with that of the last tag (abidiff). docs/abi.md says what may change.
set -eu
cd "$(dirname "$0")/.." || exit 1
if ! command -v abidiff >/dev/null; then
    echo "abi: abidiff is missing (Debian: abigail-tools)" >&2
    exit 1
fi
tag=$(git describe --tags --abbrev=0 2>/dev/null || true)
if [ -z "$tag" ]; then
    echo "abi: there is no tag yet, so there is nothing to compare with"
    exit 0
fi
jobs=$(nproc 2>/dev/null || echo 2)
build() { # source folder, build folder: with debugging information, which abidiff reads the types from
    cmake -S "$1" -B "$2" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSLUICE_TESTS=OFF >/dev/null
    cmake --build "$2" --target sluice_shared -j "$jobs" >/dev/null
}
old=build/abi/$tag
mkdir -p "$old/source"
git archive "$tag" | tar -x -C "$old/source"
build "$old/source" "$old/build"
build . build/abi/now
echo "abi: comparing with $tag"
status=0
abidiff --headers-dir1 "$old/source/include" --headers-dir2 include "$old/build/libsluice.so" build/abi/now/libsluice.so || status=$?
# abidiff's status is a sum: 1 and 2 it failed, 4 the ABI changed, 8 it changed incompatibly
if [ $((status & 3)) -ne 0 ]; then
    echo "abi: abidiff failed (status $status)" >&2
    exit 1
elif [ $((status & 8)) -ne 0 ]; then
    echo "abi: incompatible with $tag: this needs a new SOVERSION (docs/abi.md)" >&2
    exit 1
elif [ $status -ne 0 ]; then
    echo "abi: changed since $tag; read above whether programs built against it still run"
else
    echo "abi: the same as $tag"
fi
