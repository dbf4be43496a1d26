#!/usr/bin/python3
"""Paper 001, figure 2 (paper 000, figure 1): test error against sparsity.

    SLUICE_DATA=DIR experiments/sparse_figure2.py     writes sparse_figure2.csv, sparse_figure2_zero.svg, _level.svg

sparse.py says how parameters are chosen and what a draw is. rda, ftrl and the other schedules of fsol and ssol are not
in the papers. `ssol any` and `fsol any` (only `level`) take for each draw and sparsity the schedule with the least
error in cross-validation; `ssol wide` (only `level`) is ssol with schedule=constant and r up to 1024.
"""
import os, tempfile, time

import sparse
from sparse import LEVELS, SETS, SIX, Split, Table, deviation, mean

HEADER = ["set", "chosen_at", "learner", "level", "test_error", "deviation", "sparsity", "nonzeros", "reached", "draws", "errors", "parameters"]


def measure(args, name, folder):
    rows = sparse.read_rows(args, name)
    test = sparse.read_rows(args, name, ".test.svm.zst") if name in sparse.OWN_TEST else None
    learners = {n: rule for n, rule in sparse.learners(name).items() if not args.learner or n in args.learner}
    cells = {}  # (chosen at, learner, level): [(error, point, params, error in cross-validation)] by draw
    split = None
    for number, order in sparse.DRAWS[SETS[name][1]]:
        if split is None or split.number != number:
            split = Split(args, folder, rows, test, number)
            split.number = number
            seen = sparse.features_seen(args, split.train)
            levels = [level for level in LEVELS if seen * (1 - level) >= sparse.FEWEST]
            chosen = {}
            for learner, rule in learners.items():
                began = time.time()
                at_zero = None
                if learner != "ssol wide":  # without regularisation they have the parameters of ssol
                    base = chosen.get(learner.split()[0])
                    at_zero = base[0] | rule.fixed if base else sparse.tune_zero(args, rule, split.train)
                chosen[learner] = at_zero, sparse.tune_levels(args, rule, split.train, split.rows, levels)
                print(f"{name} {number} {learner} {time.time() - began:.1f} s {chosen[learner]}", flush=True)
        train = split.order(order) if "orders" in SETS[name][1] else split.train
        for learner, rule in learners.items():
            at_zero, at_levels = chosen[learner]
            for level, point in sparse.curve(args, rule, at_zero, train, split.test, split.rows, levels).items() if at_zero else ():
                cells.setdefault(("zero", learner, level), []).append((point["test"]["error_rate"], point, at_zero, 0))
            curves = {}
            for level, params in at_levels.items():
                key, cv = sparse.words(params), params[""]
                params = {k: v for k, v in params.items() if k}
                wanted = [at for at, p in at_levels.items() if sparse.words(p) == key]
                if key not in curves:
                    curves[key] = sparse.curve(args, rule, params, train, split.test, split.rows, wanted)
                if level in curves[key]:
                    point = curves[key][level]
                    cells.setdefault(("level", learner, level), []).append((point["test"]["error_rate"], point, params, cv))
    for base in ("fsol", "ssol"):
        for level in LEVELS:
            forms = [cells.get(("level", n, level)) for n in learners if n.split()[0] == base and n != "ssol wide"]
            if all(forms) and len(forms) > 1:
                cells["level", base + " any", level] = [min(tried, key=lambda cell: cell[3]) for tried in zip(*forms)]
    out = []
    for (how, learner, level), runs in cells.items():
        errors = [error for error, *_ in runs]
        out.append({"set": name, "chosen_at": how, "learner": learner, "level": level, "test_error": f"{mean(errors):.5f}",
                    "deviation": f"{deviation(errors):.5f}",
                    "sparsity": f"{mean([p['sparsity'] for _, p, *_ in runs]):.5f}", "nonzeros": f"{mean([p['nonzeros'] for _, p, *_ in runs]):.0f}",
                    "reached": sum(bool(p["reached"]) for _, p, *_ in runs), "draws": len(runs), "errors": " ".join(f"{e:.5f}" for e in errors),
                    "parameters": "; ".join(dict.fromkeys(sparse.words(params) for _, _, params, _ in runs))})
    return out


def report(args, rows):
    """Plots, and in how many sets ssol is best, within one deviation of the best, or worse."""
    for how in ("zero", "level"):
        panels = {}
        for row in rows:
            if row["chosen_at"] == how and row["learner"] in sparse.STYLE:
                panels.setdefault(row["set"], {}).setdefault(row["learner"], []).append((float(row["level"]), 100 * float(row["test_error"]), 0))
        chosen = "without regularisation" if how == "zero" else "for each sparsity"
        sparse.plot(args, f"sparse_figure2_{how}.svg", f"Test error against sparsity; parameters chosen {chosen}", panels,
                    sparse.ACROSS + "test error in % (logarithmic), mean; broken lines: not in the papers")
    wide = [row for row in rows if row["set"] not in sparse.GENERAL]
    for how in ("zero", "level"):
        for mine in dict.fromkeys(r["learner"] for r in wide if r["learner"].startswith("ssol") and r["chosen_at"] == how):
            for label, against in (("the papers'", SIX), ("all", [*SIX, "rda", "ftrl", "fsol inverse", "fsol sqrt"])):
                for level in map(str, LEVELS):
                    cells = [r for r in wide if r["chosen_at"] == how and r["level"] == level]
                    best, within, worse = sparse.compare(cells, mine, [n for n in against if n != "ssol"], "test_error", "deviation")
                    print(f"{how:5} {mine:13} against {label:11} at {100 * float(level):5.1f} %: best {len(best)}, within a deviation {len(within)}, "
                          f"worse {len(worse)}: {'; '.join(within)} | {'; '.join(worse)}")


def main():
    args = sparse.options(__doc__)
    table = Table(args, "sparse_figure2", HEADER)
    if not args.report:
        for name in args.sets:
            began = time.time()
            with tempfile.TemporaryDirectory() as folder:
                table.replace(name, measure(args, name, folder), list(SETS), args.learner)
            print(f"{name}: {time.time() - began:.0f} s", flush=True)
    report(args, table.rows)


if __name__ == "__main__":
    main()
