#!/bin/sh
# Installs what the build and the tests need, if something is missing: Debian packages, as root or with sudo.
# `setup.sh fuzz` and `setup.sh bench` add what those targets need.
set -eu

# the package, and a question whether it is there (commands and headers: quicker to ask than dpkg, and true on any system)
header() { printf '#include <%s>\n' "$1" | ${CC:-cc} -E -x c - >/dev/null 2>&1; }
python() { /usr/bin/python3 -c "import $1" >/dev/null 2>&1; }

missing=""
need() { # package, question...
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}

need gcc command -v cc
need libc6-dev header stdlib.h
need make command -v make
need cmake command -v cmake
need pkg-config command -v pkg-config
need zlib1g-dev header zlib.h
need libzstd-dev header zstd.h
need libbz2-dev header bzlib.h
need liblzma-dev header lzma.h
need libxxhash-dev header xxhash.h
need python3 command -v /usr/bin/python3
need python3-numpy python numpy
need libopenblas0-pthread python 'ctypes; ctypes.CDLL("libopenblas.so.0")'
need zstd command -v zstd
if [ "${1:-}" = bench ]; then
    need liblinear-tools command -v liblinear-train
    need python3-venv sh -c '/usr/bin/python3 -c "import ensurepip, venv"'
fi
if [ "${1:-}" = fuzz ]; then
    need clang command -v clang
    need libclang-rt-14-dev sh -c 'echo "int main(void){return 0;}" | clang -fsanitize=address -x c - -o /dev/null'
fi

[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    run=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    run="sudo"
else
    run="none"
fi
if [ "$run" = none ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "sluice needs these packages (names as in Debian); please install them:$missing" >&2
    exit 1
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
{ $run apt-get update && $run apt-get install -y --no-install-recommends $missing; } >"${TMPDIR:-/tmp}/sluice-setup.log" 2>&1 || {
    tail -n 20 "${TMPDIR:-/tmp}/sluice-setup.log" >&2
    echo "the installation failed; the whole log is in ${TMPDIR:-/tmp}/sluice-setup.log" >&2
    exit 1
}
