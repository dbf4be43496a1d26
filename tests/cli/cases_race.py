"""What auto chose, when and why, in train and inspect; the note about values that a named learner is not made for."""

import math
import random
import re

from harness import check, equal, near, rows

CANDIDATE_KEYS = ["learner", "params", "settings", "error", "above_least", "standard_error", "nonzeros", "alive", "leads",
                  "began", "dropped", "led"]


def learned(t, *options):
    """Text of train, the race of its model, text of inspect."""
    text = t.run("train", "-qv", "-o", "m", *options).out
    return text, t.run("inspect", "--json", "m").json()["race"], t.run("inspect", "-v", "m").out


def table_of(text):
    """Rows of the table of candidates: error, above the least with its standard error or None, nonzeros, state, words."""
    found = re.findall(r"^ +([01]\.\d{4}) +(?:(0\.\d{4}) \+- (0\.\d{4}) +)?([\d,]+)  (leads|left|dropped at [\d,]+) +(\S.*)$", text, re.M)
    return [(float(e), (float(a), float(s)) if a else None, int(n.replace(",", "")), state, words)
            for e, a, s, n, state, words in found]


def test_json_of_train_and_inspect_has_the_same_whole_race(t):
    t.run("synth", "sparse", "-q", "-P", "rows=6000", "-P", "dim=20000", "-o", "a")
    r = t.run("train", "-q", "--json", "-o", "m", "a").json()
    equal(t.run("inspect", "--json", "m").json()["race"], r["race"], "inspect")
    race = r["race"]
    equal(list(race), ["leader", "restarts", "candidates", "events"])
    equal(race["restarts"], 0)
    alive = [c for c in race["candidates"] if c["alive"]]
    check(1 < len(alive) < len(race["candidates"]), "some are dropped")
    equal([i for i, c in enumerate(race["candidates"]) if c["leads"]], [race["leader"]], "who leads")
    least = min(c["error"] for c in alive)
    for i, c in enumerate(race["candidates"]):
        equal(list(c), CANDIDATE_KEYS)
        equal(list(c["settings"]), ["bias", "normalize", "transform", "scale"])
        equal(c["settings"]["bias"], 0.3, "a float in its shortest digits")
        if c["alive"]:
            near(c["above_least"], c["error"] - least, 1e-12)
            check(c["standard_error"] >= 0 and c["dropped"] is None, str(c))
        else:
            equal((c["above_least"], c["standard_error"]), (None, None))
            events = [e for e in race["events"] if e["event"] == "dropped" and e["candidate"] == i]
            equal([(e["examples"], e["error"], e["nonzeros"]) for e in events], [(c["dropped"], c["error"], c["nonzeros"])])
    equal(sum(c["led"] for c in race["candidates"]), 6000)
    equal([e["candidate"] for e in race["events"] if e["event"] == "leads"][-1], race["leader"], "the last to lead")
    equal(r["settings"]["bias"], 0.3)
    check("race" not in t.run("train", "-q", "--json", "-a", "ssol", "a").json(), "ssol is no race")


def test_of_many_that_are_left_six_are_listed(t):
    t.run("synth", "sparse", "-q", "-P", "rows=200", "-P", "dim=2000", "-o", "a")
    text, race, every = learned(t, "a")
    left = sum(c["alive"] for c in race["candidates"])
    check(left > 6 and f"  and {left - 6} more that are left (sluice inspect -v shows all)\n" in text, text)
    equal([row[3].split()[0] for row in table_of(text)][:7], ["leads"] + ["left"] * 5 + ["dropped"])
    equal(len(table_of(every)), len(race["candidates"]), "inspect has all")


def test_text_says_who_leads_and_lists_the_best(t):
    t.run("synth", "sparse", "-q", "-P", "rows=6000", "-P", "dim=20000", "-o", "a")
    text, race, every = learned(t, "a")
    candidates = race["candidates"]
    alive = [c for c in candidates if c["alive"]]
    leader = re.search(r"^leader +(\S.*)$", text, re.M).group(1)
    equal(re.split("[ ,]", leader)[0], candidates[race["leader"]]["learner"])
    check(re.search(rf"^race +{len(alive)} of {len(candidates)} candidates left: the sparsest of those near the least error leads$", text, re.M), text)
    table = table_of(text)
    equal([row[3].split()[0] for row in table], ["leads"] + ["left"] * (len(alive) - 1) + ["dropped"] * 3)
    equal(table[0][4], leader)
    last = sorted((c["dropped"] for c in candidates if not c["alive"]), reverse=True)[:3]
    equal([f"dropped at {n:,}" for n in last], [row[3] for row in table[len(alive):]], "those that stayed longest")
    lead = candidates[race["leader"]]
    equal(table[0][:3], (round(lead["error"], 4), (round(lead["above_least"], 4), round(lead["standard_error"], 4)), lead["nonzeros"]))
    equal(len(table_of(every)), len(candidates), "inspect has all")
    leads = [e for e in race["events"] if e["event"] == "leads"]
    said = re.findall(r"^  ([\d,]+) examples: (.*), leads; error", text, re.M)
    equal([n for n, _ in said], [f"{e['examples']:,}" for e in leads[-3:]], "the last leaders")
    equal(said[-1][1], leader)
    equal(len(re.findall(r"^  [\d,]+ examples: ", every, re.M)), len(race["events"]), "inspect has all events")


def test_scaling_is_said_in_words_and_what_is_given_holds_for_all(t):
    t.write("a", rows(400))
    words = {("--normalize", "l2"): "rows to length 1", ("--scale", "maxabs"): "features by largest value",
             ("--scale", "running"): "features by largest value (running)", ("--scale", "idf"): "rare features larger", ("--transform", "log1p"): "log(1 + value)",
             ("--transform", "binary"): "signs of values"}
    for option, said in words.items():
        text, race, _ = learned(t, *option, "a")
        check(all(said in row[4] for row in table_of(text)), text)
        equal({c["settings"][option[0][2:]] for c in race["candidates"]}, {option[1]})


def test_few_examples_compare_nothing(t):
    t.write("a", rows(15))
    text, race, every = learned(t, "a")
    check("candidates left: too few examples to compare them" in text and not table_of(text), text)
    equal({c["error"] for c in race["candidates"] if c["alive"]}, {None})
    check("too few examples" in every, every)


def test_a_restart_is_counted_and_said(t):
    t.run("synth", "drift", "-q", "-P", "rows=20000", "-P", "dim=2000", "-P", "changes=1", "-o", "a")
    text, race, every = learned(t, "a")
    check(race["restarts"] >= 1, "the stream does not change enough")
    at = [e["examples"] for e in race["events"] if e["event"] == "restarted"]
    equal(len(at), race["restarts"])
    times = f"{len(at)} time" + "s" * (len(at) > 1)
    check(re.search(rf"^race .*; restarted {times}$", text, re.M), text)
    for n in at:
        check(f"  {n:,} examples: the stream has changed; restarted\n" in every, every)
    begun = [c for c in race["candidates"] if c["began"]]
    check(begun and all(c["began"] in at for c in begun), "who was dropped begins anew")


def test_a_predict_only_model_has_the_leader_and_no_race(t):
    t.write("a", rows(2000))
    _, race, _ = learned(t, "a")
    t.run("train", "-q", "--final", "-o", "f", "a")
    r = t.run("inspect", "--json", "f").json()
    check("race" not in r, "a race")
    equal(r["learner"], race["candidates"][race["leader"]]["learner"])
    check("\nleader " not in t.run("inspect", "-v", "f").out, "a leader")


def test_floats_of_settings_have_their_shortest_digits(t):
    t.write("a", rows(50))
    text = t.run("train", "-qv", "-a", "ssol", "--bias", "0.1", "-o", "m", "a").out
    check("settings              bias=0.1 normalize=none" in text, text)
    check("settings              bias=0.1 normalize=none" in t.run("inspect", "-v", "m").out, "inspect")
    equal(t.run("inspect", "--json", "m").json()["settings"]["bias"], 0.1)


def test_the_list_of_learners_says_which_is_the_default(t):
    text = t.run("learners").out
    check(text.startswith("the default: tunes itself\n  auto "), text[:100])
    check(t.run("learners", "auto").out.startswith("auto: the default; "), "auto alone")


# ---- the note --------------------------------------------------------------------------------------------------------

def counts(n, factor=1.0, unit=False):
    """Rows of 30 of 5,000 features with counts."""
    r = random.Random(5)
    lines = []
    for _ in range(n):
        values = {r.randrange(1, 5000): factor * r.randint(1, 9) for _ in range(30)}
        length = math.sqrt(sum(v * v for v in values.values())) if unit else 1
        lines.append(f"{r.choice([-1, 1])} " + " ".join(f"{i}:{v / length:.6g}" for i, v in sorted(values.items())))
    return "\n".join(lines) + "\n"


def table(n, units):
    r = random.Random(6)
    return "".join(f"{r.choice([-1, 1])} " + " ".join(f"{i}:{unit * (0.2 + r.random()):.6g}" for i, unit in enumerate(units, 1)) + "\n"
                   for _ in range(n))


def noted(t, *options):
    err = t.run("train", *options).err
    return [line for line in err.splitlines() if "auto scales by itself" in line]


def test_long_and_short_rows_are_noted_once(t):
    for factor, length in (1, r"\d\d"), (0.001, r"0\.0\d\d\d"):
        t.write("a", counts(1500, factor))
        said = noted(t, "-a", "ssol", "--passes", 2, "-o", "m", "a")
        equal(len(said), 1)
        check(re.fullmatch(rf"sluice: note: the median length of the rows is {length}, and ssol suits rows of length 1; add "
                           "--normalize l2, or leave out -a: auto scales by itself", said[0]), said[0])
    t.write("a", counts(150))
    equal(len(noted(t, "-a", "arow", "-o", "m", "a")), 1, "fewer rows than are looked at")
    equal(noted(t, "-qq", "-a", "ssol", "-o", "m", "a"), [])


def test_columns_of_unlike_units_are_noted(t):
    t.write("a", table(300, [1, 0.5, 20000, 3]))
    said = noted(t, "-a", "pa-1", "-o", "m", "a")
    equal(len(said), 1)
    check("some columns have values more than 1000 times as large as others" in said[0] and "add --scale maxabs" in said[0], said[0])
    t.write("a.csv", "label,price,share,color\n" + "".join(
        f"{i % 2},{5000 + i},{0.001 * (1 + i % 7)},{'red blue green'.split()[i % 3]}\n" for i in range(300)))
    check("--scale maxabs" in noted(t, "-a", "ftrl", "-o", "m", "a.csv")[0], "csv with words")


def test_idf_without_length_1_is_noted(t):
    t.write("a", counts(50))
    says = lambda *options: "--normalize l2 makes them of length 1 again" in t.run("train", "-o", "m", "--scale", "idf", *options, "a").err
    check(says("-a", "ssol"), "a named learner")
    for options in [], ["-a", "auto"], ["-a", "ssol", "--normalize", "l2"], ["-a", "ssol", "--normalize", "none"]:
        check(not says(*options), " ".join(options))


def test_no_note_where_nothing_is_wrong_or_somebody_has_decided(t):
    t.write("units", counts(300, unit=True))
    t.write("short", table(300, [1, 0.5, 2, 3]))
    t.write("a", counts(300))
    t.write("few", counts(50))
    for command in (["-a", "ssol", "units"], ["-a", "ssol", "short"], ["-a", "ssol", "few"], ["a"], ["-a", "auto", "a"],
                    ["-a", "cw", "a"], ["-a", "scw-1", "a"], ["-a", "pa", "a"], ["-a", "ssol", "--normalize", "l2", "a"],
                    ["-a", "ssol", "--normalize", "none", "a"], ["-a", "ssol", "--scale", "maxabs", "a"],
                    ["-a", "ssol", "--transform", "binary", "a"]):
        equal(noted(t, "-o", "m", *command), [], " ".join(command))
    t.run("train", "-a", "ssol", "-o", "m", "few")
    equal(noted(t, "-a", "ssol", "-i", "m", "-o", "m", "a"), [], "-i goes on with what the model has")


def test_the_note_changes_no_result(t):
    t.write("a", counts(1500))
    t.run("train", "-a", "ssol", "-o", "noted", "a")
    t.run("train", "-qq", "-a", "ssol", "-o", "quiet", "a")
    t.run("train", "-q", "-a", "ssol", "--normalize", "none", "-o", "decided", "a")
    equal(t.read("noted"), t.read("quiet"))
    equal(t.read("noted"), t.read("decided"))
