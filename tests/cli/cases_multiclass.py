"""Models of several classes through the program: their problems are binary runs, resume, threads, answers, searches."""

import json
import random

from harness import check, equal

KINDS = ["ovr", "ovo", "matrix"]
CLASSES = ["red", "green", "blue", "7", "nearly black"]


def stream(n=300, seed=3, label="{}"):
    """Rows of five classes, of which one appears each forty rows."""
    r, out = random.Random(seed), []
    for i in range(n):
        known = min(len(CLASSES), 1 + i // 40)
        c = r.randrange(known)
        features = sorted({r.randrange(1, 30) for _ in range(4)} | {100 + c, 100 + r.randrange(5)})
        values = " ".join(f"{f}:{r.randrange(1, 9) / 8}" for f in features)
        out.append((CLASSES[c], values))
    return out


def tsv(rows):
    """As text: a label, a tab, words."""
    return "".join(label + "\t" + " ".join("w" + v.split(":")[0] for v in values.split()) + "\n" for label, values in rows)


def svm(rows):
    return "".join(f"{label.replace(' ', '_')} {values}\n" for label, values in rows)


def weights(t, model, *more):
    out = t.run("inspect", "--weights", *more, model).out
    return [line.split("\t") for line in out.splitlines()]


def test_problems_are_binary_runs(t):
    rows = stream()
    t.write("all", svm(rows))
    for learner in ("pa-1", "arow", "ssol", "olsf-1", "sbcw"):
        t.run("train", "-qq", "-a", learner, "--classes", "ovr", "-o", "ovr", "all")
        t.run("train", "-qq", "-a", learner, "--classes", "ovo", "-o", "ovo", "all")
        found = {}
        for feature, one, other, weight in weights(t, "ovo"):
            found.setdefault((one, other), []).append([feature, weight])
        for i, name in enumerate(c.replace(" ", "_") for c in CLASSES):
            t.write("one", "".join(("1" if c.replace(" ", "_") == name else "-1") + f" {v}\n" for c, v in rows))
            t.run("train", "-qq", "-a", learner, "-o", "one.model", "one")
            equal(weights(t, "ovr", "--class", name), weights(t, "one.model"), (learner, name))
            for before in CLASSES[:i]:
                before = before.replace(" ", "_")
                t.write("pair", "".join(("1" if c.replace(" ", "_") == name else "-1") + f" {v}\n" for c, v in rows
                                        if c.replace(" ", "_") in (name, before)))
                t.run("train", "-qq", "-a", learner, "-o", "pair.model", "pair")
                equal(found.get((name, before), []), weights(t, "pair.model"), (learner, name, before))


def test_resume_and_threads_do_not_matter(t):
    rows = stream()
    t.write("all.tsv", tsv(rows))
    t.write("first.tsv", tsv(rows[:130]))
    t.write("rest.tsv", tsv(rows[130:]))
    for kind in KINDS:
        for learner in ("pa-1", "rda") if kind == "matrix" else ("pa-1", "ssol", "sbcw"):
            how = ["train", "-qq", "-f", "text", "-a", learner, "--classes", kind]
            t.run(*how, "--threads", "1", "-o", "one", "all.tsv")
            t.run(*how, "--threads", "4", "-o", "four", "all.tsv")
            equal(t.read("four"), t.read("one"), (kind, learner, "threads"))
            t.run(*how, "-o", "half", "first.tsv")
            t.run("train", "-qq", "-f", "text", "-i", "half", "-o", "half", "rest.tsv")
            if learner != "sbcw":  # one batch for each run
                equal(t.read("half"), t.read("one"), (kind, learner, "resumed"))
            t.run(*how, "--final", "-o", "final", "all.tsv")
            for model in ("one", "final"):
                got = t.run("predict", "-m", model, "all.tsv").out
                equal(got, t.run("predict", "--threads", "3", "-m", "one", "all.tsv").out, (kind, learner, model))


def test_answers_of_several_classes(t):
    rows = stream()
    t.write("all.tsv", tsv(rows))
    for kind in KINDS:
        t.run("train", "-qq", "-f", "text", "-a", "pa-1", "--classes", kind, "-o", "m", "all.tsv")
        plain = [line.split("\t") for line in t.run("predict", "-m", "m", "all.tsv").out.splitlines()]
        equal(len(plain), len(rows), kind)
        check(sum(p[0] == label for p, (label, _) in zip(plain, rows)) > 180, kind)
        top = [line.split("\t")
               for line in t.run("predict", "-m", "m", "--proba", "--top-classes", "5", "all.tsv").out.splitlines()]
        for p, line in zip(plain, top):
            equal(line[:2], p, kind)
            equal(sorted(line[::3]), sorted(CLASSES), kind)
            check(abs(sum(map(float, line[2::3])) - 1) < 1e-9, line)
            if kind != "ovo":
                margins = [float(m) for m in line[1::3]]
                equal(margins, sorted(margins, reverse=True), kind)
        one = json.loads(t.run("predict", "-m", "m", "--json", "--proba", "--top-classes", "2", "all.tsv").out.split("\n")[9])
        equal([one["label"], one["margin"], one["probability"]], [top[9][0], float(top[9][1]), float(top[9][2])], kind)
        equal([c["label"] for c in one["classes"]], [top[9][0], top[9][3]], kind)
        if kind == "ovo":
            t.refused("predict", "-m", "m", "--explain", "3", "all.tsv", status=2, says="it takes ovr and matrix")
            continue
        for line in t.run("predict", "-m", "m", "--json", "--explain", "99", "all.tsv").out.splitlines():
            answer = json.loads(line)
            check(abs(sum(e["contribution"] for e in answer["explain"]) - answer["margin"]) < 1e-9, line)
    t.refused("predict", "-m", "m", "--threshold", "0.5", "all.tsv", status=2, says="--threshold is for two classes")


def test_every_line_is_answered(t):
    t.write("all", svm(stream()))
    t.run("train", "-qq", "--classes", "ovr", "-a", "pa-1", "-o", "m", "all")
    t.write("some", "1:1 2:1\n\nred 3:x\n? 101:1\n")
    out = t.run("predict", "-m", "m", "--proba", "--top-classes", "2", "--on-error", "skip", "some").out
    equal([line.count("\t") for line in out.splitlines()], [5] * 4)
    equal(out.splitlines()[2], "\t" * 5)


def test_what_several_classes_do_not_take(t):
    t.write("all", svm(stream()))
    train = ["train", "-q", "--classes"]
    t.refused(*train, "two", "all", status=2, says="--classes two: it takes ovr, ovo, matrix")
    t.refused(*train, "ovr", "--positive", "red", "all", status=2, says="--positive is for two classes")
    t.refused(*train, "ovr", "--calibrate", "all", "all", status=2, says="--calibrate is for two classes")
    t.refused(*train, "ovr", "--threshold", "f1", "--test", "all", "all", status=2, says="--threshold is for two classes")
    t.refused(*train, "matrix", "-a", "sbcw", "all", status=1, says="sbcw has no")
    t.run("train", "-qq", "--classes", "ovr", "-a", "pa-1", "-o", "m", "all")
    t.refused("train", "-q", "-i", "m", "--classes", "ovo", "all", status=2, says="was made with another setting")
    t.refused("inspect", "m", "--class", "pink", status=2, says="no such class")
    t.refused("train", "-q", "-a", "pa-1", "all", status=1, says="learn several classes with --classes ovr|ovo|matrix")


def test_inspect_shows_classes(t):
    t.write("all", svm(stream()))
    for kind in KINDS:
        t.run("train", "-qq", "--classes", kind, "-a", "pa-1", "-o", "m", "all")
        facts = t.run("inspect", "--json", "m").json()
        equal([c["label"] for c in facts["classes"]], [c.replace(" ", "_") for c in CLASSES], kind)
        equal(sum(c["examples"] for c in facts["classes"]), 300, kind)
        equal(facts["settings"]["classes"], kind)
        equal(len(facts["top"]), 10 if kind == "ovo" else 5, kind)
        equal(facts["nonzeros"], len(weights(t, "m")), kind)
        check(0 <= facts["sparsity"] < 1, kind)


def test_searches_of_several_classes(t):
    rows = stream(400)
    t.write("all", svm(rows[:300]))
    t.write("test", svm(rows[300:]))
    for kind in KINDS:
        tuned = t.run("tune", "-q", "--json", "--classes", kind, "-a", "pa-1", "--grid", "C=0.001,1", "-o", "best", "all").json()
        check(f"--classes {kind}" in tuned["best"]["command"], kind)
        check(tuned["points"][0]["test"]["error_rate"] <= tuned["points"][1]["test"]["error_rate"], kind)
        again = t.run("train", "-q", "--json", "--classes", kind, "-a", "pa-1", "-P",
                      "C=%s" % tuned["best"]["params"]["C"], "-o", "same", "all").json()
        equal(t.read("best"), t.read("same"), kind)
        swept = t.run("sweep", "-q", "--json", "--classes", kind, "-a", "rda", "--lambda", "0.001,0.1", "--test", "test", "all").json()
        for point in swept["points"]:
            alone = t.run("train", "-q", "--json", "--classes", kind, "-a", "rda", "-P", "lambda=%s" % point["params"]["lambda"],
                          "--test", "test", "all").json()
            equal([point["mistakes"], point["nonzeros"], point["test"]["mistakes"]],
                  [alone["mistakes"], alone["nonzeros"], alone["test"]["mistakes"]], kind)
            equal(point["sparsity"], alone["sparsity"], kind)
        check(again["examples"] == 300, kind)
        chosen = t.run("select", "-q", "--json", "--classes", kind, "-a", "pa-1", "--features", "5,20", "--test", "test", "all").json()
        check(chosen["budgets"][1]["test"]["error_rate"] < 0.5, chosen)


def test_a_sweep_of_shuffled_rows_is_train_on_that_order(t):
    rows = stream(300)
    t.write("all", svm(rows))
    t.run("convert", "-q", "--shuffle", "1", "all", "-o", "shuffled.svm")
    for kind in KINDS:
        learner = "ssol" if kind == "matrix" else "rda"
        swept = t.run("sweep", "-q", "--json", "--shuffle", "1", "--classes", kind, "-a", learner, "--lambda", "0.1", "all").json()
        alone = t.run("train", "-q", "--json", "--classes", kind, "-a", learner, "-P", "lambda=0.1", "shuffled.svm").json()
        equal([swept["points"][0][k] for k in ("mistakes", "nonzeros")], [alone["mistakes"], alone["nonzeros"]], kind)


def test_classes_of_the_test_file_alone_are_not_learned(t):
    t.write("all", svm(stream()))
    t.write("test", svm(stream(60)) + "pink 3:1\n" * 3)
    for how in ([], ["--repeats", "2"]):
        swept = t.run("sweep", "-qq", "--json", "--classes", "ovr", "-a", "rda", "--lambda", "0.1", *how, "--test", "test", "all").json()
        equal(len(swept["classes"]), 5, how)
        equal(sum(c["examples"] for c in swept["classes"]), 300, how)
        equal(swept["points"][0]["test"]["unknown_labels"], 3 * (2 if how else 1), how)
        check("macro_f1" in swept["points"][0]["test"] and "positives" not in swept["points"][0]["test"], how)


def test_more_than_a_thousand_numbers_are_classes_in_searches_too(t):
    t.write("all", "".join(f"{200 * (i // 2)} {i % 97 + 1}:1\n" for i in range(3000)))
    t.run("tune", "-qq", "--classes", "matrix", "-a", "pa-1", "--grid", "C=1", "--folds", "2", "all")


def test_thousands_of_classes_are_predicted(t):
    t.write("all", "".join(f"c{i} {i % 97 + 1}:1 {i + 100}:1\n" for i in range(5000)))
    t.run("train", "-qq", "--classes", "matrix", "-a", "pa-1", "--passes", "4", "-o", "m", "all")
    out = t.run("predict", "-m", "m", "all").out.splitlines()
    equal(len(out), 5000)
    check(sum(line.startswith(f"c{i}\t") for i, line in enumerate(out)) > 1000, out[:3])


def test_measures_of_two_classes_are_no_choice_for_several(t):
    t.write("all", svm(stream()))
    for measure in (["auc"], ["cost", "--cost-missed", "2"]):
        t.refused("tune", "-q", "--classes", "ovr", "-a", "pa-1", "--measure", *measure, "all", status=2, says="is for two classes")
