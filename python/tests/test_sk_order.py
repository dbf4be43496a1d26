"""The order of rows: sorted labels are warned of, and `shuffle` helps."""

import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.datasets import load_iris  # noqa: E402

from sluiceway import AROWClassifier, SluiceClassifier  # noqa: E402


def test_rows_sorted_by_label_are_warned_of():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(UserWarning, match="sorted by label.*shuffle=True") as found:
        SluiceClassifier().fit(X, y)
    assert [warning.filename for warning in found] == [__file__], "the place of the call"


def test_rows_in_random_order_are_not():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SluiceClassifier().fit(X[order], y[order])
        SluiceClassifier().fit(X[:50], y[:50])  # one class


@pytest.mark.parametrize("make", [SluiceClassifier, AROWClassifier])
def test_shuffled_rows_are_learned_as_in_the_order_that_is_drawn(make):
    X, y = load_iris(return_X_y=True)
    weight = np.arange(150) % 3 + 1.0
    order = np.random.RandomState(7).permutation(150)
    shuffled = make(shuffle=True, random_state=7).fit(X, y, weight)
    by_hand = make().fit(X[order], y[order], weight[order])
    assert shuffled._fitted.model.to_bytes() == by_hand._fitted.model.to_bytes()


@pytest.mark.parametrize("form", ["csr_matrix", "csc_array", "coo_matrix", "bsr_array"])
def test_every_format_of_a_sparse_matrix_and_one_weight_for_all_rows_can_be_shuffled(form):
    sparse = pytest.importorskip("scipy.sparse")
    X, y = load_iris(return_X_y=True)
    X = np.round(X)
    expected = AROWClassifier(shuffle=True, random_state=7).fit(X, y, np.full(150, 2.0))
    made = AROWClassifier(shuffle=True, random_state=7).fit(getattr(sparse, form)(X), y, 2.0)
    assert np.array_equal(made.coef_, expected.coef_)


def test_frames_with_text_are_shuffled_too():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame({"word": ["a"] * 100 + ["b"] * 100, "value": np.arange(200.0)})
    y = np.repeat(["no", "yes"], 100)
    assert SluiceClassifier(shuffle=True, random_state=0).fit(X, y).score(X, y) > 0.95
