"""tune, sweep and select where labels are words, or numbers other than -1, 0 and 1: as over relabelled rows."""

from cases_classes import answers, minus_first, relabelled
from harness import check, equal, rows

TURNED = {"positives": "negatives", "missed": "false_alarms", "sensitivity": "specificity"}


def same(found):
    """Without what depends on the time or on the words."""
    if isinstance(found, dict):
        return {k: same(v) for k, v in found.items()
                if k not in ("seconds", "classes", "command", "train", "command_line", "train_command", "test_file")}
    return [same(v) for v in found] if isinstance(found, list) else found


COMMANDS = [
    ["tune", "-a", "pa-1,arow", "--grid", "C=0.01,0.1,1,10,100", "--grid", "r=0.1,1,10"],
    ["tune", "-a", "pa-1", "--grid", "C=0.1,1", "--folds", "3", "--measure", "auc", "--passes", "2"],
    ["sweep", "-a", "ssol,olsf", "--test", "TEST"],
    ["sweep", "-a", "ftrl", "--repeats", "2", "--test", "TEST"],
    ["sweep", "-a", "fsol", "--lambda", "0.1", "--passes", "2"],
    ["select", "--features", "2,5", "-a", "ofs"],
    ["select", "--features", "2,5", "-a", "pa-1", "--test", "TEST"],
]


def test_results_are_those_of_relabelled_rows(t):
    plain, test = minus_first(rows(300)), rows(60, seed=5)
    t.write("plain", plain)
    t.write("plain.test", test)
    for first, other in (("ham", "spam"), ("1", "2"), ("-1", "7.5"), ("0", "yes")):
        names = {-1: first, 1: other}
        t.write("words", relabelled(plain, names))
        t.write("words.test", relabelled(test, names))
        for command in COMMANDS:
            def run(data):
                return t.run(*[data + ".test" if c == "TEST" else c for c in command], "--json", "-q", data).json()
            want, got = run("plain"), run("words")
            equal([c["label"] for c in got["classes"]], [first, other], command)
            check("classes" not in want, command)
            equal(same(got), same(want), (command, first))


def test_the_class_seen_first_is_that_of_the_data_and_the_greater_one_is_positive(t):
    plain = minus_first(rows(300))
    t.write("plain", plain)
    t.write("words", relabelled(plain, {-1: "spam", 1: "ham"}))
    command = ["tune", "-q", "--json", "-a", "pa-1", "--grid", "C=0.01,0.1,1,10", "--folds", "3"]
    want, got, ham = (t.run(*command, *more).json() for more in (["plain"], ["words"], ["words", "--positive", "ham"]))
    equal(got["positives"], want["examples"] - want["positives"])
    equal(same(ham), same(want), "--positive")
    for p, q in zip(got["points"], want["points"]):
        equal([p["mistakes"], p["test"]["mistakes"]], [q["mistakes"], q["test"]["mistakes"]])
        for a, b in TURNED.items():
            equal([p["test"][a], p["test"][b]], [q["test"][b], q["test"][a]], a)
    r = t.run("tune", "-a", "pa-1", "--grid", "C=1", "words")
    check("note: two classes: spam is positive, ham is negative (--positive says otherwise)" in r.err, r.err)
    sweep = ["sweep", "-q", "--json", "-a", "fsol", "--lambda", "0,0.1,1", "--test"]
    want, got = t.run(*sweep, "plain", "plain").json(), t.run(*sweep, "words", "words").json()
    for p, q in zip(got["points"], want["points"]):
        equal([p["mistakes"], p["nonzeros"], p["test"]["mistakes"]], [q["mistakes"], q["nonzeros"], q["test"]["mistakes"]])
        for a, b in TURNED.items():
            equal([p["test"][a], p["test"][b]], [q["test"][b], q["test"][a]], a)


def test_the_best_model_is_that_of_train_and_predicts_words(t):
    for names in ({-1: "ham", 1: "spam"}, {-1: "1", 1: "b"}):
        t.write("a", relabelled(minus_first(rows(200)), names))
        r = t.run("tune", "-q", "--json", "-a", "pa-1", "--grid", "C=0.1,1,10,100", "-o", "m", "a").json()
        t.run("train", "-q", "-a", "pa-1", "-P", f"C={r['best']['params']['C']}", "-o", "n", "a")
        equal(t.read("m"), t.read("n"))
        equal({a[0] for a in answers(t, "-m", "m", "a")}, set(names.values()))


def test_a_sorted_stream_that_begins_with_1_alone_is_swept_as_train_learns_it(t):
    plain = rows(30000).splitlines(keepends=True)
    ones = [line for line in plain if not line.startswith("-1 ")]
    others = [line for line in plain if line.startswith("-1 ")]
    t.write("plain", "".join(ones + others))
    t.write("words", "".join(ones) + relabelled("".join(others), {-1: "2"}))
    t.write("reversed", relabelled("".join(ones + others), {1: "-1", -1: "1"}))
    for learner, param in (("fsol", "lambda"), ("olsf", "B")):  # with lanes, and one by one
        points = {name: t.run("sweep", "-q", "--json", "-a", learner, name).json()["points"]
                  for name in ("plain", "words", "reversed")}
        equal(same(points["words"]), same(points["reversed"]))
        for name in ("plain", "words"):
            p = points[name][5]
            r = t.run("train", "-q", "--json", "-a", learner, "-P", f"{param}={p['params'][param]}", name).json()
            equal([p["mistakes"], p["nonzeros"]], [r["mistakes"], r["nonzeros"]], (learner, name))


def test_a_third_class_is_refused_at_its_place(t):
    t.write("a", "ham 1:1\nspam 2:1\n" * 5 + "eggs 3:1\n")
    t.write("ok", "ham 1:1\nspam 2:1\n" * 5)
    says = "label 'eggs' is a third class, after 'ham' and 'spam'; learn several classes with --classes ovr|ovo|matrix"
    for command in (["tune"], ["sweep"], ["sweep", "--repeats", "2"], ["select", "--features", "2"]):
        t.refused(*command, "a", status=1, says=f"sluice: a:11: {says}")
    for command in (["sweep", "--repeats", "2"], ["select", "--features", "2"]):
        t.refused(*command, "--test", "a", "ok", status=1,
                  says="sluice: a:11: label 'eggs' is none of the model's classes: it knows 'ham' and 'spam'")
    t.write("b", "eggs 1:1\nbacon 2:1\n")
    t.refused("sweep", "--test", "b", "ok", status=1, says="label 'eggs' is none of the model's classes")


def test_parameters_for_one_class_need_to_know_which(t):
    t.write("a", relabelled(minus_first(rows(100)), {-1: "spam", 1: "ham"}))
    t.write("plain", relabelled(minus_first(rows(100)), {-1: "1", 1: "-1"}))
    t.refused("tune", "-a", "cs-fsol", "-P", "cost_pos=3", "--grid", "lambda=0.1,1,2,3", "a", status=1, says="--positive W")
    t.refused("sweep", "-a", "cs-fsol", "-P", "cost_pos=3", "a", status=2, says="--positive W")
    sweep = ["sweep", "-q", "--json", "-a", "cs-fsol", "-P", "cost_pos=3"]
    equal(same(t.run(*sweep, "--positive", "spam", "a").json()["points"]), same(t.run(*sweep, "plain").json()["points"]))
    # some of the points are for both classes alike
    tune = ["tune", "-q", "--json", "-a", "cs-fsol", "--grid", "cost_pos=1,2,3,4", "--positive", "spam", "a"]
    equal(len(t.run(*tune).json()["points"]), 4)
