"""river's own checks of estimators, and StreamClassifier among river's other parts."""
from __future__ import annotations

import inspect

import pytest

from sluiceway import StreamClassifier

pytest.importorskip("river")
pytest.importorskip("sklearn")  # whose data the checks need

from river import base, checks, compose, datasets, evaluate, metrics, multiclass, preprocessing  # noqa: E402

MODELS = [
    StreamClassifier(),
    StreamClassifier("pa-1"),
    StreamClassifier("ssol", normalize="l2"),
    StreamClassifier("arow", bias=1.0, scale="running"),
    StreamClassifier("ftrl", multiclass="ovr"),
    StreamClassifier("arow", multiclass="two"),
    StreamClassifier("ssol", multiclass="matrix"),
    StreamClassifier("cpa", cost_pos=3),
    compose.Pipeline(preprocessing.StandardScaler(), StreamClassifier("arow")),
]


@pytest.mark.parametrize("model, check", [
    pytest.param(model, check, id=f"{model!r}-{check.__name__}" if not isinstance(model, compose.Pipeline)
                 else f"Pipeline-{check.__name__}")
    for model in MODELS for check in checks.yield_checks(model)
    # a StandardScaler of many rows scales all of them by the last one's statistics, so the classifier sees other values
    if not (isinstance(model, compose.Pipeline) and check.__name__ == "check_learn_many_matches_learn_one")])
def test_checks_of_river(model, check):
    check(model.clone())


def test_it_is_a_classifier_of_river():
    model = StreamClassifier()
    assert isinstance(model, base.Classifier) and isinstance(model, base.MiniBatchClassifier)
    assert list(inspect.signature(StreamClassifier).parameters)[0] == "learner"


@pytest.mark.parametrize("learner", ["auto", "arow", "ftrl"])
def test_progressive_validation(learner):
    pipeline = preprocessing.StandardScaler() | StreamClassifier(learner, bias=0.0 if learner == "auto" else 1.0)
    accuracy = evaluate.progressive_val_score(datasets.Phishing(), pipeline, metrics.Accuracy())
    area = evaluate.progressive_val_score(datasets.Phishing(), pipeline.clone(), metrics.ROCAUC())
    assert accuracy.get() > 0.85 and area.get() > 0.9


def test_several_classes_by_itself_and_in_one_vs_rest():
    own = evaluate.progressive_val_score(datasets.ImageSegments(), preprocessing.StandardScaler() | StreamClassifier(),
                                         metrics.Accuracy())
    wrapped = preprocessing.StandardScaler() | multiclass.OneVsRestClassifier(StreamClassifier("arow", bias=1.0))
    other = evaluate.progressive_val_score(datasets.ImageSegments(), wrapped, metrics.Accuracy())
    assert own.get() > 0.75 and other.get() > 0.75


def test_a_pipeline_explains_itself():
    pipeline = preprocessing.StandardScaler() | StreamClassifier("arow")
    for x, y in datasets.Phishing().take(100):
        pipeline.learn_one(x, y)
    assert "Contribution" in pipeline.debug_one(x)


def test_the_memory_that_river_measures_is_that_of_the_model():
    pipeline = preprocessing.StandardScaler() | StreamClassifier("arow")
    before = pipeline._raw_memory_usage
    model = pipeline["StreamClassifier"]
    for i in range(5000):
        model.learn_one({f"f{i}": 1.0}, i % 2 == 0)
    grown = pipeline._raw_memory_usage - before
    assert grown > 5000 * 20 and model._raw_memory_usage > model.model_.memory()
