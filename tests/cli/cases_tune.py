"""tune: which points are tried, how they are measured, which one is best."""

import itertools
import random
import shlex
import statistics

import page_reader as page
from harness import check, equal, near, on_a_terminal, rows


def tuned(t, *command, stdin=b""):
    return t.run("tune", "-q", "--json", *command, stdin=stdin).json()


def values(r, *names):
    """What the points have for these parameters."""
    return {tuple(p["params"][n] for n in names) if len(names) > 1 else p["params"][names[0]] for p in r["points"]}


def without_seconds(r):
    def plain(p):
        return {**p, "seconds": 0}
    return {**r, "seconds": 0, "points": [plain(p) for p in r["points"]], "best": plain(r["best"])}


def folds_by_hand(t, name, k, seed=1):
    """The folds as docs/tune.md describes them, as lists of lines."""
    t.run("convert", "-q", name, "--shuffle", seed, "-o", "shuffled.svm")
    lines = t.read("shuffled.svm").decode().splitlines(True)
    folds = [[] for _ in range(k)]
    is_positive = [float(line.split()[0]) > 0 for line in lines]
    turn = {True: 0, False: sum(is_positive)}
    for line, positive in zip(lines, is_positive):
        folds[turn[positive] % k].append(line)
        turn[positive] += 1
    return folds


def test_it_is_cross_validation_as_by_hand(t):
    """For learners of all kinds, with settings and passes: the same as train and test on files of the folds."""
    t.write("a", rows(301))
    for learner, grid, options in [("ssol", "eta=1,2,3,4,5", ["--bias", 0.5]), ("pa-1", "C=0.1,0.2,0.5,1", ["--normalize", "l2"]),
                                   ("sofs", "features=5,20", ["--passes", 2]), ("bcw", "batch=0,70", []),
                                   ("fgm", "features=3,9", []), ("ftrl", "l1=0.1,0.3,1,3", ["--passes", 2]), ("fsol", "eta=1,4", [])]:
        for k, seed in (2, 1), (3, 9):
            r = tuned(t, "-a", learner, "--grid", grid, "--folds", k, "--seed", seed, *options, "a")
            folds = folds_by_hand(t, "a", k, seed)
            name, tried = grid.split("=")
            equal(len(r["points"]), len(tried.split(",")))
            for value in tried.split(","):
                tests, mistakes, nonzeros = [], 0, []
                for held in range(k):
                    t.write("learn", "".join(itertools.chain(*(f for i, f in enumerate(folds) if i != held))))
                    t.write("test", "".join(folds[held]))
                    by_hand = t.run("train", "-q", "--json", "-a", learner, "-P", f"{name}={value}", *options, "--test", "test", "learn").json()
                    tests.append(by_hand["test"])
                    mistakes += by_hand["mistakes"]
                    nonzeros.append(by_hand["nonzeros"])
                p = next(p for p in r["points"] if p["params"][name] == float(value))
                what = f"{learner} {name}={value}"
                equal(p["folds"], [x["error_rate"] for x in tests], what)
                equal(p["mistakes"], mistakes, what)
                near(p["nonzeros"], statistics.mean(nonzeros), 1e-9, what)
                near(p["mean"], statistics.mean(p["folds"]), 1e-12, what)
                near(p["deviation"], statistics.stdev(p["folds"]), 1e-12, what)
                for key in ["error_rate", "balanced_accuracy", "auc", "hinge_loss"]:
                    near(p["test"][key], statistics.mean(x[key] for x in tests), 1e-12, f"{what} {key}")
                for key in ["examples", "mistakes", "missed"]:
                    equal(p["test"][key], sum(x[key] for x in tests), f"{what} {key}")


def test_leaving_one_out_is_near_five_folds(t):
    """Folds of one row were learned class after class, which a perceptron does not survive."""
    t.write("a", rows(200, noise=0))
    error = {k: tuned(t, "-a", "perceptron", "--folds", k, "a")["best"]["mean"] for k in [5, 100, 200]}
    for k in [100, 200]:
        near(error[k], error[5], 0.06, f"{k} folds: {error}")


def test_json_has_its_fields(t):
    t.write("a", rows(300))
    r = tuned(t, "-a", "ssol,pa", "--grid", "eta=1,2,4", "-P", "lambda=3", "a")
    equal([r[k] for k in ["measure", "folds", "passes", "seed", "examples", "skipped"]], ["error_rate", 5, 1, 1, 300, 0])
    equal(len(r["points"]), 4)
    for p in r["points"]:
        equal(set(p), {"learner", "params", "failed", "mean", "deviation", "folds", "mistakes", "error_rate", "nonzeros",
                       "sparsity", "test", "seconds", "settings"})
        equal(p["settings"], {}, "no setting is varied")
        equal((p["failed"], len(p["folds"]), p["test"]["examples"]), (None, 5, 300))
        check(p["learner"] == "pa" or p["params"]["lambda"] == 3, str(p["params"]))
    equal({k: v for k, v in r["best"].items() if k not in ("at_end", "command")}, r["points"][0])
    equal((r["choose"], set(r["best_measure"])), ("sparse", {"point", "mean", "standard_error"}))


def test_points_are_sorted_and_ties_go_to_the_sparser_then_the_first(t):
    t.write("a", rows(400))
    r = tuned(t, "--grid", "eta=2^-6..2^6", "--grid", "lambda=0,1,1000", "a")
    keys = [(round(p["mean"], 12), p["nonzeros"]) for p in r["points"]]
    equal(keys, sorted(keys))
    check(len({mean for mean, _ in keys}) < len(keys), "no tie")
    t.write("b", "1 1:1\n-1 2:1\n" * 20)
    r = tuned(t, "-a", "pa-1", "--grid", "C=5,3,4", "b")
    equal([p["params"]["C"] for p in r["points"]], [5, 3, 4])
    r = tuned(t, "--grid", "lambda=1e-9,1e-3,2e-3", "b")
    equal(len({(p["mean"], p["nonzeros"]) for p in r["points"]}), 1)
    equal([p["params"]["lambda"] for p in r["points"]], [1e-9, 1e-3, 2e-3])


def test_ranges_and_lists_of_values(t):
    t.write("a", rows(30))

    def tried(grid, *more, name="eta", learner="ssol"):
        return sorted(values(tuned(t, "-a", learner, "--grid", grid, "--folds", 2, *more, "a"), name))

    equal(tried("eta=2^-2..2^3"), [0.25, 0.5, 1, 2, 4, 8])
    equal(tried("eta=10^-3..10^2"), [0.001, 0.01, 0.1, 1, 10, 100])
    equal(tried("eta=3^0..3^2"), [1, 3, 9])
    equal(tried("eta=0.5^1..0.5^-2"), [0.5, 1, 2, 4])
    equal(tried("eta=0.01..100:5"), [0.01, 0.1, 1, 10, 100])
    equal(tried("eta=1..10:4"), [1, 2.154, 4.642, 10])
    equal(tried("eta=2^0..10^2:3"), [1, 10, 100])
    equal(tried("eta=1..2^0:2"), [1])
    equal(tried("eta=5,.5,1e1,2^4"), [0.5, 5, 10, 16])
    equal(tried("lambda=0,10^-1..10^1,10,0.0", name="lambda"), [0, 0.1, 1, 10])
    equal(tried("schedule=sqrt,constant", name="schedule"), ["constant", "sqrt"])
    equal(tried("features=1..100:7", name="features", learner="sofs"), [1, 2, 5, 10, 22, 46, 100])


def test_grids_are_crossed_the_first_one_outermost(t):
    t.write("a", "1 1:1\n-1 2:1\n" * 20)  # all points are equal, so they keep their order
    r = tuned(t, "--grid", "r=1,2", "--grid", "lambda=1e-9,1e-8,1e-7", "a")
    equal([(p["params"]["r"], p["params"]["lambda"]) for p in r["points"]],
          [(x, y) for x in (1, 2) for y in (1e-9, 1e-8, 1e-7)])


def test_grids_that_are_wrong_are_refused_with_an_example(t):
    t.write("a", rows(30))
    for grid, says in [("eta=1,x", "'x' is no number"), ("eta=", "no values"), ("eta", "no values"), ("eta=1,,2", "no value"),
                       ("eta=2..1:3", "runs backwards"), ("eta=0..1:3", "begins above 0"), ("eta=-1..1:3", "begins above 0"),
                       ("eta=1..10", "how many values"), ("eta=2^-1..10^2", "how many values"), ("eta=1..10:1", "from 2 to 10000"),
                       ("eta=1..10:x", "from 2 to 10000"), ("eta=1..10:1e9", "from 2 to 10000"), ("eta=1..x:3", "no range"),
                       ("eta=2^0.5", "no number"), ("eta=2^9999", "no number"), ("eta=..", "no range"),
                       ("eta=" + "9" * 60, "too long"), ("schedule=sqrt,cubic", "constant, inverse, sqrt"),
                       ("schedule=1..2:2", "takes words"), ("eta=0", "eta of ssol lies between"),
                       ("eta=1e13", "eta of ssol lies between"), ("zeta=1", "there are: eta, lambda")]:
        r = t.refused("tune", "--grid", grid, "a", status=2, says=says)
        if "write" in r.err and "eta" in grid:
            check("eta=" in r.err, r.err)
    t.refused("tune", "-a", "sofs", "--grid", "features=1.5,2", "a", status=2, says="whole number")
    t.refused("tune", "--grid", "eta=1,2", "--grid", "eta=3", "a", status=2, says="has a grid already")
    t.refused("tune", "--grid", "eta=1,2", "-P", "eta=3", "a", status=2, says="-P already fixes eta")
    t.refused("tune", "--grid", "eta=1..10:1000", "--grid", "r=1..10:1000", "a", status=2, says=["100000", "--random"])
    t.refused("tune", "-P", "zeta=1", "a", status=2, says="there are: eta, lambda")
    t.refused("tune", "-P", "eta=-1", "a", status=2, says="eta of ssol lies between")


def test_other_usage_errors(t):
    t.write("a", rows(30))
    t.refused("tune", "-a", "ssol,ssool", "a", status=2, says="did you mean 'ssol'")
    t.refused("tune", "-a", "ssol,", "a", status=2, says="unknown learner")
    for option, text in [("--folds", 1), ("--folds", "x"), ("--random", 0), ("--random", 10001), ("--measure", "errors"), ("--passes", 0)]:
        t.refused("tune", option, text, "a", status=2, says=option)
    t.refused("tune", "--measure", "cost", "a", status=2, says="--cost-missed")
    t.refused("tune", "-o", "-", "a", status=2, says="standard output")
    t.refused("tune", "-o", "a", "a", status=2, says="replace an input")
    t.refused("tune", "--eta", "1", "a", status=2, says="-P eta=1")
    t.refused("tune", "missing", status=1, says="missing")
    t.refused("tune", "-o", "no/such/folder", "a", status=1, says="no/such/folder")
    t.refused("tune", status=1, says="2:3", stdin="1 1:1\n1 x:1\n")
    t.refused("tune", status=1, says="only 0 examples", stdin="")
    t.refused("tune", "--folds", 4, status=1, says="only 3 examples: too few for 4 folds", stdin="1 1:1\n-1 1:1\n1 1:1\n")


def test_a_grid_applies_to_the_learners_that_have_the_parameter(t):
    t.write("a", rows(60))
    r = tuned(t, "-a", "ssol,pa,pa-1,ssol", "--grid", "eta=1,2", "--grid", "C=1,2,3", "-P", "lambda=2", "a")
    count = {n: sum(p["learner"] == n for p in r["points"]) for n in ("ssol", "pa", "pa-1")}
    equal(count, {"ssol": 2, "pa": 1, "pa-1": 3})


def test_without_a_grid_the_usual_parameters_are_tried(t):
    t.write("a", rows(60))
    r = tuned(t, "a")
    equal(sorted(values(r, "eta")), [0.25, 1, 4, 16, 64])
    equal(sorted(values(r, "lambda")), [1.875, 7.5, 30, 120, 480])
    equal(sorted(values(r, "r")), [0.0625, 1, 16])
    equal({(p["settings"]["normalize"], p["settings"]["bias"]) for p in r["points"]},
          {(n, b) for n in ("none", "l2") for b in (0, 0.3, 1)})
    equal(len(r["points"]), 5 * 5 * 3 * 2 * 3)
    equal(sorted(values(tuned(t, "-P", "eta=3", "a"), "eta")), [3])
    for fixed, left in (["--normalize", "l2"], 225), (["--normalize", "none"], 225), (["--bias", 0], 150), (["--bias", 1, "--normalize", "l2"], 75):
        equal(len(tuned(t, *fixed, "a")["points"]), left, str(fixed))
    for learner in t.named_learners():
        r = tuned(t, "-a", learner, "--folds", 2, "a")
        slow = learner.endswith("-full") or learner in ("bcw", "sbcw", "fgm")
        check(6 <= len(r["points"]) <= (162 if slow else 450) and r["best"]["learner"] == learner, f"{learner} {len(r['points'])}")
    says = t.run("tune", "-a", "pa", "a").err
    check("6 points in 5 folds: 30 models" in says, says)
    check("models" not in t.run("tune", "-q", "-a", "pa", "a").err, "with -q")


def test_a_grid_can_have_settings(t):
    """To the figure what train and test give with these options."""
    t.write("a", rows(300))
    r = tuned(t, "-a", "pa-1", "--grid", "C=1,2", "--grid", "normalize=none,l2", "--grid", "bias=0,0.5", "--grid", "transform=none,log1p,binary",
              "--folds", 3, "a")
    equal(len(r["points"]), 24)
    folds = folds_by_hand(t, "a", 3)
    t.write("learn", "".join(folds[1] + folds[2]))
    t.write("test", "".join(folds[0]))
    for p in r["points"]:
        s = p["settings"]
        options = ["--normalize", s["normalize"], "--transform", s["transform"]] + (["--bias", s["bias"]] if s["bias"] else [])
        by_hand = t.run("train", "-q", "--json", "-a", "pa-1", "-P", f"C={p['params']['C']}", *options, "--test", "test", "learn").json()
        equal(p["folds"][0], by_hand["test"]["error_rate"], str(options))
    equal(r["settings"]["normalize"], r["best"]["settings"]["normalize"], "the settings shown are the best point's")
    for p in tuned(t, "-a", "pa-1", "--grid", "scale=none,running,maxabs,idf", "--folds", 3, "a")["points"]:
        by_hand = t.run("train", "-q", "--json", "-a", "pa-1", "--scale", p["settings"]["scale"], "--test", "test", "learn").json()
        equal(p["folds"][0], by_hand["test"]["error_rate"], p["settings"]["scale"])
    two = tuned(t, "-a", "pa-1,pa-2", "--grid", "normalize=none,l2", "a")
    equal(len(two["points"]), 4, "every learner has settings")
    for grid, says in [("normalize=l3", "none, l2"), ("bias=x", "'x' is no number"), ("bias=", "no values"), ("scale=1..2:2", "takes words"),
                       ("normalise=l2", "no such parameter")]:
        t.refused("tune", "--grid", grid, "a", status=2, says=says)
    t.refused("tune", "--grid", "bias=0,1", "--bias", 1, "a", status=2, says="--bias already fixes it")
    t.refused("tune", "--grid", "bias=0,1", "--grid", "bias=1", "a", status=2, says="has a grid already")


def test_drawn_settings_do_not_depend_on_threads(t):
    t.write("a", rows(200))
    command = ["-a", "ssol,pa", "--random", 40, "--grid", "eta=0.1..10", "--grid", "normalize=none,l2", "--grid", "bias=0,0.3,1", "a"]
    one = tuned(t, "--threads", 1, *command)
    equal(without_seconds(tuned(t, "--threads", 3, *command)), without_seconds(one))
    equal(sum(p["learner"] == "ssol" for p in one["points"]), 40)
    equal({(p["settings"]["normalize"], p["settings"]["bias"]) for p in one["points"] if p["learner"] == "pa"},
          {(n, b) for n in ("none", "l2") for b in (0, 0.3, 1)})


def test_the_sparsest_within_a_standard_error_is_best(t):
    t.write("a", rows(400))
    grid = ["--grid", "eta=2^-6..2^6", "--grid", "lambda=0,1,10,100", "a"]
    preferred = 0
    for measure, sign in ("error", 1), ("balanced", -1), ("auc", -1), ("f1", -1), ("cost --cost-missed 3", 1):
        plain = tuned(t, "--choose", "best", "--measure", *measure.split(), *grid)
        least = plain["points"][0]
        near(sign * least["mean"], min(sign * p["mean"] for p in plain["points"]), 1e-12)
        equal(plain["best_measure"]["point"], 0)
        r = tuned(t, "--measure", *measure.split(), *grid)
        error = statistics.stdev(least["folds"]) / 5 ** 0.5
        near(r["best_measure"]["standard_error"], error, 1e-12)
        limit = sign * least["mean"] + error + 1e-12
        within = [p for p in r["points"] if sign * p["mean"] <= limit and p["nonzeros"] > 0]
        equal(r["best"]["nonzeros"], min(p["nonzeros"] for p in within), measure)
        if r["best"]["nonzeros"] < least["nonzeros"]:
            preferred += 1
            equal(r["best_measure"]["point"], 1)
            equal(without_seconds(r)["points"][1], without_seconds(plain)["points"][0], "the plain best is second")
        means = [round(sign * p["mean"], 12) for p in r["points"][1:]]
        equal(means, sorted(means), "the others by the measure")
    check(preferred >= 4, f"{preferred} of 5 have a sparser one: nothing is tested")
    text = t.run("tune", "-q", *grid).out
    check("Point 1 is the sparsest within one standard error (" in text and "--choose" in text, text)
    check("standard error" not in t.run("tune", "-q", "--choose", "best", *grid).out, "nothing was preferred")
    t.refused("tune", "--choose", "least", *grid, status=2, says="--choose")


def test_the_command_of_the_best_has_its_settings(t):
    t.write("a", "".join(f"{1 if i % 3 else -1} 1:{100 + i % 7} {2 + i % 3}:{1 + i % 2}\n" for i in range(300)))
    r = tuned(t, "-a", "arow", "-o", "tuned", "a")
    shown = shlex.split(r["best"]["command"])
    s = r["best"]["settings"]
    equal("--normalize l2" in r["best"]["command"], s["normalize"] == "l2")
    equal("--bias" in shown, s["bias"] != 0)
    shown[shown.index("-o") + 1] = "trained"
    t.run(*shown[1:], "-q")
    equal(t.read("tuned") == t.read("trained"), True, r["best"]["command"])
    r = tuned(t, "-a", "arow", "--grid", "normalize=l2", "--grid", "bias=0.5", "a")
    check("-a arow --normalize l2 --bias 0.5 -o" in r["best"]["command"], r["best"]["command"])


def test_random_points_are_drawn_by_the_seed(t):
    t.write("a", rows(60))

    def drawn(*more):
        r = tuned(t, "--random", 40, "--grid", "eta=0.01..100", "--grid", "lambda=0,10^-2..10^2", "--grid", "schedule=constant,sqrt", *more, "a")
        return values(r, "eta", "lambda", "schedule")

    one = drawn()
    equal(one, drawn())
    equal(one, drawn("--threads", 1, "--folds", 2))
    check(one != drawn("--seed", 2), "another seed")
    equal(len(one), 40)
    etas = [p[0] for p in one]
    check(all(0.01 <= e <= 100 for e in etas), str(etas))
    check(10 <= sum(e < 1 for e in etas) <= 30, "not even over the logarithm")
    check(8 <= sum(p[1] == 0 for p in one) <= 32, "items are drawn alike")
    equal({p[2] for p in one}, {"constant", "sqrt"})
    check(all(float(f"{e:.4g}") == e for e in etas), "more than four digits")
    r = tuned(t, "-a", "sofs,pa-1", "--random", 50, "--grid", "features=2..5", "--grid", "C=1,2", "a")
    equal(sorted(p["params"]["features"] for p in r["points"] if p["learner"] == "sofs"), [2, 3, 4, 5])
    equal(sorted(p["params"]["C"] for p in r["points"] if p["learner"] == "pa-1"), [1, 2])


def test_results_do_not_depend_on_threads(t):
    t.write("a", rows(500))
    command = ["-a", "ssol,fsol,bcw", "--grid", "eta=2^-3..2^3", "--grid", "C=1,2", "-o", "m", "a"]
    one = tuned(t, "--threads", 1, *command)
    model = t.read("m")
    for threads in 2, 5:
        equal(without_seconds(tuned(t, "--threads", threads, *command)), without_seconds(one), f"{threads} threads")
        equal(t.read("m"), model, "model")


def words(n):
    r = random.Random(4)
    kinds = ["prize", "win", "free"], ["noon", "lunch", "minutes"]
    return "".join(f"{i % 2}\t{' '.join(r.choices(kinds[0 if i % 2 else 1], k=2) + r.choices('abcdefgh', k=4))}\n" for i in range(n))


def test_the_saved_model_is_the_one_that_train_makes(t):
    """To the byte, and by the very command that is shown."""
    lines = rows(300).splitlines()
    t.write("a", "\n".join(lines) + "\n")
    t.write("wide.svm", "".join(f"{l} {2**40 + i % 7}:0 {2**63}:1\n" for i, l in enumerate(lines)))
    t.write("a.vw", "".join(f"{l.split()[0]} {i % 3} | {' '.join('w' + f for f in l.split()[1:])} {i % 9}:2\n" for i, l in enumerate(lines)))
    t.write("with blank's.csv", "spam,x,y\n" + "".join(f"{i % 2},{i % 2 + 0.5},{i % 5}\n" for i in range(100)))
    t.write("mail", words(200))
    for learner, grid, options in [
            ("ssol", "eta=1,4", ["--bias", 0.5, "--normalize", "l2", "a"]), ("fsol", "eta=1,4", ["--passes", 3, "wide.svm"]),
            ("arow", "r=1,4", ["a.vw"]), ("sofs", "features=3,12", ["--passes", 2, "a.vw"]), ("bcw", "batch=0,70", ["a"]),
            ("sbcw", "C=1,10", ["-P", "batch=70", "a"]), ("pa-1", "C=1,4", ["--label", "spam", "with blank's.csv"]),
            ("ssol", "eta=1,4", ["-f", "text", "--ngrams", 2, "--tf", "count", "mail"]), ("ssol", "schedule=sqrt,constant", ["a", "wide.svm"]),
            ("ftrl", "l1=1,4", ["a", "a.vw", "a"])]:
        r = tuned(t, "-a", learner, "--grid", grid, "-o", "tuned", *options)
        name = grid.split("=")[0]
        t.run("train", "-q", "-a", learner, "-P", f"{name}={r['best']['params'][name]}", "-o", "trained", *options)
        equal(t.read("tuned") == t.read("trained"), True, f"{learner} {options}")
        shown = shlex.split(r["best"]["command"])
        equal(shown[0], "sluice")
        t.run(*shown[1:], "-q", "-o", "tuned")
        equal(t.read("tuned") == t.read("trained"), True, r["best"]["command"])


def test_standard_input_is_enough(t):
    text = rows(200)
    t.write("a", text)
    r = tuned(t, "--grid", "eta=1,2", "--passes", 2, "-o", "m", stdin=text)
    equal(without_seconds(r)["points"], without_seconds(tuned(t, "--grid", "eta=1,2", "--passes", 2, "a"))["points"])
    t.run("train", "-q", "-a", "ssol", "-P", f"eta={r['best']['params']['eta']}", "--passes", 2, "-o", "m2", "a")
    equal(t.read("m"), t.read("m2"))


def test_names_are_as_good_as_ids(t):
    lines = [l.split() for l in rows(300).splitlines()]
    seen = {}
    t.write("a.vw", "".join(f"{l[0]} | {' '.join('word' + f for f in l[1:])}\n" for l in lines))
    numbered = [[l[0]] + [f"{seen.setdefault(f.split(':')[0], len(seen))}:{f.split(':')[1]}" for f in l[1:]] for l in lines]
    t.write("a.svm", "".join(" ".join(l) + "\n" for l in numbered))
    command = ["-a", "ssol,sofs", "--grid", "eta=1,2", "--grid", "features=5,9"]
    equal(without_seconds(tuned(t, *command, "a.vw"))["points"], without_seconds(tuned(t, *command, "a.svm"))["points"])


def unbalanced(n, seed=3):
    """One positive in ten; a weak feature that only a large cost makes use of."""
    r = random.Random(seed)
    lines = []
    for i in range(n):
        positive = i % 10 == 0
        sign = 1 if positive else -1
        lines.append(f"{sign} 1:1 2:{r.gauss(0.9 * sign, 1):.3f} 3:{r.gauss(0, 1):.3f}")
    return "\n".join(lines) + "\n"


def test_the_measure_decides(t):
    t.write("a", unbalanced(2000))
    command = ["-a", "cs-ogd", "-P", "eta=0.1", "--grid", "cost_pos=1,10", "--choose", "best", "a"]
    best = {m: tuned(t, "--measure", *m.split(), *command)
            for m in ["error", "balanced", "auc", "f1", "cost --cost-missed 20", "cost --cost-alarm 20"]}
    equal(best["error"]["best"]["params"]["cost_pos"], 1)
    equal(best["balanced"]["best"]["params"]["cost_pos"], 10)
    equal(best["cost --cost-missed 20"]["best"]["params"]["cost_pos"], 10)
    equal(best["cost --cost-alarm 20"]["best"]["params"]["cost_pos"], 1)
    for m, key in ("error", "error_rate"), ("balanced", "balanced_accuracy"), ("auc", "auc"), ("f1", "f1"), ("cost --cost-missed 20", "cost"):
        r = best[m]
        equal(r["measure"], key)
        means = [p["mean"] for p in r["points"]]
        equal(means, [p["test"][key] for p in r["points"]])
        equal(means, sorted(means, reverse=key in ("balanced_accuracy", "auc", "f1")))
    p = best["cost --cost-missed 20"]["best"]
    near(p["mean"], (20 * p["test"]["missed"] + p["test"]["false_alarms"]) / 5, 1e-9, "all points cost alike")


def test_folds_keep_the_balance_of_the_classes(t):
    t.write("a", unbalanced(200))  # 20 positives: 4 in every fold
    r = tuned(t, "-a", "pa", "--measure", "auc", "a")
    check(all(x is not None for x in r["best"]["folds"]), "a fold without positives")
    t.write("b", unbalanced(30))
    r = t.run("tune", "-a", "pa", "--measure", "auc", "--json", "b")
    check("only 3 examples of one class: some folds have none" in r.err, r.err)
    equal(sum(x is None for x in r.json()["best"]["folds"]), 2)
    check("all 20 labels are 1; there is nothing to tell apart" in t.run("tune", "-a", "pa", stdin="1 1:1\n" * 20).err, "one class")


def test_points_that_fail_are_not_fatal(t):
    t.write("a", "1 1:3e38\n-1 1:-3e38\n" * 20)
    r = t.run("tune", "-a", "perceptron", "--grid", "eta=1e-12,1e12", "--json", "a")
    check("1 of 2 points failed" in r.err, r.err)
    points = r.json()["points"]
    equal([p["params"]["eta"] for p in points], [1e-12, 1e12])
    check("number" in points[1]["failed"], str(points[1]))
    equal([points[1][k] for k in ["mean", "test", "nonzeros"]], [None] * 3)
    side_by_side = tuned(t, "-a", "perceptron", "--grid", "eta=1e-12,2e-12,3e-12,1e12", "a")
    equal([(p["params"]["eta"], p["failed"] is None) for p in side_by_side["points"]],
          [(1e-12, True), (2e-12, True), (3e-12, True), (1e12, False)])
    text = t.run("tune", "-q", "-a", "perceptron", "--grid", "eta=1e-12,1e12", "a").out
    check("failed" in text and "perceptron eta=1e12" in text.replace("1000000000000", "1e12"), text)
    one_by_one = tuned(t, "-a", "cs-ogd", "--grid", "eta=1e-12,1e-11,2e-11,3e-11,1e12", "--folds", 2, "a")
    equal([p["failed"] is None for p in one_by_one["points"]], [True] * 4 + [False])
    costs = t.run("tune", "-a", "perceptron", "--grid", "eta=1e-12,1e12", "--measure", "cost", "--cost-missed", 1e300, "a")
    check("1 of 2 points failed; the first: the margin" in costs.err, costs.err)
    for more in [], ["--passes", 1000000000]:  # nobody goes on after a failure
        t.refused("tune", *more, "-a", "perceptron", "--grid", "eta=1e11,1e12", "-o", "m", "a", status=1, says=["all 2 points failed", "number"])
    check(not t.exists("m"), "a model")


def test_a_measure_that_does_not_exist_has_no_best(t):
    t.write("a", "1 1:1\n1 2:1\n" * 10)
    t.refused("tune", "--grid", "eta=1,2", "--measure", "auc", "-o", "m", "a", status=1, says="there is no auc in any fold")
    check(not t.exists("m"), "a model")


def test_the_end_of_a_range_is_noted(t):
    t.write("a", rows(300))
    note = "is at the end of its range: widen it"
    inside = t.run("tune", "-a", "fsol", "--grid", "lambda=0,0.1,1e9", "--grid", "eta=1", "--json", "a")
    equal([inside.json()["best"]["at_end"], note in inside.err], [[], False])
    two = t.run("tune", "-a", "pa-1", "--grid", "C=1,2", "a")
    check(note not in two.err, "two values have no middle")
    least = t.run("tune", "-a", "ssol", "--grid", "lambda=0,1e10,1e11", "a")
    check(note not in least.err, "there is nothing below 0")
    most = t.run("tune", "-a", "ssol", "--grid", "lambda=1,1e10,1e11", "--json", "a")
    equal(most.json()["best"]["at_end"], ["lambda"])
    check("the best lambda (1) " + note in most.err, most.err)
    tied = t.run("tune", "-a", "perceptron", "--grid", "eta=1,2,4", "--json", "a")
    equal(len({p["mean"] for p in tied.json()["points"]}), 1, "the error of a perceptron does not depend on eta")
    check(note not in tied.err, tied.err)


def test_examples_of_importance_0_are_absent(t):
    lines = [l.split() for l in rows(200).splitlines()]
    t.write("with.vw", "".join(f"{l[0]} {w} | {' '.join(l[1:])}\n" for l in lines for w in (1, 0)))
    r = tuned(t, "--grid", "eta=1,2", "with.vw")
    equal((r["examples"], r["best"]["test"]["examples"]), (200, 200))


def test_text_shows_the_best_and_the_command(t):
    t.write("a", rows(300))
    r = t.run("tune", "--grid", "eta=2^-5..2^5", "--grid", "lambda=1,10,100", "a")
    equal(r.out.count(" ssol eta="), 5)
    check("5 of 33 points (--top 0 shows all)" in r.out, r.out)
    equal(t.run("tune", "-qv", "--grid", "eta=2^-5..2^5", "--grid", "lambda=1,10,100", "a").out.count(" ssol eta="), 20, "-v")
    best = tuned(t, "--grid", "eta=2^-5..2^5", "--grid", "lambda=1,10,100", "a")["best"]
    check(f"the best on all examples: {best['command']}\n" in r.out, r.out)
    check(best["command"].startswith("sluice train -a ssol -P eta=") and best["command"].endswith(" -o MODEL a"), best["command"])
    check(all(len(line) <= 80 for line in r.out.splitlines() if not line.startswith("the best")), r.out)
    for top, wanted in (3, 3), (0, 33), (99, 33):
        equal(t.run("tune", "-q", "--grid", "eta=2^-5..2^5", "--grid", "lambda=1,10,100", "--top", top, "a").out.count(" ssol eta="), wanted)


def test_nothing_but_results_with_qq_and_no_live_line_in_a_pipe(t):
    t.write("a", rows(300))
    equal(t.run("tune", "-qq", "--grid", "eta=1e-12,1e-11,1e-10", "a").err, "")
    check("\r" not in t.run("tune", "a").err, "a live line")


def test_a_terminal_has_a_live_line(t):
    t.write("a", rows(3000))
    seen = on_a_terminal(t, "tune", "--grid", "eta=2^-15..2^15", "--grid", "lambda=1,2,3", "--folds", 9, "--threads", 1, "a")
    check(" left  " in seen and " of 837 models" in seen, seen[-300:])


def test_the_page_shows_every_point(t):
    t.write("a", rows(300))
    for more in ["-a", "ssol,arow", "--grid", "r=0.5,2"], ["-a", "ssol", "--grid", "lambda=1,1e10", "--grid", "normalize=none,l2", "--measure", "auc"], [
            "--grid", "eta=1,2", "--measure", "cost", "--cost-missed", 3, "--folds", 3]:
        r = tuned(t, *more, "--report", "page.html", "a")
        text = t.read("page.html").decode()
        found = page.look(text)
        drawn = [p for p in r["points"] if p["nonzeros"]]
        equal(len(found.charts["tune-chart"]), len(drawn), str(more))
        check(found.charts["tune-chart"][-1].startswith("the best: " + r["best"]["learner"]), found.charts)
        table = found.tables[0]
        equal(len(table), len(r["points"]) + 1)
        scale = 1 if r["measure"] == "cost" else 100
        for row, p in zip(table[1:], r["points"]):
            near(float(row[1]), scale * p["mean"], 6e-4, "the measure")
            check(row[5].startswith(p["learner"]) and float(row[3]) == round(p["nonzeros"], 1), str(row))
        check(r["best"]["command"] in found.text, "the command")
        equal("are not drawn" in found.text, len(drawn) < len(r["points"]))


def test_the_page_says_which_points_failed(t):
    t.write("a", "1 1:3e38\n-1 1:-3e38\n" * 20)
    t.run("tune", "-q", "-a", "perceptron", "--grid", "eta=1e-12,1e12", "--report", "p", "a")
    found = page.look(t.read("p").decode())
    check("failed: " in found.tables[0][2][1], found.tables)
    check("1 points that failed" in found.text, found.text)


def test_names_of_files_are_text_in_the_page(t):
    t.write("<b>&.svm", rows(60))
    t.run("tune", "-q", "--grid", "eta=1,2", "--report", "p", "<b>&.svm")
    check("<b>&.svm" in page.look(t.read("p").decode()).text, "the name")
