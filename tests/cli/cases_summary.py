"""What a person reads: a summary without -v, thousands with commas, names cut to the terminal."""

import fcntl
import os
import pty
import re
import struct
import termios

from harness import check, equal, near, rows

MOST_LINES = 12


def trained(t, *command):
    return t.run("train", "-qq", "--json", *command).json()


def lines_of(t, *command):
    return t.run(*command).out.splitlines()


def rows_of(n, classes):
    """Rows with ascending ids that tell the classes apart, most of the time."""
    return "".join(f"{classes[i % len(classes)]} {1 + (i + (i % 11 == 0)) % len(classes)}:1 {100 + i % 37}:1\n" for i in range(n))


def test_a_run_prints_at_most_twelve_lines(t):
    t.write("two", rows(3000))
    t.write("more", rows(500, seed=2))
    t.write("many", rows_of(900, ["ant", "bee", "cat", "dog", "eel"]))
    t.write("words", rows_of(900, ["ham", "spam"]))
    runs = [["train", "two"], ["train", "-a", "ssol", "--test", "more", "--holdout", "0.2", "--passes", 2, "two"], ["train", "words"],
            ["train", "-a", "arow", "--classes", "ovr", "--test", "many", "--holdout", "0.2", "many"], ["check", "many"], ["check", "two"],
            ["tune", "-a", "ssol", "two"], ["sweep", "-a", "ssol,ftrl", "--lambda", "1,10,100", "--test", "more", "two"],
            ["select", "--features", "5", "two"]]
    for command in runs:
        found = [line for line in lines_of(t, command[0], "-qq", *command[1:]) if line]
        check(3 < len(found) <= MOST_LINES, f"{command}: {len(found)} lines: {found}")
        full = [line for line in lines_of(t, command[0], "-qqv", *command[1:]) if line]
        check(len(full) > len(found), f"{command}: -v shows no more")
    for data, more in ("two", []), ("words", []), ("many", ["--classes", "ovr"]):
        t.run("train", "-qq", *more, "-o", "m", data)
        for command in ["test", "-m", "m", data], ["inspect", "--top", 4, "m"]:
            found = t.run(*command).out.split("heaviest features")[0].splitlines()
            check(len(found) <= MOST_LINES, f"{command}: {found}")
            check(len(lines_of(t, *command, "-v")) > len(found), f"{command}: -v shows no more")


def test_the_summary_says_what_json_says(t):
    t.write("a", rows(3000))
    t.write("b", rows(500, seed=2))
    r = trained(t, "-a", "ssol", "-P", "lambda=2", "a")
    text = t.run("train", "-qq", "-a", "ssol", "-P", "lambda=2", "a").out
    shown = dict(re.match(r"(.{20})  (.*)", line).groups() for line in text.splitlines())
    shown = {key.rstrip(): value for key, value in shown.items()}
    equal(list(shown), ["learner", "examples", "mistakes", "error rate", "fading error", "balanced accuracy", "auc", "precision", "recall",
                        "nonzeros", "seconds"])
    equal((shown["learner"], shown["examples"], shown["mistakes"]), ("ssol lambda=2, values as they are", "3,000", f"{r['mistakes']:,}"))
    for key in "error_rate", "balanced_accuracy", "auc", "precision", "recall":
        near(float(shown[key.replace("_", " ")]), r[key], 6e-5, key)
    near(float(shown["fading error"]), r["drift"]["fading_error"], 6e-5)
    equal(shown["nonzeros"], f"{r['nonzeros']} of {r['features_seen']} features, sparsity {r['sparsity']:.4g}")
    both = trained(t, "-a", "ssol", "--holdout", "last:0.1", "--test", "b", "a")
    text = t.run("train", "-qq", "-a", "ssol", "--holdout", "last:0.1", "--test", "b", "a").out
    check(re.search(r"^ +learning +holdout +test$", text, re.M), text)
    for key in "examples", "mistakes":
        found = re.search(rf"^{key} +([\d,]+) +([\d,]+) +([\d,]+)$", text, re.M).groups()
        equal([int(n.replace(",", "")) for n in found], [both[key], both["holdout"][key], both["test"][key]], key)
    found = re.search(r"^error rate +(\S+) +(\S+) +(\S+)$", text, re.M).groups()
    for got, of in zip(found, (both, both["holdout"], both["test"])):
        near(float(got), of["error_rate"], 6e-5)


def test_what_does_not_exist_is_left_out(t):
    t.write("one", "1 1:1\n1 2:1\n")
    for more in [], ["-v"]:
        text = t.run("train", "-qq", "-a", "ssol", *more, "one").out
        check("auc" not in text and "balanced accuracy" not in text and "log loss" not in text, text)
        check(not re.search(r" -$|null|nan", text, re.M), text)
    r = trained(t, "-a", "ssol", "one")
    equal((r["auc"], r["balanced_accuracy"], r["log_loss"]), (None, None, None))
    t.write("empty", "")
    t.run("train", "-qq", "-a", "ssol", "-o", "m", "one")
    for more in [], ["-v"]:
        text = t.run("test", "-qq", "-m", "m", *more, "empty").out
        check("error rate" not in text and re.search(r"^examples +0$", text, re.M), text)


def test_rare_positives_have_their_average_precision(t):
    t.write("rare", "".join(f"{1 if i % 40 == 0 else -1} {1 + i % 40 // 20}:1 {10 + i % 7}:1\n" for i in range(1200)))
    t.write("even", rows(500))
    check("average precision" in t.run("train", "-qq", "-a", "ssol", "rare").out, "rare")
    check("average precision" not in t.run("train", "-qq", "-a", "ssol", "even").out, "even")


def test_the_hard_classes_are_named(t):
    words = ["ant", "bee", "cat", "dog"]
    t.write("a", "".join(f"{words[i % 4]} {1 + i % 4}:1\n" if i % 4 < 2 else f"{words[2 + i % 3 % 2]} 9:1\n" for i in range(1200)))
    text = t.run("train", "-qq", "-a", "arow", "--classes", "ovr", "a").out
    r = trained(t, "-a", "arow", "--classes", "ovr", "a")
    worst = sorted(r["classes"], key=lambda c: c["f1"])[:3]
    said = re.findall(r"(\w+) \(([\d.]+)\)", re.search(r"^lowest f1 +(.*)$", text, re.M).group(1))
    equal([word for word, _ in said], [c["label"] for c in worst])
    for (_, f1), c in zip(said, worst):
        near(float(f1), c["f1"], 6e-5)
    check(re.search(r"^most mistaken +(cat -> dog|dog -> cat) \(\d+\)", text, re.M), text)


def test_thousands_have_commas_for_a_person_alone(t):
    t.write("a", rows(2500))
    t.run("train", "-qq", "-a", "ssol", "-o", "m", "a")
    for command in ["train", "-a", "ssol", "a"], ["test", "-m", "m", "a"], ["inspect", "m"], ["check", "a"]:
        for more in [], ["-v"]:
            check(re.search(r"^(examples|rows) +2,500$", t.run(*command, *more).out, re.M), f"{command} {more}")
    check(re.search(r"^ *2,500  ", t.run("train", "-a", "ssol", "a").err, re.M), "the progress table")
    check("2,500" not in t.run("train", "-qq", "-a", "ssol", "--json", "a").out, "JSON")
    t.write("wide", "1 1234567:1\n-1 7654321:1\n" * 3)
    t.run("train", "-qq", "-a", "pa", "-o", "w", "wide")
    check("1234567" in t.run("inspect", "w").out and "1234567\t" in t.run("inspect", "--weights", "w").out, "ids are names")


def seen_on_a_terminal(t, columns, *command):
    """What stdout shows when it is a terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    p = t.start(*command, stdout=slave)
    os.close(slave)
    shown = b""
    while True:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    os.close(master)
    equal(p.wait(), 0, "exit status")
    return shown.decode().replace("\r\n", "\n")


def test_names_are_cut_to_the_terminal(t):
    name, wide = "n" * 100, "\u5b57" * 50  # each takes two columns
    t.write("a.vw", f"1 | {name} {wide} short\n-1 | other\n" * 5)
    t.run("train", "-qq", "-a", "pa", "-o", "m", "a.vw")
    for columns in 40, 60:
        for command in ["inspect", "m"], ["train", "-qq", "-a", "pa", "--top", 9, "a.vw"]:
            text = seen_on_a_terminal(t, columns, *command).split("heaviest features\n")[1]
            for line in text.splitlines():
                check(sum(2 if c == "\u5b57" else 1 for c in line) <= columns, f"{columns}: {line}")
            check(f"  {'n' * (columns - 19)}... " in text and "\u5b57... " in text and "  short " in text, text)
        check(name in seen_on_a_terminal(t, columns, "inspect", "-v", "m"), "-v cuts")
        check(name in seen_on_a_terminal(t, columns, "inspect", "--weights", "m"), "--weights cuts")
        check(name in seen_on_a_terminal(t, columns, "inspect", "--json", "m"), "--json cuts")
    check(name in t.run("inspect", "m").out, "a pipe has whole names")
    check(name in seen_on_a_terminal(t, 200, "inspect", "m"), "room enough")


def test_verbose_goes_with_every_command_and_with_json(t):
    t.write("a", rows(200))
    t.run("train", "-qq", "-v", "-a", "ssol", "-o", "m", "a")
    equal(t.run("predict", "-m", "m", "-v", "a").out, t.run("predict", "-m", "m", "a").out)
    for command in ["inspect", "m"], ["learners"], ["check", "a"]:
        equal(t.run(*command, "--json", "--verbose").out, t.run(*command, "--json").out, str(command))
    t.refused("train", "--verbos", "a", status=2, says="did you mean --verbose?")
