"""select: which features are chosen, for which budgets, and what is said about them."""

import collections
import math
import random
import re

import page_reader as page
from harness import check, equal, near, parse, rows

MATTER = [17, 250, 251, 600, 999]


def five_of_a_thousand(n, seed=1, feature=str, **more):
    """Examples of 1000 features in [-1, 1], 30 in each, of which five decide the label; `feature` names them."""
    r = random.Random(seed)
    lines = []
    for _ in range(n):
        ids = sorted(set(r.sample(MATTER, 2) + r.sample(range(1, 1001), 28)))
        values = [round(r.uniform(-1, 1), 3) for _ in ids]
        side = sum(v if i % 2 else -v for i, v in zip(ids, values) if i in MATTER)
        lines.append(f"{1 if side > 0 else -1} {more.get('bar', '')}" +
                     " ".join(f"{feature(i)}:{v:g}" for i, v in zip(ids, values)))
    return "\n".join(lines) + "\n"


def named(n, seed=1):
    return five_of_a_thousand(n, seed, lambda i: f"word{i}", bar="| ")


def selected(t, *command, stdin=b""):
    return t.run("select", "-q", "--json", *command, stdin=stdin).json()


def chosen(budget, key="id"):
    return [f[key] for f in budget["selected"]]


def without_seconds(r):
    return {**r, "seconds": 0, "budgets": [{**b, "seconds": 0} for b in r["budgets"]]}


def test_the_features_that_matter_are_chosen_by_learners_of_both_kinds(t):
    t.write("a", five_of_a_thousand(4000))
    for learner in ["sbcw", "fgm", "sofs", "ssol", "ftrl", "pa-1"]:
        r = selected(t, "-a", learner, "--features", 5, "a")
        equal(r["learner"], learner)
        equal(sorted(chosen(r["budgets"][0])), MATTER, learner)
        check(r["budgets"][0]["test"]["error_rate"] < 0.12, f"{learner}: {r['budgets'][0]['test']}")


def test_json_has_its_fields(t):
    t.write("a", rows(500))
    r = selected(t, "-a", "sofs", "--features", "3,7", "-P", "r=0.5", "a")
    equal([r[k] for k in ["learner", "params", "examples", "test_examples", "held_out_every", "passes", "skipped"]],
          ["sofs", {"r": 0.5}, 400, 100, 5, 1, 0])
    equal([b["features"] for b in r["budgets"]], [3, 7])
    for b in r["budgets"]:
        equal(set(b), {"features", "chosen", "test", "seconds", "selected"})
        equal((b["chosen"], b["test"]["examples"]), (b["features"], 100))
        for key in ["error_rate", "balanced_accuracy", "auc"]:
            check(0 <= b["test"][key] <= 1, key)
        equal([set(f) for f in b["selected"]], [{"id", "score", "weight"}] * b["chosen"])
        equal([f["score"] for f in b["selected"]], sorted((abs(f["weight"]) for f in b["selected"]), reverse=True))


def test_the_largest_budget_is_checked_before_any_work(t):
    t.refused("select", "--features", "10,200000", "nosuch.svm", status=2, says="features")


def test_sbcw_chooses_when_no_learner_is_named(t):
    t.write("a", rows(200))
    equal(selected(t, "--features", 3, "a")["learner"], "sbcw")


def test_a_budgets_model_is_the_one_that_train_makes(t):
    """Names go to the models as numbers here and as names there: it must make no difference."""
    for file, make in ("a", five_of_a_thousand), ("a.vw", named):
        t.write(file, make(1000))
        t.write("test-" + file, make(300, seed=2))
        for learner in ["sbcw", "fgm", "sofs", "ofs", "ofs-p"]:
            both = ["-a", learner, "--bias", 0.5, "--normalize", "l2", "--passes", 2, "--test", "test-" + file, file]
            r = selected(t, "--features", 12, *both)
            train = t.run("train", "-q", "--json", "-P", "features=12", "-o", "m", *both).json()
            got = {k: v for k, v in train["test"].items() if not k.startswith("skipped")}
            equal(r["budgets"][0]["test"], got, learner)
            weights = dict(line.split("\t") for line in t.run("inspect", "--weights", "m").out.splitlines())
            weights.pop("bias", None)
            key = "name" if file == "a.vw" else "id"
            equal({str(f[key]): f["weight"] for f in r["budgets"][0]["selected"]},
                  {k: float(w) for k, w in weights.items()}, learner)


def ranked(t, model, weighted_rows, change=lambda v: v, unit=False, scaled=False, idf=False):
    """The features of a model by |weight| times their root mean square over rows (importance, {id: value})."""
    squares, total, largest, having = {}, 0, {}, collections.Counter()
    for _, x in weighted_rows:
        for i, v in x.items():
            largest[i] = max(largest.get(i, 0), abs(change(v))) if scaled else 1
        having.update(x.keys())
    if idf:
        largest = {i: 1 / (1 + math.log((1 + len(weighted_rows)) / (1 + n))) for i, n in having.items()}
    for importance, x in weighted_rows:
        x = {i: change(v) / largest[i] for i, v in x.items()}
        length = sum(v * v for v in x.values()) if unit else 1
        for i, v in x.items():
            squares[i] = squares.get(i, 0) + importance * v * v / length
        total += importance
    weights = dict(line.split("\t") for line in t.run("inspect", "--weights", model).out.splitlines())
    scores = {int(i): abs(float(w)) * math.sqrt(squares[int(i)] / total) for i, w in weights.items() if i != "bias"}
    return sorted(scores.items(), key=lambda f: -f[1])


def test_features_are_ranked_by_what_they_add_to_margins(t):
    """By |weight| times the root mean square of the values as the model sees them."""
    r = random.Random(8)
    data = []
    for k in range(400):
        y = r.choice((1, -1))
        x = {i: round(r.expovariate(1 / (i % 5 + 1)), 2) + 0.01 for i in r.sample(range(1, 40), 8)}
        x[50 + k % 3] = 3 if y > 0 else 1
        data.append((y, x))
    logarithm, sign = (lambda v: math.log1p(v)), (lambda v: 1)
    for far in 0, 2**40:  # ids that are places, and ids that are not
        moved = [(y, {i + far * (i % 2): v for i, v in x.items()}) for y, x in data]
        t.write("a", "".join(f"{y} {' '.join(f'{i}:{v}' for i, v in sorted(x.items()))}\n" for y, x in moved))
        for options, how in [([], {}), (["--normalize", "l2"], {"unit": True}), (["--transform", "log1p", "--bias", 1], {"change": logarithm}),
                             (["--transform", "binary", "--normalize", "l2"], {"change": sign, "unit": True}),
                             (["--scale", "maxabs"], {"scaled": True}), (["--scale", "running", "--normalize", "l2"], {"scaled": True, "unit": True}),
                             (["--scale", "idf", "--normalize", "l2"], {"idf": True, "unit": True})]:
            for learner in "ftrl", "arow":
                got = selected(t, "-a", learner, *options, "--features", 12, "--test", "a", "a")["budgets"][0]["selected"]
                t.run("train", "-q", "-a", learner, *options, "-o", "m", "a")
                wanted = ranked(t, "m", [(1, x) for _, x in moved], **how)[:12]
                equal([f["id"] for f in got], [i for i, _ in wanted], f"{learner} {options}")
                for f, (_, score) in zip(got, wanted):
                    near(f["score"], score, 1e-5 * score, f"{learner} {options} {f['id']}")


def test_an_example_counts_by_its_importance(t):
    data = [((2, 0, 1, 0.5)[i % 4], {1 + i % 2: 1, 3 + i % 7: 1 + i % 3, 10 + i % 4: 2}) for i in range(210)]
    t.write("a.vw", "".join(f"{1 if i % 2 else -1} {w} | {' '.join(f'{k}:{v}' for k, v in x.items())}\n" for i, (w, x) in enumerate(data)))
    got = selected(t, "-a", "arow", "--features", 9, "--test", "a.vw", "a.vw")["budgets"][0]["selected"]
    t.run("train", "-q", "-a", "arow", "-o", "m", "a.vw")
    scores = dict(ranked(t, "m", data))
    check(len(got) == 9, f"{len(got)}")
    for f in got:
        near(f["score"], scores[int(f["name"])], 1e-5 * f["score"], f["name"])


def test_a_rare_feature_of_large_weight_does_not_push_out_a_frequent_one(t):
    r = random.Random(5)
    lines = []
    for k in range(1000):
        y = r.choice((1, -1))
        seen = y if r.random() < 0.8 else -y  # feature 1 or 2 tells in four of five rows
        lines.append(f"{y} {1 if seen > 0 else 2}:1 {100 + k // 2}:1\n")  # the others occur twice each
    t.write("a", "".join(lines))
    for learner in "ssol", "arow", "ftrl":
        chosen = selected(t, "-a", learner, "--features", 2, "--test", "a", "a")["budgets"][0]["selected"]
        equal(sorted(f["id"] for f in chosen), [1, 2], learner)


def test_other_learners_learn_the_best_features_alone(t):
    """The same as ranking by train, writing the best features to a file, and learning from that."""
    t.write("a", five_of_a_thousand(600))
    t.write("b", five_of_a_thousand(200, seed=2))
    options = ["-a", "pa-1", "-P", "C=0.5", "--bias", 1, "--normalize", "l2", "--passes", 2]
    r = selected(t, *options, "--features", 20, "--test", "b", "a")["budgets"][0]
    t.run("train", "-q", *options, "-o", "m", "a")
    best = ranked(t, "m", [(1, x) for _, x in parse(t.read("a").decode())], unit=True)[:20]
    equal([f["id"] for f in r["selected"]], [i for i, _ in best])
    for f, (_, score) in zip(r["selected"], best):
        near(f["score"], score, 1e-6 * score, "score")

    ids = {str(i) for i, _ in best}
    for name in "ab":
        lines = [line.split() for line in t.read(name).decode().splitlines()]
        t.write("best-" + name, "".join(" ".join([l[0]] + [p for p in l[1:] if p.split(":")[0] in ids]) + "\n" for l in lines))
    train = t.run("train", "-q", "--json", *options, "-o", "m2", "--test", "best-b", "best-a").json()
    for key in ["error_rate", "balanced_accuracy", "auc", "hinge_loss"]:
        near(r["test"][key], train["test"][key], 1e-12, key)
    weights = dict(line.split("\t") for line in t.run("inspect", "--weights", "m2").out.splitlines())
    equal({f["id"]: f["weight"] for f in r["selected"]}, {i: float(weights.get(str(i), 0)) for i, _ in best})


def test_learners_in_batches_have_learned_their_last_one(t):
    t.write("a", rows(250))
    t.write("b", rows(100, seed=2))
    for name in t.in_batches():
        params = [p["name"] for p in t.run("learners", name, "--json").json()["learners"][0]["params"]]
        for batch in [0, 70]:  # one for the run, or 70, 70, 70 and 40
            given = ["-a", name, "-P", f"batch={batch}", "--test", "b", "a"]
            r = selected(t, "--features", 50, *given)["budgets"][0]  # there are no more
            whole = ["-P", "features=50"] if "features" in params else []
            train = t.run("train", "-q", "--json", *whole, *given).json()["test"]
            check(r["test"]["error_rate"] < 0.35, f"{name}: {r['test']['error_rate']}")
            for key in ["mistakes", "auc", "hinge_loss"]:
                near(r["test"][key], train[key], 1e-9, f"{name}, batch={batch}: {key}")


def test_every_learner_selects(t):
    t.write("a", rows(300))
    for name in t.named_learners():
        r = selected(t, "-a", name, "--features", "2,8", "a")
        equal(r["learner"], name)
        for b in r["budgets"]:
            check(b["chosen"] == len(b["selected"]) <= b["features"], f"{name}: {b['chosen']} for {b['features']}")
            check(b["chosen"] > 0 and all(f["score"] > 0 for f in b["selected"]), name)


def test_names_are_shown_as_given(t):
    t.write("a.vw", named(3000))
    r = selected(t, "--features", 5, "a.vw")
    equal(sorted(chosen(r["budgets"][0], "name")), sorted(f"word{i}" for i in MATTER))
    text = t.run("select", "-q", "--features", 5, "a.vw").out
    for i in MATTER:
        check(re.search(rf"^ +\d  word{i} +[\d.]+ +-?[\d.]+ +5$", text, re.M), text)
    t.write("c.jsonl", '{"label": 1, "a b\\tc": 1}\n{"label": -1, "other": 1}\n' * 10)
    t.run("select", "-q", "--features", 2, "-o", "list", "c.jsonl")
    check(b"\ta b\\x09c\t" in t.read("list"), "a tab in a name")


def test_words_of_raw_text_are_selected(t):
    t.write("mail", "".join(f"{i % 2}\t{'prize' if i % 2 else 'meeting'} common filler{i}\n" for i in range(200)))
    r = selected(t, "-f", "text", "--ngrams", 2, "--holdout", 3, "--features", 4, "-a", "pa-1", "mail")
    check({"prize", "meeting", "prize common", "meeting common"} >= set(chosen(r["budgets"][0], "name")), str(r["budgets"]))


def test_budgets_are_sorted_and_each_comes_once(t):
    t.write("a", rows(300))
    r = selected(t, "--features", "20,3,20,7,3", "a")
    equal([b["features"] for b in r["budgets"]], [3, 7, 20])
    equal(without_seconds(r), without_seconds(selected(t, "--features", "3,7,20", "a")))


def test_budgets_that_are_none_are_refused(t):
    for text in ["0", "5,0", "", "5,", ",5", "5,,6", "-1", "1.5", "x", "5 6", "4000000001", "9" * 40]:
        t.refused("select", f"--features={text}", status=2, says="--features")
    t.refused("select", status=2, says=["how many features", "--features 10,20,50"])


def test_what_contradicts_is_refused(t):
    t.write("a", rows(10))
    for learner in ["sofs", "ofs"]:
        t.refused("select", "-a", learner, "--features", 5, "-P", "features=7", "a", status=2,
                  says=["-P features=7", "--features sets this parameter"])
    t.refused("select", "-a", "pa-1", "--features", 5, "-P", "features=7", "a", status=2, says=["features", "C"])
    t.refused("select", "-a", "auto", "--features", 5, "missing", status=2, says=["-a auto", "chooses its learner itself"])
    t.refused("select", "-a", "soffs", "--features", 5, "a", status=2, says="did you mean 'sofs'")
    t.refused("select", "--features", 5, "-P", "r=0", "a", status=2, says="r")
    t.refused("select", "--features", 5, "--test", "a", "--holdout", 3, "a", status=2, says="--holdout")
    for n in ["0", "1", "x"]:
        t.refused("select", "--features", 5, "--holdout", n, "a", status=2, says="--holdout")
    t.refused("select", "--features", 5, "--test", "-", status=2, says="standard input")
    t.refused("select", "--features", 5, "-o", "a", "a", status=2, says=["-o a", "replace an input"])
    t.refused("select", "--features", 5, "-o", "-", "a", status=2, says="standard output")
    t.refused("select", "--features", 5, "--r", "3", "a", status=2, says="-P r=3")


def test_failures_have_status_1(t):
    t.write("a", rows(10))
    t.refused("select", "--features", 5, "missing", status=1, says="missing")
    t.refused("select", "--features", 5, "--test", "missing", "a", status=1, says="missing")
    t.refused("select", "--features", 5, "-o", "no/such/folder", "a", status=1, says="no/such/folder")
    t.refused("select", "--features", 5, status=1, says="2:3", stdin="1 1:1\n1 x:1\n")
    for learner in ["perceptron", "ofs"]:
        t.refused("select", "-a", learner, "-P", "eta=1e12", "--features", 5, status=1, says="number", stdin="1 1:3e38\n" * 9)
    check(not t.exists("list"), "a list")


def test_results_do_not_depend_on_threads(t):
    t.write("a.vw", named(3000))
    for learner in ["sbcw", "sofs", "ssol", "ofs-p"]:
        results = []
        for threads in [1, 2, 5]:
            command = ["-a", learner, "--features", "2,4,8,16,32", "--threads", threads, "-o", f"list{threads}", "a.vw"]
            results.append((without_seconds(selected(t, *command)), t.read(f"list{threads}")))
        check(results[0] == results[1] == results[2], learner)


def test_held_out_examples_are_not_learned_from(t):
    """Every third row is nothing but a feature of its own, which is chosen where such rows are learned from."""
    t.write("a", "".join(f"{1 if i % 2 else -1} {900 if i % 3 == 2 else 1 + i % 2}:1\n" for i in range(300)))
    r = selected(t, "-a", "perceptron", "--features", 10, "--holdout", 3, "a")
    equal((r["examples"], r["test_examples"], r["held_out_every"]), (200, 100, 3))
    equal(sorted(chosen(r["budgets"][0])), [1, 2])
    equal(r["budgets"][0]["test"]["error_rate"], 0.5)
    equal(900 in chosen(selected(t, "-a", "perceptron", "--features", 10, "--holdout", 4, "a")["budgets"][0]), True)


def test_the_test_file_is_measured_on_and_not_learned_from(t):
    t.write("a", rows(500))
    t.write("b", rows(100, seed=3).replace(" ", " 77:1 ", 1))
    r = selected(t, "--features", 500, "--test", "b", "a")
    equal((r["examples"], r["test_examples"], r["test_file"]), (500, 100, "b"))
    check("held_out_every" not in r and 77 not in chosen(r["budgets"][0]), str(r))
    equal(r["budgets"][0]["test"]["examples"], 100)


def test_examples_of_importance_0_are_absent(t):
    lines = rows(200).splitlines()
    t.write("with.vw", "".join(f"{l.split()[0]} {w} | {' '.join(l.split()[1:])}\n" for l in lines for w in (1, 0)))
    t.write("without.vw", "".join(f"{l.split()[0]} | {' '.join(l.split()[1:])}\n" for l in lines))
    equal(without_seconds(selected(t, "--features", 9, "with.vw")), without_seconds(selected(t, "--features", 9, "without.vw")))


def test_fewer_are_chosen_where_there_are_no_more(t):
    t.write("a", rows(300, dim=20))
    for learner in ["sofs", "pa-1"]:
        r = selected(t, "-a", learner, "--features", "5,1000", "a")
        equal(r["budgets"][0]["chosen"], 5)
        check(10 < r["budgets"][1]["chosen"] <= 20, str(r["budgets"][1]["chosen"]))


def test_the_bias_is_no_feature(t):
    t.write("a", "1 1:1\n1 2:1\n1 3:1\n-1 4:1\n" * 20)
    for learner in ["ofs", "pa-1"]:
        r = selected(t, "-a", learner, "--bias", 5, "--features", "1,9", "a")
        check(set(chosen(r["budgets"][1])) <= {1, 2, 3, 4} and r["budgets"][0]["chosen"] <= 1, str(r["budgets"]))


def test_one_class_is_warned_of(t):
    t.write("a", "1 1:1 2:1\n" * 20)
    r = t.run("select", "--features", 2, "a")
    check("warning: input: all 16 labels are 1" in r.err and "held-out examples: all 4" in r.err, r.err)
    equal(t.run("select", "-qq", "--features", 2, "a").err, "", "-qq")
    equal(selected(t, "--features", 2, "a")["budgets"][0]["test"]["auc"], None)


def test_an_empty_input_is_no_error(t):
    for learner in ["sofs", "ssol"]:
        r = selected(t, "-a", learner, "--features", 5, stdin="")
        equal((r["examples"], r["test_examples"], r["budgets"][0]["chosen"]), (0, 0, 0))
        equal(r["budgets"][0]["test"]["error_rate"], None)
    check("0 of the 0 features" in t.run("select", "--features", 5, stdin="").out, "text")


def test_text_shows_budgets_and_the_best_features(t):
    t.write("a", rows(500))
    r = selected(t, "--features", "5,10,40", "a")
    brief = t.run("select", "-q", "--features", "5,10,40", "a").out
    equal(len(re.findall(r"^ +\d+  \d+ ", brief.split("chosen for 40")[1], re.M)), 5, "the first five")
    text = t.run("select", "-qv", "--features", "5,10,40", "a").out
    check(all(len(line) <= 80 for line in text.splitlines()), "wider than 80 columns")
    table = re.findall(r"^ +(\d+) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +[\d.e-]+$", text.split("chosen for")[0], re.M)
    equal(len(table), 3)
    for row, b in zip(table, r["budgets"]):
        equal((int(row[0]), int(row[1])), (b["features"], b["chosen"]))
        for got, key in zip(row[2:], ["error_rate", "balanced_accuracy", "auc"]):
            near(float(got), b["test"][key], 6e-5, key)
    check(re.search(r"^held out every +5$", text, re.M), text)

    listed = re.findall(r"^ +(\d+)  (\d+) +[\d.e-]+ +-?[\d.e-]+ +(\d+)$", text.split("chosen for 40")[1], re.M)
    equal([(int(i), int(f)) for i, f, _ in listed], list(enumerate(chosen(r["budgets"][2]), 1))[:20])
    sets = [(b["features"], set(chosen(b))) for b in r["budgets"]]
    for _, f, since in listed:
        wanted = min(n for k, (n, _) in enumerate(sets) if all(int(f) in s for _, s in sets[k:]))
        equal(int(since), wanted, f"feature {f}")


def test_top_says_how_many_to_list(t):
    t.write("a", rows(500))
    for top, wanted in (3, 3), (0, 30), (1000, 30):
        text = t.run("select", "-q", "--features", 30, "--top", top, "a").out
        equal(len(re.findall(r"^ +\d+  \d+ +", text.split("chosen for")[1], re.M)), wanted, f"--top {top}")
        equal("--top 0 lists all" in text, wanted < 30)


def test_output_has_the_features_of_all_budgets(t):
    t.write("a", rows(500))
    r = selected(t, "--features", "4,9", "-o", "list", "a")
    lines = [line.split("\t") for line in t.read("list").decode().splitlines()]
    equal(lines[0], ["budget", "rank", "feature", "score", "weight"])
    wanted = [[b["features"], k, f["id"], f["score"], f["weight"]] for b in r["budgets"] for k, f in enumerate(b["selected"], 1)]
    equal([[int(b), int(k), int(f), float(s), float(w)] for b, k, f, s, w in lines[1:]], wanted)


def test_skipped_lines_are_counted_in_both_inputs(t):
    t.write("a", rows(50) + "1 x:1\n")
    t.write("b", rows(50) + "1 x:1\n1 y:1\n")
    r = t.run("select", "--json", "--on-error", "skip", "--features", 5, "--test", "b", "a")
    equal((r.json()["skipped"], r.json()["test_skipped"]), (1, 2))
    check("input: 1 malformed line skipped" in r.err and "b: 2 malformed lines skipped" in r.err, r.err)


def test_the_page_shows_budgets_and_features(t):
    t.write("a", five_of_a_thousand(400))
    t.write("b.vw", named(200))
    for source, more in ("a", []), ("a", ["--test", "a"]), ("b.vw", ["--top", 3]), ("a", ["-a", "ssol", "--top", 0]):
        r = selected(t, "--features", "2,5,20", *more, "--report", "p", source)
        found = page.look(t.read("p").decode())
        equal(len(found.charts["select-chart"]), 3)
        for title, b, row in zip(found.charts["select-chart"], r["budgets"], found.tables[0][1:]):
            check(title.startswith(f"{b['features']} features: error {100 * b['test']['error_rate']:.3f} %"), title)
            equal((int(row[0]), int(row[1]), row[2]), (b["features"], b["chosen"], f"{100 * b['test']['error_rate']:.3f}"))
        last = r["budgets"][-1]
        top = 3 if "--top" in more and 3 in more else last["chosen"] if 0 in more else 20
        equal([row[0] for row in found.tables[1][1:]], [str(f.get("name", f.get("id"))) for f in last["selected"]][:top])


def test_the_page_of_nothing(t):
    t.run("select", "-q", "--features", "5", "--report", "p", stdin="")
    found = page.look(t.read("p").decode())
    check("There was no example to learn from." in found.text and "No feature was chosen." in found.text, found.text)
