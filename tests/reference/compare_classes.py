#!/usr/bin/env python3
"""Compares `sluice train --classes` with the definitions of several classes.

    compare_classes.py --sluice PATH [--learner NAME]...

matrix: with matrix_rules.py, all learners that have such a form. ovr, ovo: with a run of the binary rule (learners.py)
for every class against the rest, or for every pair of classes over their examples. Mistakes, updates and features must
be equal, weights equal up to rounding, and so must what `predict` says afterwards.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

import learners
import matrix_rules
from compare_learners import DOUBLE, SETTINGS, SINGLE, SUMS_64BIT, Failed, describe, same, same_weights, sluice
from streams import Stream

# Learners with lanes and without, that look at the number of features, at the round, at each other's state.
PROBLEMS = ["pa-1", "arow", "ssol", "fobos", "ftrl", "sop", "olsf-1", "sofs", "bcw"]


class Classes(Stream):
    """Rows whose labels are classes. `bias`: examples have a further column, of 1."""

    def __init__(self, name, rows, bias=False):
        super().__init__(name, rows)
        self.bias = bias
        if bias:
            self.ids.append("bias")
            self.dimension += 1

    def examples(self):
        for y, h, columns, x in super().examples():
            if self.bias:
                columns, x[-1] = columns + [self.dimension - 1], 1
            yield y, h, columns, x

    def write(self, path):
        with open(path, "w") as out:
            for y, h, ids, values in self.rows:
                pairs = "".join(f" {i}:{v}" for i, v in zip(ids, values))
                out.write(f"{y} {h} |{pairs}\n")

    def binary(self, chosen, sign):
        """The examples with sign(label) as labels, of the labels that `chosen` takes."""
        return Stream(self.name, [(sign(y), h, ids, v) for y, h, ids, v in self.rows if chosen(y)])

    def order(self):
        return list(dict.fromkeys(y for y, h, _, _ in self.rows if h))


def drawn(seed, n, d, nonzeros, classes, weights=(1,), late=True, bias=False, holes=0.0):
    """Classes by a linear teacher with noise; with `late` they appear one after the other."""
    random = np.random.RandomState(seed)
    teacher = random.randn(classes, d)
    rows = []
    for t in range(n):
        known = min(classes, 2 + t * 2 * classes // n) if late else classes
        ids = sorted(random.choice(d, random.randint(1, nonzeros + 1), replace=False))
        x = random.randn(len(ids))
        y = int(np.argmax(teacher[:known, ids] @ x)) if random.rand() > 0.1 else random.randint(known)
        kind = random.rand()
        if kind < holes / 2:
            ids, x = [], []
        elif kind < holes:
            x = np.zeros(len(ids))
        rows.append((3 * y + 10, weights[random.randint(len(weights))], [int(i) + 1 for i in ids], x))
    return Classes("classes", rows, bias)


def made(weighted):
    weights = (1, 1, 0.5, 2, 0) if weighted else (1, 1, 1, 0)
    few = drawn(1, 400, 12, 12, 5)
    few.name = "few"
    late = drawn(2, 700, 60, 8, 17, weights)
    late.name = "late-weighted"
    # where margins are all 0 the class seen first is predicted; with a bias, rows of zeros would compare sums of equal
    # steps, which only exact arithmetic decides alike
    holes = drawn(3, 400, 30, 6, 6, weights, late=False, holes=0.3)
    holes.name = "holes"
    bias = drawn(4, 400, 30, 6, 6, weights, bias=True)
    bias.name = "bias"
    return [few, late, holes, bias]


def matrix_settings(name):
    return [p for p in SETTINGS[name] if p.get("loss") != "logistic"]


def train(program, kind, name, params, stream, data, model):
    stream.write(data)
    given = [word for p, v in params.items() for word in ("-P", f"{p}={v}")]
    out = sluice(program, "train", "-q", "--json", "-f", "vw", "--classes", kind, "-a", name, *given,
                 *(["--bias", "1"] if stream.bias else []), "-o", model, data)
    return json.loads(out)


def weights(program, model, ovo=False):
    found = {}
    for line in sluice(program, "inspect", "--weights", model).splitlines():
        feature, *classes, w = line.split("\t")
        key = (feature if feature == "bias" else int(feature), *map(int, classes))
        found[key if ovo else key[:2]] = float(w)
    return found


def same_predictions(program, model, data, stream, classes, W):
    lines = sluice(program, "predict", "-q", "-m", model, data).splitlines()
    same(len(lines), len(stream.rows), "lines of predict", np.inf)
    for line, (_, _, _, x) in zip(lines, stream.examples()):
        margins = W.astype(np.float32).astype(float) @ x
        c = classes.index(int(line.split("\t")[0]))
        if margins[c] < margins.max() - 1e-4 * max(1, np.abs(margins).max()):
            raise Failed(f"predict says {line!r}, the margins are {margins}")


def compare_matrix(program, kind, name, params, stream, data, model):
    reference = matrix_rules.Run(name, stream, params)
    report = train(program, kind, name, params, stream, data, model)
    for what in ("examples", "features_seen", "mistakes", "updates"):
        same(report[what], getattr(reference, what), what, reference.closest)
    got = weights(program, model)
    expected = reference.weights
    order = {key: i for i, key in enumerate(sorted(set(got) | set(expected), key=str))}
    same_weights({order[k]: w for k, w in got.items()}, {order[k]: w for k, w in expected.items()},
                 DOUBLE if name in SUMS_64BIT else SINGLE)
    same_predictions(program, model, data, stream, reference.classes, reference.W)


def compare_problems(program, kind, name, params, stream, data, model):
    train(program, kind, name, params, stream, data, model)
    got = weights(program, model, ovo=kind == "ovo")
    order = stream.order()
    if kind == "ovr":
        problems = {(c,): stream.binary(lambda y: True, lambda y, c=c: 1 if y == c else -1) for c in order}
    else:  # of two classes the one seen first is -1
        problems = {(b, a): stream.binary(lambda y, a=a, b=b: y in (a, b), lambda y, b=b: 1 if y == b else -1)
                    for i, b in enumerate(order) for a in order[:i]}
    for problem, rows in problems.items():
        expected = learners.Run(name, rows, params).weights
        mine = {key[0]: w for key, w in got.items() if key[1:] == problem}
        same_weights(mine, expected, DOUBLE if name in SUMS_64BIT else SINGLE)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sluice", metavar="PATH", required=True)
    parser.add_argument("--learner", action="append", metavar="NAME")
    options = parser.parse_args()
    have = {x["name"] for x in json.loads(sluice(options.sluice, "learners", "--json"))["learners"] if x["matrix"]} - {"auto"}  # whose candidates are compared: unit.race
    if have != set(matrix_rules.MATRIX):
        print("learners with a matrix form here and in matrix_rules.py differ:", *sorted(have ^ set(matrix_rules.MATRIX)))
        return 1
    passed = failed = 0

    def check(compare, kind, name, params, stream):
        nonlocal passed, failed
        try:
            compare(options.sluice, kind, name, params, stream, data, model)
            passed += 1
        except (Failed, subprocess.TimeoutExpired, KeyError, ValueError) as error:
            failed += 1
            print(f"FAILED {kind} {name} on {stream.name} with {describe(params)}\n    {error!s}", flush=True)

    with tempfile.TemporaryDirectory(prefix="sluice-classes-") as folder:
        data, model = os.path.join(folder, "stream.vw"), os.path.join(folder, "model")
        for name in options.learner or sorted(have | set(PROBLEMS)):
            weighted = name not in matrix_rules.ONLY_0_AND_1 | {"sop"}
            for stream in made(weighted):
                if name in have:
                    for params in matrix_settings(name):
                        check(compare_matrix, "matrix", name, params, stream)
                if name in PROBLEMS and not stream.bias:
                    for kind in ("ovr", "ovo"):
                        check(compare_problems, kind, name, SETTINGS[name][0], stream)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
