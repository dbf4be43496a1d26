"""The package as it is installed: what its import brings, its version, the program it carries."""
import os
import re
import stat
import subprocess
import sys
from importlib import metadata

import pytest
import sluiceway

OPTIONAL = ["sklearn", "scipy", "pandas", "polars", "pyarrow", "river", "matplotlib"]


def installed():
    try:
        return metadata.version("sluiceway")
    except metadata.PackageNotFoundError:
        return None


def python(code):
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.split()


def test_import_brings_numpy_alone():
    optional = f"[m for m in {OPTIONAL} if m in sys.modules]"
    assert python(f"import sys, sluiceway; print(*{optional})") == []


def test_every_public_name_is_there():
    for name in sluiceway.__all__:
        try:
            assert getattr(sluiceway, name) is not None
        except ModuleNotFoundError as error:  # of an optional library: its name is what a user needs to know
            assert error.name.split(".")[0] in OPTIONAL
    assert set(sluiceway.__all__) <= set(dir(sluiceway))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        sluiceway.no_such_name


def test_one_version_number():
    assert re.fullmatch(r"\d+\.\d+\.\d+", sluiceway.__version__)
    run = subprocess.run([sluiceway.program(), "--version"], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["sluice", sluiceway.__version__]
    assert installed() in (None, sluiceway.__version__)


def test_type_hints_are_marked():
    assert os.path.exists(os.path.join(os.path.dirname(sluiceway.__file__), "py.typed"))


def test_type_hints_say_what_calls_give(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "user.py").write_text("""
from sluiceway import FormatError, SluiceClassifier, SSOLClassifier, StreamClassifier, load, train
from sluiceway.results import TrainResult

one: SluiceClassifier = SluiceClassifier("arow").fit([[1]], [1]).sparsify()
other: SSOLClassifier = SSOLClassifier(lambda_=1).partial_fit([[1]], [1], classes=[1])
stream: StreamClassifier = StreamClassifier.load("m").merge(StreamClassifier())
result: TrainResult = train(["1 1:1"], "arow")
weight: str = one.explain([1])[0].weight  # type: ignore[assignment]
train(["1 1:1"], verbose="x")  # type: ignore[arg-type]
SSOLClassifier(lamda=1)  # type: ignore[call-arg]
try:
    load("m")
except FormatError as error:
    text: int = str(error)  # type: ignore[assignment]
""")
    check = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", tmp_path / "cache"]
    run = subprocess.run([*check, tmp_path / "user.py"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_program_learns(tmp_path):
    data = tmp_path / "data.svm"
    data.write_text("1 1:1\n-1 2:1\n1 1:1 3:0.5\n")
    model = tmp_path / "m.sluice"
    subprocess.run([sluiceway.program(), "train", "-q", "-a", "pa-1", "-o", str(model), str(data)], capture_output=True, check=True)
    assert model.stat().st_size > 0


@pytest.mark.skipif(installed() is None, reason="sluiceway is not installed here: it comes from PYTHONPATH")
def test_the_console_script_is_the_program():
    script = os.path.join(os.path.dirname(sys.executable), "sluice")
    assert os.stat(script).st_mode & stat.S_IXUSR
    run = subprocess.run([script, "train", "--no-such-option"], capture_output=True, text=True)
    assert run.returncode == 2  # the program's status and messages come through
    assert run.stderr.startswith("sluice: ")


def test_a_module_that_is_loaded_again_has_the_same_types():
    code = """
import sys
from sluiceway import _sluice as first
batch = next(first.Reader(b"1 1:1\\n", {}))
model = first.Model("pa-1", (), {})
del sys.modules["sluiceway._sluice"]
import importlib
second = importlib.import_module("sluiceway._sluice")
assert second is not first and second.Model is first.Model and second.FormatError is first.FormatError
model.learn_batch(next(second.Reader(b"1 1:1\\n", {})))
second.Model("pa-1", (), {}).learn_batch(batch)
print(model.facts()["examples"])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.strip() == "1", run.stderr


def test_a_subinterpreter_cannot_load_the_extension():
    from sluiceway import _sluice

    code = (
        "import importlib.util\n"
        f"spec = importlib.util.spec_from_file_location('sluiceway._sluice', {_sluice.__file__!r})\n"
        "try:\n"
        "    spec.loader.exec_module(importlib.util.module_from_spec(spec))\n"
        "    print('loaded')\n"
        "except ImportError:\n"
        "    print('refused')\n"
    )
    run = (
        "try: import _interpreters as i\n"
        "except ImportError: import _xxsubinterpreters as i\n"
        "import sys\n"
        "one = i.create('legacy') if sys.version_info >= (3, 13) else i.create(isolated=False)\n"
        f"i.run_string(one, {code!r})\n"
    )
    assert python(run) == ["refused"]


def test_docstrings_are_set_in_alike_in_every_version_of_python():
    """From Python 3.13 on the compiler takes the indentation away; what is put in must not be set in by it."""
    for name in ("train", "tune", "sweep", "select", "StreamClassifier"):
        text = getattr(sluiceway, name).__doc__
        assert text.startswith("\n") is False and "\nParameters\n----------\n" in text, name
        heads = text.split("\nParameters\n----------\n")[1].split("\n\n")[0].splitlines()
        assert all(line.startswith("    ") or re.match(r"\S+ : |\*\*\w+", line) for line in heads), heads
        assert "{" + "settings}" not in text and "{inputs}" not in text


def test_what_needs_scikit_learn_says_how_to_get_it():
    """As after `pip install ./python`, with numpy alone."""
    calls = ["from sluiceway import SluiceClassifier", "from sluiceway import AROWClassifier", "sluiceway.load('m')",
             "sluiceway.read_svm(['1 1:1'])", "sluiceway.write_svm('x', [[1]], [1])", "sluiceway.train(([[1.0]], [1]))"]
    code = f"""
import sys
sys.modules.update(dict.fromkeys(["scipy", "scipy.sparse", "sklearn"]))
import sluiceway
for call in {calls!r}:
    try:
        exec(call)
    except ImportError as error:
        print(str(error).replace(" ", "_"))
"""
    told = python(code)
    assert len(told) == len(calls)
    for text in told:
        assert "needs_scikit-learn_and_scipy" in text and text.endswith("pip_install_'sluiceway[sklearn]'"), text
