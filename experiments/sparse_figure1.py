#!/usr/bin/python3
"""Paper 001, figure 1, with `sluice tune` and `sluice sweep`: test error against sparsity on the synthetic stream.

    experiments/sparse_figure1.py                          writes sparse_figure1.csv and sparse_figure1.svg

`sluice synth effective`, seed 1. Step sizes are chosen by 5-fold cross-validation without regularisation, as in the
paper, from a grid that suits values which are not scaled; then, for each sparsity, the lambda that gives it is searched
in five random orders of the training rows. synthetic.py also counts which features are kept.
"""
import json, os, tempfile

import sparse
from sparse import LEARNERS, Rule, Table

LEVELS = (0.3, 0.5, 0.7, 0.8, 0.85, 0.88, 0.9, 0.92, 0.95)
GRIDS = {"stg": (-7, -3), "fobos": (-5, -1), "ada-fobos": (-4, 0), "fsol": (-7, -3), "ada-rda": (-5, -1), "ssol": (-7, -4)}  # of eta: decades
SPANS = {"stg": (1e-4, 100), "fobos": (1e-4, 100), "ada-fobos": (1e-4, 100), "fsol": (1, 1e5), "ada-rda": (1e-3, 100), "ssol": (0.1, 1e4)}  # of lambda
R = "1e5,3e5,1e6,3e6,1e7,3e7,1e8,3e8"
HEADER = ["set", "learner", "parameters", "level", "lambda", "test_error", "deviation", "sparsity", "sparsity_deviation", "reached"]


def measure(args, folder):
    train, test = os.path.join(folder, "train.bin"), os.path.join(folder, "test.bin")
    sparse.sluice(args, "synth", "effective", "-o", train, "--test", test)
    out = []
    for learner in sparse.SIX:
        rule = Rule(learner, other="r" if learner == "ssol" else None, **({"delta": 1} if learner == "ada-rda" else {}))
        steps = ",".join(f"{m}e{k}" for k in range(GRIDS[learner][0], GRIDS[learner][1] + 1) for m in (1, 3))
        params = sparse.tune_zero(args, rule, train, steps=steps, others=R)
        low, high = SPANS[learner]
        curve = json.loads(sparse.sluice(args, "sweep", "--json", "-a", learner, *sparse.given(params), "--lambda", f"0,{low:g}..{high:g}:15", "--sparsity",
                                         ",".join(map(str, LEVELS)), "--shuffle", "1", "--repeats", "5", "--test", test, train))
        for level, point in [(0, next(p for p in curve["points"] if p["value"] == 0))] + list(zip(LEVELS, curve["wanted"])):
            out.append({"set": "effective", "learner": learner, "parameters": sparse.words(params), "level": level, "lambda": f"{point['value']:g}",
                        "test_error": f"{point['test']['error_rate']:.5f}", "deviation": f"{point['test']['error_rate_deviation']:.5f}",
                        "sparsity": f"{point['sparsity']:.4f}",
                        "sparsity_deviation": f"{point['sparsity_deviation']:.4f}", "reached": int(point.get("reached", True))})
            print(*out[-1].values(), flush=True)
    return out


def main():
    args = sparse.options(__doc__, ("effective",), data=False)
    table = Table(args, "sparse_figure1", HEADER)
    if not args.report:
        with tempfile.TemporaryDirectory() as folder:
            table.replace("effective", measure(args, folder), ["effective"])
    curves = {}
    for row in table.rows:
        if float(row["level"]) and row["reached"] == "1":
            curves.setdefault(row["learner"], []).append((float(row["level"]), 100 * float(row["test_error"]), 0))
    sparse.plot(args, "sparse_figure1.svg", "Synthetic stream: test error against sparsity", {"100 effective features of 1,000": curves},
                "across: % of the features without a weight; up: test error in %, mean of 5 orders (both logarithmic)", levels=LEVELS, scale=2)


if __name__ == "__main__":
    main()
