"""Calls on one model from several threads, from signal handlers and from inside other calls."""

import signal
import threading
import time

import numpy as np
import pytest

from sluiceway import _sluice


def rows(n, k=10):
    """n rows of k ones."""
    return (np.arange(0, n * k + 1, k, dtype=np.int32), np.tile(np.arange(k, dtype=np.int32), n),
            np.ones(n * k, np.float32))


def learn(model, n, progress=None, columns=None):
    model.learn_csr(*rows(n), np.where(np.arange(n) % 2, 1.0, -1.0), None, None, columns, progress)


def test_a_call_from_the_progress_of_a_call_on_the_same_model_is_refused():
    model = _sluice.Model("arow", [], {})
    with pytest.raises(RuntimeError, match="in use by a call that has called this one"):
        learn(model, 10, lambda done, total: model.nonzeros())
    learn(model, 10)  # the lock is free again
    assert model.quick_facts()["examples"] == 20


def test_a_signal_handler_that_learns_while_its_thread_predicts_is_refused():
    model = _sluice.Model("arow", [], {})
    learn(model, 100)
    refused = []

    def handler(number, frame):
        try:
            learn(model, 1)
        except RuntimeError as error:
            refused.append(str(error))

    before = signal.signal(signal.SIGALRM, handler)
    try:
        n = 100_000
        while not refused and n < 10_000_000:  # until it comes in the middle of a call
            n *= 2
            matrix, out = rows(n), np.empty(n)
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            model.margins_csr(*matrix, None, out)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert "in use by a call" in refused[0]


def test_a_thread_that_waits_for_a_model_sees_signals():
    model = _sluice.Model("arow", [], {})
    inside, go = threading.Event(), threading.Event()

    def hold(done, total):
        inside.set()
        go.wait()

    class Stop(Exception):
        pass

    def handler(number, frame):
        raise Stop

    thread = threading.Thread(target=learn, args=(model, 10, hold))
    thread.start()
    inside.wait()
    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(Stop):
            model.nonzeros()  # would wait until `go`
    finally:
        signal.signal(signal.SIGALRM, before)
        go.set()
        thread.join()
    assert model.nonzeros() == 10


def test_names_of_a_dict_that_changes_while_learn_one_waits_are_kept():
    model = _sluice.Model("arow", [], {})
    model.learn_one({"first": 1.0}, 1.0)
    inside, go, started = threading.Event(), threading.Event(), threading.Event()

    class Label:
        def __float__(self):
            started.set()
            return 1.0

    def hold(done, total):
        inside.set()
        go.wait()

    columns = tuple(f"column {j}" for j in range(10))
    thread = threading.Thread(target=learn, args=(model, 10, hold, columns))
    thread.start()
    inside.wait()
    features = {f"feature {i} " * 30: 1.0 for i in range(200)}
    waiting = threading.Thread(target=model.learn_one, args=(features, Label()))
    waiting.start()
    started.wait()
    features.clear()
    rubbish = [f"{'z' * 500}{i}" for i in range(20_000)]  # takes the memory of the names, if that was freed
    go.set()
    thread.join()
    waiting.join()
    names = model.weights(None)[0]
    assert len(rubbish) and all(n.startswith(("first", "column ", "feature ")) for n in names)


def test_a_weight_whose_conversion_changes_the_dict():
    model = _sluice.Model("arow", [], {})
    features = {f"feature {i} " * 30: 1.0 for i in range(200)}

    class Weight:
        def __float__(self):
            features.clear()
            return 1.0

    model.learn_one(features, 1.0, Weight())
    assert model.quick_facts()["features_seen"] == 0


def test_threads_that_predict_without_a_pause_keep_no_learner_out():
    model = _sluice.Model("arow", [], {})
    learn(model, 10)
    stop = threading.Event()
    n = 200_000
    matrix = rows(n)

    def predict():
        out = np.empty(n)
        while not stop.is_set():
            model.margins_csr(*matrix, None, out)

    threads = [threading.Thread(target=predict) for _ in range(4)]
    for thread in threads:
        thread.start()
    learner = threading.Thread(target=learn, args=(model, 10))
    learner.start()
    learner.join(5)
    was_out = learner.is_alive()
    stop.set()
    for thread in threads + [learner]:
        thread.join()
    assert not was_out


def test_a_signal_handler_that_asks_the_model_its_thread_waits_for():
    model = _sluice.Model("arow", [], {})
    learn(model, 10)
    inside, go, answers = threading.Event(), threading.Event(), []

    def hold(done, total):
        inside.set()
        go.wait()

    def handler(number, frame):
        go.set()
        answers.append(model.quick_facts()["examples"])

    thread = threading.Thread(target=learn, args=(model, 10, hold))
    thread.start()
    inside.wait()
    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        learn(model, 10)  # waits until the handler lets the thread go on
    finally:
        signal.signal(signal.SIGALRM, before)
        go.set()
        thread.join()
    assert answers == [20] and model.quick_facts()["examples"] == 30


@pytest.mark.parametrize("kind", ["predict_positive", "probabilities"])
def test_calls_on_many_margins_are_interrupted(kind):
    class Stop(Exception):
        pass

    def handler(number, frame):
        raise Stop

    model = _sluice.Model("arow", [], {})
    learn(model, 10)
    before = signal.signal(signal.SIGALRM, handler)
    try:
        n, at_end = 2_000_000, True
        while at_end and n < 50_000_000:  # until the signal comes in the middle of a call
            n *= 2
            margins = np.full(n, 100.0)
            out = np.zeros(n, np.uint32) if kind == "predict_positive" else margins
            with pytest.raises(Stop):
                signal.setitimer(signal.ITIMER_REAL, 0.001)
                model.predict_positive(margins, out) if out is not margins else model.probabilities(margins)
                time.sleep(1)
            at_end = out[-1] not in (0, 100)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not at_end
