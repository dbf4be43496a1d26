#!/usr/bin/python3
"""Paper 001, figure 3 (paper 000, figure 2): training time against sparsity.

    SLUICE_DATA=DIR experiments/sparse_figure3.py          writes sparse_figure3.csv and .svg; needs sparse_figure2.csv

Parameters are those that figure 2 chose without regularisation (synth: `sluice synth sparse`, 300,000 rows, a million
dimensions; chosen on 20,000 of its rows). lambda is searched for each sparsity; at level 0 it is 0. Seconds are CPU
time of whole runs of `sluice train` with one thread on a .bin file, start-up and reading included: the best of 5.
`updates` is the share of the examples that changed the model.
"""
import json, os, resource, subprocess, tempfile

import sparse
from sparse import LEARNERS, LEVELS, Table

SETS = ["reuters-earn", "spamassassin", "phishing-55k", "news20-uni", "news20-ub", "synth"]
NAMES = [*sparse.SIX, "rda", "ftrl"]
HEADER = ["set", "learner", "level", "parameters", "swept", "sparsity", "seconds", "updates"]
TIMES = 5


def seconds(args, words):
    """CPU seconds, and the JSON report of the run."""
    best = None
    for _ in range(TIMES):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        said = subprocess.run([args.sluice, "train", "-q", "--json", "--threads", "1", *words], capture_output=True, text=True, check=True).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = used if best is None else min(best, used)
    return best, json.loads(said)


def known(args, name):
    """{learner: parameters} of figure 2"""
    found = {}
    for row in Table(args, "sparse_figure2", []).rows:
        if row["set"] == name and row["chosen_at"] == "zero" and row["learner"] in NAMES:
            found[row["learner"]] = {k: float(v) for k, v in (word.split("=") for word in row["parameters"].split(";")[0].split())}
    return found


def measure(args, name, folder):
    path = os.path.join(folder, "rows.bin")
    if name == "synth":
        sparse.sluice(args, "synth", "sparse", "-o", path)
        head = os.path.join(folder, "head.bin")
        sparse.sluice(args, "synth", "sparse", "-P", "rows=20000", "-o", head)
        params = {n: sparse.tune_zero(args, LEARNERS[n], head) for n in NAMES}
    else:
        sparse.write(args, sparse.read_rows(args, name), path)
        sparse.sluice(args, "convert", "--shuffle", "1", path, "-o", path)
        params = known(args, name)
    rows = json.loads(sparse.sluice(args, "train", "--json", "-a", "perceptron", path))["examples"]
    out = []
    for learner in params:
        rule = LEARNERS[learner]
        found = sparse.curve(args, rule, params[learner], path, None, rows, LEVELS)
        for level, value in [(0, 0.0)] + [(level, point["value"]) for level, point in found.items()]:
            used, said = seconds(args, ["-a", rule.learner, *sparse.given(params[learner] | {rule.swept: float(value)}), path])
            out.append({"set": name, "learner": learner, "level": level, "parameters": sparse.words(params[learner]), "swept": f"{rule.swept}={value:g}",
                        "sparsity": f"{said['sparsity']:.5f}", "seconds": f"{used:.4f}", "updates": f"{said['updates'] / said['examples']:.4f}"})
            print(*out[-1].values(), flush=True)
    return out


def report(args, rows):
    panels = {}
    for row in rows:
        if float(row["level"]) >= LEVELS[0]:
            panels.setdefault(row["set"], {}).setdefault(row["learner"], []).append((float(row["level"]), 1000 * float(row["seconds"]), 0))
    sparse.plot(args, "sparse_figure3.svg", "Training time against sparsity", panels,
                sparse.ACROSS + "ms of one processor (logarithmic), best of 5; broken lines: not in the papers")


def main():
    args = sparse.options(__doc__, SETS)
    table = Table(args, "sparse_figure3", HEADER)
    if not args.report:
        for name in args.sets:
            with tempfile.TemporaryDirectory() as folder:
                table.replace(name, measure(args, name, folder), SETS)
    report(args, table.rows)


if __name__ == "__main__":
    main()
