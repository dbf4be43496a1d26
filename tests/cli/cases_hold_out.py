"""--holdout: examples of the inputs that are not learned but measured on; errors of several passes."""

import os

from harness import check, equal, near, rows

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mixed(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def drawn(n, share, seed=1):
    """The numbers of the rows held out, as docs/holdout.md says."""
    return {i for i in range(n) if (mixed(mixed(seed + GOLDEN & MASK) + (i + 1) * GOLDEN & MASK) >> 11) * 2.0**-53 < share}


def parted(t, text, held, name="a"):
    """Files of the rows that are learned and of those that are held out."""
    lines = text.splitlines(True)
    t.write(name, text)
    t.write("learn", "".join(line for i, line in enumerate(lines) if i not in held))
    t.write("held", "".join(line for i, line in enumerate(lines) if i in held))


def trained(t, *command, stdin=b""):
    return t.run("train", "-q", "--json", *command, stdin=stdin).json()


def figures(r):
    return {k: v for k, v in r.items() if not k.startswith("seconds") and k != "examples_per_second"}


def weights(t, model):
    return t.run("inspect", "--weights", model).out


WORDS = "".join(f"{['ham', 'spam', 'news'][i * 7 % 11 % 3]}\tword{i % 13} word{i * 5 % 17} common\n" for i in range(600))


def test_held_out_examples_are_measured_and_not_learned(t):
    text = rows(900)
    for form, held in [("0.2", drawn(900, 0.2)), ("last:0.25", set(range(675, 900))), ("5", set(range(4, 900, 5)))]:
        parted(t, text, held)
        for learner in "ssol", "auto", "sbcw":
            r = trained(t, "-a", learner, "--holdout", form, "-o", "m", "a")
            by_hand = trained(t, "-a", learner, "--test", "held", "-o", "wanted", "learn")
            equal(r.pop("holdout"), by_hand.pop("test"), f"{form} {learner}")
            equal(figures(r), figures(by_hand), f"{form} {learner}")
            equal(weights(t, "m"), weights(t, "wanted"), f"{form} {learner}")
    near(len(drawn(900, 0.2)), 180, 40, "a fifth")


def test_the_seed_draws_other_examples(t):
    parted(t, rows(900), drawn(900, 0.2, seed=7))
    r = trained(t, "--seed", 7, "-a", "ssol", "--holdout", "0.2", "a")
    equal(r["holdout"], trained(t, "-a", "ssol", "--test", "held", "learn")["test"])


def test_several_classes_words_and_names(t):
    parted(t, WORDS, drawn(600, 0.3), "a.tsv")
    common = ["-f", "text", "-a", "pa-1", "--classes", "ovr"]
    r = trained(t, *common, "--holdout", "0.3", "a.tsv")
    equal(r["holdout"], trained(t, *common, "--test", "held", "learn")["test"])
    equal(figures(trained(t, *common, "--holdout", "0.3", stdin=WORDS)), figures(r), "a pipe")


def test_pipes_threads_and_compressed_files_give_the_same(t):
    t.run("synth", "sparse", "-q", "-P", "rows=20000", "-P", "nonzeros=5", "-P", "dim=10000", "-o", "a.svm")
    for form in "0.2", "7":
        wanted = figures(trained(t, "-a", "ssol", "--holdout", form, "-o", "m", "a.svm"))
        model = t.read("m")
        check(3500 < wanted["holdout"]["examples"] < 4500 or form == "7", wanted["holdout"]["examples"])
        for more, stdin in [(["--threads", 1, "a.svm"], b""), (["--threads", 5, "a.svm"], b""), (["-"], t.read("a.svm"))]:
            equal(figures(trained(t, "-a", "ssol", "--holdout", form, "-o", "m", *more, stdin=stdin)), wanted, f"{form} {more}")
            equal(t.read("m"), model, f"model, {form} {more}")


def test_resuming_draws_as_one_run(t):
    text = rows(700)
    lines = text.splitlines(True)
    t.write("all", text)
    t.write("begin", "".join(lines[:333]))
    t.write("rest", "".join(lines[333:]))
    for form in "0.2", "4":
        common = ["-a", "ssol", "--holdout", form, "-o", "m"]
        whole = trained(t, *common, "all")
        wanted = t.read("m")
        first = trained(t, *common, "begin")
        second = trained(t, "--holdout", form, "-i", "m", "-o", "m", "rest")
        equal(t.read("m"), wanted, f"{form}: more inputs")
        equal(first["holdout"]["examples"] + second["holdout"]["examples"], whole["holdout"]["examples"], form)
        for stdin in b"", text:  # files are read again from their beginning, and so is what comes before --skip in a pipe
            trained(t, *common, "begin")
            r = trained(t, "--holdout", form, "-i", "m", "-o", "m", "--skip", 333, *(["-"] if stdin else ["all"]), stdin=stdin)
            equal(t.read("m"), wanted, f"{form}: --skip")
            equal(r["holdout"], whole["holdout"], f"{form}: --skip")


def test_checkpoints_count_held_out_examples(t):
    lines = rows(300).splitlines(True)
    t.write("bad", "".join(lines[:250]) + "1 1:y\n")
    t.write("all", "".join(lines))
    common = ["-q", "-a", "ssol", "--holdout", "0.5"]
    t.refused("train", *common, "-o", "m", "--save-every", 100, "bad", status=1, says=["the first 200 examples", "--skip 200"])
    t.run("train", "-q", "--holdout", "0.5", "-i", "m", "-o", "m", "--skip", 200, "all")
    t.run("train", *common, "-o", "wanted", "all")
    equal(t.read("m"), t.read("wanted"))


def test_wrong_forms_are_refused(t):
    t.write("a", rows(20))
    for form in "1", "0", "1.5", "-0.2", "last:2", "last:", "last:1":
        t.refused("train", "--holdout", form, "a", status=2, says=["--holdout " + form, "last:0.2"])
        t.refused("select", "--features", 3, "--holdout", form, "a", status=2, says=["--holdout " + form, "last:0.2"])
    t.refused("train", "--holdout", "last:0.2", "-", status=2, says=["last:0.2", "read only once", "save the input"], stdin=rows(9))
    os.mkfifo(t.path("pipe"))
    t.refused("train", "--holdout", "last:0.2", "pipe", status=2, says="read only once")
    t.refused("train", "--holdout", "missing", "a", status=1, says="missing")
    t.write("5", rows(30))
    equal(trained(t, "--holdout", "./5", "a")["holdout"]["examples"], 30, "a file called 5")


def test_a_threshold_is_chosen_on_the_hold_out(t):
    t.write("a", rows(900))
    r = trained(t, "-a", "ssol", "--holdout", "0.3", "--threshold", "recall=0.9", "-o", "m", "a")
    check(r["holdout"]["recall"] >= 0.9, r["holdout"])
    equal(r["threshold"]["recall"], r["holdout"]["recall"])
    equal(trained(t, "-a", "ssol", "--holdout", "0.3", "--threshold", "recall=0.9", stdin=rows(900))["threshold"], r["threshold"])


def test_importance_missing_labels_and_skipped_lines(t):
    lines = [f"{[1, -1][i % 2]} {[1, 0, 2][i % 3]} |n a{i % 5} b{i % 7}\n" for i in range(300)]
    lines[7] = lines[57] = "nonsense | x:y\n"
    t.write("a.vw", "".join(lines))
    r = trained(t, "--on-error", "skip", "-a", "ssol", "--holdout", "0.3", "a.vw")
    equal((r["skipped"], r["holdout"]["skipped"]), (2, 0))
    check(r["examples"] + r["holdout"]["examples"] <= 200 and r["holdout"]["examples"] > 30, r)
    t.write("b", "".join(f"{'?' if i % 4 else i % 8 // 4} {i % 5 + 1}:1\n" for i in range(800)))
    r = trained(t, "--pseudo", "0.9", "-a", "ssol", "--holdout", "0.5", "b")
    equal(r["examples"] + r["holdout"]["examples"], 200)


def test_errors_of_several_passes_are_those_of_the_first(t):
    t.write("a", rows(500))
    one = trained(t, "-a", "ssol", "a")
    three = trained(t, "-a", "ssol", "--passes", 3, "a")
    for key in "examples", "mistakes", "error_rate", "auc", "drift":
        equal(three[key], one[key], key)
    equal((three["passes"], three["updates"] > one["updates"]), (3, True))
    r = t.run("train", "-a", "ssol", "--passes", 3, "a")
    check("the first pass" in r.out, r.out)
    later = [line.split() for line in r.err.splitlines() if line.split()[:1] == ["1,500"]]
    check(later and later[0][1:3] == ["-", "-"], r.err)


def test_select_takes_the_same_forms(t):
    parted(t, rows(400), drawn(400, 0.25))
    common = ["-q", "--json", "-a", "sofs", "--features", 5]
    for form, held in [("0.25", drawn(400, 0.25)), ("last:0.25", set(range(300, 400)))]:
        parted(t, rows(400), held)
        r = t.run("select", *common, "--holdout", form, "a").json()
        by_hand = t.run("select", *common, "--test", "held", "learn").json()
        equal((r["held_out"], r["test_examples"], r["examples"]), (form, len(held), 400 - len(held)))
        equal(r["budgets"][0]["test"], by_hand["budgets"][0]["test"], form)


def test_convert_splits_as_train_holds_out(t):
    text = rows(500)
    for form, held in [("0.2", drawn(500, 0.2)), ("last:0.3", set(range(350, 500))), ("3", set(range(2, 500, 3)))]:
        parted(t, text, held)
        t.run("convert", "-q", "a", "-o", "x.svm", "--split", form, "--split-to", "y.svm")
        for mine, wanted in ("x.svm", "learn"), ("y.svm", "held"):
            t.run("convert", "-q", wanted, "-o", "wanted.svm")
            equal(t.read(mine), t.read("wanted.svm"), f"{form} {mine}")
        t.run("convert", "-q", "a", "-o", "x.svm", "--normalize", "l2", "--split", form, "--split-to", "y.svm")
        t.run("convert", "-q", "held", "--normalize", "l2", "-o", "wanted.svm")
        equal(t.read("y.svm"), t.read("wanted.svm"), f"{form}, normalized")
    t.run("convert", "-q", "a", "--shuffle", 4, "-o", "all.svm")
    t.run("convert", "-q", "a", "--shuffle", 4, "-o", "x.svm", "--split", "0.2", "--split-to", "y.svm")
    shuffled = t.read("all.svm").decode().splitlines(True)
    equal(t.read("y.svm").decode(), "".join(line for i, line in enumerate(shuffled) if i in drawn(500, 0.2)), "shuffled")


def test_wrong_splits_are_refused(t):
    t.write("a", rows(20))
    t.refused("convert", "a", "-o", "x", "--split", "0.2", status=2, says="--split-to")
    t.refused("convert", "a", "-o", "x", "--split-to", "y", status=2, says="--split")
    t.refused("convert", "a", "-o", "x", "--split", "2.5", "--split-to", "y", status=2, says=["--split 2.5", "last:0.2"])
    t.refused("convert", "a", "-o", "x", "--split", "0.2", "--split-to", "x", status=2, says="same file")
    t.refused("convert", "a", "-o", "x", "--split", "0.2", "--split-to", "no/folder", status=1, says="no/folder")
    check(not t.exists("x"), "an output of a run that failed")
