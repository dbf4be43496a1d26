"""sweep: every configuration is its own train; repeats, wanted sparsities, and what is written about them."""

import csv
import io
import json
import os
import re
import statistics
import subprocess

import page_reader as page
from harness import check, equal, near, on_a_terminal, rows

SWEPT = {"olsf": "B", "ofs": "features", "sofs": "features", "fgm": "features", "sbcw": "features", "ftrl": "l1"}


def swept(t, *command, stdin=b""):
    return t.run("sweep", "-q", "--json", *command, stdin=stdin).json()


def trained(t, learner, param, *options):
    return t.run("train", "-q", "--json", "-a", learner, "-P", param, *options).json()


def figures(r):
    """What must not depend on how it was done."""
    return {k: v for k, v in r.items() if k not in ("seconds", "best")} | {"best": [without(b, "command") for b in r["best"]]}


def without(point, *keys):
    return {k: v for k, v in point.items() if k not in keys}


def table_of(t, path):
    return list(csv.DictReader(io.StringIO(t.read(path).decode())))


def legend(text):
    return re.findall(r'<span class="key"><svg class="symbol c(\d)".*?<path class="(line[^"]*)".*?</svg>([^<]*)</span>', text)


def same_as_train(p, by_hand, what):
    for key in ["params", "examples", "mistakes", "error_rate", "nonzeros", "features_seen", "sparsity"]:
        equal(p[key], by_hand[key], f"{what} {key}")
    if "test" in by_hand:
        for key in by_hand["test"]:
            if not key.startswith("skipped"):
                equal(p["test"][key], by_hand["test"][key], f"{what} test {key}")


def vw_rows(n, seed):
    """The same rows with names, and importance."""
    lines = []
    for i, line in enumerate(rows(n, seed=seed).splitlines()):
        label, *features = line.split()
        lines.append(f"{int(label)} {[1, 0.5, 2][i % 3]} | " + " ".join("w" + f for f in features))
    return "\n".join(lines) + "\n"


def test_each_configuration_is_its_own_train(t):
    t.write("a", rows(500))
    t.write("b", rows(200, seed=2))
    for learner, values, options in [("ssol", "0,1,30,100", ["--bias", 0.5]), ("fsol", "0.01..1:18", []),
                                     ("ada-rda", "10^-5..10^-1", ["--normalize", "l2"]), ("rda", "0.001,0.1", ["--passes", 2]),
                                     ("fobos", "0.0001,0.01", []), ("ftrl", "0.1,1,10", ["--dim", 80]), ("stg", "0.001,0.01", []),
                                     ("ssol-full", "1,10", []), ("olsf", "0.1,0.5", []), ("ofs", "5,20", ["--passes", 2]),
                                     ("sofs", "5,20", []), ("fgm", "3,9", [])]:
        name = SWEPT.get(learner, "lambda")
        given = ["--lambda", values] if name in ("lambda", "l1") else ["--grid", f"{name}={values}"]
        r = swept(t, "-a", learner, *given, *options, "--test", "b", "a")
        for p in r["points"]:
            same_as_train(p, trained(t, learner, f"{name}={p['value']!r}", *options, "--test", "b", "a"), f"{learner} {p['value']}")
            equal((p["learner"], p["swept"], p["failed"]), (learner, name, None))


def test_several_learners_share_one_reading(t):
    """From standard input, which can be read only once; parameters go to those that have them."""
    data = rows(400)
    t.write("a", data)
    t.write("b", rows(100, seed=2))
    r = swept(t, "-a", "ssol,ofs,ftrl", "--lambda", "1,10", "--grid", "features=4,8,16", "-P", "eta=0.5", "--test", "b", stdin=data)
    equal([(p["learner"], p["value"]) for p in r["points"]],
          [("ssol", 1), ("ssol", 10), ("ofs", 4), ("ofs", 8), ("ofs", 16), ("ftrl", 1), ("ftrl", 10)])
    for p in r["points"]:
        fixed = [] if p["learner"] == "ftrl" else ["-P", "eta=0.5"]
        same_as_train(p, trained(t, p["learner"], f"{p['swept']}={p['value']}", *fixed, "--test", "b", "a"), str(p["params"]))


def test_names_and_importance_as_train_has_them(t):
    t.write("a.vw", vw_rows(300, 1))
    t.write("b.vw", vw_rows(100, 2))
    t.run("convert", "-q", "a.vw", "--shuffle", 4, "-o", "c.vw")
    for more, source in ([], "a.vw"), (["--shuffle", 4], "c.vw"):
        r = swept(t, "-a", "ssol,olsf-1", "--lambda", "1,30", "--grid", "B=0.1,0.3", *more, "--test", "b.vw", "a.vw")
        for p in r["points"]:
            same_as_train(p, trained(t, p["learner"], f"{p['swept']}={p['value']}", "--test", "b.vw", source), f"{more} {p['params']}")


def test_ids_to_learn_and_names_to_test(t):
    """A test file of another format says the same, whether rows are held or not."""
    t.write("a", rows(300))
    t.write("b", rows(100, seed=2))
    t.run("convert", "-q", "b", "-o", "b.vw")
    for more in [], ["--shuffle", 1]:
        x, y = [swept(t, "--lambda", "1,30", *more, "--test", b, "a")["points"] for b in ("b", "b.vw")]
        equal([p["test"]["mistakes"] for p in x], [p["test"]["mistakes"] for p in y])


def test_repeats_are_runs_in_other_orders(t):
    t.write("a", rows(400))
    t.write("b", rows(200, seed=2))
    for seed in 1, 2, 3, 7, 8, 9:
        t.run("convert", "-q", "a", "--shuffle", seed, "-o", f"a{seed}.svm")
    for more, orders in ([], ["a", "a1.svm", "a2.svm"]), (["--seed", 2], ["a", "a2.svm", "a3.svm"]), (["--shuffle", 7], ["a7.svm", "a8.svm", "a9.svm"]):
        r = swept(t, "-a", "ssol,sofs,rda", "--lambda", "0.001,20", "--grid", "features=5,20", "--repeats", 3, "--passes", 2, *more,
                  "--test", "b", "a")
        equal((r["repeats"], r["examples"], len(r["points"])), (3, 400, 6))
        for p in r["points"]:
            by_hand = [trained(t, p["learner"], f"{p['swept']}={p['value']}", "--passes", 2, "--test", "b", a) for a in orders]
            what = f"{more} {p['params']}"
            equal(p["mistakes"], sum(x["mistakes"] for x in by_hand), what)
            equal(p["test"]["error_rates"], [x["test"]["error_rate"] for x in by_hand], what)
            equal(p["test"]["mistakes"], sum(x["test"]["mistakes"] for x in by_hand), what)
            for mean, deviation, each in [
                    (p["error_rate"], p["error_rate_deviation"], [x["error_rate"] for x in by_hand]),
                    (p["sparsity"], p["sparsity_deviation"], [x["sparsity"] for x in by_hand]),
                    (p["test"]["error_rate"], p["test"]["error_rate_deviation"], [x["test"]["error_rate"] for x in by_hand])]:
                near(mean, statistics.mean(each), 1e-12, what)
                near(deviation, statistics.stdev(each), 1e-12, what)
            near(p["nonzeros"], statistics.mean(x["nonzeros"] for x in by_hand), 1e-9, what)


def test_held_rows_come_in_parts_and_nothing_changes(t):
    """More rows than one part has."""
    t.run("synth", "sparse", "-q", "-P", "rows=20000", "-P", "nonzeros=5", "-P", "dim=300", "-o", "a")
    streamed = swept(t, "-a", "ssol,ftrl", "--lambda", "1,10", "a")
    t.run("convert", "-q", "a", "--shuffle", 3, "-o", "b")
    held = swept(t, "-a", "ssol,ftrl", "--lambda", "1,10", "--shuffle", 3, "a")
    equal(figures(held), figures(swept(t, "-a", "ssol,ftrl", "--lambda", "1,10", "b")))
    check(held["points"] != streamed["points"], "the order plays no part")


def test_results_do_not_depend_on_threads(t):
    t.run("synth", "sparse", "-q", "-P", "rows=20000", "-P", "nonzeros=9", "-P", "dim=2000", "-o", "a")
    t.write("b", rows(100, seed=2))
    for more in [], ["--repeats", 2], ["--sparsity", "0.5,0.9"]:
        one, *others = [figures(swept(t, "-a", "ssol,fsol,sofs", "--threads", n, *more, "--test", "b", "a")) for n in (1, 2, 5)]
        for other in others:
            equal(other, one, str(more))


def test_sixteen_values_around_the_default(t):
    t.write("a", rows(50))
    for learner, low, high in [("ssol", 0.03, 30000), ("ftrl", 3e-5, 30), ("olsf", 0.0002, 1), ("ofs", 10, 10000)]:
        values = [p["value"] for p in swept(t, "-a", learner, "a")["points"]]
        equal((len(values), values[0], values[-1]), (16, low, high), learner)
        equal(values, sorted(values))
    equal([p["value"] for p in swept(t, "--lambda", "3,10^-1..10^1,0,3", "a")["points"]], [0, 0.1, 1, 3, 10])


def test_without_a_test_file_there_is_the_progressive_error(t):
    t.write("a", rows(300))
    r = t.run("sweep", "--lambda", "1,10", "a")
    check("without --test" in r.err and "test" not in r.out.replace("--test", ""), r.err + r.out)
    equal([p["test"] for p in swept(t, "--lambda", "1,10", "a")["points"]], [None, None])
    equal(t.run("sweep", "-qq", "--lambda", "1,10", "a").err, "")


def test_json_has_its_fields_and_best_is_best(t):
    t.write("a", rows(600))
    t.write("b", rows(300, seed=2))
    r = swept(t, "-a", "ssol,fsol,rda", "--test", "b", "a")
    equal((r["examples"], r["skipped"], r["test_examples"], r["test_file"]), (600, 0, 300, "b"))
    for p in r["points"]:
        equal(set(p), {"learner", "params", "swept", "value", "searched", "failed", "examples", "mistakes", "error_rate", "error_rate_deviation",
                       "features_seen", "nonzeros", "sparsity", "sparsity_deviation", "test"})
        equal(p["params"][p["swept"]], p["value"])
        near(p["sparsity"], 1 - p["nonzeros"] / p["features_seen"], 1e-12)
    equal([b["sparsity_at_least"] for b in r["best"]][:2], [0, 0.5])
    for b in r["best"]:
        eligible = [p for p in r["points"] if p["sparsity"] >= b["sparsity_at_least"] and p["nonzeros"]]
        equal(b["test"]["error_rate"], min(p["test"]["error_rate"] for p in eligible))
        check(without(b, "sparsity_at_least", "command") in eligible, "no point")


def test_a_wanted_sparsity_is_found(t):
    t.run("synth", "sparse", "-q", "-P", "rows=3000", "-P", "nonzeros=20", "-P", "dim=3000", "-o", "a")
    r = swept(t, "-a", "ssol,fsol,rda,ftrl,ofs", "--sparsity", "0.5,0.9,0.99", "a")
    equal([(w["learner"], w["sparsity_wanted"]) for w in r["wanted"]],
          [(l, s) for l in ("ssol", "fsol", "rda", "ftrl", "ofs") for s in (0.5, 0.9, 0.99)])
    for w in r["wanted"]:
        check(w["reached"], str(w))
        near(w["sparsity"], w["sparsity_wanted"], 0.1 * (1 - w["sparsity_wanted"]), w["learner"])
        alone = trained(t, w["learner"], f"{w['swept']}={w['value']!r}", "a")
        equal((w["mistakes"], w["nonzeros"]), (alone["mistakes"], alone["nonzeros"]))
        points = [p for p in r["points"] if p["learner"] == w["learner"]]
        away = [abs(p["sparsity"] - w["sparsity_wanted"]) for p in points]
        near(abs(w["sparsity"] - w["sparsity_wanted"]), min(away), 1e-9)
        equal(w["error_rate"], min(p["error_rate"] for p, d in zip(points, away) if d < min(away) + 1e-9), "of equally close ones the best")
        equal([p["value"] for p in points], sorted({p["value"] for p in points}))
    far = swept(t, "--lambda", "1,2", "--sparsity", "0.9", "a")  # it lies far outside of what was given
    check(far["wanted"][0]["reached"], str(far["wanted"]))
    flat = swept(t, "-P", "eta=100000", "--lambda", "1,2,3,5", "--sparsity", "0.9", "a")  # of which no value does anything: the closest is any of them
    check(flat["wanted"][0]["reached"], str(flat["wanted"]))


def test_a_sparsity_out_of_reach_is_said_to_be(t):
    t.write("a", rows(300))
    r = t.run("sweep", "--sparsity", "0.5,0.999", "a")
    check("a sparsity of 0.999 cannot be reached with a weight left; 50 features: at most 0.9800" in r.err, r.err)
    equal(r.err.count("cannot be reached"), 1, r.err)
    check("cannot be reached; this is the closest" in r.out, r.out)
    wanted = swept(t, "--sparsity", "0.5,0.999", "a")["wanted"]
    equal([w["reached"] for w in wanted], [True, False])
    check(0 < wanted[1]["nonzeros"] < 10, str(wanted[1]))  # an empty model is of no use
    t.write("all", "1 1:1 2:1\n-1 3:1 4:1\n" * 30)  # these come and go together
    r = t.run("sweep", "--sparsity", "0.25", "all")
    check("ssol: a sparsity of 0.25 cannot be reached" in r.err and "at most" not in r.err, r.err)
    r = t.run("sweep", "--lambda", "1e9,1e10", "--sparsity", "0.999", "--html", "p", "a")  # looks where weights are
    check("no point has a weight left" not in r.out and "cannot be reached; this is the closest" in r.out, r.out)
    r = t.run("sweep", "--lambda", "1e9,1e10", "a")
    equal(r.out.count("no point has a weight left"), 1, r.out)
    for wrong in "1", "-0.1", "x", "0.5,", "0.5,nan":
        t.refused("sweep", "--sparsity", wrong, "a", status=2, says="from 0 to below 1")


def shown(r):
    """What a person sees of the points."""
    found = [(w["learner"], w.get("value")) for w in r["wanted"]]
    return [p for p in r["points"] if not p["searched"] or (p["learner"], p["value"]) in found]


def test_the_steps_of_the_search_are_for_programs(t):
    t.run("synth", "sparse", "-q", "-P", "rows=3000", "-P", "nonzeros=20", "-P", "dim=3000", "-o", "a")
    command = ["-a", "ssol,ftrl", "--sparsity", "0.5,0.9", "--csv", "c", "--html", "p", "a"]
    r = swept(t, *command)
    for learner in "ssol", "ftrl":
        equal(sum(not p["searched"] for p in r["points"] if p["learner"] == learner), 16)
    few = shown(r)
    check(32 < len(few) <= 36 and len(r["points"]) > 50, f"{len(few)} of {len(r['points'])}")
    equal([(line["learner"], float(line["value"]), line["searched"]) for line in table_of(t, "c")],
          [(p["learner"], p["value"], str(p["searched"]).lower()) for p in r["points"]])
    found = page.look(t.read("p").decode())
    equal(len(found.points), len(few))
    equal(len(found.tables[2]) - 1, len(few))  # of all points
    values = [float(line.split()[0]) for line in t.run("sweep", "-qv", *command).out.split("\nthe smallest")[0].splitlines()
              if re.fullmatch(r" *[\d.]+  .*", line)]
    equal(values, [p["value"] for p in few])
    for b in r["best"]:
        check(without(b, "sparsity_at_least", "command") in few, "the best is not shown")


def test_commands_that_train_the_models_are_said(t):
    t.write("a b.csv", "spam,x,y\n" + "".join(f"{i % 3 % 2},{i % 5},{i % 7}\n" for i in range(200)))
    command = ["-a", "ssol,ftrl", "-P", "eta=2", "--bias", 1, "--passes", 2, "--label", "spam", "--sparsity", "0.3", "a b.csv"]
    r = swept(t, *command)
    text = t.run("sweep", "-q", *command).out
    chosen = r["best"] + r["wanted"]
    equal(len(chosen), 3)
    for p in chosen:
        check(p["command"].startswith(f"sluice train -a {p['learner']} ") and "\n  " + p["command"] + "\n" in text, p["command"] + text)
        done = subprocess.run(p["command"].replace("sluice", t.sluice, 1) + " -q --json", shell=True, cwd=t.folder, check=True, capture_output=True)
        same_as_train(p, json.loads(done.stdout), p["command"])
    lines = text.split("commands that train these models\n")[1].splitlines()
    equal(sorted(lines), sorted({"  " + p["command"] for p in chosen}))  # each once


def test_levels_have_all_their_digits(t):
    t.write("a", rows(100))
    text = t.run("sweep", "-q", "--lambda", "1,2", "--sparsity", "0.99996", "--dim", 10**9, "--html", "p", "a").out
    equal(text.count("\n   0.99996  "), 2, text)
    check("99.996" in page.look(t.read("p").decode()).text, "not in the page")


def test_a_dimension_beyond_the_digits_of_sparsity(t):
    """1 - nonzeros / dimension is 1, and there are nonzeros all the same."""
    t.write("a", rows(300))
    swept(t, "--dim", 2**64 - 1, "--html", "p", "a")
    found = page.look(t.read("p").decode())
    equal(len(found.points), 16)
    check("1 - 1e-18" in found.text, "no labels")


def test_examples_are_counted_as_train_does(t):
    lines = vw_rows(300, 1).splitlines()
    zero = [re.sub(r"^(\S+) \S+", r"\1 0", line) for line in lines[:40]]
    t.write("a.vw", "\n".join(lines + ["1 | x:y:z"] + zero) + "\n")
    for more in [], ["--passes", 2], ["--passes", 2, "--shuffle", 1], ["--repeats", 2], ["--sparsity", "0.5"]:
        r = swept(t, "--lambda", "1,2", "--on-error", "skip", *more, "--test", "a.vw", "a.vw")
        equal((r["examples"], r["test_examples"], r["skipped"], r["test_skipped"]), (300, 300, 1, 1), str(more))
        equal(r["positives"], sum(line.startswith("1 ") for line in lines), str(more))
        equal(sum(r["skipped_reasons"].values()), 1)


def test_settings_are_those_of_train(t):
    t.write("a.csv", "spam,w,x\n" + "".join(f"{i % 2},1,{i % 3}\n" for i in range(50)))
    t.write("b.csv", "nan,w,x\n" + "".join(f"{i % 2},1,{i % 3}\n" for i in range(50)))
    t.write("a", "".join(f"{i % 2}\tsome words {i % 3}\n" for i in range(50)))
    t.write("b", rows(50))
    for options in ["--label", "spam", "--weight", "w", "a.csv"], ["--no-header", "--label", "1", "--on-error", "skip", "b.csv"], \
            ["-f", "text", "--ngrams", 2, "a"], ["--bias", 2, "b"]:
        by_hand = t.run("train", "-q", "--json", "-a", "ssol", *options).json()["settings"]
        for more in [], ["--shuffle", 1], ["--test", options[-1]], ["--test", options[-1], "--shuffle", 1]:
            equal(swept(t, "--lambda", "1", *more, *options)["settings"], by_hand, str(options + more))


def test_a_test_file_that_is_learned_from_is_noted(t):
    t.write("a", rows(50))
    t.write("b", rows(50, seed=2))
    os.symlink("a", os.path.join(t.folder, "c"))
    note = "--test {} is learned from too"
    for test in "a", "c", "./a":
        check(note.format(test) in t.run("sweep", "--lambda", "1", "--test", test, "b", "a").err, test)
    check("learned from" not in t.run("sweep", "--lambda", "1", "--test", "b", "a").err, "b")
    equal(t.run("sweep", "-qq", "--lambda", "1", "--test", "a", "a").err, "")


def test_csv_has_all_points(t):
    t.write("a", rows(300))
    t.write("b", rows(100, seed=2))
    for more in [], ["--test", "b"], ["--test", "b", "--repeats", 3]:
        r = swept(t, "-a", "ssol,ofs", "--csv", "points.csv", *more, "a")
        table = table_of(t, "points.csv")
        equal(len(table), 32)
        for line, p in zip(table, r["points"]):
            check(None not in line and None not in line.values(), str(line))
            equal((line["learner"], line["parameter"], float(line["value"]), line["searched"]), (p["learner"], p["swept"], p["value"], "false"))
            for key in ["examples", "mistakes", "error_rate", "features_seen", "nonzeros", "sparsity", "sparsity_deviation"]:
                equal(float(line[key]) if line[key] else None, p[key], key)
            for key in ["mistakes", "error_rate", "auc", "error_rate_deviation"]:
                equal(float(line["test_" + key]) if line["test_" + key] else None, p["test"][key] if p["test"] else None, key)


def test_the_page_is_well_formed_and_complete(t):
    t.write("a", rows(300))
    t.write("b", rows(100, seed=2))
    for more in [], ["--test", "b"], ["--test", "b", "--repeats", 3, "--sparsity", "0.5,0.999"], ["--lambda", "1"], ["--lambda", "1e9"]:
        learners = "ssol,ssol-full,fsol,ada-rda,rda,ftrl,fobos,stg,cs-ssol" + ("" if "--lambda" in more else ",ofs")
        r = swept(t, "-a", learners, "--html", "page.html", *more, "a")
        text = t.read("page.html").decode()
        found = page.look(text)
        points = shown(r)
        equal(len(found.points), len(points), str(more))
        keys = legend(text)
        equal([name for *_, name in keys], learners.split(","), str(more))
        equal(len({(colour, line) for colour, line, _ in keys}), len(keys), "curves differ")
        for heading in f"<title>Error against sparsity: {learners.replace(',', ', ')} on a</title>", f"<h1>Error against sparsity: {learners.replace(',', ', ')} on a</h1>":
            check(heading in text, heading)
        for p, (title, bars) in zip(points, found.points):
            check(title.startswith(f"{p['learner']} {p['swept']}="), title)
            rate = p["test"]["error_rate"] if p["test"] else p["error_rate"]
            check(f"error {100 * rate:.3f} %" in title, f"{title} {rate}")
            check(f"sparsity {100 * p['sparsity']:.4f} %" in title, title)
            deviation = p["test"]["error_rate_deviation"] if p["test"] else None
            equal(bars, int(bool(deviation)), "error bars")


def test_names_of_files_are_text_in_the_page(t):
    odd = b"<script>alert('1')</script>&amp;\"\xff\x01\xc3\xa9.svm".replace(b"/", b"_")
    with open(os.path.join(t.folder.encode(), odd), "w") as f:
        f.write(rows(50))
    subprocess.run([t.sluice, "sweep", "-q", "--lambda", "1,10", "--html", "page.html", "--test", odd, odd], cwd=t.folder, check=True,
                   stdout=subprocess.DEVNULL)
    found = page.look(t.read("page.html").decode())  # it is UTF-8
    equal(found.scripts, 1)
    check(found.text.count("<script>alert('1')<_script>&amp;\"\ufffd\ufffd\u00e9.svm") >= 2, found.text)


def test_the_page_does_not_change_from_run_to_run(t):
    t.write("a", rows(300))
    pages = []
    for threads in 1, 3:
        t.run("sweep", "-q", "--html", "p", "--threads", threads, "a")
        pages.append(re.sub(rb"--threads \d", b"", t.read("p")))
    equal(pages[0], pages[1])


def test_points_that_fail_are_said_to_and_the_others_stand(t):
    t.write("a", "1 1:3e38\n-1 1:-3e38\n" * 20)
    r = t.run("sweep", "-a", "ssol,ofs", "--lambda", "1,2", "--grid", "features=1,2", "--html", "p", "--csv", "c", "--json", "--test", "a", "a")
    check("some points failed; the first: " in r.err and "number" in r.err, r.err)
    points = r.json()["points"]
    equal([bool(p["failed"]) for p in points], [False, False, True, True])
    equal([points[2][k] for k in ["mistakes", "test", "nonzeros"]], [None] * 3)
    equal(set(points[2]), set(points[0]))
    table = table_of(t, "c")
    equal([(line["failed"] != "", line["mistakes"] == "") for line in table], [(False, False)] * 2 + [(True, True)] * 2)
    equal(len(page.look(t.read("p").decode()).points), 2)
    check("failed: " in t.run("sweep", "-qv", "-a", "ssol,ofs", "a").out, "not said")
    t.refused("sweep", "-a", "ofs", "--html", "q", "a", status=1, says=["all points failed", "number"])
    check(not t.exists("q"), "a page")


def test_empty_input_is_no_error(t):
    t.write("a", "")
    r = swept(t, "--lambda", "1,2", "--html", "p", "--test", "a", "a")
    equal([(p["examples"], p["error_rate"], p["sparsity"], p["test"]["error_rate"]) for p in r["points"]], [(0, None, None, None)] * 2)
    check("There was no example to learn from." in page.look(t.read("p").decode()).text, "not said")
    t.write("zero.vw", "1 0 | a b\n-1 0 | c\n")
    for more in [], ["--repeats", 2]:
        for source in "a", "zero.vw":
            r = t.run("sweep", "--lambda", "1,2", "--sparsity", "0.5", *more, "--html", "p", source)
            check("input: there are no examples" in r.err and "reached" not in r.err, r.err)
            check("nan" not in r.out and "reached" not in r.out, r.out)
            page.look(t.read("p").decode())
            r = swept(t, "--lambda", "1,2", "--sparsity", "0.5", *more, source)
            equal((len(r["points"]), r["best"], r["wanted"]), (2, [], [{"sparsity_wanted": 0.5, "reached": False, "learner": "ssol"}]))


def test_usage_errors(t):
    t.write("a", rows(30))
    for command, says in [(["-a", "pa"], ["no parameter of it makes a model sparse", "ssol, "]), (["-a", "none"], "unknown learner"),
                          (["--lambda", "1,x"], ["--lambda 1,x: 'x' is no number", "for instance 0.1,1,10"]),
                          (["--lambda", "1..2"], "how many values"), (["--lambda", "-1"], "lambda of ssol lies between"),
                          (["-a", "ofs", "--lambda", "1"], "--grid features=VALUES"), (["--grid", "eta=1,2"], "lambda of ssol"),
                          (["--grid", "features=1,2"], "lambda of ssol"), (["-P", "lambda=1"], "--lambda"), (["-P", "zeta=1"], "there are: eta"),
                          (["--lambda", "1", "--grid", "lambda=2"], "has a grid already"), (["--repeats", "0"], "whole number"),
                          (["--csv", "a"], "replace an input"), (["--html", "-"], "standard output"), (["--csv", "x", "--html", "x"], "same file"),
                          (["--shuffle", "x"], "whole number"), (["--lambda", "inf"], "not 'inf'")]:
        t.refused("sweep", *command, "a", status=2, says=says)
    t.refused("sweep", "--passes", 2, "-", status=2, says="only once", stdin=rows(9))
    t.refused("sweep", "--test", "-", status=2, says="standard input", stdin=rows(9))
    t.refused("sweep", "--test", "nowhere", "a", status=1, says="nowhere")
    t.refused("sweep", "--html", "no/where", "a", status=1, says="no/where")
    t.refused("sweep", "nowhere", status=1, says="nowhere")
    t.write("bad", "1 1:x\n")
    t.refused("sweep", "bad", status=1, says=["bad:1:5", "--on-error skip"])
    t.refused("sweep", "--test", "bad", "a", status=1, says="bad:1:5")
    equal(swept(t, "--on-error", "skip", "--lambda", "1", "a", "bad")["skipped"], 1)


def test_a_person_sees_tables_and_the_best(t):
    t.write("a", rows(600))
    t.write("b", rows(300, seed=2))
    command = ["sweep", "-a", "ssol,fsol", "-P", "eta=2", "--test", "b", "--repeats", 2, "a"]
    brief = t.run(*command).out
    check("ssol eta=2" not in brief.split("commands that")[0] and "the smallest test error at a sparsity of at least" in brief, brief)
    r = t.run(*command, "-v")
    for part in ["\nssol eta=2\n", "\nfsol eta=2\n", "   lambda ", "+-", "the smallest test error at a sparsity of at least"]:
        check(part in r.out, part + r.out)


def test_the_page_has_a_logarithmic_axis_and_a_place_for_no_error(t):
    t.write("a", "1 1:1 3:1\n-1 2:1 3:1\n" * 200)  # learned without a mistake on the test file
    t.write("b", "1 1:1\n-1 2:1\n" * 50 + "-1 1:1\n")
    for test, wanted in ("a", {0}), ("b", {1}):
        swept(t, "-a", "ssol", "--lambda", "1,10,1e9", "--test", test, "--html", "p", "a")
        found = page.look(t.read("p").decode())
        errors = [float(re.search(r"test error ([\d.]+) %", title).group(1)) for title in found.charts["chart"]]
        equal(len(errors), 3)
        check("Test error (logarithmic)" in found.text, "the caption")
        check(wanted <= {round(e) for e in errors} and max(errors) > 1, f"{errors}")


def test_progress_shows_the_time_left(t):
    t.run("synth", "sparse", "-q", "-P", "rows=30000", "-P", "nonzeros=30", "-P", "dim=20000", "-o", "a")
    for more, what in ([], " examples"), (["--repeats", "4"], " of 16 parts"):
        seen = on_a_terminal(t, "sweep", "-a", "ssol,rda,stg", "--threads", 1, *more, "a")
        check(" left  " in seen and what in seen, seen[-300:])
