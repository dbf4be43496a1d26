"""SluiceClassifier among scikit-learn's tools, and with frames of pandas and polars."""
import pickle
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.calibration import CalibratedClassifierCV  # noqa: E402
from sklearn.compose import ColumnTransformer  # noqa: E402
from sklearn.ensemble import BaggingClassifier, VotingClassifier  # noqa: E402
from sklearn.feature_extraction.text import HashingVectorizer  # noqa: E402
from sklearn.feature_selection import SelectFromModel  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.multiclass import OneVsRestClassifier  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import OneHotEncoder, StandardScaler  # noqa: E402
from sklearn.semi_supervised import SelfTrainingClassifier  # noqa: E402

from sluiceway import AROWClassifier, SluiceClassifier, SSOLClassifier  # noqa: E402

RNG = np.random.default_rng(1)
X = RNG.normal(size=(300, 8))
Y = np.where(X @ RNG.normal(size=8) > 0, "yes", "no")
Y3 = (X @ RNG.normal(size=(8, 3))).argmax(axis=1)


# ---- tools ----------------------------------------------------------------------------------------------------------


def test_grid_search_over_learners_and_their_parameters():
    grid = [{"learner": ["ssol", "fsol"], "lambda_": [0.01, 1e6], "eta": [1.0]}, {"learner": ["arow"], "r": [0.1, 1]}]
    search = GridSearchCV(SluiceClassifier(), grid, cv=3, error_score="raise").fit(X, Y)
    assert len(search.cv_results_["params"]) == 6 and search.best_score_ > 0.9
    assert search.best_params_.get("lambda_", 0.01) == 0.01, "1e6 leaves no weight"
    search = GridSearchCV(SSOLClassifier(), {"lambda_": [0.1, 1]}, cv=3, error_score="raise").fit(X, Y3)
    assert search.best_estimator_.lambda_ in (0.1, 1)
    search = GridSearchCV(make_pipeline(StandardScaler(), SluiceClassifier("arow")), {"sluiceclassifier__r": [0.1, 1]}, cv=2)
    assert search.fit(X, Y).best_score_ > 0.9


def test_cross_validation_calibration_and_others():
    assert cross_val_score(SluiceClassifier(), X, Y, cv=3, scoring="roc_auc").min() > 0.9
    assert cross_val_score(SluiceClassifier(), X, Y3, cv=3, scoring="neg_log_loss").min() > -1
    for method in ("sigmoid", "isotonic"):
        calibrated = CalibratedClassifierCV(SluiceClassifier("arow"), method=method, cv=3).fit(X, Y)
        assert calibrated.score(X, Y) > 0.9
    assert BaggingClassifier(SluiceClassifier("ssol"), 3, random_state=0).fit(X, Y).score(X, Y) > 0.9
    voting = VotingClassifier([("a", SluiceClassifier("arow")), ("b", AROWClassifier(r=2))], voting="soft")
    assert voting.fit(X, Y3).score(X, Y3) > 0.8
    assert OneVsRestClassifier(SluiceClassifier("arow")).fit(X, Y3).score(X, Y3) > 0.8
    assert SelectFromModel(SluiceClassifier("arow"), max_features=3).fit(X, Y).transform(X).shape == (300, 3)


def test_self_training():
    hidden = np.where(RNG.random(300) < 0.5, -1, (Y == "yes").astype(int))
    trained = SelfTrainingClassifier(SluiceClassifier("arow")).fit(X, hidden)
    assert trained.score(X, (Y == "yes").astype(int)) > 0.9


def test_text_by_hashing_vectorizer():
    texts = ["cheap pills now", "meeting at noon", "win cheap money", "lunch at noon?"] * 20
    labels = ["spam", "ham", "spam", "ham"] * 20
    pipeline = make_pipeline(HashingVectorizer(n_features=2**20), SluiceClassifier("ssol")).fit(texts, labels)
    assert pipeline.predict(["cheap cheap money", "noon meeting"]).tolist() == ["spam", "ham"]
    assert pickle.loads(pickle.dumps(pipeline)).predict(["pills"]).tolist() == ["spam"]
    assert clone(pipeline).get_params()["sluiceclassifier__learner"] == "ssol"


def test_the_classifier_is_no_transformer():
    assert not hasattr(SluiceClassifier(transform="log1p"), "transform")
    assert SluiceClassifier(transform="log1p").get_params()["transform"] == "log1p"
    assert clone(SSOLClassifier(transform="binary")).get_params()["transform"] == "binary"


# ---- frames ---------------------------------------------------------------------------------------------------------


def frames():
    """Makers of frames from dicts."""
    makers = {}
    for name in ("pandas", "polars"):
        try:
            makers[name] = __import__(name).DataFrame
        except ImportError:
            pass
    return makers


FRAMES = pytest.mark.parametrize("make", frames().values(), ids=frames())
COLUMNS = {f"c{j}": X[:, j] for j in range(8)}


@FRAMES
def test_columns_of_numbers_go_by_their_names(make):
    estimator = SluiceClassifier("arow").fit(make(COLUMNS), Y)
    assert estimator.feature_names_in_.tolist() == list(COLUMNS) and estimator.model_.quick_facts()["has_names"]
    assert estimator.model_.weight_of("c3") == pytest.approx(estimator.coef_[0, 3])
    assert np.allclose(estimator.coef_, SluiceClassifier("arow").fit(X, Y).coef_, rtol=1e-5)
    assert np.array_equal(estimator.predict(make(COLUMNS)), estimator.predict(pickle.loads(pickle.dumps(make(COLUMNS)))))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert np.array_equal(estimator.predict(X), estimator.predict(make(COLUMNS)))
    turned = make(dict(reversed(COLUMNS.items())))
    with pytest.raises(ValueError, match="feature names should match"):
        estimator.predict(turned)
    assert [t.feature for t in estimator.explain(make({k: v[:1] for k, v in COLUMNS.items()}))][0] in COLUMNS


@FRAMES
def test_a_frame_for_an_estimator_of_matrices_goes_by_position(make):
    estimator = SluiceClassifier("arow").fit(X, Y)
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        assert np.array_equal(estimator.predict(make(COLUMNS)), estimator.predict(X))
    with pytest.raises(ValueError, match="is expecting 8 features"), pytest.warns(UserWarning):
        estimator.predict(make({"c0": X[:, 0]}))


def test_tables_of_arrow():
    pyarrow = pytest.importorskip("pyarrow")
    estimator = SluiceClassifier("arow").fit(pyarrow.table(MIXED), MIXED_Y)
    assert estimator.feature_names_in_.tolist() == list(MIXED) and estimator.score(pyarrow.table(MIXED), MIXED_Y) > 0.95
    with pytest.raises(ValueError, match="Feature names unseen at fit time: x"):
        estimator.predict(pyarrow.table({"x": [1.0]}))


@FRAMES
def test_a_saved_model_knows_the_names(make, tmp_path):
    import sluiceway

    estimator = SluiceClassifier("arow").fit(make(COLUMNS), Y)
    estimator.save(tmp_path / "m")
    loaded = sluiceway.load(tmp_path / "m")
    turned = make(dict(reversed(COLUMNS.items())))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.allclose(loaded.decision_function(turned), estimator.decision_function(make(COLUMNS)), rtol=1e-6)
    by_id = SluiceClassifier("arow").fit(X, Y)
    by_id.save(tmp_path / "n")
    assert np.array_equal(sluiceway.load(tmp_path / "n").predict(make(COLUMNS)), by_id.predict(X))


MIXED = {"n": np.round(X[:, 0], 2), "colour": np.where(X[:, 1] > 0, "red", "blue"), "m": np.round(X[:, 2], 2)}
MIXED_Y = np.where((X[:, 1] > 0) ^ (RNG.random(300) < 0.02), "a", "b")


@FRAMES
@pytest.mark.parametrize("labels", [MIXED_Y, Y3], ids=["two", "three"])
def test_columns_of_text_become_features_of_their_cells(make, labels):
    estimator = SluiceClassifier("arow").fit(make(MIXED), labels)
    assert estimator.n_features_in_ == 3 and estimator.feature_names_in_.tolist() == list(MIXED)
    assert {t.feature for t in estimator.explain(make({k: v[:1] for k, v in MIXED.items()}))} <= {
        "n", "m", "colour=red", "colour=blue"}
    if labels is MIXED_Y:
        assert estimator.score(make(MIXED), labels) > 0.95
        assert dict(estimator.top_features())["colour=blue"] > 0 > dict(estimator.top_features())["colour=red"]
    parts = SluiceClassifier("arow")
    for i in range(0, 300, 100):
        part = make({k: v[i:i + 100] for k, v in MIXED.items()})
        parts.partial_fit(part, labels[i:i + 100], classes=np.unique(labels))
    assert np.array_equal(parts.predict_proba(make(MIXED)), estimator.predict_proba(make(MIXED)))
    assert not hasattr(estimator, "coef_")
    with pytest.raises(ValueError, match="columns of text"):
        estimator.predict(X[:, :3])
    with pytest.raises(ValueError, match="feature names should match"):
        estimator.predict(make({"n": [1.0], "color": ["red"], "m": [1.0]}))
    again = pickle.loads(pickle.dumps(estimator))
    assert np.array_equal(again.predict(make(MIXED)), estimator.predict(make(MIXED)))


@FRAMES
def test_weights_of_rows_and_classes_count_for_frames_too(make):
    weights = RNG.integers(0, 3, 300)
    ours = SluiceClassifier("arow", class_weight={"a": 2, "b": 0.5}).fit(make(MIXED), MIXED_Y, sample_weight=weights)
    given = weights * np.where(MIXED_Y == "a", 2, 0.5)
    other = SluiceClassifier("arow").fit(make(MIXED), MIXED_Y, sample_weight=given)
    assert ours.n_examples_ == (weights > 0).sum()
    assert bytes(ours.model_.to_bytes()) == bytes(other.model_.to_bytes())


def test_a_frame_is_learned_as_its_csv_file(tmp_path):
    pandas = pytest.importorskip("pandas")
    import subprocess

    import sluiceway

    frame = pandas.DataFrame(MIXED)
    frame.assign(label=MIXED_Y)[["label", *MIXED]].to_csv(tmp_path / "f.csv", index=False)
    SluiceClassifier("arow").fit(frame, MIXED_Y).save(tmp_path / "ours")
    subprocess.run([sluiceway.program(), "train", "-qq", "-a", "arow", "f.csv", "-o", "theirs"], cwd=tmp_path, check=True,
                   stdout=subprocess.DEVNULL)
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


def test_column_transformer_and_set_output():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(MIXED)
    columns = ColumnTransformer([("text", OneHotEncoder(sparse_output=False), ["colour"]),
                                 ("numbers", StandardScaler(), ["n", "m"])])
    pipeline = make_pipeline(columns, SluiceClassifier("arow")).set_output(transform="pandas").fit(frame, MIXED_Y)
    names = ["text__colour_blue", "text__colour_red", "numbers__n", "numbers__m"]
    assert pipeline[-1].feature_names_in_.tolist() == names
    assert pipeline.score(frame, MIXED_Y) > 0.95


def test_explaining_a_row_of_any_form():
    from scipy import sparse

    estimator = SluiceClassifier("arow", bias=1.0).fit(X, Y)
    margins = estimator.decision_function(X[:1])
    rows = (X[0], X[:1], X[0].tolist(), sparse.csr_matrix(X[:1]), sparse.csr_array(X)[0])
    for row in (*rows, {j + 1: X[0, j] for j in range(8)}):
        terms = estimator.explain(row)
        assert terms.margin == pytest.approx(margins[0]) == pytest.approx(sum(t.contribution for t in terms))
        assert len(terms) == 9 and sorted(abs(t.contribution) for t in terms)[::-1] == [abs(t.contribution) for t in terms]
        if not isinstance(row, dict):
            for term in terms:
                if term.feature is not None:
                    assert term.value == pytest.approx(X[0, term.feature])
                    assert term.weight == pytest.approx(estimator.coef_[0, term.feature])
    assert estimator.explain(X[0], label="no").margin == pytest.approx(-margins[0])
    assert "margin" in repr(estimator.explain(X[0]))
    with pytest.raises(ValueError, match="explain takes one row, not 2"):
        estimator.explain(X[:2])
    several = SluiceClassifier("arow").fit(X, Y3)
    margins = several.decision_function(X[:1])[0]
    assert several.explain(X[0]).margin == pytest.approx(margins.max())
    assert several.explain(X[0], label=2).margin == pytest.approx(margins[2])
    with pytest.raises(ValueError, match="knows no class 7"):
        several.explain(X[0], label=7)
    with pytest.raises(ValueError, match="knows no class 'maybe'; its classes are \\['no', 'yes'\\]"):
        estimator.explain(X[0], label="maybe")
    coming = SluiceClassifier("arow").partial_fit(X[Y3 < 2], Y3[Y3 < 2], classes=[0, 1, 2])
    with pytest.raises(ValueError, match="no row of the class 2 was learned yet"):
        coming.explain(X[0], label=2)


@pytest.mark.parametrize("labels", [Y, Y3], ids=["two", "three"])
def test_weights_of_hashed_features(labels):
    estimator = SluiceClassifier("arow", hash_bits=20, bias=1.0).fit(X, labels)
    exact = SluiceClassifier("arow", bias=1.0).fit(X, labels)
    assert np.allclose(estimator.coef_, exact.coef_, rtol=1e-5) and np.allclose(estimator.intercept_, exact.intercept_)


def test_the_features_of_largest_weight():
    estimator = SluiceClassifier("arow").fit(X, Y3)
    top = estimator.top_features(3, label=1)
    assert [t.feature for t in top] == np.argsort(-np.abs(estimator.coef_[1]))[:3].tolist()
    with pytest.raises(ValueError, match="whose features"):
        estimator.top_features()
