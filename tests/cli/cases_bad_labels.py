"""Labels that are missing, too many, or no classes at all."""

import random

from harness import check, equal

NONE = {  # a line without a label behind two good ones, and the column of what is missing
    "a.svm": ("a 1:1\nb 2:1\n", ["? 1:1"], 1),
    "a.vw": ("a | x\nb | y\n", ["? | x"], 1),
    "a.csv": ("label,x\na,1\n", [",3", "?,3", '"",3', '"?",3', " ,3"], 1),
    "a.jsonl": ('{"label":"a","x":1}\n{"label":"b","x":1}\n', ['{"label":"","x":1}', '{"label":"?","x":1}'], 10),
    "a.text.tsv": ("a\tx\nb\ty\n", ["\tz", "?\tz"], 1),
    "a.url.tsv": ("a\thttp://x\nb\thttp://y\n", ["\thttp://z", "?\thttp://z"], 1),
}


def test_an_example_without_a_label_is_an_error_with_its_place(t):
    for name, (good, bad, column) in NONE.items():
        for line in bad:
            t.write(name, good + line + "\n" + good.splitlines()[-1] + "\n")
            for command in (["train"], ["train", "--classes", "ovr"], ["tune", "--folds", "2"], ["sweep"]):
                t.refused(*command, "-q", "-a", "ssol", name, status=1, says=[f"sluice: {name}:3:{column}: there is no label", "--on-error skip"])
            r = t.run("train", "-q", "-a", "ssol", "--on-error", "skip", "--json", name).json()
            equal((r["examples"], r["skipped"]), (good.count("\n") - good.startswith("label") + 1, 1), (name, line))
    t.write("b.svm", "a 1:1\n2:1 3:1\n")
    t.refused("train", "-q", "b.svm", status=1, says="b.svm:2:1: there is no label before '2:1'")
    t.write("b.jsonl", '{"label":"a","x":1}\n{"x":1}\n')
    t.refused("train", "-q", "b.jsonl", status=1, says="b.jsonl:2:1: there is no key 'label' for the label")


def test_lines_of_vw_and_json_may_go_without_a_label(t):
    t.write("a.vw", "a | x\n| x\nb | y\n't| x\na 0 | x\n")
    t.write("a.jsonl", '{"label":"a","x":1}\n{"label":null,"x":1}\n{"label":"b","x":2}\n{"x":3,"label":null}\n')
    for name in ("a.vw", "a.jsonl"):
        r = t.run("train", "-q", "-a", "ssol", "--json", name).json()
        equal((r["examples"], r["unlabelled"], r["skipped"]), (2, 2, 0), name)
        check("unlabelled            2\n" in t.run("train", "-q", "-a", "ssol", name).out, name)
    for command in (["tune", "--folds", "2"], ["sweep"], ["sweep", "--repeats", "2"]):
        equal(t.run(*command, "-q", "--json", "a.vw").json()["unlabelled"], 2, command)
    t.write("b.vw", "1 | x\n0 | y\n")
    check("unlabelled" not in t.run("train", "-q", "-a", "ssol", "--json", "b.vw").json(), "where there is none")


def stream(labels):
    """Small ids: every problem of ovo has room for all of them, which ThreadSanitizer multiplies."""
    return "".join(f"{label} {1 + i % 50}:1 {60 + i % 40}:1\n" for i, label in enumerate(labels))


def test_a_number_to_predict_is_no_class(t):
    r = random.Random(1)
    t.write("prices", stream(f"{r.uniform(0, 100):.4f}" for _ in range(3000)))
    for way, classes in (("matrix", 1000), ("ovr", 1000), ("ovo", 200)):
        err = t.run("train", "-q", "-a", "pa-1", "--classes", way, "prices", status=1).err
        check(f"{classes} different labels in " in err and "came once: this looks like a number to predict, not a class" in err, err)
        check(err.split("prices:")[1].split(":")[0].isdigit(), f"its place: {err}")
    t.write("large", stream(r.randrange(10**7) for _ in range(3000)))
    t.refused("train", "-q", "-a", "pa-1", "--classes", "matrix", "large", status=1, says="looks like a number to predict")
    t.refused("train", "-q", "-a", "pa-1", "prices", status=1, says=["is a third class", "a number to predict is no class"])
    t.write("three", "1 1:1\n2 2:1\n3 3:1\n")
    check("predict" not in t.run("train", "-q", "three", status=1).err, "whole numbers may be classes")


def test_many_classes_are_no_numbers_to_predict(t):
    """Streams of many classes begin with classes that came once, too."""
    r = random.Random(2)
    for name, labels in (("words", (f"w{i}" for i in range(2500))), ("numbers", (r.randrange(20000) for _ in range(2500))),
                         ("fractions", (r.choice(range(1, 3000)) / 8 for _ in range(9000)))):
        t.write(name, stream(labels))
        t.run("train", "-q", "-a", "pa-1", "--classes", "matrix", name)


def test_the_limits_of_classes_are_errors_with_their_places(t):
    for way, most, says in (("ovr", 1000, "use --classes matrix"), ("ovo", 200, "use --classes ovr or matrix")):
        t.write("a", stream(f"w{i}" for i in range(most)))
        t.run("train", "-q", "-a", "pa-1", "--classes", way, "a")
        t.write("a", stream(f"w{i}" for i in range(most + 2)))
        t.refused("train", "-q", "-a", "pa-1", "--classes", way, "a", status=1, says=[f"a:{most + 1}: more than {most} classes", says])
    t.write("a", stream(f"w{i}" for i in range(100001)))
    t.refused("train", "-q", "-a", "pa-1", "--classes", "matrix", "a", status=1, says="a:100001: more than 100000 classes")
