#!/usr/bin/python3
"""Paper 001, figures 4 and 5: balanced accuracy against sparsity on streams with one positive to 99 negatives.

    SLUICE_DATA=DIR experiments/sparse_figure4.py     writes sparse_figure4.csv, sparse_figure4_zero.svg, _level.svg

phishing-55k stands for URL2 and news20-ub, the set with most features, for WEBSPAM2; the others are added. `synth` is
`sluice synth sparse` with 40,000 rows, 100,000 dimensions and true labels. All negatives are kept and positives drawn;
both are split into four fifths for training and one for testing (a9a: its own test file, sampled in the same way), five
times (the larger four sets: three times) with other seeds. `balanced` is measured on that test part, which has few
positives (8 to 126). `balanced_all` is measured on it together with the positives that were not drawn: the same
quantity with less noise. Costs are cost_pos = negatives / positives and cost_neg = 1, not searched. Parameters are
chosen by cross-validation as in figure 2, but by balanced accuracy: step sizes 2^-8 to 2^8 (with costs of 99 those of
the papers are too large), the others 2^-5 to 2^5 by factors of four; for paum, which its step size only scales, the two
margins.
"""
import os, random, tempfile, time

import sparse
from sparse import LEARNERS, LEVELS, Rule, Table, deviation, mean

SETS = {"reuters-earn": "", "spamassassin": "", "a9a": "", "news20-uni": "", "synth": "", "phishing-55k": "for URL2", "news20-ub": "for WEBSPAM2"}
SEEDS = {name: (1, 2, 3) for name in ("news20-uni", "synth", "phishing-55k", "news20-ub")}  # of the others five
SPAN = (2.0**-8, 2.0**7)
SPARSE = {n: LEARNERS[n] for n in sparse.SIX} | {
    "cs-fsol": Rule("cs-fsol", span=SPAN), "cs-ssol": Rule("cs-ssol", other="r", span=SPAN, unit=lambda step, rows: step * rows)}
DENSE = {"cs-ogd": Rule("cs-ogd", swept=None), "cpa": Rule("cpa", "C", swept=None), "paum": Rule("paum", "margin_pos", "margin_neg", None)}
AT_LEVELS = ["ada-rda", "fsol", "ssol", "cs-fsol", "cs-ssol"]
STEPS, OTHERS = ",".join(f"2^{k}" for k in range(-8, 9, 2)), ",".join(f"2^{k}" for k in range(-5, 6, 2))
sparse.COARSE_STEPS = "2^-6,2^-3,1,8,64,512"
sparse.FINE_STEPS = STEPS
sparse.COARSE_OTHERS = "2^-4,1,16"
HEADER = ["set", "chosen_at", "learner", "level", "balanced", "deviation", "balanced_all", "deviation_all", "sensitivity_all", "specificity", "sparsity",
          "nonzeros", "draws", "values_all", "parameters"]


def rows_of(args, name, folder, ending=".svm.zst"):
    if name != "synth":
        return sparse.read_rows(args, name, ending)
    path = os.path.join(folder, "synth.svm")
    sparse.sluice(args, "synth", "sparse", "-P", "rows=40000", "-P", "dim=100000", "-P", "noise=0", "-o", path)
    with open(path) as lines:
        return lines.read().splitlines()


def sample(rows, seed):
    """negatives, one positive for 99 of them, and the other positives"""
    rows = list(rows)
    random.Random(seed).shuffle(rows)
    negatives = [r for r in rows if r.startswith(("-", "0"))]
    positives = [r for r in rows if not r.startswith(("-", "0"))]
    wanted = round(len(negatives) / 99)
    return negatives, positives[:wanted], positives[wanted:]


def cut(rows, test, seed):
    """training rows, test rows, and the positives that are in neither"""
    negatives, positives, rest = sample(rows, seed)
    if test is None:
        n, p = len(negatives) // 5, max(1, len(positives) // 5)
        test = negatives[:n] + positives[:p]
        negatives, positives = negatives[n:], positives[p:]
    else:
        test_negatives, test_positives, rest = sample(test, seed)
        test = test_negatives + test_positives
    train = negatives + positives
    random.Random(seed).shuffle(train)
    return train, test, rest


class Stream:
    def __init__(self, args, folder, rows, test, seed):
        train, test, rest = cut(rows, test, seed)
        positives = sum(not row.startswith(("-", "0")) for row in train)
        self.rows, self.ratio = len(train), len(train) / positives - 1
        self.train = sparse.write(args, train, os.path.join(folder, "train.bin"))
        self.test = sparse.write(args, test, os.path.join(folder, "test.bin"))
        self.test_all = sparse.write(args, test + rest, os.path.join(folder, "test_all.bin"))


def measure(args, name, folder):
    rows = rows_of(args, name, folder)
    test = rows_of(args, name, folder, ".test.svm.zst") if name == "a9a" else None
    cells = {}

    def note(how, learner, level, point, measured_all, params):
        cells.setdefault((how, learner, level), []).append((point["test"]["balanced_accuracy"], measured_all["balanced_accuracy"], measured_all["sensitivity"],
                                                            measured_all["specificity"], point["sparsity"], point["nonzeros"], params))

    def note_curve(how, learner, params, stream, levels):
        rule = SPARSE[learner]
        found = sparse.curve(args, rule, params, stream.train, stream.test, stream.rows, levels)
        values = sorted({p["value"] for p in found.values()})
        again = {p["value"]: p for p in sparse.sweep(args, rule, params, ",".join(f"{v!r}" for v in values), stream.train, stream.test_all)["points"]}
        for level, point in found.items():
            note(how, learner, level, point, again[point["value"]]["test"], params)

    for seed in SEEDS.get(name, range(1, 6)):
        stream = Stream(args, folder, rows, test, seed)
        seen = sparse.features_seen(args, stream.train)
        levels = [level for level in LEVELS if seen * (1 - level) >= sparse.FEWEST]
        costs = {"cost_pos": stream.ratio, "cost_neg": 1.0}
        for learner, rule in (SPARSE | DENSE).items():
            if name == "news20-ub" and learner in ("stg", "fobos", "ada-fobos"):  # takes long
                continue
            began = time.time()
            rule.fixed = costs if learner.startswith("c") else {}
            at_zero = sparse.tune_zero(args, rule, stream.train, "balanced", OTHERS if learner == "paum" else STEPS, OTHERS)
            if learner in DENSE:
                point = sparse.trained(args, rule, at_zero, stream.train, stream.test)
                again = sparse.trained(args, rule, at_zero, stream.train, stream.test_all)
                for how in ("zero", "level"):
                    note(how, learner, "", point, again["test"], at_zero)
                continue
            note_curve("zero", learner, at_zero, stream, levels)
            if learner in AT_LEVELS and name != "news20-ub":
                at_levels = sparse.tune_levels(args, rule, stream.train, stream.rows, levels, "balanced")
                for key in dict.fromkeys(sparse.words(p) for p in at_levels.values()):
                    wanted = [at for at, p in at_levels.items() if sparse.words(p) == key]
                    note_curve("level", learner, {k: v for k, v in at_levels[wanted[0]].items() if k}, stream, wanted)
            print(f"{name} {seed} {learner} {time.time() - began:.1f} s {sparse.words(at_zero)}", flush=True)
    out = []
    for (how, learner, level), runs in cells.items():
        balanced, balanced_all, sensitivity, specificity, sparsity, nonzeros, params = zip(*runs)
        out.append({"set": name, "chosen_at": how, "learner": learner, "level": level, "balanced": f"{mean(balanced):.5f}",
                    "deviation": f"{deviation(balanced):.5f}", "balanced_all": f"{mean(balanced_all):.5f}",
                    "deviation_all": f"{deviation(balanced_all):.5f}", "sensitivity_all": f"{mean(sensitivity):.5f}",
                    "specificity": f"{mean(specificity):.5f}", "sparsity": f"{mean(sparsity):.5f}", "nonzeros": f"{mean(nonzeros):.0f}", "draws": len(runs),
                    "values_all": " ".join(f"{b:.5f}" for b in balanced_all),
                    "parameters": "; ".join(dict.fromkeys(sparse.words({k: v for k, v in p.items() if not k.startswith("cost")}) for p in params))})
    return out


def report(args, rows):
    for how in ("zero", "level"):
        panels = {}
        for row in rows:
            if row["chosen_at"] == how:
                last = max((float(r["level"]) for r in rows if r["set"] == row["set"] and r["chosen_at"] == how and r["level"]), default=0)
                if not last:
                    continue
                for level in [float(row["level"])] if row["level"] else [LEVELS[0], last]:  # no level: drawn as a horizontal line
                    panels.setdefault(row["set"], {}).setdefault(row["learner"], []).append((level, 100 * float(row["balanced_all"]), 0))
        chosen = "without regularisation" if how == "zero" else "for each sparsity"
        sparse.plot(args, f"sparse_figure4_{how}.svg", f"Balanced accuracy against sparsity, one positive to 99 negatives; parameters chosen {chosen}", panels,
                    sparse.ACROSS + "balanced accuracy in % (all left-out positives); dotted: not sparse", log=False)
    for key, spread in (("balanced", "deviation"), ("balanced_all", "deviation_all")):
        for label, against in (("sparse learners", SPARSE), ("all", SPARSE | DENSE)):
            for how in ("zero", "level"):
                for level in map(str, LEVELS):
                    cells = [r for r in rows if r["chosen_at"] == how and r["level"] in (level, "")]
                    best, within, worse = sparse.compare(cells, "cs-ssol", against, key, spread, higher=True)
                    print(f"{key:12} {how:5} against {label:15} {level:5}: best {len(best)}: {'; '.join(best)} | within {len(within)}: {'; '.join(within)} | "
                          f"worse {len(worse)}: {'; '.join(worse)}")


def main():
    args = sparse.options(__doc__, tuple(SETS))
    table = Table(args, "sparse_figure4", HEADER)
    if not args.report:
        for name in args.sets:
            began = time.time()
            with tempfile.TemporaryDirectory() as folder:
                table.replace(name, measure(args, name, folder), list(SETS))
            print(f"{name}: {time.time() - began:.0f} s", flush=True)
    report(args, table.rows)


if __name__ == "__main__":
    main()
