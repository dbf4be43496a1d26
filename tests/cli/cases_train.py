"""train: results, resuming, passes, threads, settings, progress."""

import math
import os
import random
import re

from harness import check, equal, near, rows

FIXED_KEYS = ["learner", "params", "examples", "mistakes", "error_rate", "balanced_accuracy", "updates", "features_seen",
              "nonzeros", "sparsity", "seconds", "examples_per_second", "skipped"]
TEST_KEYS = ["examples", "mistakes", "error_rate", "balanced_accuracy", "auc"]


def trained(t, *command, stdin=b""):
    return t.run("train", "-q", "--json", *command, stdin=stdin).json()


def test_json_has_the_keys_of_the_contract(t):
    t.write("a", rows(500))
    t.write("b", rows(200, seed=9))
    r = trained(t, "a", "--test", "b")
    for key in FIXED_KEYS:
        check(key in r, f"{key} is missing")
    for key in TEST_KEYS:
        check(key in r["test"], f"test.{key} is missing")
    equal((r["examples"], r["test"]["examples"], r["skipped"]), (500, 200, 0))
    near(r["error_rate"], r["mistakes"] / 500, 1e-12)
    near(r["balanced_accuracy"], (r["sensitivity"] + r["specificity"]) / 2, 1e-12)
    near(r["sparsity"], 1 - r["nonzeros"] / r["features_seen"], 1e-12)
    check(0 <= r["test"]["auc"] <= 1, "auc")
    equal(r["positives"] + r["negatives"], 500)
    equal(r["missed"] + r["false_alarms"], r["mistakes"])


def test_text_has_the_same_content_as_json(t):
    t.write("a", rows(300))
    t.write("b", rows(100, seed=4))
    text = t.run("train", "-qv", "a", "--test", "b").out
    r = trained(t, "a", "--test", "b")
    for key, value in r.items():
        key = {"sum": "weighted_accuracy"}.get(key, key)
        said = re.search(rf"^{key.replace('_', ' ')}\b", text, re.M)
        equal(bool(said), value is not None and key != "skipped_reasons", key)
    for key in ["examples", "mistakes", "updates", "nonzeros"]:
        check(re.search(rf"^{key} +{r[key]}$", text, re.M), key)
    check(re.search(rf"^  mistakes +{r['test']['mistakes']}$", text, re.M), "test block")


def test_default_learner_is_auto(t):
    equal(trained(t, stdin=rows(10))["learner"], "auto")


def test_every_learner_learns(t):
    t.write("a", rows(3000, noise=0))
    batches = t.in_batches()
    for name in t.learners():
        r = trained(t, "-a", name, *(["-P", "batch=100"] if name in batches else []), "a")
        equal(r["learner"], name)
        most = 0.48 if name == "olsf-rand" else 0.4  # it throws four fifths of the features away at random
        check(r["error_rate"] < most, f"{name}: error {r['error_rate']}")


def test_unknown_learner_lists_the_learners(t):
    t.refused("train", "-a", "sssol", status=2, says=["'sssol'", "did you mean 'ssol'", "perceptron", "pa-1", "ada-rda"])
    t.refused("train", "-a", "SSOL", status=2, says=["did you mean 'ssol'", "perceptron"])
    t.refused("train", "-a", "percep", status=2, says="did you mean 'perceptron'")


def test_parameter_written_as_an_option_is_recognised(t):
    for given, meant in [(["--lambda", "3"], "-P lambda=3"), (["--lambda=3"], "-P lambda=3"), (["--lamda", "3"], "-P lambda=3"),
                         (["--C", "0.5"], "-P C=0.5"), (["--schedule", "sqrt"], "-P schedule=sqrt"),
                         (["--lambda", "a"], "-P lambda=VALUE"), (["--lambda"], "-P lambda=VALUE")]:
        t.refused("train", *given, status=2, says=[f"unknown option {given[0].split('=')[0]}", meant])
    r = t.refused("predict", "-m", "m", "--lambda", "3", status=2, says="unknown option --lambda")
    check("-P" not in r.err, "predict takes no parameters")


def test_unknown_parameter_names_those_that_exist(t):
    for name in t.learners():
        params = [p["name"] for p in t.run("learners", name, "--json").json()["learners"][0]["params"]]
        t.refused("train", "-a", name, "-P", "nonsense=1", status=2, says=["nonsense"] + params)


def test_parameters_out_of_range_are_refused(t):
    for l in t.run("learners", "--json").json()["learners"]:
        for p in l["params"]:
            bad = ["x", "", "nan", "1e999"]
            if "choices" in p:
                bad += ["nonsense"]
            if p["min"] is not None:
                bad.append(repr(p["min"] - 1))
            if p["max"] is not None:
                bad.append(repr(p["max"] * 2 + 1))
            for value in bad:
                t.refused("train", "-a", l["name"], "-P", f"{p['name']}={value}", status=2, says=p["name"])
    t.refused("train", "-P", "eta", status=2, says="eta")
    t.refused("train", "-P", "=1", status=2, says="''")


def test_parameters_are_reported_and_used(t):
    t.write("a", rows(200))
    r = trained(t, "-a", "pa-1", "-P", "C=0.125", "a")
    equal(r["params"]["C"], 0.125)
    check(trained(t, "-a", "pa-1", "-P", "C=1e-9", "a")["hinge_loss"] != r["hinge_loss"], "C changes nothing")


def test_help_lists_the_parameters_of_the_learner(t):
    text = t.run("train", "-a", "ftrl", "--help").out
    for name in ["alpha", "beta", "l1", "l2"]:
        check(re.search(rf"^  {name} ", text, re.M), name)


def split_three(t, n=600):
    lines = rows(n).splitlines(True)
    cuts = [0, 1, n // 3, n]
    names = []
    for i in range(3):
        names.append(t.write(f"part{i}", "".join(lines[cuts[i]:cuts[i + 1]])))
    return names


def test_resuming_equals_never_having_stopped(t):
    parts = split_three(t)
    batches = t.in_batches()
    for name in t.learners():
        given = ["-a", name] + (["-P", "batch=70"] if name in batches else [])  # parts end within a batch
        t.run("train", "-q", *given, "-o", "whole", *parts)
        t.run("train", "-q", *given, "-o", "m", parts[0])
        for part in parts[1:]:
            t.run("train", "-q", "-i", "m", "-o", "m", part)
        equal(t.read("m"), t.read("whole"), f"model of {name}")


def test_with_one_batch_per_run_each_run_is_a_batch(t):
    size, parts = 120, ["a", "b", "c"]
    for seed, part in enumerate(parts):
        t.write(part, rows(size, seed=seed))
    for name in t.in_batches():
        t.run("train", "-q", "-a", name, "-o", "runs", parts[0])
        for part in parts[1:]:
            t.run("train", "-q", "-i", "runs", "-o", "runs", part)
        t.run("train", "-q", "-a", name, "-P", f"batch={size}", "-o", "batches", *parts)
        equal(t.run("inspect", "--weights", "runs").out, t.run("inspect", "--weights", "batches").out, name)


def test_an_unfinished_batch_counts_in_results_and_waits_in_the_model(t):
    t.write("a", rows(250))
    t.write("b", rows(50, seed=2))
    for name in t.in_batches():
        batch = ["-q", "-a", name, "-P", "batch=100"]
        t.run("train", *batch, "-o", "m", "a")
        t.run("train", *batch, "--final", "-o", "final", "a")
        equal(t.run("predict", "-m", "m", "b").out, t.run("predict", "-m", "final", "b").out)
        # as if the batches had been 100, 100 and 50 rows
        t.write("first", "".join(t.read("a").decode().splitlines(True)[:200]))
        t.write("rest", "".join(t.read("a").decode().splitlines(True)[200:]))
        t.run("train", *batch, "-o", "two", "first")
        before = t.run("predict", "-m", "two", "b").out
        check(t.run("predict", "-m", "m", "b").out != before, "the last 50 rows changed nothing")
        r = trained(t, *batch[1:], "--test", "b", "a")
        test = t.run("test", "--json", "-m", "m", "b").json()
        equal(r["test"]["mistakes"], test["mistakes"])
        equal(r["nonzeros"], t.run("inspect", "--json", "m").json()["nonzeros"])


def test_narow_goes_on_where_its_variance_is_exactly_at_the_limit(t):
    t.write("same", "1 1:1\n-1 1:1\n" * 50)
    t.write("pair", "1 1:1 2:1\n-1 1:1 2:1\n" * 50)
    for name in ["narow", "narow-full"]:
        for b in [3, 6, 49, 64]:
            for data in ["same", "pair"]:
                r = trained(t, "-a", name, "-P", f"b={b}", "-o", "m", data)
                equal(r["examples"], 100)
                check(r["updates"] >= 1, f"{name} b={b}")


def test_updates_of_runs_add_up_and_inspect_says_what_waits(t):
    t.write("a", rows(130))
    t.write("b", rows(130, seed=3))
    for name in t.in_batches():
        batch = ["-a", name, "-P", "batch=100"]
        first = trained(t, *batch, "-o", "m", "a")["updates"]
        equal(t.run("inspect", "--json", "m").json()["waiting"], 30)
        second = trained(t, "-i", "m", "-o", "m", "b")["updates"]
        equal(first + second, trained(t, *batch, "a", "b")["updates"])
        equal(t.run("inspect", "--json", "m").json()["waiting"], 60)


def test_a_run_that_is_one_batch_says_what_its_error_means(t):
    t.write("a", rows(50))
    for name in t.in_batches():
        check("before the first batch" in t.run("train", "-a", name, "a").err, name)
        check("before the first batch" in t.run("train", "-a", name, "-P", "batch=51", "a").err, name)
        check("before the first batch" not in t.run("train", "-a", name, "-P", "batch=10", "a").err, name)


def test_resuming_with_settings_equals_never_having_stopped(t):
    parts = split_three(t)
    settings = ["--bias", "0.5", "--normalize", "l2", "--hash", "4", "--seed", "7"]
    for name in ["ssol", "ftrl", "stg", "pa-1"]:
        t.run("train", "-q", "-a", name, *settings, "-o", "whole", *parts)
        t.run("train", "-q", "-a", name, *settings, "-o", "m", parts[0])
        for part in parts[1:]:
            t.run("train", "-q", "-i", "m", "-o", "m", part)
        equal(t.read("m"), t.read("whole"), f"model of {name}")


def test_resuming_on_nothing_changes_nothing(t):
    t.write("a", rows(100))
    t.run("train", "-q", "-o", "m", "a")
    before = t.read("m")
    t.run("train", "-q", "-i", "m", "-o", "m", stdin="")
    equal(t.read("m"), before)


def test_passes_equal_resuming_on_the_same_file(t):
    t.write("a", rows(200))
    r = trained(t, "--passes", 3, "-o", "three", "a")
    equal((r["examples"], r["passes"]), (200, 3))
    trained(t, "-o", "m", "a")
    trained(t, "-i", "m", "-o", "m", "a")
    trained(t, "-i", "m", "-o", "m", "a")
    equal(t.read("m"), t.read("three"))
    trained(t, "-o", "named", "a", "a", "a")
    equal(t.read("named"), t.read("three"))


def test_passes_over_standard_input_are_wrong_usage(t):
    t.write("a", rows(5))
    for inputs in ([], ["-"], ["a", "-"]):
        t.refused("train", "--passes", 2, *inputs, status=2, says=["--passes 2", "only once"])
    os.mkfifo(t.path("pipe"))
    t.refused("train", "--passes", 2, "pipe", status=2, says="only once")


def test_resumed_run_reports_its_own_counts(t):
    t.write("a", rows(300))
    t.write("b", rows(100, seed=2))
    first = trained(t, "-o", "m", "a")
    second = trained(t, "-i", "m", "-o", "m", "b")
    equal(second["examples"], 100)
    check(second["updates"] <= 100, "updates of earlier runs are counted again")
    facts = t.run("inspect", "--json", "m").json()
    equal(facts["examples"], 400)
    equal(facts["updates"], first["updates"] + second["updates"])
    equal(facts["mistakes"], first["mistakes"] + second["mistakes"])
    equal(facts["nonzeros"], second["nonzeros"])


def test_contradicting_the_resumed_model_is_wrong_usage(t):
    t.write("a", rows(50))
    t.run("train", "-q", "-a", "pa-1", "-P", "C=0.5", "--bias", "1", "--hash", "10", "--normalize", "l2", "-o", "m", "a")
    before = t.read("m")
    for options in (["-a", "pa-2"], ["-P", "C=0.25"], ["--bias", "2"], ["--hash", "11"], ["--normalize", "none"],
                    ["--transform", "binary"], ["--scale", "running"]):
        t.refused("train", "-i", "m", "-o", "m", *options, "a", status=2, says=[options[1], "m"])
    t.refused("train", "-i", "m", "-P", "nonsense=1", "a", status=2, says="nonsense")
    t.refused("train", "-i", "m", "-a", "nonsense", "a", status=2, says="nonsense")
    equal(t.read("m"), before)
    t.run("train", "-q", "-i", "m", "-a", "pa-1", "-P", "C=0.50", "--bias", "1.0", "--hash", "10", "--normalize", "l2",
          "--seed", "1", "a")


def test_bias_is_compared_as_the_float_that_the_model_holds(t):
    t.write("a", rows(50))
    t.run("train", "-q", "--bias", "0.1", "-o", "m", "a")
    t.run("train", "-q", "-i", "m", "--bias", "0.1", "-o", "m", "a")
    t.refused("train", "-i", "m", "--bias", "0.1001", "a", status=2, says="--bias 0.1001")


def test_seed_changes_nothing_where_nothing_is_drawn(t):
    t.write("a", rows(50))
    for seed in [1, 7]:
        t.run("train", "-q", "--seed", seed, "-o", f"m{seed}", "a")
    equal(t.read("m1"), t.read("m7"))
    t.refused("train", "--seed", "x", "a", status=2, says="--seed")


def test_same_bytes_whatever_the_number_of_threads(t):
    t.run("synth", "sparse", "-P", "rows=20000", "-P", "dim=100000", "-o", "a")
    for name in ["ssol", "fobos", "ftrl"]:
        models = set()
        for threads in [1, 2, 4]:
            t.run("train", "-q", "-a", name, "--threads", threads, "-o", "m", "a")
            models.add(t.read("m"))
        equal(len(models), 1, f"different models of {name}")


def test_same_bytes_from_text_binary_and_compressed(t):
    import gzip
    text = rows(3000)
    t.write("a", text)
    t.write("a.gz", gzip.compress(text.encode()))
    t.run("convert", "a", "-o", "a.bin")
    models = set()
    for name in ["a", "a.gz", "a.bin"]:
        t.run("train", "-q", "-o", "m", name)
        models.add(t.read("m"))
    equal(len(models), 1, "different models")


def test_labels_of_one_class_are_warned_of(t):
    t.write("ones", "1 1:1\n1 2:1\n1 3:1\n")
    t.write("words", "ham 1:1\nham 2:1\n")
    t.write("zeros", "0 1:1\n-1 2:1\n")
    t.write("both", "0 1:1\n1 2:1\n")
    t.run("train", "-q", "-o", "m", "both")
    for command in (["train", "--allow-empty"], ["test", "-m", "m"]):
        err = t.run(*command, "ones").err
        check("warning: input: all 3 labels are 1; there is nothing to tell apart" in err, err)
        err = t.run(*command, "zeros").err
        check("warning: input: all 2 labels are -1 or 0; there is nothing to tell apart" in err, err)
        check("labels are" not in t.run(*command, "both").err, "a warning for two classes")
        equal(t.run(*command, "-qq", "ones").err, "", "-qq")
        check("labels are" not in t.run(*command, stdin="").err, "a warning for nothing")
    check("warning: input: all 2 labels are ham" in t.run("train", "words").err, "words")
    check("warning: ones: all 3 labels are 1;" in t.run("train", "both", "--test", "ones").err, "--test")


def test_labels_that_come_in_long_runs_are_noted(t):
    def noted(*counts, shuffled=False, more=()):
        lines = [f"{label} {i + 1}:1\n" for i, (label, n) in enumerate(counts) for _ in range(n)]
        if shuffled:
            random.Random(1).shuffle(lines)
        err = t.run("train", "-q", "-a", "arow", *more, stdin="".join(lines)).err
        found = re.search(r"note: the labels come in (\d+) long runs: .*convert\s+(?:sluice:\s+)?--shuffle SEED", err, re.S)
        check(found or "long runs" not in err, err)
        return found and int(found[1])

    several = [(f"c{i}", 300) for i in range(6)]
    equal(noted(("1", 1000), ("0", 1000)), 2, "numbers")
    equal(noted(("1", 1000), ("0", 500), ("-1", 500)), 2, "0 and -1 are one class")
    equal(noted(("spam", 60), ("ham", 60)), 2, "words")
    equal(noted(("0", 20000), ("1", 60)), 2, "a rare class")
    equal(noted(*[("a", 200), ("b", 200)] * 7), 14, "a run a day")
    equal(noted(*several, more=("--classes", "ovr")), 6, "several classes")
    equal(noted(("1", 1000), ("0", 1000), shuffled=True), None, "numbers in random order")
    equal(noted(("0", 20000), ("1", 60), shuffled=True), None, "a rare class in random order")
    equal(noted(*several, more=("--classes", "ovr"), shuffled=True), None, "several classes in random order")
    equal(noted(*[("a", 10), ("b", 10)] * 100), None, "short runs")
    equal(noted(("1", 1000)), None, "one class")
    equal(noted(("1", 1000), ("0", 49)), None, "few of a class")


def test_the_long_runs_of_labels_are_those_of_the_first_pass(t):
    t.write("sorted", "1 1:1\n" * 100 + "0 2:1\n" * 100)
    check("come in 2 long runs" in t.run("train", "-q", "--passes", "50", "sorted").err, "passes")
    equal(t.run("train", "-qq", "sorted").err, "", "-qq")


def test_bias_is_a_constant_feature(t):
    text = "".join(f"{1 if i % 4 else -1} {i + 1}:1\n" for i in range(400))
    t.write("a", text)
    r = trained(t, "-a", "pa-1", "--bias", 1, "-o", "m", "a")
    equal(r["settings"]["bias"], 1)
    first = t.run("inspect", "--weights", "m").out.splitlines()[0].split("\t")
    equal(first[0], "bias")
    check(float(first[1]) > 0, "bias weight")
    trained(t, "-a", "pa-1", "-o", "m", "a")
    check("bias" not in t.run("inspect", "--weights", "m").out, "a bias that nobody asked for")


def test_bias_equals_an_explicit_constant_feature(t):
    text = rows(500)
    t.write("a", text)
    t.write("b", "".join(f"{line} 1000:0.5\n" for line in text.splitlines()))
    x, y = trained(t, "-a", "pa-1", "--bias", 0.5, "a"), trained(t, "-a", "pa-1", "b")
    equal(x["mistakes"], y["mistakes"])
    near(x["hinge_loss"], y["hinge_loss"], 1e-5)


def test_transform_equals_transformed_input(t):
    text = rows(300)
    t.write("a", text)
    sign = lambda v: (v > 0) - (v < 0)
    def changed(how):
        for line in text.splitlines():
            label, *features = line.split()
            yield " ".join([label] + [f"{k}:{how(float(v)):.9g}" for k, v in (f.split(":") for f in features)]) + "\n"
    for how, change in [("binary", sign), ("log1p", lambda v: sign(v) * math.log1p(abs(v)))]:
        t.write("b", "".join(changed(change)))
        for name in ["ssol", "arow", "pa-1", "sbcw"]:
            x, y = trained(t, "-a", name, "--transform", how, "-o", "m", "a"), trained(t, "-a", name, "b")
            equal(x["mistakes"], y["mistakes"], f"{name} {how}")
            near(x["hinge_loss"], y["hinge_loss"], 1e-5)
            equal(x["settings"]["transform"], how)
            check(f"transform={how}" in t.run("inspect", "-v", "m").out, "inspect shows the transform")
    t.refused("train", "--transform", "sqrt", "a", status=2, says=["--transform", "log1p"])


def uneven(text, first=None):
    """Columns of different units; `first`: a line that has the largest value of each."""
    lines = [first] if first else []
    for line in text.splitlines():
        label, *features = line.split()
        pairs = [f.split(":") for f in features]
        lines.append(" ".join([label] + [f"{k}:{float(v) * 2 ** (int(k) % 9 - 4):.9g}" for k, v in pairs]))
    return "\n".join(lines) + "\n"


def test_running_scales_equal_scaled_input_where_they_do_not_grow(t):
    text = rows(300)
    ids = sorted({int(f.split(":")[0]) for line in text.splitlines() for f in line.split()[1:]})
    size = {k: max(abs(float(f.split(":")[1])) for line in text.splitlines() for f in line.split()[1:] if f.startswith(f"{k}:"))
            for k in ids}
    first = "1 " + " ".join(f"{k}:{size[k] * 2 ** (k % 9 - 4):.9g}" for k in ids)
    t.write("a", uneven(text, first))
    divided = ["1 " + " ".join(f"{k}:1" for k in ids)]
    for line in text.splitlines():
        label, *features = line.split()
        divided.append(" ".join([label] + [f"{k}:{float(v) / size[int(k)]:.9g}" for k, v in (f.split(":") for f in features)]))
    t.write("b", "\n".join(divided) + "\n")
    for name in ["ssol", "ftrl", "arow", "olsf-1", "sbcw"]:
        x, y = trained(t, "-a", name, "--scale", "running", "-o", "m", "a"), trained(t, "-a", name, "-o", "n", "b")
        equal(x["mistakes"], y["mistakes"], name)
        near(x["hinge_loss"], y["hinge_loss"], 1e-4)
        equal(x["settings"]["scale"], "running")
        check("scale=running" in t.run("inspect", "-v", "m").out, "inspect shows the scale")


def test_scales_are_exact_on_resume_at_any_thread_count_and_in_final_models(t):
    parts = []
    for i in range(3):
        t.write(f"p{i}", uneven(rows(200, seed=i)))
        parts.append(f"p{i}")
    for name, more in [("ssol", []), ("ftrl", ["--normalize", "l2", "--transform", "log1p"]), ("olsf", ["--bias", 1]),
                       ("arow", ["--classes", "ovr"]), ("pa-1", ["--classes", "matrix"]), ("arow-full", ["--hash", 4]),
                       ("pa", ["--classes", "ovo"]), ("sbcw", ["-P", "batch=150"]), ("stg", ["--max-features", 30]),
                       ("auto", []), ("auto", ["--classes", "ovr"])]:
        for scale in ["running", "idf"]:
            settings = ["-q", "-a", name, "--scale", scale, *more]
            t.run("train", *settings, "-o", "whole", "--threads", 1, *parts)
            t.run("train", *settings, "-o", "threads", "--threads", 4, *parts)
            equal(t.read("threads"), t.read("whole"), f"{name} with four threads")
            t.run("train", *settings, "-o", "m", parts[0])
            for part in parts[1:]:
                t.run("train", "-q", "-i", "m", "-o", "m", part)
            equal(t.read("m"), t.read("whole"), f"resumed {name}, {scale}")
            t.run("train", *settings, "--final", "-o", "final", *parts)
            equal(t.run("predict", "-q", "-m", "final", *parts).out, t.run("predict", "-q", "-m", "whole", *parts).out,
                  f"{name}, {scale}")
    t.refused("train", "--scale", "mean", "p0", status=2, says=["--scale", "running", "idf"])


def test_normalize_equals_normalized_input(t):
    t.write("a", rows(500))
    t.run("convert", "--normalize", "l2", "a", "-o", "b")
    x, y = trained(t, "-a", "ssol", "--normalize", "l2", "a"), trained(t, "-a", "ssol", "b")
    equal(x["mistakes"], y["mistakes"])
    near(x["hinge_loss"], y["hinge_loss"], 1e-5)
    equal(x["settings"]["normalize"], "l2")


def test_hash_bounds_the_features(t):
    t.run("synth", "sparse", "-P", "rows=500", "-o", "a")
    r = trained(t, "-a", "ssol", "--hash", 8, "a")
    check(r["features_seen"] <= 256, f"{r['features_seen']} features")
    check(trained(t, "-a", "ssol", "a")["features_seen"] > 2000, "without hashing")
    check(trained(t, "-a", "ssol", "--hash", 20, stdin="1 1:1 18446744073709551615:1\n")["features_seen"] == 2, "large ids")


def test_dim_is_what_sparsity_refers_to(t):
    t.write("a", rows(200))
    r = trained(t, "--dim", 1000, "-o", "m", "a")
    equal(r["dimension"], 1000)
    near(r["sparsity"], 1 - r["nonzeros"] / 1000, 1e-12)
    near(t.run("inspect", "--json", "--dim", 1000, "m").json()["sparsity"], r["sparsity"], 1e-12)
    err = t.run("train", "--dim", 3, "a").err
    check(f"warning: --dim 3 is less than the {r['features_seen']} features seen" in err, err)


def test_costs_come_from_the_learner(t):
    t.write("a", rows(400))
    r = trained(t, "-a", "cs-ogd", "-P", "cost_pos=5", "-P", "cost_neg=2", "a")
    near(r["cost"], 5 * r["missed"] + 2 * r["false_alarms"], 1e-6, "cost")


def test_log_loss_only_with_probabilities(t):
    t.write("a", rows(100))
    check(trained(t, "-a", "ftrl", "a")["log_loss"] > 0, "ftrl")
    equal(trained(t, "-a", "pa", "a")["log_loss"], None)


def test_one_class_has_null_figures(t):
    r = trained(t, stdin="1 1:1\n1 2:1\n")
    equal((r["auc"], r["specificity"], r["balanced_accuracy"]), (None, None, None))


def test_progress_is_a_table_whose_rows_double(t):
    t.run("synth", "sparse", "-P", "rows=40000", "-P", "nonzeros=10", "-o", "a")
    lines = t.run("train", "-o", "m", "a").err.splitlines()
    check(re.fullmatch(r" *examples +error +since last +nonzeros +sparsity +examples/s", lines[0]), lines[0])
    counts = []
    for line in lines[1:]:
        check(re.fullmatch(r" *[\d,]+ +[01]\.\d+ +[01]\.\d+ +[\d,]+ +\d\.\d+ +[\d,]+", line), line)
        counts.append(int(line.split()[0].replace(",", "")))
    equal(counts, [2 ** i for i in range(16)] + [40000])


def test_progress_rows_are_consistent(t):
    t.write("a", rows(1000))
    r = t.run("train", "--json", "-o", "m", "a")
    table = [line.replace(",", "").split() for line in r.err.splitlines()[1:]]
    equal(table[-1][:2] + [table[-1][3]], ["1000", f"{r.json()['error_rate']:.4f}", str(r.json()["nonzeros"])])
    mistakes = [round(float(row[1]) * int(row[0])) for row in table]
    for (a, m), (b, n), row in zip(zip([int(x[0]) for x in table], mistakes), zip([int(x[0]) for x in table[1:]], mistakes[1:]),
                                   table[1:]):
        near(float(row[2]), (n - m) / (b - a), 0.02, f"since last at {b}")


def test_watching_does_not_change_the_model(t):
    t.write("a", rows(3000))
    for name in t.learners():
        for settings in ([], ["--bias", "1", "--normalize", "l2", "--hash", "5"]):
            loud = t.run("train", "--json", "-a", name, *settings, "-o", "m1", "a").json()
            quiet = t.run("train", "-q", "--json", "-a", name, *settings, "-o", "m2", "a").json()
            equal(t.read("m1"), t.read("m2"), name)
            for key in ["mistakes", "hinge_loss", "auc", "cost"]:
                equal(loud[key], quiet[key], f"{name}: {key}")


def test_small_stream_still_gets_a_row(t):
    lines = t.run("train", "-a", "pa-1", "-o", "m", stdin=rows(3)).err.splitlines()
    equal([line.split()[0] for line in lines], ["examples", "1", "2", "3"])


def test_a_model_without_weights_is_said_to_be_one(t):
    err = t.run("train", "-a", "ssol", "-o", "m", stdin=rows(3)).err
    check("no weight is left" in err, err)
    check("no weight" not in t.run("train", "-a", "ssol", "-qq", "-o", "m", stdin=rows(3)).err, "-qq")


def test_quiet_has_no_progress(t):
    equal(t.run("train", "-q", "-o", "m", stdin=rows(3000)).err, "")


def test_test_file_does_not_change_the_model(t):
    t.write("a", rows(300))
    t.run("train", "-q", "-o", "m1", "a")
    t.run("train", "-q", "-o", "m2", "a", "--test", "a")
    equal(t.read("m1"), t.read("m2"))


def test_test_on_standard_input(t):
    t.write("a", rows(300))
    equal(trained(t, "a", "--test", "-", stdin=rows(20))["test"]["examples"], 20)
    t.refused("train", "--test", "-", status=2, says="--test -")


def test_trace_follows_the_run(t):
    t.write("a", rows(1000))
    r = trained(t, "a", "--trace", "t.csv", "--trace-every", "300")
    lines = t.read("t.csv").decode().splitlines()
    equal(lines[0], "examples,mistakes,error_rate,error_rate_since,features_seen,nonzeros,window_error,fading_error,drift_alarms")
    table = [[float(x) for x in line.split(",")] for line in lines[1:]]
    equal([row[0] for row in table], [300, 600, 900, 1000])
    equal(table[-1][1], r["mistakes"])
    equal((table[-1][4], table[-1][5]), (r["features_seen"], r["nonzeros"]))
    near(table[-1][6], r["drift"]["window_error"], 1e-5)
    near(table[-1][7], r["drift"]["fading_error"], 1e-5)
    equal(table[-1][8], 0)
    near(table[1][3], (table[1][1] - table[0][1]) / 300, 1e-5)
    for n in (300, 600):  # what stands there is what a run of so many examples gives
        t.write("part", b"".join(t.read("a").splitlines(keepends=True)[:n]))
        part = trained(t, "part")
        equal((part["mistakes"], part["features_seen"], part["nonzeros"]), tuple(table[n // 300 - 1][i] for i in (1, 4, 5)))


def test_trace_without_a_step_has_few_rows_and_the_last(t):
    t.write("a", rows(5000))
    trained(t, "a", "--trace", "t.csv", "--threads", "2")
    first = t.read("t.csv")
    table = [int(line.split(b",")[0]) for line in first.splitlines()[1:]]
    check(table[0] == 1 and table[-1] == 5000 and len(table) < 200, table)
    trained(t, "a", "--trace", "t.csv", "--threads", "1")
    equal(t.read("t.csv"), first)


def test_trace_refuses_to_replace_what_is_needed(t):
    t.write("a", rows(10))
    t.run("train", "a", "--trace", "a", status=2)
    t.run("train", "a", "--trace", "m", "-o", "m", status=2)
    t.run("train", "a", "--trace-every", "5", status=2)
    t.run("train", "a", "--trace", "no/such/folder", status=1)


def test_max_features_bounds_the_model_and_counts(t):
    t.write("a", rows(2000))
    free = trained(t, "a", "-a", "fsol")
    r = trained(t, "a", "-a", "fsol", "--max-features", "10", "-o", "m")
    check(r["features_seen"] <= 10 < free["features_seen"], r["features_seen"])
    check(r["evicted"] + r["refused"] > 0, "nothing made way")
    check("evicted" not in free, "no limit, no count")
    t.write("b", rows(500, seed=3))
    trained(t, "a", "b", "-a", "fsol", "--max-features", "10", "-o", "whole")
    trained(t, "b", "-i", "m", "-o", "m")
    equal(t.read("m"), t.read("whole"))


def test_top_shows_the_words_that_matter(t):
    t.write("mail", "".join("1\twin a prize now\n" if i % 3 == 0 else "0\tlunch at noon, as always\n" for i in range(300)))
    r = t.run("train", "-q", "--json", "-f", "text", "--top", "3", "mail", "-o", "m").json()
    equal(len(r["top"]), 3)
    check(all(f["name"] in "win a prize now lunch at noon as always".split() for f in r["top"]), r["top"])
    equal(r["top"], t.run("inspect", "m", "--json", "--top", "3").json()["top"])
    check("heaviest features\n  " in t.run("train", "-q", "-f", "text", "--top", "3", "mail").out, "for a person too")
    check("top" not in trained(t, "mail", "-f", "text"), "only where asked for")


def test_kept_features_when_the_first_example_is_empty(t):
    t.write("a", "+1\n" + "".join(f"{'-+'[i % 2]}1 {2000000 * (i + 1)}:{1 + i % 3}\n" for i in range(40)))
    for learner, *params in [("ofs", "features=1"), ("sofs", "features=2"), ("olsf-1", "B=0.1"), ("olsf-rand", "B=0.1")]:
        run = lambda *more: t.run("train", "--json", "-a", learner, *[x for p in params for x in ("-P", p)], "a", *more)
        r, quiet = run("-o", "m1").json(), run("-q", "-o", "m2").json()
        equal(t.read("m1"), t.read("m2"), learner)
        check(0 < r["nonzeros"] <= 40 and r["mistakes"] == quiet["mistakes"], learner)


def test_weights_too_small_for_a_float_do_not_make_way(t):
    t.write("a", "+1 1:1\n" + "+1\n" * 158 + "".join(f"-1 {i}:1\n" for i in range(10, 40)))
    args = ["-a", "ofs", "-P", "eta=2", "-P", "lambda=0.25", "-P", "features=2", "--max-features", "3"]
    t.run("train", "-q", *args, "a", "-o", "whole")
    lines = t.read("a").splitlines(keepends=True)
    for cut in (100, 158, 170):
        t.write("b", b"".join(lines[:cut]))
        t.write("c", b"".join(lines[cut:]))
        t.run("train", "-q", *args, "b", "-o", "m")
        t.run("train", "-q", "-i", "m", "c", "-o", "m")
        equal(t.read("m"), t.read("whole"), cut)


def test_an_example_s_own_features_do_not_make_way_for_each_other(t):
    t.write("a.vw", "-1 | a:0 b:0\n-1 | c:0 a:0\n")
    r = trained(t, "-a", "perceptron", "--max-features", "2", "a.vw", "-o", "m")
    equal(r["evicted"], 1)
    t.run("inspect", "m")
    check(b"a" in t.read("m").split(b"FEAT")[1], "a stays")


def test_names_and_ids_count_alike_with_a_bias(t):
    rows_of = [(1, "1:1 2:2"), (-1, "2:1 3:1"), (1, "1:1 4:3"), (-1, "3:2 5:1")] * 5
    t.write("a.svm", "".join(f"{y} {x}\n" for y, x in rows_of))
    t.write("a.vw", "".join(f"{y} | {x}\n" for y, x in rows_of))
    for b in ("0.67", "0.3"):
        for f in ("a.svm", "a.vw"):
            t.run("train", "-q", "-a", "olsf-1", "-P", f"B={b}", "--bias", "1", f, "-o", f + ".m")
        weights = [sorted(t.run("inspect", "--weights", f + ".m").out.splitlines()) for f in ("a.svm", "a.vw")]
        equal(weights[0], weights[1], b)


def test_a_matrix_takes_no_limit_on_features(t):
    t.write("a", rows(10))
    t.refused("train", "-q", "-a", "ssol-full", "--max-features", "5", "a", status=2, says="takes no limit")


def test_more_than_two_labels_are_refused(t):
    t.write("ages.csv", "age,y\n" + "39,1\n50,0\n38,1\n" * 3)
    t.write("three", "3 1:1\n-1 2:1\n0 3:1\n" * 3)
    t.write("two", "3 1:1\n-1 2:1\n" * 3)
    t.write("usual", "1 1:1\n-1 2:1\n0 3:1\n" * 3)
    tune = ["tune", "--grid", "eta=1", "--folds", "2"]
    for name in ("ages.csv", "three"):
        t.refused("train", name, status=1, says="is a third class, after '")
        t.refused(*tune, name, status=1, says="is a third class, after '")
    for command in (["train", "two"], ["train", "usual"], ["train", "--label", "y", "ages.csv"], [*tune, "usual"],
                    [*tune, "two"]):
        check("third" not in t.run(*command).err, command)


def test_a_sparsity_is_reached(t):
    lines = []
    for i in range(1500):
        y = 1 if i * 7919 % 13 < 6 else -1
        noise = sorted({100 + (i * k * 31 + k * 977) % 4000 for k in range(1, 9)})
        lines.append(f"{y} {1 + i % 3 + (3 if y > 0 else 0)}:1 " + " ".join(f"{k}:1" for k in noise))
    t.write("a", "\n".join(lines) + "\n")
    found = trained(t, "--sparsity", "0.99", "a", "-o", "m")
    check(found["learner"] == "auto" and 0.99 <= found["sparsity"] < 0.999, found["sparsity"])
    t.run("train", "-q", "-P", "sparsity=0.99", "a", "-o", "n")
    equal(t.read("m"), t.read("n"))
    t.run("train", "-q", "-i", "m", "--sparsity", "0.99", "a", "-o", "m")
    t.refused("train", "-q", "-i", "m", "--sparsity", "0.9", "a", status=2, says="the model m has sparsity=0.99")


def test_a_sparsity_is_a_share_and_for_auto_alone(t):
    t.write("a", rows(10))
    for share in ("0", "1", "-0.5", "99"):
        t.refused("train", "-q", "--sparsity", share, "a", status=2, says="above 0 and below 1")
    t.refused("train", "-q", "--sparsity", "0.9", "-a", "ssol", "a", status=2, says="is for the learner auto")
    t.refused("train", "-q", "--sparsity", "0.9", "-P", "sparsity=0.8", "a", status=2, says="give one of them")
