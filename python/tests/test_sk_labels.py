"""Labels of every type: what the model makes of them, and what comes back after saving."""
import os
import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn")

import sluiceway  # noqa: E402
from sluiceway import SluiceClassifier, _labels  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 6))
SCORES = X @ RNG.normal(size=(6, 3))

LABELS = {
    "float 0 1": np.array([0.0, 1.0]),
    "float -1 1": np.array([-1.0, 1.0]),
    "float32 0 1": np.array([0, 1], np.float32),
    "float 2 3": np.array([2.0, 3.0]),
    "int 0 1": np.array([0, 1]),
    "int8 -1 1": np.array([-1, 1], np.int8),
    "int -1 0": np.array([-1, 0]),
    "int 5 -7": np.array([-7, 5]),
    "int 1 2": np.array([1, 2]),
    "bool": np.array([False, True]),
    "str": np.array(["ham", "spam"]),
    "str of numbers, sorted as text": np.array(["10", "9"]),
    "str 0 1": np.array(["0", "1"]),
    "str true": np.array(["True", "false"]),
    "str number and word": np.array(["1", "x"]),
    "object": np.array(["b", "ä ö"], dtype=object),
    "object of numbers": np.array([3, 4], dtype=object),
    "three floats": np.array([0.0, 1.0, 2.0]),
    "three signs": np.array([-1, 0, 1]),
    "three words": np.array(["a", "b b", "ç"]),
    "three numbers as text": np.array(["10", "2", "30"]),
    "three of uint8": np.array([1, 7, 255], np.uint8),
    "far apart": np.array([-10**6, 0, 10**12]),
    "two of uint64": np.array([2**63 - 2048, 2**63 + 4096], np.uint64),
    "three of uint64": np.array([2**63, 2**63 + 4096, 2**63 + 8192], np.uint64),
    "far apart, of uint64": np.array([0, 5, 2**64 - 2048], np.uint64),
}
# what a model alone tells: no metadata is needed
TOLD = {"float 0 1", "float -1 1", "float 2 3", "str", "str true", "str number and word", "three floats", "three words"}


def y_of(values):
    """Every class comes, the last one first: classes are not in the order in which they are seen."""
    k = len(values)
    positions = SCORES[:, :k].argmax(axis=1)
    positions[:k] = np.arange(k)[::-1]
    return values[positions]


@pytest.mark.parametrize("name", LABELS)
def test_labels_come_back_as_they_were(name, tmp_path):
    values = LABELS[name]
    y = y_of(values)
    fitted = SluiceClassifier("arow", bias=1.0).fit(X, y)
    assert fitted.classes_.tolist() == values.tolist() and fitted.classes_.dtype == values.dtype
    predicted = fitted.predict(X)
    assert predicted.dtype == values.dtype and (predicted == y).mean() > 0.85
    decisions = fitted.decision_function(X)
    best = (decisions > 0).astype(int) if len(values) == 2 else decisions.argmax(axis=1)
    assert np.array_equal(predicted, values[best])
    fitted.save(tmp_path / "m")
    loaded = sluiceway.load(tmp_path / "m")
    again = pickle.loads(pickle.dumps(fitted))
    for other in (loaded, again, sluiceway.load(os.fspath(tmp_path / "m"))):
        assert other.classes_.tolist() == values.tolist()
        assert other.classes_.dtype.kind == values.dtype.kind
        assert [type(v) for v in other.classes_.tolist()] == [type(v) for v in values.tolist()]
        assert np.array_equal(other.predict(X), predicted)
        assert np.array_equal(other.decision_function(X), decisions)
        assert np.array_equal(other.predict_proba(X), fitted.predict_proba(X))
    assert (_labels.LABELS_KEY in loaded.model_.metadata_keys()) == (name not in TOLD)
    assert np.array_equal(loaded.partial_fit(X, y).predict(X), fitted.partial_fit(X, y).predict(X))


@pytest.mark.parametrize("name", LABELS)
def test_the_positive_class_of_the_file_is_the_last_one(name):
    values = LABELS[name]
    if len(values) > 2:
        assert len(SluiceClassifier("arow").fit(X, y_of(values)).model_.classes()) == 3
        return
    model = SluiceClassifier("arow").fit(X, y_of(values)).model_
    plain = {"-1 1", "0 1"} >= {" ".join(_labels.text_of(v).decode() for v in values.tolist())}
    if plain:
        assert model.classes() == []
    else:
        assert [c["text"] for c in model.classes() if c["positive"]] == [_labels.text_of(values.tolist()[1])]


def test_declared_classes_that_did_not_come_are_saved(tmp_path):
    y = y_of(LABELS["three of uint8"])
    fitted = SluiceClassifier("arow").partial_fit(X, y, classes=[1, 7, 9, 255])
    fitted.save(tmp_path / "m")
    assert sluiceway.load(tmp_path / "m").classes_.tolist() == [1, 7, 9, 255]
    assert np.array_equal(sluiceway.load(tmp_path / "m").predict_proba(X), fitted.predict_proba(X))


@pytest.mark.parametrize("y, error, words", [
    (["1", "1.0"], ValueError, "'1' and '1.0' are the same class"),
    ([10**17, 10**17 + 1], ValueError, "64-bit floats, which cannot tell these numbers apart"),
    (np.array([2**63 + 5, 2**63 + 9], np.uint64), ValueError, "which cannot tell these numbers apart"),
    (["a", ""], ValueError, "the label '' means that there is none"),
    (["a", "?"], ValueError, "the label '\\?' means that there is none"),
    ([0.0, np.nan], ValueError, "Input y contains NaN"),
    ([0.25, 1.5], ValueError, "Unknown label type: continuous"),
    (np.array([1, "a"], dtype=object), TypeError, "labels of one y are of one kind"),
    (np.array([None, None], dtype=object), ValueError, "row 0 of y has no label: it is missing"),
    (None, ValueError, "requires y to be passed, but the target y is None"),
    ([[0, 1], [1, 0]], ValueError, "y should be a 1d array"),
    ([0, 1, 0], ValueError, "inconsistent numbers of samples"),
])
def test_labels_that_cannot_be(y, error, words):
    with pytest.raises(error, match=words):
        SluiceClassifier("arow").fit(X[:2], y)


@pytest.mark.parametrize("values", [LABELS[name] for name in LABELS], ids=LABELS)
def test_positions_of_labels(values):
    classes = _labels.Classes(values)
    y = values[np.array([0, 1, 1, 0, len(values) - 1])]
    assert classes.indices(y).tolist() == [0, 1, 1, 0, len(values) - 1]
    found, at = _labels.find_classes(y)
    assert found.values.tolist() == sorted(set(y.tolist())) and np.array_equal(found.values[at], y)
    with pytest.raises(ValueError, match="do not exist in the initial classes"):
        classes.indices(np.array(["no such label"] if values.dtype.kind in "UO" else [77]))


def test_damaged_metadata_is_an_error(tmp_path):
    fitted = SluiceClassifier("arow").fit(X, y_of(LABELS["int 0 1"]))
    fitted.model_.set_metadata(_labels.LABELS_KEY, b"{")
    fitted.model_.save(os.fspath(tmp_path / "m"))
    with pytest.raises(ValueError, match="python.labels cannot be read"):
        sluiceway.load(tmp_path / "m")
