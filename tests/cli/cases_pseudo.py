"""train --pseudo: examples without a label."""

import json
import random

from harness import check, equal

MISSING = {"svm": "?", "vw": "", "csv": "", "jsonl": None, "text.tsv": "?", "url.tsv": ""}
FORMAT = {"svm": "libsvm", "vw": "vw", "csv": "csv", "jsonl": "jsonl", "text.tsv": "text", "url.tsv": "url"}


def line(end, label, words):
    if end == "svm":
        return f"{label} " + " ".join(f"{w}:1" for w in words)
    if end == "vw":
        return f"{label} | " + " ".join(f"w{w}" for w in words)
    if end == "csv":
        return f"{label}," + ",".join(str(w) for w in words[:3])
    if end == "jsonl":
        return json.dumps({"label": label} | {f"w{w}": 1 for w in words})
    if end == "text.tsv":
        return f"{label}\t" + " ".join(f"w{w}" for w in words)
    return f"{label}\thttp://w{words[0]}.example/" + "/".join(f"w{w}" for w in words)


def examples(n, classes, seed=1):
    """(label, words, whether it is known) of examples whose classes have words of their own."""
    r = random.Random(seed)
    made = []
    for i in range(n):
        k = i if i < len(classes) else r.randrange(len(classes))
        words = sorted(r.sample(range(20), 3)) + [20 + 5 * k + r.randrange(3), 60 + k]
        made.append((classes[k], words, i < n // 5 or i % 3 == 0))
    return made


def write(t, name, end, rows):
    head = "label,a,b,c\n" if end == "csv" else ""
    t.write(name, head + "".join(line(end, label, words) + "\n" for label, words in rows))


def with_missing(end, rows):
    return [(label if known else MISSING[end], words) for label, words, known in rows]


def learned(t, model):
    about = t.run("inspect", "--json", model).json()
    return about, t.run("inspect", "--weights", model).out


def test_every_format_learns_examples_without_a_label(t):
    rows = examples(300, ["ham", "spam"])
    unknown = sum(not known for _, _, known in rows)
    for end in MISSING:
        write(t, f"a.{end}", end, with_missing(end, rows))
        write(t, f"b.{end}", end, [(label, words) for label, words, known in rows if known])
        args = ["-q", "-a", "pa-1", "-f", FORMAT[end]]
        r = t.run("train", *args, "--pseudo", "0.6", "--json", "-o", "m", f"a.{end}").json()
        equal((r["examples"], r["unlabelled"]), (300 - unknown, unknown), end)
        check(0 < r["pseudo"] <= unknown, (end, r))
        about, _ = learned(t, "m")
        equal((about["examples"], about["mistakes"], about["updates"], about["pseudo"]),
              (300 - unknown, r["mistakes"], r["updates"], r["pseudo"]), end)
        # nothing is that probable: the model is that of the labelled ones alone
        r = t.run("train", *args, "--pseudo", "1", "--json", "-o", "m", f"a.{end}").json()
        t.run("train", *args, "-o", "n", f"b.{end}")
        equal("pseudo" in r, False, end)
        equal(learned(t, "m")[1], learned(t, "n")[1], end)


def test_it_says_why_nothing_was_learned(t):
    t.write("a.svm", "1 1:1\n-1 2:1\n1 1:1\n-1 2:1\n1 1:1\n? 1:1\n? 2:1\n")
    t.write("b.svm", "1 1:1\n1 1:1\n? 1:1\n")
    r = t.run("train", "-a", "pa-1", "--pseudo", "1", "a.svm")
    check("--pseudo 1: none of 2 examples without a label was learned: no prediction was as probable as that" in r.err, r.err)
    r = t.run("train", "-a", "pa-1", "--pseudo", "0.9", "b.svm")
    check("none of 1 examples without a label was learned: there were no examples of two classes before them" in r.err, r.err)
    r = t.run("train", "-a", "pa-1", "--pseudo", "0.51", "a.svm")
    check("none of" not in r.err, r.err)
    check("pseudo                2\n" in r.out and "unlabelled            2\n" in r.out, r.out)


def test_self_training_over_a_file_without_labels(t):
    rows = examples(400, ["-1", "1"])
    write(t, "few.vw", "vw", [(label, words) for label, words, _ in rows[:60]])
    write(t, "rest.vw", "vw", [("?", words) for _, words, _ in rows[60:]])
    write(t, "both.vw", "vw", [(label if i < 60 else "?", words) for i, (label, words, _) in enumerate(rows)])
    t.run("train", "-q", "-a", "arow", "-o", "m", "few.vw")
    r = t.run("train", "-q", "-i", "m", "--pseudo", "0.9", "--json", "-o", "m", "rest.vw").json()
    equal((r["examples"], r["unlabelled"], r["updates"]), (0, 340, 0))
    check(r["pseudo"] > 50, r)
    t.run("train", "-q", "-a", "arow", "--pseudo", "0.9", "-o", "n", "both.vw")
    equal(t.read("m"), t.read("n"), "one run")
    # without the option a model has nothing to learn there, and stays as it is
    t.run("train", "-q", "-a", "arow", "-o", "m", "few.vw")
    before = t.read("m")
    t.refused("train", "-q", "-i", "m", "-o", "m", "rest.vw", status=1, says="rest.vw:1:1: there is no label")
    equal(t.read("m"), before)


def test_resuming_and_threads_make_no_difference(t):
    for classes, options in ((["-1", "1"], []), (["ham", "spam"], []), (["a", "b", "c"], ["--classes", "ovr"]),
                             (["a", "b", "c"], ["--classes", "ovo"]), (["a", "b", "c"], ["--classes", "matrix"])):
        p = "0.55" if options else "0.7"
        rows = with_missing("svm", examples(400, classes))
        write(t, "1.svm", "svm", rows[:170])
        write(t, "2.svm", "svm", rows[170:])
        args = ["-q", "--pseudo", p, "--pseudo-weight", "0.5"]
        t.run("train", *args, "-a", "arow", *options, "--threads", "1", "-o", "m", "1.svm", "2.svm")
        t.run("train", *args, "-a", "arow", *options, "--threads", "4", "-o", "n", "1.svm", "2.svm")
        equal(t.read("m"), t.read("n"), ("threads", classes, options))
        t.run("train", *args, "-a", "arow", *options, "-o", "n", "1.svm")
        r = t.run("train", *args, "-i", "n", "--json", "-o", "n", "2.svm").json()
        equal(t.read("m"), t.read("n"), ("resumed", classes, options))
        check(r["pseudo"] > 10, (classes, options, r))
        check(t.run("inspect", "--json", "m").json()["pseudo"] > r["pseudo"], "of all runs")


def test_a_predict_only_model_keeps_the_count(t):
    write(t, "a.svm", "svm", with_missing("svm", examples(300, ["-1", "1"])))
    r = t.run("train", "-q", "-a", "arow", "--pseudo", "0.7", "--json", "--final", "-o", "m", "a.svm").json()
    about = t.run("inspect", "--json", "m").json()
    equal((about["examples"], about["pseudo"]), (r["examples"], r["pseudo"]))


def test_measuring_needs_labels_all_the_same(t):
    write(t, "a.svm", "svm", with_missing("svm", examples(300, ["-1", "1"])))
    t.write("test.svm", "1 1:1\n? 1:1\n")
    t.refused("train", "-q", "-a", "arow", "--pseudo", "0.7", "--test", "test.svm", "a.svm", status=1, says="test.svm:2:1: there is no label")


def test_rows_keep_having_no_label_when_converted(t):
    t.write("a.vw", "1 | a\n-1 | b\n1 | a\n-1 | b\n1 | a\n| a\n1 0 | a\n")
    t.run("convert", "-q", "a.vw", "-o", "a.bin")
    t.run("convert", "-q", "a.bin", "-o", "a.jsonl")
    for name in ("a.vw", "a.bin", "a.jsonl"):
        r = t.run("train", "-q", "-a", "pa-1", "--pseudo", "0.51", "--json", "--weight", "weight", name).json()
        equal((r["examples"], r["pseudo"], r["unlabelled"]), (5, 1, 1), name)


def test_wrong_options(t):
    t.write("a.svm", "1 1:1\n-1 2:1\n")
    for given, says in ((["--pseudo", "0.5"], "above 0.5 and up to 1"), (["--pseudo", "1.1"], "--pseudo 1.1"), (["--pseudo", "0"], "--pseudo 0"),
                        (["--pseudo", "x"], "--pseudo x"), (["--pseudo-weight", "2"], "--pseudo-weight needs --pseudo P"),
                        (["--pseudo", "0.9", "--pseudo-weight", "0"], "--pseudo-weight 0"),
                        (["--pseudo", "0.9", "--pseudo-weight", "2", "-a", "pa"], "pa takes only the importance weights 0 and 1; use pa-1 or pa-2"), (["--classes", "ovr", "--pseudo", "0"], "--pseudo 0")):
        t.refused("train", "-q", *given, "a.svm", status=2, says=says)
    t.run("train", "-q", "--classes", "ovr", "-a", "pa-1", "--pseudo", "0.3", "a.svm")
