"""Streams of batches whose effect is exactly once, and configurations tried on files."""

import subprocess
import urllib.request

import pytest
import sluiceway
from spark_session import lines_of, make_rows
from pyspark import InheritableThread
from sluiceway import _sluice
from sluiceway.spark import SluiceClassificationModel, SluiceClassifier, StreamLearner, tune
from sluiceway.spark.streaming import learned_epochs


def test_a_stream_is_learned_once_whatever_is_given_again(spark, tmp_path):
    source, path = tmp_path / "in", tmp_path / "m.sluice"
    source.mkdir()
    learner = StreamLearner(SluiceClassifier(learner="rda", features_col="value"), path)
    calls = []

    def run(learn):
        query = (spark.readStream.format("text").load(str(source)).writeStream.foreachBatch(learn)
                 .option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True).start())
        query.awaitTermination(120)
        return query

    def dies_after_learning(batch, epoch):
        learner(batch, epoch)
        raise OSError("the driver ends here: the batch is learned, but not noted as done")

    def learns(batch, epoch):
        calls.append(epoch)
        learner(batch, epoch)

    (source / "a.txt").write_text("\n".join(lines_of(make_rows(300))) + "\n")
    with pytest.raises(Exception, match="the driver ends here"):
        run(dies_after_learning)
    first = path.read_bytes()
    assert SluiceClassificationModel.load_file(path).facts()["examples"] == 300
    run(learns)
    assert calls == [0] and path.read_bytes() == first  # it came again, and was left out
    (source / "b.txt").write_text("\n".join(lines_of(make_rows(200, seed=2))) + "\n")
    run(learns)
    model = SluiceClassificationModel.load_file(path)
    assert calls == [0, 1] and model.facts()["examples"] == 500
    assert list(learned_epochs(model.model).values()) == [1]


def test_a_batch_that_is_missing_is_an_error_and_queries_share_a_file(spark, tmp_path):
    path = tmp_path / "m.sluice"
    frame = spark.createDataFrame([(line,) for line in lines_of(make_rows(50))], "value string").coalesce(1)
    classifier = SluiceClassifier(learner="rda", features_col="value", classes=[-1, 1])
    queries = [StreamLearner(classifier, path, query=name) for name in ("one", "two")]
    threads = [InheritableThread(target=lambda q=q: [q(frame, epoch) for epoch in (0, 1, 1)]) for q in queries]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    model = SluiceClassificationModel.load_file(path)
    assert model.facts()["examples"] == 200 and learned_epochs(model.model) == {"one": 1, "two": 1}
    with pytest.raises(ValueError, match="learned the batches of this query up to 1, and now comes 3"):
        queries[0](frame, 3)
    queries[0](frame.limit(0), 2)  # without rows: it is noted
    assert learned_epochs(SluiceClassificationModel.load_file(path).model) == {"one": 2, "two": 1}


def test_a_server_takes_over_what_the_stream_has_learned(spark, tmp_path):
    path = tmp_path / "m.sluice"
    frame = spark.createDataFrame([(line,) for line in lines_of(make_rows(100))], "value string").coalesce(2)
    learn = StreamLearner(SluiceClassifier(learner="ssol", features_col="value", classes=[-1, 1]), path, query="q")
    learn(frame, 0)
    command = [sluiceway.program(), "serve", "-m", f"m={path}", "--no-learning", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as server:
        try:
            address = next(line for line in server.stderr if "listening on" in line).split()[-1]

            def ask(where, body):
                with urllib.request.urlopen(address + where, body.encode(), timeout=120) as answer:
                    return int(answer.headers["Sluice-Version"]), answer.read()

            assert ask("/predict", "3:1 101:1")[0] == 100
            learn(frame, 1)
            assert ask("/predict", "3:1 101:1")[0] == 100
            ask("/v2/models/m/reload", "")
            assert ask("/predict", "3:1 101:1")[0] == 200
        finally:
            server.terminate()


def test_tuning_goes_over_the_files_for_all_configurations(spark, rows, tmp_path):
    path = tmp_path / "rows.svm"
    path.write_text("\n".join(lines_of(rows)) + "\n")
    grid = {"learner": ["rda", "ssol"], "lambda_": [0.0, 1e-4, 1e9]}
    found = tune(SluiceClassifier(), grid, path, partitions=2)
    assert [point.params for point in found.points] == [
        {"learner": a, "lambda_": v} for a in grid["learner"] for v in grid["lambda_"]]
    for point in found.points:
        model = _sluice.Model(point.params["learner"], [f"lambda={point.params['lambda_']:g}"], {})
        for batch in _sluice.Reader(path.read_bytes(), {"format": "libsvm"}):
            model.learn_batch(batch)
        facts = model.facts()
        assert (point.error, point.nonzeros) == (facts["mistakes"] / 1200, facts["nonzeros"])
    assert found.best.error == min(point.error for point in found.points) < 0.3
    assert found.model.facts()["examples"] == 1200


def test_tuning_takes_learners_that_do_not_merge_and_drops_what_leaves_the_numbers(spark, rows, tmp_path):
    path = tmp_path / "rows.svm"
    path.write_text("\n".join(lines_of(rows)) + "\n")
    found = tune(SluiceClassifier(), {"learner": ["olsf", "pa"]}, [path], partitions=1)
    assert found.best.error < 0.3 and found.model.facts()["examples"] == 1200
    path.write_text("1 1:1e38\n-1 1:1e38\n" * 50)
    found = tune(SluiceClassifier(learner="perceptron"), {"eta": [1e12, 1.0]}, path, partitions=1)
    assert [point.error for point in found.points] == [float("inf"), found.best.error] and found.best.params == {"eta": 1.0}
