"""train --final --min-count: rare features, and their names, are not in the model."""
from harness import check, equal

WORDS = [("spam", "win free prize"), ("ham", "lunch meeting minutes")] * 20
RARE = [("ham", "lunch onlyonce"), ("ham", "lunch twice"), ("ham", "minutes twice")]


def mails(t, more=()):
    return t.write("a.text.tsv", "".join(f"{label}\t{text}\n" for label, text in [*WORDS, *RARE, *more]))


def test_rare_names_are_not_in_the_file(t):
    mails(t)
    for options in (["-a", "arow"], ["-a", "ssol", "-P", "lambda=0", "--bias", "1"], [], ["-a", "pa-1", "--scale", "idf", "--normalize", "l2"]):
        for least, gone in (1, []), (2, [b"onlyonce"]), (3, [b"onlyonce", b"twice"]):
            t.run("train", "-q", *options, "--final", "--min-count", least, "-o", "m", "a.text.tsv")
            for name in gone:
                check(name not in t.read("m"), f"{name} is in the model of {options}, --min-count {least}")
            check(b"prize" in t.read("m"), options)
            if options:  # auto may give rare words no weight
                equal([name in t.read("m") for name in (b"onlyonce", b"twice")], [name not in gone for name in (b"onlyonce", b"twice")], least)


def test_other_weights_are_those_of_the_whole_model(t):
    mails(t)
    t.run("train", "-q", "-a", "arow", "--final", "-o", "all", "a.text.tsv")
    r = t.run("train", "-q", "-a", "arow", "--final", "--min-count", 3, "-o", "m", "a.text.tsv")
    check("2 of 8 features with a weight are left out: fewer than 3 examples had each" in r.err, r.err)
    weights = t.run("inspect", "--weights", "all").out.splitlines()
    equal(t.run("inspect", "--weights", "m").out.splitlines(), [w for w in weights if not w.startswith(("onlyonce", "twice"))])


def test_ids_are_counted_too_and_rows_of_importance_0_are_not(t):
    t.write("a.vw", "1 | 7 8\n-1 | 9 8\n1 0 | 9 7\n1 | 7\n")
    t.write("a.svm", "1 7:1 8:1\n-1 9:1 8:1\n1 7:1 9:0\n")
    for name in "a.vw", "a.svm":
        t.run("train", "-q", "-a", "pa", "--final", "--min-count", 2, "-o", "m", name)
        equal({line.split("\t")[0] for line in t.run("inspect", "--weights", "m").out.splitlines()} - {"8"}, {"7"}, name)


def test_what_is_measured_is_the_model_that_is_saved(t):
    mails(t)
    t.write("test.text.tsv", "ham\tonlyonce\n" * 10 + "ham\tlunch\n")
    options = ["-a", "arow", "--test", "test.text.tsv", "--final", "-o", "m"]
    whole = t.run("train", "-q", "--json", *options, "a.text.tsv").json()
    rare = t.run("train", "-q", "--json", *options, "--min-count", 2, "a.text.tsv").json()
    equal((whole["test"]["mistakes"], rare["test"]["mistakes"]), (0, 10))
    equal(rare["nonzeros"], whole["nonzeros"] - 1)
    equal(t.run("test", "--json", "-m", "m", "test.text.tsv").json()["mistakes"], 10)


def test_several_classes(t):
    mails(t, [("news", "vote election")] * 20)
    for options in ["--classes", "ovr", "-a", "arow"], ["--classes", "matrix", "-a", "ssol", "-P", "lambda=0"], ["--classes", "ovr"]:
        t.run("train", "-q", *options, "--final", "--min-count", 2, "-o", "m", "a.text.tsv")
        check(b"onlyonce" not in t.read("m") and b"election" in t.read("m"), options)
        check("news" in t.run("predict", "-m", "m", t.write("b.text.tsv", "vote\n")).out, options)
    for options in ["--classes", "ovo", "-a", "arow"], ["--classes", "ovr", "-a", "olsf-1"]:
        t.refused("train", *options, "--final", "--min-count", 2, "-o", "n", "a.text.tsv", status=2, says="keeps all features")
        check(not t.exists("n"), "no model")


def test_wrong_usage(t):
    mails(t)
    t.run("train", "-q", "-a", "arow", "-o", "m", "a.text.tsv")
    for options, says in ((["--min-count", 2, "-o", "n"], "--min-count needs --final"), (["--final", "-o", "n", "--min-count", 0], "--min-count"),
                          (["--final", "-o", "n", "--min-count", 2, "--hash", 10], "--hash"),
                          (["--final", "-o", "n", "--min-count", 2, "-i", "m"], "goes on from a model")):
        t.refused("train", *options, "a.text.tsv", status=2, says=says)
