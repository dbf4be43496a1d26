#!/bin/sh
# Compares how sluice and other programs read random text, and what they predict with exported models (tests/peers).
# peers.sh BUILD [CASES]. Python's packages are installed into build/peers, where that can be done; peers that are
# missing are left out, and the output says so.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build/release}
cases=${2:-20000}
export PYTHONDONTWRITEBYTECODE=1
sh scripts/setup.sh peers || echo "some peers cannot be installed here"
python=build/peers/bin/python
if ! $python -c 'import sklearn, pandas, vowpalwabbit, onnx, onnxruntime' 2>/dev/null; then
    /usr/bin/python3 -m venv build/peers && build/peers/bin/pip -q install scikit-learn pandas vowpalwabbit onnx onnxruntime ||
        echo "Python's packages cannot be installed here"
fi
[ -x $python ] || python=/usr/bin/python3
failed=0
$python tests/peers/run_peers.py --library "$build/libsluice.so" --cases "$cases" || failed=1
$python tests/peers/export_peers.py --sluice "$build/bin/sluice" || failed=1
exit $failed
