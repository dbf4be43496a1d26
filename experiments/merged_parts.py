#!/usr/bin/python3
"""What merging costs in accuracy: learners on parts of a stream whose models are merged, against one pass over it.

    SLUICE_DATA=DIR experiments/merged_parts.py --sluice build/release/bin/sluice > experiments/results/merged_parts.csv

The rows of a set are shuffled, a fifth is kept for testing (a9a has a test set of its own), and the rest is cut into
parts of consecutive rows. In a round each part is learned from the same model, and the results are merged with that as
their start; the next round begins with the merged model. Values are as they are but for the length of a row, which is
1; parameters are the defaults.
"""
import argparse, csv, json, os, random, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

SETS = ["a9a", "news20-uni", "phishing-55k", "reuters-earn", "spamassassin"]
LEARNERS = ["ssol", "fsol", "ada-rda", "ftrl", "arow", "rda", "pa-1", "fobos"]
PARTS = [1, 2, 4, 8, 32]
ROUNDS = 3


def lines_of(path):
    return subprocess.run(["zstd", "-dc", path], check=True, capture_output=True).stdout.splitlines(keepends=True)


def training_and_test(folder, name):
    rows = lines_of(os.path.join(folder, name + ".svm.zst"))
    random.Random(1).shuffle(rows)
    own = os.path.join(folder, name + ".test.svm.zst")
    if os.path.exists(own):
        return rows, lines_of(own)
    return rows[len(rows) // 5:], rows[:len(rows) // 5]


def write_parts(rows, n, folder):
    paths = []
    for i in range(n):
        paths.append(os.path.join(folder, f"part-{n}-{i}.svm"))
        with open(paths[-1], "wb") as f:
            f.writelines(rows[len(rows) * i // n:len(rows) * (i + 1) // n])
    return paths


class Program:
    def __init__(self, path):
        self.path = path

    def __call__(self, *arguments):
        return subprocess.run([self.path, *arguments], check=True, capture_output=True, text=True).stdout


def learn(sluice, learner, parts, folder, test):
    """Test error and nonzeros after each round."""
    start, results = None, []
    for number in range(1, ROUNDS + 1):
        models = []
        for i, part in enumerate(parts):
            models.append(os.path.join(folder, f"{learner}-{len(parts)}-{number}-{i}.model"))
            how = ["-i", start] if start else ["-a", learner, "--normalize", "l2"]
            sluice("train", "-qq", "--threads", "1", *how, "-o", models[-1], part)
        merged = models[0]
        if len(models) > 1:
            merged = os.path.join(folder, f"{learner}-{len(parts)}-{number}.model")
            sluice("merge", "-q", *(["--start", start] if start else []), *models, "-o", merged)
        measured = json.loads(sluice("test", "-q", "--json", "-m", merged, test))
        nonzeros = json.loads(sluice("inspect", "--json", merged))["nonzeros"]
        results.append((measured["error_rate"], nonzeros))
        start = merged
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sluice", default="build/release/bin/sluice")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--learners", default=",".join(LEARNERS))
    a = parser.parse_args()
    folder = os.environ.get("SLUICE_DATA")
    if not folder:
        sys.exit("set SLUICE_DATA to the folder of the data sets (experiments/DATA.md)")
    sluice, out = Program(a.sluice), csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["set", "learner", "parts", "round", "test_error", "nonzeros"])
    for name in a.sets.split(","):
        rows, test_rows = training_and_test(folder, name)
        with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(2) as pool:
            test = os.path.join(work, "test.svm")
            with open(test, "wb") as f:
                f.writelines(test_rows)
            parts = {n: write_parts(rows, n, work) for n in PARTS}
            points = [(learner, n) for learner in a.learners.split(",") for n in PARTS]
            done = pool.map(lambda point: learn(sluice, point[0], parts[point[1]], work, test), points)
            for (learner, n), results in zip(points, done):
                for number, (error, nonzeros) in enumerate(results, 1):
                    out.writerow([name, learner, n, number, f"{error:.5f}", nonzeros])
                sys.stdout.flush()


if __name__ == "__main__":
    main()
