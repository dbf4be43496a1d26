"""train --progress, and the note that a model is no better than the more frequent class."""

import random
import re

from harness import check, equal, near, rows


def table(err):
    return [line.replace(",", "").split() for line in err.splitlines() if re.match(r" *\d", line)]


def test_rows_come_at_equal_distances_with_the_fading_error(t):
    t.write("a", rows(2500))
    r = t.run("train", "-a", "ssol", "--progress", 1000, "-o", "m", "--json", "a")
    head = r.err.splitlines()[0]
    check(re.fullmatch(r" *examples +error +since last +nonzeros +sparsity +examples/s +fading error", head), head)
    lines = table(r.err)
    equal([line[0] for line in lines], ["1000", "2000", "2500"])
    near(float(lines[-1][6]), r.json()["drift"]["fading_error"], 5e-5, "fading error")
    near(float(lines[-1][1]), r.json()["error_rate"], 5e-5, "error")
    plain = t.run("train", "-a", "ssol", "-o", "wanted", "a").err
    check("fading" not in plain, plain)
    equal(t.read("m"), t.read("wanted"), "the model")
    equal(t.run("train", "-q", "-a", "ssol", "--progress", 10, "-o", "m", "a").err, "", "-q")
    check(table(t.run("train", "-a", "ssol", "--drift", "none", "--progress", 1000, "a").err)[0][6] == "-", "without a watch")


def test_nonzeros_are_counted_when_enough_examples_have_come(t):
    """With a row after every example, of a model of many features: of the 300 rows few have a count of their own."""
    t.write("a", "".join(f"{(-1)**i} " + " ".join(f"{i * 200 + j}:1" for j in range(200)) + "\n" for i in range(300)))
    err = t.run("train", "-a", "perceptron", "--progress", 1, "-o", "m", "a").err
    lines = table(err)
    counts = [int(line[3]) for line in lines]
    equal([line[0] for line in lines], [str(i + 1) for i in range(300)])
    equal(counts[:5], [200, 400, 400, 800, 800], "it is counted at 1, 2, 4, ...")
    check(2 < len(set(counts)) < 20, set(counts))
    t.write("few", "".join(f"1 {i}:1\n" for i in range(1, 41)))
    counts = [int(line[3]) for line in table(t.run("train", "-a", "perceptron", "--progress", 1, "-o", "m", "few").err)]
    equal(counts, list(range(1, 41)), "few features are counted for every row")


def test_rows_come_by_time(t):
    t.write("a", rows(2500))
    equal([line[0] for line in table(t.run("train", "-a", "ssol", "--progress", "1000s", "-o", "m", "a").err)], ["2500"])
    for text in "0", "x", "5m", "0s", "-1":
        t.refused("train", "--progress", text, "a", status=2, says=f"--progress {text}: ")


def chance(n, share, labels=("1", "0")):
    r = random.Random(5)
    return "".join(f"{labels[0] if r.random() < share else labels[1]} {r.randrange(1, 60)}:1\n" for _ in range(n))


def noted(t, *command):
    return [line for line in t.run("train", "-q", *command, "-o", "m").err.splitlines() if "no better than" in line]


def test_a_model_that_is_no_better_than_the_frequent_class_is_noted(t):
    t.write("noise", chance(2000, 0.2))
    said = noted(t, "-a", "pa-1", "noise")
    check(len(said) == 1 and "to say '0' always" in said[0] and "leave out -a" in said[0], said)
    share = 100 * sum(line[0] == "1" for line in t.read("noise").decode().splitlines()) / 2000
    check(f"wrong for {share:.2f} %" in said[0], said)
    check("--normalize" not in noted(t, "-a", "pa-1", "--normalize", "l2", "noise")[0], "what is done already")
    t.write("words", chance(2000, 0.8, ("spam", "ham")))
    check("to say 'spam' always" in noted(t, "-a", "pa-1", "words")[0], "words")
    t.write("several", "".join(chance(700, 0.7, pair) for pair in [("a", "b"), ("a", "c")]))
    check("to say 'a' always" in noted(t, "-a", "pa-1", "--classes", "ovr", "several")[0], "several classes")


def test_a_model_that_learns_is_not_noted(t):
    t.write("a", rows(900))
    t.write("noise", chance(150, 0.2))
    t.write("one", "1 1:1\n" * 500)
    t.write("rare", chance(2000, 0.2))
    for command in ["-a", "ssol", "a"], ["a"], ["-a", "pa-1", "noise"], ["-a", "pa-1", "one"], ["-a", "pa-1", "--cost", "1=5", "rare"]:
        equal(noted(t, *command), [], str(command))
    equal(t.run("train", "-qq", "-a", "pa-1", "rare").err, "")
