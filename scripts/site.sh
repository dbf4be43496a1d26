#!/bin/sh
# Builds the documentation site of the Python package: site.sh [FOLDER] (build/site). It is read without network or server.
# The environment is that of the Python tests (python_env.sh); the library is that of the release build.
set -eu
cd "$(dirname "$0")/.."
folder=$PWD/${1:-build/site}
python=$(sh scripts/python_env.sh)
[ -n "$python" ] || exit 1 # it said why
"$python" -c 'import mkdocs, material, mkdocstrings_handlers.python, sklearn, matplotlib, river, pandas' || {
    echo "site.sh: the site needs these packages in build/python-env" >&2
    exit 1
}
PYTHON=$python SLUICE_BUILD=build/release sh scripts/python_build.sh build/python
PYTHONPATH=python/src NO_MKDOCS_2_WARNING=1 "$python" -m mkdocs build --strict -q -f python/mkdocs.yml -d "$folder"
echo "$folder/index.html"
