#!/bin/sh
# Read by wheel.sh and others.
#   find_pythons VERSION...   prints a line `VERSION PATH` for each version that has an interpreter with venv: on PATH, in
#                             /usr/bin, or pyenv's
find_pythons() {
    for wanted in "$@"; do
        for candidate in "python$wanted" "/usr/bin/python$wanted" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$wanted".*/bin/python; do
            path=$(command -v "$candidate") || continue
            "$path" -c "import ensurepip, sys, venv; sys.exit('%d.%d' % sys.version_info[:2] != '$wanted')" 2>/dev/null || continue
            echo "$wanted $path"
            break
        done
    done
}
