"""--cost: the importance weights of a label's examples."""

import random

from cases_class_searches import same
from cases_classes import answers, relabelled
from harness import check, equal, rows


def vw(n, labels, weights=None):
    r = random.Random(n)
    lines = []
    for _ in range(n):
        label = r.choice(labels)
        words = [f"w{r.randrange(40)}" for _ in range(4)] + [f"{label}{r.randrange(5)}"]
        weight = f" {weights[label]}" if weights and label in weights else ""
        lines.append(f"{label}{weight} | {' '.join(sorted(set(words)))}\n")
    return "".join(lines)


def learned(t, model):
    """All that a model has learned."""
    about = t.run("inspect", "--json", model).json()
    return [about[k] for k in ("examples", "mistakes", "features_seen", "nonzeros")], t.run("inspect", "--weights", model).out


def test_a_cost_is_a_weight_of_all_examples_of_the_label(t):
    for labels, weights in ((["ham", "spam"], {"spam": 5}), (["spam", "ham"], {"spam": 0.25, "ham": 3}), (["-1", "1"], {"1": 2}),
                            (["3", "7.5"], {"3": 4}), (["a", "b"], {"b": 0})):
        t.write("a.vw", vw(300, labels))
        t.write("b.vw", vw(300, labels, weights))
        for learner in ("pa-1", "arow", "ssol"):
            costs = [x for k, v in weights.items() for x in ("--cost", f"{k}={v}")]
            r = t.run("train", "-a", learner, *costs, "-o", "m", "a.vw")
            check("--cost" not in r.err, r.err)
            t.run("train", "-q", "-a", learner, "-o", "n", "b.vw")
            equal(learned(t, "m"), learned(t, "n"), (learner, weights))
            equal(answers(t, "-m", "m", "a.vw"), answers(t, "-m", "n", "a.vw"))
    # in csv, beside weights of its own, and numbers by their value
    t.write("a.csv", "label,w,x\n2,1,3\n4,0.5,1\n2.0,2,1\n4,1,5\n")
    t.write("b.csv", "label,w,x\n2,3,3\n4,0.5,1\n2.0,6,1\n4,1,5\n")
    t.run("train", "-q", "-a", "pa-1", "--weight", "w", "--cost", "2.00=3", "-o", "m", "a.csv")
    t.run("train", "-q", "-a", "pa-1", "--weight", "w", "-o", "n", "b.csv")
    equal(learned(t, "m"), learned(t, "n"), "csv")


def test_a_model_keeps_its_costs(t):
    t.write("a.vw", vw(300, ["ham", "spam"]))
    lines = t.read("a.vw").decode().splitlines(keepends=True)
    t.write("1.vw", "".join(lines[:120]))
    t.write("2.vw", "".join(lines[120:]))
    t.run("train", "-q", "-a", "pa-1", "--cost", "spam=5.0", "-o", "whole", "a.vw")
    t.run("train", "-q", "-a", "pa-1", "--cost", "spam=5", "-o", "m", "1.vw")
    r = t.run("train", "-a", "pa-1", "-i", "m", "-o", "m", "2.vw")
    equal(t.read("m"), t.read("whole"))
    check("cost" not in r.err, r.err)
    equal(t.run("inspect", "--json", "m").json()["settings"]["costs"], "spam=5")
    check("costs" not in t.run("train", "-q", "--json", "-a", "pa-1", "a.vw").json()["settings"], "none")
    # another cost replaces it
    t.run("train", "-q", "-i", "m", "-o", "n", "--cost", "ham=2", "2.vw")
    equal(t.run("inspect", "--json", "n").json()["settings"]["costs"], "ham=2")


def test_costs_are_for_learning_alone(t):
    t.write("a", rows(200))
    plain = t.run("train", "-q", "--json", "-a", "pa-1", "--test", "a", "a").json()
    costly = t.run("train", "-q", "--json", "-a", "pa-1", "--cost", "1=0", "--cost", "-1=2", "--test", "a", "a").json()
    equal(costly["test"]["positives"], plain["test"]["positives"])
    equal(costly["examples"], plain["examples"] - plain["test"]["positives"], "a cost of 0")


def test_tune_sweep_and_select_take_costs(t):
    t.write("a.vw", vw(300, ["ham", "spam"]))
    t.write("b.vw", vw(300, ["ham", "spam"], {"spam": 3}))
    for command in (["tune", "-a", "pa-1", "--grid", "C=0.01,0.1,1,10"], ["sweep", "-a", "fsol"], ["sweep", "-a", "fsol", "--repeats", "2"],
                    ["select", "-a", "pa-1", "--features", "3,6"]):
        got = same(t.run(*command, "-q", "--json", "--cost", "spam=3", "a.vw").json())
        equal(got, same(t.run(*command, "-q", "--json", "b.vw").json()), command)
    r = t.run("tune", "-q", "--json", "-a", "pa-1", "--grid", "C=1,2", "--cost", "spam=3", "-o", "m", "a.vw").json()
    check("--cost spam=3" in str(r), "the command line")
    t.run("train", "-q", "-a", "pa-1", "-P", f"C={r['best']['params']['C']}", "--cost", "spam=3", "-o", "n", "a.vw")
    equal(t.read("m"), t.read("n"))


def test_what_is_wrong_with_costs(t):
    t.write("a", relabelled(rows(50), {-1: "ham", 1: "spam"}))
    for cost, says in (("spam", "write it as label=factor"), ("=3", "write it as label=factor"), ("spam=-1", "is not a number from 0 on"),
                       ("spam=x", "is not a number from 0 on"), ("spam=inf", "is not a number from 0 on"),
                       ("spam=1e300", "is not a number from 0 on"), ("spam=1e-60", "not within the range of floats")):
        for command in ("train", "tune", "sweep"):
            t.refused(command, "-q", "--cost", cost, "a", status=2, says=says)
    t.refused("train", "-q", "--cost", "1=2", "--cost", "1.0=3", "a", status=2, says="has two costs")
    for command in (["train", "-a", "pa-1"], ["tune", "-a", "pa-1"], ["sweep"], ["select", "--features", "2"]):
        r = t.run(*command, "--cost", "eggs=2", "a")
        check("warning: --cost eggs: no example has this label" in r.err, r.err)
    t.refused("train", "-q", "-a", "pa", "--cost", "spam=2", "a", status=1, says="takes only the importance weights 0 and 1")
