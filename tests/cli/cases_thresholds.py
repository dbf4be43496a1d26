"""Thresholds: test --at, train --threshold, predict --threshold, and the models and pages that have one."""

import json
import math

import page_reader as page
from cases_proba import graded
from harness import check, equal, near, parse, rows

GOALS = ["precision=0.5", "precision=0.9", "precision=1", "recall=0.3", "recall=0.95", "recall=1", "alarms=0", "alarms=0.001", "alarms=0.2",
         "alarms=1", "cost", "f1"]


def made(t, *train):
    t.write("a", graded(3000, 1))
    t.write("held", graded(600, 2))
    t.write("b", graded(600, 3))
    return t.run("train", "-q", *train, "-o", "m", "a")


def predicted(t, name, *more):
    """[(label, margin, probability or None)]"""
    lines = [line.split("\t") for line in t.run("predict", "-m", "m", *more, name).out.splitlines()]
    return [(int(l[0]), float(l[1]), float(l[2]) if len(l) > 2 else None) for l in lines]


def labels_of(t, name):
    return [y > 0 for y, _ in parse(t.read(name).decode())]


class Counts:
    def __init__(self, positives, labels, missed=1, alarm=1):
        self.tp = sum(p and y for p, y in zip(positives, labels))
        self.fp = sum(p and not y for p, y in zip(positives, labels))
        self.fn, self.tn = sum(labels) - self.tp, len(labels) - sum(labels) - self.fp
        self.precision = self.tp / (self.tp + self.fp) if self.tp + self.fp else None
        self.recall = self.tp / (self.tp + self.fn)
        self.f1 = 2 * self.tp / (2 * self.tp + self.fp + self.fn)
        self.alarms = (self.tp + self.fp) / len(labels)
        self.cost = missed * self.fn + alarm * self.fp


def best(goal, margins, labels, **costs):
    """The measure that the goal asks for, over all cuts by brute force."""
    name, _, value = goal.partition("=")
    cuts = [Counts([m > cut for m in margins], labels, **costs) for cut in [-math.inf, *margins]]
    if name == "precision":
        return max((c.recall for c in cuts if c.precision is not None and c.precision >= float(value)), default=None)
    if name == "recall":
        return max(c.precision for c in cuts if c.recall >= float(value) and c.precision is not None)
    if name == "alarms":
        return max(c.recall for c in cuts if c.alarms <= float(value))
    return min(c.cost for c in cuts) if name == "cost" else max(c.f1 for c in cuts)


def check_given(given, counts):
    equal([given[k] for k in ("true_positives", "false_positives", "true_negatives", "false_negatives")],
          [counts.tp, counts.fp, counts.tn, counts.fn], "counts")
    for key in "precision", "recall", "f1", "alarms", "cost":
        equal(given[key], getattr(counts, key), key)


def serves(goal, given):
    """The measure that the goal asks for, of a threshold that was chosen."""
    name, _, value = goal.partition("=")
    equal(given["goal"], name)
    equal(given["wanted"], float(value) if value else None)
    return given[{"precision": "recall", "recall": "precision", "alarms": "recall"}.get(name, name)]


def test_at_gives_the_best_cut_and_what_it_leads_to(t):
    for learner in "arow", "ftrl":
        made(t, "-a", learner)
        found, labels = predicted(t, "b"), labels_of(t, "b")
        margins = [m for _, m, _ in found]
        for goal in GOALS:
            r = t.run("test", "-m", "m", "--json", "--at", goal, "--cost-missed", "3", "b").json()
            given = r["threshold"]
            if goal != "precision=1":
                check(given["reached"], goal)
            check_given(given, Counts([m > given["margin"] for m in margins], labels, missed=3))
            if given["reached"]:
                equal(serves(goal, given), best(goal, margins, labels, missed=3), f"{learner} {goal}")
            again = [p > 0 for p, _, _ in predicted(t, "b", "--threshold", f"margin={given['margin']!r}")]
            check_given(given, Counts(again, labels, missed=3))


def test_several_goals_and_the_curve(t):
    made(t, "-a", "arow")
    r = t.run("test", "-m", "m", "--json", "--at", "f1", "--at", "recall=0.9", "b").json()
    equal([x["goal"] for x in r["thresholds"]], ["f1", "recall"])
    equal(r["thresholds"][0], r["threshold"])
    margins, labels = [m for _, m, _ in predicted(t, "b")], labels_of(t, "b")
    check(50 < len(r["curve"]) <= 200, len(r["curve"]))
    equal([p["recall"] for p in r["curve"]], sorted((p["recall"] for p in r["curve"]), reverse=True))
    for point in r["curve"]:
        counts = Counts([point["margin"] is None or m > point["margin"] for m in margins], labels)
        equal((point["precision"], point["recall"], point["true_positives"], point["false_positives"]),
              (counts.precision, counts.recall, counts.tp, counts.fp))
    text = t.run("test", "-m", "m", "--at", "f1", "--at", "recall=0.9", "b").out
    equal(text.count("\nthreshold"), 2)
    check(f"margin              {r['threshold']['margin']!r}\n" in text, text)
    plain = t.run("test", "-m", "m", "--json", "b").json()
    check(not {"threshold", "thresholds", "curve"} & set(plain), "keys without --at")


def test_what_cannot_be_reached_is_told_with_the_nearest(t):
    t.write("a", "1 1:1\n-1 1:-1\n" * 20)
    t.write("b", "1 1:1\n-1 1:1\n-1 2:1\n")
    t.run("train", "-q", "-a", "pa-1", "-o", "m", "a")
    r = t.run("test", "-m", "m", "--json", "--at", "precision=0.99", "b")
    check("--at precision=0.99: no threshold reaches it; the nearest gives 0.5" in r.err, r.err)
    given = r.json()["threshold"]
    equal((given["reached"], given["precision"], given["recall"]), (False, 0.5, 1))
    t.refused("train", "-q", "-a", "pa-1", "--threshold", "precision=0.99", "--test", "b", "-o", "n", "a", status=1,
              says=["no threshold reaches it on b", "the nearest gives 0.5"])
    check(not t.exists("n"), "a model was saved")
    t.write("c", "-1 1:1\n-1 2:1\n")
    for name in "c", "/dev/null":
        r = t.run("test", "-m", "m", "--json", "--at", "f1", name)
        check("needs examples of both classes" in r.err, r.err)
        given = r.json()["threshold"]
        equal((given["reached"], given["margin"], given["f1"], given["probability"]), (False, None, None, None))
    t.refused("train", "-q", "-a", "pa-1", "--threshold", "f1", "--test", "c", "-o", "n", "a", status=1, says="both classes")


def test_a_trained_threshold_keeps_its_promise(t):
    for goal in GOALS:
        for file in ["--calibrate", "held"], ["--calibrate", "held", "--calibration", "platt"], ["--test", "held"]:
            r = t.run("train", "-q", "-a", "arow", "--json", "--threshold", goal, *file, "-o", "m", "a").json() if t.exists("a") else \
                made(t, "-a", "arow", "--json", "--threshold", goal, *file).json()
            given = r["threshold"]
            found, labels = predicted(t, "held", "--proba"), labels_of(t, "held")
            check_given(given, Counts([l > 0 for l, _, _ in found], labels))
            equal([l > 0 for l, _, _ in found], [m > given["margin"] for _, m, _ in found], "labels by the margin")
            for l, _, p in found:
                check(p >= given["probability"] if l > 0 else p <= given["probability"], f"{goal} {l} {p} {given['probability']}")
            tested = t.run("test", "-m", "m", "--json", "held").json()
            equal((tested["missed"], tested["false_alarms"], tested["precision"], tested["recall"], tested["f1"]),
                  (given["false_negatives"], given["false_positives"], given["precision"], given["recall"], given["f1"]))
            equal(tested["mistakes"], given["false_negatives"] + given["false_positives"])
            if "--test" in file:
                equal(r["test"]["mistakes"], tested["mistakes"])
            equal(t.run("inspect", "--json", "m").json()["threshold"], {"margin": given["margin"], "probability": given["probability"]})


def test_a_threshold_changes_labels_and_nothing_else(t):
    made(t, "-a", "arow", "--calibrate", "held")
    plain, before = t.read("m"), predicted(t, "b", "--proba")
    measures = t.run("test", "-m", "m", "--json", "b").json()
    made(t, "-a", "arow", "--calibrate", "held", "--threshold", "recall=0.95")
    check(len(t.read("m")) == len(plain) + 32, "a section of 8 bytes")
    after = predicted(t, "b", "--proba")
    equal([x[1:] for x in after], [x[1:] for x in before], "margins and probabilities")
    check(after != before, "labels are the same")
    now = t.run("test", "-m", "m", "--json", "b").json()
    for key in "auc", "average_precision", "log_loss", "brier", "calibration_error", "hinge_loss":
        equal(now[key], measures[key], key)
    check(now["recall"] > measures["recall"], "recall")
    equal("threshold" in t.run("inspect", "m").out, True)
    made(t, "-a", "arow", "--calibrate", "held")
    equal(t.read("m"), plain, "the model without a threshold")
    check("threshold" not in t.run("inspect", "m").out, "inspect")


def test_predict_takes_another_threshold(t):
    made(t, "-a", "arow", "--calibrate", "held", "--threshold", "recall=0.95")
    for p in "0", "0.2", "0.5", "0.77", "0.9", "1":
        for label, _, probability in predicted(t, "b", "--proba", "--threshold", p):
            equal(label > 0, probability > float(p), f"{p} {probability}")
    edge = sorted(p for _, _, p in predicted(t, "b", "--proba"))[300]
    for label, _, probability in predicted(t, "b", "--proba", "--threshold", repr(edge)):
        equal(label > 0, probability > edge)
    for m in "-1.5", "0", "0.25", "1e3":
        for label, margin, _ in predicted(t, "b", "--threshold", f"margin={m}"):
            equal(label > 0, margin > float(m), m)
    plain = predicted(t, "b", "--proba", "--threshold", "0.77")
    lines = t.run("predict", "-m", "m", "--json", "--proba", "--threshold", "0.77", "b").out.splitlines()
    equal([(int(r["label"]), r["margin"], r["probability"]) for r in map(json.loads, lines)], plain, "--json")
    t.run("train", "-q", "-a", "bcw", "-o", "n", "b")
    t.refused("predict", "-m", "n", "--threshold", "0.5", "b", status=2, says=["is a probability, and n has none", "margin=M"])
    t.run("predict", "-m", "n", "--threshold", "margin=0.5", "b")
    for wrong in "2", "-0.1", "nan", "margin=", "margin=x", "margin=inf", "f1", "precision=0.9":
        t.refused("predict", "-m", "m", "--threshold", wrong, "b", status=2, says=f"--threshold {wrong}: it is a probability from 0 to 1, or margin=M")


def test_fixed_thresholds_are_saved(t):
    made(t, "-a", "arow", "--threshold", "margin=0.25")
    equal(t.run("inspect", "--json", "m").json()["threshold"]["margin"], 0.25)
    made(t, "-a", "arow", "--threshold", "0.8")
    for label, _, probability in predicted(t, "b", "--proba"):
        equal(label > 0, probability > 0.8)
    near(t.run("inspect", "--json", "m").json()["threshold"]["probability"], 0.8, 1e-12)
    t.refused("train", "-q", "-a", "bcw", "--threshold", "0.8", "-o", "n", "b", status=1, says="the model has none")
    check(not t.exists("n"), "a model was saved")


def test_learning_more_drops_the_threshold(t):
    made(t, "-a", "arow", "--calibrate", "held", "--threshold", "f1")
    r = t.run("train", "-q", "-i", "m", "-o", "n", "b")
    check("its threshold is gone; give --threshold again" in r.err, r.err)
    check("threshold" not in t.run("inspect", "--json", "n").json(), "it was kept")
    made(t, "-a", "arow")
    t.run("train", "-q", "-i", "m", "-o", "plain", "b")
    equal(t.read("n"), t.read("plain"), "a model that had a threshold and one that had none")
    made(t, "-a", "arow", "--calibrate", "held", "--threshold", "f1")
    t.run("train", "-q", "-i", "m", "-o", "n", stdin="")
    equal(t.read("n"), t.read("m"), "nothing was learned")
    t.run("train", "-q", "-i", "m", "--calibrate", "held", "--threshold", "recall=0.9", "-o", "n", stdin="")
    made(t, "-a", "arow", "--calibrate", "held", "--threshold", "recall=0.9")
    equal(t.read("n"), t.read("m"), "a threshold that is set afterwards")
    r = t.run("train", "-q", "-i", "m", "--calibrate", "held", "--threshold", "recall=0.9", "-o", "n", "b")
    check("is gone" not in r.err, r.err)
    check("threshold" in t.run("inspect", "--json", "n").json(), "it was not set again")


def test_predict_only_models_and_batches_keep_it(t):
    for learner, more in ("arow", ["--final"]), ("sbcw", ["-P", "batch=70"]), ("sbcw", ["--final", "-P", "batch=70"]), ("fgm", []):
        r = made(t, "-a", learner, *more, "--json", "--calibrate", "held", "--threshold", "precision=0.6").json()
        check_given(r["threshold"], Counts([l > 0 for l, _, _ in predicted(t, "held")], labels_of(t, "held")))


def test_labels_that_are_words_go_by_the_threshold(t):
    made(t, "-a", "arow")
    for name in "a", "held":
        t.write(name + ".words", "".join(("spam" if line[0] == "1" else "ham") + line[line.index(" "):] + "\n"
                                         for line in t.read(name).decode().splitlines()))
    labels = [line.split()[0] for line in t.read("held.words").decode().splitlines()]
    for positive in "spam", "ham":
        r = t.run("train", "-q", "-a", "arow", "--json", "--positive", positive, "--calibrate", "held.words", "--threshold", "recall=0.9",
                  "-o", "m", "a.words").json()
        answers = [line.split("\t") for line in t.run("predict", "-m", "m", "held.words").out.splitlines()]
        check_given(r["threshold"], Counts([a[0] == positive for a in answers], [l == positive for l in labels]))
        equal([a[0] == positive for a in answers], [float(a[1]) > r["threshold"]["margin"] for a in answers])
        check(r["threshold"]["recall"] >= 0.9, str(r["threshold"]))


def test_usage(t):
    made(t, "-a", "arow")
    goals = "a threshold is chosen for precision=P, recall=R, alarms=S (a share of the examples), cost or f1"
    for wrong in "precison=0.9", "precision", "f1=1", "cost=2", "precision=", "precision=x", "0.5", "margin=1":
        t.refused("test", "-m", "m", "--at", wrong, "b", status=2, says=f"--at {wrong}: {goals}")
    for wrong in "precision=0", "recall=0", "precision=1.5", "recall=-1":
        t.refused("test", "-m", "m", "--at", wrong, "b", status=2, says=f"--at {wrong}: the value is above 0 and up to 1")
    t.refused("test", "-m", "m", "--at", "alarms=-0.1", "b", status=2, says="the value is from 0 and up to 1")
    t.refused("train", "--threshold", "f1", "a", status=2, says=["measured on examples that are not learned", "--calibrate FILE"])
    t.refused("train", "--threshold", "f2", "--test", "b", "a", status=2, says=["--threshold f2: it is chosen for precision=P", "margin=M"])
    t.refused("train", "--threshold", "recall=2", "--test", "b", "a", status=2, says="above 0 and up to 1")
    r = t.run("train", "-q", "-a", "arow", "--threshold", "f1", "--test", "b", "a")
    check("is chosen on the test file: what it gives there looks too good" in r.err, r.err)
    r = t.run("train", "-q", "-a", "arow", "--threshold", "f1", "--calibrate", "held", "--test", "b", "a")
    check("too good" not in r.err, r.err)


def test_examples_of_importance_0_are_absent(t):
    t.write("a.vw", "".join(f"{1 if i % 3 else -1} {1 + i % 2} |a x:{i % 7 - 2} y:{i % 5 - 1}\n" for i in range(300)))
    t.write("b.vw", "".join(f"{1 if i % 3 else -1} {i % 4} |a x:{i % 7 - 2} y:{i % 5 - 1}\n" for i in range(300)))
    t.write("c.vw", "".join(f"{1 if i % 3 else -1} |a x:{i % 7 - 2} y:{i % 5 - 1}\n" for i in range(300) if i % 4))
    t.run("train", "-q", "-a", "arow", "-o", "m", "a.vw")
    for goal in "recall=0.7", "f1", "cost":
        weighted, plain = [t.run("test", "-m", "m", "--json", "--at", goal, name).json()["threshold"] for name in ("b.vw", "c.vw")]
        equal(weighted, plain, goal)


def test_the_page_has_a_table_of_thresholds(t):
    r = made(t, "-a", "arow", "--json", "--report", "p.html", "--test", "b", "--calibrate", "held", "--threshold", "recall=0.9").json()
    found = page.look(t.read("p.html").decode())
    table = next(x for x in found.tables.values() if x and x[0][0] == "threshold for")
    now = table[1]
    near(float(now[1]), r["threshold"]["margin"], 1e-3 * abs(r["threshold"]["margin"]) + 1e-6)
    equal(now[0], "as predicted")
    equal(now[3:6], [f"{100 * r['test'][k]:.1f}" for k in ("precision", "recall", "f1")])
    shown = {row[0]: row for row in table[2:]}
    for goal, name in ("precision=0.9", "precision 90 %"), ("recall=0.95", "recall 95 %"), ("f1", "largest F1"), ("cost", "least cost"):
        given = t.run("test", "-m", "m", "--json", "--at", goal, "b").json()["threshold"]
        equal(shown[name][1:], [f"{given['margin']:.4g}", f"{given['probability']:.3g}", *(f"{100 * given[k]:.1f}" for k in ("precision", "recall", "f1", "alarms"))])
    t.write("few", "1 1:1\n-1 1:1\n-1 2:1\n")
    t.run("train", "-q", "-a", "pa-1", "--report", "p.html", "--test", "few", stdin="1 1:1\n-1 1:-1\n" * 20)
    check("not reached" in t.read("p.html").decode(), "a precision that cannot be reached")
    t.run("train", "-q", "-a", "pa-1", "--report", "p.html", stdin=rows(200))
    found = page.look(t.read("p.html").decode())
    check(any(x and x[0][0] == "threshold for" for x in found.tables.values()), "the progressive table")
