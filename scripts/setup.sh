#!/bin/sh
# Installs what the build and the tests need, if something is missing: Debian packages, as root or with sudo.
# `setup.sh test`, `setup.sh fuzz` and `setup.sh bench` add what those targets need.
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

# without a browser the pages are not looked at, and all other tests run: not every system has a package of it
wanted=""
if [ "${1:-}" = test ]; then
    wanted=chromium-headless-shell
    for browser in chromium-headless-shell chromium chromium-browser google-chrome; do
        command -v $browser >/dev/null && wanted=""
    done
fi

[ -n "$missing$wanted" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    run=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    run="sudo"
else
    run="none"
fi
command -v apt-get >/dev/null 2>&1 || run="none"
if [ "$run" = none ] && [ -n "$missing" ]; then
    echo "sluice needs these packages (names as in Debian); please install them:$missing" >&2
    exit 1
fi
log=$(mktemp "${TMPDIR:-/tmp}/sluice-setup.XXXXXX")
install() {
    echo "installing: $*"
    { $run apt-get update && $run env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"; } >"$log" 2>&1
}
# shellcheck disable=SC2086
[ -z "$missing" ] || install $missing || {
    tail -n 20 "$log" >&2
    echo "the installation failed; the whole log is in $log" >&2
    exit 1
}
[ -z "$wanted" ] || { [ "$run" != none ] && install "$wanted"; } || echo "no $wanted: the pages are not looked at in a browser" >&2
