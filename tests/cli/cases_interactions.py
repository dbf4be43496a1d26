"""--quadratic: crossed features, from the line to the weights by name, beside a slow reading of the rule in Python."""

import itertools
import json
import random
import re

from harness import check, equal, near


# ---- the rule, read slowly --------------------------------------------------------------------------------------------

def sides(crossing):
    """Two functions from the name of a group to whether it is taken."""
    parts = re.findall(r"(?:[^,\\]|\\.)+", crossing)
    if len(parts) == 1:
        return [lambda group, letter=letter: letter == ":" or group[:1] == letter for letter in crossing]
    texts = ["".join(".*" if piece == "*" else re.escape(piece[-1]) for piece in re.findall(r"\\.|.", part)) for part in parts]
    return [lambda group, text=text: re.fullmatch(text, group, re.S) is not None for text in texts]


def group_of(name, end):
    if end == "=":
        return name.partition("=")[0]
    space, mark, _ = name.partition("^")
    return space if mark and space else " "


def escaped(name):
    return name.replace("\\", "\\\\").replace("*", "\\*")


def crossed(features, crossings, end):
    """The features of a row, a dict, with those that are crossed."""
    out = {escaped(name) if "*" in name else name: value for name, value in features.items()}
    for (a, x), (b, y) in itertools.combinations_with_replacement([f for f in features.items() if f[1]], 2):
        for first, second in map(sides, crossings):
            one, other = group_of(a, end), group_of(b, end)
            if first(one) and second(other) or first(other) and second(one):
                pair = sorted([escaped(a).encode(), escaped(b).encode()])
                out[b"*".join(pair).decode()] = x * y
    return out


# ---- rows --------------------------------------------------------------------------------------------------------------

SPACES = ["", "a", "ab", "b", "b*", "c", "\\", "é"]
NAMES = ["x", "y", "z", "x*", "\\", "a*b", "x\\*y", "long_name_of_a_feature", "*"]
CROSSINGS = ["ab", "ba", "aa", "::", "a:", " b", "a,b", "a*,b", "*,c", "b\\*,*", "\\\\,a", "ab,ab", "*b*,*a*"]


def vw_rows(draw, n):
    lines, rows = [], []
    for _ in range(n):
        row, line = {}, draw.choice(["1", "-1"])
        for space in draw.sample(SPACES, draw.randrange(1, 5)):
            line += f" |{space}"
            for name in draw.sample(NAMES, draw.randrange(4)):
                value = draw.choice([1, 1, 2, -3, 0.5, 0])
                line += f" {name}:{value}"
                full = f"{space}^{name}" if space else name
                row[full] = row.get(full, 0) + value
        lines.append(line + "\n")
        rows.append(row)
    return "".join(lines), rows


def features_of(t, name, *more):
    """The rows that convert makes of a file."""
    out = t.run("convert", "-q", "--to", "jsonl", *more, name).out
    rows = [json.loads(line) for line in out.splitlines()]
    return [{name: value for name, value in row.items() if name != "label"} for row in rows]


def options(crossings):
    return [word for crossing in crossings for word in ("--quadratic", crossing)]


def test_crossed_features_are_those_of_a_slow_reading(t):
    draw = random.Random(5)
    for _ in range(40):
        crossings = draw.sample(CROSSINGS, draw.randrange(1, 4))
        text, rows = vw_rows(draw, 20)
        t.write("a.vw", text)
        got = features_of(t, "a.vw", *options(crossings))
        equal(got, [crossed(row, crossings, "^") for row in rows], f"rows with {crossings}")


def test_columns_and_keys_are_crossed_alike(t):
    draw = random.Random(6)
    table, lines = "label,age,city,aim,c*\n", []
    for _ in range(200):
        row = {"label": 1, "age": draw.choice([0, 1, 2.5, -7]), "city": draw.choice(["Bonn", "a*b", "x=y"]),
               "aim": draw.choice(["\\", "*", "up"]), "c*": draw.randrange(3)}
        table += ",".join(str(value) for value in row.values()) + "\n"
        lines.append(json.dumps(row) + "\n")
    t.write("a.csv", table)
    t.write("a.jsonl", "".join(lines))
    for crossings in [["age,city"], ["a*,c*"], ["aa", "c:"], ["*,*"], ["c\\*,age", "city,aim"]]:
        plain = features_of(t, "a.csv")
        wanted = [crossed(row, crossings, "=") for row in plain]
        for name in ("a.csv", "a.jsonl"):
            equal(features_of(t, name, *options(crossings)), wanted, f"{name} with {crossings}")


# ---- models ------------------------------------------------------------------------------------------------------------

def xor_table(n, seed=1):
    """The label says whether two columns are the same: neither alone tells anything."""
    draw = random.Random(seed)
    rows = ["label,left,right,other"]
    for _ in range(n):
        left, right = draw.choice("ab"), draw.choice("ab")
        rows.append(f"{'same' if left == right else 'other'},{left},{right},{draw.randrange(5)}")
    return "\n".join(rows) + "\n"


def test_two_columns_that_tell_only_together(t):
    t.write("a.csv", xor_table(2000))
    t.write("b.csv", xor_table(500, seed=2))
    alone = t.run("train", "-q", "--json", "-o", "plain", "a.csv").json()["error_rate"]
    both = t.run("train", "-q", "--json", "--quadratic", "left,right", "-o", "m", "a.csv").json()["error_rate"]
    check(alone > 0.2 and both < 0.05, f"error rates {alone} and {both}")
    equal(t.run("test", "-q", "--json", "-m", "m", "b.csv").json()["error_rate"], 0, "error rate of the test")
    check("left=a*right=b" in t.run("inspect", "-v", "m", "--top", "4").out, "the crossed feature is not shown")


def test_a_model_remembers_its_crossings(t):
    t.write("a.csv", xor_table(300))
    t.run("train", "-q", "-a", "arow", "--quadratic", "left,right", "--quadratic", "o:", "-o", "m", "a.csv")
    settings = t.run("inspect", "--json", "m").json()["settings"]
    equal(settings["quadratic"], ["left,right", "o:"], "what inspect says")
    check("quadratic=left,right quadratic=o:" in t.run("inspect", "-v", "m").out, "inspect does not show the crossings")
    plain = t.run("convert", "-q", "--quadratic", "left,right", "--quadratic", "o:", "a.csv", "--to", "vw").out
    t.write("crossed.vw", plain)
    t.run("train", "-q", "-a", "arow", "-o", "of_crossed", "crossed.vw")
    equal(t.run("predict", "-q", "-m", "m", "a.csv").out, t.run("predict", "-q", "-m", "of_crossed", "crossed.vw").out, "answers")
    rows = t.run("convert", "-q", "--model", "m", "a.csv", "--to", "vw").out
    check("left=a*right=b" in rows, "convert --model does not cross")
    t.refused("train", "-i", "m", "--quadratic", "left,other", "a.csv", status=2, says=["--quadratic", "m"])
    t.run("train", "-q", "-i", "m", "--quadratic", "left,right", "--quadratic", "o:", "-o", "m", "a.csv")


def test_exported_models_get_crossed_rows(t):
    t.write("a.csv", xor_table(300))
    t.run("train", "-q", "-a", "arow", "--quadratic", "left,right", "-o", "m", "a.csv")
    said = t.run("export", "--to", "vw", "m", "-o", "m.vw").err
    check("`sluice convert --model m` makes its rows; it crosses features" in said, said)
    table = dict(line.split("\t") for line in t.run("export", "-q", "--to", "tsv", "m", "-o", "-").out.splitlines()[1:])
    check({"left=a*right=b", "left=a"} <= table.keys(), f"names of the table: {sorted(table)}")
    rows = features_of(t, "a.csv", "--model", "m")
    margins = [float(line.split("\t")[1]) for line in t.run("predict", "-q", "-m", "m", "a.csv").out.splitlines()]
    for row, margin in zip(rows, margins):
        near(sum(float(table[name]) * value for name, value in row.items()), margin, 1e-6, f"margin of {row}")


def test_going_on_is_as_learning_at_once(t):
    lines = xor_table(400).splitlines(True)
    t.write("all.csv", "".join(lines))
    t.write("one.csv", "".join(lines[:151]))
    t.write("two.csv", lines[0] + "".join(lines[151:]))
    t.run("train", "-q", "-a", "arow", "--quadratic", "::", "-o", "whole", "all.csv")
    t.run("train", "-q", "-a", "arow", "--quadratic", "::", "-o", "m", "one.csv")
    t.run("train", "-q", "-i", "m", "-o", "m", "two.csv")
    equal(t.read("m"), t.read("whole"), "the model")


def test_the_number_of_threads_does_not_matter(t):
    text, _ = vw_rows(random.Random(8), 6000)
    t.write("a.vw", text)
    models = []
    for threads in [1, 2, 5]:
        t.run("train", "-q", "-a", "arow", "--quadratic", "::", "--threads", threads, "-o", "m", "a.vw")
        models.append(t.read("m"))
    check(models[0] == models[1] == models[2], "models differ")


def test_models_that_cross_otherwise_do_not_merge(t):
    t.write("a.csv", xor_table(50))
    t.run("train", "-q", "-a", "rda", "--quadratic", "left,right", "-o", "a", "a.csv")
    t.run("train", "-q", "-a", "rda", "-o", "b", "a.csv")
    t.refused("merge", "a", "b", "-o", "m", status=1, says=["b: ", "without --quadratic, those of a with --quadratic left,right"])


def test_tune_sweep_and_select_cross_too(t):
    t.write("a.csv", xor_table(400))
    tuned = t.run("tune", "-q", "--json", "-a", "arow", "--quadratic", "left,right", "-o", "m", "a.csv").json()
    check("best" in tuned and "left,right" in tuned["settings"]["quadratic"], f"tune: {tuned['settings']}")
    equal(t.run("test", "-q", "--json", "-m", "m", "a.csv").json()["error_rate"], 0, "the model of tune")
    line = t.run("tune", "-q", "-a", "arow", "--quadratic", "left,right", "a.csv").out
    check("--quadratic left,right" in line, "the command line to train with lacks the crossing")
    t.run("sweep", "-q", "-a", "ssol", "--quadratic", "left,right", "a.csv")
    chosen = t.run("select", "-q", "--json", "--features", "4", "--quadratic", "left,right", "a.csv").json()
    equal(chosen["budgets"][0]["test"]["error_rate"], 0, "error rate of four features")
    equal(t.run("check", "-q", "--json", "--quadratic", "left,right", "a.csv").json()["features"], 9, "features that check counts")


def test_what_cannot_be_crossed_is_said(t):
    t.write("a.csv", xor_table(20))
    t.write("a.vw", "1 |user x |item y\n-1 |user x\n")
    t.write("a.svm", "1 1:1\n")
    t.write("a.tsv", "1\tsome words\n")
    t.refused("train", "--quadratic", "left", "a.csv", status=2, says=["--quadratic 'left': give two names with a comma"])
    t.refused("train", "--quadratic", "left,rigth", "a.csv", status=1,
              says=["a.csv:1:1: quadratic 'left,rigth': there is no column 'rigth'; there are 'left', 'right', 'other'"])
    t.refused("train", "--quadratic", "ab", "a.svm", status=1, says=["a.svm: libsvm has no namespaces, columns or keys"])
    t.refused("train", "-f", "text", "--quadratic", "ab", "a.tsv", status=1, says=["a.tsv: text has no namespaces"])
    warned = t.run("train", "--quadratic", "user,items", "a.vw", "-o", "m").err
    check("warning: --quadratic 'user,items': there is no namespace, column or key 'items'; there are 'item', 'user'" in warned,
          warned)
    t.refused("predict", "-m", "m", "a.svm", status=1, says=["libsvm has no namespaces"])


def test_a_row_that_explodes_is_an_error_with_counts(t):
    t.write("a.vw", "1 |a x\n-1 |a " + " ".join(f"f{i}" for i in range(4000)) + "\n1 |a x\n")
    t.refused("train", "--quadratic", "aa", "a.vw", status=1,
              says=["a.vw:2:1: a row of 4000 features makes 8002000 crossed ones", "it may have 4194304 features"])
    r = t.run("train", "-q", "--json", "--on-error", "skip", "--quadratic", "aa", "a.vw").json()
    equal((r["examples"], r["skipped_reasons"]), (2, {"row-too-large": 1}), "skipped")
