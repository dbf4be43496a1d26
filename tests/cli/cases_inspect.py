"""inspect and learners: what a model is, what the learners are."""

import re
import struct

from harness import check, equal, near, rows


def test_inspect_json(t):
    t.write("a", rows(500))
    trained = t.run("train", "-q", "-a", "ssol", "--bias", 2, "-o", "m", "--json", "a").json()
    r = t.run("inspect", "--json", "m").json()
    for key in ["learner", "params", "examples", "mistakes", "updates", "features_seen", "nonzeros", "sparsity"]:
        equal(r[key], trained[key], key)
    equal(r["settings"]["bias"], 2)
    equal(r["predict_only"], False)
    equal(len(r["top"]), min(10, r["nonzeros"]))


def test_top_are_the_heaviest(t):
    t.write("a", rows(500))
    t.run("train", "-q", "-a", "pa-1", "-o", "m", "a")
    weights = [(int(i), float(w)) for i, w in (l.split("\t") for l in t.run("inspect", "--weights", "m").out.splitlines())]
    wanted = sorted(weights, key=lambda p: (-abs(p[1]), p[0]))
    for n in [0, 1, 5, 1000]:
        top = t.run("inspect", "--json", "--top", n, "m").json()["top"]
        equal([(w["id"], w["weight"]) for w in top], wanted[:n], f"top {n}")
    text = t.run("inspect", "--top", 3, "m").out.split("heaviest features\n")[1].split("newest features")[0].splitlines()
    equal([line.split()[0] for line in text], [str(i) for i, _ in wanted[:3]])


def test_equal_weights_are_ordered_by_id(t):
    t.run("train", "-q", "-a", "perceptron", "-o", "m", stdin="1 9:1 3:1 18446744073709551615:-1 5:2\n")
    top = t.run("inspect", "--json", "m").json()["top"]
    equal([w["id"] for w in top], [5, 3, 9, 18446744073709551615])


def test_weights_are_all_nonzeros_by_ascending_id_bias_first(t):
    t.write("a", rows(500))
    n = t.run("train", "-q", "--json", "--bias", 1, "-a", "pa", "-o", "m", "a").json()["nonzeros"]
    r = t.run("inspect", "--weights", "m")
    lines = [line.split("\t") for line in r.out.splitlines()]
    equal(lines[0][0], "bias")
    ids = [int(i) for i, _ in lines[1:]]
    equal(ids, sorted(set(ids)))
    equal(len(lines), n)
    check(all(float(w) != 0 for _, w in lines), "a zero weight")
    t.refused("inspect", "--weights", "--json", "m", status=2, says="--weights")


def test_inspect_text(t):
    t.write("a", rows(100))
    t.run("train", "-q", "-a", "pa-1", "-P", "C=0.5", "-o", "m", "a")
    check(re.search(r"^learner +pa-1 C=0.5, values as they are$", t.run("inspect", "m").out, re.M), "brief")
    text = t.run("inspect", "-v", "m").out
    check(re.search(r"^learner +pa-1$", text, re.M), text)
    check("C=0.5" in text and re.search(r"^examples +100$", text, re.M), text)


def test_learners_json_is_as_the_contract_fixes_it(t):
    learners = t.run("learners", "--json").json()["learners"]
    names = [l["name"] for l in learners]
    for name in "perceptron pa pa-1 pa-2 fsol ssol ssol-full cs-fsol cs-ssol cs-ssol-full stg fobos ada-fobos ada-rda rda " \
                "ftrl cs-ogd cpa paum arow narow scw-1 scw-2 cw sop arow-full narow-full scw-1-full scw-2-full cw-full " \
                "sop-full".split():
        check(name in names, f"{name} is missing")
    equal(len(set(names)), len(names), "names")
    for l in learners:
        for key in ["name", "summary", "paper", "params"]:
            check(key in l, f"{l['name']}: {key}")
        check(l["summary"] and l["paper"] and l["bytes_per_feature"] > 0, l["name"])
        for p in l["params"]:
            equal({"name", "default", "min", "max", "help"} - set(p), set(), f"{l['name']}.{p.get('name')}")
            check(p["help"], "help")
            if "choices" in p:
                check(p["default"] in p["choices"] and p["min"] is None and p["max"] is None, p["name"])
            elif p["default"] is not None:
                check(p["min"] is None or p["min"] <= p["default"], p["name"])
                check(p["max"] is None or p["default"] <= p["max"], p["name"])


def test_defaults_may_be_given_explicitly(t):
    t.write("a", rows(100))
    for l in t.run("learners", "--json").json()["learners"]:
        given = [f"-P{p['name']}={p['default']}" for p in l["params"] if p["default"] is not None]
        t.run("train", "-q", "-a", l["name"], "-o", "m1", "a")
        t.run("train", "-q", "-a", l["name"], *given, "-o", "m2", "a")
        equal(t.read("m1"), t.read("m2"), l["name"])


def test_learners_name_restricts(t):
    one = t.run("learners", "ssol", "--json").json()["learners"]
    equal([l["name"] for l in one], ["ssol"])
    text = t.run("learners", "ssol").out
    check(text.startswith("ssol: ") and "fobos" not in text and "paper: " in text, text)
    t.refused("learners", "sol", status=2, says=["'sol'", "did you mean 'ssol'"])


def test_learners_are_listed_in_one_line_each_by_what_they_are_for(t):
    out = t.run("learners").out
    groups = out.split("\nsluice learners NAME")[0].rstrip("\n").split("\n\n")
    listed = [[line.split()[0] for line in g.splitlines()[1:]] for g in groups]
    equal([name for g in listed for name in g], [l["name"] for l in t.run("learners", "--json").json()["learners"]])
    check(all(not g.startswith(" ") and all(line.startswith("  ") for line in g.splitlines()[1:]) for g in groups), out)
    equal(len({g.splitlines()[0] for g in groups}), len(groups), "headings")
    equal(listed[0], ["auto"])
    for name, together in ("ssol", "ftrl"), ("olsf", "ofs"), ("cs-ogd", "paum"), ("arow", "cw"), ("pa-1", "perceptron"), ("bcw", "arow-full"):
        check(any(name in g and together in g for g in listed), f"{name}, {together}: {listed}")


ALIASES = {"stsd": "olsf", "stsd-1": "olsf-1", "stsd-2": "olsf-2", "rda-l1": "rda", "fobos-l1": "fobos", "ada-fobos-l1": "ada-fobos",
           "ada-rda-l1": "ada-rda", "pa1": "pa-1", "pa2": "pa-2"}


def test_other_names_of_learners_are_understood_wherever_one_is_named(t):
    t.write("a", rows(300))
    listed = t.run("learners").out.split("Other names")[1].splitlines()[1:]
    equal(dict(line.split() for line in listed), ALIASES)
    for alias, name in ALIASES.items():
        equal(t.run("train", "-q", "-a", alias, "-o", "m", "--json", "a").json()["learner"], name)
        t.run("train", "-q", "-a", name, "-o", "n", "a")
        equal(t.read("m"), t.read("n"), f"{alias}: the model")
        check(alias.encode() + b"\n" not in t.read("m"), f"{alias} is in the model")
        t.run("train", "-q", "-i", "m", "-a", alias, "-o", "m", "a")
        equal([l["name"] for l in t.run("learners", alias, "--json").json()["learners"]], [name])
        check(f"other names: {alias}\n" in t.run("learners", name).out, f"{name} does not say {alias}")
        check(f"parameters of {name}:" in t.run("train", "-a", alias, "--help").out or not t.run("learners", alias, "--json").json()["learners"][0]["params"], alias)
    page = t.run("learners", "--markdown").out
    check(all(f"{alias} ({name})" in page for alias, name in ALIASES.items()), page[:3000])
    points = t.run("sweep", "-q", "-a", "rda-l1,rda,fobos-l1", "--lambda", "0,0.1", "--json", "a").json()["points"]
    equal(sorted({p["learner"] for p in points}), ["fobos", "rda"])
    equal(len(points), 4, "points: a learner that is named twice counts once")
    best = t.run("tune", "-q", "-a", "pa1", "--grid", "C=1,2", "--json", "a").json()["best"]
    equal(best["learner"], "pa-1")


def test_learners_markdown_has_every_learner_and_parameter(t):
    page = t.run("learners", "--markdown").out
    for l in t.run("learners", "--json").json()["learners"]:
        text = t.run("learners", l["name"]).out
        check(text.startswith(f"{l['name']}: "), text[:80])
        section = page.split(f"## `{l['name']}`\n")[1].split("\n## ")[0]
        check(l["paper"] in section and f"{l['bytes_per_feature']} bytes per feature" in section, section)
        for p in l["params"]:
            check(f"| `{p['name']}` |" in section, f"{l['name']}.{p['name']}")
    t.refused("learners", "--json", "--markdown", status=2, says="--markdown")
    near(page.count("\n## "), len(t.learners()), 0)


def test_model_without_a_weight_can_be_inspected(t):
    t.run("train", "-q", "--allow-empty", "-o", "m", stdin="")
    equal(t.run("inspect", "--json", "m").json()["nonzeros"], 0)
    check("heaviest" in t.run("inspect", "m").out, "no list")
    equal(t.run("inspect", "--weights", "m").out, "")


def xxhash64(data):
    """The checksum of the model file, seed 0."""
    p1, p2, p3, p4, p5 = (11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579,
                          2870177450012600261)
    mask = (1 << 64) - 1

    def left(x, n):
        return (x << n | x >> (64 - n)) & mask

    def mix(sum, lane):
        return left((sum + lane * p2) & mask, 31) * p1 & mask

    at = 0
    if len(data) >= 32:
        sums = [(p1 + p2) & mask, p2, 0, -p1 & mask]
        while at + 32 <= len(data):
            sums = [mix(v, lane) for v, lane in zip(sums, struct.unpack_from("<4Q", data, at))]
            at += 32
        h = sum(left(v, n) for v, n in zip(sums, (1, 7, 12, 18))) & mask
        for v in sums:
            h = ((h ^ mix(0, v)) * p1 + p4) & mask
    else:
        h = p5
    h = (h + len(data)) & mask
    while at + 8 <= len(data):
        h = (left(h ^ mix(0, struct.unpack_from("<Q", data, at)[0]), 27) * p1 + p4) & mask
        at += 8
    if at + 4 <= len(data):
        h = (left(h ^ struct.unpack_from("<I", data, at)[0] * p1 & mask, 23) * p2 + p3) & mask
        at += 4
    for byte in data[at:]:
        h = left(h ^ byte * p5 & mask, 11) * p1 & mask
    h = (h ^ h >> 33) * p2 & mask
    h = (h ^ h >> 29) * p3 & mask
    return h ^ h >> 32


def with_other_text(model, old, new):
    """The model file with another text in its first section: what no sluice would write."""
    n = struct.unpack_from("<Q", model, 24)[0]
    text = model[32:32 + n].replace(old, new)
    section = model[16:24] + struct.pack("<Q", len(text)) + text
    return model[:16] + section + struct.pack("<Q", xxhash64(section)) + model[32 + n + 8:]


def test_weights_beyond_the_range_of_floats_are_an_error_with_words(t):
    t.run("train", "-q", "-a", "rda", "-P", "eta=0.5", "-o", "m", stdin="1 1:3e38\n-1 2:1\n")
    equal(with_other_text(t.read("m"), b"", b""), t.read("m"), "the checksum of the test")
    t.write("wild", with_other_text(t.read("m"), b"eta=0.5", b"eta=1e12"))
    for options in ([], ["--weights"], ["--json"]):
        t.run("inspect", "m", *options)
        r = t.refused("inspect", "wild", *options, status=1, says="range of floats")
        check("sluice: ok" not in r.err, r.err)


def test_dim_below_the_features_seen_is_kept_and_said(t):
    t.run("train", "-q", "-a", "pa", "-o", "m", stdin="1 1:1 2:1 3:1\n")
    r = t.run("inspect", "--json", "--dim", 2, "m")
    equal(r.json()["dimension"], 2)
    check("warning: --dim 2 is less than the 3 features seen" in r.err, r.err)
    equal(t.run("inspect", "-qq", "--dim", 2, "m").err, "", "-qq")


def test_learners_indent_parameters_under_their_heading(t):
    lines = t.run("learners", "ssol").out.splitlines()
    at = lines.index("  parameters (default, range):")
    for line in lines[at + 1:]:
        check(line.startswith("    "), line)


def test_newest_and_growth(t):
    t.write("a.vw", "".join(f"{1 if i % 2 else -1} | common f{i}\n" for i in range(40)))
    t.run("train", "-q", "-a", "pa-1", "a.vw", "-o", "m")
    r = t.run("inspect", "m", "--json", "--newest", "3").json()
    equal([f["name"] for f in r["newest"]], ["f39", "f38", "f37"])
    equal([(g["examples"], g["features_seen"]) for g in r["growth"]], [(1, 2), (2, 3), (4, 5), (8, 9), (16, 17), (32, 33)])
    check(r["names"], "the model has names")
    text = t.run("inspect", "m", "--newest", 1).out
    check("newest features\n  f39" in text and "f38" not in text and "features seen after" not in text, text)
    text = t.run("inspect", "-v", "m").out
    check("newest features\n  f39" in text and "features seen after so many examples" in text, text)


def test_newest_of_ids_survive_resuming(t):
    t.write("a", "".join(f"{1 if i % 2 else -1} 7:1 {100 + 3 * i}:1\n" for i in range(50)))
    t.write("b", "".join(f"{1 if i % 2 else -1} 7:1 {9000 - i}:1\n" for i in range(5)))
    t.run("train", "-q", "a", "b", "-o", "whole")
    t.run("train", "-q", "a", "-o", "m")
    t.run("train", "-q", "-i", "m", "b", "-o", "m")
    equal(t.read("m"), t.read("whole"))
    r = t.run("inspect", "m", "--json", "--newest", "7").json()
    equal([f["id"] for f in r["newest"]], [8996, 8997, 8998, 8999, 9000, 247, 244])
