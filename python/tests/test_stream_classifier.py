"""StreamClassifier: labels and features that come and go, answers, files, copies, frames; with and without river."""
from __future__ import annotations

import copy
import math
import os
import pickle
import random
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import sluiceway
from sluiceway import StreamClassifier, UnsupportedError


def events(n, classes=2, seed=1):
    """Events of five out of 30 names, with a linear rule for each class."""
    drawn = random.Random(seed)
    rules = [[drawn.uniform(-1, 1) for _ in range(30)] for _ in range(classes)]
    for _ in range(n):
        x = {f"f{k}": drawn.uniform(0.2, 1) for k in drawn.sample(range(30), 5)}
        scores = [sum(rule[int(name[1:])] * v for name, v in x.items()) for rule in rules]
        yield x, scores.index(max(scores))


def accuracy(model, stream):
    found = [model.predict_one(x) == y for x, y in stream]
    return sum(found) / len(found)


@pytest.mark.parametrize("labels", [(False, True), (0, 1), (-1, 1), (2, 7), ("ham", "spam"), (1.5, 2.5), ("10", "9"),
                                    (-1, 0), (1, 2), (np.bool_(False), np.bool_(True)), (np.str_("b"), np.str_("a"))])
def test_labels_come_back_as_they_were_given(labels, tmp_path):
    model = StreamClassifier("arow")
    for x, y in events(400):
        model.learn_one(x, labels[y])
    assert sorted(model.classes, key=labels.index) == list(labels)
    assert accuracy(model, ((x, labels[y]) for x, y in events(100))) > 0.85
    x, y = next(events(1))
    chances = model.predict_proba_one(x)
    assert set(chances) == set(labels) and math.isclose(sum(chances.values()), 1)
    assert type(model.predict_one(x)) is type(labels[y])
    model.save(tmp_path / "m")
    again = StreamClassifier.load(tmp_path / "m")
    native = [label.item() if isinstance(label, np.generic) else label for label in labels]
    assert again.predict_one(x) == native[y] and type(again.predict_one(x)) is type(native[y])
    assert again.predict_proba_one(x) == pytest.approx(chances)


@pytest.mark.parametrize("learner", ["auto", "pa-1", "ssol", "arow", "ftrl", "olsf-1", "sbcw", "arow-full"])
def test_a_third_class_may_come_at_any_time(learner, tmp_path):
    model = StreamClassifier(learner, **({"batch": 50} if learner == "sbcw" else {}))
    for x, y in events(300, 2):
        model.learn_one(x, ("a", "b")[y])
    before = [model.predict_one(x) for x, _ in events(50, 2)]
    third = {"new": 1.0, "f3": 0.1}
    model.learn_one(third, "c")
    assert sorted(model.classes) == ["a", "b", "c"]
    after = [model.predict_one(x) for x, _ in events(50, 2)]
    assert sum(a == b for a, b in zip(before, after)) > 40  # what was learned is not forgotten
    for x, y in events(600, 4, seed=2):
        model.learn_one(x, "abcd"[y])
    assert model.n_events == 901 and len(model.predict_proba_one(third)) == 4
    again = pickle.loads(pickle.dumps(model))
    model.save(tmp_path / "m")
    loaded = StreamClassifier.load(tmp_path / "m")
    for x, _ in events(50, 4, seed=2):
        assert model.predict_proba_one(x) == again.predict_proba_one(x) == loaded.predict_proba_one(x)
    for one in (model, again, loaded):
        for x, y in events(50, 5, seed=3):
            one.learn_one(x, "abcde"[y])
    assert model.model_.to_bytes() == again.model_.to_bytes()


def test_two_classes_keep_their_weights_when_the_third_comes():
    turned, start = StreamClassifier("ssol"), StreamClassifier("ssol", multiclass="ovr")
    for x, y in events(500):
        turned.learn_one(x, y)
        start.learn_one(x, y)
    assert turned.model_.settings()["classes"] == 0
    turned.learn_one({}, 2)
    start.learn_one({}, 2)
    for label in (b"0", b"1"):
        one, other = (m.model_.weights(m.model_.find_class(label)) for m in (turned, start))
        assert one == other and any(one[2])


def test_the_three_classes_minus_one_zero_and_one():
    for order in ((-1, 0, 1), (1, 0, -1), (0, 1, -1)):
        model = StreamClassifier("arow")
        for x, y in events(900, 3):
            model.learn_one(x, order[y])
        assert accuracy(model, ((x, order[y]) for x, y in events(200, 3))) > 0.8
        assert sorted(model.classes) == [-1, 0, 1]


def test_how_several_classes_are_learned_may_be_said():
    for kind in ("ovr", "ovo", "matrix"):
        model = StreamClassifier("pa-1", multiclass=kind)
        for x, y in events(900, 3):
            model.learn_one(x, y)
        assert accuracy(model, events(200, 3)) > 0.7
    model = StreamClassifier("pa-1", multiclass="two")
    for x, y in events(20):
        model.learn_one(x, y)
    with pytest.raises(ValueError, match='multiclass="ovr"'):
        model.learn_one({"a": 1.0}, 2)
    assert model.classes == [0, 1] and model.n_events == 20
    with pytest.raises(ValueError, match="multiclass='both'"):
        StreamClassifier(multiclass="both")


def test_costs_of_two_classes_need_to_know_the_positive_one():
    with pytest.raises(ValueError, match="positive=LABEL"):
        model = StreamClassifier("cpa", cost_pos=5)
        model.learn_one({"a": 1.0}, "x")
        model.learn_one({"a": 1.0}, "y")
    counts = {}
    for positive in ("no", "yes"):
        model = StreamClassifier("cs-ogd", cost_pos=20, positive=positive)
        noise = random.Random(1)
        for x, y in events(500):
            model.learn_one(x, "yes" if y and noise.random() < 0.3 else "no")
        counts[positive] = sum(model.predict_one(x) == "yes" for x, _ in events(200))
    assert counts["yes"] > counts["no"]


def test_before_and_just_after_the_first_event():
    for learner in ("auto", "pa-1"):
        model = StreamClassifier(learner)
        assert model.predict_one({"a": 1.0}) is None and model.predict_proba_one({"a": 1.0}) == {}
        assert model.classes == [] and model.debug_one({"a": 1}) == "nothing was learned yet"
        assert list(model.explain({"a": 1})) == []
        model.learn_one({"a": 1.0}, "x")
        assert model.predict_one({"b": 1.0}) == "x" and model.predict_proba_one({"b": 1.0}) == {"x": 1.0}
    model = StreamClassifier("pa-1", multiclass="two")
    assert model.predict_proba_one({"a": 1.0}) == {False: 0.5, True: 0.5}
    model.learn_one({"a": 1.0}, True)
    assert model.predict_one({"a": 1.0}) is True and set(model.predict_proba_one({"a": 1.0})) == {False, True}


def test_what_is_wrong_is_an_error_and_changes_nothing():
    model = StreamClassifier("pa-1")
    for x, y in events(50):
        model.learn_one(x, y)
    before = pickle.dumps(model)
    for x, y, w, kind in (({"a": math.nan}, 1, 1.0, ValueError), ({"a": math.nan}, 7, 1.0, ValueError),
                          ({"a": 1.0}, None, 1.0, TypeError), ({"a": 1.0}, math.inf, 1.0, ValueError),
                          ({"a": 1.0}, "", 1.0, ValueError), ({"a": 1.0}, "1", 1.0, ValueError),
                          ({"a": 1.0}, [1], 1.0, TypeError), ({"a": math.nan}, "third", 1.0, ValueError), ({"a": 1.0}, 1, -1.0, ValueError),
                          ({"a": 1.0}, 1, math.nan, ValueError), (3, 1, 1.0, TypeError)):
        with pytest.raises(kind):
            model.learn_one(x, y, w)
    model.learn_one({"a": 1.0}, 1, 0)
    assert model.classes == [0, 1]
    rest = pickle.loads(before)
    for x, y in events(50, seed=4):
        model.learn_one(x, y)
        rest.learn_one(x, y)
    assert model.model_.settings()["classes"] == 0 and pickle.dumps(model) == pickle.dumps(rest)
    for args, kind in ((("nothing",), ValueError), (("pa-1", ), TypeError)):
        with pytest.raises(kind):
            StreamClassifier(*args) if kind is ValueError else StreamClassifier(*args, "ovr")
    with pytest.raises(ValueError, match="no parameter 'c'"):
        StreamClassifier("pa-1", c=1)
    with pytest.raises(ValueError):
        StreamClassifier("pa-1", C=-1)


def test_parameters_repr_and_clone():
    model = StreamClassifier("ssol", normalize="l2", bias=1.0, **{"lambda": 0.5})
    assert repr(model) == "StreamClassifier('ssol', bias=1.0, normalize='l2', lambda_=0.5)"
    assert repr(eval(repr(model))) == repr(model)  # noqa: S307
    assert model.model_.params()["lambda"] == 0.5
    for x, y in events(30):
        model.learn_one(x, y)
    clone = model.clone()
    assert repr(clone) == repr(model) and clone.n_events == 0
    assert model.clone({"eta": 2.0}).params == {"lambda_": 0.5, "eta": 2.0}
    for made in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model)),
                 model.clone(include_attributes=True)):
        made.learn_one({"f1": 1.0}, 1)
        assert (made.n_events, model.n_events) == (31, 30) and repr(made) == repr(model)


def test_explanations_add_up():
    model = StreamClassifier("arow", bias=1.0)
    for x, y in events(300, 3):
        model.learn_one(x, "abc"[y])
    x, _ = next(events(1))
    for label in (None, "a", "b", "c"):
        why = model.explain(x, label)
        assert math.isclose(sum(t.contribution for t in why), why.margin, abs_tol=1e-9) and len(why) == 6
        assert [abs(t.contribution) for t in why] == sorted((abs(t.contribution) for t in why), reverse=True)
    two = StreamClassifier("arow")
    for x, y in events(300):
        two.learn_one(x, y)
    assert two.explain(x, 0).margin == -two.explain(x, 1).margin
    assert two.explain(x).margin >= 0 and two.explain(x)[0].feature in x
    with pytest.raises(ValueError, match="knows no class 9"):
        two.explain(x, 9)
    lines = two.debug_one(x).splitlines()
    assert lines[0].startswith(f"{two.predict_one(x)}: margin ") and lines[1].split()[0] == "Name" and len(lines) == 7


def test_merging():
    def made(stream, learner="ada-rda"):
        model = StreamClassifier(learner)
        for x, y in stream:
            model.learn_one(x, "abc"[y])
        return model

    one, two = made(events(300, 2)), made(events(300, 2, seed=5))
    before = two.model_.to_bytes()
    assert one.merge(two) is one and one.n_events == 600 and two.model_.to_bytes() == before
    three = made(events(300, 3))
    one.merge(three)
    assert one.n_events == 900 and sorted(one.classes) == ["a", "b", "c"]
    assert accuracy(one, ((x, "abc"[y]) for x, y in events(100, 3))) > 0.5
    with pytest.raises(UnsupportedError):
        made(events(10), "olsf-1").merge(made(events(10), "olsf-1"))
    numbers, texts = StreamClassifier("ada-rda"), StreamClassifier("ada-rda")
    for x, y in events(10):
        numbers.learn_one(x, y)
        texts.learn_one(x, str(y))
    with pytest.raises(ValueError, match="the labels 0 and '0' are the same class|the labels 1 and '1' are the same class"):
        numbers.merge(texts)
    assert numbers.classes == [0, 1] and numbers.n_events == 10
    with pytest.raises(TypeError, match="merge takes a StreamClassifier, not int"):
        one.merge(3)


def test_files_go_both_ways(tmp_path):
    stream = list(events(300))
    path, text = tmp_path / "m.sluice", tmp_path / "d.vw"
    text.write_text("".join(f"{2 * y - 1} | " + " ".join(f"{k}:{v!r}" for k, v in x.items()) + "\n" for x, y in stream))
    program = sluiceway.program()
    subprocess.run([program, "train", "-q", "-a", "arow", "-f", "vw", str(text), "-o", str(path)], check=True,
                   stdout=subprocess.DEVNULL)
    loaded = StreamClassifier.load(path)
    own = StreamClassifier("arow")
    for x, y in stream:
        own.learn_one(x, 2 * y - 1)
    assert loaded.learner == "arow" and sorted(loaded.classes) == [-1, 1]
    assert all(loaded.predict_one(x) == own.predict_one(x) for x, _ in stream)
    own.save(tmp_path / "own")
    assert own.model_.margin_one(stream[0][0]) == loaded.model_.margin_one(stream[0][0])
    out = subprocess.run([program, "predict", "-m", str(tmp_path / "own"), "-f", "vw", str(text)], check=True,
                         capture_output=True, text=True).stdout
    assert [int(line.split("\t")[0]) for line in out.splitlines()] == [own.predict_one(x) for x, _ in stream]
    loaded.learn_one({"a": 1.0}, "third")
    assert sorted(map(str, loaded.classes)) == ["-1.0", "1.0", "third"]


def test_types_of_features():
    model = StreamClassifier("pa-1")
    for _ in range(3):
        model.learn_one({"colour": "red", ("a", 1): True, 3: np.float32(1), b"x": None}, "yes")
        model.learn_one({"colour": "blue", "other": 1}, "no")
    assert model.predict_one({"colour": "red"}) == "yes" and model.predict_one({"colour": "blue"}) == "no"
    assert {t.feature for t in model.explain({"colour": "red", ("a", 1): 1, 3: 1})} == {"colour=red", "('a', 1)", "3"}


# ---- frames ---------------------------------------------------------------------------------------------------------


def frame_of(stream, kind):
    library = pytest.importorskip(kind)
    rows = list(stream)
    names = sorted({name for x, _ in rows for name in x})
    table = {name: [x.get(name) for x, _ in rows] for name in names}
    table["colour"] = ["red" if i % 3 else "blue" for i in range(len(rows))]
    table["flag"] = [i % 2 == 0 for i in range(len(rows))]
    events_of = [{**{n: table[n][i] for n in names}, "colour": table["colour"][i], "flag": table["flag"][i]}
                 for i in range(len(rows))]
    return library.DataFrame(table), events_of, [y for _, y in rows]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_frame_is_its_rows_one_after_the_other(kind, classes):
    X, rows, y = frame_of(events(200, classes), kind)
    labels = ["abc"[i] for i in y]
    many, one = StreamClassifier("arow"), StreamClassifier("arow")
    weights = [i % 3 / 2 for i in range(200)]
    many.learn_many(X[:120], labels[:120])
    many.learn_many(X[120:], labels[120:], weights[120:])
    for i, (x, label) in enumerate(zip(rows, labels)):
        one.learn_one(x, label, 1.0 if i < 120 else weights[i])
    assert many.model_.to_bytes() == one.model_.to_bytes()
    assert list(many.predict_many(X)) == [one.predict_one(x) for x in rows]
    chances = many.predict_proba_many(X)
    for label in set(labels):
        assert list(chances[label]) == pytest.approx([one.predict_proba_one(x)[label] for x in rows])
    if kind == "pandas":
        assert list(chances.index) == list(many.predict_many(X).index) == list(X.index)


@pytest.mark.parametrize("kind", ["table", "batch", "stream", "pandas objects", "pandas categories", "pandas nullable"])
def test_truths_of_any_frame_are_numbers_as_in_single_events(kind):
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    rows = [{"flag": [True, False, None][i % 3], "x": float(i)} for i in range(1, 31)]
    columns = {name: [row[name] for row in rows] for name in ("flag", "x")}
    if kind.startswith("pandas"):
        dtype = {"objects": object, "categories": "category", "nullable": "boolean"}[kind.partition(" ")[2]]
        X = pandas.DataFrame({**columns, "flag": pandas.Series(columns["flag"], dtype=dtype)})
    else:
        X = pyarrow.table(columns)
        X = X if kind == "table" else X.to_batches()[0] if kind == "batch" else X.to_reader(max_chunksize=7)
    labels = ["abc"[i // 10] for i in range(30)]
    many, one = StreamClassifier("arow"), StreamClassifier("arow")
    many.learn_many(X, labels)
    for row, label in zip(rows, labels):
        one.learn_one({name: value for name, value in row.items() if value is not None}, label)
    assert many.model_.to_bytes() == one.model_.to_bytes()


def test_rows_of_importance_0_bring_no_class():
    X, rows, y = frame_of(events(30, 3), "pandas")
    many, one = StreamClassifier("pa-1"), StreamClassifier("pa-1")
    weights = [float(label != 2) for label in y]
    many.learn_many(X, y, weights)
    for x, label, weight in zip(rows, y, weights):
        one.learn_one(x, label, weight)
    assert many.model_.to_bytes() == one.model_.to_bytes() and sorted(many.classes) == sorted(one.classes) == [0, 1]


def test_frames_before_anything_was_learned_and_of_the_wrong_length():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"a": [1.0, 2.0]})
    model = StreamClassifier("pa-1")
    assert model.predict_many(X).empty and model.predict_proba_many(X).empty
    with pytest.raises(ValueError, match="2 rows, and there are 1 labels"):
        model.learn_many(X, [1])
    with pytest.raises(ValueError, match="not finite"):
        model.learn_many(pandas.DataFrame({"a": [1.0, math.inf]}), [0, 1])


def test_an_interrupt_stops_a_frame():
    pandas = pytest.importorskip("pandas")
    random_values = np.random.default_rng(1).normal(size=(200_000, 30)).astype(np.float32)
    X = pandas.DataFrame(random_values, columns=[f"c{i}" for i in range(30)])
    y = (random_values[:, 0] > 0).tolist()
    model = StreamClassifier()
    model.learn_one({"c0": 1.0}, True)
    model.learn_one({"c0": -1.0}, False)
    model.learn_many(X[:64], y[:64])
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(1000):
            model.learn_many(X, y)
    learned = model.n_events
    model.learn_many(X[:64], y[:64])
    assert model.n_events == learned + 64


# ---- without river --------------------------------------------------------------------------------------------------


def test_it_needs_no_river():
    code = """
import sys
sys.modules["river"] = None
import copy, pickle
from sluiceway import StreamClassifier
model = StreamClassifier("pa-1", C=0.5)
model.learn_one({"a": 1.0}, True)
model.learn_one({"b": 1.0}, False)
print(model.predict_one({"a": 1.0}), model.predict_one({"b": 1.0}), repr(model.clone()), model.clone().n_events,
      model.clone({"C": 2.0}).params, model.clone(include_attributes=True).n_events,
      pickle.loads(pickle.dumps(model)).n_events, StreamClassifier.__mro__[1].__name__)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "True False StreamClassifier('pa-1', C=0.5) 0 {'C': 2.0} 2 2 _Base"
