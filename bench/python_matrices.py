#!/usr/bin/env python3
"""partial_fit on a sparse matrix: sluiceway beside scikit-learn's SGDClassifier and VW's Python, in one run.

300,000 rows x 1,000,000 columns (CSR, float32), drawn with a seed; processor time, the best of --rounds, every program
in every round; VW's Python is measured on the first rows alone (it writes every row as text) and scaled by rows. "library" is
sluice_model_learn_csr() called once with the same arrays, labels as floats. Needs sluiceway, scikit-learn, scipy;
vowpalwabbit if it is there. --piece N learns N rows a call, as a stream would come.

    python bench/python_matrices.py --values 75 --piece 0,10000,1000,100
"""
import argparse
import json
import platform
import time
import warnings

import numpy as np
import scipy.sparse as sp

from sluiceway import SluiceClassifier, _sluice


def make_matrix(rows, columns, values, seed):
    """Rows of about `values` distinct columns, half of them drawn from the first thousandth of all."""
    rng = np.random.default_rng(seed)
    often = rng.integers(0, max(columns // 1000, 2 * values), (rows, values // 2))
    drawn = np.concatenate([often, rng.integers(0, columns, (rows, values - values // 2))], axis=1)
    drawn.sort(axis=1)
    keep = np.ones(drawn.shape, bool)
    keep[:, 1:] = drawn[:, 1:] != drawn[:, :-1]
    indptr = np.concatenate([[0], keep.sum(axis=1).cumsum()]).astype(np.int32)
    indices = drawn[keep].astype(np.int32)
    data = np.abs(rng.normal(size=len(indices))).astype(np.float32)
    x = sp.csr_matrix((data, indices, indptr), shape=(rows, columns))
    score = x @ rng.normal(size=columns)
    return x, np.where(score + 0.3 * score.std() * rng.normal(size=rows) > 0, 1.0, -1.0)


def library(learner):
    def run(pieces):
        model = _sluice.Model(learner, [], {})
        for x, y in pieces:
            model.learn_csr(x.indptr, x.indices, x.data, y, None, None, None, None)

    return run


def estimator(make):
    def run(pieces):
        model = make()
        for x, y in pieces:
            model.partial_fit(x, y, classes=[-1.0, 1.0])

    return run


def vw(pieces):
    from vowpalwabbit.sklearn import VWClassifier

    model = VWClassifier(loss_function="logistic")
    for x, y in pieces:
        model.fit(x, y)


def contestants(learners):
    from sklearn.linear_model import SGDClassifier

    found = {}
    for learner in learners:
        if learner != "auto":
            found["library " + learner] = library(learner)
        found["SluiceClassifier " + learner] = estimator(lambda name=learner: SluiceClassifier(name))
    found["SGDClassifier hinge"] = estimator(lambda: SGDClassifier())
    found["SGDClassifier log_loss"] = estimator(lambda: SGDClassifier(loss="log_loss"))
    found["SGDClassifier hinge, l1"] = estimator(lambda: SGDClassifier(penalty="l1"))
    try:
        import vowpalwabbit.sklearn  # noqa: F401

        found["VW's Python (VWClassifier)"] = vw
    except ImportError:
        pass
    return found


def measure(run, pieces):
    begin = time.process_time()
    run(pieces)
    return time.process_time() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--columns", type=int, default=1_000_000)
    parser.add_argument("--values", type=int, default=75)
    parser.add_argument("--piece", default="0,1000,100", help="rows a call, several separated by commas; 0: all rows")
    parser.add_argument("--learners", default="pa-1,ssol,ftrl,auto")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--vw-rows", type=int, default=3000)
    parser.add_argument("--json", help="write the figures to this file")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    x, y = make_matrix(options.rows, options.columns, options.values, 1)
    print(f"{x.shape[0]:,} x {x.shape[1]:,}, {x.nnz:,} values; Python {platform.python_version()}, {platform.machine()}")
    results = []
    for piece in (int(text) for text in options.piece.split(",")):
        step = piece or x.shape[0]
        pieces = [(x[i : i + step], y[i : i + step]) for i in range(0, x.shape[0], step)]
        few = [(x[: options.vw_rows], y[: options.vw_rows])]
        best = {}
        runs = contestants(options.learners.split(","))
        for _ in range(options.rounds):
            for name, run in runs.items():
                if run is vw:
                    seconds = measure(run, few) * x.shape[0] / options.vw_rows
                else:
                    seconds = measure(run, pieces)
                best[name] = min(seconds, best.get(name, seconds))
        print(f"\nrows a call: {piece or 'all'}\n{'':32} {'seconds':>8} {'ns a value':>11} {'SGD hinge is':>13}")
        for name, seconds in best.items():
            ratio = best["SGDClassifier hinge"] / seconds
            print(f"{name:32} {seconds:8.3f} {seconds / x.nnz * 1e9:11.1f} {ratio:12.2f}x")
            results.append({"name": name, "piece": piece, "seconds": seconds, "values": int(x.nnz)})
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
