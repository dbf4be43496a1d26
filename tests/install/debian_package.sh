#!/bin/sh
# Makes the Debian package of a build and looks at what is in it. debian_package.sh BUILD
set -eu
build=$1
for program in cpack dpkg-deb dpkg-shlibdeps; do
    command -v $program >/dev/null || {
        echo "skipped: $program is not installed"
        exit 77
    }
done
folder=$(mktemp -d "${TMPDIR:-/tmp}/sluice-deb.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$folder" >"$folder/log" 2>&1 || {
    cat "$folder/log"
    exit 1
}
package=$(ls "$folder"/sluiceway_*.deb)
field() { dpkg-deb -f "$package" "$1"; }
expect() { # what, pattern, text
    echo "$3" | grep -Eq "$2" || {
        echo "debian_package: $1: no $2 in: $3" >&2
        exit 1
    }
}
expect name '^sluiceway$' "$(field Package)"
expect conflicts '(^| )sluice($|,)' "$(field Conflicts)" # Debian's other program of this name
expect depends 'libc6' "$(field Depends)"
dpkg-deb -x "$package" "$folder/root"
expect version "^sluice $(field Version | sed 's/[.]/[.]/g')" "$("$folder/root/usr/bin/sluice" --version)"
for file in include/sluice.h lib/libsluice.so share/man/man1/sluice-train.1 share/bash-completion/completions/sluice; do
    [ -s "$folder/root/usr/$file" ] || {
        echo "debian_package: $file is missing" >&2
        exit 1
    }
done
