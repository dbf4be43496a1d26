"""check: what is in the inputs and what is wrong with them, without learning."""

import random
import shlex

from harness import check, equal, near, rows


def checked(t, *command, stdin=b""):
    return t.run("check", "-q", "--json", *command, stdin=stdin).json()


def test_figures_are_those_counted_by_hand(t):
    text = rows(400)
    t.write("a", text)
    r = checked(t, "a")
    lines = [line.split() for line in text.splitlines()]
    values = [float(f.split(":")[1]) for line in lines for f in line[1:]]
    ids = [f.split(":")[0] for line in lines for f in line[1:]]
    labels = [line[0] for line in lines]
    equal((r["rows"], r["values"], r["features"]), (400, len(values), len(set(ids))))
    equal(r["features_once"], sum(ids.count(i) == 1 for i in set(ids)))
    near(r["least_value"], min(values), 1e-6)
    near(r["largest_value"], max(values), 1e-6)
    near(r["negative_values"], sum(v < 0 for v in values) / len(values), 1e-9)
    equal({c["label"]: c["examples"] for c in r["classes"]}, {str(int(x)): labels.count(x) for x in set(labels)})
    near(sum(c["share"] for c in r["classes"]), 1, 1e-12)
    equal((r["fewest_in_a_row"], r["most_in_a_row"]), (min(len(x) - 1 for x in lines), max(len(x) - 1 for x in lines)))
    equal((r["malformed"], r["errors"]), (0, []))
    equal(checked(t, "--threads", 5, "a"), r, "threads")
    r["advice"] = [r["advice"][0].removesuffix(" a") + " -"]
    equal(checked(t, "-", stdin=text), r, "a pipe")


def test_malformed_lines_have_their_kinds_and_places(t):
    lines = rows(30).splitlines(True)
    for at, bad in [(3, "1 1:x\n"), (4, "1 2\n"), (9, "1 1:1 1:2\n"), (11, "0 7:y\n"), (20, "\n"), (21, "# comment\n")]:
        lines[at] = bad
    lines += ["1 3:z\n"] * 5
    t.write("a", "".join(lines))
    r = checked(t, "a")
    equal((r["rows"], r["malformed"]), (24, 9))
    equal({e["reason"]: (e["count"], e["lines"]) for e in r["errors"]},
          {"value": (7, [4, 12, 31]), "field": (1, [5]), "repeated-id": (1, [10])})
    text = t.run("check", "-q", "a").out
    for part in "7 value, line 4, 12, 31: ", "value 'x' of id 1 is not a number", "--on-error skip":
        check(part in text, f"{part} in {text}")


def test_repeats_and_conflicting_labels(t):
    r = checked(t, stdin="1 1:1 2:2\n1 2:2 1:1\n0 1:1 2:2\n0 5:1\n0 5:1\n1 6:1\n")
    equal((r["repeated_rows"], r["conflicting_labels"]), (3, 3))


def test_other_formats_and_missing_labels(t):
    t.write("a.csv", "label,age,town\nyes,20,rome\nno,,paris\nno,30\n,40,rome\n")
    r = checked(t, "a.csv")
    equal((r["format"], r["rows"], r["unlabelled"], r["malformed"]), ("csv", 3, 1, 1))
    equal(r["errors"][0]["lines"], [4])
    equal([(c["label"], c["examples"]) for c in r["classes"]], [("yes", 1), ("no", 1)])
    equal(checked(t, "-f", "text", stdin="spam\tbuy now\nham\tsee you now\n")["features"], 5 - 1)
    r = checked(t, "-f", "vw", stdin="1 2 |n a b\n-1 0 |n c\n1 |n a\n")
    equal((r["weighted"], r["importance_0"], r["rows"]), (1, 1, 3))
    r = checked(t, stdin="")
    equal((r["rows"], r["median_length"], r["classes"], r["advice"]), (0, None, [], []))


def advice(t, text, *command):
    return "\n".join(checked(t, *command, stdin=text)["advice"])


def test_advice_fits_the_data(t):
    r = random.Random(3)
    plain = "".join(f"{r.randrange(2)} {r.randrange(1, 50)}:1 {r.randrange(50, 900)}:0.5\n" for _ in range(600))
    equal(advice(t, plain), "to begin with: sluice train --holdout 0.2 -o MODEL")
    check("train --classes ovr" in advice(t, "".join(f"{i % 3} {i % 50}:1 {i + 60}:1\n" for i in range(300))), "classes")
    check("'1' is rare (1.00 %)" in advice(t, "".join(f"{int(i % 100 == 0)} {i}:1\n" for i in range(1000))), "a rare class")
    check("long runs" in advice(t, "1 1:1\n" * 100 + "0 2:1\n" * 100), "sorted labels")
    table = "".join(f"{i % 2} 1:{i * 1000 + 1} 2:0.{i % 7 + 1}\n" for i in range(200))
    check("--scale maxabs" in advice(t, table), "columns of unlike units")
    check("--normalize l2" in advice(t, "".join(f"{i % 2} {i}:500\n" for i in range(200))), "long rows")
    check("repeat earlier ones" in advice(t, "1 1:1\n0 2:1\n" * 50), "repeats")
    check("same" in advice(t, "1 1:1\n1 2:1\n"), "one class")
    check("have no label" in advice(t, "label,x\n1,2\n,3\n0,4\n", "-f", "csv"), "missing labels")


def test_numbers_to_predict_are_no_classes(t):
    said = advice(t, "".join(f"{i / 7} 1:{i} 2:{i % 9}\n" for i in range(400)))
    check("400 different labels in 400 rows: is --label right?" in said, said)
    check("--classes" not in said and "to begin with" not in said, said)


def test_the_command_it_names_runs(t):
    t.write("a.svm", rows(300).replace("\n", "\n1 x\n", 1))
    command = checked(t, "a.svm")["advice"][-1].removeprefix("to begin with: sluice ").split()
    t.run(*command)
    check(t.exists("MODEL"), "no model")


def test_the_command_to_begin_with_reads_text_in_the_same_way(t):
    t.write("mails", "spam\tfree prize now\nham\tlunch at the noon\n" * 20)
    r = t.run("check", "-q", "--json", "-f", "text", "--ngrams", 2, "--chars", "1-3", "--stop-words", "english", "mails").json()
    equal(r["advice"][-1], "to begin with: sluice train --holdout 0.2 -f text --ngrams 2 --chars 1-3 --stop-words english -o MODEL mails")


def test_the_command_to_begin_with_has_the_same_columns(t):
    t.write("my visits.csv", "".join(f"{'no' if i % 2 else 'yes'};free prize;{i};{i % 3}\n" for i in range(40)))
    options = ["--label", "1", "--no-header", "--separator", ";", "--text", "2", "--ignore", "4*", "--quadratic", "2,3", "--quadratic", "33"]
    r = t.run("check", "-q", "--json", *options, "my visits.csv").json()
    equal(r["advice"][-1], "to begin with: sluice train --holdout 0.2 --label 1 --no-header --separator ';' --text 2 --ignore '4*' "
                           "--quadratic 2,3 --quadratic 33 -o MODEL 'my visits.csv'")
    t.run(*shlex.split(r["advice"][-1])[4:])
    check(t.exists("MODEL"), "no model")
    many = ",".join(f"a long name of a column {i}" for i in range(40))
    r = t.run("check", "-q", "--json", "--no-header", "--separator", ";", "--columns", "3," + many.replace(",", "*,") + "*", "my visits.csv").json()
    check(many.split(",")[-1] in r["advice"][-1], "all of the options")


def test_the_command_to_begin_with_has_all_inputs(t):
    names = ["of may.svm"] + [f"a-file-with-quite-a-long-name-{i}.svm" for i in range(20)]
    for name in names:
        t.write(name, rows(50))
    command = shlex.split(checked(t, *names)["advice"][-1].removeprefix("to begin with: sluice "))
    equal(command[-21:], names)
    t.run(*command)
    check(t.exists("MODEL"), "no model")


def test_a_line_that_is_too_long_is_malformed(t):
    for form, text in [("libsvm", "1 1:1\n0 2:1\n{}\n1 3:1\n"), ("csv", "label,a\n1,2\n{}\n0,3\n")]:
        with open(t.path("long"), "w", encoding="utf-8") as f:
            f.write(text.format("1" + "," * (form == "csv") + " " * (1 << 26)))
        r = checked(t, "-f", form, "long")
        equal([r["malformed"], r["errors"][0]["reason"], r["errors"][0]["lines"]], [1, "line-too-long", [3]], form)
        check("longer than 67108864 bytes" in r["errors"][0]["example"] and "--on-error skip" in r["advice"][-1], r)


def test_lines_of_text_that_are_read_as_something_else(t):
    t.write("a.tsv", "".join(f"{'spam' if i % 2 else 'ham'}\tlunch {i}\n" for i in range(40)))
    t.refused("check", "a.tsv", status=1, says=["a.tsv:1:1: the header would be 'ham' and 'lunch 0'", "--format text"])
    check("to begin with" in checked(t, "-f", "text", "a.tsv")["advice"][-1], "read as text")
    for header, n in ("ham\tlunch", 40), ("label\ttext", 3), ("label\ttext", 4000):
        t.write("a.tsv", header + "\n" + "".join(f"{'spam' if i % 2 else 'ham'}\tlunch {i % 7}\n" for i in range(n)))
        said = checked(t, "-f", "csv", "a.tsv")["advice"]
        check("need -f text" in said[-1] and "to begin with" not in said[-1], said)
    equal([a for a in checked(t, "--text", "text", "a.tsv")["advice"] if "-f text" in a], [], "cut into words")
    r = checked(t, stdin="spam free prize\nham lunch\n")
    equal((r["rows"], r["malformed"]), (0, 2))
    check("is --format right?" in r["advice"][-1] and "--on-error" not in r["advice"][-1], r["advice"])
