"""sluiceway.predict: what `sluice predict` prints, as arrays, for every kind of input and of model."""
import re

import numpy as np
import pytest

pytest.importorskip("scipy")
import sluiceway
from sluiceway import predict, train
from sluiceway.datasets import make_mail, make_payments, make_tickets


@pytest.fixture(scope="module")
def mail():
    texts, labels = make_mail(600)
    return texts, labels, train([f"{label}\t{text}" for text, label in zip(texts[:400], labels)], "arow", format="text")


def test_lines_with_and_without_labels(mail, tmp_path):
    texts, labels, run = mail
    found = predict(run, texts[400:])
    assert (found.labels == labels[400:]).mean() > 0.8
    assert found.classes.tolist() == ["ham", "spam"]
    assert ((found.margins > 0) == (found.labels == "spam")).all()
    assert found.probabilities.shape == (200, 2)
    assert np.allclose(found.probabilities.sum(axis=1), 1)
    with_labels = predict(run, [f"?\t{text}" for text in texts[400:]])
    assert (with_labels.margins == found.margins).all()
    path = tmp_path / "mail.txt"
    path.write_text("\n".join(texts[400:]) + "\n")
    assert (predict(run, path).margins == found.margins).all()
    assert (predict(run, [str(path)]).margins == found.margins).all()
    assert repr(found).startswith("Predictions(200 rows: ")


def test_a_text_that_is_no_file_is_one_line(mail):
    assert predict(mail[2], ["free"]).labels.tolist() == ["spam"]
    with pytest.raises(FileNotFoundError):
        predict(mail[2], "free")  # a path


def test_models_by_path_result_and_classifier(mail, tmp_path):
    pytest.importorskip("sklearn")
    texts, _, run = mail
    path = tmp_path / "m"
    run.save(path)
    expected = predict(run, texts).margins
    for model in path, str(path), sluiceway.load(path):
        assert (predict(model, texts).margins == expected).all()
    with pytest.raises(TypeError, match="a model is a path"):
        predict(3, texts)


def test_a_matrix_is_answered_as_the_classifier_does():
    pytest.importorskip("sklearn")
    X, y = sluiceway.synth("sparse", rows=300, dim=100, nonzeros=5)
    for labels in y, y > 0, np.where(y > 0, 10, 9), np.where(y > 0, "10", "9"), np.where(y > 0, "a", "b"):
        model = sluiceway.SluiceClassifier("arow").fit(X[:200], labels[:200])
        for rows in X[200:], X[200:].toarray():
            found = predict(model, rows)
            assert found.labels.tolist() == model.predict(X[200:]).tolist()
            assert found.labels.dtype == labels.dtype
            assert np.allclose(found.margins, model.decision_function(X[200:]))
            assert np.allclose(found.probabilities, model.calibrated_proba(X[200:]))


def test_frames_go_by_names_and_their_label_column_is_no_feature():
    pandas = pytest.importorskip("pandas")
    payments, fraud = make_payments(500, fraud=0.3)
    frame = pandas.DataFrame(payments).assign(fraud=fraud)
    run = train(frame, "arow", label="fraud", scale="maxabs")
    alone = predict(run, frame.drop(columns="fraud"))
    assert (predict(run, frame).margins == alone.margins).all()
    assert set(alone.labels.tolist()) == {0.0, 1.0}
    polars = pytest.importorskip("polars")
    assert (predict(run, polars.DataFrame(payments)).margins == alone.margins).all()


@pytest.mark.parametrize("kind", ["pandas", "polars", "table", "batch", "reader", "structs"])
def test_the_label_column_does_not_count_in_the_length_of_rows(kind):
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    frame = pandas.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [4.0, 1.0, 2.0, 9.0], "y": [0.0, 7.0, 0.0, 7.0]})
    table = pyarrow.Table.from_pandas(frame)
    run = train(frame, "arow", label="y", normalize="l2")
    made = {"pandas": lambda: frame, "polars": lambda: polars.DataFrame(frame.to_dict("list")), "table": lambda: table,
            "batch": lambda: table.to_batches()[0], "reader": table.to_reader,
            "structs": lambda: table.to_struct_array().combine_chunks()}[kind]()
    assert predict(run, made).margins.tolist() == predict(run, frame[["a", "b"]]).margins.tolist()


def test_dicts_of_features():
    payments, fraud = make_payments(300, fraud=0.3)
    run = train(zip(payments, fraud.tolist()), "arow", scale="maxabs")
    expected = predict(run, list(zip(payments, fraud.tolist()))).margins
    for dicts in payments, iter(payments):
        assert (predict(run, dicts).margins == expected).all()
    with pytest.raises(TypeError, match=r"a pair: \(dict of features, label\)"):
        train(payments, "arow")


def test_several_classes_have_a_column_each():
    tickets, departments = make_tickets(600)
    run = train([f"{d}\t{t}" for t, d in zip(tickets, departments)], "arow", format="text", classes="ovr")
    found = predict(run, tickets[:50])
    assert found.classes.tolist() == ["billing", "bug", "login", "returns", "shipping"]
    assert found.margins.shape == found.probabilities.shape == (50, 5)
    assert (found.classes[found.margins.argmax(axis=1)] == found.labels).all()
    pytest.importorskip("pandas")
    assert (found.to_frame()["margin"] == found.margins.max(axis=1)).all()


def test_a_model_without_probabilities_has_none():
    X, y = sluiceway.synth("sparse", rows=200, dim=50, nonzeros=5)
    found = predict(train((X, y), "sbcw"), X)
    assert found.probabilities is None and len(found) == 200


def test_lines_that_are_skipped_have_no_answer():
    run = train(["1 1:1", "-1 2:1"] * 20, "arow")
    with pytest.warns(UserWarning, match="1 malformed line skipped"):
        found = predict(run, iter(["1:1", "1:x", "2:1"]), on_error="skip")
    assert found.labels.tolist() == [1.0, None, -1.0]
    assert np.isnan(found.margins).tolist() == [False, True, False]
    with pytest.raises(ValueError, match="input:2"):
        predict(run, iter(["1:1", "1:x"]))


@pytest.mark.parametrize("label", [True, False, "a"])
def test_a_model_of_one_class_answers_with_it(label):
    model = sluiceway.StreamClassifier("arow")
    model.learn_one({"1": 1}, label)
    assert predict(model, iter(["1:1", "1:-1"])).labels.tolist() == [label, label]


def test_no_rows():
    run = train(["1 1:1", "-1 2:1"] * 20, "arow")
    found = predict(run, iter([]))
    assert len(found) == 0 and found.probabilities.shape == (0, 2)


def test_a_threshold():
    run = train(["1 1:1", "-1 2:1"] * 20, "arow")
    assert predict(run, iter(["1:1", "2:1"]), threshold="margin=100").labels.tolist() == [-1.0, -1.0]


def test_more_answers_than_a_pipe_holds():
    run = train(["1 1:1", "-1 2:1"] * 20, "arow")
    more = " ".join(f"{id}:0" for id in range(3, 40))
    found = predict(run, (f"{1 + i % 2}:1 {more}" for i in range(20_000)))  # 4 MB: the child reads ahead, but not all
    assert len(found) == 20_000 and found.labels[:2].tolist() == [1.0, -1.0]


@pytest.mark.parametrize(
    "labels", [["a\tb", "c\nd"], ["é\x01", "z"], ["a\\x41\t", "\\", "b\u200b"], ["a\tb", "c\nd", "e"]], ids=repr
)
def test_labels_that_no_terminal_shows(labels):
    pytest.importorskip("sklearn")
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = np.array(labels)[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0) * (len(labels) - 2)]
    model = sluiceway.SluiceClassifier("arow").fit(X, y)
    found = predict(model, X)
    assert found.labels.tolist() == model.predict(X).tolist()
    assert np.allclose(found.margins, model.decision_function(X))


def test_labels_that_are_printed_alike_are_refused():
    pytest.importorskip("sklearn")
    X = np.eye(2)
    model = sluiceway.SluiceClassifier("arow").fit(X, ["a\tb", "a\\x09b"])
    with pytest.raises(ValueError, match="printed as the same text"):
        predict(model, X)


def test_texts_are_paths_only_if_all_are_files(mail, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lunch").write_text("free prize\n")
    (tmp_path / "noon").mkdir()
    run = train(["spam\tfree prize", "ham\tlunch at noon"] * 50, "arow", format="text")
    assert predict(run, ["free prize", "lunch"]).labels.tolist() == ["spam", "ham"]
    assert predict(run, ["lunch"]).labels.tolist() == ["spam"]  # the file
    assert predict(run, ["noon"]).labels.tolist() == ["ham"]  # a folder is no file
    with pytest.raises(FileNotFoundError):
        predict(run, [tmp_path / "lunch", tmp_path / "nothing"])


def test_how_predictions_are_shown():
    answers = predict(train(["spam\tfree prize", "ham\tlunch"] * 20, "arow", format="text"), ["free", "prize", "lunch"] * 9)
    assert repr(answers) == "Predictions(27 rows: 18 labelled 'spam', 9 labelled 'ham')"
    page = answers._repr_html_()
    assert page.count("<tr>") == 11 and "<th>probability</th>" in page and "and 17 more" in page
    left_out = train(["1 1:1", "-1 2:1"] * 20, "arow")
    with pytest.warns(UserWarning, match="skipped"):
        found = predict(left_out, iter(["1:1", "1:x"]), on_error="skip")
    assert repr(found) == "Predictions(2 rows: 1 labelled 1.0, 1 labelled None)" and "<td>None</td>" in found._repr_html_()
    several = train([f"c{i % 8}\tw{i % 8}" for i in range(80)], "arow", format="text", classes="ovr")
    many = predict(several, [f"w{i}" for i in range(8)])
    assert re.match(r"Predictions\(8 rows: .*, and 3 other labels\)", repr(many)) and "<table>" in many._repr_html_()
