"""Model files of the program and of Python: byte for byte the same, and read by both."""
import json
import os
import subprocess

import numpy as np
import pytest

pytest.importorskip("sklearn")

import sluiceway  # noqa: E402
from sluiceway import SluiceClassifier, read_svm  # noqa: E402

CLASSES = {"zero": ["0", "1"], "minus": ["-1", "1"], "two": ["1", "2"], "three": ["2", "1", "3"]}


def run(*args, cwd):
    return subprocess.run([sluiceway.program(), *args], cwd=cwd, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def folder(tmp_path):
    """Files of LIBSVM text, one for each kind of labels."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 20)).astype(np.float32)
    X[rng.random(X.shape) < 0.5] = 0
    scores = X @ rng.normal(size=(20, 3))
    for name, labels in CLASSES.items():
        best = scores[:, :len(labels)].argmax(axis=1)
        lines = [labels[k] + "".join(f" {j + 1}:{v:.9g}" for j, v in enumerate(row) if v) for k, row in zip(best, X)]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    return tmp_path


def same(estimator, folder, *train):
    """Whether the estimator's file is the one that the program makes."""
    run("train", "-qq", *train, "-o", "theirs", cwd=folder)
    estimator.save(folder / "ours")
    return (folder / "ours").read_bytes() == (folder / "theirs").read_bytes()


@pytest.mark.parametrize("labels", ["zero", "minus", "two"])
@pytest.mark.parametrize("learner, params", [("auto", {}), ("ssol", {"lambda_": 0.1}), ("ftrl", {}), ("olsf-1", {}),
                                             ("arow-full", {}), ("sbcw", {"features": 5}), ("bcw", {"batch": 50})])
def test_a_fit_on_a_file_gives_the_file_that_train_gives(folder, labels, learner, params):
    X, y = read_svm(folder / labels)
    words = [word for name, value in params.items() for word in ("-P", f"{name.rstrip('_')}={value}")]
    assert same(SluiceClassifier(learner, **params).fit(X, y), folder, "-a", learner, *words, labels)
    if learner == "ssol":
        assert same(sluiceway.SSOLClassifier(**params).fit(X, y), folder, "-a", learner, *words, labels)


@pytest.mark.parametrize("kind", ["ovr", "ovo", "matrix"])
def test_several_classes(folder, kind):
    X, y = read_svm(folder / "three")
    estimator = SluiceClassifier("arow", multiclass=kind).fit(X, y)
    assert same(estimator, folder, "-a", "arow", "--classes", kind, "three")
    loaded = sluiceway.load(folder / "theirs")
    assert loaded.classes_.tolist() == [1.0, 2.0, 3.0]
    assert np.array_equal(loaded.predict_proba(X), estimator.predict_proba(X))
    labels = [line.split("\t")[0] for line in run("predict", "-m", "theirs", "three", cwd=folder).splitlines()]
    assert [float(x) for x in labels] == loaded.predict(X).tolist()


def test_settings_and_passes(folder):
    X, y = read_svm(folder / "zero")
    estimator = SluiceClassifier("pa-2", C=0.3, bias=0.5, normalize="l2", transform="log1p", scale="running", passes=3)
    assert same(estimator.fit(X, y), folder, "-a", "pa-2", "-P", "C=0.3", "--bias", "0.5", "--normalize", "l2",
                "--transform", "log1p", "--scale", "running", "--passes", "3", "zero")
    for estimator, options in ((SluiceClassifier("arow", hash_bits=5), ["-a", "arow", "--hash", "5"]),
                               (SluiceClassifier("arow", max_features=9), ["-a", "arow", "--max-features", "9"]),
                               (SluiceClassifier("bcw", passes=2), ["-a", "bcw", "--passes", "2"])):
        assert same(estimator.fit(X, y), folder, *options, "zero")


@pytest.mark.parametrize("learner", ["ssol", "bcw"])
def test_python_goes_on_where_the_program_stopped_and_the_other_way(folder, learner):
    lines = (folder / "zero").read_text().splitlines(keepends=True)
    (folder / "a").write_text("".join(lines[:120]))
    (folder / "b").write_text("".join(lines[120:]))
    XA, ya = read_svm(folder / "a", n_features=20)
    XB, yb = read_svm(folder / "b", n_features=20)
    ours = SluiceClassifier(learner).partial_fit(XA, ya, classes=[0.0, 1.0])
    ours.save(folder / "m")
    run("train", "-qq", "-i", "m", "b", "-o", "m", cwd=folder)
    run("train", "-qq", "-a", learner, "a", "-o", "n", cwd=folder)
    theirs = sluiceway.load(folder / "n").partial_fit(XB, yb)
    theirs.save(folder / "n")
    ours.partial_fit(XB, yb).save(folder / "o")
    assert (folder / "m").read_bytes() == (folder / "n").read_bytes() == (folder / "o").read_bytes()


@pytest.mark.parametrize("labels, classes", [("zero", [0.0, 1.0]), ("minus", [-1.0, 1.0]), ("two", [1.0, 2.0])])
@pytest.mark.parametrize("final", [[], ["--final"]], ids=["full", "final"])
def test_models_of_the_program_answer_the_same_in_python(folder, labels, classes, final):
    run("train", "-qq", "-a", "perceptron", *final, labels, "-o", "m", cwd=folder)
    X, y = read_svm(folder / labels)
    loaded = sluiceway.load(folder / "m")
    assert loaded.classes_.tolist() == classes and loaded.learner == "perceptron"
    rows = [json.loads(line) for line in run("predict", "-m", "m", "--proba", "--json", labels, cwd=folder).splitlines()]
    assert loaded.decision_function(X).tolist() == [row["margin"] for row in rows]
    assert loaded.calibrated_proba(X)[:, 1].tolist() == [row["probability"] for row in rows]
    told = [0.0 if labels == "zero" and float(row["label"]) == -1 else float(row["label"]) for row in rows]
    assert loaded.predict(X).tolist() == told
    assert loaded.score(X, y) > 0.7
    if final:
        with pytest.raises(ValueError, match="predict-only|cannot learn"):
            loaded.partial_fit(X, y)


def test_a_threshold_moves_the_decision(folder):
    run("train", "-qq", "-a", "arow", "--threshold", "margin=0.3", "zero", "-o", "m", cwd=folder)
    X, _ = read_svm(folder / "zero")
    loaded = sluiceway.load(folder / "m")
    assert loaded.model_.threshold() == 0.3
    labels = [line.split("\t")[0] == "1" for line in run("predict", "-m", "m", "zero", cwd=folder).splitlines()]
    assert (loaded.predict(X) == 1).tolist() == (loaded.decision_function(X) > 0).tolist() == labels
    assert (loaded.predict_proba(X)[:, 1] > 0.5).tolist() == labels
    assert np.allclose(X @ loaded.coef_.T + loaded.intercept_, loaded.decision_function(X)[:, None], atol=1e-5)


def test_a_positive_class_that_is_not_the_last_one(folder):
    run("train", "-qq", "-a", "arow", "--positive", "1", "two", "-o", "m", cwd=folder)
    run("train", "-qq", "-a", "arow", "two", "-o", "n", cwd=folder)
    X, y = read_svm(folder / "two")
    a, b = sluiceway.load(folder / "m"), sluiceway.load(folder / "n")
    for ask in ("predict", "decision_function", "predict_proba"):
        assert np.allclose(getattr(a, ask)(X), getattr(b, ask)(X))
    assert np.allclose(a.coef_, b.coef_) and a.score(X, y) > 0.8


def test_words_and_names_of_the_program(folder):
    (folder / "mail.csv").write_text("label,size,from\n" + "spam,3.5,shop\nham,1,friend\n" * 30)
    run("train", "-qq", "-a", "arow", "mail.csv", "-o", "m", cwd=folder)
    loaded = sluiceway.load(folder / "m")
    assert loaded.classes_.tolist() == ["ham", "spam"]
    assert dict(loaded.top_features())["from=shop"] > 0 > dict(loaded.top_features())["from=friend"]
    assert loaded.explain({"size": 3.5, "from=shop": 1.0}).margin > 0
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"from": ["friend", "shop"], "size": [1.0, 3.5]})
    assert loaded.predict(frame).tolist() == ["ham", "spam"]
    assert set(loaded.predict(frame[["size"]]).tolist()) <= {"ham", "spam"}


def test_files_that_are_no_models(folder):
    with pytest.raises(sluiceway.FormatError):
        sluiceway.load(folder / "zero")


def test_failures_with_files_are_those_of_python(folder):
    X, y = read_svm(folder / "zero")
    fitted = SluiceClassifier("arow").fit(X, y)
    stream = sluiceway.StreamClassifier("arow")
    stream.learn_one({"a": 1}, True)
    for load in (sluiceway.load, sluiceway.StreamClassifier.load, lambda path: sluiceway.predict(path, X), read_svm):
        with pytest.raises(FileNotFoundError) as failure:
            load(str(folder / "nothing"))
        assert failure.value.filename == str(folder / "nothing")
        with pytest.raises(IsADirectoryError):
            load(folder)
    for save in (fitted.save, stream.save, lambda path: sluiceway.write_svm(path, X, y)):
        with pytest.raises(FileNotFoundError):
            save(folder / "nothing" / "m")
        with pytest.raises(IsADirectoryError):
            save(folder)
        with pytest.raises(NotADirectoryError):
            save(folder / "zero" / "m")


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(folder):
    (folder / "zero").chmod(0)
    with pytest.raises(PermissionError):
        sluiceway.load(folder / "zero")


def named(folder, **settings):
    """A model of a frame, fitted and loaded."""
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(np.random.default_rng(0).normal(size=(200, 3)), columns=["a", "b", "c"])
    y = (X.a - X.b > 0).astype(int)
    fitted = SluiceClassifier("arow", **settings).fit(X, y)
    fitted.save(folder / "m")
    return X, y, fitted, sluiceway.load(folder / "m")


def test_the_columns_of_a_loaded_model_of_names_are_not_known(folder):
    X, y, fitted, loaded = named(folder, bias=1.0)
    assert not hasattr(loaded, "coef_")
    with pytest.raises(AttributeError, match="top_features"):
        loaded.coef_
    assert loaded.intercept_.tolist() == fitted.intercept_.tolist()
    with pytest.raises(AttributeError, match="hashed"):
        named(folder, hash_bits=10)[3].coef_


def test_a_matrix_is_refused_where_features_have_names(folder):
    X, y, fitted, loaded = named(folder)
    for ask in (loaded.predict, loaded.decision_function, loaded.predict_proba, lambda X: loaded.explain(X[0])):
        with pytest.raises(ValueError, match="pass a frame with these columns"):
            ask(X.to_numpy())
    with pytest.raises(ValueError, match="pass a frame with these columns"):
        loaded.partial_fit(X.to_numpy(), y)
    with pytest.raises(ValueError, match="pass a frame with these columns"):
        sluiceway.predict(loaded, X.to_numpy())
    assert loaded.predict(X[["c", "a", "b"]]).tolist() == fitted.predict(X).tolist()


@pytest.mark.parametrize("classes", [2, 3])
def test_a_limit_of_features_keeps_the_columns_of_a_matrix(folder, classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    y = np.digitize(X @ rng.normal(size=6), [0] if classes == 2 else [-1, 1])
    fitted = SluiceClassifier("arow", max_features=4, bias=1.0).fit(X, y)
    fitted.save(folder / "m")
    for estimator in (fitted, sluiceway.load(folder / "m")):
        margins = X[:, :estimator.coef_.shape[1]] @ estimator.coef_.T + estimator.intercept_
        assert np.count_nonzero(estimator.coef_) and np.allclose(
            margins[:, 0] if classes == 2 else margins, estimator.decision_function(X), atol=1e-5)
        top = estimator.top_features(1, None if classes == 2 else 1)[0]
        assert top.weight == pytest.approx(estimator.coef_[0 if classes == 2 else 1, top.feature])
        assert sluiceway.predict(estimator, X).labels.tolist() == fitted.predict(X).tolist()
