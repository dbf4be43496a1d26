"""predict and test: applying a model."""

import gzip
import math
import os
import random
import re

from harness import check, equal, near, parse, rows


def model(t, *options, data=None):
    t.write("train", data or rows(1000))
    t.run("train", "-q", *options, "-o", "m", "train")


def predictions(t, *command, stdin=b""):
    return [line.split("\t") for line in t.run("predict", "-m", "m", *command, stdin=stdin).out.splitlines()]


def test_one_line_per_example_label_tab_margin(t):
    model(t, "-a", "pa-1")
    t.write("a", rows(200, seed=2))
    out = t.run("predict", "-m", "m", "a").out
    equal(len(out.splitlines()), 200)
    for line in out.splitlines():
        check(re.fullmatch(r"(1|-1)\t-?\d+(\.\d+)?(e[+-]?\d+)?", line), line)
        label, margin = line.split("\t")
        equal(label, "1" if float(margin) > 0 else "-1")


def test_margins_are_the_dot_products_in_shortest_digits(t):
    model(t, "-a", "pa-1", "--bias", "0.5")
    t.write("a", rows(100, seed=2))
    weights = dict(line.split("\t") for line in t.run("inspect", "--weights", "m").out.splitlines())
    weights = {k: float(v) for k, v in weights.items()}
    for (label, x), (_, margin) in zip(parse(rows(100, seed=2)), predictions(t, "a")):
        near(float(margin), 0.5 * weights["bias"] + sum(weights.get(str(i), 0) * v for i, v in x.items()), 1e-5)
        equal(float(margin), float(repr(float(margin))))
        check(len(re.sub(r"[-+.e]", "", margin).strip("0")) <= len(re.sub(r"[-+.e]", "", repr(float(margin))).strip("0")),
              f"{margin} is longer than {float(margin)!r}")


def test_margin_zero_predicts_minus_one(t):
    model(t, "-a", "perceptron")
    equal(t.run("predict", "-m", "m", stdin="1 999999:1\n1\n").out, "-1\t0\n-1\t0\n")


def test_labels_of_the_input_do_not_matter(t):
    model(t)
    a = rows(100, seed=2)
    t.write("a", a)
    t.write("b", re.sub(r"^[+-]1", "0", a, flags=re.M))
    equal(predictions(t, "a"), predictions(t, "b"))


# of every format: lines with a label, without one, with words and numbers that are none
LABELS = {
    "libsvm": ("{}3:1 5:0.5\n", ["1 ", "", "spam ", "nan ", "1e99 ", "1x "]),
    "vw": ("{}|f a b:2\n", ["1 ", "", "spam ", "nan ", "1x 1 ", "1"]),
    "text": ("{}a b\n", ["1\t", "", "\t", "spam\t", "nan\t", "# no comment\t"]),
    "url": ("{}http://a.b/c\n", ["1\t", "", "\t", "spam\t", "1e99\t"]),
    "jsonl": ('{{{}"a":2,"b":"x"}}\n', ['"label":1,', "", '"label":null,', '"label":"spam",', '"label":"\\u0001",']),
    "csv": ("label,a,b\n{},2,x\n", ["1", "", "spam", "nan", "1e99", '"a, b"']),
}


def test_labels_are_never_checked(t):
    for name, (line, labels) in LABELS.items():
        good, other = line.format(labels[0]), line.format({"csv": "0", "jsonl": '"label":0,'}.get(name, labels[0].replace("1", "0")))
        t.write("train", good + (other.splitlines()[-1] + "\n").replace("3:1", "4:1").replace(" b", " d").replace("x", "y"))
        t.run("train", "-qq", "-a", "pa-1", "-f", name, "-o", "m", "train")
        expected = t.run("predict", "-m", "m", "-f", name, stdin=good).out
        check(expected.split("\t")[1] != "0\n", f"{name}: the model says nothing")
        for label in labels:
            equal(t.run("predict", "-m", "m", "-f", name, stdin=line.format(label)).out, expected, f"{name}, {label!r}")


def test_an_id_that_stands_twice_behind_no_label_has_its_place(t):
    model(t)
    for line, column in [("3:1 5:1 3:2", 9), ("spam 3:1 5:1 3:2", 14), ("qid:1 3:1 3:2", 11)]:
        r = t.run("predict", "-m", "m", "-f", "libsvm", stdin=line + "\n", status=1)
        check(f":1:{column}: id 3 stands twice" in r.err, r.err)


def test_there_is_no_output_option_that_could_destroy_the_input(t):
    model(t)
    before = t.read("train")
    t.refused("predict", "-m", "m", "train", "-o", "train", status=2, says="unknown option -o")
    t.refused("predict", "-m", "m", "train", "--output", "train", status=2, says="unknown option --output")
    equal(t.read("train"), before)


def test_rows_before_a_malformed_line_are_predicted(t):
    model(t)
    t.write("bad", rows(3) + "1 x\n" + rows(2))
    r = t.run("predict", "-m", "m", "bad", status=1)
    equal(len(r.out.splitlines()), 3)
    check("sluice: bad:4:3: " in r.err, r.err)
    r = t.run("predict", "-m", "m", "bad", "--on-error", "skip")
    lines = r.out.splitlines()
    equal(len(lines), 6)
    equal(lines[3], "\t")
    check("1 malformed line skipped" in r.err and "empty fields" in r.err, r.err)


def piece_of(rng, name):
    """A line of the format, or one that is blank, a comment or malformed; and whether it has features."""
    good = {"libsvm": "1 3:1 5:0.5", "vw": "1 |f a b:2", "csv": "1,2,x", "jsonl": '{"label":1,"a":2}',
            "text": "1\tsome words", "url": "1\thttp://a.org/b"}[name]
    return rng.choice([good, good, "", " ", "#", "# note", "x", "1 1:1 1:1", "1 | a:x", '{"a":', '1,2,"', "1,2", "\t",
                       "1", "\x00", good + "\r"])


def test_every_line_is_answered(t):
    """As many answers as lines, in order, whatever the lines: the answer to a line is that which it has alone."""
    rng = random.Random(5)
    data = {"libsvm": rows(30), "vw": "1 |f a b\n0 |f c d\n" * 9, "csv": "label,a,b\n1,2,x\n0,1,y\n" * 1 + "1,3,x\n" * 9,
            "jsonl": '{"label":1,"a":2}\n{"label":0,"b":1}\n' * 9, "text": "1\tsome words\n0\tother ones\n" * 9,
            "url": "1\thttp://a.org/b\n0\thttp://c.org/d\n" * 9}
    for name, train in data.items():
        t.write("train", train)
        t.run("train", "-q", "-f", name, "-o", "m", "train")
        header = "label,a,b\n" if name == "csv" else ""
        predict = ["predict", "-qq", "--proba", "-m", "m", "-f", name, "--on-error", "skip"]
        lines = [piece_of(rng, name) for _ in range(80)]
        if name == "csv":
            lines = [line for line in lines if '"' not in line]  # a quote that is not closed takes the rest with it
        alone = {line: t.run(*predict, stdin=header + line + "\n").out for line in set(lines)}
        for line, answer in alone.items():
            check(re.fullmatch(r"(-1|1)\t[^\t\n]+\t[^\t\n]+\n|\t\t\n", answer), (name, line, answer))
        check(any(a == "\t\t\n" for a in alone.values()) and any(a != "\t\t\n" for a in alone.values()), name)
        wanted = "".join(alone[line] for line in lines)
        t.write("a", header + "\n".join(lines[:40]) + "\n")
        t.write("b", header + "\n".join(lines[40:]))
        t.write("b.gz", gzip.compress(t.read("b")))
        for n in [1, 3]:
            equal(t.run(*predict, "--threads", n, "a", "b").out, wanted, f"{name} from two files")
            equal(t.run(*predict, "--threads", n, "a", "b.gz").out, wanted, f"{name} compressed")
            equal(t.run(*predict, "--threads", n, stdin=header + "\n".join(lines)).out, wanted, f"{name} from a pipe")


def test_blank_lines_and_comments_are_examples_without_features(t):
    model(t, "--bias", "1")
    equal(t.run("predict", "-m", "m", stdin="\n").out, t.run("predict", "-m", "m", stdin="1\n").out)
    equal(t.run("predict", "-m", "m", stdin="# note\n \n\n").out, 3 * t.run("predict", "-m", "m", stdin="1\n").out)
    equal(t.run("predict", "-m", "m", stdin="").out, "")


def test_a_hash_is_data_in_texts(t):
    t.write("a.text.tsv", "1\t#win now\n0\tother\n" * 20)
    t.run("train", "-q", "-o", "m", "a.text.tsv")
    equal(t.run("predict", "-m", "m", "-f", "text", stdin="# win\n").out.split("\t")[0], "1")
    t.write("b.text.tsv", "1\tx\n# no comment\n")
    t.refused("train", "b.text.tsv", status=1, says="b.text.tsv:2:1: there is no tab behind '# no comment'")


def test_predictions_do_not_depend_on_threads(t):
    model(t)
    t.run("synth", "sparse", "-P", "rows=5000", "-P", "dim=60", "-P", "nonzeros=9", "-o", "a")
    outputs = {t.run("predict", "-m", "m", "--threads", n, "a").out for n in [1, 2, 4]}
    equal(len(outputs), 1)


def test_prediction_changes_nothing(t):
    model(t)
    before = t.read("m")
    predictions(t, "train")
    t.run("test", "-m", "m", "train")
    equal(t.read("m"), before)


def exact_measures(labels, margins):
    n = len(labels)
    tp = sum(y > 0 and m > 0 for y, m in zip(labels, margins))
    tn = sum(y <= 0 and m <= 0 for y, m in zip(labels, margins))
    pos = sum(y > 0 for y in labels)
    fp, fn = n - pos - tn, pos - tp
    pairs = sum((a > b) + 0.5 * (a == b) for a, y in zip(margins, labels) if y > 0 for b, z in zip(margins, labels) if z <= 0)
    not_below = [[z for b, z in zip(margins, labels) if b >= a] for a, y in zip(margins, labels) if y > 0]
    return {
        "average_precision": sum(sum(z > 0 for z in some) / len(some) for some in not_below) / pos,
        "examples": n, "mistakes": fp + fn, "error_rate": (fp + fn) / n, "accuracy": 1 - (fp + fn) / n,
        "sensitivity": tp / pos, "specificity": tn / (n - pos), "balanced_accuracy": (tp / pos + tn / (n - pos)) / 2,
        "sum": (tp / pos + tn / (n - pos)) / 2, "precision": tp / (tp + fp), "recall": tp / pos,
        "f1": 2 * tp / (2 * tp + fp + fn), "auc": pairs / (pos * (n - pos)), "cost": fp + fn,
        "hinge_loss": sum(max(0, 1 - (1 if y > 0 else -1) * m) for y, m in zip(labels, margins)) / n,
    }


def test_measures_agree_with_a_plain_computation(t):
    model(t, "-a", "ftrl")
    t.write("a", rows(400, seed=8, noise=0.2))
    margins = [float(m) for _, m in predictions(t, "a")]
    labels = [y for y, _ in parse(rows(400, seed=8, noise=0.2))]
    r = t.run("test", "-m", "m", "--json", "a").json()
    for key, wanted in exact_measures(labels, margins).items():
        near(r[key], wanted, 1e-9, key)
    loss = sum(math.log1p(math.exp(-(1 if y > 0 else -1) * m)) for y, m in zip(labels, margins)) / 400
    near(r["log_loss"], loss, 1e-9, "log_loss")
    equal(r["learner"], "ftrl")


def test_costs_and_the_weight_of_the_sensitivity_can_be_given(t):
    model(t, "-a", "cs-ogd", "-P", "cost_pos=5", "-P", "cost_neg=2")
    t.write("a", rows(400, seed=8, noise=0.3))
    plain = t.run("test", "-m", "m", "--json", "a").json()
    near(plain["cost"], 5 * plain["missed"] + 2 * plain["false_alarms"], 1e-9, "costs of the learner")
    given = ["--mu-pos", "0.9", "--cost-missed", "7", "--cost-alarm", "0.5"]
    one = t.run("test", "-m", "m", "--json", *given, "a").json()
    other = t.run("train", "-q", "--json", "-i", "m", *given, "--test", "a", stdin="").json()["test"]
    for r in (one, other):
        near(r["sum"], 0.9 * r["sensitivity"] + 0.1 * r["specificity"], 1e-9, "sum")
        near(r["cost"], 7 * r["missed"] + 0.5 * r["false_alarms"], 1e-9, "cost")
    r = t.run("train", "-q", "--json", "-a", "pa-1", *given, "a").json()
    near(r["sum"], 0.9 * r["sensitivity"] + 0.1 * r["specificity"], 1e-9, "sum")
    near(r["cost"], 7 * r["missed"] + 0.5 * r["false_alarms"], 1e-9, "cost")
    equal(t.run("test", "-m", "m", "--json", "--mu-pos", "1", "a").json()["sum"], plain["sensitivity"], "mu-pos 1")
    for option, value in [("--mu-pos", "0"), ("--mu-pos", "1.5"), ("--mu-pos", "x"), ("--mu-pos", "-1"), ("--cost-missed", "0"),
                          ("--cost-missed", "-2"), ("--cost-alarm", "0"), ("--cost-alarm", "inf")]:
        t.refused("test", "-m", "m", option, value, "a", status=2, says=[option, value])
        t.refused("train", option, value, "a", status=2, says=[option, value])


def test_test_equals_train_test(t):
    t.write("b", rows(300, seed=4))
    t.write("a", rows(1000))
    for name in t.learners():
        inside = t.run("train", "-q", "-a", name, "-o", "m", "--json", "a", "--test", "b").json()["test"]
        outside = t.run("test", "-m", "m", "--json", "b").json()
        for key in inside:
            equal(outside[key], inside[key], f"{name}: {key}")


def test_test_text_has_the_same_content(t):
    model(t)
    r, text = t.run("test", "-m", "m", "--json", "train").json(), t.run("test", "-v", "-m", "m", "train").out
    for key, value in r.items():
        key = "weighted_accuracy" if key == "sum" else key
        said = re.search(rf"^{key.replace('_', ' ')}\b", text, re.M)
        equal(bool(said), value is not None and key != "skipped_reasons", key)


def test_damaged_models_are_refused(t):
    model(t)
    whole = t.read("m")
    for cut in list(range(0, 64)) + [len(whole) // 2, len(whole) - 1]:
        t.write("cut", whole[:cut])
        t.refused("predict", "-m", "cut", status=1, says="cut", stdin="1 1:1\n")
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1
    t.write("flipped", bytes(flipped))
    t.refused("predict", "-m", "flipped", status=1, says="flipped", stdin="1 1:1\n")
    os.mkdir(t.path("folder"))
    t.refused("predict", "-m", "folder", status=1, says="folder")
    t.refused("inspect", "/dev/zero", status=1, says="/dev/zero")


def test_data_that_the_model_does_not_know_is_warned_of(t):
    t.write("a.vw", "1 | a\n-1 | b\n" * 5)
    t.run("train", "-q", "-a", "pa-1", "a.vw", "-o", "m")
    t.write("b.vw", "1 | x\n-1 | y\n")
    r = t.run("predict", "-m", "m", "b.vw")
    check("none of the 2 examples" in r.err, r.err)
    equal(r.out, "-1\t0\n-1\t0\n")
    equal(t.run("predict", "-qq", "-m", "m", "b.vw").err, "")
    check("none of" not in t.run("predict", "-m", "m", "a.vw").err, "known")


def test_unknown_data_is_noticed_beside_a_bias(t):
    t.write("a.csv", "label,age,hour\n" + "".join(f"{int(i % 3 == 0)},{i % 3},{i % 5}\n" for i in range(60)))
    t.run("train", "-q", "-a", "arow", "--bias", 1, "-o", "m", "a.csv")
    t.write("b.csv", "label,alter,stunde\n1,3,4\n0,2,1\n")
    check("none of the 2 examples" in t.run("predict", "-m", "m", "b.csv").err, "predict")
    check("none of the 2 examples" in t.run("test", "-m", "m", "b.csv").err, "test")
    check(t.run("predict", "-m", "m", "b.csv").out.split()[1] != "0", "there is no bias")
    for command in "predict", "test":
        check("none of" not in t.run(command, "-m", "m", "a.csv").err, command)


def test_measuring_warns_of_unknown_data_and_of_none(t):
    model(t, "-a", "pa-1")
    t.write("other", "1 900001:1\n-1 900002:1\n")
    t.write("none", "")
    for command in ["test", "-m", "m", "other"], ["train", "-a", "pa-1", "--test", "other", "train"]:
        check("none of the 2 examples has a feature" in t.run(*command).err, command)
    for command in ["test", "-m", "m", "none"], ["train", "--allow-empty", "none"], ["train", "--test", "none", "train"]:
        check("there are no examples" in t.run(*command).err, command)
    for command in ["test", "-m", "m", "train"], ["test", "-qq", "-m", "m", "other"], ["train", "-qq", "--allow-empty", "none"]:
        check("warning" not in t.run(*command).err, command)
