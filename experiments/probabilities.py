#!/usr/bin/env python3
"""The figures of docs/probabilities.md: quality of probabilities by learner, data set and calibration.

    SLUICE_DATA=DIR experiments/probabilities.py [SLUICE] > experiments/results/probabilities.csv

Sets without a test file are split: the last fifth is the test part. --calibrate gets the last fifth of the training
part, which is then not learned.
"""

import math
import os
import subprocess
import sys
import tempfile

LEARNERS = ["ssol", "arow", "pa-1", "ftrl"]
SETS = ["a9a", "mnist-odd", "rcv1-small", "spamassassin", "phishing-55k", "magic04"]
BINS = 15


def read(path):
    return subprocess.run(["zstd", "-dc", path], stdout=subprocess.PIPE, check=True).stdout.splitlines(keepends=True)


def split(data, name):
    """Training rows and test rows."""
    rows = read(f"{data}/{name}.svm.zst")
    test = f"{data}/{name}.test.svm.zst"
    if os.path.exists(test):
        return rows, read(test)
    cut = len(rows) * 4 // 5
    return rows[:cut], rows[cut:]


def measure(pairs):
    """Log loss and calibration error of (probability, label 0 or 1)."""
    loss = -sum(math.log(max(p if y else 1 - p, 1e-15)) for p, y in pairs) / len(pairs)
    pairs = sorted(pairs)
    error, surplus, full, last = 0, 0, len(pairs) / BINS, None
    for i, (p, y) in enumerate(pairs):
        if i >= full and p != last:  # equal probabilities share a bin
            error, surplus, full = error + abs(surplus), 0, (i * BINS // len(pairs) + 1) * len(pairs) / BINS
        surplus, last = surplus + p - y, p
    return loss, (error + abs(surplus)) / len(pairs)


def sigmoid(m):
    return 1 / (1 + math.exp(-max(-700, min(700, m))))


def main():
    data = os.environ["SLUICE_DATA"]
    sluice = sys.argv[1] if len(sys.argv) > 1 else "build/release/bin/sluice"
    print("set,learner,calibration,log_loss,calibration_error")
    with tempfile.TemporaryDirectory() as folder:
        for name in SETS:
            rows, test = split(data, name)
            cut = len(rows) * 4 // 5
            parts = {"all": rows, "most": rows[:cut], "held": rows[cut:], "test": test}
            for part, lines in parts.items():
                with open(f"{folder}/{part}", "wb") as f:
                    f.writelines(lines)
            labels = [float(line.split(None, 1)[0]) > 0 for line in test]
            for learner in LEARNERS:
                ways = {"online": ["all"], "platt": ["most", "--calibrate", "held", "--calibration", "platt"],
                        "isotonic": ["most", "--calibrate", "held"]}
                for way, inputs in ways.items():
                    run(sluice, folder, "train", "-q", "-a", learner, "--normalize", "l2", "-o", "m", *inputs)
                    out = run(sluice, folder, "predict", "-q", "--proba", "-m", "m", "test").splitlines()
                    lines = [line.split(b"\t") for line in out]
                    if way == "online":
                        show(name, learner, "sigmoid of the margin", [(sigmoid(float(l[1])), y) for l, y in zip(lines, labels)])
                    if way != "online" or learner != "ftrl":
                        show(name, learner, way, [(float(l[2]), y) for l, y in zip(lines, labels)])


def run(sluice, folder, *command):
    return subprocess.run([os.path.abspath(sluice), *command], cwd=folder, stdout=subprocess.PIPE, check=True).stdout


def show(name, learner, way, pairs):
    loss, error = measure(pairs)
    print(f"{name},{learner},{way},{loss:.4f},{error:.4f}", flush=True)


if __name__ == "__main__":
    main()
