"""Probabilities: predict --proba, train --calibrate, and their measures in test."""

import math
import os
import random
import shutil

from harness import HERE, check, equal, near, parse, rows

MODELS = os.path.join(HERE, "..", "fuzz", "corpus", "model")


def graded(n, seed):
    """Rows whose labels are hard to tell near a plane, and the less so the farther away they are."""
    r = random.Random(seed)
    lines = []
    for _ in range(n):
        values = {i: round(r.uniform(-1, 1), 3) for i in sorted(r.sample(range(1, 41), 8))}
        side = sum(v * (i % 5 - 2) for i, v in values.items())
        label = 1 if r.random() < 1 / (1 + math.exp(-side)) else -1
        lines.append(f"{label} " + " ".join(f"{i}:{v}" for i, v in values.items()))
    return "\n".join(lines) + "\n"


def predicted(t, *command, stdin=b""):
    """[(label, margin, probability)]"""
    out = t.run("predict", "-m", "m", "--proba", *command, stdin=stdin).out
    return [(l, float(m), float(p)) for l, m, p in (line.split("\t") for line in out.splitlines())]


def check_monotone(found, what):
    check(all(0 < p < 1 for _, _, p in found), what)
    by_margin = sorted((m, p) for _, m, p in found)
    check(all(a[1] <= b[1] for a, b in zip(by_margin, by_margin[1:])), f"{what}: not monotone")


def test_every_learner_gives_probabilities(t):
    t.write("a", graded(3000, 1))
    t.write("b", graded(500, 2))
    batches = t.in_batches()
    for name in t.learners():
        t.run("train", "-q", "-a", name, *(["-P", "batch=500"] if name in batches else []), "-o", "m", "a")
        found = predicted(t, "b")
        check_monotone(found, name)
        mean = sum(p for _, _, p in found) / len(found)
        check(0.3 < mean < 0.7, f"{name}: {mean}")
        r = t.run("test", "-m", "m", "--json", "b").json()
        check(0 < r["log_loss"] < 0.72 and 0 < r["brier"] < 0.26 and r["calibration_error"] < 0.2, f"{name}: {r}")


def test_log_odds_are_probabilities_as_they_are(t):
    t.write("a", rows(1000))
    t.run("train", "-q", "-a", "ftrl", "-o", "m", "a")
    for label, margin, p in predicted(t, stdin=rows(100, seed=2)):
        near(p, 1 / (1 + math.exp(-margin)), 1e-12)
        equal(label, "1" if p > 0.5 else "-1")
    equal(t.run("inspect", "--json", "m").json()["calibration"], "log odds")


def test_calibrated_probabilities_are_much_better_than_a_plain_sigmoid(t):
    t.write("a", graded(20000, 1))
    test = graded(8000, 2)
    t.write("b", test)
    labels = [y > 0 for y, _ in parse(test)]
    for name in ["arow", "ssol", "pa-1"]:
        t.run("train", "-q", "-a", name, *(["-P", "C=0.01"] if name == "pa-1" else []), "-o", "m", "a")
        r = t.run("test", "-m", "m", "--json", "b").json()
        plain = [1 / (1 + math.exp(-m)) for _, m, _ in predicted(t, "b")]
        loss = -sum(math.log(p if y else 1 - p) for p, y in zip(plain, labels)) / len(labels)
        check(r["calibration_error"] < 0.03, f"{name}: {r['calibration_error']}")
        check(r["log_loss"] < loss, f"{name}: {r['log_loss']} and {loss}")
        error = plain_measures([(0, 0, p) for p in plain], labels)[2]
        check(r["calibration_error"] < error / 2, f"{name}: {r['calibration_error']} and {error}")


def plain_measures(found, labels):
    """Log loss, Brier score and calibration error by their definitions."""
    pairs = sorted((p, y > 0) for (_, _, p), y in zip(found, labels))
    n = len(pairs)
    loss = -sum(math.log(p if y else 1 - p) for p, y in pairs) / n
    brier = sum((p - y) ** 2 for p, y in pairs) / n
    error, bins = 0, [[] for _ in range(15)]
    for i, pair in enumerate(pairs):
        same = i and pairs[i - 1][0] == pair[0]
        place = place if same else i * 15 // n
        bins[place].append(pair)
    error = sum(abs(sum(p - y for p, y in b)) for b in bins) / n
    return loss, brier, error


def test_measures_agree_with_a_plain_computation(t):
    t.write("a", graded(3000, 1))
    text = graded(701, 2)
    t.write("b", text)
    for options in [["-a", "arow"], ["-a", "ftrl"], ["-a", "ssol", "--calibrate", "a"]]:
        t.run("train", "-q", *options, "-o", "m", "a")
        r = t.run("test", "-m", "m", "--json", "b").json()
        loss, brier, error = plain_measures(predicted(t, "b"), [y for y, _ in parse(text)])
        near(r["log_loss"], loss, 1e-9, "log loss")
        near(r["brier"], brier, 1e-9, "brier")
        near(r["calibration_error"], error, 1e-9, "calibration error")


def test_a_hold_out_is_fitted(t):
    t.write("a", graded(4000, 1))
    t.write("held", graded(4000, 2))
    t.write("b", graded(4000, 3))
    t.run("train", "-q", "-a", "pa-1", "-o", "plain", "a")
    for kind in ["isotonic", "platt"]:
        r = t.run("train", "-q", "-a", "pa-1", "--calibrate", "held", "--calibration", kind, "-o", "m", "--test", "b",
                  "--json", "a").json()["test"]
        check(r["calibration_error"] < 0.04, f"{kind}: {r['calibration_error']}")
        equal(t.run("inspect", "--json", "m").json()["calibration"], kind)
        found = predicted(t, "b")
        check_monotone(found, kind)
        equal([m for _, m, _ in found], [float(l.split("\t")[1]) for l in t.run("predict", "-m", "plain", "b").out.splitlines()])
        t.run("train", "-q", "-a", "pa-1", "--calibrate", "held", "--calibration", kind, "--final", "-o", "small", "a")
        equal(t.run("predict", "-m", "small", "--proba", "b").out, t.run("predict", "-m", "m", "--proba", "b").out)


def test_a_hold_out_that_is_none_is_noted(t):
    t.write("a", rows(100))
    t.write("b", rows(100, seed=2))
    for given, says in [(["--calibrate", "a"], "--calibrate a is learned from too"), (["--test", "./a"], "--test ./a is learned from too"),
                        (["--calibrate", "b", "--test", "b"], "--calibrate and --test are one file")]:
        check(says in t.run("train", *given, "a").err, given)
        check("note" not in t.run("train", "-qq", *given, "a").err, "-qq")
    check("too good" not in t.run("train", "--calibrate", "b", "a").err, "apart")


def test_isotonic_is_the_default(t):
    t.write("a", graded(500, 1))
    t.run("train", "-q", "--calibrate", "a", "-o", "m", "a")
    equal(t.run("inspect", "--json", "m").json()["calibration"], "isotonic")


def test_what_was_fitted_goes_when_learning_goes_on(t):
    t.write("a", graded(500, 1))
    t.write("b", graded(500, 2))
    t.run("train", "-q", "-a", "arow", "--calibrate", "b", "-o", "m", "a")
    t.run("train", "-q", "-a", "arow", "-o", "plain", "a")
    r = t.run("train", "-i", "m", "-o", "on", "b")
    check("--calibrate had fitted is gone" in r.err, r.err)
    t.run("train", "-q", "-i", "plain", "-o", "plain", "b")
    equal(t.read("on"), t.read("plain"))
    r = t.run("train", "-i", "m", "-o", "same", stdin="")
    check("gone" not in r.err, r.err)
    equal(t.read("same"), t.read("m"))
    # a model that is there already can be calibrated without learning
    t.run("train", "-q", "-i", "plain", "--calibrate", "a", "-o", "late", stdin="")
    equal(t.run("inspect", "--json", "late").json()["calibration"], "isotonic")


def test_log_odds_are_measured_while_learning_whatever_was_fitted(t):
    t.write("a", rows(300))
    t.write("b", rows(300, seed=5))
    t.run("train", "-q", "-a", "ftrl", "-o", "plain", "a")
    t.run("train", "-q", "-a", "ftrl", "--calibrate", "b", "-o", "fitted", "a")
    losses = [t.run("train", "-q", "--json", "-i", m, "b").json()["log_loss"] for m in ("plain", "fitted")]
    check(losses[0] is not None, losses)
    equal(losses[0], losses[1])


def test_one_batch_has_to_be_calibrated_afterwards(t):
    t.write("a", graded(500, 1))
    for name in t.in_batches():
        t.run("train", "-q", "-a", name, "-P", "batch=0", "-o", "m", "a")
        t.refused("predict", "-m", "m", "--proba", "a", status=2, says=["not calibrated", "--calibrate", "batch=N"])
        equal(t.run("test", "-m", "m", "--json", "a").json()["log_loss"], None)
        t.run("train", "-q", "-a", name, "-P", "batch=0", "--calibrate", "a", "-o", "m", "a")
        check_monotone(predicted(t, "a"), name)
        t.run("train", "-q", "-a", name, "-P", "batch=300", "--calibrate", "a", "-o", "m", "a")  # some wait
        check_monotone(predicted(t, "a"), name)


def test_models_of_older_formats_are_calibrated_as_they_go_on(t):
    for name in ["format-2.model", "pa-1.model"]:
        shutil.copy(os.path.join(MODELS, name), t.path("m"))
        check(t.read("m")[8] < 3, name)
        t.run("predict", "-m", "m", stdin=rows(5))
        t.refused("predict", "-m", "m", "--proba", status=2, says=["not calibrated", "train -i"], stdin=rows(5))
        t.run("train", "-q", "-i", "m", "-o", "m", stdin=rows(300))
        check_monotone(predicted(t, stdin=rows(50)), name)


def test_what_cannot_be_calibrated_is_refused(t):
    t.write("a", rows(50))
    t.write("one", "1 1:1\n1 2:1\n")
    t.refused("train", "--calibrate", "one", "-o", "m", "a", status=1, says=["one", "both classes"])
    check(not t.exists("m"), "no model")
    t.refused("train", "--calibrate", "none", "a", status=1, says="none")
    t.refused("train", "--calibration", "platt", "a", status=2, says="--calibrate FILE")
    t.refused("train", "--calibrate", "a", "--calibration", "linear", "a", status=2, says=["linear", "isotonic"])
    t.refused("train", "--calibrate", "b", "-o", "b", "a", status=1, says="b")
    t.refused("train", "--calibrate", "a", "-o", "a", "one", status=2, says=["-o a", "--calibrate"])
    t.refused("train", "--calibrate", "-", status=2, says="standard input", stdin=rows(5))
    t.refused("train", "--calibrate", "-", "--test", "-", "a", status=2, says="standard input", stdin=rows(5))
