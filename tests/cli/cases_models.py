"""merge and diff: models of models, and how two differ."""

import math

from harness import check, equal, near, rows


def weights(t, model):
    """{(id or name, classes): weight} as inspect prints them."""
    lines = [line.split("\t") for line in t.run("inspect", "--weights", model).out.splitlines()]
    return {tuple(parts[:-1]): float(parts[-1]) for parts in lines}


def train(t, model, data, *options, learner="fsol"):
    t.run("train", "-qq", "-a", learner, *options, "-o", model, stdin=data)


def test_merged_sums_are_those_of_both_streams(t):
    one, two, three = rows(200, seed=1), rows(200, seed=2), rows(100, seed=3)
    for name, data in [("a", one), ("b", two), ("c", three)]:
        train(t, name, data, learner="rda")
    r = t.run("merge", "--json", "a", "b", "c", "-o", "m").json()
    equal([r["models"], r["learner"], r["examples"]], [3, "rda", 500])
    equal(t.run("inspect", "--json", "m").json()["examples"], 500)
    t.run("merge", "-q", "a", "b", "-o", "ab")
    t.run("merge", "-q", "ab", "c", "-o", "m2")
    equal(weights(t, "m2"), weights(t, "m"), "one after the other")
    text = t.run("merge", "a", "b", "-o", "m3").out
    check("examples              400" in text, text)
    t.run("train", "-q", "-i", "m", "-o", "m4", stdin=one)
    equal(t.run("inspect", "--json", "m4").json()["examples"], 700, "it goes on learning")


def test_what_models_began_with_counts_once(t):
    one, two = rows(200, seed=2), rows(200, seed=3)
    train(t, "start", rows(200, seed=1), learner="rda")
    for name, data in [("a", one), ("b", two)]:
        t.run("train", "-qq", "-i", "start", "-o", name, stdin=data)
    equal(t.run("merge", "--json", "--start", "start", "a", "b", "-o", "m").json()["examples"], 600)
    equal(t.run("merge", "--json", "a", "b", "-o", "twice").json()["examples"], 800)
    check(weights(t, "m") != weights(t, "twice"), "the start counts twice")
    train(t, "other", one, learner="perceptron")
    t.refused("merge", "--start", "other", "a", "b", "-o", "m", status=1, says="did not begin")


def test_merge_keeps_names_and_classes(t):
    train(t, "a", "spam\tfree prize now\nham\tlunch at noon\n", "-f", "text")
    train(t, "b", "spam\tfree lunch\nham\tnoon meeting\n", "-f", "text")
    t.run("merge", "-q", "a", "b", "-o", "m")
    names = {name for (name,) in weights(t, "m")}
    check({"prize", "meeting"} <= names, names)
    equal([c["label"] for c in t.run("inspect", "--json", "m").json()["classes"]], ["spam", "ham"])
    equal(t.run("predict", "-m", "m", stdin="free prize\n").out.split("\t")[0], "spam")


def test_merge_adds_the_counts_of_idf(t):
    """The word is in one of the fifty rows of each part: in two of a hundred."""
    other = "".join(f"ham\tfiller{i}\n" for i in range(49))
    for name in "ab":
        train(t, name, f"spam\tprize\n{other}", "-f", "text", "--scale", "idf", learner="perceptron")
    t.run("merge", "-q", "a", "b", "-o", "m")
    said = t.run("predict", "-m", "m", "--explain", "1", "--json", stdin="prize\n").json()
    term = said["explain"][0]
    near(term["contribution"] / (term["value"] * term["weight"]), 1 + math.log(101 / 3), 1e-6)


def test_merge_refuses_what_does_not_fit_and_writes_nothing(t):
    one = rows(50)
    train(t, "a", one)
    train(t, "other", one, learner="perceptron")
    train(t, "params", one, "-P", "eta=3")
    t.run("train", "-qq", "-o", "race", stdin=one)
    t.write("junk", "no model\n")
    for wrong, status, says in [("other", 1, "other: models merge only with the same learner"),
                                ("params", 1, "params: models merge only with the same learner"),
                                ("junk", 1, "junk: this is not a sluice model"), ("missing", 1, "missing: cannot open")]:
        t.refused("merge", "a", wrong, "-o", "m", status=status, says=says)
    t.refused("merge", "race", "race", "-o", "m", status=1, says=["race: ", "auto models do not merge"])
    t.refused("merge", "a", "-o", "m", status=2, says="which models?")
    t.refused("merge", "a", "a", status=2, says="-o")
    t.refused("merge", "a", "a", "-o", "no/such/folder", status=1, says="no/such/folder")
    check(not t.exists("m"), "a model was written")


def test_merge_refuses_text_that_was_cut_in_other_ways(t):
    data = "spam\tfree prize now\nham\tlunch at noon\n"
    train(t, "a", data, "-f", "text")
    train(t, "b", data, "-f", "text", "--ngrams", 2)
    t.refused("merge", "a", "b", "-o", "m", status=1, says=["b: ", "with --ngrams 2, those of a without --ngrams"])
    train(t, "one", data, "-f", "text", "--ngrams", 1, "--tf", "log", "--min-length", 1)
    t.run("merge", "-q", "a", "one", "-o", "m")
    equal(t.run("predict", "-qq", "-m", "m", stdin="free prize\n").out[:5], "spam\t", "the merged model reads text")


def test_merge_refuses_text_and_what_is_not_read_as_text(t):
    train(t, "text", "spam\tfree prize now\nham\tlunch at noon\n", "-f", "text")
    train(t, "url", "spam\tx.org/free\nham\ty.org/lunch\n", "-f", "url")
    train(t, "csv", "label,free\nspam,1\nham,2\n", "-f", "csv")
    train(t, "ids", "spam 1:1\nham 2:1\n")
    train(t, "keys", '{"label":"spam","free":1}\n{"label":"ham","x":1}\n', "-f", "jsonl")
    for a, b in [("text", "url"), ("text", "csv"), ("csv", "text"), ("ids", "text"), ("url", "keys")]:
        r = t.refused("merge", a, b, "-o", "m", status=1, says=[f"{b}: ", "--format"])
        check(len(r.err) < 200, r.err)
    check(not t.exists("m"), "a model was written")
    for a, b in [("csv", "keys"), ("ids", "csv"), ("url", "url")]:
        t.run("merge", "-q", a, b, "-o", "m")


def test_text_and_urls_do_not_go_into_one_model(t):
    data = "spam\tfree prize now\nham\tlunch at noon\n"
    train(t, "text", data, "-f", "text")
    t.refused("train", "-i", "text", "-f", "url", "-o", "m", stdin=data, status=2, says=["--format url", "another setting"])
    t.write("a.url.tsv", "spam\tx.org/free\n")
    t.write("a.text.tsv", data)
    t.refused("train", "-i", "text", "-o", "m", "a.url.tsv", status=1, says=["read as url", "--format text"])
    t.refused("train", "-a", "rda", "-o", "m", "a.text.tsv", "a.url.tsv", status=1, says=["read as url", "--format text"])
    check(not t.exists("m"), "a model was written")
    t.run("convert", "-q", "-f", "text", "a.text.tsv", "-o", "a.bin")
    t.run("train", "-q", "-i", "text", "-o", "m", "a.bin")
    t.run("train", "-q", "-i", "text", "-f", "text", "-o", "again", "a.text.tsv")
    equal(t.read("m"), t.read("again"), "rows that were cut before, and the format is kept")


def test_merge_may_replace_one_of_its_models(t):
    train(t, "a", rows(50, seed=1))
    train(t, "b", rows(50, seed=2))
    t.run("merge", "-q", "a", "b", "-o", "a")
    equal(t.run("inspect", "--json", "a").json()["examples"], 100)
    t.write("data", rows(5))
    t.refused("merge", "data", "b", "-o", "b", status=1, says="data: this is not a sluice model")


def test_diff_lists_what_came_went_and_changed(t):
    train(t, "a", "1 1:1 2:2\n-1 3:1\n1 9:1\n", learner="perceptron")
    train(t, "b", "1 1:1 2:2\n-1 4:1 18446744073709551615:2\n-1 1:3\n", learner="perceptron")
    a, b = weights(t, "a"), weights(t, "b")
    wanted = {"came": set(b) - set(a), "went": set(a) - set(b), "changed": {k for k in set(a) & set(b) if a[k] != b[k]}}
    d = t.run("diff", "--json", "a", "b").json()
    for key, keys in wanted.items():
        check(keys, f"the test has none that {key}")
        equal({(str(x["id"]),) for x in d[key]}, keys, key)
        equal(d["weights"][key], len(keys))
        for x in d[key]:
            equal([x["before"], x["after"]], [a.get((str(x["id"]),), 0), b.get((str(x["id"]),), 0)], x)
        sizes = [abs(x["after"] - x["before"]) for x in d[key]]
        equal(sizes, sorted(sizes, reverse=True), f"order of {key}")
    equal(d["weights"]["same"], len([k for k in set(a) & set(b) if a[k] == b[k]]))
    near(d["weights"]["distance"], math.sqrt(sum((b.get(k, 0) - a.get(k, 0))**2 for k in set(a) | set(b))), 1e-6)
    equal([len(t.run("diff", "--json", "--top", 1, "a", "b").json()[key]) for key in wanted], [1, 1, 1])
    text = t.run("diff", "a", "b").out
    for part in ["features that came", "18446744073709551615", "features that went", "changed most", " -> "]:
        check(part in text, text)


def test_diff_of_a_model_and_itself_is_empty(t):
    train(t, "a", rows(100))
    d = t.run("diff", "--json", "a", "a").json()
    equal([d["came"], d["went"], d["changed"], d["weights"]["distance"]], [[], [], [], 0])
    equal(d["before"], d["after"])


def test_diff_takes_names_and_numbers_for_the_same(t):
    train(t, "ids", "1 7:1 8:1\n", learner="perceptron")
    train(t, "names", "1 | 7 8 word\n", "-f", "vw", learner="perceptron")
    d = t.run("diff", "--json", "ids", "names").json()
    equal([x["name"] for x in d["came"]], ["word"])
    equal([d["went"], d["changed"], d["weights"]["same"]], [[], [], 2])


def test_diff_of_several_classes_goes_by_labels(t):
    data = ["red 1:1 2:1\n", "green 3:1 2:-1\n", "blue 4:1 1:-1\n"]
    for kind in ["ovr", "ovo", "matrix"]:
        train(t, "a", "".join(data) * 5, "--classes", kind, learner="perceptron")
        train(t, "b", "".join(reversed(data)) * 5, "--classes", kind, learner="perceptron")
        a, b = weights(t, "a"), weights(t, "b")
        if kind == "ovo":  # the pair of two classes may stand the other way round
            b = {k if k in a or (k[0], k[2], k[1]) not in a else (k[0], k[2], k[1]): -w if k not in a and
                 (k[0], k[2], k[1]) in a else w for k, w in b.items()}
        d = t.run("diff", "--json", "--top", 1000, "a", "b").json()
        got = {(str(x["id"]), x["class"]) + ((x["against"],) if "against" in x else ()): (x["before"], x["after"])
               for x in d["came"] + d["went"] + d["changed"]}
        if kind == "ovo":
            got = {k if k in a or k in b else (k[0], k[2], k[1]): v if k in a or k in b else (-v[0], -v[1]) for k, v in got.items()}
        equal(got, {k: (a.get(k, 0), b.get(k, 0)) for k in set(a) | set(b) if a.get(k, 0) != b.get(k, 0)}, kind)
    train(t, "c", "".join(data) * 5 + "grey 9:1\n", "--classes", "matrix", learner="perceptron")
    check("grey" in {x["class"] for x in t.run("diff", "--json", "b", "c").json()["came"]}, "a class that came")


def test_diff_refuses_hashed_features_against_plain_ones(t):
    train(t, "plain", rows(20))
    train(t, "hashed", rows(20), "--hash", 12)
    t.refused("diff", "plain", "hashed", status=1, says="--hash")
    equal(t.run("diff", "--json", "hashed", "hashed").json()["came"], [])


def test_diff_refuses_models_that_say_different_things(t):
    train(t, "plain", rows(20))
    train(t, "words", "spam 1:1\nham 2:1\n")
    train(t, "other", "spam 1:1\neggs 2:1\n")
    train(t, "turned", "spam 1:1\nham 2:1\n", "--positive", "ham")
    train(t, "many", "spam 1:1\nham 2:1\n", "--classes", "ovr")
    t.refused("diff", "plain", "words", status=1, says="the same classes")
    t.refused("diff", "words", "other", status=1, says="the same classes")
    t.refused("diff", "words", "turned", status=1, says="different positive classes")
    t.refused("diff", "words", "many", status=1, says="--classes")
    t.refused("diff", "words", status=2, says="which two models?")
    t.refused("diff", "words", "words", "words", status=2, says="words")
