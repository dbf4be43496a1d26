"""train, tune, sweep and select: the program's results from every kind of input, its errors, interruptions, pages."""

import copy
import csv
import doctest
import gc
import io
import json
import os
import pickle
import re
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest

pytest.importorskip("scipy.sparse")

import sluiceway
from sluiceway import _child, runs, svm
from sluiceway._left_out import left_out

LINES = [f"{'1' if i % 3 else '0'} {1 + i % 7}:{i % 5 + 1} {9 + i % 3}:0.5" for i in range(120)]


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("\n".join(LINES) + "\n")
    return path


def program(*arguments):
    done = subprocess.run([sluiceway.program(), *map(str, arguments)], check=True, capture_output=True)
    return done.stdout


def steady(fields):
    return {k: v for k, v in fields.items() if "second" not in k}


def test_train_is_the_program(data, tmp_path):
    result = sluiceway.train(data, "ssol", lambda_=0.5, normalize="l2", test=data)
    out = program(
        "train",
        "-qq",
        "--json",
        "-a",
        "ssol",
        "-P",
        "lambda=0.5",
        "--normalize",
        "l2",
        "--test",
        data,
        "-o",
        tmp_path / "m",
        data,
    )
    assert steady(result.fields) == steady(json.loads(out))
    result.save(tmp_path / "mine")
    assert (tmp_path / "mine").read_bytes() == (tmp_path / "m").read_bytes()
    assert result.params["lambda"] == 0.5 and result.test["examples"] == 120 and "error_rate" in dir(result)
    assert result.trace["examples"][-1] == 120 and result.trace["mistakes"][-1] == result.mistakes
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        result.nothing


@pytest.mark.parametrize("form", [0.2, np.float32(0.25), "last:0.2", 5])
def test_a_part_of_the_inputs_is_held_out(data, form):
    result = sluiceway.train(data, "ssol", holdout=form)
    out = program("train", "-qq", "--json", "-a", "ssol", "--holdout", form, data)
    assert steady(result.fields) == steady(json.loads(out))
    assert result.examples + result.holdout["examples"] == 120
    chosen = sluiceway.select(data, 3, holdout=form)
    assert chosen.examples + chosen.test_examples == 120
    if form != "last:0.2":  # which examples of a list are the last ones is known too late
        assert steady(sluiceway.train(LINES, "ssol", holdout=form).fields) == steady(result.fields)


def test_the_model_is_loaded(data):
    pytest.importorskip("sklearn")
    result = sluiceway.train(data, "arow")
    X, y = svm.read_svm(data)
    assert result.model is result.model
    assert (result.model.predict(X) == y).mean() > 0.6
    tuned = sluiceway.tune(data, "arow", grid={"r": [1, 2]}, folds=2)
    assert tuned.model.learner == "arow"


def inputs():
    X, y = svm.read_svm(LINES)
    text = "\n".join(LINES)
    return {
        "list": LINES,
        "tuple": tuple(LINES),
        "iterator": iter(LINES),
        "bytes": (line.encode() for line in LINES),
        "file": io.StringIO(text),
        "binary": io.BytesIO(text.encode()),
        "one bytes": text.encode(),
        "matrix": (X, y),
        "dense": (X.toarray(), y.tolist()),
        "pairs": [
            ({str(j + 1): v for j, v in zip(X[i].indices.tolist(), X[i].data.tolist())}, y[i]) for i in range(len(y))
        ],
    }


@pytest.mark.parametrize("kind", inputs())
def test_every_kind_of_input_gives_the_same_figures(data, kind):
    want = sluiceway.train(data, "arow")
    got = sluiceway.train(inputs()[kind], "arow")
    for field in ("examples", "mistakes", "nonzeros", "features_seen", "updates"):
        assert got.fields[field] == want.fields[field], field


@pytest.mark.parametrize("make", ["pandas.Series", "polars.Series", "pyarrow.array", "pyarrow.chunked_array"])
def test_a_column_of_texts_is_lines_and_no_frame(make):
    library, _, maker = make.partition(".")
    column = getattr(pytest.importorskip(library), maker)
    made = column([LINES]) if maker == "chunked_array" else column(LINES)
    run = sluiceway.train(made, "arow")
    assert run.mistakes == sluiceway.train(LINES, "arow").mistakes
    assert sluiceway.predict(run, made).margins.tolist() == sluiceway.predict(run, LINES).margins.tolist()


def test_texts_and_labels_are_no_matrix():
    for texts in (["free prize", "lunch"], np.array(["free prize", "lunch"])):
        with pytest.raises(TypeError, match=r'train\(\(texts, labels\), format="text"\)'):
            sluiceway.train((texts, ["spam", "ham"]), "arow")
    numbers = np.array([[1, 2.5], [3, 0]], dtype=object)
    assert sluiceway.train((numbers, [0, 1]), "arow").features_seen == 2


@pytest.mark.parametrize("kind", ["iterator", "matrix", "pairs"])
def test_several_passes_over_what_is_no_file(data, kind):
    assert (
        sluiceway.train(inputs()[kind], "arow", passes=3).nonzeros == sluiceway.train(data, "arow", passes=3).nonzeros
    )


def test_several_files(data):
    assert sluiceway.train([data, str(data)], "arow").examples == 240


def test_frames(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"kind": ["spam", "ham", "ham"] * 30, "x": np.arange(90), "city": ["Bonn", "Rome", "Oslo"] * 30}
    )
    frame.to_csv(tmp_path / "a.csv", index=False)
    want = sluiceway.train(tmp_path / "a.csv", "arow", label="kind")
    for got in (
        sluiceway.train(frame, "arow", label="kind"),
        sluiceway.train((frame.drop(columns="kind"), frame.kind), "arow"),
    ):
        assert (got.examples, got.mistakes, got.nonzeros) == (want.examples, want.mistakes, want.nonzeros)
    tested = sluiceway.train(frame, "arow", label="kind", test=frame, holdout=tmp_path / "a.csv")
    assert tested.test["mistakes"] == tested.holdout["mistakes"]
    with pytest.raises(ValueError, match="which column is the label"):
        sluiceway.train(frame, "arow")
    with pytest.raises(ValueError, match="no column 'none'"):
        sluiceway.train(frame, "arow", label="none")


def test_weights_beside_a_frame_are_those_of_a_column():
    pytest.importorskip("sklearn")
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=90), "city": ["Bonn", "Rome", "Oslo"] * 30})
    y, weights = np.where(frame.x > 0.3, "a", "b"), rng.choice([0.5, 1, 3], 90)
    want = sluiceway.train(frame.assign(label=y, w=weights), "arow", label="label", weight="w")
    for got in (
        sluiceway.train((frame, y, weights), "arow"),
        sluiceway.train((frame.assign(w=weights), y), "arow", weight="w"),
    ):
        assert got.model.top_features() == want.model.top_features()
    assert sluiceway.train((frame, y), "arow").model.top_features() != want.model.top_features()
    assert sluiceway.train((frame, y), "arow", label="label", test=frame.assign(label=y)).test["examples"] == 90
    with pytest.raises(ValueError, match="89|90"):
        sluiceway.train((frame, y, weights[1:]), "arow")


@pytest.mark.parametrize("option", ["label", "weight"])
def test_a_column_that_a_matrix_cannot_have(option):
    X, y = svm.read_svm(LINES)
    with pytest.raises(ValueError, match=f"{option} names a column"):
        sluiceway.train((X, y), "arow", **{option: "no such column"})


def test_a_column_that_stands_twice_in_a_row_is_its_sum(tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    X = sparse.csr_matrix((np.array([1.0, 2, 3, 4]), np.array([0, 0, 1, 0]), np.array([0, 2, 4])), shape=(2, 2))
    run = sluiceway.train((X, [0, 1]), "arow")
    assert sluiceway.predict(run, X).margins.tolist() == sluiceway.predict(run, X.toarray()).margins.tolist()
    svm.write_svm(tmp_path / "a.svm", X, [0, 1])
    assert (tmp_path / "a.svm").read_text() == "0 1:3\n1 1:4 2:3\n"
    assert X.nnz == 4


def test_several_classes_and_costs():
    lines = [f"{'abc'[i % 3]} {i % 3 + 1}:1" for i in range(60)]
    assert len(sluiceway.train(lines, "arow", multiclass="ovr").classes) == 3
    with pytest.raises(ValueError, match="third class.*classes ovr"):
        sluiceway.train(lines, "arow")
    one, two = sluiceway.train(LINES, "arow"), sluiceway.train(LINES, "arow", cost={"1": 3, "0": 0.5})
    assert one.hinge_loss != two.hinge_loss


def test_tune(data):
    result = sluiceway.tune(data, ["ssol", "arow"], grid={"r": [0.5, 2], "lambda_": "1,10"}, folds=3)
    out = program(
        "tune", "-qq", "--json", "-a", "ssol,arow", "--grid", "r=0.5,2", "--grid", "lambda=1,10", "--folds", 3, data
    )
    want = json.loads(out)
    assert [(p["learner"], p["params"], p["folds"]) for p in result.points] == [
        (p["learner"], p["params"], p["folds"]) for p in want["points"]
    ]
    assert result.best["params"] == want["best"]["params"] and len(result.points) == 6
    frame = pytest.importorskip("pandas") and result.to_frame()
    assert len(frame) == 6 and {"learner", "r", "mean", "test_auc"} <= set(frame.columns)


def test_tune_along_a_stream(data):
    for options, arguments, said in [
        ({"folds": "forward:3"}, ["--folds", "forward:3"], "3 parts forward"),
        ({"progressive": True, "measure": "ap"}, ["--progressive", "--measure", "ap"], "progressive; best"),
    ]:
        result = sluiceway.tune(data, "arow", grid={"r": [0.5, 2]}, **options)
        want = json.loads(program("tune", "-qq", "--json", "-a", "arow", "--grid", "r=0.5,2", *arguments, data))
        assert [(p["params"], p["mean"]) for p in result.points] == [(p["params"], p["mean"]) for p in want["points"]]
        assert said in repr(result) and result.mode == want["mode"]
        frame = pytest.importorskip("pandas") and result.to_frame()
        prefix = "progressive" if "progressive" in options else "test"
        assert frame[f"{prefix}_error_rate"].notna().all()
    with pytest.raises(ValueError, match="give one of them"):
        sluiceway.tune(data, "arow", folds=3, progressive=True)
    with pytest.raises(ValueError, match="recall@precision=P"):
        sluiceway.tune(data, "arow", measure="recall")


def test_tune_reads_texts_in_several_ways(tmp_path):
    lines = ["spam\tcheap pills now", "ham\tsee you now", "spam\tpills for you", "ham\tlunch for you"] * 20
    (tmp_path / "texts.tsv").write_text("\n".join(lines) + "\n")
    grid = {"ngrams": [1, 2], "tf": ["binary", "log"]}
    for inputs in (tmp_path / "texts.tsv", lines):
        result = sluiceway.tune(inputs, "pa-1", grid=grid, format="text", folds=2)
        assert {(p["settings"]["ngrams"], p["settings"]["tf"]) for p in result.points} == {
            (n, f) for n in (1, 2) for f in ("binary", "log")
        }
    result = sluiceway.tune(lines, "pa-1", grid={"min_length": [1, 4]}, format="text", folds=2)
    assert {p["settings"]["min-length"] for p in result.points} == {1, 4}


def test_sweep(data):
    result = sluiceway.sweep(data, ["ssol", "ftrl"], lambda_=[1, 10, 100], test=LINES)
    assert [(p["learner"], p["value"]) for p in result.points] == [
        ("ssol", 1),
        ("ssol", 10),
        ("ssol", 100),
        ("ftrl", 1),
        ("ftrl", 10),
        ("ftrl", 100),
    ]
    assert all(p["test"]["examples"] == 120 for p in result.points)


def test_select(data):
    result = sluiceway.select(data, [2, 4])
    assert [b["features"] for b in result.budgets] == [2, 4] and len(result.features(2)) == 2
    assert result.features() == result.features(4)
    with pytest.raises(ValueError, match="no budget of 3"):
        result.features(3)


@pytest.fixture
def results(data):
    return [
        sluiceway.train(data, test=data),
        sluiceway.tune(data, "ssol", grid={"eta": [1, 4]}),
        sluiceway.sweep(data, lambda_=[1, 100]),
        sluiceway.select(data, [2, 5]),
    ]


def test_results_have_a_text_a_page_and_a_picture(results, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    for result in results:
        assert repr(result).startswith(type(result).__name__ + "(") and "error" in repr(result)
        page = result._repr_html_()
        assert page.startswith("<iframe srcdoc=") and page.count('"') == page.split(">")[0].count('"')
        assert re.match("<!DOCTYPE html>", result.page) and "</html>" in result.page
        result.save_page(tmp_path / "page.html")
        assert (tmp_path / "page.html").read_text(encoding="utf-8") == result.page
        axes = result.plot()
        assert axes.get_lines() and axes.get_xlabel() and "error" in axes.get_ylabel()
        axes.figure.savefig(tmp_path / "plot.png")
        assert result.plot(axes) is axes
        plt.close(axes.figure)


def test_a_copy_of_a_result_has_all_of_it(results, data, tmp_path):
    pickled = [pickle.dumps(result) for result in results]
    texts, pages = [repr(result) for result in results], [result.page for result in results]
    results[0].save(tmp_path / "model")
    del results[:]
    gc.collect()  # the files of the run are gone, as if it had been another process
    found = [pickle.loads(text) for text in pickled]
    assert [repr(result) for result in found] == texts and [result.page for result in found] == pages
    found[0].save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    assert sluiceway.predict(copy.deepcopy(found[1]), data).labels.size == 120


def test_what_is_missing_is_named(results, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.setitem(sys.modules, "pandas", None)
    for result in results:
        with pytest.raises(ImportError, match="pip install matplotlib"):
            result.plot()
        if hasattr(result, "to_frame"):
            with pytest.raises(ImportError, match="pip install pandas"):
                result.to_frame()


def test_malformed_lines_have_their_place(data, tmp_path):
    bad = tmp_path / "bad.svm"
    bad.write_text("1 1:1\n0 2:x\n")
    with pytest.raises(ValueError, match=r"bad\.svm:2:5: value 'x'.*on_error='skip'"):
        sluiceway.train(bad, "arow")
    with pytest.raises(ValueError, match="^input:2:5: value 'x'"):
        sluiceway.train(["1 1:1", "0 2:x"], "arow")
    with pytest.warns(UserWarning, match="^input: 1 malformed line skipped: 1 value$"):
        assert sluiceway.train(bad, "arow", on_error="skip").skipped == 1
    with pytest.raises(ValueError, match=r"^test:1:\d+: "):
        sluiceway.train(data, "arow", test=["1 1:x"])


def test_wrong_usage(data):
    for arguments, options, what in [
        ((data, "none"), {}, "unknown learner 'none'"),
        ((data, "arow"), {"foo": 1}, "no parameter 'foo'"),
        ((data, "arow"), {"r": -1}, "r of arow"),
        ((data, "arow"), {"format": "docx"}, "format"),
        (([], "arow"), {}, "no example was learned"),
        ((data, "arow"), {"test": [data, data]}, "one file"),
    ]:
        with pytest.raises(ValueError, match=what):
            sluiceway.train(*arguments, **options)
    for bad in (3, None, [3], [({"a": object()}, 1)]):
        with pytest.raises(TypeError):
            sluiceway.train(bad, "arow")
    with pytest.raises(ValueError, match="'label'"):
        sluiceway.train([({"label": 1}, 1)], "arow")
    with pytest.raises(ValueError):
        sluiceway.train([({"a": float("nan")}, 1)], "arow")
    with pytest.raises(FileNotFoundError):
        sluiceway.train("no-such-file")
    with pytest.raises(OSError, match="No such file"):
        sluiceway.train(data, "arow", output="/no/such/folder/m")
    with pytest.raises(ValueError, match="auto"):
        sluiceway.tune(data, "auto")


def test_warnings_of_the_program_are_warnings():
    with pytest.warns(UserWarning, match="all 9 labels are 1"):
        sluiceway.train(["1 1:1"] * 9, "arow")


def test_output_and_resume(data, tmp_path):
    sluiceway.train(data, "arow", output=tmp_path / "m")
    again = sluiceway.train(data, resume=tmp_path / "m")
    both = sluiceway.train([data, data], "arow")
    both.save(tmp_path / "both")
    again.save(tmp_path / "again")
    assert (tmp_path / "both").read_bytes() == (tmp_path / "again").read_bytes()


def test_progress_is_shown(capsys):
    sluiceway.train(LINES, "arow", verbose=1)
    assert "examples" in capsys.readouterr().err


def test_nothing_is_left_behind(tmp_path, monkeypatch, data):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    result = sluiceway.train(inputs()["matrix"], "arow", passes=2)
    assert os.listdir(tmp_path / "temporary")
    del result
    with pytest.raises(ValueError):
        sluiceway.train(["1 1:x"], "arow", passes=2)
    assert os.listdir(tmp_path / "temporary") == []


def test_an_interrupted_iterable_ends_the_child():
    def lines():
        yield from LINES
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sluiceway.train(lines(), "arow")


def test_an_interrupt_while_waiting_ends_the_child(tmp_path):
    """The child waits for a pipe that nobody writes to; the interrupt comes once it is there."""
    os.mkfifo(tmp_path / "pipe")
    code = textwrap.dedent("""
        import os, signal, subprocess, sys, threading, time
        import sluiceway
        from sluiceway import _child
        start, listen, children, done = subprocess.Popen, _child.listen, [], threading.Event()
        def popen(*args, **options):
            children.append(start(*args, **options))
            return children[0]
        def interrupt():
            with open(sys.argv[1], "wb"):  # returns when the child has opened it
                time.sleep(0.3)  # the main thread waits by now
                signal.pthread_kill(threading.get_ident(), signal.SIGINT)  # which wakes up no other thread
                done.wait()
        def listening(*args):
            threading.Thread(target=interrupt, daemon=True).start()
            listen(*args)
        subprocess.Popen, _child.listen = popen, listening
        try:
            sluiceway.train(sys.argv[1], "arow")
        except KeyboardInterrupt:
            print("interrupted", children[0].returncode is not None)
        done.set()
        """)
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "pipe"], capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted True\n", done.stderr


def test_crossed_features(tmp_path):
    sides = [(a, b) for a in ("on", "off") for b in ("on", "off")] * 50
    lines = [f"{'same' if a == b else 'other'},{a},{b}\n" for a, b in sides]
    (tmp_path / "a.csv").write_text("label,left,right\n" + "".join(lines))
    run = sluiceway.train(tmp_path / "a.csv", "arow", quadratic="left,right")
    run.save(tmp_path / "m")
    answers = sluiceway.predict(tmp_path / "m", tmp_path / "a.csv").labels
    assert answers.tolist() == [line.partition(",")[0] for line in lines]
    one = sluiceway.train(tmp_path / "a.csv", "arow", quadratic=["left,right", "l:"])
    assert dict(one.model.top_features(20)).keys() >= {"left=on*right=off", "left=on*left=on"}
    with pytest.raises(ValueError, match="crosses features of lines and files"):
        run.model.predict([[1.0, 2.0]])
    with pytest.raises(ValueError, match="crosses features of lines and files"):
        sluiceway.StreamClassifier.load(tmp_path / "m")
    with pytest.raises(ValueError, match="two names with a comma"):
        sluiceway.train(tmp_path / "a.csv", quadratic="left")


def test_text_is_read_as_the_keywords_say_and_the_model_keeps_it(tmp_path):
    lines = ["1\tThe prize", "0\tthe noon"] * 10
    (tmp_path / "stop").write_text("prize\n")
    of_words = sluiceway.train(lines, "pa", format="text", stop_words="english")
    assert {w.feature for w in of_words.model.top_features(9)} == {"prize", "noon"}
    of_both = sluiceway.train(lines, "pa", format="text", ngrams=2, chars="6-8", min_length=4, stop_words=tmp_path / "stop")
    names = {w.feature for w in of_both.model.top_features(99)}
    assert {"noon", "~_noon_", "~_prize"} <= names and not names & {"the", "prize", "the noon"}
    (tmp_path / "stop").unlink()
    assert sluiceway.predict(of_both, ["the noon"]).labels[0] == 0
    alone = sluiceway.train(lines, "pa", format="text", ngrams=0, chars=8)
    assert {w.feature for w in alone.model.top_features(9)} <= {"~_prize_", "~_the_", "~_noon_"}


@pytest.mark.parametrize("command", ["train", "tune", "sweep", "select"])
def test_every_option_of_the_program_has_a_keyword(command):
    own = {"help", "version", "quiet", "verbose", "json", "param", "report", "html", "trace"}
    own |= {"kafka", "topic", "property", "partitions", "from", "until-end", "label-header", "csv-header", "order",
            "dead-letters"}  # the wheel's program is built without librdkafka
    listed = set(re.findall(r"^ +(?:-\w, |    )--([a-z-]+)", program(command, "--help").decode(), re.M))
    assert {o.replace("-", "_") for o in listed - own} == _child.OPTIONS[command]


def test_examples_in_the_documentation():
    found = doctest.testmod(runs)
    assert found.failed == 0 and found.attempted >= 8


def test_temporary_files_go_with_the_result_and_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = sluiceway.train(["1 1:1", "0 2:1"] * 5, "arow")
        folder = result._folder.name
        assert os.path.isdir(folder)
        del result
        gc.collect()
    assert not os.path.exists(folder)


def test_texts_are_paths_if_all_are_files_or_none_can_be_a_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("1 1:1", "rows", "1"):
        (tmp_path / name).write_text("1 2:1\n0 1:1\n" * 5)
    assert sluiceway.train(["1 1:1", "0 2:1"], "arow").examples == 2  # one is also a file
    assert sluiceway.train(["1 1:1"], "arow").examples == 10
    assert sluiceway.train(["1", "0 2:1", "0"], "arow").examples == 3  # the first one is also a file
    for names in (["rows", "nothing"], ["rows", "nothing.svm"], ["nothing.svm", "rows.csv.gz"], ["no.csv"]):
        with pytest.raises(FileNotFoundError, match="no"):
            sluiceway.train(names, "arow")


@pytest.mark.parametrize("odd", ["1", "", "\n", "junk", "# nothing", "0"])
def test_a_line_without_features_leaves_the_others_lines(odd):
    for lines in ([odd, *LINES], [*LINES, odd]):
        found = sluiceway.train(lines, "arow", classes="ovr")
        assert found.examples == len(LINES) + (odd in ("1", "0", "junk"))
        assert len(sluiceway.predict(found, lines)) == len(lines)


TEXTS = ["free prize", "lunch at\nnoon\r\nspam\tand prizes", "your prize\rtoday\n", "no lunch"] * 10
KINDS = ["spam", "ham", "spam", "ham"] * 10
FLAT = [text.replace("\r", " ").replace("\n", " ") for text in TEXTS]


def test_a_text_is_one_example_whatever_is_in_it():
    want = sluiceway.train([f"{kind}\t{text}" for kind, text in zip(KINDS, FLAT)], "arow", format="text")
    got = sluiceway.train([f"{kind}\t{text}" for kind, text in zip(KINDS, TEXTS)], "arow", format="text")
    assert (got.examples, got.mistakes, got.features_seen) == (40, want.mistakes, want.features_seen)
    bare = [text.replace("\t", " ") for text in TEXTS]
    for texts in (bare, iter(bare), np.array(bare), [text.encode() for text in bare]):
        assert sluiceway.predict(got, texts).margins.tolist() == sluiceway.predict(want, [
            text.replace("\t", " ") for text in FLAT]).margins.tolist()


def test_a_model_of_texts_remembers_that_newlines_are_blanks(tmp_path):
    sluiceway.train((TEXTS, KINDS), "arow", format="text").save(tmp_path / "m")
    assert sluiceway.train(["spam\tfree\nham\tprize"], resume=tmp_path / "m").examples == 1


@pytest.mark.parametrize("format", [None, "libsvm", "vw", "jsonl", "url"])
def test_an_item_with_a_newline_is_refused_where_it_has_a_meaning(format):
    for bad in ("1 1:1\n0 2:1", "\n1 1:1", b"1 1:1\n0 2:1"):
        with pytest.raises(ValueError, match="^item 121 has a newline inside"):
            sluiceway.train([*LINES, bad], "arow", format=format, on_error="skip")
    with pytest.raises(ValueError, match="^item 2 has a newline inside"):
        svm.read_svm(iter(["1 1:1", "1 1:1\n0 2:1"]))
    assert sluiceway.train([line + "\r\n" for line in LINES], "arow").examples == len(LINES)


def test_an_item_of_csv_is_one_record():
    head = "kind,text"
    assert sluiceway.train([head, 'a,"x\ny"', 'b,"say ""so"""\n'], "arow", format="csv").examples == 2
    for bad in ("a,x\nb,y", 'a,"x"\nb,"y"'):
        with pytest.raises(ValueError, match="^item 3 has a newline outside quotes"):
            sluiceway.train([head, "a,x", bad], "arow", format="csv")
    with pytest.raises(ValueError, match="^item 2: a quote is not closed"):
        sluiceway.train([head, 'a,"x', 'b,"y'], "arow", format="csv")


@pytest.mark.parametrize("make", ["list", "tuple", "numpy.array", "pandas.Series", "polars.Series", "pyarrow.array"])
def test_texts_and_labels_apart(make):
    library, _, maker = make.rpartition(".")
    made = getattr(pytest.importorskip(library), maker) if library else {"list": list, "tuple": tuple}[maker]
    want = sluiceway.train([f"{kind}\t{text}" for kind, text in zip(KINDS, TEXTS)], "arow", format="text")
    got = sluiceway.train((made(TEXTS), made(KINDS)), "arow", format="text", test=(TEXTS[:4], KINDS[:4]))
    assert (got.mistakes, got.nonzeros, got.test["examples"]) == (want.mistakes, want.nonzeros, 4)
    assert sluiceway.train((made(["a.com/x", "b.com"] * 9), made([1, 0] * 9)), "arow", format="url").mistakes < 5


def test_texts_and_labels_that_do_not_go_together():
    for arguments, what in [((TEXTS, KINDS[1:]), "40 texts, but 39 labels"), ((TEXTS, KINDS, [1] * 40), "no weights"),
                            ((TEXTS, ["a\tb"] * 40), "item 1: the label")]:
        with pytest.raises(ValueError, match=what):
            sluiceway.train(arguments, "arow", format="text")
    for texts, labels in ((["a", None], [1, 0]), (["a", "b"], [1, None])):
        with pytest.raises(TypeError, match="item 2"):
            sluiceway.train((texts, labels), "arow", format="text")


def test_a_frame_is_no_text():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"text": TEXTS, "kind": KINDS})
    for data in (frame, (frame[["text"]], KINDS)):
        with pytest.raises(ValueError, match=r'frame\["text"\], frame\["label"\]'):
            sluiceway.train(data, "arow", format="text", label="kind" if data is frame else None)
    run = sluiceway.train((frame["text"], frame["kind"]), "arow", format="text")
    for data in (frame, frame[["text"]].to_numpy()):
        with pytest.raises(ValueError, match=r'pass the texts, such as frame\["text"\]'):
            sluiceway.predict(run, data)
    assert len(sluiceway.predict(run, frame["text"])) == 40


def test_labels_in_long_runs_are_warned_of():
    lines = ["1 1:1"] * 100 + ["0 2:1"] * 100
    for data in (lines, svm.read_svm(lines)):
        with pytest.warns(UserWarning, match="labels come in 2 long runs.*shuffle") as found:
            run = sluiceway.train(data, "arow")
        assert found[0].filename == __file__ and "--" not in str(found[0].message) and run.mistakes <= 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sluiceway.train(["1 1:1", "0 2:1"] * 100, "arow")


def test_messages_speak_of_keywords(data, tmp_path):
    sluiceway.train(data, "arow", output=tmp_path / "m")
    for options, what in [({"learner": "ssol"}, "^learner='ssol': the model .* and resume goes on with its learner"),
                          ({"r": 7}, "^r=7: the model .* and resume goes on")]:
        with pytest.raises(ValueError, match=what):
            sluiceway.train(data, resume=tmp_path / "m", **options)
    with pytest.raises(ValueError, match="on_error='skip' leaves"):
        sluiceway.train(["1 1:x"], "arow")
    (tmp_path / "a.csv").write_text("label,a\n1,2\n", encoding="utf-16")
    with pytest.raises(ValueError, match="iconv -f UTF-16 -t UTF-8"):  # an option of another program
        sluiceway.train(tmp_path / "a.csv")


@pytest.mark.parametrize("kind", ["parquet", "feather", "excel"])
def test_files_that_are_frames_are_named(kind, tmp_path):
    first = {"parquet": b"PAR1", "feather": b"ARROW1", "excel": b"PK\3\4"}[kind]
    (tmp_path / "a").write_bytes(first + b"\0" * 50)
    for call in (lambda: sluiceway.train(tmp_path / "a"), lambda: svm.read_svm(tmp_path / "a")):
        with pytest.raises(ValueError, match=f"pass a frame, such as pandas.read_{kind}"):
            call()


def test_two_pairs_in_a_tuple_are_examples():
    assert sluiceway.train((({"a": 1}, "x"), ({"b": 1}, "y")), "arow").features_seen == 2


def test_passes_as_a_text(data):
    assert sluiceway.train(iter(LINES), "arow", passes="2").nonzeros == sluiceway.train(data, "arow", passes=2).nonzeros


def test_the_advice_of_the_program_is_in_the_notes():
    lines = [f"{1 if i % 2 else -1} {1 + i % 2}:{900 + i} 3:{1000 + i % 7}" for i in range(3000)]
    assert any('normalize l2' in note for note in sluiceway.train(lines, "arow").notes)
    assert not any('normalize l2' in note for note in sluiceway.train(lines, "arow", normalize="l2").notes)


def test_features_and_labels_are_one_argument():
    with pytest.raises(TypeError, match=r"train\(\(X, y\)\)"):
        sluiceway.train(np.eye(3), [0, 1, 0])


def test_weights_beside_a_matrix_are_sample_weights():
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(200, 5)), rng.choice([-1.0, 1.0], 200), rng.choice([0.0, 0.5, 2.0], 200)
    want = sluiceway.SluiceClassifier("arow").fit(X, y, weights)
    assert sluiceway.train((X, y, weights), "arow").model.coef_.tolist() == want.coef_.tolist()
    with pytest.raises(ValueError, match="as many rows"):
        sluiceway.train((X, y, weights[1:]), "arow")


def test_weights_of_several_classes_are_not_features():
    lines = [f"{'abc'[i % 3]} {i % 3 + 1}:1 4:1" for i in range(60)]
    found = sluiceway.train(lines, "arow", classes="ovr")
    assert repr(found).endswith(f", {found.nonzeros} weights of 4 features for 3 classes)")
    assert repr(sluiceway.train(LINES, "arow")).endswith("weights)")


def test_a_path_with_the_letters_of_an_option_stays_as_it_is(tmp_path):
    path = tmp_path / "a-Path -Px.svm"
    path.write_text("1 1:x\n")
    with pytest.raises(ValueError, match="a-Path -Px.svm:1:5"):
        sluiceway.train(path, "arow")


def test_an_array_of_structs_has_no_columns_to_look_at():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"a": [1.0, 2.0] * 100, "text": [f"x{i}" for i in range(200)], "y": [0, 1] * 100})
    for data in (table.to_struct_array().combine_chunks(), table.to_reader()):
        assert sluiceway.train(data, "arow", label="y").examples == 200


def test_frames_have_no_columns_that_the_model_leaves_out(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"y": [0, 1] * 20, "id": range(1000, 1040), "town": ["Bonn", "Ulm"] * 20, "n": [1, 2] * 20})
    frame.to_csv(tmp_path / "a.csv", index=False)
    run = sluiceway.train(tmp_path / "a.csv", "arow", label="y", normalize="l2", ignore="i?")
    run.save(tmp_path / "m")
    known = frame.drop(columns=["y", "id"])
    wanted = sluiceway.predict(run, tmp_path / "a.csv").margins
    assert np.allclose(sluiceway.predict(run, known).margins, wanted)
    assert np.allclose(run.model.decision_function(known), wanted)
    assert sluiceway.train(frame.drop(columns="id"), label="y", resume=tmp_path / "m").examples == 40
    for wrong in (lambda: sluiceway.predict(run, frame), lambda: run.model.predict(frame.drop(columns="y")),
                  lambda: sluiceway.train(frame, label="y", resume=tmp_path / "m")):
        with pytest.raises(ValueError, match="without the columns 'id'"):
            wrong()


@pytest.mark.parametrize("patterns", ["a*", "?b", "[a-c]b", "[!a-c]*", "[]x]b", "a\\*", "a,*b", "a[", "\\,b,ab", "*a*b*", "[^a]b",
                                      "a\\,b"])
def test_patterns_of_columns_are_those_of_the_program(tmp_path, patterns):
    names = ["a", "ab", "abb", "xb", "]b", "a*", "a[", ",b", "a,b", "bab", "\u00e9b", "db"]
    with open(tmp_path / "a.csv", "w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out)
        rows.writerow(["label", *names])
        rows.writerows([[int(i > 0), *[1] * len(names)] for i in range(4)])
    for key in "columns", "ignore":
        model = sluiceway.train(tmp_path / "a.csv", "arow", **{key: patterns}).model
        learned = {w.feature for w in model.top_features(99)}
        left = left_out(model._fitted.model, names)
        assert [n for n in names if n not in left] == [n for n in names if n in learned], key


def test_tables_with_other_separators_and_chosen_columns(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id;label;a,b;note\n" + "".join(f"{i};{i % 2};{i % 3};{'good dog' if i % 2 else 'bad'}\n" for i in range(40)))
    run = sluiceway.train(path, learner="arow", separator=";", ignore=["id", "a,b"], text="note")
    assert run.mistakes <= 2
    dicts = [{"a": 1, "note": "good dog"}, {"a": 1, "note": "bad"}]
    assert sluiceway.predict(run, dicts).labels.tolist() == [1, 0]
    frame = pytest.importorskip("pandas").DataFrame(dicts)
    run.save(tmp_path / "m")
    for wrong in (lambda: sluiceway.predict(run, frame), lambda: run.model.predict(frame),
                  lambda: sluiceway.StreamClassifier.load(tmp_path / "m"),
                  lambda: sluiceway.train((frame, [1, 0]), resume=tmp_path / "m")):
        with pytest.raises(ValueError, match="cuts columns of lines and files into words"):
            wrong()
    with pytest.raises(ValueError, match="did you mean 'id'"):
        sluiceway.train(path, ignore="idd")
    with pytest.raises(ValueError, match="ignore is for csv and JSON Lines"):
        sluiceway.train((np.ones((4, 2)), [0, 1, 0, 1]), ignore="a")
