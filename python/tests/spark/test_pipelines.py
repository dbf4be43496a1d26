"""The estimator in pyspark.ml: pipelines, cross-validation, files, and what a model adds to a data frame."""

import subprocess

import numpy as np
import pytest
import sluiceway
from spark_session import lines_of
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.evaluation import BinaryClassificationEvaluator
from pyspark.ml.feature import HashingTF, Tokenizer
from pyspark.ml.linalg import Vectors
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql import functions as f
from pyspark.sql import types as t
from sluiceway import _sluice
from sluiceway._labels import Classes
from sluiceway.spark import SluiceClassificationModel, SluiceClassifier


def test_predictions_have_the_type_and_values_of_the_labels(table):
    for label, kind, values in [("label", t.StringType(), {"no", "yes"}), ("number", t.IntegerType(), {3, 7})]:
        out = SluiceClassifier(learner="arow", features_col="vector", label_col=label).fit(table).transform(table)
        assert out.schema["prediction"].dataType == kind
        found = out.select("prediction", label, "probability", "rawPrediction").collect()
        assert {row.prediction for row in found} == values
        right = sum(row.prediction == row[label] for row in found)
        assert right > 0.85 * len(found)
        for row in found[:50]:
            positive = row.prediction == max(values)
            assert (row.probability[1] > 0.5) == positive == (row.rawPrediction[1] > 0)
            assert row.rawPrediction[0] == -row.rawPrediction[1]


def test_predictions_are_those_of_the_saved_model(lines, tmp_path):
    fitted = SluiceClassifier(learner="ssol", features_col="value").fit(lines)
    path = tmp_path / "m.sluice"
    fitted.save_file(path)
    texts = [row.value for row in lines.collect()]
    wanted = sluiceway.predict(path, [text for text in texts])
    found = fitted.transform(lines).collect()
    assert [row.prediction for row in found] == wanted.labels.tolist()
    assert np.allclose([row.rawPrediction[1] for row in found], wanted.margins)
    loaded = SluiceClassificationModel.load_file(path)
    assert loaded.to_bytes() == fitted.to_bytes()
    again = loaded.setParams(features_col="value", raw_prediction_col="margins").transform(lines).collect()
    assert [row.margins for row in again] == [row.rawPrediction for row in found]
    loaded.model.set_metadata("spark.reader", b'{"header": "", "reader": {"threads": 1000000}}')
    with pytest.raises(ValueError, match="metadata spark.reader cannot be read"):
        loaded.setParams(features_col="value").transform(lines)


@pytest.mark.parametrize("column", ["map", "vector", "lines"])
def test_explanations_add_up_to_the_margin(table, lines, column):
    frame, features = (lines, "value") if column == "lines" else (table, column)
    fitted = SluiceClassifier(learner="arow", features_col=features, bias=1.0, explanation_col="why", explain=100).fit(frame)
    last = fitted.classes[-1]
    for row in fitted.transform(frame).select("why", "rawPrediction", "prediction").take(20):
        margin = row.rawPrediction[1] if row.prediction == last else row.rawPrediction[0]
        assert abs(sum(term.contribution for term in row.why) - margin) < 1e-5
        assert "(bias)" in {term.feature for term in row.why}
        sizes = [abs(term.contribution) for term in row.why]
        assert sizes == sorted(sizes, reverse=True)


def test_explanations_of_several_classes_are_those_of_the_predicted_one(spark):
    rows = [(name, {name: 2.0, "all": 1.0}) for name in "abc"] * 30
    frame = spark.createDataFrame(rows, "label string, features map<string, double>").coalesce(2)
    fitted = SluiceClassifier(learner="ssol", explanation_col="why", explain=1).fit(frame)
    for row in fitted.transform(frame).take(9):
        assert len(row.why) == 1 and row.why[0].feature == row.prediction == row.label and row.why[0].contribution > 0


def test_a_model_of_hundred_megabytes_predicts(spark):
    features = 26_000_000
    model = _sluice.Model("perceptron", [], {})
    for start in range(1, features, 2_000_000):  # all of them get a weight
        ids = np.arange(start, start + 2_000_000, dtype=np.int64)
        model.learn_csr(np.array([0, len(ids)]), ids, np.ones(len(ids), np.float32), np.array([1.0]), None, None, None, None)
    model.learn_csr(np.array([0, 1]), np.array([6], np.int64), np.ones(1), np.array([-1.0]), None, None, None, None)
    fitted = SluiceClassificationModel(model, Classes([-1.0, 1.0]))
    assert len(fitted.final_bytes()) > 100_000_000
    lonely = [features - 5, 7, 6]
    frame = spark.createDataFrame([(Vectors.sparse(1 << 30, [i], [3.0]),) for i in lonely], ["features"]).repartition(2)
    margins = np.empty(3)
    model.margins_csr(np.arange(4), np.array(lonely, np.int64), np.full(3, 3.0), None, margins)
    out = {row.features.indices[0]: row.rawPrediction[1] for row in fitted.transform(frame).collect()}
    assert [out[i] for i in lonely] == margins.tolist() and margins.tolist() == [3.0, 3.0, 0.0]


def test_a_pipeline_is_saved_and_loaded(spark, tmp_path):
    texts = [("free prize now", 1.0), ("lunch at noon", 0.0)] * 40
    frame = spark.createDataFrame(texts, "text string, label double").repartition(2)
    pipeline = Pipeline(stages=[Tokenizer(inputCol="text", outputCol="words"),
                                HashingTF(inputCol="words", outputCol="features", numFeatures=1 << 12),
                                SluiceClassifier(learner="rda", eta=16.0)])
    fitted = pipeline.fit(frame)
    wanted = fitted.transform(frame).select("text", "prediction", "probability").collect()
    assert {(row.text, row.prediction) for row in wanted} == set(texts)
    fitted.write().overwrite().save(str(tmp_path / "pipeline"))
    loaded = PipelineModel.load(str(tmp_path / "pipeline"))
    assert loaded.transform(frame).select("text", "prediction", "probability").collect() == wanted
    assert loaded.stages[-1].to_bytes() == fitted.stages[-1].to_bytes()
    pipeline.getStages()[-1].save(str(tmp_path / "estimator"))
    estimator = SluiceClassifier.load(str(tmp_path / "estimator"))
    assert estimator.getOrDefault("learner") == "rda" and estimator.getOrDefault(estimator.eta) == 16.0


def test_cross_validation_chooses_a_parameter(table):
    frame = table.select("vector", f.when(f.col("label") == "yes", 1.0).otherwise(0.0).alias("label"))
    estimator = SluiceClassifier(learner="rda", features_col="vector", classes=[0.0, 1.0])
    grid = ParamGridBuilder().addGrid(estimator.lambda_, [1e-5, 100.0]).build()
    chosen = CrossValidator(estimator=estimator, estimatorParamMaps=grid, numFolds=2, seed=1,
                            evaluator=BinaryClassificationEvaluator()).fit(frame)
    assert chosen.avgMetrics[0] > 0.9 and chosen.avgMetrics[1] == pytest.approx(0.5)
    assert chosen.bestModel.facts()["nonzeros"] > 0


def test_the_program_goes_on_with_a_model_of_spark(lines, tmp_path):
    SluiceClassifier(learner="rda", features_col="value").fit(lines).save_file(tmp_path / "m")
    (tmp_path / "more.svm").write_text("\n".join(lines_of([(1, [3]), (-1, [4])])) + "\n")
    subprocess.run([sluiceway.program(), "train", "-qq", "-i", tmp_path / "m", "-o", tmp_path / "n", tmp_path / "more.svm"],
                   check=True)
    assert SluiceClassificationModel.load_file(tmp_path / "n").facts()["examples"] == 1202
