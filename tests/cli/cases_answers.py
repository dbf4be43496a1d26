"""predict: ids, explanations, kept lines, JSON."""

import itertools
import json
import os
import random
import re

from harness import HERE, check, equal, near, rows

DATA = {
    "libsvm": rows(60),
    "vw": "1 'a|f a b:2\n0 'b|f c d:0.5 e\n" * 30,
    "csv": "id,label,a,b\n" + "".join(f"k{i},{i % 2},{i % 7 * 0.3:.1f},{'xyz'[i % 3]}\n" for i in range(60)),
    "jsonl": "".join(json.dumps({"id": i, "label": i % 2, "a": i % 7 * 0.3, "b": "xyz"[i % 3]}) + "\n" for i in range(60)),
    "text": "1\tsome good words\n0\tother bad words here\n" * 30,
    "url": "1\thttp://a.org/b\n0\thttp://c.org/d?e=f\n" * 30,
}
SETTINGS = [[], ["--bias", "0.5"], ["--normalize", "l2"], ["--hash", "4"], ["--bias", "2", "--normalize", "l2", "--hash", "5"]]


def objects(text):
    def no_constant(word):
        raise AssertionError(f"{word} in JSON")
    return [json.loads(line, parse_constant=no_constant) for line in text.splitlines()]


def in_order(line):
    """The ids of a line of LIBSVM text, and the bias behind them."""
    return [int(f.split(":")[0]) for f in line.split("#")[0].split()[1:]] + ["bias"]


def test_contributions_added_in_the_order_of_the_example_are_the_margin(t):
    data = rows(60, seed=3)
    t.write("train", rows(300))
    t.write("a", data)
    for learner in t.learners():
        for more in SETTINGS:
            t.run("train", "-qq", "-a", learner, *more, "-o", "m", "train")
            plain = t.run("predict", "-qq", "-m", "m", "a").out.splitlines()
            answers = objects(t.run("predict", "-qq", "-m", "m", "--json", "--explain", "1000", "a").out)
            equal(len(answers), 60)
            moved = 0
            for line, answer, wanted in zip(data.splitlines(), answers, plain):
                by_feature = {e["feature"]: e["contribution"] for e in answer["explain"]}
                equal(len(by_feature), len(answer["explain"]))
                total = 0.0
                for feature in in_order(line):
                    total += by_feature.pop(feature, 0)
                equal(total, answer["margin"], f"{learner} {more}")
                equal(by_feature, {})
                equal(f"{answer['label']}\t{answer['margin']}", "\t".join(str(json.loads(f)) for f in wanted.split("\t")))
                moved += total != 0
            check(moved > 30, f"{learner} {more}: the model says nothing")


def test_explanations_in_every_format_add_up_and_name_what_the_user_gave(t):
    for name, data in DATA.items():
        t.write("train", data)
        for more in SETTINGS:
            t.run("train", "-qq", "-a", "pa-1", "-f", name, *more, "-o", "m", "train")
            answers = objects(t.run("predict", "-qq", "-m", "m", "-f", name, "--json", "--explain", "99", "train").out)
            equal(len(answers), 60)
            for answer in answers:
                terms = answer["explain"]
                near(sum(e["contribution"] for e in terms), answer["margin"], 1e-9, name)
                equal([e["feature"] for e in terms if e.get("bias")], ["bias"] if "--bias" in more else [])
                equal("scale" in answer, "--normalize" in more)
                sizes = [abs(e["contribution"]) for e in terms]
                equal(sizes, sorted(sizes, reverse=True))
                for e in terms:
                    equal(sorted(set(e) - {"bias"}), ["contribution", "feature", "value", "weight"])
                    scale = 1 if e.get("bias") else answer.get("scale", 1)
                    near(e["value"] * e["weight"] * scale, e["contribution"], 1e-6 * abs(e["contribution"]))
            if name == "text":
                check({"good", "bad"} <= {e["feature"] for a in answers for e in a["explain"]}, answers[0])
            if name == "csv" and "--hash" not in more:
                check({"a", "b=y"} <= {e["feature"] for a in answers for e in a["explain"]}, answers[0])


def test_weights_are_those_of_inspect(t):
    t.write("train", DATA["csv"])
    t.run("train", "-q", "-a", "ftrl", "--bias", "1", "--normalize", "l2", "-o", "m", "train", "-f", "csv")
    weights = dict(line.split("\t") for line in t.run("inspect", "--weights", "m").out.splitlines())
    for answer in objects(t.run("predict", "-m", "m", "-f", "csv", "--json", "--explain", "99", "train").out):
        for e in answer["explain"]:
            equal(e["weight"], float(weights[e["feature"]]))


def test_batch_learners_are_explained_with_their_pending_rows(t):
    t.write("train", rows(50))
    for learner in t.in_batches():
        t.run("train", "-qq", "-a", learner, "-P", "batch=40", "-o", "m", "train")
        plain = [float(line.split("\t")[1]) for line in t.run("predict", "-m", "m", "train").out.splitlines()]
        answers = objects(t.run("predict", "-m", "m", "--json", "--explain", "99", "train").out)
        equal([a["margin"] for a in answers], plain)
        for a in answers:
            near(sum(e["contribution"] for e in a["explain"]), a["margin"], 1e-9)


def test_predict_only_models_explain_the_same(t):
    t.write("train", DATA["jsonl"])
    command = ["predict", "-f", "jsonl", "--json", "--explain", "5", "train"]
    t.run("train", "-q", "-a", "arow", "-f", "jsonl", "-o", "m", "train")
    t.run("train", "-q", "-a", "arow", "-f", "jsonl", "--final", "-o", "f", "train")
    equal(t.run(*command, "-m", "m").out, t.run(*command, "-m", "f").out)


def test_text_and_json_say_the_same(t):
    """All combinations of the options, with malformed and blank lines: one answer for every line, and the same in both
    forms."""
    ids = {"libsvm": "line", "vw": "tag", "csv": "id", "jsonl": "id", "text": "line", "url": "line"}
    bad = {"libsvm": "1 x", "vw": "x", "csv": "1,2", "jsonl": '{"id":7,', "text": "1\t\0", "url": "1\t\0"}
    for name, data in DATA.items():
        t.write("train", data)
        t.run("train", "-q", "-a", "pa-1", "-f", name, "--bias", "1", "-o", "m", "train")
        lines = data.splitlines()[:8] + [bad[name], "", data.splitlines()[3]]
        t.write("a", "\n".join(lines) + "\n")
        wanted = len(lines) - (name == "csv")
        kept = lines[name == "csv":]
        predict = ["predict", "-qq", "-m", "m", "-f", name, "--on-error", "skip", "a"]
        plain = t.run(*predict, "--proba").out.splitlines()
        for chosen in itertools.product([0, 1], repeat=4):
            proba, with_id, explain, keep = chosen
            options = ["--proba"] * proba + ["--id", ids[name]] * with_id + ["--explain", "3"] * explain + ["--keep"] * keep
            text = t.run(*predict, *options).out.split("\n")
            equal(text.pop(), "")
            answers = objects(t.run(*predict, *options, "--json").out)
            equal((len(text), len(answers)), (wanted, wanted), f"{name} {options}")
            for i, (line, answer) in enumerate(zip(text, answers)):
                fields = line.split("\t", 1 + proba + with_id + 3 * explain + keep)
                equal(fields[:2 + proba], plain[i].split("\t")[:2 + proba])
                left_out = fields[0] == ""
                keys = ["label", "margin"] + ["probability"] * proba + ["id"] * with_id + ["explain"] * explain + ["line"] * keep
                equal(list(answer), keys)
                for key in ["label", "margin"] + ["probability"] * proba:
                    field = fields.pop(0)
                    equal(answer[key], None if left_out else json.loads(field))
                    equal(field == "", left_out)
                if with_id:
                    field = fields.pop(0)
                    equal("" if answer["id"] is None else str(answer["id"]), field)
                    if ids[name] == "line":
                        equal(field, str(i + 1))
                if explain:
                    terms = [f"{e['feature']}:{e['contribution']!r}" for e in answer["explain"]]
                    got = [fields.pop(0) for _ in range(3)]
                    equal(len([f for f in got if f]), len(terms))
                    for a, b in zip(got, terms):
                        equal(a.rsplit(":", 1)[0], b.rsplit(":", 1)[0])
                        equal(float(a.rsplit(":", 1)[1]), float(b.rsplit(":", 1)[1]))
                    equal(left_out and terms != [], False)
                if keep:
                    equal(fields.pop(0), kept[i])
                    equal(answer["line"], kept[i])
                equal(fields, [])
            check(any(a["label"] is None for a in answers) and any(a["label"] for a in answers), name)


def test_ids_of_every_kind(t):
    t.write("train", "1 |f a b\n0 |f c d\n" * 9)
    t.run("train", "-q", "-o", "m", "train", "-f", "vw")
    cases = [
        ("vw", "tag", "1 'x y|f a\n", [("y", "y")]),
        ("vw", "tag", "1 1 x|f a\n|f a\n1 '\u00e9 |f a\n", [("x", "x"), ("", None), ("\u00e9", "\u00e9")]),
        ("csv", "k", 'k,a\n"p ""q""",1\n,2\n"u\nv",3\n', [('p "q"', 'p "q"'), ("", None), ("u\\x0av", "u\nv")]),
        ("csv", "2", "k,a\nz,17\n", [("17", "17")]),
        ("jsonl", "k", '{"k":"1\\t2\\\\"}\n{"k":12345678901234567890}\n{"k":true}\n{"k":[1]}\n{}\n{"k":null}\n',
         [("1\\x092\\x5c", "1\t2\\"), ("12345678901234567890", 12345678901234567890), ("true", True), ("[1]", "[1]"), ("", None), ("", None)]),
        ("jsonl", "u.k", '{"u":{"k":"in"}}\n', [("in", "in")]),
        ("csv", "line", "k,a\nz,17\n\n\"u\nv\",3\n1,2\n", [("2", 2), ("3", 3), ("4", 4), ("6", 6)]),
    ]
    for name, wanted, text, ids in cases:
        command = ["predict", "-qq", "-m", "m", "-f", name, "--on-error", "skip", "--id", wanted]
        got = [line.split("\t")[2] for line in t.run(*command, stdin=text).out.splitlines()]
        equal(got, [a for a, _ in ids], f"{name} {wanted}")
        answers = objects(t.run(*command, "--json", stdin=text).out)
        equal([a["id"] for a in answers], [b for _, b in ids], f"{name} {wanted}")


def test_line_numbers_begin_anew_with_every_input(t):
    t.write("a", rows(3))
    t.write("b", rows(2))
    t.run("train", "-q", "-o", "m", "a")
    t.run("convert", "-q", "a", "-o", "a.bin")
    ids = [line.split("\t")[2] for line in t.run("predict", "-m", "m", "--id", "line", "a", "b", "a.bin", "a.bin").out.splitlines()]
    equal(ids, ["1", "2", "3", "1", "2", "1", "2", "3", "1", "2", "3"])


def test_an_id_column_is_a_feature_only_if_it_was_one_in_training(t):
    names = ["x", "y"]
    rng = random.Random(1)
    data = [(f"id{i}", i % 2, rng.random(), names[i % 2]) for i in range(40)]
    t.write("with.csv", "key,label,a,b\n" + "".join(f"{k},{y},{a},{b}\n" for k, y, a, b in data))
    t.write("without.csv", "label,a,b\n" + "".join(f"{y},{a},{b}\n" for _, y, a, b in data))
    t.write("with.jsonl", "".join(json.dumps({"key": {"n": k, "m": 5}, "label": y, "a": a, "b": b}) + "\n" for k, y, a, b in data))
    t.write("without.jsonl", "".join(json.dumps({"label": y, "a": a, "b": b}) + "\n" for _, y, a, b in data))
    for ending in ["csv", "jsonl"]:
        for more in [[], ["--normalize", "l2"]]:
            t.run("train", "-q", "-a", "pa-1", *more, "-o", "m", f"without.{ending}")
            equal([line.split("\t")[:2] for line in t.run("predict", "-m", "m", "--id", "key", f"with.{ending}").out.splitlines()],
                  [line.split("\t") for line in t.run("predict", "-m", "m", f"without.{ending}").out.splitlines()], f"{ending} {more}")
            t.run("train", "-q", "-a", "pa-1", *more, "-o", "m", f"with.{ending}")
            plain = t.run("predict", "-m", "m", f"with.{ending}").out
            equal("".join("\t".join(line.split("\t")[:2]) + "\n" for line in
                          t.run("predict", "-m", "m", "--id", "key", f"with.{ending}").out.splitlines()), plain, f"{ending} {more}")
            check(plain != t.run("predict", "-m", "m", f"without.{ending}").out, "the column has no weight")


def test_what_has_no_id_says_so(t):
    t.write("train", rows(20))
    t.run("train", "-q", "-o", "m", "train")
    t.write("a.csv", "k,a\n1,2\n")
    t.refused("predict", "-m", "m", "--id", "z", "a.csv", status=1, says=["a.csv:1:1: ", "no column 'z' for the id"])
    t.refused("predict", "-m", "m", "--id", "z", "train", status=1, says=["train: ", "'z'", "libsvm", "--id line"])
    t.refused("predict", "-m", "m", "--id", "z", "-f", "vw", "train", status=1, says="the tag")
    t.refused("predict", "-m", "m", "--id", "", "train", status=2, says="--id")
    t.run("convert", "-q", "train", "-o", "a.bin")
    t.refused("predict", "-m", "m", "--keep", "a.bin", status=1, says=["a.bin: ", "no lines"])
    t.refused("predict", "-m", "m", "--explain", "0", "train", status=2, says="--explain")
    t.refused("predict", "-m", "m", "--explain", "101", "--keep", "train", status=2, says="--json")
    r = t.run("predict", "-m", "m", "-f", "jsonl", "--id", "z", stdin='{"a":1}\n{"a":2}\n')
    check("none of the 2 lines has one" in r.err, r.err)


def test_as_many_fields_as_asked_for(t):
    t.write("train", DATA["text"])
    t.run("train", "-q", "-a", "pa-1", "-f", "text", "-o", "m", "train")
    for n in [1, 3, 100]:
        for line in t.run("predict", "-m", "m", "--explain", n, stdin="1\tgood\n0\tgood bad words\nunknown\n").out.splitlines():
            equal(line.count("\t"), 1 + n)
    lines = t.run("predict", "-m", "m", "--explain", "101", stdin="1\tgood\n0\tgood bad words\nunknown\n").out.splitlines()
    equal([line.count("\t") for line in lines], [2, 4, 1])


def test_answers_do_not_depend_on_threads(t):
    t.run("synth", "sparse", "-P", "rows=20000", "-P", "dim=60", "-P", "nonzeros=9", "-o", "a")
    t.run("train", "-q", "-o", "m", "a")
    options = ["--id", "line", "--explain", "2", "--keep"]
    outputs = [t.run("predict", "-m", "m", *options, "--threads", n, "a").out for n in [1, 4]]
    equal(outputs[0], outputs[1])
    equal([line.split("\t", 5)[5] for line in outputs[0].splitlines()], t.read("a").decode().splitlines())
    equal([line.split("\t")[2] for line in outputs[0].splitlines()], [str(i + 1) for i in range(20000)])


def test_names_that_a_terminal_would_not_show(t):
    t.write("train", '{"label":1,"a\\tb\\\\":1}\n{"label":0,"c\\u001b":1}\n' * 5)
    t.run("train", "-q", "-a", "pa-1", "-f", "jsonl", "-o", "m", "train")
    lines = t.run("predict", "-m", "m", "-f", "jsonl", "--explain", "1", "train").out.splitlines()
    check(lines[0].split("\t")[2].startswith("a\\x09b\\x5c:"), lines[0])
    check(lines[1].split("\t")[2].startswith("c\\x1b:"), lines[1])
    answers = objects(t.run("predict", "-m", "m", "-f", "jsonl", "--explain", "1", "--json", "train").out)
    equal([a["explain"][0]["feature"] for a in answers[:2]], ["a\tb\\", "c\x1b"])


def test_labels_are_the_texts_of_the_classes(t):
    t.write("a.text.tsv", "sp\u0007am\tfree money\nham\tlunch at noon\n" * 9)
    t.run("train", "-q", "-a", "pa-1", "-f", "text", "--bias", "1", "-o", "m", "a.text.tsv")
    predict = ["predict", "-m", "m", "-f", "text", "--explain", "9", "a.text.tsv"]
    answers = objects(t.run(*predict, "--json").out)
    equal([a["label"] for a in answers[:2]], ["sp\u0007am", "ham"])
    for answer, line in zip(answers, t.run(*predict).out.splitlines()):
        near(sum(e["contribution"] for e in answer["explain"]), answer["margin"], 1e-9)
        equal(float(line.split("\t")[1]), answer["margin"])
        equal(answer["margin"] > 0, answer["label"] != "ham")
    t.write("b.csv", "y,a\n" + "2,1\n5,-1\n" * 9)
    t.run("train", "-q", "-a", "pa-1", "--label", "y", "-o", "m", "b.csv")
    equal([a["label"] for a in objects(t.run("predict", "-m", "m", "--json", "b.csv").out)][:2], ["2", "5"])


def test_the_examples_of_the_page(t):
    with open(os.path.join(HERE, "..", "..", "docs", "predict.md")) as f:
        page = f.read()
    for name, content in re.findall(r"^`(\S+)`\n```\n(.*?)```$", page, re.S | re.M):
        t.write(name, content)
    commands = 0
    for block in re.findall(r"^```\n(\$ .*?)```$", page, re.S | re.M):
        for command, output in re.findall(r"^\$ sluice (.*)\n((?:[^$\n].*\n|\n)*)", block, re.M):
            words, _, to = command.partition(" > ")
            r = t.run(*words.split())
            equal("" if to else r.out, output, command)
            commands += 1
    check(commands >= 3, "where have the page's commands gone?")
