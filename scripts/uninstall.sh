#!/bin/sh
# Removes what `make install` put there: the files of CMake's install manifest, below DESTDIR. uninstall.sh BUILD
set -eu
manifest=$1/install_manifest.txt
if [ ! -f "$manifest" ]; then
    echo "uninstall: $manifest is missing: nothing was installed from $1" >&2
    exit 1
fi
while IFS= read -r path || [ -n "$path" ]; do
    if [ -e "${DESTDIR:-}$path" ] || [ -L "${DESTDIR:-}$path" ]; then
        echo "removing ${DESTDIR:-}$path"
        rm -f "${DESTDIR:-}$path"
    fi
done <"$manifest"
