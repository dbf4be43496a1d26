#!/usr/bin/python3
"""How the learners' default parameters were chosen.

    SLUICE_DATA=DIR experiments/defaults.py --sluice build/release/bin/sluice > experiments/results/defaults.csv

Every learner runs once over each set (rows of length 1) for every point of a small grid of powers of two or ten. The
score of a point is its error divided by the learner's best error on that set, averaged over the sets; 1 would be the
best on every set. First the step sizes are searched without regularisation, by the progressive error over the set in
its own order. Then, with the best step sizes, lambda (or l1) is searched, both by that error and by the error of the
finished model on a fifth of the rows drawn at random. The largest value whose scores are within 15 % of the best by
both is taken: the sparsest model that is still good. Learners that keep a limited number of features are first searched
with room for all; then that number takes the place of lambda, and the smallest is taken.
"""
import argparse, csv, itertools, json, os, statistics, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

SETS = ["pcmac", "rcv1-small", "reuters-earn", "farm-ads", "spamassassin", "news20-uni", "news20-ub", "phishing-55k", "a9a"]

RATES = [2.0**k for k in range(-5, 6)]
LAMBDAS = {
    "fsol": [0, 0.1, 0.2, 0.5, 1, 2, 5, 10],
    "ssol": [0, 1, 3, 10, 30, 100, 300, 1000, 3000],
    "stg": [0, 1e-7, 3e-7, 1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4],
    "fobos": [0, 1e-7, 1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3],
    "ada-fobos": [0, 1e-7, 1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4],
    "rda": [0, 1e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3],
    "ada-rda": [0, 1e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3],
    "ftrl": [0, 0.01, 0.03, 0.1, 0.3, 1, 3],
}
# how many features are kept: fewer make a sparser model, so the smallest is taken
SHARES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]
COUNTS = [100, 300, 1000, 3000, 10000, 30000, 100000, 4000000000]
KEPT = {
    "olsf": {"B": SHARES},
    "olsf-1": {"B": SHARES},
    "olsf-2": {"B": SHARES},
    "olsf-rand": {"B": SHARES},
    "olsf-per": {"B": SHARES},
    "ofs": {"features": COUNTS},
    "ofs-p": {"features": COUNTS},
    "sofs": {"features": COUNTS},
}
# what is searched without regularisation
STEPS = {
    "fsol": {"eta": RATES},
    "ssol": {"eta": RATES, "r": [0.1, 0.3, 1, 3, 10]},
    "stg": {"eta": RATES},
    "fobos": {"eta": [2.0**k for k in range(-2, 9)]},
    "ada-fobos": {"eta": RATES},
    "rda": {"eta": [2.0**k for k in range(-5, 8)]},
    "ada-rda": {"eta": RATES},
    "ftrl": {"alpha": RATES, "beta": [0.1, 1]},
    "pa-1": {"C": RATES},
    "pa-2": {"C": RATES},
    "cpa": {"C": RATES},
    "cs-ogd": {"eta": RATES},
    "paum": {"margin": [0.01, 0.03, 0.1, 0.3, 1, 3]},
    "olsf": {},
    "olsf-1": {"C": RATES},
    "olsf-2": {"C": RATES},
    "olsf-rand": {"C": RATES},
    "olsf-per": {},
    "ofs": {"eta": RATES, "lambda": [0, 1e-6, 1e-5, 1e-4, 1e-3]},
    "ofs-p": {"eta": RATES, "epsilon": [0.2, 0.5]},
    "sofs": {"r": [0.1, 0.3, 1, 3, 10]},
    "arow": {"r": [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10]},
    "narow": {"b": [2.0**k for k in range(1, 8)]},
    "scw-1": {"phi": [0.25, 0.5, 1, 2], "C": [2.0**k for k in (-2, 0, 2, 4, 6)]},
    "scw-2": {"phi": [0.25, 0.5, 1, 2], "C": [2.0**k for k in (-2, 0, 2, 4, 6)]},
    "cw": {"phi": [2.0**k for k in range(-5, 2)]},
}

# what the learners had when results/defaults.csv was made; other values won later (docs/defaults.md)
FIXED = {"olsf": {"lambda": 30}, "olsf-1": {"lambda": 30}, "olsf-2": {"lambda": 30}, "olsf-rand": {"lambda": 30}, "olsf-per": {"lambda": 30},
         "ada-rda": {"delta": 1}}


def options(params):
    if "margin" in params:  # paum: both margins alike
        params = {"margin_pos": params["margin"], "margin_neg": params["margin"]}
    return [x for name, value in params.items() for x in ("-P", f"{name}={value!r}")]


def run(sluice, learner, params, path):
    """(error, sparsity): progressive, or, for a set split in two, on the second part."""
    train, test = path if isinstance(path, tuple) else (path, None)
    out = subprocess.run([sluice, "train", "-q", "--json", "--threads", "1", "-a", learner, *options({**FIXED.get(learner, {}), **params}),
                          *(["--test", test] if test else []), train], capture_output=True, text=True, check=True).stdout
    r = json.loads(out)
    return (r["test"] if test else r)["error_rate"], r["sparsity"]


def cut(sluice, path):
    """The rows of a set in random order: four fifths for training, the rest for testing."""
    text = subprocess.run([sluice, "convert", "--shuffle", "1", path], capture_output=True, check=True).stdout
    rows = text.splitlines(keepends=True)
    parts = []
    for name, part in ("train", rows[:len(rows) * 4 // 5]), ("test", rows[len(rows) * 4 // 5:]):
        parts.append(f"{path}.{name}.bin")
        subprocess.run([sluice, "convert", "-", "-o", parts[-1]], input=b"".join(part), check=True)
    return tuple(parts)


def search(args, paths, learner, points):
    """[(score, mean sparsity, point, errors)] for every point."""
    with ThreadPoolExecutor(args.jobs) as pool:
        results = list(pool.map(lambda job: run(args.sluice, learner, job[0], job[1]), itertools.product(points, paths)))
    rows = [results[i:i + len(paths)] for i in range(0, len(results), len(paths))]
    best = [min(row[s][0] for row in rows) for s in range(len(paths))]
    return [(statistics.mean(e / b for (e, _), b in zip(row, best)), statistics.mean(s for _, s in row), point,
             [e for e, _ in row]) for point, row in zip(points, rows)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sluice", default="build/release/bin/sluice")
    parser.add_argument("--learner", action="append")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    data = os.environ.get("SLUICE_DATA") or sys.exit("SLUICE_DATA must name the folder with the files of experiments/DATA.md")
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["learner", "stage", "parameters", "score", "sparsity", *SETS])

    def write(learner, stage, rows):
        for score, sparsity, point, errors in rows:
            out.writerow([learner, stage, " ".join(f"{k}={v:g}" for k, v in point.items()), f"{score:.4f}",
                          f"{sparsity:.4f}", *(f"{e:.4f}" for e in errors)])
        sys.stdout.flush()

    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name in SETS:
            paths.append(os.path.join(folder, name + ".bin"))
            subprocess.run([args.sluice, "convert", "--normalize", "l2", os.path.join(data, name + ".svm.zst"), "-o", paths[-1]],
                           check=True)
        cuts = [cut(args.sluice, path) for path in paths]
        for learner, grid in STEPS.items():
            if args.learner and learner not in args.learner:
                continue
            regular = "l1" if learner == "ftrl" else "lambda" if learner in LAMBDAS else next(iter(KEPT.get(learner, [])), None)
            values = LAMBDAS.get(learner) or KEPT.get(learner, {}).get(regular)
            points = [dict(zip(grid, values)) for values in itertools.product(*grid.values())]
            if regular:
                points = [{**p, regular: values[-1] if learner in KEPT else 0} for p in points]
            rows = search(args, paths, learner, points)
            write(learner, "steps", rows)
            best = min(rows, key=lambda row: row[0])
            write(learner, "best steps", [best])
            if regular:
                points = [{**best[2], regular: value} for value in values]
                good = points
                for stage, sets in (f"{regular}, progressive", paths), (f"{regular}, test", cuts):
                    rows = search(args, sets, learner, points)
                    write(learner, stage, rows)
                    least = min(row[0] for row in rows)
                    good = [p for p, row in zip(points, rows) if row[0] <= 1.15 * least and p in good]
                chosen = (min if learner in KEPT else max)(good, key=lambda p: p[regular])
                write(learner, "chosen", [row for row in rows if row[2] == chosen])


if __name__ == "__main__":
    main()
