#!/usr/bin/python3
"""Paper 004, table 3, german: mistakes of olsf, olsf-1 and olsf-2 on a simulated trapezoidal stream.

    SLUICE_DATA=DIR experiments/german_olsf.py > experiments/results/german_olsf.csv

Prepared as by the authors: columns standardised, rows scaled to length 1, then for each of their 20 permutations ten
chunks of rows; the rows of chunk k show the first k/10 of the columns. Half of the features (B = 0.5), lambda = 30. The
paper's figures: olsf 415.9 +- 15.6, olsf-1 366.9 +- 8.8, olsf-2 not above olsf-1. The last line of each learner is the
mean and the sample deviation.
"""
import argparse, csv, json, os, statistics, subprocess, sys, tempfile

LEARNERS = [("olsf", {}), ("olsf-1", {"C": 1}), ("olsf-2", {"C": 0.1})]


def sluice(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sluice", default="build/release/bin/sluice")
    args = parser.parse_args()
    data = os.environ.get("SLUICE_DATA") or sys.exit("SLUICE_DATA must name the folder with the files of experiments/DATA.md")
    rows = sluice(args.sluice, "convert", "-q", "--standardize", "--normalize", "l2", os.path.join(data, "german.svm.zst")).splitlines()
    with open(os.path.join(data, "german.permutations.txt")) as lines:
        permutations = [[int(i) - 1 for i in line.split()] for line in lines]
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["learner", "parameters", "permutation", "mistakes", "deviation"])
    with tempfile.TemporaryDirectory() as folder:
        plain, stream = os.path.join(folder, "plain.svm"), os.path.join(folder, "stream.svm")
        mistakes = {learner: [] for learner, _ in LEARNERS}
        for order in permutations:
            with open(plain, "w") as to:
                to.writelines(rows[i] + "\n" for i in order)
            sluice(args.sluice, "convert", "-q", "--trapezoid", "10", plain, "-o", stream)
            for learner, params in LEARNERS:
                given = [word for name, value in {"lambda": 30, "B": 0.5, **params}.items() for word in ("-P", f"{name}={value}")]
                report = json.loads(sluice(args.sluice, "train", "-q", "--json", "-a", learner, *given, stream))
                mistakes[learner].append(report["mistakes"])
    for learner, params in LEARNERS:
        text = " ".join(f"{k}={v}" for k, v in {"lambda": 30, "B": 0.5, **params}.items())
        for i, count in enumerate(mistakes[learner], 1):
            out.writerow([learner, text, i, count, ""])
        out.writerow([learner, text, "mean", f"{statistics.mean(mistakes[learner]):.1f}", f"{statistics.stdev(mistakes[learner]):.1f}"])


if __name__ == "__main__":
    main()
