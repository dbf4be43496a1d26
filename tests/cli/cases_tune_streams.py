"""tune along a stream: --folds forward and --progressive, as separate runs of train and test; measures."""

import math
import random
import statistics

import page_reader as page
from harness import check, equal, near, rows


def tuned(t, *command):
    return t.run("tune", "-q", "--json", *command).json()


def parts_of(lines, n):
    """The parts as docs/tune.md describes them."""
    return [lines[len(lines) * i // n:len(lines) * (i + 1) // n] for i in range(n)]


def options_of(p, grids):
    """A point of a search as options of train."""
    out = ["-a", p["learner"]]
    for name in grids:
        out += ["-P", f"{name}={p['params'][name]}"] if name in p["params"] else [f"--{name}", p["settings"][name]]
    return out


def labelled(n, labels, seed=5):
    """Rows of classes that can be learned: as many features as classes say which it is, some labels are wrong."""
    r = random.Random(seed)
    lines = []
    for _ in range(n):
        k = r.randrange(len(labels))
        shown = r.randrange(len(labels)) if r.random() < 0.2 else k
        lines.append(f"{labels[shown]} {k + 1}:1 {20 + r.randrange(30)}:1 {60 + r.randrange(30)}:0.5\n")
    return lines


# Learners of all kinds, more points than are learned side by side, settings, passes, batches; what is tried and more options.
KINDS = [
    (["ssol", "eta=1,2,3,4,5", "bias=0,0.5"], []),
    (["ssol", "eta=" + ",".join(str(i) for i in range(1, 20))], ["--normalize", "l2"]),
    (["pa-1", "C=0.1,1"], ["--scale", "running"]),
    (["pa-1", "C=0.1,0.2,0.5,1"], ["--scale", "running"]),
    (["sofs", "features=5,8,13,20"], []),
    (["arow-full", "r=0.5,1"], []),
    (["ftrl", "l1=0.1,0.3,1,3"], ["-P", "forget=0.99"]),
]
BATCHES = [(["bcw", "batch=0,70"], []), (["fgm", "features=3,9"], [])]


def tries(kind):
    command = ["-a", kind[0]]
    for grid in kind[1:]:
        command += ["--grid", grid]
    return command, [grid.split("=")[0] for grid in kind[1:]]


def train_on(t, lines, *options):
    t.write("learn", "".join(lines))
    return t.run("train", "-q", "--json", *options, "learn").json()


def test_forward_is_training_on_the_past_and_testing_on_what_comes_next(t):
    lines = rows(301).splitlines(True)
    t.write("a", "".join(lines))
    for kind, more in KINDS + BATCHES + [(["ssol", "eta=1,2,3,4"], ["--passes", 2]), (["pa-1", "C=0.1,1"], ["--passes", 3])]:
        command, grids = tries(kind)
        for folds, k in ("forward", 5), ("forward:2", 2):
            r = tuned(t, *command, "--folds", folds, *more, "a")
            equal((r["mode"], r["folds"], r["examples"]), ("forward", k, 301))
            parts = parts_of(lines, k + 1)
            for p in r["points"][::1 + len(r["points"]) // 5]:
                what = f"{kind} {folds} {p['params']}"
                runs = []
                for i in range(1, k + 1):
                    t.write("test", "".join(parts[i]))
                    runs.append(train_on(t, sum(parts[:i], []), *options_of(p, grids), *more, "--test", "test"))
                equal(p["folds"], [x["test"]["error_rate"] for x in runs], what)
                equal(p["mistakes"], sum(x["mistakes"] for x in runs), what)
                near(p["nonzeros"], statistics.mean(x["nonzeros"] for x in runs), 1e-9, what)
                near(p["mean"], statistics.mean(p["folds"]), 1e-12, what)
                near(p["deviation"], statistics.stdev(p["folds"]), 1e-12, what)
                for key in ["balanced_accuracy", "auc", "hinge_loss", "log_loss", "average_precision"]:
                    known = [x["test"][key] for x in runs if x["test"][key] is not None]
                    if known or p["test"][key] is not None:
                        near(p["test"][key], statistics.mean(known), 1e-12, f"{what} {key}")
                equal(p["test"]["mistakes"], sum(x["test"]["mistakes"] for x in runs), what)


def test_forward_of_words_and_several_classes(t):
    for labels, more in (["spam", "ham"], []), (["2", "1"], ["--positive", "1"]), (["a", "b", "c"], ["--classes", "ovr"]), (
            ["a", "b", "c"], ["--classes", "matrix"]), (["3", "1", "2"], ["--classes", "ovo"]):
        lines = labelled(160, labels)
        t.write("a", "".join(lines))
        for values in "0.1,1", "0.1,0.2,0.5,1":
            r = tuned(t, "-a", "pa-1", "--grid", f"C={values}", "--folds", "forward:3", *more, "a")
            parts = parts_of(lines, 4)
            for p in r["points"]:
                for i in range(1, 4):
                    t.write("test", "".join(parts[i]))
                    by_hand = train_on(t, sum(parts[:i], []), "-a", "pa-1", "-P", f"C={p['params']['C']}", *more, "--test", "test")
                    equal(p["folds"][i - 1], by_hand["test"]["error_rate"], f"{labels} {more} {p['params']} {i}")


SAME = ["examples", "mistakes", "error_rate", "balanced_accuracy", "f1", "auc", "average_precision", "hinge_loss", "log_loss", "brier",
        "precision", "recall", "missed", "false_alarms"]


def test_progressive_is_what_train_counts_while_learning(t):
    t.write("a", rows(1000))
    t.write("late", "1 1:1 2:1\n" * 40 + rows(300))  # label 1 alone at first
    for kind, more in KINDS + BATCHES[:1] + [(["ada-fobos", "eta=1,2,3,4"], [])]:
        command, grids = tries(kind)
        for data in "a", "late":
            r = tuned(t, *command, "--progressive", *more, data)
            equal((r["mode"], r["folds"]), ("progressive", None))
            for p in r["points"][::1 + len(r["points"]) // 7]:
                what = f"{kind} {data} {p['params']}"
                by_hand = t.run("train", "-q", "--json", *options_of(p, grids), *more, data).json()
                for key in SAME:
                    equal(p["progressive"][key], by_hand[key], f"{what} {key}")
                equal((p["mistakes"], p["nonzeros"], p["mean"]), (by_hand["mistakes"], by_hand["nonzeros"], by_hand["error_rate"]), what)
                equal((p["folds"], p["test"], p["deviation"]), (None, None, None))
                equal(len(p["error_by_part"]), 20)
                wrong = [e * len(part) for e, part in zip(p["error_by_part"], parts_of(range(r["examples"]), 20))]
                near(sum(wrong), by_hand["mistakes"], 1e-6, f"{what}: the parts")


def test_progressive_of_words_and_several_classes(t):
    for labels, more in (["spam", "ham"], []), (["ham", "spam"], ["--positive", "ham"]), (["2", "1"], []), (["a", "b", "c"], ["--classes", "ovr"]), (
            ["a", "b", "c"], ["--classes", "matrix"]), (["3", "1", "2"], ["--classes", "ovo"]):
        t.write("a", "".join(labelled(300, labels)))
        for values in "0.1,1", "0.1,0.2,0.5,1,2":
            for p in tuned(t, "-a", "pa-1", "--grid", f"C={values}", "--progressive", *more, "a")["points"]:
                by_hand = t.run("train", "-q", "--json", "-a", "pa-1", "-P", f"C={p['params']['C']}", *more, "a").json()
                for key in ["mistakes", "error_rate", "balanced_accuracy"] + (["macro_f1"] if len(labels) > 2 else ["auc", "f1", "missed"]):
                    equal(p["progressive"][key], by_hand[key], f"{labels} {more} {p['params']} {key}")


def test_small_streams_have_fewer_parts(t):
    t.write("a", rows(7))
    equal(len(tuned(t, "-a", "pa", "--progressive", "a")["best"]["error_by_part"]), 7)
    t.write("one", "1 1:1\n")
    r = tuned(t, "-a", "pa", "--grid", "bias=0", "--progressive", "one")
    equal((r["examples"], r["best"]["error_by_part"]), (1, [1]))
    t.refused("tune", "--progressive", "-a", "pa", status=1, says="only 0 examples", stdin="")
    t.refused("tune", "-a", "pa", "--folds", "forward:7", "a", status=1, says=["only 7 examples: too few for 8 parts", "--folds"])
    equal(tuned(t, "-a", "pa", "--folds", "forward:6", "--grid", "bias=0", "a")["best"]["test"]["examples"], 6)


def test_rows_of_importance_0_are_in_no_part(t):
    lines = [l.split() for l in rows(120).splitlines()]
    t.write("with.vw", "".join(f"{l[0]} {w} | {' '.join(l[1:])}\n" for l in lines for w in (1, 0)))
    t.write("without.vw", "".join(f"{l[0]} 1 | {' '.join(l[1:])}\n" for l in lines))
    for mode in ["--progressive"], ["--folds", "forward:3"]:
        a, b = (tuned(t, "-a", "pa-1", "--grid", "C=0.1,1", *mode, f"{x}.vw") for x in ("with", "without"))
        equal([p["mean"] for p in a["points"]], [p["mean"] for p in b["points"]])
        equal(a["examples"], 120)


def test_results_do_not_depend_on_threads(t):
    t.write("a", rows(400))
    for mode in ["--progressive"], ["--folds", "forward"], ["--folds", "forward", "--passes", 2]:
        for measure in "error", "logloss", "recall@precision=0.8":
            seen = []
            for threads in 1, 3:
                r = tuned(t, "--threads", threads, "--measure", measure, "-a", "ssol,pa-1", "--grid", "eta=1..8:21", "--grid", "C=0.1,1", *mode, "a")
                seen.append([{**p, "seconds": 0} for p in r["points"]])
            equal(seen[0], seen[1], f"{mode} {measure}")


def test_measures_are_those_of_test(t):
    t.write("a", rows(400))
    lines = t.read("a").decode().splitlines(True)
    parts = parts_of(lines, 3)
    seen = {}
    for option, figure in ("ap", "average_precision"), ("logloss", "log_loss"), ("recall@precision=0.8", "recall_at_precision"), ("auc", "auc"):
        r = tuned(t, "-a", "pa-1", "--grid", "C=0.001,0.01,0.1,1", "--measure", option, "--folds", "forward:2", "--choose", "best", "a")
        equal(r["measure"], figure)
        equal(r["larger_is_better"], figure != "log_loss")
        means = [p["mean"] for p in r["points"]]
        equal(means, sorted(means, reverse=figure != "log_loss"), option)
        check(len(set(means)) > 2, "nothing is ordered")
        near(r["best"]["mean"], r["best"]["test"][figure], 1e-15)
        seen[option] = r
    equal(seen["recall@precision=0.8"]["at_precision"], 0.8)
    for i, p in enumerate(seen["logloss"]["points"]):
        for k in 1, 2:
            train_on(t, sum(parts[:k], []), "-a", "pa-1", "-P", f"C={p['params']['C']}", "-o", "m")
            t.write("test", "".join(parts[k]))
            by_hand = t.run("test", "-q", "--json", "-m", "m", "--at", "precision=0.8", "test").json()

            def of(option):
                return next(x for x in seen[option]["points"] if x["params"] == p["params"])["folds"][k - 1]

            equal(of("logloss"), by_hand["log_loss"])
            equal(of("ap"), by_hand["average_precision"])
            chosen = by_hand["threshold"]
            equal(of("recall@precision=0.8"), chosen["recall"] if chosen["reached"] else 0)


def test_a_precision_that_nothing_has_is_a_recall_of_0(t):
    r = random.Random(3)
    t.write("a", "".join(f"{r.choice([-1, -1, 1])} {r.randrange(4)}:1\n" for _ in range(300)))
    got = tuned(t, "-a", "pa-1", "--grid", "C=1", "--measure", "recall@precision=1", "a")
    equal(got["best"]["mean"], 0)
    got = tuned(t, "-a", "pa-1", "--grid", "C=1", "--measure", "recall@precision=0.01", "--progressive", "a")
    equal(got["best"]["mean"], 1)


def test_progressive_log_loss_is_that_of_the_probabilities(t):
    """A learner whose margins are log odds: as train. Others are calibrated meanwhile: better than to know nothing."""
    t.write("a", rows(2000, noise=0.05))
    for learner, grid in ("ftrl", "l1=0.1,1,2,3"), ("ftrl", "l1=0.1"):
        for p in tuned(t, "-a", learner, "--grid", grid, "--measure", "logloss", "--progressive", "a")["points"]:
            by_hand = t.run("train", "-q", "--json", "-a", learner, "-P", f"l1={p['params']['l1']}", "a").json()
            check(by_hand["log_loss"] is not None, "train has none")
            equal(p["mean"], by_hand["log_loss"])
    lanes = tuned(t, "-a", "pa-1", "--grid", "C=0.01,0.1,1,10", "--measure", "logloss", "--progressive", "a")
    alone = tuned(t, "-a", "pa-1", "--grid", "C=0.01,0.1", "--measure", "logloss", "--progressive", "a")
    for p in alone["points"]:
        equal(p["mean"], next(x for x in lanes["points"] if x["params"] == p["params"])["mean"])
        check(0 < p["mean"] < math.log(2) and p["progressive"]["log_loss"] == p["mean"], str(p))
    equal(lanes["best"]["progressive"]["brier"] is None, False)


def test_the_sparsest_within_the_error_of_a_share(t):
    t.write("a", rows(1500))
    grid = ["-a", "fsol", "--grid", "lambda=0,0.01,0.03,0.1,0.2,0.3,1", "--progressive", "a"]
    plain = tuned(t, "--choose", "best", *grid)
    r = tuned(t, *grid)
    least = plain["best"]
    error = math.sqrt(least["mean"] * (1 - least["mean"]) / 1500)
    near(r["best_measure"]["standard_error"], error, 1e-15)
    within = [p for p in r["points"] if p["mean"] <= least["mean"] + error + 1e-12 and p["nonzeros"] > 0]
    equal(r["best"]["nonzeros"], min(p["nonzeros"] for p in within))
    other = tuned(t, "--measure", "auc", *grid)
    equal((other["best_measure"]["standard_error"], other["best_measure"]["point"]), (None, 0))


def test_the_best_model_is_the_one_of_its_command(t):
    t.write("a", rows(300))
    for mode in ["--progressive"], ["--folds", "forward"]:
        r = tuned(t, "-a", "ssol", "--grid", "eta=1,2,4,8", "--grid", "bias=0,1", *mode, "-o", "m", "a")
        command = r["best"]["command"].split()
        check("--progressive" not in command and "--folds" not in command, str(command))
        t.run(*[x if x != "m" else "same" for x in command[1:]])
        equal(t.read("m"), t.read("same"))


def test_wrong_uses_say_what_there_is(t):
    t.write("a", rows(60))
    for folds in "backward", "forward:", "forward:0", "forward:x", "forwards", "1", "0", "2.5":
        t.refused("tune", "--folds", folds, "a", status=2, says=[f"--folds {folds}: ", "forward:K"])
    t.refused("tune", "--progressive", "--folds", 3, "a", status=2, says=["--folds 3", "--progressive", "give one of them"])
    t.refused("tune", "--progressive", "--folds", "forward", "a", status=2, says="give one of them")
    t.refused("tune", "--progressive", "--passes", 2, "a", status=2, says="--progressive measures one pass")
    t.refused("tune", "--progressive=1", "a", status=2, says="takes no value")
    for measure in "precision", "recall", "recall@precision", "recall@precision=", "recall@precision=0", "recall@precision=1.1", "recall@precision=x", \
            "ap=1", "log_loss":
        t.refused("tune", "--measure", measure, "a", status=2,
                  says=[f"--measure {measure}: there are error, balanced, auc, f1, cost, ap, logloss, recall@precision=P"])
    t.write("c", "".join(labelled(60, ["a", "b", "c"])))
    for measure in "ap", "recall@precision=0.9", "auc":
        t.refused("tune", "--classes", "ovr", "--measure", measure, "c", status=2, says="is for two classes")
    t.refused("tune", "--classes", "ovr", "--measure", "logloss", "--progressive", "c", status=2, says=["--folds forward", "--progressive"])
    check(tuned(t, "--classes", "ovr", "-a", "pa-1", "--grid", "C=1", "--measure", "logloss", "c")["best"]["mean"] > 0, "log loss of classes")


def test_notes_tell_streams_from_sorted_files(t):
    r = random.Random(1)
    drifting = "".join(f"{1 if r.random() < 0.05 + 0.5 * i / 2000 else -1} {r.randrange(9)}:1\n" for i in range(2000))
    steady = rows(2000)
    by_label = sorted(steady.splitlines(True))
    t.write("drifting", drifting)
    t.write("steady", steady)
    t.write("sorted", "".join(by_label))
    stream, runs = "--folds forward measures on what comes later", "leave the folds random"
    for name, mode, says in [("drifting", [], stream), ("drifting", ["--folds", "forward"], None), ("drifting", ["--progressive"], None),
                             ("steady", [], None), ("steady", ["--progressive"], None), ("sorted", [], None),
                             ("sorted", ["--folds", "forward"], runs), ("sorted", ["--progressive"], runs)]:
        err = t.run("tune", "-q", "-a", "pa-1", "--grid", "C=1", *mode, name).err
        equal([stream in err, runs in err], [says == stream, says == runs], f"{name} {mode}: {err}")
    err = t.run("tune", "-qq", "-a", "pa-1", "--grid", "C=1", "drifting").err
    equal(err, "")


def test_the_page_shows_the_stream(t):
    t.write("a", rows(400))
    for mode, lines, parts in (["--folds", "forward:4"], 5, 4), (["--progressive"], 5, 20), ([], 0, 0):
        r = tuned(t, "-a", "ssol", "--grid", "eta=1,2,4,8,16,32,64", *mode, "--report", "p", "a")
        found = page.look(t.read("p").decode())
        equal(len(found.charts["tune-chart"]), 7)
        dots = found.charts.get("stream-chart", [])
        equal(len(dots), lines * parts, str(mode))
        if not dots:
            continue
        of_best = [d for d in dots if d.startswith("rank 1, ssol")]
        equal(len(of_best), parts)
        figures = [float(d.split("error ")[1].split(" ")[0]) for d in of_best]
        wanted = r["best"]["folds"] or r["best"]["error_by_part"]
        for got, want in zip(figures, wanted):
            near(got, 100 * want, 6e-4)
        check("examples up to 400" in of_best[-1], of_best[-1])
    t.run("tune", "-q", "-a", "ssol", "--grid", "eta=1,2", "--measure", "logloss", "--folds", "forward", "--report", "p", "a")
    found = page.look(t.read("p").decode())
    equal(found.tables[0][0][1], "log loss")
    check(0.05 < float(found.tables[0][1][1]) < 2, str(found.tables[0][1]))
