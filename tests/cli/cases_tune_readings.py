"""tune: grids of what is done to the text, for which the inputs are read again."""

import os
import random

from harness import check, equal


def texts(n, seed=4):
    """Two words in a row say what the line is, one alone does not; some occur several times."""
    r = random.Random(seed)
    words = "red green blue round square".split()
    lines = []
    for _ in range(n):
        some = [r.choice(words) for _ in range(r.randrange(2, 7))]
        pairs = set(zip(some, some[1:]))
        spam = ("red", "round") in pairs or ("round", "red") in pairs or some.count("blue") > 2
        lines.append(f"{'spam' if spam else 'ham'}\t{' '.join(some)}\n")
    return "".join(lines)


def tuned(t, *command):
    return t.run("tune", "-q", "--json", "-f", "text", *command).json()


def test_every_point_is_read_with_its_options(t):
    t.write("a", texts(240))
    lines = t.read("a").decode().splitlines(True)
    t.write("learn", "".join(lines[:160]))
    t.write("test", "".join(lines[160:]))
    for values in "0.1,1", "0.1,0.2,0.5,1":
        r = tuned(t, "-a", "pa-1", "--grid", f"C={values}", "--grid", "ngrams=1,2,3", "--grid", "bias=0,1", "--grid", "tf=binary,count,log",
                  "--folds", "forward:2", "a")
        equal(len(r["points"]), 2 * 9 * len(values.split(",")))
        equal(r["examples"], 240)
        for p in r["points"]:
            s = p["settings"]
            equal(list(s), ["bias", "ngrams", "tf"])
            by_hand = t.run("train", "-q", "--json", "-f", "text", "-a", "pa-1", "-P", f"C={p['params']['C']}", "--ngrams", s["ngrams"], "--tf", s["tf"],
                            "--bias", s["bias"], "--test", "test", "learn").json()
            equal((p["folds"][1], p["test"]["examples"]), (by_hand["test"]["error_rate"], 160), str(p["settings"]))
        means = [p["mean"] for p in r["points"][1:]]
        equal(means, sorted(means), "points of all readings are in one order")
        check(r["best"]["settings"]["ngrams"] > 1, "words alone are best: nothing was read anew")
        equal([r["settings"][k] for k in ("ngrams", "tf")], [r["best"]["settings"][k] for k in ("ngrams", "tf")])


def test_the_model_is_read_as_the_best_point(t):
    t.write("a", texts(240))
    for grid in ["ngrams=1,2"], ["ngrams=2,1"], ["ngrams=1,2,3", "tf=count,binary"]:
        for mode in [], ["--progressive"]:
            command = [x for g in grid for x in ("--grid", g)]
            r = tuned(t, "-a", "pa-1,arow", "--grid", "C=0.1,1", *command, *mode, "-o", "m", "a")
            best = r["best"]["command"].split()
            equal(best[best.index("--ngrams") + 1], str(r["best"]["settings"]["ngrams"]))
            t.run(*[x if x != "m" else "same" for x in best[1:]])
            equal(t.read("m"), t.read("same"))
            shown = t.run("inspect", "--json", "m").json()["settings"]
            equal(shown["ngrams"], r["best"]["settings"]["ngrams"])
            answers = t.run("predict", "-m", "m", stdin="red round\n").out  # the model knows how to cut lines
            check(answers.split("\t")[0] in ("spam", "ham"), answers)


def test_none_is_without_the_option(t):
    """Options that change what the words are; the printed command has those that the point has."""
    t.write("a", texts(200))
    t.write("words", "red\ngreen\n")
    grids = {"chars": "none,2-3", "min-length": "1,4", "stop-words": "none,words"}
    r = tuned(t, "-a", "pa-1", *[x for name, values in grids.items() for x in ("--grid", f"{name}={values}")], "--grid", "C=0.1,1", "--progressive", "a")
    equal(len(r["points"]), 16)
    for p in r["points"]:
        options = [x for name, value in p["settings"].items() if value != "none" for x in ("--" + name, value)]
        by_hand = t.run("train", "-q", "--json", "-f", "text", "-a", "pa-1", "-P", f"C={p['params']['C']}", *options, "a").json()
        equal((p["mistakes"], p["nonzeros"]), (by_hand["mistakes"], by_hand["nonzeros"]), str(p["settings"]))
    check(len({p["nonzeros"] for p in r["points"]}) >= 5, str([p["nonzeros"] for p in r["points"]]))
    command = r["best"]["command"]
    for name, value in r["best"]["settings"].items():
        equal(f"--{name} {value}" in command, value != "none", command)
    whole = tuned(t, "-a", "pa-1", "--grid", "C=1", "--grid", "ngrams=0", "--grid", "chars=3", "-o", "m", "a")["best"]["command"]
    t.run(*[x if x != "m" else "same" for x in whole.split()[1:]])
    equal(t.read("m"), t.read("same"), "a model without words")


def test_drawn_points_have_all_readings(t):
    t.write("a", texts(100))
    r = tuned(t, "-a", "pa-1", "--random", 30, "--grid", "C=0.01..10", "--grid", "ngrams=1,2", "--grid", "tf=binary,log", "a")
    equal(len(r["points"]), 30)
    equal({(p["settings"]["ngrams"], p["settings"]["tf"]) for p in r["points"]}, {(n, f) for n in (1, 2) for f in ("binary", "log")})
    one, three = (tuned(t, "--threads", n, "-a", "pa-1", "--random", 30, "--grid", "C=0.01..10", "--grid", "ngrams=1,2", "a") for n in (1, 3))
    equal([(p["params"], p["settings"], p["folds"]) for p in one["points"]], [(p["params"], p["settings"], p["folds"]) for p in three["points"]])


def test_warnings_come_once_and_counts_are_of_one_reading(t):
    t.write("a.svm", "".join(f"{i % 2} {1 + i % 3}:1\n" for i in range(60)) + "1 1:x\n")
    r = t.run("tune", "--json", "-a", "pa", "--on-error", "skip", "--grid", "ngrams=1,2,3", "--cost", "7=2", "a.svm")
    equal(r.err.count("malformed line skipped"), 1)
    equal(r.err.count("no example has this label"), 1)
    equal((r.json()["skipped"], r.json()["examples"], len(r.json()["points"])), (1, 60, 3))


def test_wrong_readings_say_what_there_is(t):
    t.write("a", texts(60))
    for grid, says in [("ngrams=1,9", ["--ngrams 9", "0 to 8"]), ("ngrams=x", "0 to 8"), ("ngrams=0,1", "--ngrams 0"), ("chars=9-1", "--chars 9-1"), ("ngrams=", "no values; write for instance ngrams=1,2"),
                       ("ngrams", "no values"), ("ngrams=1,,2", "no value"), ("tf=cubic", ["--tf cubic", "binary, count, log"]),
                       ("tf=" + "x" * 60, "too long"), ("ngram=1", ["no such parameter", "normalize, bias, transform, scale, ngrams, tf, chars, min-length, stop-words"])]:
        t.refused("tune", "-f", "text", "--grid", grid, "a", status=2, says=says)
    t.refused("tune", "-f", "text", "--grid", "ngrams=1,2", "--ngrams", 2, "a", status=2, says="--ngrams already fixes it")
    t.refused("tune", "-f", "text", "--grid", "ngrams=1,2", "--grid", "ngrams=3", "a", status=2, says="ngrams has a grid already")
    t.refused("tune", "-f", "text", "--grid", "ngrams=1,2", status=2, says=["--grid ngrams", "standard input", "save the input to a file"], stdin=texts(60))
    t.refused("tune", "-f", "text", "--grid", "stop-words=none,missing", "a", status=1, says="missing: No such file")
    os.mkfifo(t.path("pipe"))
    t.refused("tune", "-f", "text", "--grid", "tf=log,count", "pipe", status=2, says=["--grid tf", "only once"])
    equal(t.run("tune", "-q", "-f", "text", "-a", "pa", "--grid", "ngrams=2", "--json", stdin=texts(60)).json()["best"]["settings"], {"ngrams": 2})
