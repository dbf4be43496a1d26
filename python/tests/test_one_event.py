"""Single events through the extension: dicts of every kind of key and value, answers, errors, threads, memory."""
from __future__ import annotations

import collections
import decimal
import math
import resource
import threading

import numpy as np
import pytest

from sluiceway._sluice import Model


def learned(features, learner="pa-1", label=1.0):
    model = Model(learner, [], {})
    model.learn_one(features, label)
    return model


def terms(model, features):
    return {name: value for name, value, _, _ in model.explain_one(features)[2]}


def test_values_are_numbers_of_any_type():
    values = [2.0, 2, True + 1, np.float64(2), np.float32(2), np.int64(2), np.uint8(2), decimal.Decimal(2)]
    for value in values:
        assert terms(learned({"a": value, "b": 1.0}), {"a": value}) == {"a": 2.0}
    assert terms(learned({"a": True}), {"a": np.bool_(True), "b": False}) == {"a": 1.0, "b": 0.0}


def test_texts_are_features_of_their_own_and_none_is_absent():
    model = learned({"colour": "red", "size": 1.5, "shape": None})
    assert terms(model, {"colour": "red", "size": 1.0, "shape": None}) == {"colour=red": 1.0, "size": 1.0}
    assert model.weight_of("colour=red") > 0 and model.weight_of("colour=blue") == 0
    assert terms(model, {"colour": b"red"}) == {"colour=red": 1.0}
    assert terms(model, {1: "x", "y": "z" * 1000}) == {"1=x": 1.0, "y=" + "z" * 1000: 1.0}


def test_keys_are_texts_bytes_ids_or_anything_with_a_text():
    model = learned({"a": 1.0, b"raw\xff": 2.0, 7: 3.0, ("x", 1): 4.0, "caf\u00e9": 5.0, "\udcff": 6.0})
    assert model.weight_of("a") > 0 and model.weight_of("7") > 0 and model.weight_of("('x', 1)") > 0
    assert model.weight_of("caf\u00e9") > 0 and model.weight_of("raw\udcff") > 0 and model.weight_of("\udcff") > 0
    by_id = learned({3: 1.0, 2**63: 1.0, 2**64 - 1: 1.0})
    assert not by_id.quick_facts()["has_names"] and by_id.weight_of(3) > 0 and by_id.weight_of(2**64 - 1) > 0
    assert terms(by_id, {3: 2.0}) == {3: 2.0}
    beyond = learned({3: 1.0, 2**64: 1.0, -1: 1.0})
    assert beyond.weight_of("18446744073709551616") > 0 and beyond.weight_of("-1") > 0


def test_mappings_that_are_no_dicts():
    model = learned(collections.ChainMap({"a": 1.0}, {"b": 2.0}))
    assert terms(model, collections.UserDict(a=1.0, b=2.0)) == {"a": 1.0, "b": 2.0}
    assert model.margin_one(collections.OrderedDict(a=1.0)) == model.margin_one({"a": 1.0})


@pytest.mark.parametrize("features, kind, text", [
    ({"a": 1.0, "bad": float("nan")}, ValueError, "'bad' is not finite: nan"),
    ({"bad": np.float32("inf")}, ValueError, "'bad' is not finite: inf"),
    ({"bad": -1e300}, ValueError, "'bad' is beyond the range of a float"),
    ({"bad": 10**400}, ValueError, "'bad' is beyond the range of a float"),
    ({"bad": [1.0]}, TypeError, "'bad' is neither a number nor a text: <class 'list'>"),
    ([("a", 1.0)], TypeError, "the features are a dict, not <class 'list'>"),
    (None, TypeError, "the features are a dict"),
])
def test_what_is_wrong_is_said_and_nothing_is_learned(features, kind, text):
    model = learned({"a": 1.0})
    before = model.to_bytes()
    for call in (lambda: model.learn_one(features, 1.0), lambda: model.margin_one(features),
                 lambda: model.explain_one(features)):
        with pytest.raises(kind) as caught:
            call()
        assert text in str(caught.value)
    assert model.to_bytes() == before


def test_two_keys_of_one_text_are_refused():
    model = learned({"a": 1.0})
    with pytest.raises(ValueError, match="feature '1' appears twice"):
        model.learn_one({1: 1.0, "1": 2.0}, 1.0)
    assert model.quick_facts()["examples"] == 1


def test_an_exception_of_a_value_comes_through():
    class Angry:
        def __float__(self):
            raise ZeroDivisionError("no")

    with pytest.raises(ZeroDivisionError):
        learned({"a": Angry()})


def test_a_value_may_use_the_model_and_change_the_dict_while_it_is_read():
    model = learned({"a": 1.0, "b": 2.0})
    features = {"a": 1.0, "b": None}

    class Curious:
        def __float__(self):
            features.clear()
            return model.margin_one({"b": 2.0})

    features["c"] = Curious()
    inner = model.margin_one({"b": 2.0})
    model.learn_one(features, 0.0)
    assert inner > 0 and model.weight_of("c") < 0


def test_labels_weights_and_their_errors():
    model = Model("pa-1", [], {})
    model.learn_one({"a": 1.0}, b"spam")
    model.learn_one({"b": 1.0}, b"ham", 0.5)
    assert [c["text"] for c in model.classes()] == [b"spam", b"ham"]
    before = model.to_bytes()
    model.learn_one({"b": 1.0}, b"ham", 0)
    for label, weight, kind in ((b"", 1.0, ValueError), ("ham", 1.0, TypeError), (b"ham", -1.0, ValueError),
                                (float("nan"), 1.0, ValueError), (b"third", 1.0, ValueError)):
        with pytest.raises(kind):
            model.learn_one({"a": 1.0}, label, weight)
    with pytest.raises(TypeError):
        model.learn_one({"a": 1.0})
    assert model.to_bytes() == before


def test_answers_for_two_classes():
    model = Model("pa-1", [], {})
    for _ in range(20):
        model.learn_one({"a": 1.0}, 1.0)
        model.learn_one({"b": 1.0}, 0.0)
    assert model.margin_one({"a": 1.0}) > 0 > model.margin_one({"b": 1.0})
    assert (model.predict_one({"a": 1.0}), model.predict_one({"b": 1.0})) == (1, 0)
    assert model.probability_one({"a": 1.0}) > 0.5 > model.probability_one({"b": 1.0})
    margin, scale, found = model.explain_one({"a": 1.0, "b": 0.5})
    assert margin == model.margin_one({"a": 1.0, "b": 0.5}) == math.fsum(t[3] for t in found) and scale == 1
    assert math.isnan(Model("pa-1", [], {}).probability_one({"a": 1.0}))
    with pytest.raises(ValueError):
        model.classify_one({"a": 1.0})


def test_answers_for_several_classes():
    model = Model("arow", [], {"classes": 1})
    assert model.predict_one({"x": 1.0}) is None
    assert model.classify_one({"x": 1.0}) == (None, [], [])
    for _ in range(20):
        for name in ("x", "y", "z"):
            model.learn_one({name: 1.0}, name.encode())
    best, margins, chances = model.classify_one({"y": 1.0})
    assert best == model.predict_one({"y": 1.0}) == 1 == int(np.argmax(margins)) == int(np.argmax(chances))
    assert math.isclose(sum(chances), 1)
    assert model.explain_one({"y": 1.0}, 1)[0] == margins[1]
    for class_index in (3, -1):
        with pytest.raises(ValueError):
            model.explain_one({"y": 1.0}, class_index)
    with pytest.raises(ValueError):
        model.margin_one({"y": 1.0})


def test_one_event_after_the_other_is_the_matrix_at_once():
    random = np.random.default_rng(1)
    dense = random.normal(size=(200, 6)).astype(np.float32) * (random.random((200, 6)) < 0.5)
    labels = (dense @ random.normal(size=6) > 0).astype(float)
    one, many = Model("ssol", [], {}), Model("ssol", [], {})
    for row, label in zip(dense.tolist(), labels.tolist()):
        one.learn_one({j + 1: v for j, v in enumerate(row) if v}, label)
    rows, columns = np.nonzero(dense)
    indptr = np.searchsorted(rows, np.arange(201))
    many.learn_csr(indptr, np.ascontiguousarray(columns), dense[rows, columns], labels, None, None, None, None)
    assert one.to_bytes() == many.to_bytes()


def test_many_threads_predict_while_one_learns():
    model = learned({f"f{i}": 1.0 for i in range(50)}, "arow")
    failed = []

    def predict():
        try:
            for i in range(2000):
                model.predict_one({f"f{i % 60}": 1.0, "g": np.float32(1)})
        except BaseException as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=predict) for _ in range(4)]
    for thread in threads:
        thread.start()
    for i in range(2000):
        model.learn_one({f"f{i % 60}": 1.0}, float(i % 2))
    for thread in threads:
        thread.join()
    assert not failed and model.quick_facts()["examples"] == 2001


def test_calls_leave_no_memory_behind():
    model = learned({"a": 1.0})
    plain, mixed = {f"f{i}": 0.5 for i in range(20)}, {"a": "text", ("k", 1): np.float32(1), 3: True, b"b": None}
    several = Model("pa-1", [], {"classes": 1})

    def calls(n):
        for i in range(n):
            model.learn_one(plain, float(i % 2))
            model.learn_one(mixed, float(i % 2))
            several.learn_one(mixed, b"c%d" % (i % 3))
            model.predict_one(mixed)
            several.classify_one(plain)
            model.explain_one(mixed)
            try:
                model.learn_one({"a": 1.0, ("k", 1): [2]}, 1.0)
            except TypeError:
                pass

    calls(2000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    calls(20000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1024  # KiB
