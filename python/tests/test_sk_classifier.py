"""SluiceClassifier: learning, answering, weights, parameters."""
import copy
import inspect
import os
import pickle
import re
import signal
import tempfile
import threading

import numpy as np
import pytest

pytest.importorskip("sklearn")

import joblib  # noqa: E402
from scipy import sparse  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402

import sluiceway  # noqa: E402
from sluiceway import SluiceClassifier, _matrix, _table  # noqa: E402
from sluiceway._heads import HEADS  # noqa: E402


def make(n=400, d=30, k=2, seed=0, zeros=0.6):
    """Rows of small whole numbers, so that every float type holds them, and k classes 0 to k - 1."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (n, d)).astype(np.float64)
    X[rng.random((n, d)) < zeros] = 0
    scores = X @ rng.normal(size=(d, k)) + rng.normal(scale=0.5, size=(n, k))
    return X, scores.argmax(axis=1)


def model_bytes(estimator):
    return bytes(estimator.model_.to_bytes())


# ---- matrices -------------------------------------------------------------------------------------------------------


def unsorted(X):
    X = sparse.csr_matrix(X)
    for i in range(X.shape[0]):
        part = slice(X.indptr[i], X.indptr[i + 1])
        X.indices[part], X.data[part] = X.indices[part][::-1].copy(), X.data[part][::-1].copy()
    X.has_sorted_indices = False
    return X


def doubled(X):
    """Every value as the sum of two, at the same place."""
    X = sparse.csr_matrix(X)
    out = sparse.csr_matrix((np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), X.indptr * 2), shape=X.shape)
    assert out.nnz == 2 * X.nnz
    return out


def large(X):
    X = sparse.csr_matrix(X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def locked(X):
    X = sparse.csr_matrix(X)
    for a in (X.data, X.indices, X.indptr):
        a.flags.writeable = False
    return X


FORMS = {
    "csr_matrix": sparse.csr_matrix,
    "csr_array": sparse.csr_array,
    "csr float32": lambda X: sparse.csr_matrix(X.astype(np.float32)),
    "csr of 64-bit indices": large,
    "read-only csr": locked,
    "csr of whole numbers": lambda X: sparse.csr_matrix(X.astype(np.int16)),
    "csr with duplicates": doubled,
    "csc": sparse.csc_matrix,
    "coo_array": sparse.coo_array,
    "float32": lambda X: X.astype(np.float32),
    "float16": lambda X: X.astype(np.float16),
    "int8": lambda X: X.astype(np.int8),
    "columns first": np.asfortranarray,
    "swapped bytes": lambda X: X.astype(X.dtype.newbyteorder()),
    "list": lambda X: X.tolist(),
    "every second column of a wider array": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_matrix_gives_the_same_model_and_answers(form, monkeypatch):
    monkeypatch.setattr(_matrix, "_CHUNK", 1000)
    X, y = make()
    plain = SluiceClassifier("arow").fit(X, y)
    other = SluiceClassifier("arow").fit(FORMS[form](X), y)
    assert model_bytes(plain) == model_bytes(other)
    assert np.array_equal(plain.decision_function(X), other.decision_function(FORMS[form](X)))
    assert other.n_features_in_ == 30


@pytest.mark.parametrize("setting", [{"normalize": "l2"}, {"transform": "log1p"}])
def test_a_column_that_stands_twice_in_a_row_is_its_sum(setting):
    X, y = make()
    estimator = SluiceClassifier("arow", **setting).fit(doubled(X), y)
    assert model_bytes(estimator) == model_bytes(SluiceClassifier("arow", **setting).fit(X, y))
    given = doubled(X)
    assert np.array_equal(estimator.decision_function(given), estimator.decision_function(X))
    assert given.nnz == 2 * np.count_nonzero(X), "the matrix is left as it is"


def test_unsorted_rows_give_the_weights_of_sorted_ones():
    X, y = make()
    ours = SluiceClassifier("pa-1").fit(unsorted(X), y)
    assert np.allclose(ours.coef_, SluiceClassifier("pa-1").fit(X, y).coef_, rtol=1e-5)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("value", [np.float32, np.float64])
def test_csr_is_not_copied(index, value):
    X = sparse.csr_matrix(make()[0].astype(value))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    rows = _matrix.csr_arrays(SluiceClassifier()._check_X(X, None)[0])
    for ours, theirs in ((rows.values, X.data), (rows.ids, X.indices), (rows.indptr, X.indptr)):
        assert ours.ctypes.data == theirs.ctypes.data and ours.dtype == theirs.dtype


def test_explicit_zeros_of_csr_make_their_features_seen():
    X = sparse.csr_matrix((np.array([1.0, 0.0]), np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 2))
    assert SluiceClassifier("arow").fit(X, [0, 1]).n_features_seen_ == 2
    assert SluiceClassifier("arow").fit(X.toarray(), [0, 1]).n_features_seen_ == 1


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("value, words", [(np.nan, "contains NaN"), (np.inf, "contains infinity"),
                                          (1e60, "too large for dtype\\('float32'\\)")])
def test_values_that_are_no_floats_are_refused_and_nothing_is_learned(kind, value, words):
    X, y = make(n=50)
    estimator = SluiceClassifier("arow").partial_fit(kind(X), y, classes=[0, 1])
    wrong = X.copy()
    wrong[49, 0] = value
    wrong = kind(wrong)
    with pytest.raises(ValueError, match=words):
        estimator.predict(wrong)
    if value != 1e60:  # that one the library finds when it comes to it
        before = model_bytes(estimator)
        with pytest.raises(ValueError, match=words):
            estimator.partial_fit(wrong, y)
        assert model_bytes(estimator) == before
    with pytest.raises(ValueError, match=words):
        SluiceClassifier("arow").fit(wrong, y)


def test_a_failure_names_the_row_of_the_whole_matrix(monkeypatch):
    monkeypatch.setattr(_matrix, "_CHUNK", 300)  # ten rows
    X, y = make(n=50)
    weights = np.ones(50)
    weights[34] = 2
    with pytest.raises(ValueError, match="^row 35: pa takes only the importance weights 0 and 1"):
        SluiceClassifier("pa").fit(X, y, sample_weight=weights)


# ---- learning -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("learner", ["auto", "ssol", "bcw", "olsf-1"])
def test_parts_learned_one_after_the_other_equal_one_fit(learner, k):
    X, y = make(k=k)
    params = {"batch": 64} if learner == "bcw" else {}
    whole = SluiceClassifier(learner, **params).fit(X, y)
    parts = SluiceClassifier(learner, **params)
    for i in range(0, 400, 90):
        parts.partial_fit(X[i:i + 90], y[i:i + 90], classes=range(k) if i == 0 else None)
    assert model_bytes(whole) == model_bytes(parts)
    assert np.array_equal(whole.predict_proba(X), parts.predict_proba(X))


def test_warm_start_goes_on_and_passes_go_over_the_rows_again():
    X, y = make()
    warm = SluiceClassifier("pa-1", warm_start=True).fit(X, y).fit(X, y)
    twice = SluiceClassifier("pa-1", passes=2).fit(X, y)
    once = SluiceClassifier("pa-1").fit(X, y).fit(X, y)
    assert model_bytes(warm) == model_bytes(twice)
    assert warm.n_examples_ == 800 and once.n_examples_ == 400


def test_the_first_partial_fit_needs_the_classes_and_others_stay_unknown():
    X, y = make(k=3)
    estimator = SluiceClassifier("arow")
    with pytest.raises(ValueError, match="classes must be passed on the first call to partial_fit.*StreamClassifier"):
        estimator.partial_fit(X, y)
    estimator.partial_fit(X[y < 2], y[y < 2], classes=[1, 0])
    with pytest.raises(ValueError, match=r"The target label\(s\) \[2\] in y do not exist in the initial classes"):
        estimator.partial_fit(X, y)
    with pytest.raises(ValueError, match="is not the same as on last call to partial_fit"):
        estimator.partial_fit(X, y, classes=[0, 1, 2])
    assert estimator.n_examples_ == (y < 2).sum()


@pytest.mark.parametrize("multiclass", ["ovr", "ovo", "matrix"])
def test_classes_that_never_came_have_no_probability_and_are_below_all_others(multiclass):
    X, y = make(k=3)
    estimator = SluiceClassifier("arow", multiclass=multiclass)
    estimator.partial_fit(X, y * 10, classes=[0, 5, 10, 20, 99])
    assert estimator.classes_.tolist() == [0, 5, 10, 20, 99]
    chances, margins = estimator.predict_proba(X), estimator.decision_function(X)
    assert chances.shape == margins.shape == (400, 5)
    assert (chances[:, [1, 4]] == 0).all() and np.allclose(chances.sum(axis=1), 1)
    assert (margins[:, [1, 4]].max(axis=1) < margins[:, [0, 2, 3]].min(axis=1)).all()
    assert np.array_equal(estimator.predict(X), estimator.classes_[margins.argmax(axis=1)])
    assert estimator.coef_.shape[1] == 30 and np.isfinite(estimator.coef_).all()


@pytest.mark.parametrize("classes, only", [
    (classes, i) for classes in ([0, 1], [0, 1, 2], [1, 2], [0, 2], ["a", "b"], [-1, 0]) for i in range(len(classes))])
def test_with_one_class_so_far_this_class_is_predicted(classes, only):
    X, _ = make(n=20)
    label = classes[only]
    estimator = SluiceClassifier("arow", bias=1.0).partial_fit(X, [label] * 20, classes=classes)
    other = -3 * X
    assert (estimator.predict(other) == label).all()
    chances = estimator.predict_proba(other)
    assert chances.shape == (20, len(classes)) and (chances[:, only] == 1).all() and chances.sum() == 20
    decisions = estimator.decision_function(other)
    if len(classes) == 2:
        assert ((decisions > 0) == (only == 1)).all()
    estimator.partial_fit(X, [classes[0]] * 10 + [classes[1]] * 10)
    assert np.isfinite(estimator.predict_proba(other)).all()


def test_a_fit_of_one_class():
    X, _ = make(n=20)
    for label in (1, 0, 7, "x", True):
        estimator = SluiceClassifier("arow").fit(X, [label] * 20)
        assert estimator.classes_.tolist() == [label]
        assert (estimator.predict(-X) == label).all() and (estimator.predict_proba(X) == 1).all()
        assert np.isfinite(estimator.decision_function(X)).all()


@pytest.mark.parametrize("k", [2, 3])
def test_models_without_a_weight_answer_with_finite_numbers(k):
    X, y = make(k=k)
    estimator = SluiceClassifier("fsol", lambda_=1e9).fit(X, y)
    assert estimator.n_nonzeros_ == 0 and not estimator.coef_.any()
    assert np.allclose(estimator.predict_proba(X), 1 / k)
    assert np.isin(estimator.predict(X), y).all() and np.isfinite(estimator.decision_function(X)).all()
    if k == 3:
        assert np.array_equal(estimator.decision_function(X).argmax(axis=1), estimator.predict(X))


def test_an_interrupt_leaves_what_was_learned(monkeypatch):
    X, y = make()
    whole = _matrix.dense_chunks

    def interrupted(*args):
        for i, rows in enumerate(whole(*args)):
            if i == 3:
                signal.raise_signal(signal.SIGINT)
            yield rows

    monkeypatch.setattr(_matrix, "_CHUNK", 1500)  # 50 rows
    expected = SluiceClassifier("arow").fit(X[:150], y[:150])
    monkeypatch.setattr(_matrix, "dense_chunks", interrupted)
    fitted, parts = SluiceClassifier("arow"), SluiceClassifier("arow")
    with pytest.raises(KeyboardInterrupt):
        fitted.fit(X, y)
    with pytest.raises(KeyboardInterrupt):
        parts.partial_fit(X, y, classes=[0, 1])
    monkeypatch.setattr(_matrix, "dense_chunks", whole)
    for estimator in (fitted, parts):
        assert model_bytes(estimator) == model_bytes(expected)
        assert np.array_equal(estimator.predict(X), expected.predict(X))
        estimator.partial_fit(X[150:], y[150:])
        assert estimator.n_examples_ == 400


def test_a_failed_fit_leaves_the_estimator_as_it_was():
    X, y = make()
    estimator = SluiceClassifier("arow").fit(X, y)
    before = model_bytes(estimator)
    estimator.set_params(r=-1)
    with pytest.raises(ValueError, match="parameter r of arow"):
        estimator.fit(X, y)
    with pytest.raises(ValueError, match="parameter r of arow"):
        estimator.fit(X[:, :3], y)
    assert model_bytes(estimator) == before
    assert estimator.n_features_in_ == 30 and estimator.predict(X).shape == (400,) and estimator.coef_.shape == (1, 30)


def test_a_failed_first_partial_fit_leaves_nothing():
    X, y = make(n=50)
    wrong = sparse.csr_matrix(X)
    wrong.data[-1] = np.nan
    estimator = SluiceClassifier("arow")
    with pytest.raises(ValueError, match="contains NaN"):
        estimator.partial_fit(wrong, y, classes=[0, 1])
    with pytest.raises(NotFittedError):
        estimator.predict(X)


def test_the_progress_bar_is_on_standard_error(capsys):
    X, y = make()
    SluiceClassifier("arow", verbose=1, passes=2).fit(X, y)
    out, err = capsys.readouterr()
    assert out == "" and "fit: [" in err and "100% of 800 rows" in err and err.endswith("\n")
    SluiceClassifier("arow").fit(X, y)
    assert capsys.readouterr().err == ""


# ---- weights of rows and classes ------------------------------------------------------------------------------------


def test_rows_of_weight_0_are_absent_and_no_weight_at_all_is_an_error():
    X, y = make()
    weights = np.random.default_rng(1).integers(0, 2, 400)
    ours = SluiceClassifier("ssol").fit(X, y, sample_weight=weights)
    assert model_bytes(ours) == model_bytes(SluiceClassifier("ssol").fit(X[weights > 0], y[weights > 0]))
    with pytest.raises(ValueError, match="Sample weights must contain at least one non-zero number"):
        SluiceClassifier("ssol").fit(X, y, sample_weight=np.zeros(400))
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        SluiceClassifier("ssol").fit(X, y, sample_weight=-weights)
    with pytest.raises(ValueError, match="sample_weight.shape == \\(3,\\), expected \\(400,\\)"):
        SluiceClassifier("ssol").fit(X, y, sample_weight=[1, 2, 3])
    before = ours.n_examples_
    assert ours.partial_fit(X, y, sample_weight=np.zeros(400)).n_examples_ == before


def test_class_weights_multiply_the_weights_of_rows():
    X, y = make()
    names = np.array(["ham", "spam"])[y]
    given = np.where(y, 2.5, 0.5)
    ours = SluiceClassifier("arow", class_weight={"ham": 0.5, "spam": 2.5}).fit(X, names)
    assert model_bytes(ours) == model_bytes(SluiceClassifier("arow").fit(X, names, sample_weight=given))
    parts = SluiceClassifier("arow", class_weight={"ham": 0.5, "spam": 2.5})
    assert model_bytes(parts.partial_fit(X, names, classes=["ham", "spam"])) == model_bytes(ours)
    balanced = 200 / np.bincount(y)[y]
    ours = SluiceClassifier("arow", class_weight="balanced").fit(X, y)
    assert model_bytes(ours) == model_bytes(SluiceClassifier("arow").fit(X, y, sample_weight=balanced))
    with pytest.raises(ValueError, match="'balanced' is not supported for partial_fit"):
        SluiceClassifier("arow", class_weight="balanced").partial_fit(X, y, classes=[0, 1])
    for wrong in (-1, float("nan"), float("inf")):
        estimator = SluiceClassifier("arow", class_weight={0: 1, 1: wrong})
        with pytest.raises(ValueError, match="class_weight={.*: weights are numbers of at least 0"):
            estimator.partial_fit(X, y, classes=[0, 1])
        assert not hasattr(estimator, "classes_"), "nothing was learned"


# ---- answers and weights --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("multiclass", ["ovr", "matrix"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("labels", [lambda y: y, lambda y: np.array(["9", "10", "8"])[y]], ids=["numbers", "text"])
def test_decisions_are_weights_times_values(k, multiclass, labels):
    X, y = make(k=k)
    estimator = SluiceClassifier("arow", bias=2.0, multiclass=multiclass).fit(X, labels(y))
    decisions = estimator.decision_function(X)
    shape = (1, 30) if k == 2 else (3, 30)
    assert estimator.coef_.shape == shape and estimator.intercept_.shape == shape[:1]
    assert np.allclose(decisions, (X @ estimator.coef_.T + estimator.intercept_).squeeze(), atol=1e-4)
    assert estimator.score(X, labels(y)) > 0.8
    chosen = (decisions > 0).astype(int) if k == 2 else decisions.argmax(axis=1)
    assert np.array_equal(estimator.predict(X), estimator.classes_[chosen])


def test_one_against_one_has_a_row_of_weights_for_every_pair():
    X, y = make(k=3)
    estimator = SluiceClassifier("arow", multiclass="ovo", bias=1.0).fit(X, y)
    assert estimator.coef_.shape == (3, 30)
    pairs = X @ estimator.coef_.T + estimator.intercept_  # 0-1, 0-2, 1-2: above 0 for the second
    won = np.stack([(pairs[:, 0] <= 0) * 1 + (pairs[:, 1] <= 0), (pairs[:, 0] > 0) * 1 + (pairs[:, 2] <= 0),
                    (pairs[:, 1] > 0) * 1 + (pairs[:, 2] > 0)], axis=1)
    clear = (won == 2).any(axis=1)
    assert clear.mean() > 0.9 and np.array_equal(won.argmax(axis=1)[clear], estimator.predict(X)[clear])
    assert np.array_equal(estimator.decision_function(X).argmax(axis=1), estimator.predict(X))


def test_sparsify_and_densify():
    X, y = make(k=3)
    estimator = SluiceClassifier("ssol").fit(X, y)
    dense = estimator.coef_
    assert isinstance(dense, np.ndarray)
    assert sparse.issparse(estimator.sparsify().coef_) and estimator.coef_.shape == (3, 30)
    assert np.array_equal(estimator.coef_.toarray(), dense)
    assert sparse.issparse(pickle.loads(pickle.dumps(estimator)).coef_)
    assert np.array_equal(estimator.densify().coef_, dense)


def test_weights_follow_what_is_learned():
    X, y = make()
    estimator = SluiceClassifier("arow").fit(X[:200], y[:200])
    first = estimator.coef_
    estimator.partial_fit(X[200:], y[200:])
    assert not np.array_equal(first, estimator.coef_)
    assert estimator.n_nonzeros_ == np.count_nonzero(estimator.coef_)


def test_probabilities_agree_with_the_predicted_class_and_keep_their_order():
    X, y = make(n=300)
    y = (np.random.default_rng(3).random(300) < np.where(y, 0.5, 0.05)).astype(int)
    estimator = SluiceClassifier("perceptron").fit(X, y)
    raw, ours = estimator.calibrated_proba(X), estimator.predict_proba(X)
    predicted = estimator.predict(X)
    assert (raw.argmax(axis=1) != predicted).any(), "the data must show the difference"
    assert np.array_equal(ours.argmax(axis=1), predicted)
    order = np.argsort(estimator.decision_function(X))
    assert (np.diff(ours[order, 1]) >= 0).all() and np.allclose(ours.sum(axis=1), 1)
    assert np.allclose(np.exp(estimator.predict_log_proba(X)), ours)


def test_before_fit():
    estimator = SluiceClassifier()
    for ask in (estimator.predict, estimator.decision_function, estimator.predict_proba):
        with pytest.raises(NotFittedError):
            ask([[1.0]])
    assert not hasattr(estimator, "coef_") and not hasattr(estimator, "intercept_")
    assert not hasattr(estimator, "n_nonzeros_")
    with pytest.raises(NotFittedError):
        estimator.save("nowhere")


@pytest.mark.parametrize("ask", ["predict", "decision_function", "predict_proba"])
def test_a_class_that_another_thread_learns_is_answered(ask):
    X, y = np.eye(3), np.arange(3)
    estimator = SluiceClassifier("arow").partial_fit(X[:2], y[:2], classes=y)
    getattr(estimator, ask)(X)
    rows = _matrix.csr_arrays(sparse.csr_matrix(X[2:]))  # what a thread in partial_fit has done before it returns
    estimator.model_.learn_csr(rows.indptr, rows.ids, rows.values, np.zeros(1, np.uint32), None, (b"2",), None, None)
    found = getattr(estimator, ask)(X)
    again = pickle.loads(pickle.dumps(estimator))
    assert found.tolist() == getattr(again, ask)(X).tolist()
    assert (found if ask == "predict" else found.argmax(axis=1))[2] == 2


def test_many_threads_predict_with_one_estimator():
    X, y = make(n=2000, k=3)
    estimator = SluiceClassifier("bcw", batch=300).fit(X, y)  # predicts with a copy, made when it is first asked for
    expected = clone(estimator).fit(X, y).predict_proba(X)
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(estimator.predict_proba(X))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 8 and all(np.array_equal(a, expected) for a in answers)


@pytest.mark.parametrize("again", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy, copy.deepcopy],
                         ids=["pickle", "copy", "deepcopy"])
@pytest.mark.parametrize("estimator", [SluiceClassifier("ssol", lambda_=0.1, transform="log1p"),
                                       sluiceway.FTRLClassifier(l1=0.5)], ids=["any", "one"])
def test_copies_answer_the_same_and_go_on_learning(estimator, again):
    X, y = make(k=3)
    estimator = clone(estimator).fit(X[:300], y[:300])
    other = again(estimator)
    assert type(other) is type(estimator) and other.get_params() == estimator.get_params()
    assert np.array_equal(other.predict_proba(X), estimator.predict_proba(X))
    assert other.classes_.dtype == estimator.classes_.dtype and other.n_features_in_ == 30
    before = model_bytes(estimator)
    other.partial_fit(X[300:], y[300:])
    other.set_params(**{next(iter(other._learner_params())): 7})
    assert model_bytes(estimator) == before and other.get_params() != estimator.get_params()
    assert other.n_examples_ == 400


def test_joblib(tmp_path):
    X, y = make()
    estimator = sluiceway.AROWClassifier(r=0.5).fit(X, y)
    joblib.dump(estimator, tmp_path / "m.joblib")
    assert np.array_equal(joblib.load(tmp_path / "m.joblib").predict(X), estimator.predict(X))


def test_merged_models_are_sums():
    X, y = make(k=2)
    a = SluiceClassifier("perceptron").fit(X[:200], y[:200])
    b = SluiceClassifier("perceptron").fit(X[200:], y[200:])
    total = a.coef_ + b.coef_
    assert a.merge(b) is a and np.allclose(a.coef_, total) and a.n_examples_ == 400
    with pytest.raises(sluiceway.UnsupportedError, match="merge"):
        SluiceClassifier("auto").fit(X, y).merge(SluiceClassifier("auto").fit(X, y))
    with pytest.raises(ValueError):
        a.merge(SluiceClassifier("perceptron").fit(X, y + 5))


def test_merged_models_have_the_classes_of_both():
    X, y = make(k=4)
    a = SluiceClassifier("rda").fit(X[y < 3], y[y < 3])
    b = SluiceClassifier("rda").fit(X[y > 0], y[y > 0])
    a.merge(b)
    assert a.classes_.tolist() == [0, 1, 2, 3] and a.predict_proba(X).shape == (400, 4)
    words = SluiceClassifier("rda").fit(X, np.array(list("abcd"))[y])
    before = model_bytes(a)
    with pytest.raises(ValueError, match="texts and numbers"):
        a.merge(words)
    assert model_bytes(a) == before and a.classes_.dtype.kind == "i"
    with pytest.raises(TypeError, match="merge takes a fitted estimator, not int"):
        a.merge(3)


# ---- parameters -----------------------------------------------------------------------------------------------------


def test_parameters_take_part_in_get_params_set_params_and_clone():
    estimator = SluiceClassifier("ssol", lambda_=0.5, bias=1.0)
    assert estimator.get_params(deep=False)["lambda_"] == 0.5
    assert estimator.get_params()["eta"] == 4.0, "defaults of the learner"
    assert "eta" not in estimator.get_params(deep=False)
    assert repr(estimator) == "SluiceClassifier(bias=1.0, lambda_=0.5, learner='ssol')"
    assert clone(estimator).get_params() == estimator.get_params()
    assert SluiceClassifier("ssol", **{"lambda": 0.5}).get_params()["lambda_"] == 0.5
    assert estimator.set_params(**{"lambda": 2}).get_params()["lambda_"] == 2
    estimator = clone(SluiceClassifier("ssol")).set_params(learner="arow", r=3)
    assert estimator.get_params(deep=False)["r"] == 3
    estimator.fit(*make())
    assert estimator.model_.params()["r"] == 3


def test_settings_reach_the_model():
    X, y = make(k=3)
    model = SluiceClassifier("arow", bias=2, normalize="l2", scale="maxabs", transform="log1p", max_features=20,
                             multiclass="matrix").fit(X, y).model_
    wanted = {"bias": 2.0, "normalize": 1, "scale": 2, "transform": 1, "max_features": 20, "classes": 3}
    assert {name: model.settings()[name] for name in wanted} == wanted
    assert SluiceClassifier("arow", hash_bits=12).fit(X, y).model_.settings()["hash_bits"] == 12


@pytest.mark.parametrize("params, words", [
    ({"learner": "no-such"}, "unknown learner 'no-such'; there are: auto, ssol"),
    ({"learner": "ssol", "foo": 1}, "ssol has no parameter 'foo'; it has eta, lambda_, r"),
    ({"learner": "pa", "C": 1}, "pa has no parameter 'C'; it has none"),
    ({"learner": "ssol", "eta": "much"}, "parameter eta of ssol wants a number, not 'much'"),
    ({"learner": "ssol", "eta": -1}, "parameter eta of ssol lies between"),
    ({"learner": "ssol", "schedule": "never"}, "parameter schedule of ssol is one of constant, inverse, sqrt"),
    ({"normalize": "l3"}, "normalize='l3': it takes None, 'l2'"),
    ({"multiclass": "all"}, "multiclass='all': it takes 'ovr', 'ovo', 'matrix'"),
    ({"passes": 0}, "passes=0: it is at least 1"),
    ({"hash_bits": 31}, "hash_bits=31: it is at least 0 and at most 30"),
    ({"bias": float("nan")}, "bias=nan"),
    ({"class_weight": "even"}, "class_weight='even'"),
])
def test_what_is_wrong_with_a_parameter_is_said_in_fit(params, words):
    X, y = make()
    estimator = SluiceClassifier(**params)
    with pytest.raises(ValueError, match=words):
        estimator.fit(X, y)


def test_other_names_of_learners_are_understood():
    X, y = np.eye(4, dtype=np.float32), np.array([0, 1, 0, 1])
    own = SluiceClassifier("olsf-1", C=0.5).fit(X, y)
    other = SluiceClassifier("stsd-1", C=0.5).fit(X, y)
    assert other.get_params()["learner"] == "stsd-1"
    np.testing.assert_array_equal(own.decision_function(X), other.decision_function(X))
    stream = sluiceway.StreamClassifier("pa1")
    stream.learn_one({"a": 1.0}, 1)
    assert stream.predict_one({"a": 1.0}) == 1


def test_a_parameter_that_no_learner_has_cannot_be_set():
    with pytest.raises(ValueError, match="Invalid parameter 'gamma' for estimator SluiceClassifier"):
        SluiceClassifier().set_params(gamma=1)
    with pytest.raises(ValueError, match="Invalid parameter 'r' for estimator PAClassifier"):
        sluiceway.PAClassifier().set_params(r=1)
    with pytest.raises(TypeError, match="PAClassifier.* unexpected keyword argument 'r'"):
        sluiceway.PAClassifier(r=1)
    with pytest.raises(TypeError, match="'lambda' is given twice|'lambda_' is given twice"):
        SluiceClassifier("ssol", lambda_=1, **{"lambda": 2})


@pytest.mark.parametrize("name", HEADS)
def test_a_class_of_one_learner_is_the_classifier_of_that_learner(name):
    X, y = make(n=100)
    cls, learner = getattr(sluiceway, name), _table.find(HEADS[name])
    signature = inspect.signature(cls)
    for param in learner.params:
        assert signature.parameters[param.key].default == param.default
        assert f"\n{param.key} : " in cls.__doc__
    for setting in _table.SETTINGS:
        assert f"\n{setting} : " in cls.__doc__ and setting in signature.parameters
    ours = cls(bias=1.0).fit(X, y)
    assert model_bytes(ours) == model_bytes(SluiceClassifier(HEADS[name], bias=1.0).fit(X, y))
    assert type(pickle.loads(pickle.dumps(ours))) is cls


def test_the_docstring_of_the_classifier_lists_all_parameters():
    for key in (*_table.SETTINGS, "learner", "class_weight", "warm_start"):
        assert f"\n{key} : " in SluiceClassifier.__doc__, key
    for key in _table.all_keys():
        assert f"\n- ``{key}`` (" in SluiceClassifier.__doc__, key


def test_the_stub_of_the_made_classes_is_up_to_date():
    from sluiceway import families

    with open(inspect.getfile(families) + "i", encoding="utf-8") as text:
        assert text.read() == families.stub(), families.stub.__doc__


@pytest.mark.parametrize("make", ["list", "numpy.array", "pandas.Series", "polars.Series"])
def test_texts_are_told_where_to_go(make):
    library, _, maker = make.rpartition(".")
    made = (getattr(pytest.importorskip(library), maker) if library else list)(["free prize", "lunch"] * 10)
    for call in (lambda: SluiceClassifier().fit(made, [1, 0] * 10), lambda: SluiceClassifier("arow").partial_fit(
            made, [1, 0] * 10, classes=[0, 1]), lambda: SluiceClassifier("arow").fit(np.eye(2), [0, 1]).predict(made)):
        with pytest.raises(ValueError, match=r"make_pipeline\(HashingVectorizer\(\), .*train\(\(texts, labels\), format"):
            call()
    run = sluiceway.train((["free prize", "lunch"] * 10, [1, 0] * 10), "arow", format="text")
    with pytest.raises(ValueError, match=r"sluiceway.predict\(model, texts\)"):
        run.model.predict(made)


def test_parameters_that_changed_are_not_without_effect():
    X, y = np.eye(4), [0, 1, 0, 1]
    model = SluiceClassifier("arow").partial_fit(X, y, classes=[0, 1])
    model.set_params(r=_table.find("arow").defaults["r"], verbose=0, passes=3, shuffle=True).partial_fit(X, y)
    for params, what in [({"learner": "ssol"}, "^learner was 'arow' and is 'ssol'"), ({"r": 7}, "^r was .* and is 7:"),
                         ({"bias": 1.0}, "^bias was 0.0 and is 1.0:"), ({"normalize": "l2"}, "^normalize was None and")]:
        again = pickle.loads(pickle.dumps(model)).set_params(**params)
        for call in (lambda: again.partial_fit(X, y), lambda: again.set_params(warm_start=True).fit(X, y)):
            with pytest.raises(ValueError, match=what):
                call()
        assert again.n_examples_ == 8
        assert clone(again).set_params(warm_start=False).fit(X, y).n_examples_ in (4, 12)
        assert again.set_params(warm_start=False).fit(X, y).partial_fit(X, y).n_examples_ in (8, 16)
    loaded = sluiceway.load(saved(model)).partial_fit(X, y)
    with pytest.raises(ValueError, match="^learner was"):
        loaded.set_params(learner="ftrl").partial_fit(X, y)


def saved(model):
    path = os.path.join(tempfile.mkdtemp(), "model")
    model.save(path)
    return path


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("column", [4, 2**31 - 1, -1])
def test_a_column_beyond_the_matrix_is_refused(kind, column):
    X = sparse.csr_matrix(np.eye(4))
    X.indices, X.indptr = X.indices.astype(kind), X.indptr.astype(kind)
    X.indices[2] = column
    model = SluiceClassifier("arow")
    for call in (lambda: model.fit(X, [0, 1, 0, 1]), lambda: model.partial_fit(X, [0, 1, 0, 1], classes=[0, 1])):
        with pytest.raises(ValueError, match=rf"^a row has column {column}, but the matrix has the shape \(4, 4\)"):
            call()
    X.indices[2] = 3
    assert model.fit(X, [0, 1, 0, 1]).n_features_in_ == 4


def test_a_name_that_is_nearly_right_is_named():
    X, y = np.eye(2), [0, 1]
    for model, what in [(SluiceClassifier("arrow"), r"unknown learner 'arrow' \(did you mean 'arow'\?\); there are: auto,"),
                        (SluiceClassifier("arow", normalise="l2"), r"'normalise' \(did you mean 'normalize'\?\); it has r, "
                         ".*all learners take bias, normalize, "), (SluiceClassifier("ssol", lamda=1), "did you mean 'lambda_'")]:
        with pytest.raises(ValueError, match=what):
            model.fit(X, y)
    with pytest.raises(ValueError, match="did you mean 'normalize'"):
        sluiceway.train(["1 1:1", "0 2:1"], "arow", normalise="l2")


@pytest.mark.parametrize("label", [None, float("nan")])
def test_a_label_that_is_missing_is_said_to_be(label):
    X, y = np.eye(4), ["a", label, "b", "a"]
    for call in (lambda: SluiceClassifier().fit(X, np.array(y, dtype=object)), lambda: sluiceway.train((X, np.array(y, dtype=object)))):
        with pytest.raises(ValueError, match="^row 1 of y has no label: it is missing"):
            call()
    with pytest.raises(ValueError, match="a label is missing"):
        sluiceway.train([({"a": 1}, "x"), ({"a": 1}, label)], "arow")
    with pytest.raises((TypeError, ValueError), match="missing|labels are finite"):
        sluiceway.StreamClassifier().learn_one({"a": 1}, label)
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="row 1 of y has no label"):
        SluiceClassifier().fit(X, pandas.Series(y))


def test_a_term_of_nothing_is_zero():
    model = SluiceClassifier("arow").fit(np.eye(3), ["b", "a", "b"])
    shown = model.explain({1: 0.0, 2: -0.0, "new": 1.0, 3: 1.0}, "a")
    assert "-0 " not in repr(shown) and not re.search(r"-0\b(?!\.)", repr(shown)), repr(shown)
    page = shown._repr_html_()
    assert page.count("<tr>") == 5 and "-0<" not in page
    stream = sluiceway.StreamClassifier("arow")
    stream.learn_one({"<b>": 1}, True)
    assert "<td>&lt;b&gt;</td>" in stream.explain({"<b>": 1})._repr_html_()
