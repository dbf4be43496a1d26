#!/bin/sh
# Builds the Python extension and puts it, with the program, into python/src/sluiceway, where PYTHONPATH=python/src finds it.
# python_build.sh [FOLDER [cmake options...]]: FOLDER (build/python) keeps the build. In the environment:
#   PYTHON         the interpreter (python3); its package `cmake` is used where the system's CMake is older than 3.26
#   SLUICE_BUILD   a build of the C tree, for example build/release: its library and program are taken as they are
#   TO             a folder that gets a copy of the package instead, for PYTHONPATH
set -eu
cd "$(dirname "$0")/.."
folder=${1:-build/python}
[ $# = 0 ] || shift
python=${PYTHON:-python3}
cmake=cmake
recent() { "$1" --version 2>/dev/null | awk 'NR == 1 { split($3, v, "."); new = v[1] > 3 || v[2] >= 26 } END { exit !new }'; }
if ! recent cmake; then
    cmake=$("$python" -c 'import cmake; print(cmake.CMAKE_BIN_DIR)' 2>/dev/null)/cmake || cmake=none
    recent "$cmake" || {
        echo "python_build.sh: CMake 3.26 or later is needed: $python -m pip install cmake" >&2
        exit 1
    }
fi
if [ ! -e "$folder/CMakeCache.txt" ]; then
    ! command -v ninja >/dev/null || set -- -G Ninja "$@"
    ! command -v ccache >/dev/null || set -- -DCMAKE_C_COMPILER_LAUNCHER=ccache "$@"
fi
[ -z "${SLUICE_BUILD:-}" ] || SLUICE_BUILD=$(cd "$SLUICE_BUILD" && pwd)
mkdir -p "$(dirname "$folder")"
build() {
    "$cmake" -S python -B "$folder" -DPython_EXECUTABLE="$(command -v "$python")" -DSLUICE_BUILD="${SLUICE_BUILD:-}" "$@" &&
        "$cmake" --build "$folder" -j "$(nproc 2>/dev/null || echo 2)"
}
build "$@" >"$folder.log" 2>&1 || {
    tail -n 40 "$folder.log" >&2
    exit 1
}
to=python/src/sluiceway
if [ -n "${TO:-}" ]; then
    rm -rf "$TO/sluiceway"
    mkdir -p "$TO"
    cp -R $to "$TO/"
    to=$TO/sluiceway
fi
mkdir -p "$to/bin"
cp "$folder"/_sluice*.so "$to/"
cp "${SLUICE_BUILD:-$folder/sluice}"/bin/sluice "$to/bin/"
