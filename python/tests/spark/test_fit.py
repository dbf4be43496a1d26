"""Fitting on Spark: what is learned, from what, and that the same partitions give the same bytes."""

import gzip
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import sluiceway
from spark_session import lines_of
from pyspark import InheritableThread, TaskContext
from sluiceway import _sluice
from sluiceway._labels import Classes
from sluiceway.spark import SluiceClassifier, _files, _jobs, _rows


def learned_apart(frame, learner, start=None):
    """What a fit must give: a model for each partition, merged in their order."""
    whole = None
    for part in frame.rdd.glom().collect():
        model = start.copy() if start else _sluice.Model(learner, [], {})
        for batch in _sluice.Reader("\n".join(row.value for row in part).encode(), {"format": "libsvm"}):
            model.learn_batch(batch)
        if whole:
            whole.merge(model, start)
        else:
            whole = model
    return whole


def weights_of(model):
    names, ids, weights, _ = model.weights(None)
    return dict(zip(names or np.frombuffer(ids, np.uint64).tolist(), np.frombuffer(weights, np.float32).tolist()))


@pytest.mark.parametrize("learner", ["rda", "ssol"])
def test_a_fit_on_lines_is_the_merge_of_the_partitions(lines, learner):
    fitted = SluiceClassifier(learner=learner, features_col="value").fit(lines)
    wanted = learned_apart(lines, learner)
    assert weights_of(fitted.model) == weights_of(wanted) != {}
    assert fitted.facts()["examples"] == 1200 and fitted.classes == [-1.0, 1.0]
    again = SluiceClassifier(learner=learner, features_col="value").fit(lines)
    assert again.to_bytes() == fitted.to_bytes()


def test_rounds_begin_with_the_merged_model(lines):
    fitted = SluiceClassifier(learner="pa-1", features_col="value", rounds=2).fit(lines)
    first = learned_apart(lines, "pa-1")
    assert weights_of(fitted.model) == weights_of(learned_apart(lines, "pa-1", first))
    assert fitted.facts()["examples"] == 2400
    once = SluiceClassifier(learner="pa-1", features_col="value").fit(lines)
    for init in (once, once.to_bytes()):
        on = SluiceClassifier(features_col="value", init_model=init).fit(lines)
        assert weights_of(on.model) == weights_of(fitted.model)


def test_more_partitions_than_the_driver_merges_make_a_tree(spark, rows):
    many = spark.createDataFrame([(line,) for line in lines_of(rows)], "value string").repartition(2 * _jobs.FAN + 3)
    fitted = SluiceClassifier(learner="rda", features_col="value").fit(many)
    assert fitted.facts()["examples"] == 1200
    wanted, found = weights_of(learned_apart(many, "rda")), weights_of(fitted.model)
    assert wanted.keys() == found.keys() and all(abs(found[k] - wanted[k]) < 1e-6 for k in wanted)
    assert SluiceClassifier(learner="rda", features_col="value").fit(many).to_bytes() == fitted.to_bytes()


@pytest.mark.parametrize("column", ["vector", "array", "map"])
def test_columns_of_features_learn_what_lines_do(table, column):
    parts = table.select("label", "weight", "map", "array").rdd.glom().collect()
    fitted = SluiceClassifier(learner="arow", features_col=column, weight_col="weight").fit(table)
    whole = None
    for part in parts:
        model = _sluice.Model("arow", [], {})
        for row in part:
            features = row.map if column == "map" else {i + 1: v for i, v in enumerate(row.array) if v}
            model.learn_one(features, 1 if row.label == "yes" else -1, row.weight)
        if whole:
            whole.merge(model)
        else:
            whole = model
    found, wanted = weights_of(fitted.model), weights_of(whole)
    assert found.keys() == wanted.keys() and all(abs(found[k] - wanted[k]) < 1e-5 for k in wanted)
    assert fitted.classes == ["no", "yes"]


def test_files_are_cut_so_that_every_line_is_read_once(tmp_path):
    lines = [f"{i % 2} {i + 1}:{i}\n".encode() for i in range(500)]
    (tmp_path / "a").write_bytes(b"".join(lines[:300]))
    (tmp_path / "b").write_bytes(b"")
    (tmp_path / "c").write_bytes(b"".join(lines[300:])[:-1])  # no newline at its end
    paths = [str(tmp_path / name) for name in "abc"]
    for parts in (1, 2, 3, 7, 50, 5000):
        ranges = _files.ranges_of(paths, parts)
        assert len(ranges) == parts
        read = b"".join(block for part in ranges for piece in part for block in _files.blocks_of(piece))
        assert read == b"".join(lines), parts
    assert [piece.is_cut for part in _files.ranges_of(paths, 1) for piece in part] == [False, False]
    assert all(piece.is_cut for part in _files.ranges_of(paths, 50) for piece in part)


def test_files_learn_what_their_lines_do(spark, rows, tmp_path):
    text = ("\n".join(lines_of(rows)) + "\n").encode()
    (tmp_path / "rows.svm").write_bytes(text)
    one = SluiceClassifier(learner="rda").fit_files(tmp_path / "rows.svm", partitions=1)
    alone = _sluice.Model("rda", [], {})
    for batch in _sluice.Reader(text, {"format": "libsvm"}):
        alone.learn_batch(batch)
    assert weights_of(one.model) == weights_of(alone)
    three = SluiceClassifier(learner="rda").fit_files(tmp_path / "rows.svm", partitions=3)
    assert three.facts()["examples"] == 1200
    (tmp_path / "rows.svm.gz").write_bytes(gzip.compress(text))
    packed = SluiceClassifier(learner="rda", classes=[-1, 1]).fit_files([tmp_path / "rows.svm.gz"], partitions=3)
    assert weights_of(packed.model) == weights_of(alone)


def test_lines_of_other_formats_and_labels_of_words(spark, tmp_path):
    texts = [("spam\tfree prize now", "ham\tlunch at noon")[i % 2] for i in range(200)]
    frame = spark.createDataFrame([(text,) for text in reversed(texts)], "value string").repartition(3)
    fitted = SluiceClassifier(learner="ftrl", features_col="value", format="text").fit(frame)
    assert fitted.classes == ["ham", "spam"]
    assert {row.prediction for row in fitted.transform(frame.where("value like 'spam%'")).collect()} == {"spam"}
    own = SluiceClassifier(learner="ftrl", features_col="value", format="text", ngrams=2, chars="3", tf="count", min_length=3,
                           stop_words="english").fit(frame)
    own.save_file(tmp_path / "text.sluice")
    (tmp_path / "text.tsv").write_text("\n".join(texts) + "\n")
    options = "-f text --ngrams 2 --chars 3 --tf count --min-length 3 --stop-words english".split()
    command = [sluiceway.program(), "train", "-q", "-a", "ftrl", *options, "-o", tmp_path / "alone", tmp_path / "text.tsv"]
    subprocess.run(command, capture_output=True, check=True)
    alone = _sluice.Model.load(tmp_path / "alone")
    for name in ("format", "ngrams", "chars", "tf", "min_length", "stop_words"):
        assert own.model.metadata(f"reader.{name}") == alone.metadata(f"reader.{name}") != b""
    assert own.facts()["features_seen"] == alone.facts()["features_seen"]
    again = SluiceClassifier(features_col="value", init_model=own).fit(frame)
    assert again.facts()["features_seen"] == own.facts()["features_seen"] and again.facts()["examples"] == 400
    given = {"format": "text", "chars": "3", "tf": "count", "min_length": 3, "stop_words": "english"}
    with pytest.raises(ValueError, match="init_model reads its lines with ngrams: give ngrams, '2'"):
        SluiceClassifier(features_col="value", init_model=str(tmp_path / "alone"), **given).fit(frame)
    same = SluiceClassifier(features_col="value", init_model=str(tmp_path / "alone"), ngrams=2, **given).fit(frame)
    assert same.facts()["features_seen"] == own.facts()["features_seen"]
    (tmp_path / "table.csv").write_text("label,note,n\nham,lunch at noon,1\nspam,free prize,2\n")
    subprocess.run([sluiceway.program(), "train", "-q", "-a", "arow", "--text", "note", "-o", tmp_path / "cut", tmp_path / "table.csv"],
                   capture_output=True, check=True)
    with pytest.raises(ValueError, match="init_model reads its lines with text, which is not there on Spark"):
        SluiceClassifier(features_col="value", format="csv", init_model=str(tmp_path / "cut")).fit(frame)
    with pytest.raises(ValueError, match="init_model has tf='count', and tf='log' is given"):
        SluiceClassifier(features_col="value", tf="log", init_model=own).fit(frame)
    with pytest.raises(ValueError, match="tf='1': it takes 'binary', 'count', 'log'"):
        SluiceClassifier(features_col="value", format="text", tf="1").fit(frame)
    (tmp_path / "d.csv").write_text("class,x,colour\n" + "a,1,red\nb,2,blue\nc,3,green\n" * 60)
    several = SluiceClassifier(learner="perceptron", format="csv", label="class").fit_files(tmp_path / "d.csv", partitions=4)
    assert several.classes == ["a", "b", "c"] and several.facts()["examples"] == 180


def test_every_cut_csv_file_has_its_own_header(spark, tmp_path):
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.write_text("class,x,y\n" + "1,2,0\n-1,0,2\n" * 300)
    other.write_text("y,class,x\n" + "0,1,2\n2,-1,0\n" * 300)
    classifier = SluiceClassifier(learner="rda", format="csv", label="class")
    fitted = classifier.fit_files([one, other], partitions=7)
    weights = weights_of(fitted.model)
    assert fitted.facts()["examples"] == 1200 and weights["x"] > 0 > weights["y"] and weights.keys() == {"x", "y"}
    out = fitted.transform(spark.createDataFrame([("1,2,0",), ("-1,0,2",)], "features string")).collect()
    assert [row.prediction for row in out] == [1.0, -1.0]


def test_features_of_lines_are_crossed(spark, table):
    lines = ["-1 |a x |b y", "1 |a x |b z", "1 |a w |b y", "-1 |a w |b z"] * 50
    frame = spark.createDataFrame([(line,) for line in lines], "value string")
    crossed = SluiceClassifier(learner="arow", features_col="value", format="vw", quadratic="a,b").fit(frame.coalesce(2))
    assert [row.prediction for row in crossed.transform(frame).take(4)] == [-1.0, 1.0, 1.0, -1.0]
    assert crossed.model.metadata("reader.quadratic") == b"a,b"
    for work in (lambda: SluiceClassifier(features_col="map", init_model=crossed).fit(table),
                 lambda: crossed.setParams(features_col="map").transform(table)):
        with pytest.raises(ValueError, match="the model crosses features of lines"):
            work()


def test_csv_records_over_several_lines_are_not_cut(spark, tmp_path):
    path = tmp_path / "notes.csv"
    path.write_text('class,note\n' + '1,"first line\nsecond ""line"""\n-1,plain\n' * 300)
    classifier = SluiceClassifier(learner="rda", format="csv", label="class")
    assert classifier.fit_files(path, partitions=1).facts()["examples"] == 600
    with pytest.raises(Exception, match="a quoted field goes on in the next line; such a file cannot be cut"):
        classifier.fit_files(path, partitions=3)


@pytest.mark.parametrize("words", [(b"0", b"1"), (b"ham", b"spam")])
def test_partitions_may_be_empty_or_have_one_class_and_ids_have_64_bits(spark, words):
    wide = 1 << 62
    parts = [[(0, 3), (0, wide)], [(1, wide + 1), (1, 5)], [], [(0, 3), (1, wide + 1)]]
    lines = [[f"{words[label].decode()} {i}:1" for label, i in part] for part in parts]
    frame = spark.createDataFrame(spark.sparkContext.parallelize(lines, 4).flatMap(lambda part: [(x,) for x in part]),
                                  "value string")
    fitted = SluiceClassifier(learner="arow", features_col="value").fit(frame)
    wanted = None
    for part in parts:
        model = _sluice.Model("arow", [], {})
        for label, i in part:
            model.learn_one({i: 1.0}, 1 if label else -1, 1.0)
        wanted = model if wanted is None else (wanted.merge(model), wanted)[1]
    assert weights_of(fitted.model) == weights_of(wanted) and wide + 1 in weights_of(wanted)
    assert fitted.classes == ([0.0, 1.0] if words[0] == b"0" else ["ham", "spam"])
    out = fitted.transform(frame).select("prediction", "value").collect()
    wanted = [row.value.split()[0] for row in out]
    assert [row.prediction for row in out] == (list(map(float, wanted)) if words[0] == b"0" else wanted)


@pytest.mark.parametrize("multiclass, learner", [("ovr", "ssol"), ("ovo", "arow"), ("matrix", "perceptron")])
def test_several_classes_merge_though_no_partition_has_all(spark, multiclass, learner):
    parts = [[("a", {"x": 1.0}), ("b", {"y": 1.0})] * 20, [("c", {"z": 1.0}), ("b", {"y": 1.0})] * 20]
    frame = spark.createDataFrame(spark.sparkContext.parallelize(parts, 2).flatMap(lambda part: part),
                                  "label string, features map<string, double>")
    classifier = SluiceClassifier(learner=learner, multiclass=multiclass)
    fitted = classifier.fit(frame)
    assert fitted.classes == ["a", "b", "c"] and fitted.facts()["examples"] == 80
    for row in fitted.transform(frame).collect():
        assert row.prediction == row.label and abs(sum(row.probability) - 1) < 1e-6
    if multiclass == "matrix":
        for again in (SluiceClassifier(learner=learner, multiclass=multiclass, rounds=2),
                      SluiceClassifier(learner=learner, init_model=fitted)):
            with pytest.raises(ValueError, match="in a matrix of classes models with a common start do not merge"):
                again.fit(frame)
    if multiclass == "ovo":
        with pytest.raises(ValueError, match="one against one"):
            fitted.setParams(explanation_col="why").transform(frame)


def test_what_init_model_says_is_not_contradicted(table):
    first = SluiceClassifier(learner="rda", features_col="vector", eta=2.0).fit(table)
    on = SluiceClassifier(features_col="vector", eta=2.0, init_model=first).fit(table.where("label = 'yes'"))
    assert on.classes == ["no", "yes"] and on.facts()["examples"] > 1200
    for given, message in [({"learner": "ssol"}, "init_model is of the learner rda"),
                           ({"eta": 3.0}, "init_model has eta=2"), ({"bias": 1.0}, "init_model has bias=0"),
                           ({"classes": ["no", "maybe"]}, "init_model has the classes"),
                           ({"label_col": "number"}, "the column number is int, and the classes are")]:
        with pytest.raises(ValueError, match=message):
            SluiceClassifier(features_col="vector", init_model=first.to_bytes(), **given).fit(table)
    with pytest.raises(ValueError, match="init_model is not saved"):
        SluiceClassifier(init_model=first).save("/nowhere")


def test_nulls_are_refused_by_name():
    classes = Classes(np.array([-1, 1]))
    for work, message in [(lambda: _rows.rows_of("arrays", pa.array([[1.0], None])), "row 2 of a batch has no features"),
                          (lambda: _rows.rows_of("arrays", pa.array([[1.0], [None]])), "row 2 of a batch has no value"),
                          (lambda: _rows.text_of(pa.array(["1 1:1", None])), "row 2 of a batch has no line"),
                          (lambda: _rows.weights_of(pa.array([None, 1.0])), "row 1 of a batch has no weight"),
                          (lambda: _rows.labels_of(pa.array([1, None]), classes), "row 2 of a batch has no label"),
                          (lambda: _rows.labels_of(pa.array([1, 2]), classes), r"label\(s\) \[2\]")]:
        with pytest.raises(ValueError, match=message):
            work()


def test_a_task_that_fails_and_is_retried_counts_once(spark, lines):
    def fails_first(batches):
        context = TaskContext.get()
        for batch in batches:
            yield batch
        if context.partitionId() % 2 and context.attemptNumber() < 2:
            raise OSError("a disk that fails")

    wanted = SluiceClassifier(learner="rda", features_col="value").fit(lines)
    fitted = SluiceClassifier(learner="rda", features_col="value").fit(lines.mapInArrow(fails_first, lines.schema))
    assert fitted.to_bytes() == wanted.to_bytes() and fitted.facts()["examples"] == 1200


def active_jobs(spark):
    return spark.sparkContext.statusTracker().getActiveJobsIds()


def wait_until(is_so):
    for _ in range(600):
        if is_so():
            return
        time.sleep(0.1)
    raise AssertionError("that does not come to be")


def test_a_fit_that_takes_too_long_ends_with_an_error_and_its_jobs_with_it(spark, lines):
    def stays(batches):
        time.sleep(1000)
        yield from batches

    spark.sparkContext.setJobGroup("mine", "my own")
    slow = lines.mapInArrow(stays, lines.schema)
    with pytest.raises(TimeoutError, match="not done after 3 seconds"):
        SluiceClassifier(learner="rda", features_col="value", timeout=3, classes=[-1, 1]).fit(slow)
    wait_until(lambda: not active_jobs(spark))
    assert spark.sparkContext.getLocalProperty("spark.jobGroup.id") == "mine"
    assert spark.sparkContext.getLocalProperty("spark.job.description") == "my own"
    assert lines.count() == 1200  # the session goes on


def test_a_fit_for_which_there_is_no_core_ends_with_an_error(spark, lines):
    def stays(part):
        time.sleep(1000)
        yield part

    context = spark.sparkContext
    stuck = context.parallelize(range(2), 2).mapPartitions(stays)
    others = InheritableThread(target=lambda: pytest.raises(Exception, stuck.count))
    context.addJobTag("others")
    others.start()
    context.removeJobTag("others")
    try:
        wait_until(lambda: sum(context.statusTracker().getStageInfo(stage).numActiveTasks
                               for stage in context.statusTracker().getActiveStageIds()) == 2)
        with pytest.raises(TimeoutError, match="no task ran for 2 seconds .*is there an executor with a free core"):
            SluiceClassifier(learner="rda", features_col="value", idle_timeout=2, classes=[-1, 1]).fit(lines)
        assert len(active_jobs(spark)) == 1
    finally:
        context.cancelJobsWithTag("others")
        others.join()


def test_what_is_before_a_shuffle_is_done_once(spark, lines):
    seen = spark.sparkContext.accumulator(0)

    def counts(batches):
        for batch in batches:
            seen.add(batch.num_rows)
            yield batch

    for parts in (2, _jobs.FAN + 1):
        seen.value = 0
        shuffled = lines.mapInArrow(counts, lines.schema).repartition(parts)
        fitted = SluiceClassifier(learner="rda", features_col="value", classes=[-1, 1]).fit(shuffled)
        assert fitted.facts()["examples"] == seen.value == 1200


def test_auto_races_on_one_partition_and_trains_the_winner_on_all(spark, table):
    seen = spark.sparkContext.accumulator(0)

    def counts(batches):
        for batch in batches:
            seen.add(batch.num_rows)
            yield batch

    fitted = SluiceClassifier(features_col="map", classes=["no", "yes"]).fit(
        table.select("map", "label").mapInArrow(counts, "map map<string, double>, label string"))
    facts = fitted.facts()
    assert facts["learner"] != "auto" and facts["examples"] == 1200
    assert seen.value == 1600  # a third raced


def test_what_cannot_be_learned_is_refused_before_a_job(spark, table):
    with pytest.raises(ValueError, match="olsf models do not merge"):
        SluiceClassifier(learner="olsf", features_col="vector").fit(table)
    with pytest.raises(ValueError, match="no parameter 'etta'.*did you mean 'eta'"):
        SluiceClassifier(learner="rda", etta=3)
    with pytest.raises(TypeError, match="not int"):
        SluiceClassifier(learner="rda", features_col="number").fit(table)
    with pytest.raises(TypeError, match="a label is a number, a bool or a string, but the column array is array<float>"):
        SluiceClassifier(learner="rda", features_col="vector", label_col="array").fit(table)
    with pytest.raises(ValueError, match="rounds=0"):
        SluiceClassifier(learner="rda", features_col="vector", rounds=0).fit(table)
    with pytest.raises(ValueError, match="hdfs://a is no path"):
        SluiceClassifier(learner="rda").fit_files("hdfs://a")
    empty = spark.createDataFrame([], "value string")
    with pytest.raises(ValueError, match="no examples"):
        SluiceClassifier(learner="rda", features_col="value").fit(empty)
    with pytest.raises(Exception, match="row without a label|rows without a label"):
        SluiceClassifier(learner="rda", features_col="vector").fit(table.selectExpr("vector", "nullif(label, 'no') label"))


def test_executors_that_die_and_slow_ones_change_nothing(tmp_path):
    """In a cluster of two executors: one is killed in mid-run; and a slow task is run a second time."""
    script = Path(__file__).with_name("cluster_failures.py")
    ran = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert ran.stdout.splitlines()[-3:] == ["killed: same bytes", "speculation: same bytes", "examples: 1200"]
