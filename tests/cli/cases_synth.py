"""synth: the streams and their statistics."""

import math
import os

from harness import check, equal, near, parse


def made(t, *command):
    return parse(t.run("synth", *command).out)


def test_alone_it_lists_the_streams(t):
    text = t.run("synth").out
    for word in ["effective:", "sparse:", "dense:", "classes:", "drift:", "abrupt|slow", "prices:", "positives", "late", "correlation", "noise_var", "exponent", "test_rows"]:
        check(word in text, word)
    t.refused("synth", "-o", "x", status=2, says="which stream")


def test_wrong_names_and_values_are_wrong_usage(t):
    t.refused("synth", "efective", status=2, says=["'efective'", "effective"])
    t.refused("synth", "sparse", "-P", "row=3", status=2, says=["'row'", "rows", "exponent"])
    for text in ["rows=-1", "rows=1.5", "rows=x", "rows=", "dim=0", "noise=0.7", "noise=nan", "nonzeros=0"]:
        name, value = text.split("=")
        t.refused("synth", "sparse", "-P", text, status=2, says=[f"parameter {name} of sparse", f"'{value}'"])
    for text in ["correlation=1", "correlation=-0.1", "dim=0", "noise=-1"]:
        t.refused("synth", "dense", "-P", text, status=2, says=[f"parameter {text.split('=')[0]} of dense"])
    t.refused("synth", "sparse", "-P", "rows", status=2, says="name=value")
    t.refused("synth", "sparse", "-P", "dim=10", status=2, says="nonzeros must not exceed dim")
    t.refused("synth", "effective", "-P", "dim=10", status=2, says="effective + noise")
    t.refused("synth", "effective", "-P", "var_min=200", status=2, says="var_min")
    for text in ["classes=1", "late=1", "signal=1.1", "labels=letters"]:
        t.refused("synth", "classes", "-P", text, status=2, says=[f"parameter {text.split('=')[0]} of classes"])
    t.refused("synth", "classes", "-P", "dim=10", status=2, says="nonzeros must not exceed dim")
    for text in ["kind=sudden", "changes=-1", "changes=0.5"]:
        t.refused("synth", "drift", "-P", text, status=2, says=[f"parameter {text.split('=')[0]} of drift"])
    t.refused("synth", "drift", "-P", "dim=10", status=2, says="nonzeros must not exceed dim")
    t.refused("synth", "drift", "-P", "rows=3", status=2, says="changes must be fewer than rows")
    for text in ["memory=1", "noise=-1", "spikes=2", "drift=x"]:
        t.refused("synth", "prices", "-P", text, status=2, says=[f"parameter {text.split('=')[0]} of prices"])
    t.refused("synth", "classes", "-P", "own=20000", status=2, says="own must not exceed dim")
    t.refused("synth", "classes", "-P", "own=5", status=2, says="signal times nonzeros must not exceed own")


def test_parameter_given_twice_is_wrong_usage_unless_it_says_the_same(t):
    t.refused("synth", "sparse", "-P", "rows=3", "-P", "rows=4", status=2, says=["rows", "twice"])
    equal(len(made(t, "sparse", "-P", "rows=3", "-P", "rows=3.0")), 3)


def test_parameter_written_as_an_option_is_recognised(t):
    t.refused("synth", "sparse", "--nonzeros", "5", status=2, says="-P nonzeros=5")
    t.refused("synth", "effective", "--noise-var=2", status=2, says="-P noise_var=2")


def test_both_outputs_in_one_file_are_wrong_usage(t):
    few = ["sparse", "-P", "rows=3", "-P", "test_rows=2"]
    for other in ("a", "./a", t.path("a")):
        t.refused("synth", *few, "-o", "a", "--test", other, status=2, says=["--test", other])
    equal(os.listdir(t.folder), [], "files")
    t.write("a", "old")
    os.link(t.path("a"), t.path("b"))
    t.refused("synth", *few, "-o", "a", "--test", "b", status=2, says="--test b")
    equal(t.read("a"), b"old")
    t.run("synth", *few, "-o", "/dev/null", "--test", "/dev/null")


def test_same_seed_same_stream_other_seed_another(t):
    for name in ["effective", "sparse", "dense", "classes", "drift", "prices"]:
        a = t.run("synth", name, "-P", "rows=20").out
        equal(t.run("synth", name, "-P", "rows=20", "--seed", 1).out, a, "seed 1 is the default")
        check(t.run("synth", name, "-P", "rows=20", "--seed", 2).out != a, "seed 2")


def test_test_rows_continue_the_stream(t):
    for name, *more in [["effective"], ["sparse"], ["dense"], ["classes"], ["drift", "-P", "changes=0"], ["prices"]]:
        t.run("synth", name, *more, "-P", "rows=20", "-P", "test_rows=10", "-o", "a", "--test", "b")
        equal(t.read("a") + t.read("b"), t.run("synth", name, *more, "-P", "rows=30").out_bytes, name)
    t.refused("synth", "sparse", "--test", "-", status=2, says="--test -")


def test_binary_output_holds_the_same_rows(t):
    t.run("synth", "sparse", "-P", "rows=50", "-o", "a.bin")
    t.run("synth", "sparse", "-P", "rows=50", "-o", "a.svm")
    equal(t.run("convert", "a.bin").out_bytes, t.read("a.svm"))
    check(t.read("a.bin") != t.read("a.svm"), "not binary")


def test_effective_has_the_shape_of_paper_001(t):
    data = made(t, "effective", "-P", "rows=2000")
    for _, x in data:
        equal(len(x), 300)
        equal([i for i in x if i <= 100], list(range(1, 101)))
        check(max(x) <= 1000 and list(x) == sorted(x), "ids")
    noise = [v for _, x in data for i, v in x.items() if i > 100]
    near(sum(noise) / len(noise), 0, 0.1, "mean of the noise")
    near(sum(v * v for v in noise) / len(noise), 100, 2, "variance of the noise")
    used = [0] * 1001
    for _, x in data:
        for i in x:
            used[i] += 1
    check(min(used[101:]) > 350 and max(used[101:]) < 550, "noise dimensions are drawn evenly")


def test_effective_means_variances_and_labels(t):
    n = 4000
    data = made(t, "effective", "-P", f"rows={n}", "-P", "dim=20", "-P", "effective=20", "-P", "noise=0")
    means, variances = [], []
    for i in range(1, 21):
        values = [x.get(i, 0) for _, x in data]
        mean = sum(values) / n
        means.append(mean)
        variances.append(sum((v - mean) ** 2 for v in values) / (n - 1))
    check(all(abs(m) < 1 + 5 * math.sqrt(100 / n) for m in means), f"means {means}")
    check(all(0.4 < v < 110 for v in variances), f"variances {variances}")
    check(max(variances) > 50 and min(variances) < 50, "variances spread")
    # the label is the side of the plane through the origin whose normal is the mean: the estimated mean nearly gives it
    agree = sum((sum(means[i - 1] * v for i, v in x.items()) > 0) == (y > 0) for y, x in data)
    check(agree > 0.9 * n, f"{agree} labels agree")


def test_effective_can_be_learned(t):
    t.run("synth", "effective", "-P", "rows=5000", "-o", "a", "--test", "b")
    r = t.run("train", "-q", "--json", "-a", "ssol", "-P", "eta=1e-4", "-P", "r=1e6", "-P", "lambda=200", "a", "--test", "b").json()
    check(r["test"]["error_rate"] < 0.1, f"error {r['test']['error_rate']}")


def test_sparse_rows(t):
    data = made(t, "sparse", "-P", "rows=2000", "-P", "dim=10000", "-P", "nonzeros=30")
    seen = {}
    for _, x in data:
        equal(len(x), 30)
        check(list(x) == sorted(x) and min(x) >= 1 and max(x) <= 10000, "ids")
        check(min(x.values()) > 0, "values")
        near(sum(v * v for v in x.values()), 1, 1e-4, "length")
        for i in x:
            seen[i] = seen.get(i, 0) + 1
    positives = sum(y > 0 for y, _ in data)
    check(700 < positives < 1300, f"{positives} of 2000 positive")
    often = sorted(seen.values(), reverse=True)
    check(often[0] > 1500 and often[200] < 200, f"Zipf: {often[:5]} ... {often[200]}")
    # in the middle of the ranks, where no row repeats them much, a count is about 1/rank
    near(often[100] / often[400], 401 / 101, 1.2, "ratio of counts")
    frequent = sorted(seen, key=lambda i: -seen[i])[:50]
    check(min(frequent) < 2000 and max(frequent) > 8000, "frequent ids are scattered")


def test_sparse_takes_any_exponent_and_full_rows(t):
    for exponent in ["0", "0.5", "1", "1.2", "4"]:
        for _, x in made(t, "sparse", "-P", "rows=20", "-P", "dim=40", "-P", "nonzeros=40", "-P", f"exponent={exponent}"):
            equal(sorted(x), list(range(1, 41)))


def test_sparse_noise_bounds_the_error(t):
    t.run("synth", "sparse", "-P", "rows=20000", "-P", "dim=300", "-P", "nonzeros=20", "-P", "noise=0", "-o", "clean")
    t.run("synth", "sparse", "-P", "rows=20000", "-P", "dim=300", "-P", "nonzeros=20", "-P", "noise=0.3", "-o", "noisy")
    clean, noisy = (t.run("train", "-q", "--json", "-a", "pa-1", "-P", "C=0.1", f).json()["error_rate"] for f in ("clean", "noisy"))
    check(clean < 0.2 and noisy > max(0.3, clean + 0.15), f"clean {clean}, noisy {noisy}")


def test_dense_rows_are_full_of_length_one_and_correlated(t):
    for correlation in [0, 0.5, 0.9]:
        data = made(t, "dense", "-P", "rows=400", "-P", "dim=100", "-P", f"correlation={correlation}")
        neighbours = apart = 0
        for _, x in data:
            equal(list(x), list(range(1, 101)), "ids")
            near(sum(v * v for v in x.values()), 1, 1e-5, "length")
            neighbours += sum(x[i] * x[i + 1] for i in range(1, 100)) / 99
            apart += sum(x[i] * x[i + 5] for i in range(1, 96)) / 95
        near(100 * neighbours / len(data), correlation, 0.03, "correlation of neighbours")  # a value's square is 1/100
        near(100 * apart / len(data), correlation ** 5, 0.06, "correlation over five steps")
        positives = sum(y > 0 for y, _ in data)
        check(130 < positives < 270, f"{positives} of 400 positive")


def test_dense_values_have_seven_decimals(t):
    for line in t.run("synth", "dense", "-P", "rows=20", "-P", "dim=30").out.splitlines():
        for pair in line.split()[1:]:
            value = float(pair.split(":")[1])
            near(value * 1e7, round(value * 1e7), 0.5, pair)
            check(len(pair.split(":")[1].lstrip("-")) <= 12, pair)


def test_dense_noise_decides_how_well_it_can_be_learned(t):
    errors = []
    for noise in ["0", "0.5", "5"]:
        t.run("synth", "dense", "-P", "rows=6000", "-P", "test_rows=2000", "-P", "dim=10", "-P", "correlation=0.3",
              "-P", f"noise={noise}", "-o", "a", "--test", "b")
        errors.append(t.run("train", "-q", "--json", "-a", "arow", "a", "--test", "b").json()["test"]["error_rate"])
    check(errors[0] < 0.03, f"without noise {errors}")
    # noise of s times the margin's deviation turns atan(s)/pi of the labels
    near(errors[1], math.atan(0.5) / math.pi, 0.04, f"noise 0.5: {errors}")
    near(errors[2], math.atan(5) / math.pi, 0.05, f"noise 5: {errors}")


def test_pair_takes_about_sixteen_bytes(t):
    text = t.run("synth", "sparse", "-P", "rows=500").out
    near(len(text) / (500 * 75), 16, 1.5, "bytes per pair")


def test_failing_output_leaves_no_file(t):
    t.refused("synth", "sparse", "-o", "no/such/folder/x", status=1, says="no/such/folder/x")
    t.refused("synth", "sparse", "-P", "rows=10", "-o", "x", "--test", "no/such/folder/x", status=1, says="no/such/folder/x")
    equal(os.listdir(t.folder), [], "files")
    t.refused("synth", "sparse", "-P", "rows=10", "-o", "/dev/full", status=1, says=["/dev/full", "No space left"])


def labels_of(text):
    return [line.split(" ", 1)[0] for line in text.splitlines()]


def test_classes_have_features_of_their_own(t):
    few = ["synth", "classes", "-P", "rows=6000", "-P", "classes=5", "-P", "dim=500", "-P", "own=30"]
    text = t.run(*few, "-P", "noise=0").out
    equal(sorted(set(labels_of(text))), ["c1", "c2", "c3", "c4", "c5"])
    seen = {}
    for line in text.splitlines():
        label, *features = line.split()
        ids = [int(f.split(":")[0]) for f in features]
        equal((ids, len(ids)), (sorted(set(ids)), 20), "distinct ids in order")
        check(1 <= ids[0] and ids[-1] <= 500, "from 1 to dim")
        near(sum(float(f.split(":")[1]) ** 2 for f in features), 1, 1e-4)
        for i in ids:
            seen.setdefault(label, {})[i] = seen.get(label, {}).get(i, 0) + 1
    for label, counts in seen.items():
        often = sorted(counts.values(), reverse=True)
        check(often[29] > 3 * often[30], f"{label}: 30 features of its own: {often[25:35]}")
        check(900 < sum(counts.values()) / 20 < 1500, "equally often")
    t.write("a", text)
    t.write("noisy", t.run(*few, "-P", "noise=0.5").out)
    errors = [t.run("train", "-q", "--json", "-a", "pa-1", "--classes", "matrix", name).json()["error_rate"] for name in ("a", "noisy")]
    check(errors[0] < 0.2 and 0.4 < errors[1] < 0.8, errors)
    equal(sorted(set(labels_of(t.run(*few, "-P", "labels=numbers").out))), ["1", "2", "3", "4", "5"])


def test_late_classes_come_from_the_middle_on(t):
    labels = labels_of(t.run("synth", "classes", "-P", "rows=4000", "-P", "classes=10", "-P", "late=0.3", "-P", "noise=0.2").out)
    equal(sorted(set(labels[:2000])), [f"c{i}" for i in range(1, 8)])
    equal(len(set(labels[2000:])), 10)
    check(all(label in labels[2000:2100] for label in ("c8", "c9", "c10")), "as often as the others")


def test_the_classes_can_be_learned(t):
    t.run("synth", "classes", "-P", "rows=20000", "-P", "classes=200", "-o", "a")
    r = t.run("train", "-q", "--json", "-a", "pa-1", "--classes", "matrix", "a").json()
    check(r["error_rate"] < 0.6, f"{r['error_rate']}, and 0.995 by chance")


def test_sparse_positives_are_as_rare_as_asked_for(t):
    few = ["sparse", "-P", "rows=20000", "-P", "dim=2000", "-P", "nonzeros=20"]
    labels = [y for y, _ in made(t, *few, "-P", "positives=0.01", "-P", "noise=0.001")]
    near(sum(y > 0 for y in labels) / len(labels), 0.01, 0.003, "share of positives")
    near(sum(y > 0 for y, _ in made(t, *few, "-P", "positives=0.9")) / len(labels), 0.9, 0.01, "share of positives")
    equal(t.run("synth", *few, "-P", "positives=0").out, t.run("synth", *few).out)
    # they have features that tell: the rank of a positive is far above chance
    t.run("synth", *few, "-P", "positives=0.01", "-P", "noise=0.001", "-o", "a", "--test", "b")
    r = t.run("train", "-q", "--json", "-a", "arow", "a", "--test", "b").json()
    check(r["test"]["auc"] > 0.75, f"auc {r['test']['auc']}")


def test_sparse_with_one_feature_that_tells_still_ends(t):
    equal(len(made(t, "sparse", "-P", "rows=5", "-P", "dim=51", "-P", "nonzeros=51", "-P", "noise=0", "-P", "positives=0.5")), 5)


def errors_over_time(t, *command, parts=10):
    """Of a model that learned the first part: its error on each part."""
    lines = t.run("synth", *command, "-P", "rows=40000", "-P", "noise=0").out.splitlines(keepends=True)
    size = len(lines) // parts
    for i in range(parts):
        t.write(f"part{i}", "".join(lines[i * size:(i + 1) * size]))
    t.run("train", "-q", "-a", "arow", "part0", "-o", "m")
    return [t.run("test", "-q", "--json", "-m", "m", f"part{i}").json()["error_rate"] for i in range(parts)]


def test_drift_abrupt_has_other_weights_after_each_change(t):
    for changes, changed in [(0, []), (1, range(5, 10)), (4, range(2, 10))]:
        errors = errors_over_time(t, "drift", "-P", f"changes={changes}")
        for i in range(1, 10):
            if i in changed:
                near(errors[i], 0.5, 0.06, f"{changes} changes, part {i}: unrelated weights: {errors}")
            else:
                check(errors[i] < 0.32, f"{changes} changes, part {i}: the same weights: {errors}")


def test_drift_slow_moves_away_evenly(t):
    errors = errors_over_time(t, "drift", "-P", "kind=slow", "-P", "changes=1")
    check(errors[1] < 0.32, errors)
    near(errors[9], 0.46, 0.05, f"nearly a right angle: {errors}")
    steps = [b - a for a, b in zip(errors[1:], errors[2:])]
    check(max(steps) < 0.08 and min(steps) > -0.02, f"no leap: {errors}")


def test_drift_rows_are_those_of_sparse(t):
    data = made(t, "drift", "-P", "rows=500")
    for _, x in data:
        equal(len(x), 30)
        near(sum(v * v for v in x.values()), 1, 1e-4, "length")
    check(150 < sum(y > 0 for y, _ in data) < 350, "both classes")
    # the kind decides labels alone
    slow = made(t, "drift", "-P", "rows=500", "-P", "kind=slow")
    equal([x for _, x in slow], [x for _, x in data])
    check([y for y, _ in slow] != [y for y, _ in data], "labels")


def test_prices_have_a_calendar_and_unscaled_values(t):
    data = made(t, "prices", "-P", "rows=5000")
    for i, (_, x) in enumerate(data):
        equal((x[1], x[2], x[3]), (i // 48 + 1, i // 48 % 7 + 1, i % 48 + 1), "day, weekday, half-hour")
    prices, demand = sorted(x[4] for _, x in data), [x[5] for _, x in data]
    check(10 < prices[2500] < 100 and prices[-1] > 150 and prices[0] > 0, f"{prices[0]} {prices[2500]} {prices[-1]}")
    check(4000 < min(demand) and max(demand) < 14000, "demand")
    night, day = (sum(x[5] for _, x in data if x[3] == h) for h in (8, 36))
    check(day > 1.2 * night, "daily season")
    workdays, weekend = ([x[5] for _, x in data if (x[2] > 5) == w] for w in (False, True))
    check(sum(workdays) / len(workdays) > 1.03 * sum(weekend) / len(weekend), "weekly season")
    check(all(abs(x.get(8, 0)) <= 800 for _, x in data), "transfer")


def test_prices_label_is_the_price_against_its_day(t):
    data = made(t, "prices", "-P", "rows=20000")
    prices = [x[4] for _, x in data]
    for i in range(48, len(data)):
        mean = sum(prices[i - 47:i + 1]) / 48
        if abs(prices[i] - mean) > 1e-3:
            equal(data[i][0] > 0, prices[i] > mean, f"row {i}")
    changes = sum(a != b for (a, _), (b, _) in zip(data, data[1:])) / len(data)
    near(changes, 0.15, 0.03, "error of predicting the last label")
    calm = made(t, "prices", "-P", "rows=5000", "-P", "spikes=0", "-P", "noise=0.05")
    check(max(x[4] for _, x in calm) < 120, "no spikes")
