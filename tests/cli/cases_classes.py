"""Labels that are words, or numbers other than -1, 0 and 1: train, test, predict, inspect, --positive."""

import random

from harness import check, equal, near, rows


def relabelled(text, names):
    """Rows of the labels -1 and 1 with other labels: names[-1], names[1]."""
    return "".join(f"{names[int(line.split(' ', 1)[0])]} {line.split(' ', 1)[1]}\n" for line in text.splitlines())


def minus_first(text):
    """The same rows, one of the label -1 in front."""
    lines = text.splitlines(keepends=True)
    first = next(i for i, line in enumerate(lines) if line.startswith("-1"))
    return "".join([lines[first]] + lines[:first] + lines[first + 1:])


def answers(t, *command):
    return [line.split("\t") for line in t.run("predict", *command).out.splitlines()]


def messages(kind, n, seed):
    r = random.Random(seed)
    words = {"spam": ["win", "money", "now", "free"], "ham": ["hello", "friend", "soon", "lunch"]}
    return [f"{k}\t{' '.join(r.choice(words[k] + ['the', 'a']) for _ in range(6))}\n"
            for k in (kind[i % len(kind)] for i in range(n))]


def test_spam_and_ham_are_classes(t):
    t.write("a.txt", "".join(messages(["ham", "spam"], 60, 1)))
    t.write("b.txt", "".join(messages(["spam", "ham", "ham"], 30, 2)))
    r = t.run("train", "-f", "text", "-a", "pa-1", "-o", "m", "a.txt")
    equal(r.err.count("note: two classes: spam is positive, ham is negative (--positive says otherwise)"), 1, r.err)
    equal(t.run("train", "-qq", "-f", "text", "-a", "pa-1", "a.txt").err, "", "-qq")
    found = t.run("test", "-m", "m", "b.txt", "--json").json()
    equal((found["examples"], found["mistakes"], found["positives"], found["negatives"]), (30, 0, 10, 20))
    equal(found["auc"], 1)
    labels = [line.split("\t")[0] for line in t.read("b.txt").decode().splitlines()]
    got = answers(t, "-m", "m", "b.txt")
    equal([label for label, _ in got], labels)
    check(all((float(margin) > 0) == (label == "spam") for label, margin in got), "margins are those of spam")
    for label, margin, p in answers(t, "-m", "m", "--proba", "b.txt"):
        equal(label, "spam" if float(margin) > 0 else "ham")
        check(0 < float(p) < 1, p)
    one = t.run("predict", "-m", "m", "--json", "b.txt").out.splitlines()[0]
    check('"label": "spam"' in one, one)
    about = t.run("inspect", "--json", "m").json()
    equal(about["classes"], [{"label": "ham", "examples": 30, "positive": False},
                             {"label": "spam", "examples": 30, "positive": True}])
    check(about["top"][0]["name"] in ("win", "money", "now", "free") or about["top"][0]["weight"] < 0, about["top"])
    check("classes               ham (30), spam (30, positive)" in t.run("inspect", "m").out, "inspect")
    # a predict-only model says the same
    t.run("train", "-q", "-f", "text", "-a", "pa-1", "--final", "-o", "f", "a.txt")
    equal(answers(t, "-m", "f", "b.txt"), got)


def test_yes_and_no_in_csv_true_and_false_in_jsonl(t):
    t.write("a.csv", "x,y,bought\n" + "1,2,yes\n2,1,no\n" * 10)
    t.write("unlabelled.csv", "x,y\n1,2\n2,1\n")
    t.run("train", "-q", "-a", "pa", "--label", "bought", "-o", "m", "a.csv")
    equal([a[0] for a in answers(t, "-m", "m", "unlabelled.csv")], ["yes", "no"])
    t.write("a.jsonl", '{"label": false, "a": 1}\n{"label": true, "b": 2}\n' * 5)
    t.run("train", "-q", "-a", "pa", "-o", "m", "a.jsonl")
    got = answers(t, "-m", "m", "a.jsonl")
    equal([a[0] for a in got], ["false", "true"] * 5)
    check(float(got[1][1]) > 0 > float(got[0][1]), "true is positive")


def test_words_and_other_numbers_are_learned_as_relabelled_rows_are(t):
    plain = minus_first(rows(300))
    t.write("plain", plain)
    t.run("train", "-q", "-a", "arow", "-o", "p", "plain")
    weights, margins = t.run("inspect", "--weights", "p").out, answers(t, "-m", "p", "plain")
    for first, other, turned in (("1", "2", False), ("ham", "spam", False), ("spam", "ham", True), ("5", "-3.5", True)):
        t.write("words", relabelled(plain, {-1: first, 1: other}))
        r = t.run("train", "-a", "arow", "-o", "m", "--json", "words").json()
        equal(r["mistakes"], t.run("train", "-a", "arow", "--json", "plain").json()["mistakes"], first)
        got = answers(t, "-m", "m", "words")
        equal([a[0] for a in got], [other if a[0] == "1" else first for a in margins])
        equal([float(a[1]) for a in got], [-float(a[1]) if turned else float(a[1]) for a in margins])
        if not turned:
            equal(t.run("inspect", "--weights", "m").out, weights)


def test_numbers_are_classes_by_value_and_printed_as_first_written(t):
    t.write("a", "2.50 1:1\n+7 2:1\n2.5 1:1\n7.0 2:1\n")
    t.run("train", "-q", "-a", "pa", "-o", "m", "a")
    equal([a[0] for a in answers(t, "-m", "m", "a")], ["2.50", "+7"] * 2)


def test_models_of_minus_one_zero_and_one_stay_plain(t):
    t.write("a", "1 1:1\n0 2:1\n-1 2:1\n1 1:1\n" * 5)
    r = t.run("train", "-a", "pa", "-o", "m", "a")
    check("classes" not in r.err, r.err)
    check(b"CLAS" not in t.read("m"), "a section of classes")
    equal([a[0] for a in answers(t, "-m", "m", "a")], ["1", "-1", "-1", "1"] * 5)
    check("classes" not in t.run("inspect", "--json", "m").json(), "inspect")
    t.run("train", "-q", "-a", "pa", "--positive", "1", "-o", "n", "a")
    equal(answers(t, "-m", "n", "a"), answers(t, "-m", "m", "a"))


def test_a_third_class_is_an_error_with_its_place(t):
    t.write("a", "ham 1:1\nspam 2:1\n\nham 1:1\neggs 3:1\nspam 2:1\n")
    r = t.run("train", "-q", "-a", "pa", "-o", "m", "a", status=1)
    check("sluice: a:5: label 'eggs' is a third class, after 'ham' and 'spam'; "
          "learn several classes with --classes ovr|ovo|matrix" in r.err, r.err)
    check(not t.exists("m"), "a model was saved")
    for third in ("2", "spam"):
        t.write("b", f"1 1:1\n0 2:1\n{third} 3:1\n")
        r = t.run("train", "-q", "b", status=1)
        check(f"b:3: label '{third}' is a third class, after '0' and '1'" in r.err, r.err)
    t.write("c", "1 1:1\n-1 2:1\n")
    t.run("train", "-q", "-a", "pa", "-o", "m", "c")
    r = t.run("train", "-q", "-i", "m", "a", status=1)
    check("a:1: label 'ham' is a third class, after '-1' and '1'; the model that goes on is one of two classes\n" in r.err, r.err)
    t.write("d", "ham 1:1\nSpam 2:1\nspam 2:1\n")
    r = t.run("train", "-q", "d", status=1)
    check("d:3: label 'spam' is a third class, after 'ham' and 'Spam'; it differs from 'Spam' in case alone" in r.err, r.err)


def test_positive_says_which_class_is_positive(t):
    t.write("a.txt", "".join(messages(["ham", "spam", "ham"], 60, 3)))
    t.run("train", "-q", "-f", "text", "-a", "pa-1", "-o", "s", "a.txt")
    r = t.run("train", "-f", "text", "-a", "pa-1", "--positive", "ham", "-o", "h", "a.txt")
    check("note: two classes: ham is positive, spam is negative\n" in r.err, r.err)
    s, h = answers(t, "-m", "s", "a.txt"), answers(t, "-m", "h", "a.txt")
    equal([a[0] for a in s], [a[0] for a in h])
    equal([float(a[1]) for a in s], [-float(a[1]) for a in h])
    equal([t.run("test", "-m", m, "a.txt", "--json").json()["positives"] for m in "sh"], [20, 40])
    p = [float(a[2]) + float(b[2]) for a, b in zip(answers(t, "-m", "s", "--proba", "a.txt"),
                                                    answers(t, "-m", "h", "--proba", "a.txt"))]
    for both in p:
        near(both, 1, 1e-9)
    r = t.run("train", "-q", "-f", "text", "--positive", "eggs", "a.txt", status=1)
    check("the positive class 'eggs' is none of the two classes 'ham' and 'spam'" in r.err, r.err)
    t.run("train", "-q", "-f", "text", "-i", "h", "--positive", "ham", "a.txt")
    t.refused("train", "-q", "-f", "text", "-i", "h", "--positive", "spam", "a.txt", status=2, says="another setting")
    t.refused("train", "-q", "--positive", "", "a.txt", status=2, says="needs a value")


def test_one_sided_parameters_need_positive(t):
    t.write("a", relabelled(minus_first(rows(100)), {-1: "spam", 1: "ham"}))
    t.write("plain", relabelled(minus_first(rows(100)), {-1: "1", 1: "-1"}))
    t.refused("train", "-q", "-a", "cpa", "-P", "cost_pos=3", "a", status=2, says="--positive")
    t.run("train", "-q", "-a", "cpa", "-P", "cost_pos=3", "--positive", "spam", "-o", "m", "a")
    t.run("train", "-q", "-a", "cpa", "-P", "cost_pos=3", "-o", "p", "plain")
    equal(t.run("inspect", "--weights", "m").out, t.run("inspect", "--weights", "p").out)
    t.run("train", "-q", "-a", "cpa", "-P", "cost_pos=3", "-P", "cost_neg=3", "a")  # the same for both


def test_resuming_follows_the_classes(t):
    lines = messages(["spam", "ham"], 80, 4)
    t.write("all.txt", "".join(lines))
    t.run("train", "-q", "-f", "text", "-a", "arow", "-o", "whole", "all.txt")
    for cut in (1, 2, 30):
        t.write("a.txt", "".join(lines[:cut]))
        t.write("b.txt", "".join(lines[cut:]))
        t.run("train", "-q", "-f", "text", "-a", "arow", "-o", "m", "a.txt")
        r = t.run("train", "-f", "text", "-i", "m", "-o", "m", "b.txt")
        equal("two classes" in r.err, cut == 1, "the second class is noted when it comes")
        equal(t.read("m"), t.read("whole"), cut)
    t.write("c.txt", "eggs\tand ham\n")
    r = t.run("train", "-q", "-f", "text", "-i", "m", "c.txt", status=1)
    check("c.txt:1: label 'eggs' is a third class, after 'spam' and 'ham'" in r.err, r.err)


def test_a_sorted_stream_that_begins_with_1_alone(t):
    plain = rows(30000).splitlines(keepends=True)
    ones = [line for line in plain if not line.startswith("-1 ")]
    others = [line for line in plain if line.startswith("-1 ")]
    t.write("plain", "".join(ones + others))  # several blocks of 1 alone
    t.write("words", "".join(ones) + relabelled("".join(others), {-1: "2"}))
    t.write("reversed", relabelled("".join(ones + others), {1: "-1", -1: "1"}))
    for threads in ("1", "4"):
        for name in ("plain", "words", "reversed"):
            t.run("train", "-q", "-a", "pa-1", "--threads", threads, "-o", name + threads, name)
    for name in ("plain", "words", "reversed"):
        equal(t.read(name + "1"), t.read(name + "4"), name)
    equal(t.run("inspect", "--weights", "words1").out, t.run("inspect", "--weights", "reversed1").out)
    equal([t.run("train", "-a", "pa-1", "--json", n).json()["mistakes"] for n in ("words", "reversed")],
          [t.run("inspect", "--json", n + "1").json()["mistakes"] for n in ("reversed", "reversed")])


def test_labels_that_the_model_does_not_have_cannot_be_measured(t):
    t.write("a", "ham 1:1\nspam 2:1\n")
    t.write("b", "ham 1:1\neggs 2:1\n")
    t.write("p", "0 1:1\n1 2:1\n")
    t.run("train", "-q", "-a", "pa", "-o", "m", "a")
    t.run("train", "-q", "-a", "pa", "-o", "n", "p")
    r = t.run("test", "-m", "m", "b", status=1)
    check("b:2: label 'eggs' is none of the model's classes: it knows 'ham' and 'spam'" in r.err, r.err)
    r = t.run("test", "-m", "n", "a", status=1)
    check("a:1: label 'ham' is none of the model's classes" in r.err, r.err)
    r = t.run("train", "-q", "-a", "pa", "--test", "b", "a", status=1)
    check("b:2: label 'eggs'" in r.err, r.err)
    equal([a[0] for a in answers(t, "-m", "m", "b")], ["ham", "spam"])  # predict does not look


def test_calibration_goes_by_classes(t):
    plain = minus_first(rows(400))
    t.write("plain", plain)
    t.run("train", "-q", "-a", "pa-1", "--calibrate", "plain", "-o", "p", "plain")
    want = [float(a[2]) for a in answers(t, "-m", "p", "--proba", "plain")]
    for first, other in (("ham", "spam"), ("spam", "ham")):
        t.write("words", relabelled(plain, {-1: first, 1: other}))
        t.run("train", "-q", "-a", "pa-1", "--calibrate", "words", "-o", "m", "words")
        got = [float(a[2]) for a in answers(t, "-m", "m", "--proba", "words")]
        for a, b in zip(got, want):
            near(a if first == "ham" else 1 - a, b, 1e-6)


def test_labels_that_a_terminal_does_not_show_are_escaped(t):
    t.write("a.csv", b'label,x\n' + b'"a\tb",1\n"\xc3\xa9t\xc3\xa9\x1b[31m",-1\n' * 3)
    r = t.run("train", "-a", "pa", "-o", "m", "a.csv")
    check("\x1b" not in r.err, r.err)
    equal([a[0] for a in answers(t, "-m", "m", "a.csv")][:2], ["a\\x09b", "\u00e9t\u00e9\\x1b[31m"])
    long = "w" * 40000
    t.write("b.txt", f"{long}\ta\nb\tb\n" * 3)
    t.run("train", "-q", "-f", "text", "-a", "pa", "-o", "m", "b.txt")
    equal([a[0] for a in answers(t, "-m", "m", "b.txt")], [long, "b"] * 3)
    equal(len(answers(t, "-m", "m", "--id", "line", "b.txt")), 6)


def test_true_is_positive_over_false_in_any_case(t):
    for true, false in (("true", "false"), ("TRUE", "false"), ("True", "false"), ("true", "FALSE"), ("TRUE", "False")):
        for first, second in ((true, false), (false, true)):
            r = t.run("train", "-a", "pa", stdin=f"{first} 1:1\n{second} 2:1\n")
            check(f"note: two classes: {true} is positive, {false} is negative" in r.err, r.err)


def test_positive_of_a_model_to_go_on_from_is_compared_as_classes_are(t):
    t.write("a", "2 1:1\n3 2:1\n")
    t.run("train", "-q", "-a", "pa", "--positive", "2", "-o", "m", "a")
    t.run("train", "-q", "-a", "pa", "-o", "n", "a")
    for same in ("2", "2.0", "+2", "02"):
        t.run("train", "-q", "-i", "m", "--positive", same, "-o", "o", "a")
        t.refused("train", "-q", "-i", "n", "--positive", same, "a", status=2, says="made with another setting")
    t.run("train", "-q", "-i", "n", "--positive", "3.0", "-o", "o", "a")
    t.refused("train", "-q", "-i", "m", "--positive", "3", "a", status=2, says="made with another setting")


def test_a_model_of_one_label_goes_on_as_one_run(t):
    r = random.Random(9)
    for first, others in (("1", ["2", "1"]), ("1", ["spam", "1"]), ("1", ["-1", "1"]), ("0", ["spam", "0"]), ("0", ["1", "0"]), ("1", ["true", "1"])):
        for name, labels in (("a", [first]), ("b", others)):
            t.write(name, "".join(f"{r.choice(labels)} {r.randrange(1, 9)}:1 {r.randrange(9, 20)}:2\n" for _ in range(60)))
        for learner in ("pa-1", "ssol", "sbcw"):
            options = ["-q", "-a", learner, *(["-P", "batch=25"] if learner == "sbcw" else [])]
            t.run("train", *options, "-o", "whole", "a", "b")
            t.run("train", *options, "-o", "m", "a")
            equal({a[0] for a in answers(t, "-m", "m", "a")} <= {"1", "-1"}, True)
            t.run("train", "-q", "-i", "m", "-o", "m", "b")
            equal(t.read("m"), t.read("whole"), (first, others, learner))
