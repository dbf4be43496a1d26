#!/bin/sh
# Installs what the build needs, if something is missing: Debian packages, as root or with sudo; else it names them.
# setup.sh [check] [test] [deb] [kafka] [fuzz] [peers] [bench] [wheel] [lint] [coverage] [long] [abi] adds what those targets need.
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

# Packages without which something is left out, and everything else is built and runs: not every system has them.
wanted=""
want() { # package, question...
    package=$1
    shift
    "$@" >/dev/null 2>&1 || wanted="$wanted $package"
}
browser() {
    for name in chromium-headless-shell chromium chromium-browser google-chrome; do
        command -v $name && return
    done
    return 1
}
links_asan() { echo "int main(void) { return 0; }" | clang -fsanitize=address -x c - -o /dev/null; }

want libxxhash-dev header xxhash.h
want zlib1g-dev header zlib.h
want libisal-dev header isa-l/igzip_lib.h # gzip, faster than zlib
want libzstd-dev header zstd.h
want libbz2-dev header bzlib.h
want liblzma-dev header lzma.h
want librdkafka-dev header librdkafka/rdkafka.h # Kafka
want libmicrohttpd-dev header microhttpd.h # sluice serve
want libsqlite3-dev header sqlite3.h       # and its labels that come later
need_checks() { # what all but building takes
    need python3 command -v /usr/bin/python3
    need python3-numpy python numpy
    need libopenblas0-pthread python 'ctypes; ctypes.CDLL("libopenblas.so.0")'
    need zstd command -v zstd
}
want_broker() { # of Kafka, which Maven fetches
    want default-jre-headless command -v java
    want maven command -v mvn
}

for target in "$@"; do
    [ "$target" = deb ] || need_checks
    case $target in
    check) ;;
    test)
        want chromium-headless-shell browser
        want clang command -v clang
        want g++ command -v c++
        want python3-venv /usr/bin/python3 -c 'import ensurepip, venv'
        want zsh command -v zsh # completion is tested in each shell
        want fish command -v fish
        want prometheus command -v promtool # checks metrics and rules of alerts
        want_broker
        ;;
    deb)
        need dpkg-dev command -v dpkg-shlibdeps
        ;;
    kafka)
        want_broker
        ;;
    fuzz)
        need clang command -v clang
        need libclang-rt-14-dev links_asan
        want afl++ command -v afl-fuzz
        ;;
    peers) # beside them scripts/peers.sh installs scikit-learn, pandas, vowpalwabbit, onnx and onnxruntime with pip
        want liblinear-tools command -v liblinear-train
        want python3-venv /usr/bin/python3 -c 'import ensurepip, venv'
        ;;
    bench)
        need liblinear-tools command -v liblinear-train
        need python3-venv /usr/bin/python3 -c 'import ensurepip, venv'
        ;;
    wheel)
        want python3-venv /usr/bin/python3 -c 'import ensurepip, venv'
        ;;
    lint)
        need clang command -v clang
        need clang-format command -v clang-format
        need clang-tidy command -v clang-tidy
        need shellcheck command -v shellcheck
        need git command -v git
        ;;
    coverage)
        need gcovr command -v gcovr
        ;;
    long)
        need clang command -v clang
        need musl-tools command -v musl-gcc
        need gcc-aarch64-linux-gnu command -v aarch64-linux-gnu-gcc
        need libc6-dev-arm64-cross test -e /usr/aarch64-linux-gnu/include/stdlib.h
        need qemu-user command -v qemu-aarch64
        ;;
    abi)
        need abigail-tools command -v abidiff
        need git command -v git
        ;;
    *)
        echo "setup.sh: no target called $target" >&2
        exit 2
        ;;
    esac
done

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
    echo "sluice needs these packages (names as in Debian), and they cannot be installed here without root or sudo:$missing" >&2
    echo "Please have them installed, for example: apt-get install$missing" >&2
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
[ -n "$wanted" ] || exit 0
# shellcheck disable=SC2086
if [ "$run" != none ] && ! install $wanted; then # one that this system does not have stops all
    left=""
    for package in $wanted; do install "$package" || left="$left $package"; done
    wanted=$left
elif [ "$run" != none ]; then
    wanted=""
fi
[ -z "$wanted" ] || echo "not installed, and what needs them is left out:$wanted" >&2
