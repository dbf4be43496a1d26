"""train --report: a page that says what --json says, whatever the run was like."""

import json
import os
import random
import re

import page_reader as page
from harness import check, equal, is_root, near, rows

FIGURES = ["examples", "mistakes", "error_rate", "balanced_accuracy", "auc", "average_precision", "precision", "recall", "specificity", "f1",
           "cost", "hinge_loss", "log_loss", "brier", "calibration_error"]


def reported(t, *command, stdin=b""):
    """The page and the JSON of one run."""
    r = t.run("train", "-q", "--json", "--report", "p.html", *command, stdin=stdin).json()
    return page.look(t.read("p.html").decode()), r


def same_figures(table, r, what):
    for key in FIGURES:
        shown = table.get(key.replace("_", " "))
        equal(None if shown is None else float(shown.replace(",", "")), None if r[key] is None else float(f"{r[key]:.6g}"), f"{what} {key}")


def whole(text):
    return int(text.replace(",", ""))


def course_of(found):
    """[(examples, error so far, error of the piece, its examples)]"""
    pattern = r"after ([\d,]+) examples: error ([\d.]+) % so far, ([\d.]+) % of the last ([\d,]+)"
    parts = [re.fullmatch(pattern, title).groups() for title in found.charts["error-chart"]]
    return [(whole(a), float(b), float(c), whole(d)) for a, b, c, d in parts]


def sizes_of(found):
    pattern = r"after ([\d,]+) examples: ([\d,]+) features seen, ([\d,]+) nonzero weights"
    return [tuple(map(whole, re.fullmatch(pattern, title).groups())) for title in found.charts["size-chart"]]


def check_course(found, r):
    pieces, sizes = course_of(found), sizes_of(found)
    check(len(pieces) <= 200, f"{len(pieces)} pieces")
    equal(pieces[-1][0], r["examples"], "the last piece")
    equal(sum(p[3] for p in pieces), r["examples"], "the pieces' examples")
    near(pieces[-1][1], 100 * r["error_rate"], 0.0051, "the last error")
    near(sum(p[2] * p[3] for p in pieces) / 100, r["mistakes"], 0.001 + 5.1e-5 * r["examples"], "the pieces' mistakes")
    equal(sizes[-1], (r["examples"], r["features_seen"], r["nonzeros"]), "the last size")
    equal(sizes, sorted(set(sizes)), "sizes")
    check(len(sizes) <= 2 * r["examples"].bit_length() + 1, f"counted {len(sizes)} times")


def cells(found):
    """The confusion matrix."""
    table = next(t for t in found.tables.values() if t and t[0][1:3] == ["predicted +1", "predicted \u22121"])
    counts = [[whole(re.match(r"[\d,]+", cell).group()) for cell in row[1:3]] for row in table[1:3]]
    return counts, table


def test_the_page_says_what_json_says(t):
    t.write("a", rows(1000))
    t.write("b", rows(300, seed=2))
    for learner in "ssol", "ftrl", "pa-1", "arow", "ofs":
        for more in [], ["--test", "b"], ["--test", "b", "--passes", "3", "--dim", "100"]:
            found, r = reported(t, "-a", learner, *more, "a")
            same_figures(found.rows("while learning"), r, f"{learner} {more}")
            if "test" in r:
                same_figures(found.rows("on the test file"), r["test"], f"{learner} {more} test")
            equal(found.rows("the model and the run")["nonzeros"], f"{r['nonzeros']:,}")
            equal(found.rows("the model and the run")["sparsity"], f"{r['sparsity']:.6g}")
            check_course(found, r)
            judged = r.get("test", r)
            counts, table = cells(found)
            equal(counts, [[judged["positives"] - judged["missed"], judged["missed"]],
                           [judged["false_alarms"], judged["negatives"] - judged["false_alarms"]]], "confusion")
            check(f"{100 * judged['recall']:.2f} %" in table[1][3] and f"{100 * judged['precision']:.2f} %" in table[3][1], str(table))
            check(f"area (AUC) {judged['auc']:.4f}" in found.text and f"average precision {judged['average_precision']:.4f}" in found.text, "areas")
            shown = {row[0]: row[1] for row in next(x for x in found.tables.values() if x and x[0][:2] == ["parameter", "value"])[1:]}
            equal(set(shown), set(r["params"]))
            for name, value in r["params"].items():
                equal(shown[name] if isinstance(value, str) else float(shown[name]), float("inf") if value is None else value, name)


def test_the_curve_has_the_area_that_is_said(t):
    t.write("a", rows(3000))
    t.write("b", rows(2000, seed=2))
    for more in [], ["--test", "b"]:
        found, r = reported(t, *more, "a")
        pattern = r"(?:as predicted, )?(predicting \+1 always|margins above \S+ are \+1): finds (\S+) % of the positives, predicts \+1 for (\S+) % of the negatives; precision (\S+)( %)?"
        points = [re.fullmatch(pattern, title).groups() for title in found.charts["roc-chart"]]
        curve = [(float(alarms), float(finds)) for _, finds, alarms, _, _ in points[:-1]]
        check(20 < len(curve) <= 160, len(curve))
        equal((curve[0], curve[-1]), ((100, 100), (0, 0)))
        area = sum((a[0] - b[0]) * (a[1] + b[1]) / 2 for a, b in zip(curve, curve[1:])) / 1e4
        near(area, r.get("test", r)["auc"], 2e-3, "area")
        near(float(points[-1][1]), 100 * r.get("test", r)["recall"], 0.0051, "as predicted")


def test_reliability_shows_the_bins_of_the_calibration_error(t):
    t.write("a", rows(1000))
    t.write("b", rows(600, seed=2))
    for more in ["-a", "ftrl"], ["-a", "arow"], ["-a", "pa-1", "--calibrate", "b"]:
        found, r = reported(t, *more, "--test", "b", "a")
        pattern = r"([\d,]+) examples with probabilities of \S+ % to \S+ %, on average (\S+) %: (\S+) % are positive \([\d,]+\)"
        bins = [re.fullmatch(pattern, title).groups() for title in found.charts["reliability-chart"]]
        check(len(bins) <= 15, str(bins))
        equal(sum(whole(n) for n, _, _ in bins), 600)
        error = sum(whole(n) * abs(float(p) - float(share)) for n, p, share in bins) / 600 / 100
        near(error, r["test"]["calibration_error"], 1.1e-4, "calibration error")
    found, r = reported(t, "a")
    check("reliability-chart" not in found.charts and "judged on a test file" in found.text, "no reason given")
    found, r = reported(t, "-a", "sbcw", "--test", "b", "a")
    check("reliability-chart" not in found.charts and "--calibrate FILE" in found.text, "no reason given")


def test_probabilities_of_rare_positives_can_be_read(t):
    def data(name, every, seed):
        r = random.Random(seed)
        t.write(name, "".join(f"{1 if i % every == 0 else -1} {1 if r.random() < (0.7 if i % every == 0 else 0.05) else 2}:1 {3 + r.randrange(40)}:1\n"
                              for i in range(4000)))
    data("rare", 80, 1)
    data("rare.test", 80, 2)
    found, r = reported(t, "-a", "ftrl", "--test", "rare.test", "rare")
    check("Probability and truth (logarithmic)" in found.text, "the axes")
    table = next(x for x in found.tables.values() if x and x[0] == ["predicted, %", "positive, %", "positives", "examples"])[1:]
    equal((sum(whole(row[2]) for row in table), sum(whole(row[3]) for row in table)), (r["test"]["positives"], 4000), "counts")
    for row, title in zip(table, found.charts["reliability-chart"]):
        check(f"{row[3]} examples" in title and title.endswith(f"are positive ({row[2]})"), title)
        near(float(row[1]), 100 * whole(row[2]) / whole(row[3]), 0.006 * float(row[1]))
    equal([float(row[0]) for row in table], sorted(float(row[0]) for row in table))
    data("even", 3, 1)
    found, _ = reported(t, "-a", "ftrl", "--test", "even", "even")
    check("Probability and truth" in found.text and "(logarithmic)" not in found.text.split("Probability and truth")[1][:20], "plain axes")


def test_the_heaviest_features_of_either_sign(t):
    t.write("a", rows(1000))
    for more, top in [[], 20], [["--top", "3"], 3]:
        found, r = reported(t, "-o", "m", "--bias", "1", *more, "a")
        weights = t.run("inspect", "m", "--json", "--top", "100").json()["top"]
        for caption, sign in ("for +1", 1), ("for \u22121", -1):
            wanted = [w for w in weights if w["weight"] * sign > 0][:top]
            table = found.tables[caption]
            equal([row[0] for row in table], [str(w.get("name", w.get("id"))) for w in wanted], caption)
            for row, w in zip(table, wanted):
                near(float(row[2]), w["weight"], 5.1e-4 * abs(w["weight"]), row[0])


def worst_of(found):
    """The table of the worst mistakes: [(line, is, predicted, margin, [(feature, contribution)])]"""
    table = next((t for t in found.tables.values() if t and t[0][-1] == "because of"), [[]])
    return [(int(row[0]), row[1], row[2], float(row[3]), re.findall(r"(.+) ([+-]\S+)", row[4]))
            for row in table[1:]]


def test_the_worst_mistakes_and_what_they_come_from(t):
    t.write("a", rows(300, noise=0.3))
    t.write("b", "# the first line\n" + rows(200, seed=2, noise=0.3))
    for more, threshold in ([], 0), (["--bias", "1", "--normalize", "l2"], 0), (["--threshold", "margin=0.75"], 0.75):
        found, r = reported(t, "-a", "pa-1", "-o", "m", *more, "--test", "b", "a")
        wrong = []
        answers = t.run("predict", "-m", "m", "--json", "--explain", "5", "b").out.splitlines()
        for i, (line, answer) in enumerate(zip(t.read("b").decode().splitlines(), map(json.loads, answers)), 1):
            if not line.startswith("#") and float(line.split()[0]) != answer["label"]:
                wrong.append((abs(answer["margin"] - threshold), -i, answer))
        equal(len(wrong), r["test"]["mistakes"])
        wrong.sort(key=lambda w: w[:2], reverse=True)
        shown = worst_of(found)
        equal(len(shown), 5)
        for (line, label, said, margin, terms), (_, wanted, answer) in zip(shown, wrong):
            equal((line, int(label), int(said)), (-wanted, -answer["label"], answer["label"]))
            near(margin, answer["margin"], 5.1e-4 * abs(answer["margin"]))
            equal([name for name, _ in terms], [str(e["feature"]) for e in answer["explain"]], str(line))
            for (_, contribution), e in zip(terms, answer["explain"]):
                near(float(contribution), e["contribution"], 5.1e-3 * abs(e["contribution"]))
    found, r = reported(t, "a")
    equal(worst_of(found), [])
    t.write("one", "1 1:1\n-1 2:1\n" * 20)
    found, r = reported(t, "-a", "pa", "--test", "one", "one")
    equal((r["test"]["mistakes"], worst_of(found)), (0, []))


HOSTILE = ["<script>alert(1)</script>", "\"><img/src=x/onerror=alert(1)>", "'&amp;&lt;", "</td></table></svg>", "a\u202eb", "\x01\x7f", "x" * 3000, "-->", "]]>"]


def test_names_are_text(t):
    lines = [f"{'1' if i % 2 else '-1'} |n {name}" for i, name in enumerate(HOSTILE)] * 5
    t.write("a.vw", "\n".join(lines).encode() + b"\n1 |n \xff\xfe\n")
    t.write("b.vw", "\n".join(line[1:] if line[0] == "-" else "-" + line for line in lines))
    found, r = reported(t, "-a", "pa-1", "--test", "b.vw", "a.vw")
    equal(found.scripts, 1)
    equal(len(worst_of(found)), 5)
    shown = [row[0] for caption in ("for +1", "for \u22121") for row in found.tables[caption]]
    equal(len(shown), len(HOSTILE) + 1)
    for name in HOSTILE[:5]:
        check(any(name in s for s in shown), f"{name} in {shown}")
    check("\x01" not in found.text and max(map(len, shown)) <= 130, "control characters, or a name without end")


def test_names_of_files_are_text(t):
    odd = "<b>'&amp;\".svm"
    t.write(odd, rows(50))
    found, r = reported(t, "--test", odd, "-o", "<i>", odd)
    check(found.text.count(odd) >= 3 and "<i>" in found.text, found.text)


def test_a_page_for_every_learner(t):
    t.write("a", rows(200))
    t.write("b", rows(50, seed=2))
    for learner in t.learners():
        found, r = reported(t, "-a", learner, "--test", "b", "a")
        check(learner in found.text, learner)
        check_course(found, r)


def test_a_run_in_one_batch_is_said_to_have_predicted_nothing(t):
    t.write("a", rows(200))
    for learner in t.in_batches():
        found, r = reported(t, "-a", learner, "a")
        check("those of an empty model" in found.text and "measures the model" in found.text, learner)
        found, r = reported(t, "-a", learner, "--test", "a", "a")
        check("those of an empty model" in found.text and "on other examples are the model" in found.text, learner)
        found, r = reported(t, "-a", learner, "-P", "batch=50", "a")
        check("empty model" not in found.text, learner)


def test_runs_with_little_to_show(t):
    t.write("empty", "")
    t.write("one", "1 1:1\n")
    t.write("positives", "1 1:1\n1 2:1\n1 1:2\n")
    t.write("both", "1 1:1\n-1 2:1\n")
    t.write("bare", "1\n-1\n" * 9)
    for learner in "ssol", "ftrl", "sbcw", "bcw":
        for a in "empty", "one", "positives", "both", "bare":
            for more in [], ["--test", "empty"], ["--test", "positives"], ["--test", "both"]:
                found, r = reported(t, "--allow-empty", "-a", learner, *more, a)
                what = f"{learner} {a} {more}"
                same_figures(found.rows("while learning"), r, what)
                judged = r.get("test", r)
                equal("roc-chart" in found.charts, judged["auc"] is not None, what)
                equal("both classes" in found.text, judged["auc"] is None, what)
                check("nan" not in found.text and "inf" not in found.text.replace("[0, inf]", "").replace("inf ", ""), what)
    found, r = reported(t, "--allow-empty", "empty")
    check("no example to learn from" in found.text and "No feature has a weight" in found.text, found.text)
    equal(list(found.charts), [], "charts of nothing")
    found, r = reported(t, "positives")
    check("nothing to tell apart" in found.text, found.text)
    found, r = reported(t, "-a", "ssol", "-P", "lambda=1e9", "both")
    check("No weight is left" in found.text and r["nonzeros"] == 0, found.text)


def test_importance_0_is_absent(t):
    t.write("a.vw", "".join(f"{'-1' if i % 2 else '1'} {i % 3 and 1} |n a{i % 5}\n" for i in range(300)))
    found, r = reported(t, "a.vw")
    equal(r["examples"], 200)
    check_course(found, r)
    t.write("b.vw", "1 0 |n a\n" * 9)
    reported(t, "--allow-empty", "b.vw")


def test_passes_resumed_runs_standard_input_and_skipped_lines(t):
    t.write("a", rows(300))
    found, r = reported(t, "--passes", "3", "-o", "m", "a")
    equal((course_of(found)[-1][0], "in 3 passes" in found.text, "learned before" in found.text), (300, True, True))
    found, r = reported(t, "-i", "m", "-", stdin=rows(100, seed=3) + "1 x\n1 1:y\n", *["--on-error", "skip"])
    check_course(found, r)
    for part in "had learned 900 examples in earlier runs", "100: ", "2 malformed lines skipped", "libsvm", "8 in an example":
        check(part in found.text, f"{part} in {found.text}")
    found, r = reported(t, stdin=rows(50))
    check("standard input" in found.text, found.text)


def test_long_runs_have_bounded_pages(t):
    for learner, most in ("ssol", 200000), ("auto", 230000):  # a race has one more picture
        sizes = []
        for n in 20000, 200000:
            t.run("synth", "sparse", "-q", "-P", f"rows={n}", "-P", "nonzeros=3", "-P", "dim=100000", "-o", "a.bin")
            found, r = reported(t, "-a", learner, "a.bin")
            check_course(found, r)
            check(len(course_of(found)) > 30, "few pieces")
            sizes.append(len(t.read("p.html")))
        check(sizes[1] < 1.5 * sizes[0] and sizes[1] < most, str(sizes))


def test_the_report_changes_nothing_and_is_the_same_again(t):
    t.write("a", rows(700))
    t.write("b", rows(100, seed=2))
    t.run("train", "-q", "-o", "plain", "a")
    pages = []
    for threads in 1, 3:
        t.run("train", "-q", "-o", "m", "--report", "p", "--trace", "c", "--test", "b", "--threads", threads, "a")
        equal(t.read("m"), t.read("plain"), "the model")
        text = re.sub(rb"--threads \d", b"", t.read("p"))
        pages.append(re.sub(rb"(<th>(seconds|examples per second)</th><td>)[^<]*", rb"\1", text))
    equal(pages[0], pages[1])
    loud = t.run("train", "--report", "q", "a")
    equal([l for l in loud.out.splitlines() if "seconds" not in l and "per second" not in l],
          [l for l in t.run("train", "a").out.splitlines() if "seconds" not in l and "per second" not in l])


def test_files_that_the_page_must_not_replace(t):
    t.write("a", rows(30))
    t.write("b", rows(30))
    t.run("train", "-q", "-o", "m", "a")
    before = t.read("a"), t.read("b"), t.read("m")
    for command, says in [(["--report", "a"], "replace an input"), (["--report", "-"], "standard output"), (["--report", "/dev/stdout"], "standard output"),
                          (["--report", "x", "-o", "x"], "same file"), (["--report", "x", "-o", "./x"], "same file"),
                          (["--report", "x", "--trace", "x"], "same file"), (["--report", "m", "-i", "m"], "replace the -i file")]:
        t.refused("train", *command, "a", status=2, says=says)
    t.refused("train", "--report", "b", "--test", "b", "a", status=2, says="--test file")
    t.refused("train", "--report", "b", "--calibrate", "b", "a", status=2, says="--calibrate file")
    equal(before, (t.read("a"), t.read("b"), t.read("m")))


def test_a_page_that_cannot_be_written_is_refused_before_learning(t):
    t.write("a", rows(30))
    os.mkdir(t.path("folder"))
    for name in "no/where", "folder":
        r = t.refused("train", "--report", name, "-o", "m", "a", status=1, says=name)
        check("examples" not in r.err and not t.exists("m"), r.err)
    os.mkdir(t.path("closed"), 0o500)
    if not is_root():
        t.refused("train", "--report", "closed/p", "a", status=1, says="closed/p")


def test_a_run_that_fails_leaves_the_page_that_was_there(t):
    t.write("a", rows(50))
    t.write("p.html", "before")
    t.run("train", "-q", "--report", "p.html", "-o", "/dev/full", "a", status=1)
    equal(t.read("p.html"), b"before")


def test_a_run_that_fails_leaves_no_page(t):
    t.write("bad", rows(30) + "1 1:x\n")
    t.refused("train", "--report", "p", "bad", status=1, says="bad:31:5")
    check(not t.exists("p"), "a page")
    t.write("a", rows(30))
    t.refused("train", "--report", "p", "--test", "bad", "a", status=1, says="bad:31:5")
    check(not t.exists("p"), "a page")
    t.write("huge", "1 1:3e38\n-1 1:-3e38\n" * 20)
    t.refused("train", "-a", "ofs", "--report", "p", "huge", status=1, says="number")
    check(not t.exists("p"), "a page")
    t.run("train", "-q", "--report", "p", "a")
    before = t.read("p")
    t.refused("train", "--report", "p", "bad", status=1, says="bad:31:5")
    equal(t.read("p"), before, "the page of the run before")
    t.run("train", "-q", "--report", "q", "-o", "/dev/full", "a", status=1)
    check(not t.exists("q"), "a page, and no model")


def test_a_page_into_a_device_is_fine(t):
    t.write("a", rows(30))
    t.run("train", "-q", "--report", "/dev/null", "a")
    equal(sorted(os.listdir(t.folder)), ["a"])


def test_the_race_is_drawn_as_it_was_run(t):
    t.run("synth", "drift", "-q", "-P", "rows=12000", "-P", "dim=2000", "-P", "changes=1", "-o", "a")
    found, r = reported(t, "-a", "auto", "a")
    candidates, events = r["race"]["candidates"], r["race"]["events"]
    table = found.tables["Candidates"][1:]
    equal(len(table), len(candidates))
    equal([c["leads"] for c in candidates].index(True), r["race"]["leader"], "the leader")
    equal(sum(c["leads"] for c in candidates), 1, "one leads")
    equal(sum(c["led"] for c in candidates), 12000, "somebody leads always")
    for row, c in zip(table, candidates):
        equal(re.split("[ ,]", row[1])[0], c["learner"])
        equal(row[2], f"{100 * c['error']:.2f} %")
        equal((whole(row[3]), whole(row[4])), (c["nonzeros"], c["led"]))
        equal(row[5] if c["alive"] else whole(row[5]), ("leads" if c["leads"] else "learns") if c["alive"] else c["dropped"])
    drops = [re.fullmatch(r"after ([\d,]+) examples: error ([\d.]+) % of candidate (\d+), \S+, which was dropped", title)
             for title in found.charts["race-chart"]]
    drawn = sorted((whole(d.group(1)), int(d.group(3)) - 1) for d in drops if d)
    happened = sorted((e["examples"], e["candidate"]) for e in events if e["event"] == "dropped")
    check(drawn and set(drawn) <= set(happened), f"{drawn[:5]} {happened[:5]}")
    for n, candidate in drawn[:3]:
        check(any(e["examples"] == n and e["candidate"] == candidate for e in events), "no such event")
    led = [re.fullmatch(r"after ([\d,]+) examples: error [\d.]+ % of the leader, candidate (\d+), (\S+); (\d+) learn", title)
           for title in found.charts["race-chart"]]
    led = [(whole(m.group(1)), int(m.group(2)) - 1, int(m.group(4))) for m in led if m]
    equal([x[0] for x in led], sorted(x[0] for x in led))
    check(len(led) > 20 and 256 <= led[0][0] and led[-1][0] == 12000, f"{led[:2]} ... {led[-2:]}")
    check(candidates[led[-1][1]]["leads"], "the last one")
    equal(led[-1][2], sum(c["alive"] for c in candidates))


def test_short_races_have_no_picture(t):
    found, r = reported(t, "-a", "auto", stdin="1 1:1\n-1 2:1\n" * 20)
    check("race-chart" not in found.charts, "a picture of forty examples")
    equal(len(found.tables["Candidates"]) - 1, len(r["race"]["candidates"]))
