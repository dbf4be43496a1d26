"""Measures of several classes: test -m, train --test, train --holdout, while learning; for people and as JSON."""

import json
import math
import random

import page_reader as page
from harness import check, equal, near, rows

WORDS = ["ant", "bee", "cow", "dog", "eel", "fox"]
KINDS = ("ovr", "ovo", "matrix")


def animals(n, seed, words=WORDS, noise=0.2):
    """LIBSVM rows whose features say the class, most of the time."""
    r = random.Random(seed)
    lines = []
    for i in range(n):
        c = i if i < len(words) else r.randrange(len(words))
        said = r.randrange(len(words)) if r.random() < noise else c
        ids = sorted({1 + said, 100 + c % 3, 200 + r.randrange(5)})
        lines.append(f"{words[c]} " + " ".join(f"{k}:{1 + k % 3}" for k in ids))
    return "\n".join(lines) + "\n"


def labels(text):
    return [line.split(" ", 1)[0] for line in text.splitlines()]


def brute(classes, truth, said):
    """The figures by their definitions; labels that are no class are in no class's support."""
    def share(a, b):
        return a / b if b else 0.0
    of, pairs = [], list(zip(truth, said))
    for c in classes:
        hits, support, predicted = pairs.count((c, c)), truth.count(c), said.count(c)
        of.append({"label": c, "precision": share(hits, predicted), "recall": share(hits, support),
                   "f1": share(2 * hits, support + predicted), "support": support, "predicted": predicted})
    occurring = [c for c in of if c["support"] or c["predicted"]]
    known = sum(c["support"] for c in of)
    return {
        "examples": len(truth), "mistakes": sum(a != b for a, b in pairs), "classes": of,
        "balanced_accuracy": sum(c["recall"] for c in of) / sum(c["support"] > 0 for c in of),
        "macro_f1": sum(c["f1"] for c in occurring) / len(occurring),
        "macro_precision": sum(c["precision"] for c in occurring) / len(occurring),
        "weighted_f1": sum(c["f1"] * c["support"] for c in of) / known,
        "micro_f1": 2 * sum(a == b for a, b in pairs) / (known + len(truth)),
        "confusion": [[pairs.count((a, b)) for b in classes] for a in classes],
        "unknown_labels": len(truth) - known,
    }


def same(got, wanted, what):
    for key, value in wanted.items():
        if isinstance(value, float):
            near(got[key], value, 1e-12, f"{what} {key}")
        elif key == "classes":
            for a, b in zip(got[key], value):
                equal((a["label"], a["support"], a["predicted"]), (b["label"], b["support"], b["predicted"]), what)
                for figure in ("precision", "recall", "f1"):
                    near(a[figure], b[figure], 1e-12, f"{what} {a['label']} {figure}")
            equal(len(got[key]), len(value), what)
        else:
            equal(got[key], value, f"{what} {key}")


def test_measures_are_those_of_the_labels_that_predict_prints(t):
    learned, other = animals(400, 1), animals(300, 2, WORDS[:5] + ["unheard of".replace(" ", "-")])
    t.write("a", learned)
    t.write("b", other)
    for kind in KINDS:
        t.run("train", "-qq", "-a", "pa-1", "--classes", kind, "-o", "m", "a")
        got = t.run("test", "-qq", "-m", "m", "b", "--json").json()
        best = [line.split("\t") for line in t.run("predict", "-m", "m", "--top-classes", "6", "--json", "--proba", "b").out.splitlines()]
        best = [json.loads(line[0])["classes"] for line in best]
        truth = labels(other)
        same(got, brute(WORDS, truth, [c[0]["label"] for c in best]), kind)
        near(got["error_rate"], got["mistakes"] / 300, 1e-12)
        check(got["unknown_labels"] > 20, got["unknown_labels"])
        equal(got["confusion_unknown"], [sum(a == "unheard-of" and c[0]["label"] == w for a, c in zip(truth, best)) for w in WORDS])
        for k in range(1, 6):
            found = sum(any(c["label"] == a for c in b[:k]) for a, b in zip(truth, best))
            near(got["top_accuracy"][k - 1], found / 300, 1e-12, f"{kind} top {k}")
        losses = [-math.log(max(2**-52, sum(c["probability"] for c in b if c["label"] == a))) for a, b in zip(truth, best)]
        near(got["log_loss"], sum(losses) / 300, 1e-9, kind)
        equal(got["auc"], None)


def test_train_measures_before_learning_and_on_the_test_file(t):
    learned, other = animals(300, 3), animals(200, 4)
    t.write("a", learned)
    t.write("b", other)
    for kind in KINDS:
        r = t.run("train", "-qq", "-a", "pa-1", "--classes", kind, "-o", "m", "--test", "b", "--holdout", "b", "--json", "a").json()
        tested = t.run("test", "-qq", "-m", "m", "--json", "b").json()
        for key in ("classes", "confusion", "macro_f1", "micro_f1", "weighted_f1", "log_loss", "top_accuracy", "mistakes", "balanced_accuracy"):
            equal(r["test"][key], tested[key], f"{kind} {key}")
        equal(r["holdout"], r["test"], kind)
        equal([c["label"] for c in r["classes"]], WORDS)
        equal(sum(map(sum, r["confusion"])), 299, "all but the first, for which there was no class")
        equal(sum(r["confusion"][i][i] for i in range(6)), 300 - r["mistakes"])
        equal([c["support"] for c in r["classes"]], [labels(learned).count(w) for w in WORDS])
        equal(r["top_accuracy"][1], None, "ranks are not known while learning")
        near(r["balanced_accuracy"], sum(c["recall"] for c in r["classes"]) / 6, 1e-12)
        near(r["macro_f1"], sum(c["f1"] for c in r["classes"]) / 6, 1e-12)


def test_figures_for_a_person(t):
    t.write("a", animals(400, 5))
    t.write("b", "bee 2:1 101:1\nbee 2:1\nbee 4:1 100:2\nyak 1:1\nant 1:1\n")
    t.run("train", "-qq", "-a", "pa-1", "--classes", "matrix", "-o", "m", "a")
    r = t.run("test", "-v", "-m", "m", "b")
    check("the labels of 1 of 5 examples are none of the model's classes; they count as mistakes" in r.err, r.err)
    lines = [line.split() for line in r.out.splitlines()]
    for key, value in (("mistakes", "2"), ("error rate", "0.4"), ("unknown labels", "1"), ("macro f1", None), ("micro f1", None),
                       ("top 2 accuracy", None), ("log loss", None)):
        found = [line for line in r.out.splitlines() if line.startswith(key + " ")]
        check(len(found) == 1 and (value is None or found[0].split()[-1] == value), f"{key}: {found}")
    table = r.out.split("each class\n")[1].splitlines()
    equal(table[0].split(), ["support", "predicted", "precision", "recall", "f1", "class"])
    equal([line.split()[-1] for line in table[1:7]], WORDS, "by label")
    equal(table[2].split(), ["3", "2", "1.0000", "0.6667", "0.8000", "bee"])
    mistakes = r.out.split("most frequent mistakes\n")[1].splitlines()
    equal(sorted(line.split()[-3:] for line in mistakes[1:]), [["(unknown)", "->", "ant"], ["bee", "->", "dog"]])
    check(not any(line[:1] == ["auc"] for line in lines), "what two classes have alone")
    both = t.run("train", "-qqv", "-a", "pa-1", "--classes", "matrix", "--test", "b", "a").out
    equal(both.count("each class"), 1, "that of the test file")
    equal(t.run("train", "-qqv", "-a", "pa-1", "--classes", "matrix", "a").out.count("each class"), 1)


def test_many_classes_show_the_worst_and_list_the_confusions_that_occur(t):
    words = [f"c{i}" for i in range(1100)]
    t.write("a", animals(3000, 6, words[:40]))
    out = t.run("train", "-qqv", "-a", "pa-1", "--classes", "matrix", "a").out
    table = out.split("the classes of lowest F1\n")[1].splitlines()
    f1 = [float(line.split()[4]) for line in table[1:21]]
    equal(f1, sorted(f1))
    equal(table[21].strip(), "and 20 more; --json has all")
    t.write("b", animals(2400, 7, words))
    r = t.run("train", "-qq", "-a", "pa-1", "--classes", "matrix", "--test", "b", "--json", "b").json()
    equal(len(r["test"]["classes"]), 1100)
    equal(sum(c["examples"] for c in r["test"]["confusion"]), 2400)
    equal(sum(c["examples"] for c in r["test"]["confusion"] if c["truth"] != c["predicted"]), r["test"]["mistakes"])
    check(all(c["examples"] > 0 for c in r["test"]["confusion"]), "cells that are 0")
    equal([c for c in r["confusion"] if c["predicted"] is None], [{"truth": "c0", "predicted": None, "examples": 1}])


def test_numbers_are_classes_in_the_order_of_their_values(t):
    t.write("a", animals(200, 8, ["10", "9", "-1", "0", "x"]))
    out = t.run("train", "-qqv", "-a", "pa-1", "--classes", "ovr", "a").out
    equal([line.split()[-1] for line in out.split("each class\n")[1].splitlines()[1:6]], ["-1", "0", "9", "10", "x"])


def test_labels_that_a_terminal_would_not_show_are_escaped(t):
    t.write("a", animals(60, 9, ["a\x1b[31m", "b\u202e"]))
    out = t.run("train", "-qqv", "-a", "pa-1", "--classes", "ovr", "a").out
    check("\x1b" not in out and "\u202e" not in out, out)
    r = t.run("train", "-qq", "-a", "pa-1", "--classes", "ovr", "--json", "a").json()
    equal([c["label"] for c in r["classes"]], ["a\x1b[31m", "b\u202e"])


def test_nothing_to_measure(t):
    t.write("a", animals(60, 10))
    t.write("none", "")
    t.run("train", "-qq", "-a", "pa-1", "--classes", "matrix", "-o", "m", "a")
    r = t.run("test", "-m", "m", "--json", "none")
    check("there are no examples" in r.err, r.err)
    r = r.json()
    equal([r[k] for k in ("examples", "error_rate", "macro_f1", "balanced_accuracy", "log_loss")], [0, None, None, None, None])
    equal(r["confusion"], [[0] * 6] * 6)
    t.write("one", "ant 1:1\nant 2:1\n")
    check("all 2 labels are ant; there is nothing to tell apart" in t.run("train", "-a", "pa-1", "--classes", "ovr", "one").err, "one class")
    t.run("train", "-qq", "--allow-empty", "-a", "pa-1", "--classes", "ovr", "--json", "none").json()
    r = t.run("train", "-qq", "--allow-empty", "-a", "pa-1", "--classes", "ovr", "none")
    check("each class" not in r.out, r.out)


def test_thresholds_are_for_two_classes_or_one_of_several(t):
    learned, other = animals(300, 11), animals(200, 21)
    t.write("a", learned)
    t.write("b", other)
    t.write("two", rows(50))
    t.run("train", "-qq", "-a", "pa-1", "-o", "plain", "two")
    t.refused("test", "-m", "plain", "--at", "f1", "--class", "ant", "two", status=2, says="--class is for models of several classes")
    for kind in KINDS:
        t.run("train", "-qq", "-a", "pa-1", "--classes", kind, "-o", "m", "a")
        t.refused("test", "-m", "m", "--at", "f1", "b", status=2, says=["--at is for two classes", "--class W"])
        t.refused("test", "-m", "m", "--class", "bee", "b", status=2, says="--at")
        t.refused("test", "-m", "m", "--class", "yak", "--at", "f1", "b", status=2, says="no such class")
        best = [json.loads(line)["classes"] for line in t.run("predict", "-m", "m", "--top-classes", "6", "--json", "b").out.splitlines()]
        margins = [next(c["margin"] for c in row if c["label"] == "bee") for row in best]
        got = t.run("test", "-qq", "-m", "m", "--class", "bee", "--at", "recall=0.9", "--at", "f1", "b", "--json").json()
        for chosen in got["thresholds"]:
            above = [label == "bee" for label, margin in zip(labels(other), margins) if margin > chosen["margin"]]
            equal((chosen["true_positives"], chosen["false_positives"]), (sum(above), len(above) - sum(above)), kind)
        check(got["threshold"]["recall"] >= 0.9, got["threshold"])
        equal(got["curve"][0]["recall"], 1)
        equal(got["threshold"]["true_positives"] + got["threshold"]["false_negatives"], labels(other).count("bee"))
        plain = t.run("test", "-qq", "-m", "m", "b", "--json").json()
        equal(got["confusion"], plain["confusion"])


def test_holdout_of_two_classes(t):
    t.write("a", rows(400))
    t.write("b", rows(300, seed=2))
    t.write("c", rows(300, seed=3))
    plain = t.run("train", "-qq", "-a", "pa-1", "--test", "b", "--json", "a").json()
    held = t.run("train", "-qq", "-a", "pa-1", "--holdout", "b", "--test", "c", "--json", "a").json()
    equal(held["holdout"], plain["test"])
    check("holdout" not in plain and held["test"] != held["holdout"], "holdout")
    # the threshold is chosen there
    chosen = t.run("train", "-qq", "-a", "pa-1", "--holdout", "b", "--test", "c", "--threshold", "recall=0.9", "--json", "a").json()
    check(chosen["holdout"]["recall"] >= 0.9, chosen["holdout"])
    equal(chosen["threshold"]["recall"], chosen["holdout"]["recall"])
    out = t.run("train", "-qqv", "-a", "pa-1", "--holdout", "b", "a").out
    check("\nholdout" in out, out)
    r = t.run("train", "-a", "pa-1", "--holdout", "a", "a")
    check("--holdout" in r.err, r.err)
    t.run("train", "-a", "pa-1", "--holdout", "missing", "a", status=1)


def test_top_features_of_each_class(t):
    t.write("a", animals(200, 12, WORDS[:3]))
    r = t.run("train", "-qq", "-a", "pa-1", "--classes", "ovr", "--top", "2", "--json", "a").json()
    equal([(c["label"], len(c["features"])) for c in r["top"]], [(w, 2) for w in WORDS[:3]])
    check("heaviest features of bee" in t.run("train", "-qqv", "-a", "pa-1", "--classes", "ovr", "--top", "2", "a").out, "text")
    brief = t.run("train", "-qq", "-a", "pa-1", "--classes", "ovr", "--top", "2", "a").out.split("heaviest features\n")[1].splitlines()
    equal([(line.split()[0], line.count(",")) for line in brief], [(w, 1) for w in WORDS[:3]], "a line for each class")


def matrix_of(found):
    """The confusion matrix of a page: labels of rows and columns, counts, percents of recall."""
    table = next(t for t in found.tables.values() if t and t[0][0].startswith("is "))
    head, body = table[0], [row for row in table[1:] if row[0] != "precision"]
    counts = [[int(cell or 0) for cell in row[1:-1]] for row in body]
    return [row[0] for row in body], head[1:-1], counts, [row[-1] for row in body]


def reported(t, *command):
    r = t.run("train", "-qq", "-a", "pa-1", "--json", "--report", "p.html", *command).json()
    return page.look(t.read("p.html").decode()), r


def test_the_page_has_the_confusion_matrix(t):
    t.write("a", animals(300, 13, ["cow", "10", "ant", "9"]))
    t.write("b", animals(200, 14, ["cow", "10", "ant", "yak"]))
    by_label, place = ["9", "10", "ant", "cow"], [3, 1, 2, 0]
    for kind in KINDS:
        found, r = reported(t, "--classes", kind, "--test", "b", "a")
        truths, predicted, counts, recall = matrix_of(found)
        tested = r["test"]
        equal((truths, predicted), (by_label + ["unknown label"], by_label), kind)
        equal(counts, [[tested["confusion"][i][k] for k in place] for i in place] + [[tested["confusion_unknown"][k] for k in place]])
        equal(recall, [f"{100 * tested['classes'][i]['recall']:.0f}" if tested["classes"][i]["support"] else "\u2013" for i in place] + ["\u2013"])
        figures = next(rows for rows in found.tables.values() if rows and rows[0][0] == "class")
        equal([row[0] for row in figures[1:]], by_label)
        near(float(figures[4][5]), 100 * tested["classes"][0]["f1"], 0.051)
        confused = next(rows for rows in found.tables.values() if rows and rows[0][:2] == ["is", "taken for"])
        most = max(n for i, row in enumerate(tested["confusion"] + [tested["confusion_unknown"]]) for k, n in enumerate(row) if i != k)
        equal(int(confused[1][2]), most)
        shown = found.rows("on the test file")
        near(float(shown["macro f1"]), tested["macro_f1"], 1e-5)
        check("auc" not in shown and "Other thresholds" not in found.headings, "what two classes have alone")
        found, r = reported(t, "--classes", kind, "a")
        equal(matrix_of(found)[2], [[r["confusion"][i][k] for k in place] for i in place], "while learning")


def test_the_page_shows_the_heaviest_features_of_each_class(t):
    t.write("a", animals(300, 15, WORDS[:3]))
    found, r = reported(t, "--classes", "ovr", "--top", "2", "a")
    for c in r["top"]:
        heaviest = [f["weight"] for f in c["features"] if f["weight"] > 0]
        check(all(f"{w:.4g}" in [row[-1] for row in found.tables[c["label"]]] for w in heaviest), c)
    found, _ = reported(t, "--classes", "ovo", "a")
    equal([k for k in found.tables if " against " in str(k)], ["bee against ant", "cow against ant", "cow against bee"])


def test_pages_of_many_classes(t):
    words = [f"c{i:03}" for i in range(130)]
    t.write("a", animals(2000, 16, words[:100]))
    found, r = reported(t, "--classes", "matrix", "a")
    equal(matrix_of(found)[0], words[:100])
    check("with the most mistakes" not in found.text, "all are shown")
    t.write("b", animals(2000, 17, words))
    found, r = reported(t, "--classes", "matrix", "b")
    shown = matrix_of(found)[0]
    equal((len(shown), shown), (60, sorted(shown)))
    check("shows the 60 classes with the most mistakes of 130" in found.text, "which are shown")
    diagonal = [r["confusion"][i][i] for i in range(130)]
    mistakes = {c["label"]: c["support"] + c["predicted"] - 2 * diagonal[i] for i, c in enumerate(r["classes"])}
    least = min(mistakes[c] for c in shown)
    check(all(mistakes[c] <= least for c in words if c not in shown), "others have fewer")


def test_pages_of_labels_that_are_markup_and_of_nothing(t):
    t.write("a", animals(100, 18, ["<b>x</b>", "\"onclick=1", "'&amp;", "y" * 400]))
    found, _ = reported(t, "--classes", "ovr", "a")
    equal(sorted(matrix_of(found)[0])[:3], ["\"onclick=1", "'&amp;", "<b>x</b>"])
    t.write("none", "")
    reported(t, "--classes", "ovr", "--allow-empty", "none")
    t.write("one", "ant 1:1\nant 2:1\n")
    found, _ = reported(t, "--classes", "matrix", "one")
    check("nothing to tell apart" in found.text, "one class")


def test_the_page_explains_the_worst_mistakes(t):
    t.write("a", animals(300, 19))
    other = animals(200, 20, WORDS[:5] + ["yak"])
    t.write("b", other)
    for kind in KINDS:
        found, _ = reported(t, "--classes", kind, "--test", "b", "-o", "m", "a")
        if kind == "ovo":
            check("Worst mistakes" not in found.headings, "one against one there is no margin to explain")
            continue
        rows_of = [json.loads(line) for line in
                   t.run("predict", "-m", "m", "--json", "--explain", "5", "--top-classes", "6", "b").out.splitlines()]
        ahead = []
        for i, (label, row) in enumerate(zip(labels(other), rows_of)):
            own = [c["margin"] for c in row["classes"] if c["label"] == label]
            if own and row["label"] != label:
                ahead.append((own[0] - row["margin"], i))
        worst = next(rows for rows in found.tables.values() if rows and rows[0][0] == "line")
        shown = [(int(row[0]), row[1], row[2]) for row in worst[1:]]
        equal(shown, [(i + 1, labels(other)[i], rows_of[i]["label"]) for _, i in sorted(ahead)[:5]], kind)
        for row, (_, i) in zip(worst[1:], sorted(ahead)):
            near(float(row[3]), rows_of[i]["margin"], 1e-3 * abs(rows_of[i]["margin"]), kind)
            check(all(f"{e['feature']} {e['contribution']:+.3g}" in row[4] for e in rows_of[i]["explain"]), f"{row} {rows_of[i]}")
